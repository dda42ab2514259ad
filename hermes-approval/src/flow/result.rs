//! The outcome under the names that callers of Hermes read.

use serde::Serialize;

use super::adviser::Advice;
use super::outcome::{Outcome, Stage};

/// An outcome as a plain object, with the keys of the Python Hermes, and `null` or nothing where
/// they do not apply.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GuardResult {
    /// Whether the command may run.
    pub approved: bool,
    /// What the model is told if not.
    pub message: Option<String>,
    /// A hardline rule blocked it.
    #[serde(skip_serializing_if = "is_false")]
    pub hardline: bool,
    /// The person's own list blocked it.
    #[serde(skip_serializing_if = "is_false")]
    pub user_deny: bool,
    /// The auxiliary model said no.
    #[serde(skip_serializing_if = "is_false")]
    pub smart_denied: bool,
    /// The first approval key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern_key: Option<String>,
    /// All of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pattern_keys: Vec<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `denied`, `timeout`, `notify_failed` or `blocked`, where it was asked and not approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// False where a person's consent was asked for and not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_consent: Option<bool>,
    /// Why a person said no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_reason: Option<String>,
    /// A person said yes.
    #[serde(skip_serializing_if = "is_false")]
    pub user_approved: bool,
    /// The auxiliary model said yes.
    #[serde(skip_serializing_if = "is_false")]
    pub smart_approved: bool,
    /// `pending_approval` if the request waits, and nobody has seen it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    /// True then.
    #[serde(skip_serializing_if = "is_false")]
    pub approval_pending: bool,
    /// The command, without secrets, then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The setting that decided because nobody was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless: Option<&'static str>,
    /// The agent shall end its turn.
    #[serde(skip_serializing_if = "is_false")]
    pub stop_turn: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl From<&Outcome> for GuardResult {
    fn from(outcome: &Outcome) -> Self {
        let blocked = !outcome.approved;
        let asked = outcome.stage == Stage::Asked;
        let denied = outcome.answer.as_ref().filter(|_| blocked);
        let pending = outcome.pending.as_ref();
        let floor = matches!(outcome.stage, Stage::Hardline | Stage::UserDeny);
        let named = asked || (blocked && !floor) || outcome.stage == Stage::Smart;
        Self {
            approved: outcome.approved,
            message: outcome.message.clone(),
            hardline: outcome.stage == Stage::Hardline,
            user_deny: outcome.stage == Stage::UserDeny,
            smart_denied: blocked && outcome.advice == Some(Advice::Deny),
            pattern_key: outcome.keys.first().filter(|_| blocked && named).cloned(),
            pattern_keys: match blocked && named {
                true => outcome.keys.clone(),
                false => Vec::new(),
            },
            description: outcome.description.clone().filter(|_| named),
            outcome: denied
                .filter(|_| pending.is_none())
                .map(|answer| answer.outcome()),
            user_consent: denied.filter(|_| pending.is_none()).map(|_| false),
            deny_reason: denied.and_then(|answer| answer.reason.clone()),
            user_approved: outcome.is_approved_by_person(),
            smart_approved: outcome.approved && outcome.stage == Stage::Smart,
            status: pending.map(|pending| pending.status),
            approval_pending: pending.is_some(),
            command: pending.map(|pending| pending.command.clone()),
            headless: outcome.headless.map(super::outcome::Headless::setting),
            stop_turn: outcome.stop_turn,
        }
    }
}
