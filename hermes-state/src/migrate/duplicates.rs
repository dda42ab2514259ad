//! A schema in which an object is defined twice: SQLite calls the file malformed and reads nothing
//! of it, though every row is there.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig::{SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_WRITABLE_SCHEMA};

use super::{MigrationBackup, back_up};
use crate::error::{Error, Result};
use crate::store::StoreOptions;

const DOUBLES: &str = "FROM sqlite_master WHERE rowid NOT IN
    (SELECT MIN(rowid) FROM sqlite_master GROUP BY type, name)";

/// Removes doubled definitions, the later ones. `None` if there are none: the damage is another.
pub(crate) fn mend(
    conn: &Connection,
    path: &Path,
    options: &StoreOptions,
) -> Result<Option<Option<PathBuf>>> {
    let sqlite = |e| Error::from_sqlite(path, e);
    let set = |on: bool| {
        conn.set_db_config(SQLITE_DBCONFIG_DEFENSIVE, !on)?;
        conn.set_db_config(SQLITE_DBCONFIG_WRITABLE_SCHEMA, on)
    };
    set(true).map_err(sqlite)?;
    let outcome = conn
        .execute_batch("BEGIN IMMEDIATE")
        .map_err(sqlite)
        .and_then(|()| remove_doubles(conn, path, options));
    if !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK").map_err(sqlite)?;
    }
    set(false).map_err(sqlite)?;
    outcome
}

fn remove_doubles(
    conn: &Connection,
    path: &Path,
    options: &StoreOptions,
) -> Result<Option<Option<PathBuf>>> {
    let sqlite = |e| Error::from_sqlite(path, e);
    let count = format!("SELECT COUNT(*) {DOUBLES}");
    let doubles: i64 = conn
        .query_row(&count, [], |row| row.get(0))
        .map_err(sqlite)?;
    if doubles == 0 {
        return Ok(None);
    }
    let backup = match options.migration_backup {
        MigrationBackup::Never => None,
        _ => Some(back_up(conn, path, 0)?),
    };
    conn.execute_batch(&format!(
        "DELETE {DOUBLES}; COMMIT; PRAGMA writable_schema = RESET"
    ))
    .map_err(sqlite)?;
    tracing::warn!(doubles, "doubled definitions removed from the schema");
    Ok(Some(backup))
}
