//! Repairs of rows, each in one transaction and without triggers: no text that is indexed changes,
//! but for bytes that were no text, and then the index is made anew.

use rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

use crate::health::Repair;
use crate::health::rows::{IN_A_CIRCLE, ORPHANS, WITHOUT_PARENT};
use crate::meta::has_table;
use crate::schema::{self, column_names, quoted};

/// Where sessions come from that were made for messages without one.
const SOURCE: &str = "recovered";

pub(super) fn mend(conn: &Connection, step: Repair) -> rusqlite::Result<()> {
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.set_db_config(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let outcome = match step {
        Repair::HealActive => run(conn, "UPDATE messages SET active = 1 WHERE active IS NULL"),
        Repair::Recount => recount(conn),
        Repair::QuoteJson => run(
            conn,
            "UPDATE sessions SET model_config = json_quote(CAST(model_config AS TEXT))
             WHERE model_config IS NOT NULL AND json_error_position(model_config) <> 0",
        ),
        Repair::DetachParents => detach_parents(conn),
        Repair::AdoptOrphans => adopt(conn),
        Repair::MendText => mend_text(conn, "sessions").and_then(|()| mend_text(conn, "messages")),
        Repair::SetVersion => set_version(conn),
        _ => Ok(()),
    };
    let outcome = outcome.and_then(|()| conn.execute_batch("COMMIT"));
    if outcome.is_err() && !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK")?;
    }
    conn.set_db_config(SQLITE_DBCONFIG_ENABLE_TRIGGER, true)?;
    outcome
}

fn run(conn: &Connection, sql: &str) -> rusqlite::Result<()> {
    conn.execute(sql, []).map(drop)
}

fn ids(conn: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    conn.prepare(sql)?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Counters that lie outside of what was stored and what is active.
fn recount(conn: &Connection) -> rusqlite::Result<()> {
    let has_active = column_names(conn, "messages")?
        .iter()
        .any(|name| name == "active");
    let live = if has_active {
        "(SELECT COUNT(*) FROM messages m WHERE m.session_id = sessions.id AND m.active <> 0)"
    } else {
        "(SELECT COUNT(*) FROM messages m WHERE m.session_id = sessions.id)"
    };
    let all = "(SELECT COUNT(*) FROM messages m WHERE m.session_id = sessions.id)";
    run(
        conn,
        &format!(
            "UPDATE sessions SET message_count = {live}
             WHERE COALESCE(message_count, -1) NOT BETWEEN {live} AND {all}"
        ),
    )
}

fn detach_parents(conn: &Connection) -> rusqlite::Result<()> {
    let mut detach = conn.prepare("UPDATE sessions SET parent_session_id = NULL WHERE id = ?1")?;
    for id in ids(conn, WITHOUT_PARENT)? {
        detach.execute([id])?;
    }
    // The first to start of a circle cannot descend from the others; what is left is none then.
    while let Some(first) = ids(conn, IN_A_CIRCLE)?.first() {
        if detach.execute([first])? == 0 {
            break;
        }
    }
    Ok(())
}

fn adopt(conn: &Connection) -> rusqlite::Result<()> {
    let orphans = ids(conn, ORPHANS)?;
    if orphans.is_empty() || !has_table(conn, "sessions")? {
        return Ok(());
    }
    let mut insert = conn.prepare(
        "INSERT OR IGNORE INTO sessions (id, source, started_at, message_count)
         SELECT ?1, ?2, COALESCE(MIN(timestamp), 0), COUNT(*) FROM messages WHERE session_id = ?1",
    )?;
    for id in orphans {
        insert.execute(params![id, SOURCE])?;
    }
    Ok(())
}

/// Puts U+FFFD in the place of what is no UTF-8, in one pass over the table.
fn mend_text(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    let columns = column_names(conn, table)?;
    let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    let mut broken: Vec<(i64, &str, String)> = Vec::new();
    let mut statement =
        conn.prepare(&format!("SELECT rowid, {} FROM {table}", names.join(", ")))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for (at, name) in names.iter().enumerate() {
            if let ValueRef::Text(bytes) = row.get_ref(at + 1)?
                && std::str::from_utf8(bytes).is_err()
            {
                let text = String::from_utf8_lossy(bytes).into_owned();
                broken.push((row.get(0)?, name, text));
            }
        }
    }
    drop(rows);
    for (row, column, text) in broken {
        conn.prepare_cached(&format!(
            "UPDATE {table} SET {column} = ?2 WHERE rowid = ?1"
        ))?
        .execute(params![row, text])?;
    }
    Ok(())
}

/// Puts the number in the place of a version that is none: the one that its text means, or the one that
/// the tables look like.
fn set_version(conn: &Connection) -> rusqlite::Result<()> {
    let Some(version) = schema::version_meant(conn)? else {
        return Ok(());
    };
    conn.execute(
        "UPDATE schema_version SET version = ?1
         WHERE rowid = (SELECT rowid FROM schema_version ORDER BY rowid LIMIT 1)",
        [version],
    )
    .map(drop)
}
