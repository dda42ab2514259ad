//! Why a tool is offered or not, for the person who misses it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::check::Check;
use crate::definitions::Definitions;
use crate::near::nearest;
use crate::registry::Registry;
use crate::resolve::Resolver;
use crate::selection::Selection;
use crate::snapshot::Snapshot;
use crate::toolset::ToolsetNames;
use crate::warning::{Role, write_list, write_near};

/// Why a tool is not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Absence {
    /// No enabled toolset has it.
    NotEnabled {
        /// The toolsets that have it as their own.
        toolsets: ToolsetNames,
    },
    /// It was enabled, and then taken away.
    Disabled {
        /// The disabled toolsets that it is in.
        by: Vec<String>,
    },
    /// Its check says that it cannot be used now.
    Unavailable {
        /// What the check said.
        #[serde(rename = "message")]
        reason: String,
        /// The environment variables that it needs and that are not set.
        missing_env: Vec<String>,
    },
    /// A patch left it out.
    PatchedOut,
    /// A toolset lists it, but nobody has registered it.
    Unregistered {
        /// The toolsets that list it.
        toolsets: ToolsetNames,
    },
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absence::NotEnabled { toolsets } => {
                f.write_str("no enabled toolset has it; enable ")?;
                write_some(f, toolsets, "or")
            }
            Absence::Disabled { by } => {
                f.write_str("it is in ")?;
                write_list(f, by.iter().map(String::as_str), "and")?;
                f.write_str(match by.len() {
                    1 => ", which is disabled",
                    _ => ", which are disabled",
                })
            }
            Absence::Unavailable {
                reason,
                missing_env,
            } => {
                write!(f, "it cannot be used now: {}", reason.trim_end_matches('.'))?;
                if missing_env.is_empty() {
                    return Ok(());
                }
                write!(f, "; set {}", missing_env.join(" and "))
            }
            Absence::PatchedOut => {
                f.write_str("it makes no sense with the other tools that are offered")
            }
            Absence::Unregistered { toolsets } => {
                f.write_str("nothing has registered it, though it is listed in ")?;
                write_some(f, toolsets, "and")
            }
        }
    }
}

/// The names, or the first three and how many more there are.
fn write_some(f: &mut fmt::Formatter<'_>, names: &ToolsetNames, joint: &str) -> fmt::Result {
    let more = names.len().saturating_sub(3);
    if more < 2 {
        return write_list(f, names.iter(), joint);
    }
    for (at, name) in names.iter().take(3).enumerate() {
        let gap = if at == 0 { "" } else { ", " };
        write!(f, "{gap}{name:?}")?;
    }
    write!(f, " {joint} {more} more")
}

/// A tool that is registered and not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The tool.
    #[serde(serialize_with = "as_text")]
    pub tool: Arc<str>,
    /// Why it is not offered.
    #[serde(flatten)]
    pub why: Absence,
}

fn as_text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not offered: {}", self.tool, self.why)
    }
}

/// What there is to say of a tool under a selection, in one or two sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "presence", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Presence {
    /// The model is given it.
    Offered {
        /// The tool.
        tool: String,
    },
    /// It is not.
    Absent {
        /// The tool.
        tool: String,
        /// Why.
        #[serde(flatten)]
        why: Absence,
    },
    /// No tool has this name, and no toolset lists it.
    Unknown {
        /// The name.
        tool: String,
        /// Names that were perhaps meant, the nearest first.
        near: Vec<String>,
        /// Whether tools are still being looked for, so that it may yet come.
        discovering: bool,
    },
}

impl Presence {
    /// Whether the model is given the tool.
    pub fn is_offered(&self) -> bool {
        matches!(self, Presence::Offered { .. })
    }
}

impl fmt::Display for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Presence::Offered { tool } => write!(f, "{tool:?} is offered."),
            Presence::Absent { tool, why } => write!(f, "{tool:?} is not offered: {why}."),
            Presence::Unknown {
                tool,
                near,
                discovering,
            } => {
                write!(f, "there is no tool {tool:?}")?;
                if *discovering {
                    f.write_str(" yet, but tools are still being looked for")?;
                }
                write_near(f, near)?;
                if near.is_empty() {
                    f.write_str(".")?;
                }
                Ok(())
            }
        }
    }
}

/// A tool that cannot be used now, whatever is selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unavailable {
    /// The tool.
    pub tool: String,
    /// The toolset that it was registered in.
    pub toolset: String,
    /// The environment variables that it needs and that are not set.
    pub missing_env: Vec<String>,
    /// What the check said.
    pub reason: String,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = Absence::Unavailable {
            reason: self.reason.clone(),
            missing_env: self.missing_env.clone(),
        };
        write!(f, "{:?} ({}): {why}", self.tool, self.toolset)
    }
}

