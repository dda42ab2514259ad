//! The tools that this crate brings, and what they need to run.
//!
//! `session_search`, `terminal` and `process` are registered at link time and belong to the agent
//! loop: what they work with is the home's. [`HomeTools`] runs them; [`StoreTools`] only
//! `session_search`, whose session is that of the call's context.

mod home_override;
mod home_tools;
#[cfg(unix)]
mod process;
mod session_search;
#[cfg(unix)]
mod terminal;

use hermes_tools::{AgentLoop, Arguments, CallContext, HandlerResult, ToolError};

use crate::hermes::Hermes;

pub use home_override::HomeOverride;
pub use home_tools::HomeTools;
#[cfg(unix)]
pub use process::PROCESS;
pub use session_search::{MAX_ANSWER_CHARS, SESSION_SEARCH, session_search};
#[cfg(unix)]
pub use terminal::TERMINAL;
#[cfg(unix)]
pub(crate) use terminal::ended as terminal_result;

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
