//! A resolved home with its store and its tools.

use std::sync::{Arc, Mutex, PoisonError};

use hermes_approval::{Approver, Policy, PolicyWarning};
use hermes_home::{HermesHome, Resolution};
use hermes_state::{SearchOptions, SearchResults, Store, StoreOptions};
use hermes_tools::{Definitions, Dispatcher, Registry, Selection};

use crate::builder::Builder;
use crate::composition::{Parts, Wishes};
#[cfg(unix)]
use crate::config::UnusedSetting;
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
    wishes: Wishes,
    parts: Mutex<Option<Arc<Parts>>>,
}

impl Hermes {
    /// Says which home, and how to open its store; without a word about it, those of the process.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(
        resolution: Resolution,
        options: StoreOptions,
        registry: Registry,
        wishes: Wishes,
    ) -> Hermes {
        registry.add_carry(tools::HomeOverride);
        Hermes {
            inner: Arc::new(Inner {
                resolution,
                options,
                store: Mutex::new(None),
                registry,
                wishes,
                parts: Mutex::new(None),
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
        Ok(self.settings(environment)?.0)
    }

    /// Settings of the home that say something and change nothing, such as those that nobody knows
    /// or that are not for the backend that is chosen.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) if a file cannot be read.
    #[cfg(unix)]
    pub fn unused_settings(
        &self,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<UnusedSetting>> {
        let own = self.dot_env(environment)?;
        let wishes = self.wishes();
        let person = wishes.user_home.as_deref();
        Ok(self.config()?.unused(
            wishes.backend_name.as_deref(),
            &|name| own.or(name, environment),
            &|directory| crate::backends::is_of_host(directory, person),
        ))
    }

    /// The settings of the terminal, and the variables of the home's `.env`.
    pub(crate) fn settings(
        &self,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(TerminalConfig, DotEnv)> {
        let own = self.dot_env(environment)?;
        let config = self.config()?;
        let terminal = config.terminal(&|name| own.or(name, environment))?;
        #[cfg(unix)]
        let terminal = crate::composition::wished(terminal, self.wishes());
        Ok((terminal, own))
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

    /// Finds messages in the home's store.
    ///
    /// # Errors
    /// [`Error::State`](crate::Error::State) if the store cannot be opened or asked.
    pub fn search(&self, options: &SearchOptions) -> Result<SearchResults> {
        Ok(self.store()?.search(options)?)
    }

    pub(crate) fn wishes(&self) -> &Wishes {
        &self.inner.wishes
    }

    /// What the config and the wishes make, made at the first call; later calls give the same.
    pub(crate) fn parts(&self) -> Result<Arc<Parts>> {
        let mut parts = self
            .inner
            .parts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = &*parts {
            return Ok(Arc::clone(parts));
        }
        let made = Arc::new(Parts::of(self)?);
        Ok(Arc::clone(parts.insert(made)))
    }

    /// Decides whether commands may run: with the settings, the allowlist and the grants of the
    /// home.
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config), [`Error::Approval`](crate::Error::Approval),
    /// [`Error::Settings`](crate::Error::Settings): of `config.yaml`. The next call tries again.
    pub fn approvals(&self) -> Result<Approver> {
        Ok(self.parts()?.approver.clone())
    }

    /// Runs commands, each approved before: where the config says, with the variables of the home's
    /// `.env`.
    ///
    /// # Errors
    /// As [`approvals`](Self::approvals), and [`Error::Terminal`](crate::Error::Terminal) if the
    /// backend is not to be had.
    #[cfg(unix)]
    pub fn terminal(&self) -> Result<hermes_terminal::Terminal> {
        Ok(self.parts()?.processes.terminal().clone())
    }

    /// The background processes of that terminal, written down in the home.
    ///
    /// # Errors
    /// As [`terminal`](Self::terminal).
    #[cfg(unix)]
    pub fn processes(&self) -> Result<hermes_terminal::Processes> {
        Ok(self.parts()?.processes.clone())
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

    /// The same before it is made, to add hooks, gates, limits. Its calls are traced; see
    /// [`handle_function_call`](Self::handle_function_call).
    ///
    /// An agent loop that is given here takes the place of this crate's; one that only adds to it
    /// belongs into [`Builder::agent_loop`](crate::Builder::agent_loop).
    pub fn dispatcher_builder(&self) -> hermes_tools::Builder {
        Dispatcher::builder(self.inner.registry.clone())
            .span(crate::dispatch::call_span)
            .agent_loop(tools::HomeTools::new(self.clone()))
    }
}
