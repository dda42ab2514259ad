//! The word index of versions 23 and later, which leaves out what is known: the ends of long tool
//! results, and messages that a rebuild has not come to yet.

use rusqlite::{Connection, OptionalExtension};

use super::{EVENTS, Objects, is_inline, unknown_tokenizer};
use crate::error::is_of_the_moment;
use crate::schema::NEWEST_WRITABLE_VERSION;

const TABLE: &str = "messages_fts";

/// What cuts the text of a tool result, in the view and in the triggers, without its blanks.
const CUT: &str = "substr(coalesce(content,''),1,8192)";
const CUT_NEW: &str = "substr(coalesce(new.content,''),1,8192)";

/// Whether the table is there, is kept by its triggers, and leaves out nothing else.
pub(super) fn can_be_used(
    conn: &Connection,
    objects: &Objects,
    version: i64,
) -> rusqlite::Result<bool> {
    if version <= NEWEST_WRITABLE_VERSION {
        return Ok(false);
    }
    let Some(table) = objects.sql("table", TABLE) else {
        return Ok(false);
    };
    let known = unknown_tokenizer(table).is_none()
        && (is_inline(table) || is_external(objects, table))
        && EVENTS.iter().all(|event| {
            let sql = objects.sql("trigger", &format!("{TABLE}_{event}"));
            sql.is_some_and(|sql| *event == "delete" || squeezed(sql).contains(CUT_NEW))
        });
    if !known {
        return Ok(false);
    }
    // Naming the virtual table makes SQLite load it.
    let readable = conn.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM messages_fts LIMIT 0)
             AND NOT EXISTS (SELECT 1 FROM messages_fts_docsize LIMIT 0)",
        [],
        |row| row.get::<_, bool>(0),
    );
    match readable {
        Err(e) if is_of_the_moment(&e) => Err(e),
        Err(_) => Ok(false),
        Ok(readable) => Ok(readable && !is_stale(conn, objects)?),
    }
}

/// Three columns over the view that cuts tool results.
fn is_external(objects: &Objects, table: &str) -> bool {
    let table = squeezed(table);
    let columns =
        "fts5(content,tool_name,tool_calls,content='messages_fts_src',content_rowid='id')";
    let view = objects.sql("view", "messages_fts_src").map(squeezed);
    table.ends_with(columns)
        && view.is_some_and(|view| {
            view.ends_with(&format!(
                "selectid,casewhenrole='tool'then{CUT}elsecontentendascontent,\
                 tool_name,tool_callsfrommessages"
            ))
        })
}

/// Whether the agent has detached the index.
fn is_stale(conn: &Connection, objects: &Objects) -> rusqlite::Result<bool> {
    if !objects.has("table", "state_meta") {
        return Ok(false);
    }
    let sql =
        "SELECT COALESCE(value, '0') NOT IN ('', '0') FROM state_meta WHERE key = 'fts_stale'";
    let stale = conn.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(stale.unwrap_or(false))
}

/// In lower case, without blanks.
fn squeezed(sql: &str) -> String {
    sql.chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}
