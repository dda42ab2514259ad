//! What went wrong with a selection or a definition without stopping anything.

use std::fmt;

use serde::Serialize;

/// Where a name of a toolset was found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// It was asked for.
    Enabled,
    /// It was to be left out.
    Disabled,
    /// This toolset includes it.
    IncludedBy(String),
    /// This alias stands for it.
    AliasedBy(String),
}

/// Something that a person should hear of. Nothing that is warned of ever adds a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// No toolset has this name: it stands for no tools.
    UnknownToolset {
        /// The name, byte for byte.
        name: String,
        /// Where it was found.
        role: Role,
        /// Names that were perhaps meant, the nearest first.
        near: Vec<String>,
    },
    /// No toolset has this name yet, and tools are still being looked for.
    NotYetKnown {
        /// The name, byte for byte.
        name: String,
        /// Where it was found.
        role: Role,
    },
    /// A tool's check failed, but said yes a short time ago: the tool is still offered.
    CheckFlaked {
        /// The tool.
        tool: String,
        /// What the check said.
        reason: String,
    },
    /// The function that adapts a tool's schema failed: the model gets the schema without it.
    DynamicSchemaFailed {
        /// The tool.
        tool: String,
        /// What went wrong.
        message: String,
    },
    /// A patch failed: the model gets the definition without it.
    PatchFailed {
        /// The tool.
        tool: String,
        /// What went wrong.
        message: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::UnknownToolset { name, role, near } => {
                write!(f, "there is no toolset {name:?}")?;
                write_role(f, role)?;
                write_near(f, near)
            }
            Warning::NotYetKnown { name, role } => {
                write!(f, "there is no toolset {name:?} yet")?;
                write_role(f, role)?;
                f.write_str("; tools are still being looked for")
            }
            Warning::CheckFlaked { tool, reason } => write!(
                f,
                "{tool:?} is still offered, though its check has just failed: {reason}"
            ),
            Warning::DynamicSchemaFailed { tool, message } => write!(
                f,
                "the schema of {tool:?} could not be adapted, and is used as registered: {message}"
            ),
            Warning::PatchFailed { tool, message } => write!(
                f,
                "a patch of {tool:?} failed, and its definition is used without: {message}"
            ),
        }
    }
}

fn write_role(f: &mut fmt::Formatter<'_>, role: &Role) -> fmt::Result {
    match role {
        Role::Enabled => Ok(()),
        Role::Disabled => f.write_str(", so nothing is disabled by it"),
        Role::IncludedBy(set) => write!(f, ", which {set:?} includes"),
        Role::AliasedBy(alias) => write!(f, ", which {alias:?} stands for"),
    }
}

/// `; did you mean "a", "b" or "c"?`
pub(crate) fn write_near(f: &mut fmt::Formatter<'_>, near: &[String]) -> fmt::Result {
    if near.is_empty() {
        return Ok(());
    }
    f.write_str("; did you mean ")?;
    write_list(f, near.iter().map(String::as_str), "or")?;
    f.write_str("?")
}

/// `"a", "b" or "c"`
pub(crate) fn write_list<'a>(
    f: &mut fmt::Formatter<'_>,
    names: impl ExactSizeIterator<Item = &'a str>,
    joint: &str,
) -> fmt::Result {
    let count = names.len();
    for (at, name) in names.enumerate() {
        match at {
            0 => {}
            _ if at + 1 == count => write!(f, " {joint} ")?,
            _ => f.write_str(", ")?,
        }
        write!(f, "{name:?}")?;
    }
    Ok(())
}
