//! A resolved home with its store and its tools.

use std::sync::{Arc, Mutex, PoisonError};

use hermes_approval::{Policy, PolicyWarning};
use hermes_home::{HermesHome, Resolution};
use hermes_state::{Store, StoreOptions};
use hermes_tools::{Definitions, Dispatcher, Registry, Selection};

use crate::builder::Builder;
use crate::config::{Config, TerminalConfig};
use crate::dotenv::DotEnv;
use crate::error::Result;
use crate::tools;

/// One Hermes home, its store, and the tools that use it. Clones are one.
#[derive(Debug, Clone)]
pub struct Hermes {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    resolution: Resolution,
    options: StoreOptions,
    store: Mutex<Option<Store>>,
    registry: Registry,
}

impl Hermes {
    /// Says which home, and how to open its store; without a word about it, those of the process.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(resolution: Resolution, options: StoreOptions, registry: Registry) -> Hermes {
        registry.add_carry(tools::HomeOverride);
        Hermes {
            inner: Arc::new(Inner {
                resolution,
                options,
                store: Mutex::new(None),
                registry,
            }),
        }
    }

    /// The home.
    pub fn home(&self) -> &HermesHome {
        &self.inner.resolution.home
    }

    /// How the home was found, and what a person should be told about it.
    pub fn resolution(&self) -> &Resolution {
        &self.inner.resolution
    }

    /// The home's store, opened at the first call; later calls give the same one.
    ///
    /// # Errors
    /// [`Error::State`](crate::Error::State) if it cannot be opened; the next call tries again.
    pub fn store(&self) -> Result<Store> {
        let mut store = self
            .inner
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*store {
            return Ok(store.clone());
        }
        let opened = self.inner.options.clone().open(self.home().state_db())?;
        Ok(store.insert(opened).clone())
    }

    /// The home's `config.yaml`, read anew.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if it cannot be read, or is no YAML.
    pub fn config(&self) -> Result<Config> {
        Config::read(self.home().config_file())
    }

    /// The home's `.env`, read anew: variables for children. `environment` gives what `${NAME}`
    /// means when the file has not said it before.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if it is there and cannot be read.
    pub fn dot_env(&self, environment: &dyn Fn(&str) -> Option<String>) -> Result<DotEnv> {
        DotEnv::read(&self.home().env_file(), environment)
    }

    /// The settings of the terminal: the home's `config.yaml`, then its `.env`, then `environment`.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if a file cannot be read,
    /// [`Error::Settings`](crate::Error::Settings) if a setting is not what it must be.
    pub fn terminal_config(
        &self,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<TerminalConfig> {
        let own = self.dot_env(environment)?;
        let variables = |name: &str| {
            own.get(name)
                .map(str::to_owned)
                .or_else(|| environment(name))
        };
        self.config()?.terminal(&variables)
    }

    /// The settings of approvals in the home's `config.yaml`, and those of them that were not
    /// understood.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if the file cannot be read,
    /// [`Error::Approval`](crate::Error::Approval) if a list of what is forbidden is no list: what a
    /// person wanted to forbid would be allowed.
    pub fn approval_policy(&self) -> Result<(Policy, Vec<PolicyWarning>)> {
        self.config()?.approval_policy()
    }

    /// The tools, from all parts of the program.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// What a model is told of the tools that this selects.
    pub fn tool_definitions(&self, selection: &Selection) -> Arc<Definitions> {
        self.inner.registry.tool_definitions(selection)
    }

    /// Runs tools for a model: the agent-loop tools of this crate work on this home's store, and
    /// checks and handlers have the caller's override of the home wherever they run.
    pub fn dispatcher(&self) -> Dispatcher {
        self.dispatcher_builder().build()
    }

    /// The same before it is made, to add hooks, gates, limits.
    ///
    /// An agent loop of your own takes the place of this crate's; it can pass on to
    /// [`tools::StoreTools`](crate::tools::StoreTools) what it does not have.
    pub fn dispatcher_builder(&self) -> hermes_tools::Builder {
        Dispatcher::builder(self.inner.registry.clone())
            .agent_loop(tools::StoreTools::new(self.clone()))
    }
}
