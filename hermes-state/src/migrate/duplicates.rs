//! A schema in which an object is defined twice: SQLite calls the file malformed and reads nothing
//! of it, though every row is there.

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig::{SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_WRITABLE_SCHEMA};
use rusqlite::{Connection, OpenFlags};

use super::MigrationBackup;
use super::backup::Backup;
use crate::error::{Error, Result};
use crate::schema::Layout;
use crate::store::StoreOptions;

const DOUBLES: &str = "FROM sqlite_master WHERE rowid NOT IN
    (SELECT MIN(rowid) FROM sqlite_master GROUP BY type, name)";

/// What is done about them, for people.
pub(crate) const MENDED: &str = "remove doubled definitions from the schema";

/// A connection that reads past them; `None` if there are none.
pub(super) fn reader(path: &Path, options: &StoreOptions) -> Result<Option<Connection>> {
    let sqlite = |e| Error::from_sqlite(path, e);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(sqlite)?;
    conn.busy_timeout(options.write_budget.busy_timeout)
        .and_then(|()| set_writable(&conn, true))
        .map_err(sqlite)?;
    let doubles = count(&conn).map_err(sqlite)?;
    Ok((doubles > 0).then_some(conn))
}

/// A connection that reads past them, and how many there are.
pub(crate) fn reader_past_doubles(
    path: &Path,
    options: &StoreOptions,
) -> Result<Option<(Connection, u64)>> {
    let Some(conn) = reader(path, options)? else {
        return Ok(None);
    };
    let doubles = count(&conn).map_err(|e| Error::from_sqlite(path, e))?;
    Ok(Some((conn, doubles.unsigned_abs())))
}

/// Lets a connection to a copy read past them.
pub(crate) fn read_past_doubles(conn: &Connection) -> rusqlite::Result<()> {
    set_writable(conn, true)
}

/// With a writable schema SQLite overlooks what is wrong with it.
fn set_writable(conn: &Connection, on: bool) -> rusqlite::Result<()> {
    conn.set_db_config(SQLITE_DBCONFIG_DEFENSIVE, !on)?;
    conn.set_db_config(SQLITE_DBCONFIG_WRITABLE_SCHEMA, on)?;
    Ok(())
}

fn count(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_row(&format!("SELECT COUNT(*) {DOUBLES}"), [], |row| row.get(0))
}

/// Removes doubled definitions, the later ones. `None` if there are none: the damage is another.
pub(crate) fn mend(
    conn: &Connection,
    path: &Path,
    options: &StoreOptions,
) -> Result<Option<Option<PathBuf>>> {
    let sqlite = |e| Error::from_sqlite(path, e);
    set_writable(conn, true).map_err(sqlite)?;
    let mut backup = None;
    let outcome = conn
        .execute_batch("BEGIN IMMEDIATE")
        .map_err(sqlite)
        .and_then(|()| remove_doubles(conn, path, options, &mut backup));
    if !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK").map_err(sqlite)?;
    }
    set_writable(conn, false).map_err(sqlite)?;
    match (outcome?, backup) {
        (false, _) => Ok(None),
        (true, backup) => Ok(Some(backup.map(|backup| backup.path))),
    }
}

fn remove_doubles(
    conn: &Connection,
    path: &Path,
    options: &StoreOptions,
    backup: &mut Option<Backup>,
) -> Result<bool> {
    let sqlite = |e| Error::from_sqlite(path, e);
    let doubles = count(conn).map_err(sqlite)?;
    if doubles == 0 {
        return Ok(false);
    }
    if options.migration_backup != MigrationBackup::Never {
        let version = Layout::read(conn, path)?.map_or(0, |layout| layout.version);
        *backup = Some(Backup::make(path, version)?);
    }
    let removed = conn.execute_batch(&format!(
        "DELETE {DOUBLES}; COMMIT; PRAGMA writable_schema = RESET"
    ));
    if removed.is_err()
        && let Some(copy) = backup.take()
    {
        copy.discard();
    }
    removed.map_err(sqlite)?;
    tracing::warn!(doubles, "doubled definitions removed from the schema");
    Ok(true)
}
