//! How a conversation stands, for those who ask.

use std::time::Duration;

use crate::ApprovalRequest;

/// A request that waits.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Waiting {
    /// To answer it with [`super::Gateway::resolve_one`].
    pub id: String,
    /// The command, without secrets.
    pub command: String,
    /// Why it is asked.
    pub description: String,
    /// How long it waits.
    pub waited: Duration,
}

impl Waiting {
    pub(super) fn new(request: &ApprovalRequest, waited: Duration) -> Self {
        Self {
            id: request.id.clone(),
            command: request.command.clone(),
            description: request.description.clone(),
            waited,
        }
    }
}

/// How a conversation stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Status {
    /// Whether requests are brought to it.
    pub listening: bool,
    /// What waits, oldest first: the first is what a plain `/approve` answers.
    pub waiting: Vec<Waiting>,
    /// What came while nobody listened.
    pub stored: Option<ApprovalRequest>,
}

/// What the caller of a tool is told when nobody listens: neither a yes nor a no.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Pending {
    /// Always false.
    pub approved: bool,
    /// `pending_approval`.
    pub status: &'static str,
    /// Always true.
    pub approval_pending: bool,
    /// The command, without secrets.
    pub command: String,
    /// Why it is asked.
    pub description: String,
    /// The first key.
    pub pattern_key: Option<String>,
    /// All keys.
    pub pattern_keys: Vec<String>,
    /// The same, for the model.
    pub message: String,
}

impl Pending {
    pub(super) fn new(request: ApprovalRequest) -> Self {
        let message = format!(
            "This command was not run: it needs the approval of a person ({}), and nobody is there \
             to give it yet. Say what you wanted to do, and wait for the answer.",
            request.description
        );
        Self {
            approved: false,
            status: "pending_approval",
            approval_pending: true,
            command: request.command,
            description: request.description,
            pattern_key: request.keys.first().cloned(),
            pattern_keys: request.keys,
            message,
        }
    }
}
