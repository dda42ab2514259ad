//! The side tables: whether they are there, and how they become the index.

use rusqlite::Connection;

use super::SIDE_TABLES;
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
    Ok(SIDE_TABLES.iter().all(|table| is_readable(conn, table)))
}

/// Whether all parts of a virtual table are there. Naming it makes SQLite load it, which fails if
/// its structure is damaged.
fn is_readable(conn: &Connection, table: &str) -> bool {
    let part = |part: &&str| {
        conn.prepare_cached("SELECT 1 FROM sqlite_master WHERE name = ?1")
            .and_then(|mut s| s.exists([format!("{table}_{part}")]))
            .unwrap_or(false)
    };
    if !super::retired::PARTS.iter().all(part) {
        return false;
    }
    conn.query_row(
        &format!("SELECT EXISTS (SELECT 1 FROM {table})"),
        [],
        |_| Ok(()),
    )
    .is_ok()
}

/// Whether a trigger would make a write fail, because its table is missing or damaged.
pub(super) fn side_is_unreadable(conn: &Connection) -> rusqlite::Result<bool> {
    let triggers: i64 = conn.query_row(
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger' AND name IN (?1, ?2)",
        SIDE_TRIGGERS,
        |row| row.get(0),
    )?;
    Ok(triggers > 0 && !SIDE_TABLES.iter().all(|table| is_readable(conn, table)))
}

pub(super) fn drop_side(conn: &Connection) -> rusqlite::Result<()> {
    for trigger in SIDE_TRIGGERS {
        conn.execute_batch(&format!("DROP TRIGGER IF EXISTS {trigger}"))?;
    }
    for table in SIDE_TABLES {
        if conn
            .execute_batch(&format!("DROP TABLE IF EXISTS {table}"))
            .is_err()
        {
            super::retired::retire(conn, table)?;
        }
    }
    Ok(())
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
