//! What can go wrong while tools are registered and sets are defined.

use crate::source::ToolSource;

/// What every fallible function of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was refused, and what to do about it.
///
/// Calls never give this type: a model that asks for a tool gets a
/// [`ToolResult`](crate::ToolResult) whatever happens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name of a tool or toolset that models and backends cannot use.
    #[error("{name:?} cannot be the name of a {kind}: {problem}; use for instance {suggestion:?}")]
    InvalidName {
        /// `tool` or `toolset`.
        kind: &'static str,
        /// The name, cut when it is long.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
        /// The nearest name that would do.
        suggestion: String,
    },
    /// A schema that cannot be given to a model.
    #[error("the schema of {tool:?} cannot be used: {problem}")]
    InvalidSchema {
        /// The tool.
        tool: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The tool was built without anything to run.
    #[error("{tool:?} has no handler; give it one, or mark it with `agent_loop()`")]
    NoHandler {
        /// The tool.
        tool: String,
    },
    /// The name is taken, and the policy of the source does not allow to replace its holder.
    #[error(
        "{tool:?} is already registered by {holder} in toolset {toolset:?}; choose another name, or register with `Collision::Override`"
    )]
    Collision {
        /// The name.
        tool: String,
        /// Who holds it.
        holder: ToolSource,
        /// In which toolset.
        toolset: String,
    },
    /// A source asked to remove a tool that another source registered.
    #[error("{tool:?} belongs to {holder}; only the source that registered a tool can remove it")]
    NotYours {
        /// The name.
        tool: String,
        /// Who registered it.
        holder: ToolSource,
    },
    /// An alias or a custom toolset would take the name of a toolset, alias or old name that is
    /// there.
    #[error("{name:?} is already the name of a toolset; choose another name")]
    ToolsetExists {
        /// The name.
        name: String,
    },
    /// An alias would stand for itself, by way of others.
    #[error(
        "{alias:?} would stand for {toolset:?}, which stands for {alias:?}; name the toolset itself"
    )]
    AliasCycle {
        /// The alias.
        alias: String,
        /// What it was to stand for.
        toolset: String,
    },
}

impl Error {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::InvalidName { .. } => "invalid_name",
            Error::InvalidSchema { .. } => "invalid_schema",
            Error::NoHandler { .. } => "no_handler",
            Error::Collision { .. } => "collision",
            Error::NotYours { .. } => "not_yours",
            Error::ToolsetExists { .. } => "toolset_exists",
            Error::AliasCycle { .. } => "alias_cycle",
        }
    }
}
