//! What there is to tell of one toolset.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Toolset;
use crate::snapshot::Snapshot;
use crate::source::ToolSource;

/// What there is to tell of one toolset; as JSON in Hermes' own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolsetInfo {
    /// The name that was asked for.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its own tools: listed, and registered in it.
    #[serde(rename = "direct_tools")]
    pub tools: Vec<String>,
    /// The toolsets that it includes.
    pub includes: Vec<String>,
    /// All its tools.
    #[serde(rename = "resolved_tools")]
    pub resolved: BTreeSet<String>,
    /// How many tools it has in all.
    pub tool_count: usize,
    /// Whether it includes other toolsets.
    pub is_composite: bool,
}

impl Snapshot {
    /// The toolset of this name, with the tools that are registered in it among its own. What
    /// plugins and servers made by registering tools is described as what it is.
    ///
    /// `None` for a name nobody knows, and for `all` and `*`, which are no toolset of their own.
    pub fn toolset(&self, name: &str) -> Option<Toolset> {
        let canonical = self.canonical(name);
        let registered = self.names_in_toolset(canonical);
        let defined = self.toolsets.get(canonical);
        if defined.is_none() && registered.is_empty() && !self.aliases.contains_key(name) {
            return None;
        }
        let own = defined.into_iter().flat_map(|set| &set.tools);
        let tools: BTreeSet<&str> = own.map(String::as_str).chain(registered).collect();
        let tools = tools.into_iter().map(str::to_owned).collect();
        Some(match defined {
            Some(set) => Toolset {
                tools,
                ..set.clone()
            },
            None => Toolset::new(self.describe_registered(name)).with_tools::<String>(tools),
        })
    }

    /// All there is to tell of the toolset of this name.
    ///
    /// ```
    /// use hermes_tools::Registry;
    ///
    /// let snapshot = Registry::hermes().snapshot();
    /// let debugging = snapshot.toolset_info("debugging").unwrap();
    /// assert_eq!(debugging.includes, ["web", "file"]);
    /// assert!(debugging.resolved.contains("read_file"));
    /// ```
    pub fn toolset_info(&self, name: &str) -> Option<ToolsetInfo> {
        let set = self.toolset(name)?;
        let resolved = self.resolve_toolset(name).tools;
        Some(ToolsetInfo {
            name: name.to_owned(),
            description: set.description,
            tools: set.tools,
            tool_count: resolved.len(),
            resolved,
            is_composite: !set.includes.is_empty(),
            includes: set.includes,
        })
    }

    /// An alias is the name of a server, which is what people know its toolset by.
    fn describe_registered(&self, name: &str) -> String {
        let target = self.canonical(name);
        let alias = if target == name {
            let mut pairs = self.aliases.iter();
            pairs
                .find(|(_, to)| to.target == name)
                .map(|(alias, _)| &**alias)
        } else {
            Some(name)
        };
        let is_servers = self
            .tools
            .values()
            .any(|tool| tool.toolset() == target && matches!(tool.source(), ToolSource::Mcp(_)));
        match alias {
            Some(server) if is_servers => format!("MCP server '{server}' tools"),
            _ => format!("Plugin toolset: {target}"),
        }
    }
}
