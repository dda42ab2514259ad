//! Tools that need what only the embedding loop has.

use crate::context::CallContext;
use crate::handler::{Arguments, HandlerResult};

/// Runs the tools that were registered with [`Tool::agent_loop`](crate::Tool::agent_loop): `todo`,
/// `memory`, `session_search` and `delegate_task` in Hermes. Their schemas are in the registry like
/// any other; their state belongs to the loop.
pub trait AgentLoop: Send + Sync {
    /// Whether this loop has the tool.
    fn has(&self, name: &str) -> bool;

    /// Runs the tool. Called only for one that it [has](AgentLoop::has), with the same hooks,
    /// limits and treatment of errors as a handler.
    ///
    /// # Errors
    /// What went wrong, for the model.
    fn handle(&self, name: &str, arguments: Arguments, context: &CallContext) -> HandlerResult;
}
