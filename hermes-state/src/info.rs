//! What a store is and how it is: sizes, counts, versions, the state of its index.

use std::path::PathBuf;

use rusqlite::Connection;
use serde::Serialize;

use crate::error::{Result, is_of_the_moment};
use crate::file_system::{self, FileSystem};
use crate::open::wal_bytes;
use crate::schema::{INDEX_TABLES, NATIVE_VERSION};
use crate::store::Store;

/// Facts about a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StoreInfo {
    /// The file, links resolved.
    pub path: PathBuf,
    /// Its schema version.
    pub schema_version: i64,
    /// The version that this build creates and writes.
    pub native_version: i64,
    /// Whether this build can write to it.
    pub writable_version: bool,
    /// Bytes of the database.
    pub bytes: u64,
    /// Bytes of it that are free for reuse.
    pub free_bytes: u64,
    /// Bytes of the write-ahead log beside it.
    pub wal_bytes: u64,
    /// `wal`, `delete`, …
    pub journal_mode: String,
    /// The file system that it lies on, where the system tells (Linux).
    pub file_system: Option<FileSystem>,
    /// Bytes of a page.
    pub page_size: u64,
    /// Sessions.
    pub sessions: u64,
    /// Messages.
    pub messages: u64,
    /// The oldest and the newest message, seconds since the epoch.
    pub oldest_message: Option<f64>,
    /// See `oldest_message`.
    pub newest_message: Option<f64>,
    /// The full-text index.
    pub index: IndexInfo,
    /// The SQLite in use here.
    pub sqlite_version: &'static str,
}

/// The state of the full-text index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IndexInfo {
    /// Whether every message is in it, by count.
    pub complete: bool,
    /// Why it cannot be used, or what it lacks.
    pub trouble: Option<String>,
    /// Messages in the word index, where it can be read.
    pub words: Option<u64>,
    /// Messages in the trigram index (substrings and CJK), where it can be read.
    pub trigram: Option<u64>,
}

/// The version of the SQLite in use here, such as `3.51.0`.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

impl Store {
    /// Facts about the store. Counts its rows, so it takes a moment on a store of gigabytes.
    ///
    /// # Errors
    /// Those of every read.
    pub fn info(&self) -> Result<StoreInfo> {
        self.read(|conn, layout| {
            let page_size = number(conn, "PRAGMA page_size")?;
            let messages = number(conn, "SELECT COUNT(*) FROM messages")?;
            let indexed = |table: &str| match number(
                conn,
                &format!("SELECT COUNT(*) FROM {table}_docsize"),
            ) {
                Err(error) if is_of_the_moment(&error) => Err(error),
                count => Ok(count.ok()),
            };
            let [words, trigram] = INDEX_TABLES;
            let (words, trigram) = (indexed(words)?, indexed(trigram)?);
            let trouble = layout.index_trouble.clone().or_else(|| {
                [("word", words), ("trigram", trigram)]
                    .iter()
                    .find_map(|(name, count)| match count {
                        Some(n) if *n == messages => None,
                        Some(n) => {
                            Some(format!("the {name} index holds {n} of {messages} messages"))
                        }
                        None => Some(format!("the {name} index cannot be read")),
                    })
            });
            let time = |sql| conn.query_row(sql, [], |row| row.get::<_, Option<f64>>(0));
            Ok(StoreInfo {
                path: self.path().to_path_buf(),
                schema_version: layout.version,
                native_version: NATIVE_VERSION,
                writable_version: layout.check_writable(self.path()).is_ok(),
                bytes: page_size * number(conn, "PRAGMA page_count")?,
                free_bytes: page_size * number(conn, "PRAGMA freelist_count")?,
                wal_bytes: wal_bytes(self.path()),
                journal_mode: conn.query_row("PRAGMA journal_mode", [], |row| row.get(0))?,
                file_system: self.path().parent().and_then(file_system::of),
                page_size,
                sessions: number(conn, "SELECT COUNT(*) FROM sessions")?,
                messages,
                oldest_message: time(
                    "SELECT MIN(timestamp) FROM messages WHERE typeof(timestamp) = 'real'",
                )?,
                newest_message: time(
                    "SELECT MAX(timestamp) FROM messages WHERE typeof(timestamp) = 'real'",
                )?,
                index: IndexInfo {
                    complete: trouble.is_none(),
                    trouble,
                    words,
                    trigram,
                },
                sqlite_version: sqlite_version(),
            })
        })
    }
}

fn number(conn: &Connection, sql: &str) -> rusqlite::Result<u64> {
    let n: i64 = conn.query_row(sql, [], |row| row.get(0))?;
    Ok(u64::try_from(n).unwrap_or(0))
}
