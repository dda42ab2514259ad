//! The registry: tools come and go, readers see one state at a time.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use arc_swap::ArcSwap;

use crate::availability::Availability;
use crate::carry::{Carries, Carry};
use crate::contain::contain;
use crate::entry::ToolEntry;
use crate::error::{Error, Result};
use crate::memo::Memo;
use crate::name::check_toolset_name;
use crate::patch::Patch;
use crate::problem::Problem;
use crate::registrar::{Registered, Registrar};
use crate::snapshot::Snapshot;
use crate::source::ToolSource;
use crate::tool::Tool;
use crate::toolset::{Presets, Toolset};

/// Holds tools and toolsets. Clones are one registry.
///
/// Reading takes no lock: a reader gets the [`Snapshot`] of the moment, and neither a handler nor a
/// check nor a change holds it up.
///
/// ```
/// use hermes_tools::{Registry, Tool};
///
/// let registry = Registry::new();
/// registry.register(Tool::new("ping", "net").handler(|_, _| Ok("pong")))?;
/// assert!(registry.snapshot().get("ping").is_some());
/// # Ok::<(), hermes_tools::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: ArcSwap<Snapshot>,
    /// Held while a change is made, never while anything foreign runs.
    writing: Mutex<()>,
    availability: Availability,
    memo: Memo,
}

/// What a change did to the state.
pub(crate) enum Change<T> {
    /// There is something new to publish.
    Made(T),
    /// All is as it was.
    None(T),
}

impl<T> Change<T> {
    pub(crate) fn when(changed: bool, given: T) -> Change<T> {
        if changed {
            Change::Made(given)
        } else {
            Change::None(given)
        }
    }
}

impl Registry {
    /// An empty registry of its own, without toolsets.
    pub fn new() -> Registry {
        Registry::default()
    }

    /// An empty registry that tells the age of what checks said by this clock: for tests of your
    /// own, which need not wait for 30 s to pass.
    ///
    /// How long a check may run is still real time. The clock must not panic, nor use the registry.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use std::sync::Arc;
    /// use std::time::{Duration, Instant};
    /// use hermes_tools::Registry;
    ///
    /// let (start, seconds) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    /// let clock = Arc::clone(&seconds);
    /// let registry = Registry::with_clock(move || {
    ///     start + Duration::from_secs(clock.load(Ordering::SeqCst))
    /// });
    /// // …register tools with checks, ask for them…
    /// seconds.store(31, Ordering::SeqCst);
    /// // …now their checks are asked again.
    /// # drop(registry);
    /// ```
    pub fn with_clock<F>(clock: F) -> Registry
    where
        F: Fn() -> Instant + Send + Sync + 'static,
    {
        Registry {
            inner: Arc::new(Inner {
                availability: Availability::with_clock(Arc::new(clock)),
                ..Inner::default()
            }),
        }
    }

