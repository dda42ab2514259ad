//! Who registers a tool, and what happens when its name is taken.

use std::fmt;

/// Who registered a tool. Only the same source can remove it again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ToolSource {
    /// The program itself.
    Builtin,
    /// The plugin of this id.
    Plugin(String),
    /// The MCP server of this name.
    Mcp(String),
}

impl fmt::Display for ToolSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolSource::Builtin => f.write_str("the program"),
            ToolSource::Plugin(id) => write!(f, "plugin {id:?}"),
            ToolSource::Mcp(server) => write!(f, "MCP server {server:?}"),
        }
    }
}

/// What a source may do to a tool that another source, or another toolset, holds the name of.
///
/// A source that registers a name of its own again in the same toolset replaces it under every
/// policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Collision {
    /// The later one wins, and a warning is logged.
    #[default]
    Warn,
    /// The holder stays, and registering is an error. One MCP server may replace what another one
    /// registered, with a warning.
    Reject,
    /// The later one wins, which is logged at info: for those who asked for it.
    Override,
}

pub(crate) fn as_text<S: serde::Serializer>(
    source: &ToolSource,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(source)
}
