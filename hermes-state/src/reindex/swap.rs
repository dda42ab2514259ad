//! The side tables: whether they are there, and how they become the index.

use rusqlite::Connection;

use super::SIDE_TABLES;
use crate::error::is_of_the_moment;
use crate::schema::{INDEX_TABLES, INDEX_TRIGGERS_SQL};

const SIDE_TRIGGERS: [&str; 2] = ["hermes_reindex_delete", "hermes_reindex_update"];

/// Whether the side tables and their triggers are all there and can be read: what they hold can
/// be trusted then.
pub(super) fn side_is_whole(conn: &Connection) -> rusqlite::Result<bool> {
    let mut exists = conn.prepare_cached("SELECT 1 FROM sqlite_master WHERE name = ?1")?;
    for name in SIDE_TABLES.iter().chain(&SIDE_TRIGGERS) {
        if !exists.exists([name])? {
            return Ok(false);
        }
    }
    are_readable(conn)
}

fn are_readable(conn: &Connection) -> rusqlite::Result<bool> {
    for table in SIDE_TABLES {
        if !is_readable(conn, table)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether all parts of a virtual table are there. Naming it makes SQLite load it, which fails if
/// its structure is damaged.
fn is_readable(conn: &Connection, table: &str) -> rusqlite::Result<bool> {
    let mut exists = conn.prepare_cached("SELECT 1 FROM sqlite_master WHERE name = ?1")?;
    for part in super::retired::PARTS {
        if !exists.exists([format!("{table}_{part}")])? {
            return Ok(false);
        }
    }
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
    match conn.query_row(&sql, [], |_| Ok(())) {
        Err(error) if is_of_the_moment(&error) => Err(error),
        outcome => Ok(outcome.is_ok()),
    }
}

/// Whether a trigger would make a write fail, because its table is missing or damaged.
pub(super) fn side_is_unreadable(conn: &Connection) -> rusqlite::Result<bool> {
    let triggers: i64 = conn.query_row(
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger' AND name IN (?1, ?2)",
        SIDE_TRIGGERS,
        |row| row.get(0),
    )?;
    Ok(triggers > 0 && !are_readable(conn)?)
}

/// Takes the side tables away. They may be damaged, which a drop would find out half-way.
pub(super) fn drop_side(conn: &Connection) -> rusqlite::Result<()> {
    for trigger in SIDE_TRIGGERS {
        conn.execute_batch(&format!("DROP TRIGGER IF EXISTS {trigger}"))?;
    }
    SIDE_TABLES
        .iter()
        .try_for_each(|table| super::retired::retire(conn, table))
}

/// Makes the side tables the index, with its triggers. The names are free already.
pub(super) fn put_in_place(conn: &Connection) -> rusqlite::Result<()> {
    for trigger in SIDE_TRIGGERS {
        conn.execute_batch(&format!("DROP TRIGGER {trigger}"))?;
    }
    // A trigger or view of somebody else's that SQLite cannot parse must not stop the renaming.
    conn.pragma_update(None, "legacy_alter_table", true)?;
    let renamed = SIDE_TABLES
        .iter()
        .zip(INDEX_TABLES)
        .try_for_each(|(side, table)| {
            conn.execute_batch(&format!("ALTER TABLE {side} RENAME TO {table}"))
        });
    conn.pragma_update(None, "legacy_alter_table", false)?;
    renamed?;
    conn.execute_batch(INDEX_TRIGGERS_SQL)
}
