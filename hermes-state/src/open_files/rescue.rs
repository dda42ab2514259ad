//! What a log held that somebody has taken from a store in use: saved, and put back later.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::append::{index, tool_calls_charged};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::health::make_readable;
use crate::json_text::JsonText;
use crate::message::MessageId;
use crate::open::{self, side_file};
use crate::record::Column;
use crate::schema::{column_names, quoted};
use crate::session::EXISTS;
use crate::snapshot;
use crate::store::{Store, StoreOptions};
use crate::wording::counted;
use crate::write::{Patience, Tx, WriteBudget};

/// What is behind the store's name in that of a copy that is to be put back.
const SUFFIX: &str = ".orphaned";

/// Saves what this connection sees of a store whose files were replaced, as a store of its own. `mergeable`:
/// only the log is another, so that a later opening puts back what the store lacks. Also whether the copy is whole.
pub(super) fn save(conn: &Connection, path: &Path, mergeable: bool) -> Result<(PathBuf, bool)> {
    let waiting = side_file(path, SUFFIX);
    let to = if mergeable && !waiting.exists() {
        waiting
    } else {
        snapshot::beside(path, "orphaned")
    };
    let budget = WriteBudget::default();
    let whole = make_readable(&to, |draft| {
        snapshot::into_new_file(draft, |copy| {
            snapshot::copy_all(conn, path, copy, &budget, &|_, _| {})?;
            // No log beside it.
            copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
                .map_err(|e| Error::from_sqlite(draft, e))
        })
    })?;
    Ok((to, whole))
}

/// Puts back what was saved of a log that was taken away, if there is any: the messages and sessions that
/// the store lacks. The copy stays under another name. Says what was done, for people.
pub(crate) fn put_back(store: &Store) -> Result<Option<String>> {
    let saved = side_file(store.path(), SUFFIX);
    if !saved.exists() {
        return Ok(None);
    }
    let old = open::connect_reader(&saved, &StoreOptions::new().read_only(), false)?;
    let put = store.write(Patience::Short, |tx| put_rows(tx, &old, &saved))?;
    drop(old);
    let kept = snapshot::beside(store.path(), "orphaned");
    fs::rename(&saved, &kept).map_err(|e| open::system_error(&saved, e))?;
    let mut told = format!(
        "put back {} and {} of a log that was taken from the store while it was open; {} stays",
        counted(put.sessions, "session"),
        counted(put.messages, "message"),
        kept.display()
    );
    if put.differing > 0 {
        told.push_str(&format!(
            ", with {} that differ there",
            counted(put.differing, "session")
        ));
    }
    tracing::warn!("{told}");
    Ok(Some(told))
}

#[derive(Default)]
struct Put {
    sessions: u64,
    messages: u64,
    /// Sessions that are in both, and not the same.
    differing: u64,
}

fn put_rows(tx: &Tx<'_>, old: &Connection, saved: &Path) -> Result<Put> {
    let at_old = |e| Error::from_sqlite(saved, e);
    let common = |table: &str, known: &[String]| {
        let names = column_names(old, table).map_err(at_old)?;
        let common = names.into_iter().filter(|name| known.contains(name));
        Ok::<Vec<String>, Error>(common.collect())
    };
    let of_sessions = common("sessions", &tx.layout().sessions.names)?;
    let of_messages = common("messages", &tx.layout().messages.names)?;
    let mut put = Put::default();
    let messages = behind(tx, old, saved, &of_messages)?;
    let mut wanted: Vec<String> = Vec::new();
    for message in &messages {
        if let Some(Sql::Text(id)) = message.value(&of_messages, "session_id")
            && !wanted.contains(id)
        {
            wanted.push(id.clone());
        }
    }
    put_sessions(tx, old, saved, &of_sessions, &wanted, &mut put)?;
    for message in &messages {
        if is_there(tx, &of_messages, message)? {
            continue;
        }
        put_message(tx, &of_messages, message)?;
        put.messages += 1;
    }
    Ok(put)
}

/// A row of a table, in the order of some list of columns.
struct Row(Vec<Sql>);

impl Row {
    fn value(&self, columns: &[String], name: &str) -> Option<&Sql> {
        let at = columns.iter().position(|column| column == name)?;
        self.0.get(at)
    }

