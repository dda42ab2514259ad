//! Facts about the store as a whole, by key.

use rusqlite::{Connection, OptionalExtension};

use crate::error::Result;
use crate::record::column;
use crate::store::Store;
use crate::write::{Patience, Tx};

impl Store {
    /// The text stored under a key.
    ///
    /// # Errors
    /// Those of every read.
    pub fn meta(&self, key: &str) -> Result<Option<String>> {
        self.read(|conn, _| {
            // Versions before 7 have no such table.
            if !has_table(conn, "state_meta")? {
                return Ok(None);
            }
            conn.prepare_cached("SELECT value FROM state_meta WHERE key = ?1")?
                .query_row([key], |row| column::<Option<String>>(row, 0))
                .optional()
                .map(Option::flatten)
        })
    }

    /// Stores a text under a key, in place of what is there.
    ///
    /// # Errors
    /// Those of every write.
    pub fn set_meta(&self, key: &str, value: &str) -> Result<()> {
        self.write(Patience::Short, |tx| set_meta(tx, key, value))
    }
}

pub(crate) fn set_meta(tx: &Tx<'_>, key: &str, value: &str) -> Result<()> {
    tx.sqlite(|conn| put(conn, key, value))
}

pub(crate) fn remove_meta(tx: &Tx<'_>, key: &str) -> Result<()> {
    tx.sqlite(|conn| remove(conn, key))
}

/// The text under a key, as far as it is text: anybody may have written it. `Some(None)`: a key
/// without a value.
pub(crate) fn entry(conn: &Connection, key: &str) -> rusqlite::Result<Option<Option<String>>> {
    conn.prepare_cached("SELECT CAST(value AS TEXT) FROM state_meta WHERE key = ?1")?
        .query_row([key], |row| column::<Option<String>>(row, 0))
        .optional()
}

pub(crate) fn get(conn: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    entry(conn, key).map(Option::flatten)
}

/// The entries whose key begins so: what comes behind it, and the text. Empty where versions before
/// 7 have no such table.
pub(crate) fn entries(
    conn: &Connection,
    prefix: &str,
) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    if !has_table(conn, "state_meta")? {
        return Ok(Vec::new());
    }
    conn.prepare_cached(
        "SELECT CAST(substr(key, length(?1) + 1) AS TEXT), CAST(value AS TEXT) FROM state_meta
         WHERE substr(key, 1, length(?1)) = ?1 AND key >= ?1",
    )?
    .query_map([prefix], |row| Ok((column(row, 0)?, column(row, 1)?)))?
    .collect()
}

pub(crate) fn put(conn: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO state_meta (key, value) VALUES (?1, ?2)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?
    .execute([key, value])
    .map(drop)
}

pub(crate) fn remove(conn: &Connection, key: &str) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM state_meta WHERE key = ?1")?
        .execute([key])
        .map(drop)
}

pub(crate) fn has_table(conn: &Connection, name: &str) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1")?
        .exists([name])
}
