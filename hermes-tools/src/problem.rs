//! What did not come into a registry, and why.

use std::fmt;

use serde::Serialize;

use crate::source::ToolSource;

/// A tool, or a whole source of tools, that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    #[serde(serialize_with = "crate::source::as_text")]
    source: ToolSource,
    what: String,
    reason: String,
}

impl Problem {
    pub(crate) fn new(
        source: ToolSource,
        what: impl Into<String>,
        reason: impl Into<String>,
    ) -> Problem {
        Problem {
            source,
            what: what.into(),
            reason: reason.into(),
        }
    }

    /// Whose tool it would have been.
    pub fn source(&self) -> &ToolSource {
        &self.source
    }

    /// The tool or the source that is missing.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Why.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}: {}", self.what, self.source, self.reason)
    }
}
