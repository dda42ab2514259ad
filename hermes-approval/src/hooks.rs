//! Whoever wants to know that something is asked, and what came of it. A hook changes nothing.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::{Answer, ApprovalRequest};

/// Where it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Surface {
    /// A terminal.
    Cli,
    /// A messaging gateway.
    Gateway,
    /// The auxiliary model.
    Smart,
    /// A question of an MCP server.
    McpElicitation,
}

/// What hooks are told: the request without its secrets, always.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The command, without secrets.
    pub command: &'a str,
    /// Why it is asked.
    pub description: &'a str,
    /// The first key.
    pub pattern_key: Option<&'a str>,
    /// All keys.
    pub pattern_keys: &'a [String],
    /// The conversation.
    pub session_key: &'a str,
    /// Where.
    pub surface: Surface,
    /// The turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<&'a str>,
    /// The call of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<&'a str>,
    /// `once`, `session`, `always`, `deny` or `timeout`; nothing before the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<&'a str>,
}

impl<'a> Event<'a> {
    /// Before the answer.
    pub fn before(request: &'a ApprovalRequest, surface: Surface) -> Self {
        Self {
            command: &request.command,
            description: &request.description,
            pattern_key: request.keys.first().map(String::as_str),
            pattern_keys: &request.keys,
            session_key: &request.session_key,
            surface,
            turn_id: request.turn_id.as_deref(),
            tool_call_id: request.tool_call_id.as_deref(),
            choice: None,
        }
    }

    /// After it.
    pub fn after(request: &'a ApprovalRequest, answer: &'a Answer, surface: Surface) -> Self {
        Self {
            choice: Some(answer.hook_choice()),
            ..Self::before(request, surface)
        }
    }
}

/// A hook. What it does not care for, it leaves as it is.
pub trait Hook: Send + Sync {
    /// Before a request is shown: `pre_approval_request`.
    fn before(&self, _event: &Event<'_>) {}
    /// After it was answered: `post_approval_response`.
    fn after(&self, _event: &Event<'_>) {}
}

/// All hooks, in the order in which they were added. One that panics is logged, and stops neither
/// the others nor the request.
#[derive(Clone, Default)]
pub struct Hooks(Vec<Arc<dyn Hook>>);

impl Hooks {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one at the end.
    pub fn add(&mut self, hook: Arc<dyn Hook>) {
        self.0.push(hook);
    }

    /// Tells all that a request is about to be shown.
    pub fn before(&self, request: &ApprovalRequest, surface: Surface) {
        self.tell(&Event::before(request, surface), |hook, event| {
            hook.before(event);
        });
    }

    /// Tells all what came of it.
    pub fn after(&self, request: &ApprovalRequest, answer: &Answer, surface: Surface) {
        self.tell(&Event::after(request, answer, surface), |hook, event| {
            hook.after(event);
        });
    }

    fn tell(&self, event: &Event<'_>, call: impl Fn(&dyn Hook, &Event<'_>)) {
        for hook in &self.0 {
            // Nothing of ours is changed by a hook, so that nothing can be left half changed.
            if catch_unwind(AssertUnwindSafe(|| call(hook.as_ref(), event))).is_err() {
                tracing::warn!(surface = ?event.surface, "a hook on approvals panicked, and was passed over");
            }
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hooks({})", self.0.len())
    }
}
