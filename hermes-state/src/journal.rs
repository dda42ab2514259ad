//! Which journal a store has: a write-ahead log, which readers and the writer share without waiting
//! for each other, or a rollback journal, which works where machines share files.
//!
//! The file's own mode counts. A person's choice against the log is kept in the store itself, so that
//! every program of ours that opens it leaves it as it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::meta;
use crate::open;
use crate::schema::Layout;
use crate::store::StoreOptions;

/// The journal of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum JournalMode {
    /// A write-ahead log (`wal`).
    #[default]
    Wal,
    /// A rollback journal (`delete`): readers and the writer wait for each other.
    Delete,
}

impl JournalMode {
    /// SQLite's word for it.
    pub fn name(self) -> &'static str {
        match self {
            JournalMode::Wal => "wal",
            JournalMode::Delete => "delete",
        }
    }
}

/// What became of a store's journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct JournalChange {
    /// SQLite's word for the journal before: `wal`, `delete`, …
    pub before: String,
    /// The same now.
    pub after: String,
}

/// The entry of `state_meta` with a person's choice. Other programs pass it over.
const CHOICE: &str = "hermes_kit_journal_mode";

/// Whether opening leaves the journal as it is, because of the options or of an earlier choice; says
/// once for a store in this process if what the options ask for is not what there is.
pub(crate) fn is_to_stay(
    conn: &Connection,
    path: &Path,
    options: &StoreOptions,
    existing: bool,
    mode: &str,
) -> Result<bool> {
    match options.journal {
        None => Ok(existing),
        Some(JournalMode::Delete) => {
            if mode == JournalMode::Wal.name() {
                tell_once(path);
            }
            Ok(true)
        }
        Some(JournalMode::Wal) if existing && mode != JournalMode::Wal.name() => {
            Ok(is_delete_chosen(conn).map_err(|e| Error::from_sqlite(path, e))?)
        }
        Some(JournalMode::Wal) => Ok(false),
    }
}

/// Whether a person has chosen a rollback journal for this store.
pub(crate) fn is_delete_chosen(conn: &Connection) -> rusqlite::Result<bool> {
    if !meta::has_table(conn, "state_meta")? {
        return Ok(false);
    }
    Ok(meta::get(conn, CHOICE)?.as_deref() == Some(JournalMode::Delete.name()))
}

static TOLD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Changing it here could take the log from under others.
fn tell_once(path: &Path) {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.insert(path.to_path_buf()) {
        tracing::warn!(
            path = %path.display(),
            configured = JournalMode::Delete.name(),
            effective = JournalMode::Wal.name(),
            "the store keeps its write-ahead log: `hermesctl db journal delete` changes it while nobody has the store open"
        );
    }
}

/// Gives a store that nobody has open this journal, and notes the choice in it.
pub(crate) fn set(path: &Path, mode: JournalMode) -> Result<JournalChange> {
    let sqlite = |e| Error::from_sqlite(path, e);
    let conn = open::connect_writer(path, &StoreOptions::new())?;
    match Layout::read(&conn, path)? {
        Some(layout) => layout.check_writable(path)?,
        None => return Err(open::nothing_at(path)),
    }
    let ask = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0));
    let before = ask("PRAGMA journal_mode").map_err(sqlite)?;
    match mode {
        JournalMode::Wal => meta::remove(&conn, CHOICE),
        JournalMode::Delete => meta::put(&conn, CHOICE, mode.name()),
    }
    .map_err(sqlite)?;
    let after = match mode {
        JournalMode::Wal => ask("PRAGMA journal_mode = WAL"),
        JournalMode::Delete => ask("PRAGMA journal_mode = DELETE"),
    }
    .map_err(sqlite)?;
    if after != mode.name() {
        return Err(Error::locked(path));
    }
    Ok(JournalChange { before, after })
}
