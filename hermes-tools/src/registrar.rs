//! Registering and removing tools for one source.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::entry::ToolEntry;
use crate::error::{Error, Result};
use crate::name::check_toolset_name;
use crate::registry::{Change, Registry};
use crate::snapshot::{Alias, Snapshot};
use crate::source::{Collision, ToolSource};
use crate::tool::Tool;

/// What became of a tool that was registered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Registered {
    /// The name was free.
    New,
    /// It took the place of a tool.
    Replaced {
        /// Who had registered that.
        source: ToolSource,
        /// In which toolset.
        toolset: String,
    },
    /// It is a [fallback](Tool::fallback), and the name is taken: nothing was changed.
    Skipped,
}

/// Registers and removes tools for one source: see [`Registry::source`].
#[derive(Debug, Clone)]
pub struct Registrar {
    registry: Registry,
    source: ToolSource,
    collision: Collision,
}

impl Registrar {
    pub(crate) fn new(registry: Registry, source: ToolSource) -> Registrar {
        Registrar {
            registry,
            source,
            collision: Collision::default(),
        }
    }

    /// Registers under this policy.
    #[must_use]
    pub fn collision(mut self, collision: Collision) -> Registrar {
        self.collision = collision;
        self
    }

    /// Who registers.
    pub fn source(&self) -> &ToolSource {
        &self.source
    }

    /// Registers a tool. On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::InvalidName`], [`Error::InvalidSchema`], [`Error::NoHandler`] for the tool;
    /// [`Error::Collision`] if its name is taken and the policy is [`Collision::Reject`].
    pub fn register(&self, tool: Tool) -> Result<Registered> {
        let entry = Arc::new(ToolEntry::new(tool, self.source.clone())?);
        self.registry.change(|state| self.put(state, &entry))
    }

    /// Registers many tools in one step, which readers see as one. What is wrong with one of them
    /// leaves that one out; the results are in their order.
    pub fn register_all(&self, tools: impl IntoIterator<Item = Tool>) -> Vec<Result<Registered>> {
        // Foreign code and the checks of schemas come before any lock.
        let entries: Vec<Result<Arc<ToolEntry>>> = tools
            .into_iter()
            .map(|tool| ToolEntry::new(tool, self.source.clone()).map(Arc::new))
            .collect();
        self.registry.infallible(|state| {
            let mut changed = false;
            let results = entries
                .iter()
                .map(
                    |entry| match self.put(state, entry.as_ref().map_err(Clone::clone)?)? {
                        Change::Made(registered) => {
                            changed = true;
                            Ok(registered)
                        }
                        Change::None(registered) => Ok(registered),
                    },
                )
                .collect();
            Change::when(changed, results)
        })
    }

    fn put(&self, state: &mut Snapshot, entry: &Arc<ToolEntry>) -> Result<Change<Registered>> {
        let name = Arc::clone(entry.shared_name());
        let Some(holder) = state.tools.get(entry.name()).cloned() else {
            state.tools.insert(name, Arc::clone(entry));
            return Ok(Change::Made(Registered::New));
        };
        let own = *holder.source() == self.source;
        if entry.is_fallback() && !(own && holder.is_fallback()) {
            return Ok(Change::None(Registered::Skipped));
        }
        let gives_way = own && (holder.is_fallback() || holder.toolset() == entry.toolset());
        if !gives_way {
            self.may_replace(&holder, entry)?;
        }
        state.tools.insert(name, Arc::clone(entry));
        drop_orphaned_aliases(state, [holder.toolset()]);
        Ok(Change::Made(Registered::Replaced {
            source: holder.source().clone(),
            toolset: holder.toolset().to_owned(),
        }))
    }

    /// Whether the policy lets the one take the place of the other, which is logged.
    fn may_replace(&self, holder: &ToolEntry, entry: &ToolEntry) -> Result<()> {
        let both_mcp = matches!(
            (holder.source(), &self.source),
            (ToolSource::Mcp(_), ToolSource::Mcp(_))
        );
        match self.collision {
            Collision::Reject if !both_mcp => {
                tracing::error!(
                    tool = entry.name(), toolset = entry.toolset(), source = %self.source,
                    holder = %holder.source(), held_in = holder.toolset(),
                    "refused a tool whose name is taken"
                );
                return Err(Error::Collision {
                    tool: entry.name().to_owned(),
                    holder: holder.source().clone(),
                    toolset: holder.toolset().to_owned(),
                });
            }
            Collision::Override => tracing::info!(
                tool = entry.name(), toolset = entry.toolset(), source = %self.source,
                holder = %holder.source(), held_in = holder.toolset(),
                "a tool takes the place of another, as asked"
            ),
            Collision::Warn | Collision::Reject => tracing::warn!(
                tool = entry.name(), toolset = entry.toolset(), source = %self.source,
                holder = %holder.source(), held_in = holder.toolset(),
                "a tool takes the place of another"
            ),
        }
        Ok(())
    }

