//! All tools that work with what a home has.

use hermes_tools::{AgentLoop, Arguments, CallContext, HandlerResult};

use super::StoreTools;
use crate::hermes::Hermes;

/// Runs the agent-loop tools of this crate on a home, and passes on what it does not have to the
/// loop that the builder was given.
#[derive(Debug, Clone)]
pub struct HomeTools {
    hermes: Hermes,
}

impl HomeTools {
    /// The tools on this home.
    pub fn new(hermes: Hermes) -> HomeTools {
        HomeTools { hermes }
    }

    fn is_own(name: &str) -> bool {
        #[cfg(unix)]
        return [super::SESSION_SEARCH, super::TERMINAL, super::PROCESS].contains(&name);
        #[cfg(not(unix))]
        {
            name == super::SESSION_SEARCH
        }
    }
}

impl AgentLoop for HomeTools {
    fn has(&self, name: &str) -> bool {
        let more = self.hermes.wishes().agent_loop.as_ref();
        Self::is_own(name) || more.is_some_and(|more| more.has(name))
    }

    fn handle(&self, name: &str, arguments: Arguments, context: &CallContext) -> HandlerResult {
        match name {
            #[cfg(unix)]
            super::TERMINAL => super::terminal::run(&self.hermes, arguments, context),
            #[cfg(unix)]
            super::PROCESS => super::process::run(&self.hermes, arguments, context),
            _ if Self::is_own(name) => {
                StoreTools::new(self.hermes.clone()).handle(name, arguments, context)
            }
            _ => match &self.hermes.wishes().agent_loop {
                Some(more) => more.handle(name, arguments, context),
                None => Err(hermes_tools::ToolError::message(format!(
                    "there is no {name} here"
                ))),
            },
        }
    }
}
