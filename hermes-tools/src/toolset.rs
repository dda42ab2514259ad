//! Named sets of tools.

mod info;
mod table;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use info::ToolsetInfo;
pub use table::ToolsetNames;
pub(crate) use table::ToolsetTable;

/// A named set: tools of its own, and other sets that it includes.
///
/// ```
/// use hermes_tools::Toolset;
///
/// let set = Toolset::new("For reviews").with_tools(["read_file"]).with_includes(["web"]);
/// assert_eq!(set.includes, ["web"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Toolset {
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// Names of tools, whether or not they are registered.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Names of other toolsets.
    #[serde(default)]
    pub includes: Vec<String>,
    /// Whether it is a way to work rather than a group of tools. Disabling it takes away what it
    /// adds to the core tools, as for a platform's preset, and not the core tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub posture: bool,
}

impl Toolset {
    /// An empty set.
    pub fn new(description: impl Into<String>) -> Toolset {
        Toolset {
            description: description.into(),
            ..Toolset::default()
        }
    }

    /// Adds tools of its own.
    #[must_use]
    pub fn with_tools<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Toolset {
        self.tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Includes other sets.
    #[must_use]
    pub fn with_includes<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Toolset {
        self.includes.extend(names.into_iter().map(Into::into));
        self
    }
}

/// Which toolsets are presets: the core tools, and what a platform or a way to work adds to them.
///
/// A preset that is disabled takes only its additions away. Without this, disabling one platform
/// would leave nothing to any other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Presets {
    /// How the names of presets begin; with an empty text none is one by its name.
    pub prefix: String,
    /// The tools that presets share.
    pub core: BTreeSet<String>,
}