    /// Removes a tool of this source. `false` if there is none of this name.
    ///
    /// # Errors
    /// [`Error::NotYours`] if another source registered it.
    pub fn deregister(&self, name: &str) -> Result<bool> {
        self.registry.change(|state| {
            let Some(holder) = state.tools.get(name) else {
                return Ok(Change::None(false));
            };
            if *holder.source() != self.source {
                return Err(Error::NotYours {
                    tool: name.to_owned(),
                    holder: holder.source().clone(),
                });
            }
            let removed = state.tools.remove(name);
            drop_orphaned_aliases(state, removed.iter().map(|tool| tool.toolset()));
            Ok(Change::Made(true))
        })
    }

    /// Removes all tools and aliases of this source, and says how many tools: a server has gone.
    pub fn deregister_all(&self) -> usize {
        self.registry.infallible(|state| {
            let mut removed = Vec::new();
            state.tools.retain(|_, tool| {
                let mine = *tool.source() == self.source;
                if mine {
                    removed.push(Arc::clone(tool));
                }
                !mine
            });
            let aliases = state.aliases.len();
            state.aliases.retain(|_, alias| alias.source != self.source);
            let changed = !removed.is_empty() || state.aliases.len() != aliases;
            drop_orphaned_aliases(state, removed.iter().map(|tool| tool.toolset()));
            Change::when(changed, removed.len())
        })
    }

    /// Lets a name stand for a toolset. An alias goes with the last tool of its toolset, with
    /// [`deregister_all`](Registrar::deregister_all), and when its source
    /// [removes](Registrar::remove_toolset_alias) it.
    ///
    /// # Errors
    /// [`Error::InvalidName`]; [`Error::ToolsetExists`] if the name is that of another toolset, an
    /// old name of one, or an alias of another source; [`Error::AliasCycle`].
    pub fn register_toolset_alias(&self, alias: &str, toolset: &str) -> Result<()> {
        check_toolset_name(alias)?;
        check_toolset_name(toolset)?;
        self.registry.change(|state| {
            let taken = match state.aliases.get(alias) {
                Some(held) => held.source != self.source,
                None => {
                    state.toolsets.legacy(alias).is_some()
                        || alias != toolset
                            && (state.toolsets.contains(alias)
                                || state.tools.values().any(|tool| tool.toolset() == alias))
                }
            };
            if taken {
                return Err(Error::ToolsetExists {
                    name: alias.to_owned(),
                });
            }
            if alias != toolset && state.alias_chain(toolset).any(|name| name == alias) {
                return Err(Error::AliasCycle {
                    alias: alias.to_owned(),
                    toolset: toolset.to_owned(),
                });
            }
            let new = Alias {
                target: toolset.to_owned(),
                source: self.source.clone(),
            };
            let changed = state.aliases.get(alias) != Some(&new);
            state.aliases.insert(alias.to_owned(), new);
            Ok(Change::when(changed, ()))
        })
    }

    /// Removes an alias of this source. `false` if it has none of this name.
    pub fn remove_toolset_alias(&self, alias: &str) -> bool {
        self.registry.infallible(|state| {
            let mine = state
                .aliases
                .get(alias)
                .is_some_and(|held| held.source == self.source);
            if mine {
                state.aliases.remove(alias);
            }
            Change::when(mine, mine)
        })
    }
}

/// Aliases of toolsets go with the last tool of them, unless they are defined by name.
fn drop_orphaned_aliases<'a>(state: &mut Snapshot, left: impl IntoIterator<Item = &'a str>) {
    if state.aliases.is_empty() {
        return;
    }
    let mut orphans: BTreeSet<&str> = left.into_iter().collect();
    orphans.retain(|toolset| !state.toolsets.contains(toolset));
    for tool in state.tools.values() {
        orphans.remove(state.canonical(tool.toolset()));
    }
    state
        .aliases
        .retain(|_, alias| !orphans.contains(alias.target.as_str()));
}
