//! Choosing the home and how its store is opened.

use std::path::PathBuf;

use hermes_home::{Environment, Selection};
use hermes_state::StoreOptions;
use hermes_tools::Registry;

use crate::error::Result;
use crate::hermes::Hermes;

/// Says which home, and how to open its store. Made by [`Hermes::builder`].
#[derive(Debug, Default)]
pub struct Builder {
    environment: Option<Environment>,
    selection: Selection,
    options: StoreOptions,
    registry: Option<Registry>,
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

    /// Resolves the home. No database is touched yet.
    ///
    /// # Errors
    /// [`Error::Home`](crate::Error::Home) if the home cannot be told, or the profile is not there.
    pub fn open(self) -> Result<Hermes> {
        let environment = self.environment.unwrap_or_else(Environment::from_process);
        let resolution = self.selection.resolve(&environment)?;
        let registry = self.registry.unwrap_or_else(|| Registry::global().clone());
        Ok(Hermes::new(resolution, self.options, registry))
    }
}
