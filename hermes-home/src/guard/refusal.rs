//! What the guard says when it refuses.

use std::path::PathBuf;

use super::TestContext;
use super::bypass::VARIABLE;
use crate::display::readable;

/// A test was about to open a production store.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub(crate) fn problem(&self) -> String {
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

    pub(crate) fn hint(&self) -> String {
        format!(
            "give the test a temporary HERMES_HOME or database; if it really must be this one, hold \
             a GuardBypass in the process, or give a child process {VARIABLE}=1"
        )
    }
}
