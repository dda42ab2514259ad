//! The tools that this crate brings, and what they need to run.
//!
//! `session_search` is registered at link time and belongs to the agent loop; [`StoreTools`] is the
//! part of a loop that runs it. Its session is that of the call's context.

mod home_override;
mod session_search;

use hermes_tools::{AgentLoop, Arguments, CallContext, HandlerResult, ToolError};

use crate::hermes::Hermes;

pub use home_override::HomeOverride;
pub use session_search::{MAX_ANSWER_CHARS, SESSION_SEARCH, session_search};

/// Runs the agent-loop tools that need only the store of a home.
#[derive(Debug, Clone)]
pub struct StoreTools {
    hermes: Hermes,
}

impl StoreTools {
    /// The tools on this home's store.
    pub fn new(hermes: Hermes) -> StoreTools {
        StoreTools { hermes }
    }
}

impl AgentLoop for StoreTools {
    fn has(&self, name: &str) -> bool {
        name == SESSION_SEARCH
    }

    fn handle(&self, name: &str, arguments: Arguments, context: &CallContext) -> HandlerResult {
        match name {
            SESSION_SEARCH => {
                let found = session_search(&self.hermes, arguments, context.session_id())?;
                Ok(hermes_tools::tool_result_text(&found)?.into())
            }
            _ => Err(ToolError::message(format!("there is no {name} here"))),
        }
    }
}