/// What stands for a reason when a check gave none.
pub(crate) const NO_REASON: &str = "its check says no";

/// Those of the variables that are not set, or set to nothing.
pub(crate) fn missing_env(names: &[String]) -> Vec<String> {
    let unset = |name: &&String| std::env::var_os(name).is_none_or(|value| value.is_empty());
    names.iter().filter(unset).cloned().collect()
}

impl Registry {
    /// Why a tool is offered under this selection, or not.
    ///
    /// ```
    /// use hermes_tools::{Registry, Selection, Tool};
    ///
    /// let registry = Registry::hermes();
    /// registry.register(Tool::new("read_file", "file").handler(|_, _| Ok("")))?;
    /// let web = Selection::of(["web"]);
    /// assert_eq!(
    ///     registry.why(&web, "read_file").to_string(),
    ///     r#""read_file" is not offered: no enabled toolset has it; enable "file", "coding", "hermes-acp" or 21 more."#,
    /// );
    /// assert_eq!(
    ///     registry.why(&web, "reed_file").to_string(),
    ///     r#"there is no tool "reed_file"; did you mean "read_file"?"#,
    /// );
    /// # Ok::<(), hermes_tools::Error>(())
    /// ```
    pub fn why(&self, selection: &Selection, tool: &str) -> Presence {
        let (snapshot, definitions) = self.definitions_and_snapshot(selection);
        presence(&snapshot, &definitions, tool)
    }

    /// Whether at least one tool of the toolset and of what it includes can be used now. `false`
    /// for a name nobody knows.
    pub fn is_toolset_available(&self, name: &str) -> bool {
        let snapshot = self.snapshot();
        let mut tools = HashSet::new();
        Resolver::new(&snapshot).collect(name, &Role::Enabled, &mut tools);
        let mut checks: Vec<Check> = Vec::new();
        for tool in tools.into_iter().filter_map(|tool| snapshot.get(tool)) {
            match tool.check() {
                None => return true,
                Some(check) => checks.push(check.clone()),
            }
        }
        let verdicts = self.ask(&snapshot, checks.iter().cloned());
        checks.iter().any(|check| verdicts.get(check).available)
    }

    /// Toolset → whether at least one tool that is registered in it can be used now.
    pub fn available_toolsets(&self) -> BTreeMap<String, bool> {
        let snapshot = self.snapshot();
        let verdicts = self.ask(&snapshot, all_checks(&snapshot));
        let mut available = BTreeMap::new();
        for tool in snapshot.tools() {
            let usable = |check| verdicts.get(check).available;
            let toolset = available.entry(tool.toolset().to_owned()).or_insert(false);
            *toolset = *toolset || tool.check().is_none_or(usable);
        }
        available
    }

    /// The tools that cannot be used now, by name, and why.
    pub fn unavailable(&self) -> Vec<Unavailable> {
        let snapshot = self.snapshot();
        let verdicts = self.ask(&snapshot, all_checks(&snapshot));
        let mut unavailable = Vec::new();
        for tool in snapshot.tools() {
            let Some(check) = tool.check() else { continue };
            let verdict = verdicts.get(check);
            if !verdict.available {
                unavailable.push(Unavailable {
                    tool: tool.name().to_owned(),
                    toolset: tool.toolset().to_owned(),
                    missing_env: missing_env(tool.requires_env()),
                    reason: verdict.reason.unwrap_or_else(|| NO_REASON.to_owned()),
                });
            }
        }
        unavailable
    }

    /// Forgets what checks said: the next definitions ask them again.
    pub fn invalidate_checks(&self) {
        self.availability().invalidate();
    }
}

fn all_checks(snapshot: &Snapshot) -> impl Iterator<Item = Check> {
    let checks = snapshot.tools().filter_map(|tool| tool.check());
    checks.cloned()
}

fn presence(snapshot: &Snapshot, definitions: &Definitions, tool: &str) -> Presence {
    if definitions.contains(tool) {
        return Presence::Offered {
            tool: tool.to_owned(),
        };
    }
    let unregistered = || {
        let toolsets = snapshot.toolsets.listing(tool)?.clone();
        Some(Absence::Unregistered { toolsets })
    };
    match definitions.absence(tool).cloned().or_else(unregistered) {
        Some(why) => Presence::Absent {
            tool: tool.to_owned(),
            why,
        },
        None => {
            let listed = snapshot.toolsets.listed_tools().map(AsRef::as_ref);
            let names: BTreeSet<&str> = snapshot.names().chain(listed).collect();
            let near = nearest(tool, names.into_iter());
            Presence::Unknown {
                tool: tool.to_owned(),
                near: near.into_iter().map(str::to_owned).collect(),
                discovering: snapshot.is_discovering(),
            }
        }
    }
}
