//! Choosing the home, how its store is opened, and what the tools work with.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_approval::Situation;
use hermes_home::{Environment, Selection};
use hermes_state::StoreOptions;
use hermes_tools::{AgentLoop, Registry};

use crate::composition::Wishes;
use crate::error::Result;
use crate::hermes::Hermes;

/// Says which home, how to open its store, and what the tools work with. Made by
/// [`Hermes::builder`].
#[derive(Debug, Default)]
pub struct Builder {
    environment: Option<Environment>,
    selection: Selection,
    options: StoreOptions,
    registry: Option<Registry>,
    wishes: Wishes,
}

impl Builder {
    /// Uses this home, whatever the environment says.
    #[must_use]
    pub fn home(mut self, path: impl Into<PathBuf>) -> Builder {
        self.selection = self.selection.with_home(path.into());
        self
    }

    /// Uses the profile of this name, below the root that the environment gives.
    #[must_use]
    pub fn profile(mut self, name: impl Into<String>) -> Builder {
        self.selection = self.selection.with_profile(name.into());
        self
    }

    /// Uses this file as the store, instead of the home's `state.db`.
    #[must_use]
    pub fn db(mut self, path: impl Into<PathBuf>) -> Builder {
        self.selection = self.selection.with_db(path.into());
        self
    }

    /// Uses what a program's options say, all of it.
    #[must_use]
    pub fn selection(mut self, selection: Selection) -> Builder {
        self.selection = selection;
        self
    }

    /// Resolves against this environment instead of the process's.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Builder {
        self.environment = Some(environment);
        self
    }

    /// Opens the store with these options.
    #[must_use]
    pub fn store_options(mut self, options: StoreOptions) -> Builder {
        self.options = options;
        self
    }

    /// Opens the store to read only: nothing is created.
    #[must_use]
    pub fn read_only(mut self) -> Builder {
        self.options = self.options.read_only();
        self
    }

    /// Uses the tools of this registry instead of the process's own.
    #[must_use]
    pub fn registry(mut self, registry: Registry) -> Builder {
        self.registry = Some(registry);
        self
    }

    /// Changes how commands are approved, before that is settled: adds whoever can be asked, a model,
    /// a record. The settings, the allowlist and the grants are those of the home.
    ///
    /// ```
    /// use hermes_kit::Hermes;
    /// use hermes_kit::approval::{Callback, Choice};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let hermes = Hermes::builder()
    ///     .home(folder.path())
    ///     .approvals(|approver| approver.terminal(Callback::new(|_| Choice::Once)))
    ///     .situation(|situation| situation.at_terminal())
    ///     .open()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn approvals(
        mut self,
        change: impl Fn(hermes_approval::Builder) -> hermes_approval::Builder + Send + Sync + 'static,
    ) -> Builder {
        self.wishes.approvals = Some(Arc::new(change));
        self
    }

    /// Changes what is said about the situation of commands: who is there to be asked. What the
    /// variables of Hermes say is in it already; conversation, backend and directory are set for
    /// each command.
    #[must_use]
    pub fn situation(
        mut self,
        change: impl Fn(Situation) -> Situation + Send + Sync + 'static,
    ) -> Builder {
        self.wishes.situation = Some(Arc::new(change));
        self
    }

    /// Looks variables up here, instead of in the environment of the process: those that settings
    /// come from, such as `TERMINAL_ENV`.
    #[must_use]
    pub fn variables(
        mut self,
        lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Builder {
        self.wishes.variables = Some(Arc::new(lookup));
        self
    }

    /// Runs commands here, instead of where the config says.
    #[cfg(unix)]
    #[must_use]
    pub fn terminal(mut self, environment: Arc<dyn hermes_terminal::Environment>) -> Builder {
        self.wishes.terminal = Some(environment);
        self
    }

    /// Offers this backend besides the local one: `terminal.backend` can name it.
    #[cfg(unix)]
    #[must_use]
    pub fn backend(mut self, environment: Arc<dyn hermes_terminal::Environment>) -> Builder {
        self.wishes.backends.push(environment);
        self
    }

    /// Runs commands in the backend of this name, whatever `terminal.backend` says.
    #[cfg(unix)]
    #[must_use]
    pub fn backend_named(mut self, name: impl Into<String>) -> Builder {
        self.wishes.backend_name = Some(name.into());
        self
    }

    /// Changes what bounds commands in the foreground, after the config.
    #[cfg(unix)]
    #[must_use]
    pub fn limits(
        mut self,
        change: impl Fn(hermes_terminal::Limits) -> hermes_terminal::Limits + Send + Sync + 'static,
    ) -> Builder {
        self.wishes.limits = Some(Arc::new(change));
        self
    }

    /// Tells this of background processes.
    #[cfg(unix)]
    #[must_use]
    pub fn notify(mut self, notify: Arc<dyn hermes_terminal::Notify>) -> Builder {
        self.wishes.notify = Some(notify);
        self
    }

    /// Runs the agent-loop tools that this crate does not have: `todo`, `memory`, `delegate_task`.
    #[must_use]
    pub fn agent_loop(mut self, agent_loop: impl AgentLoop + 'static) -> Builder {
        self.wishes.agent_loop = Some(Arc::new(agent_loop));
        self
    }

    /// Resolves the home. No database is touched yet.
    ///
    /// # Errors
    /// [`Error::Home`](crate::Error::Home) if the home cannot be told, or the profile is not there.
    pub fn open(self) -> Result<Hermes> {
        let environment = self.environment.unwrap_or_else(Environment::from_process);
        let resolution = self.selection.resolve(&environment)?;
        let registry = self.registry.unwrap_or_else(|| Registry::global().clone());
        let mut wishes = self.wishes;
        wishes.user_home = environment.real_user_home();
        Ok(Hermes::new(resolution, self.options, registry, wishes))
    }
}
