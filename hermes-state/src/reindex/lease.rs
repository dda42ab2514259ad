//! Who makes the index: one process at a time.
//!
//! The lease is a row of `state_meta` with an end, renewed in each step. If its holder is a process
//! of this machine that has ended, it is free at once; otherwise when its time is over.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::meta;
use crate::store::{Store, system_time};
use crate::write::{Patience, Tx};

const KEY: &str = "hermes_reindex_lease";

/// Much longer than a step and its pause.
const LENGTH: Duration = Duration::from_secs(10);

pub(super) struct Lease {
    token: String,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    token: String,
    /// Seconds since the epoch.
    until: f64,
    pid: u32,
    /// What tells this process from others with its number, here and elsewhere.
    process: Option<String>,
}

impl Lease {
    pub(super) fn new() -> Lease {
        Lease {
            token: format!("{:032x}", rand::random::<u128>()),
        }
    }

    /// Takes or renews the lease; `false` if another has it.
    pub(super) fn take(&self, tx: &Tx<'_>) -> Result<bool> {
        tx.sqlite(|conn| {
            let free = stored(conn)?.is_none_or(|s| s.token == self.token || s.is_over());
            if free {
                self.store(conn)?;
            }
            Ok(free)
        })
    }

    /// Renews the lease; `false` if it is lost.
    pub(super) fn renew(&self, tx: &Tx<'_>) -> Result<bool> {
        tx.sqlite(|conn| {
            let mine = stored(conn)?.is_some_and(|s| s.token == self.token);
            if mine {
                self.store(conn)?;
            }
            Ok(mine)
        })
    }

    fn store(&self, conn: &Connection) -> rusqlite::Result<()> {
        let stored = Stored {
            token: self.token.clone(),
            until: system_time() + LENGTH.as_secs_f64(),
            pid: std::process::id(),
            process: identity(std::process::id()),
        };
        let text = serde_json::to_string(&stored)
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))?;
        meta::put(conn, KEY, &text)
    }

    /// Gives the lease back, if it is ours. Where the file cannot be written, this process at least
    /// need not wait until the lease is over.
    pub(super) fn release(self, store: &Store) -> Result<()> {
        let released = self.remove(store);
        if released.is_err() {
            abandoned().push(self.token);
        }
        released
    }

    fn remove(&self, store: &Store) -> Result<()> {
        let mine =
            store.read(|conn, _| Ok(stored(conn)?.is_some_and(|s| s.token == self.token)))?;
        if !mine {
            return Ok(());
        }
        store.transact(Patience::Short, &|tx| {
            tx.sqlite(|conn| match stored(conn)? {
                Some(stored) if stored.token == self.token => meta::remove(conn, KEY),
                _ => Ok(()),
            })
        })
    }
}

/// The leases of this process that could not be given back.
static ABANDONED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn abandoned() -> MutexGuard<'static, Vec<String>> {
    ABANDONED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A row that is no lease counts as none.
fn stored(conn: &Connection) -> rusqlite::Result<Option<Stored>> {
    Ok(meta::get(conn, KEY)?.and_then(|text| serde_json::from_str(&text).ok()))
}

impl Stored {
    fn is_over(&self) -> bool {
        let now = system_time();
        // A clock that was set back must not make it last forever.
        let in_time = now < self.until && self.until <= now + 2.0 * LENGTH.as_secs_f64();
        !in_time || self.is_dead() || abandoned().contains(&self.token)
    }

    /// The process ran on this machine, since it was started last, and is gone.
    fn is_dead(&self) -> bool {
        let (Some(then), Some(me)) = (&self.process, identity(std::process::id())) else {
            return false;
        };
        let machine = |identity: &str| identity.rsplit_once(' ').map(|(m, _)| m.to_owned());
        machine(then) == machine(&me) && identity(self.pid).as_deref() != Some(then)
    }
}

/// The boot of the machine, the namespace in which the number is valid, and when the process began.
fn identity(pid: u32) -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything; the start is the 20th field behind it.
    let began = stat
        .rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(19)?
        .to_owned();
    Some(format!(
        "{} {} {began}",
        boot.trim(),
        namespace.to_string_lossy()
    ))
}
