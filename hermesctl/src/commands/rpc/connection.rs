//! What a client has open: its store and its clock.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use hermes_kit::Hermes;
use hermes_kit::state::{NATIVE_VERSION, Store, StoreOptions};

use super::fault::Fault;
use crate::cli::Global;
use crate::failure::Failure;
use crate::home;

/// A frozen time: what the clock says next, and by how much it goes on each time it is read.
type Frozen = Arc<Mutex<Option<(f64, f64)>>>;

/// One client.
pub(super) struct Connection {
    global: Global,
    opened: Opened,
    frozen: Frozen,
}

enum Opened {
    /// The store of the options or the home is opened when it is first needed.
    NotYet,
    Store(Store),
    Closed,
}

impl Connection {
    pub(super) fn new(global: Global) -> Connection {
        Connection {
            global,
            opened: Opened::NotYet,
            frozen: Frozen::default(),
        }
    }

    pub(super) fn store(&mut self) -> Result<&Store, Fault> {
        if let Opened::NotYet = self.opened {
            let hermes = Hermes::builder()
                .selection(home::selection(&self.global))
                .store_options(self.options())
                .open()
                .map_err(Failure::from)?;
            let store = hermes.store().map_err(|e| match e {
                hermes_kit::Error::State(e) => Fault::from(e),
                e => Failure::from(e).into(),
            })?;
            self.opened = Opened::Store(store);
        }
        match &self.opened {
            Opened::Store(store) => Ok(store),
            _ => Err(Fault::refused(
                "closed",
                "AttributeError",
                "no store is open; `open` opens one",
            )),
        }
    }

    /// The store, and whether it keeps the rules of versions after 11.
    pub(super) fn store_and_rules(&mut self) -> Result<(&Store, bool), Fault> {
        let store = self.store()?;
        Ok((store, store.schema_version() > NATIVE_VERSION))
    }

    /// Opens another store in place of the one that is open; gives its path.
    pub(super) fn open(&mut self, path: PathBuf, read_only: bool) -> Result<PathBuf, Fault> {
        self.close();
        let mut options = self.options();
        if read_only {
            options = options.read_only();
        }
        let store = options.open(&path)?;
        self.opened = Opened::Store(store);
        Ok(path)
    }

    pub(super) fn close(&mut self) {
        self.opened = Opened::Closed;
    }

    /// Stops the clock at `now`; `None` lets it run again.
    pub(super) fn freeze(&self, now: Option<f64>, step: f64) {
        *self.frozen.lock().unwrap_or_else(PoisonError::into_inner) = now.map(|now| (now, step));
    }

    fn options(&self) -> StoreOptions {
        let frozen = self.frozen.clone();
        StoreOptions::new().clock(move || read(&frozen))
    }
}

fn read(frozen: &Frozen) -> f64 {
    match &mut *frozen.lock().unwrap_or_else(PoisonError::into_inner) {
        Some((now, step)) => {
            let told = *now;
            *now += *step;
            told
        }
        None => SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64()),
    }
}
