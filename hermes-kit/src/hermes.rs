//! A resolved home with its store.

use std::sync::{Mutex, PoisonError};

use hermes_home::{HermesHome, Resolution};
use hermes_state::{Store, StoreOptions};

use crate::builder::Builder;
use crate::error::Result;

/// One Hermes home and its store.
#[derive(Debug)]
pub struct Hermes {
    resolution: Resolution,
    options: StoreOptions,
    store: Mutex<Option<Store>>,
}

impl Hermes {
    /// Says which home, and how to open its store; without a word about it, those of the process.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(resolution: Resolution, options: StoreOptions) -> Hermes {
        Hermes {
            resolution,
            options,
            store: Mutex::new(None),
        }
    }

    /// The home.
    pub fn home(&self) -> &HermesHome {
        &self.resolution.home
    }

    /// How the home was found, and what a person should be told about it.
    pub fn resolution(&self) -> &Resolution {
        &self.resolution
    }

    /// The home's store, opened at the first call; later calls give the same one.
    ///
    /// # Errors
    /// [`Error::State`](crate::Error::State) if it cannot be opened; the next call tries again.
    pub fn store(&self) -> Result<Store> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*store {
            return Ok(store.clone());
        }
        let opened = self.options.clone().open(self.home().state_db())?;
        Ok(store.insert(opened).clone())
    }
}
