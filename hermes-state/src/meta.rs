//! Facts about the store as a whole, by key.

use rusqlite::{Connection, OptionalExtension, params};

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
    tx.execute(
        "INSERT INTO state_meta (key, value) VALUES (?1, ?2)
         ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        params![key, value],
    )?;
    Ok(())
}

pub(crate) fn has_table(conn: &Connection, name: &str) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1")?
        .exists([name])
}
