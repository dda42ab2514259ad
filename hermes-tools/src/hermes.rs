//! What Hermes itself has: its toolsets, old names of them, and the patches of its definitions.
//!
//! All of it is data for a [`Registry`]; nothing else in this crate knows a tool by name. The sets
//! are those of Hermes 0.19.
//!
//! ```
//! use hermes_tools::hermes;
//!
//! let (name, set) = hermes::catalogue().find(|(name, _)| name == "web").unwrap();
//! assert_eq!(set.tools, ["web_search", "web_extract"]);
//! ```

mod patches;
mod tools;
mod toolsets;

use crate::patch::Patch;
use crate::registry::Registry;
use crate::toolset::{Presets, Toolset};

pub use tools::CORE_TOOLS;

/// How the names of the presets of platforms begin.
pub const PRESET_PREFIX: &str = "hermes-";

/// The tools that the embedding loop runs: see [`AgentLoop`](crate::AgentLoop).
pub const AGENT_LOOP_TOOLS: &[&str] = &["todo", "memory", "session_search", "delegate_task"];

/// The tools that a script of `execute_code` can call.
pub const SANDBOX_TOOLS: &[&str] = &[
    "web_search",
    "web_extract",
    "read_file",
    "write_file",
    "search_files",
    "patch",
    "terminal",
];

/// Names that toolsets had long ago and that configurations may still have, with their tools.
pub const LEGACY_TOOLSETS: &[(&str, &[&str])] = toolsets::LEGACY;

/// The toolsets, by name.
pub fn catalogue() -> impl Iterator<Item = (String, Toolset)> {
    toolsets::ROWS
        .iter()
        .map(|row| (row.name.to_owned(), row.toolset()))
}

/// The patches: `execute_code` documents only the tools that a script can reach, and
/// `browser_navigate` does not advise tools that are not offered.
pub fn patches() -> Vec<Patch> {
    vec![
        Patch::new("execute_code", patches::execute_code),
        Patch::new("browser_navigate", patches::browser_navigate),
    ]
}

impl Registry {
    /// A registry of its own with all that [`hermes`](crate::hermes) has, and without tools.
    pub fn hermes() -> Registry {
        let registry = Registry::new();
        let defined = registry.define_toolsets(catalogue());
        debug_assert!(defined.is_ok(), "{defined:?}");
        registry.define_legacy_toolsets(LEGACY_TOOLSETS.iter().map(|(name, tools)| {
            let tools = tools.iter().map(|tool| (*tool).to_owned());
            ((*name).to_owned(), tools.collect())
        }));
        registry.set_presets(Presets {
            prefix: PRESET_PREFIX.to_owned(),
            core: CORE_TOOLS.iter().map(|tool| (*tool).to_owned()).collect(),
        });
        for patch in patches() {
            registry.add_patch(patch);
        }
        registry
    }
}
