//! What the guard says when it refuses.

use std::fmt;
use std::path::PathBuf;

use super::TestContext;
use crate::display::readable;

/// A test was about to open a production store.
///
/// `Display` gives the problem and the two ways out in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct Refusal {
    /// The path that was to be opened.
    pub path: PathBuf,
    /// The production store that it leads to.
    pub store: PathBuf,
    /// What says that this is a test.
    pub context: TestContext,
}

impl Refusal {
    /// A stable name in `snake_case`, the same as that of [`Error`](crate::Error).
    pub const CODE: &str = "live_system_guard";

    /// What is wrong, in one line: the path, and the rule that it breaks.
    pub fn problem(&self) -> String {
        let leads = if self.path == self.store {
            String::new()
        } else {
            format!(", which is {},", readable(&self.store))
        };
        format!(
            "the live-system guard refuses {}{leads} in a test ({}): \
             tests never open a production store",
            readable(&self.path),
            self.context
        )
    }

    /// What to do next, in one line: first of all not that, and the two ways out.
    pub fn hint(&self) -> &'static str {
        "give the test a temporary HERMES_HOME or database; if it really must be this one, hold a \
         GuardBypass in the process, or give a child process HERMES_STATE_DB_GUARD_BYPASS=1"
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem(), self.hint())
    }
}
