//! A second opinion before a person is asked.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::platform::Platform;

/// Something that may say yes or no in the mode `smart`: an auxiliary model.
pub trait Adviser: Send + Sync {
    /// Judges the raw command; `description` says why it would be asked about.
    fn advise(&self, command: &str, description: &str, platform: Platform) -> Advice;
}

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "advice")]
#[non_exhaustive]
pub enum Advice {
    /// The command may run, this once.
    Approve,
    /// It may not, unless a person says so.
    Deny,
    /// A person has to decide.
    Escalate {
        /// Why the adviser did not.
        problem: String,
    },
}

/// Asks. An adviser that panics leaves the question to a person.
pub(super) fn asked(
    adviser: &dyn Adviser,
    command: &str,
    description: &str,
    platform: Platform,
) -> Advice {
    // Whatever state the adviser leaves behind is its own.
    let advice = catch_unwind(AssertUnwindSafe(|| {
        adviser.advise(command, description, platform)
    }));
    advice.unwrap_or_else(|_| {
        tracing::warn!("the adviser on approvals panicked; a person is asked instead");
        Advice::Escalate {
            problem: "it panicked".to_owned(),
        }
    })
}

#[cfg(feature = "smart")]
impl Adviser for crate::smart::Model {
    fn advise(&self, command: &str, description: &str, platform: Platform) -> Advice {
        use crate::smart::{SmartAnswer, SmartQuestion};
        let question = SmartQuestion {
            command,
            description,
            posix: platform == Platform::Posix,
        };
        match self.judge(&question) {
            SmartAnswer::Approve => Advice::Approve,
            SmartAnswer::Deny => Advice::Deny,
            SmartAnswer::Escalate { problem } => Advice::Escalate { problem },
        }
    }
}