    /// The process's own registry: the toolsets of Hermes, and every tool that was linked in with
    /// [`register_tool!`](crate::register_tool).
    pub fn global() -> &'static Registry {
        static GLOBAL: LazyLock<Registry> = LazyLock::new(|| {
            let registry = Registry::hermes();
            registry.register_builtins();
            registry
        });
        &GLOBAL
    }

    /// What the registry holds now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.inner.state.load_full()
    }

    /// Rises with every change, and only then.
    pub fn generation(&self) -> u64 {
        self.inner.state.load().generation
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<Arc<ToolEntry>> {
        self.inner.state.load().get(name).cloned()
    }

    /// Registers a tool of the program itself, under [`Collision::Warn`](crate::Collision::Warn).
    ///
    /// # Errors
    /// As [`Registrar::register`].
    pub fn register(&self, tool: Tool) -> Result<Registered> {
        self.source(ToolSource::Builtin).register(tool)
    }

    /// Removes a tool of the program itself.
    ///
    /// # Errors
    /// As [`Registrar::deregister`].
    pub fn deregister(&self, name: &str) -> Result<bool> {
        self.source(ToolSource::Builtin).deregister(name)
    }

    /// Registers and removes as this source, under [`Collision::Warn`](crate::Collision::Warn).
    pub fn source(&self, source: ToolSource) -> Registrar {
        Registrar::new(self.clone(), source)
    }

    /// Lets a name stand for a toolset, for the program itself.
    ///
    /// # Errors
    /// As [`Registrar::register_toolset_alias`].
    pub fn register_toolset_alias(&self, alias: &str, toolset: &str) -> Result<()> {
        self.source(ToolSource::Builtin)
            .register_toolset_alias(alias, toolset)
    }

    /// Defines a toolset, in place of an earlier one of this name.
    ///
    /// # Errors
    /// [`Error::InvalidName`] for the name, and [`Error::ToolsetExists`] if it is an alias.
    pub fn define_toolset(&self, name: &str, toolset: Toolset) -> Result<()> {
        self.define_toolsets([(name.to_owned(), toolset)])
    }

    /// Defines several toolsets in one step: a catalogue.
    ///
    /// # Errors
    /// As [`define_toolset`](Registry::define_toolset); then none of them is defined.
    pub fn define_toolsets(
        &self,
        toolsets: impl IntoIterator<Item = (String, Toolset)>,
    ) -> Result<()> {
        let toolsets: Vec<(String, Toolset)> = toolsets.into_iter().collect();
        for (name, _) in &toolsets {
            check_toolset_name(name)?;
        }
        self.change(|state| {
            let taken = |(name, _): &&(String, Toolset)| state.aliases.contains_key(name);
            if let Some((name, _)) = toolsets.iter().find(taken) {
                return Err(Error::ToolsetExists { name: name.clone() });
            }
            let changed = Arc::make_mut(&mut state.toolsets).define(toolsets);
            Ok(Change::when(changed, ()))
        })
    }

    /// Gives old names of toolsets that a [`Selection`](crate::Selection) may still have their
    /// tools. They are no toolsets otherwise, and a toolset of the same name goes before.
    pub fn define_legacy_toolsets(&self, names: impl IntoIterator<Item = (String, Vec<String>)>) {
        let names: Vec<(String, Vec<String>)> = names.into_iter().collect();
        self.infallible(|state| {
            let changed = Arc::make_mut(&mut state.toolsets).define_legacy(names);
            Change::when(changed, ())
        });
    }

    /// Says which toolsets are presets. A new registry has none.
    pub fn set_presets(&self, presets: Presets) {
        self.infallible(|state| {
            let changed = Arc::make_mut(&mut state.toolsets).set_presets(presets);
            Change::when(changed, ())
        });
    }

    /// Takes something of the caller's thread along to where checks, handlers and hooks run. One of
    /// each type: a second one changes nothing.
    pub fn add_carry(&self, carry: impl Carry + 'static) {
        self.infallible(|state| {
            let added = Arc::make_mut(&mut state.carries).add(carry);
            Change::when(added, ())
        });
    }

    pub(crate) fn carries(&self) -> Arc<Carries> {
        Arc::clone(&self.inner.state.load().carries)
    }

    /// Adds a patch after those that are there.
    pub fn add_patch(&self, patch: Patch) {
        self.infallible(|state| {
            Arc::make_mut(&mut state.patches).push(patch);
            Change::Made(())
        });
    }

    /// Keeps what was left out, for those who ask later, in place of what was kept of the sources
    /// that were asked now.
    pub(crate) fn note_problems(&self, asked: &[&ToolSource], problems: &[Problem]) {
        self.infallible(|state| {
            let mut kept = Vec::clone(&state.problems);
            kept.retain(|problem| !asked.contains(&problem.source()));
            for problem in problems {
                if !kept.contains(problem) {
                    kept.push(problem.clone());
                }
            }
            let changed = kept != *state.problems;
            state.problems = Arc::new(kept);
            Change::when(changed, ())
        });
    }

    /// Says that tools are being looked for. Until the guard is dropped, a toolset that nobody
    /// knows may be one that will be.
    pub fn begin_discovery(&self) -> DiscoveryGuard {
        self.infallible(|state| {
            state.discoveries += 1;
            Change::Made(())
        });
        DiscoveryGuard {
            registry: self.clone(),
        }
    }

    pub(crate) fn availability(&self) -> &Availability {
        &self.inner.availability
    }

    pub(crate) fn memo(&self) -> &Memo {
        &self.inner.memo
    }

    /// A change that cannot be refused.
    pub(crate) fn infallible<T>(&self, change: impl FnOnce(&mut Snapshot) -> Change<T>) -> T {
        let result: Result<T, Infallible> = self.change(|state| Ok(change(state)));
        match result {
            Ok(given) => given,
            Err(never) => match never {},
        }
    }

    /// Makes the next state from this one, and publishes it if it is another.
    pub(crate) fn change<T, E>(
        &self,
        change: impl FnOnce(&mut Snapshot) -> Result<Change<T>, E>,
    ) -> Result<T, E> {
        let writing = self
            .inner
            .writing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut next = Snapshot::clone(&self.inner.state.load());
        match change(&mut next)? {
            Change::None(given) => Ok(given),
            Change::Made(given) => {
                next.generation += 1;
                let last = self.inner.state.swap(Arc::new(next));
                drop(writing);
                // It may hold the last of a tool, whose handler may do anything when it is dropped.
                if let Err(panic) = contain(|| drop(last)) {
                    tracing::error!(panic, "what a tool held could not be dropped");
                }
                Ok(given)
            }
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.inner.state.load();
        f.debug_struct("Registry")
            .field("generation", &state.generation)
            .field("tools", &state.tools.len())
            .finish_non_exhaustive()
    }
}

/// Ends a discovery when dropped: see [`Registry::begin_discovery`].
#[derive(Debug)]
#[must_use = "the discovery ends when this is dropped"]
pub struct DiscoveryGuard {
    registry: Registry,
}

impl Drop for DiscoveryGuard {
    fn drop(&mut self) {
        self.registry.infallible(|state| {
            state.discoveries = state.discoveries.saturating_sub(1);
            Change::Made(())
        });
    }
}
