//! Registering and removing tools for one source.

use std::sync::Arc;

use crate::entry::ToolEntry;
use crate::error::{Error, Result};
use crate::registry::{Change, Registry};
use crate::snapshot::Snapshot;
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
        self.registry.change(|state| {
            let Some(holder) = state.tools.get(entry.name()) else {
                state
                    .tools
                    .insert(Arc::clone(entry.shared_name()), Arc::clone(&entry));
                return Ok(Change::Made(Registered::New));
            };
            if entry.is_fallback() && !holder.is_fallback() {
                return Ok(Change::None(Registered::Skipped));
            }
            self.may_replace(holder, &entry)?;
            let replaced = Registered::Replaced {
                source: holder.source().clone(),
                toolset: holder.toolset().to_owned(),
            };
            let left = holder.toolset().to_owned();
            state
                .tools
                .insert(Arc::clone(entry.shared_name()), Arc::clone(&entry));
            drop_orphaned_aliases(state, &left);
            Ok(Change::Made(replaced))
        })
    }

    /// Whether this source may put the one in place of the other, which is logged.
    fn may_replace(&self, holder: &ToolEntry, entry: &ToolEntry) -> Result<()> {
        let own = *holder.source() == self.source;
        if (own && holder.toolset() == entry.toolset()) || holder.is_fallback() {
            return Ok(());
        }
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
            let toolset = holder.toolset().to_owned();
            state.tools.remove(name);
            drop_orphaned_aliases(state, &toolset);
            Ok(Change::Made(true))
        })
    }

    /// Removes all tools of this source, and says how many: a server has gone.
    pub fn deregister_all(&self) -> usize {
        self.registry.infallible(|state| {
            let mine: Vec<Arc<ToolEntry>> = state
                .tools
                .values()
                .filter(|tool| *tool.source() == self.source)
                .cloned()
                .collect();
            for tool in &mine {
                state.tools.remove(tool.name());
                drop_orphaned_aliases(state, tool.toolset());
            }
            match mine.len() {
                0 => Change::None(0),
                removed => Change::Made(removed),
            }
        })
    }
}

/// Aliases of a toolset go with its last tool, unless the toolset is defined by name.
fn drop_orphaned_aliases(state: &mut Snapshot, toolset: &str) {
    let lives = state.toolsets.contains(toolset) || !state.names_in_toolset(toolset).is_empty();
    if !lives {
        state.aliases.retain(|_, target| target != toolset);
    }
}