    fn text(&self, columns: &[String], name: &str) -> Option<&str> {
        match self.value(columns, name) {
            Some(Sql::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn read(row: &rusqlite::Row<'_>, width: usize) -> rusqlite::Result<Row> {
        (0..width)
            .map(|at| row.get(at))
            .collect::<rusqlite::Result<_>>()
            .map(Row)
    }
}

fn list(columns: &[String]) -> String {
    let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    names.join(", ")
}

/// The saved messages behind the last one that is the same in both, the first of them first: ids only
/// grow, so these are the ones that the log held.
fn behind(tx: &Tx<'_>, old: &Connection, saved: &Path, columns: &[String]) -> Result<Vec<Row>> {
    let at_old = |e| Error::from_sqlite(saved, e);
    let sql = format!("SELECT {} FROM messages ORDER BY id DESC", list(columns));
    let mut statement = old.prepare(&sql).map_err(at_old)?;
    let mut rows = statement.query([]).map_err(at_old)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(at_old)? {
        let row = Row::read(row, columns.len()).map_err(at_old)?;
        let same = "SELECT 1 FROM messages WHERE id = ?1 AND session_id IS ?2 AND role IS ?3
            AND timestamp IS ?4 AND content IS ?5";
        let key = ["id", "session_id", "role", "timestamp", "content"]
            .map(|name| row.value(columns, name).cloned().unwrap_or(Sql::Null));
        if tx.sqlite(|conn| conn.prepare_cached(same)?.exists(params_from_iter(&key)))? {
            break;
        }
        found.push(row);
    }
    found.reverse();
    Ok(found)
}

/// Whether a message is there under whatever id, from an attempt before this one.
fn is_there(tx: &Tx<'_>, columns: &[String], row: &Row) -> Result<bool> {
    let same = "SELECT 1 FROM messages WHERE session_id IS ?1 AND role IS ?2 AND timestamp IS ?3
        AND content IS ?4 AND tool_calls IS ?5 AND tool_call_id IS ?6";
    let key = [
        "session_id",
        "role",
        "timestamp",
        "content",
        "tool_calls",
        "tool_call_id",
    ]
    .map(|name| row.value(columns, name).cloned().unwrap_or(Sql::Null));
    tx.sqlite(|conn| conn.prepare_cached(same)?.exists(params_from_iter(&key)))
}

fn put_sessions(
    tx: &Tx<'_>,
    old: &Connection,
    saved: &Path,
    columns: &[String],
    wanted: &[String],
    put: &mut Put,
) -> Result<()> {
    let at_old = |e| Error::from_sqlite(saved, e);
    let sql = format!("SELECT {} FROM sessions ORDER BY rowid", list(columns));
    let mut statement = old.prepare(&sql).map_err(at_old)?;
    let rows: Vec<Row> = statement
        .query_map([], |row| Row::read(row, columns.len()))
        .and_then(Iterator::collect)
        .map_err(at_old)?;
    let there = |id: &str| tx.exists(EXISTS, id);
    let mut newest_common = None;
    for (at, row) in rows.iter().enumerate() {
        if let Some(id) = row.text(columns, "id")
            && there(id)?
        {
            newest_common = Some(at);
        }
    }
    for (at, mut row) in rows.into_iter().enumerate() {
        let Some(id) = row.text(columns, "id").map(str::to_owned) else {
            continue;
        };
        if there(&id)? {
            put.differing += u64::from(differs(tx, columns, &row, &id)?);
            continue;
        }
        // One that others have deleted meanwhile stays so, unless messages were put into it since.
        if newest_common.is_some_and(|newest| at < newest) && !wanted.contains(&id) {
            continue;
        }
        for (name, taken) in [("parent_session_id", false), ("title", true)] {
            let Some(value) = row.text(columns, name) else {
                continue;
            };
            let sql = if taken {
                "SELECT 1 FROM sessions WHERE title = ?1"
            } else {
                EXISTS
            };
            if tx.exists(sql, value)? == taken
                && let Some(at) = columns.iter().position(|column| column == name)
                && let Some(value) = row.0.get_mut(at)
            {
                *value = Sql::Null;
            }
        }
        insert(tx, "sessions", columns, &row.0)?;
        // They are counted as they are put back.
        tx.execute(
            "UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = ?1",
            [&id],
        )?;
        put.sessions += 1;
    }
    Ok(())
}

fn differs(tx: &Tx<'_>, columns: &[String], row: &Row, id: &str) -> Result<bool> {
    let sql = format!("SELECT {} FROM sessions WHERE id = ?1", list(columns));
    let live = tx.sqlite(|conn| {
        conn.prepare_cached(&sql)?
            .query_row([id], |row| Row::read(row, columns.len()))
            .optional()
    })?;
    Ok(live.is_none_or(|live| live.0 != row.0))
}

fn put_message(tx: &Tx<'_>, columns: &[String], row: &Row) -> Result<()> {
    let mut values = row.0.clone();
    // Others may have given its id to another message.
    if let Some(Sql::Integer(id)) = row.value(columns, "id")
        && tx.sqlite(|conn| {
            conn.prepare_cached("SELECT 1 FROM messages WHERE id = ?1")?
                .exists([id])
        })?
        && let Some(at) = columns.iter().position(|column| column == "id")
        && let Some(value) = values.get_mut(at)
    {
        *value = Sql::Null;
    }
    insert(tx, "messages", columns, &values)?;
    let id: MessageId = tx.last_id();
    let content = row
        .value(columns, "content")
        .and_then(|value| Option::<Content>::of(value.into()));
    let tool_calls = row.text(columns, "tool_calls");
    index(
        tx,
        id,
        content.as_ref(),
        row.text(columns, "tool_name"),
        tool_calls,
    )?;
    let counts = !matches!(row.value(columns, "active"), Some(Sql::Integer(0)));
    let calls = tool_calls.map(|text| JsonText::parse(text));
    let charged = match calls {
        Some(Ok(json)) => tool_calls_charged(Some(&json)),
        Some(Err(_)) => 1,
        None => 0,
    };
    tx.execute(
        "UPDATE sessions SET message_count = COALESCE(message_count, 0) + ?2,
            tool_call_count = COALESCE(tool_call_count, 0) + ?3 WHERE id = ?1",
        params![row.text(columns, "session_id"), counts, charged],
    )?;
    Ok(())
}

fn insert(tx: &Tx<'_>, table: &str, columns: &[String], values: &[Sql]) -> Result<()> {
    let marks = vec!["?"; columns.len()].join(", ");
    let sql = format!("INSERT INTO {table} ({}) VALUES ({marks})", list(columns));
    tx.execute(&sql, params_from_iter(values)).map(drop)
}
