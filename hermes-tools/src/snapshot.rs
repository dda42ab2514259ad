//! What the registry holds at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::carry::Carries;
use crate::entry::{DEFAULT_EMOJI, ToolEntry};
use crate::patch::Patch;
use crate::problem::Problem;
use crate::source::ToolSource;
use crate::toolset::ToolsetTable;

/// What a further name of a toolset stands for, and who said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) target: String,
    pub(crate) source: ToolSource,
}

/// Everything a registry holds, as of one generation. It never changes, so that one look at it is
/// consistent however long it takes.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub(crate) generation: u64,
    pub(crate) tools: BTreeMap<Arc<str>, Arc<ToolEntry>>,
    pub(crate) aliases: BTreeMap<String, Alias>,
    /// The catalogue and what was defined at run time.
    pub(crate) toolsets: Arc<ToolsetTable>,
    pub(crate) patches: Arc<Vec<Patch>>,
    pub(crate) problems: Arc<Vec<Problem>>,
    /// What checks take along to the threads that they run on.
    pub(crate) carries: Arc<Carries>,
    /// How many discoveries are under way: until they end, a name nobody knows may yet be known.
    pub(crate) discoveries: usize,
}

impl Snapshot {
    /// Rises with every change of the registry.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        self.tools.get(name)
    }

    /// All tools, by name.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &Arc<ToolEntry>> {
        self.tools.values()
    }

    /// The names of all tools, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tools.keys().map(AsRef::as_ref)
    }

    /// Tool → the toolset that it was registered in.
    pub fn tool_to_toolset(&self) -> BTreeMap<&str, &str> {
        let tools = self.tools.values();
        tools.map(|tool| (tool.name(), tool.toolset())).collect()
    }

    /// The toolset that the tool of this name was registered in.
    pub fn toolset_of(&self, tool: &str) -> Option<&str> {
        self.get(tool).map(|tool| tool.toolset())
    }

    /// The sign that a progress display shows for the tool of this name, known or not.
    pub fn emoji(&self, tool: &str) -> &str {
        self.get(tool).map_or(DEFAULT_EMOJI, |tool| tool.emoji())
    }

    /// The toolsets that tools were registered in, whether or not they are defined.
    pub fn registered_toolsets(&self) -> BTreeSet<&str> {
        self.tools.values().map(|tool| tool.toolset()).collect()
    }

    /// The names of the tools that were registered in this toolset, or the one it is an alias of.
    pub fn names_in_toolset(&self, toolset: &str) -> BTreeSet<&str> {
        let toolset = self.canonical(toolset);
        self.tools
            .values()
            .filter(|tool| self.canonical(tool.toolset()) == toolset)
            .map(|tool| tool.name())
            .collect()
    }

    /// The toolset that an alias stands for; any other name as it is.
    pub fn canonical<'a>(&'a self, name: &'a str) -> &'a str {
        self.alias_chain(name).last().unwrap_or(name)
    }

    /// The name, and what it stands for, and what that stands for. No alias leads back to itself:
    /// [`Registrar`](crate::Registrar) sees to it.
    pub(crate) fn alias_chain<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        std::iter::successors(Some(name), move |name| {
            let alias = self.aliases.get(*name)?;
            (alias.target != *name).then_some(alias.target.as_str())
        })
    }

    /// Alias → toolset, of the aliases that were registered.
    pub fn aliases(&self) -> BTreeMap<&str, &str> {
        let aliases = self.aliases.iter();
        aliases
            .map(|(alias, to)| (alias.as_str(), to.target.as_str()))
            .collect()
    }

    /// What was left out when each source was last asked: tools whose set-up failed or that were
    /// refused, sources that gave none.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether tools are still being looked for, so that a name nobody knows may yet be known.
    pub fn is_discovering(&self) -> bool {
        self.discoveries > 0
    }
}
