//! Rebuilding the full-text index from the messages.
//!
//! FTS5's own `rebuild` reads the index's copy of the text, which may be what is wrong; the rows
//! are the truth. One transaction, so that no reader ever sees half an index.

use rusqlite::{Connection, params};

use crate::content::Content;
use crate::error::Result;
use crate::index_text::index_text;
use crate::record::column;
use crate::schema::{INDEX_TABLES, Layout, create_index, quoted};
use crate::store::Store;
use crate::write::{Patience, Tx};

/// Makes the index anew if `wanted`, which is asked with the lock held: another process may have
/// put it right meanwhile.
pub(crate) fn rebuild(store: &Store, wanted: impl Fn(&Layout) -> bool) -> Result<()> {
    store.transact(Patience::Append, &|tx: &Tx<'_>| {
        if !tx.fresh_layout()?.is_some_and(|layout| wanted(&layout)) {
            return Ok(());
        }
        tx.sqlite(drop_index)?;
        tx.sqlite(create_index)?;
        let filled = fill(tx)?;
        tracing::info!(messages = filled, "full-text index rebuilt");
        Ok(())
    })?;
    // The handle's own picture of the file is out of date now.
    store.read(|_, _| Ok(()))
}

/// Removes the index's objects, also those whose damage keeps SQLite from dropping them.
fn drop_index(conn: &Connection) -> rusqlite::Result<()> {
    for table in INDEX_TABLES {
        for event in ["insert", "delete", "update"] {
            conn.execute_batch(&format!("DROP TRIGGER IF EXISTS {table}_{event}"))?;
        }
        if conn
            .execute_batch(&format!("DROP TABLE IF EXISTS {table}"))
            .is_err()
        {
            drop_damaged(conn, table)?;
        }
    }
    Ok(())
}

/// A table whose module refuses to load is taken out of the schema, then its parts are dropped.
fn drop_damaged(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    use rusqlite::config::DbConfig::{SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_WRITABLE_SCHEMA};
    conn.set_db_config(SQLITE_DBCONFIG_DEFENSIVE, false)?;
    conn.set_db_config(SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    let outcome = conn
        .execute(
            "DELETE FROM sqlite_master WHERE type = 'table' AND name = ?1",
            [table],
        )
        .and_then(|_| conn.execute_batch("PRAGMA writable_schema = RESET"));
    conn.set_db_config(SQLITE_DBCONFIG_WRITABLE_SCHEMA, false)?;
    let outcome = outcome.and_then(|()| {
        for part in ["config", "content", "data", "docsize", "idx"] {
            let part = quoted(&format!("{table}_{part}"));
            conn.execute_batch(&format!("DROP TABLE IF EXISTS {part}"))?;
        }
        Ok(())
    });
    conn.set_db_config(SQLITE_DBCONFIG_DEFENSIVE, true)?;
    outcome
}

fn fill(tx: &Tx<'_>) -> Result<u64> {
    tx.sqlite(|conn| {
        let mut rows =
            conn.prepare("SELECT id, content, tool_name, tool_calls FROM messages ORDER BY id")?;
        let mut into: Vec<_> = INDEX_TABLES
            .iter()
            .map(|table| {
                conn.prepare(&format!(
                    "INSERT INTO {table}(rowid, content) VALUES (?1, ?2)"
                ))
            })
            .collect::<rusqlite::Result<_>>()?;
        let mut rows = rows.query([])?;
        let mut filled = 0;
        while let Some(row) = rows.next()? {
            let content = column::<Option<Content>>(row, 1)?;
            let tool_name = column::<Option<String>>(row, 2)?;
            let tool_calls = column::<Option<String>>(row, 3)?;
            let text = index_text(
                content.as_ref(),
                tool_name.as_deref(),
                tool_calls.as_deref(),
            );
            for insert in &mut into {
                insert.execute(params![row.get::<_, i64>(0)?, text])?;
            }
            filled += 1;
        }
        Ok(filled)
    })
}
