//! What a log held that somebody has taken from a store in use: saved, and put back later.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, params, params_from_iter};

use crate::append::{index, tool_calls_charged};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::health::make_readable;
use crate::json_text::JsonText;
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
    let whole = make_readable(&to, |draft| {
        snapshot::into_new_file(draft, |copy| {
            snapshot::copy_all(conn, path, copy, &WriteBudget::default(), &|_, _| {})?;
            // No log beside it.
            copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
                .map_err(|e| Error::from_sqlite(draft, e))
        })
    })?;
    Ok((to, whole))
}

/// Puts back what was saved of a log that was taken away, if there is any: the sessions and messages that
/// the store lacks, not what was changed or deleted. The copy stays under another name. Says what was done,
/// for people.
pub(crate) fn put_back(store: &Store) -> Result<Option<String>> {
    let saved = side_file(store.path(), SUFFIX);
    if !saved.exists() {
        return Ok(None);
    }
    let old = open::connect_reader(&saved, &StoreOptions::new().read_only(), false)?;
    let (sessions, messages) = store.write(Patience::Short, |tx| {
        let old = Old {
            conn: &old,
            path: &saved,
        };
        put_rows(tx, &old)
    })?;
    drop(old);
    let kept = snapshot::beside(store.path(), "orphaned");
    match fs::rename(&saved, &kept) {
        // Another process was at it, too, and found all of it there.
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        renamed => renamed.map_err(|e| open::system_error(&saved, e))?,
    }
    let told = format!(
        "put back {} and {} of a log that was taken from the store while it was open; whatever else it held is in {}",
        counted(sessions, "session"),
        counted(messages, "message"),
        kept.display()
    );
    tracing::warn!("{told}");
    Ok(Some(told))
}

fn put_rows(tx: &Tx<'_>, old: &Old<'_>) -> Result<(u64, u64)> {
    let is_same = |row: &Row| row.is_in(tx, "messages", &SAME_MESSAGE);
    let messages = old.rows_behind("messages", &tx.layout().messages.names, is_same)?;
    let is_there = |row: &Row| row.is_in(tx, "sessions", &["id"]);
    let known = &tx.layout().sessions.names;
    let mut sessions = old.rows_behind("sessions", known, is_there)?;
    // One that others have deleted meanwhile comes back if messages were put into it since.
    for id in messages.iter().filter_map(|row| row.text("session_id")) {
        if !tx.exists(EXISTS, id)? && !sessions.iter().any(|row| row.text("id") == Some(id)) {
            sessions.extend(old.rows("sessions", known, "WHERE id = ?1", &[id])?);
        }
    }
    for row in &mut sessions {
        put_session(tx, row)?;
    }
    let mut put = 0;
    for mut row in messages {
        // From an attempt before this one it may have another id.
        if !row.is_in(tx, "messages", &EQUAL_MESSAGE)? {
            put_message(tx, &mut row)?;
            put += 1;
        }
    }
    Ok((sessions.len() as u64, put))
}

/// What tells that a message of the copy is the one that has its id in the store.
const SAME_MESSAGE: [&str; 4] = ["id", "session_id", "role", "timestamp"];

/// What tells that a message is there under whatever id.
const EQUAL_MESSAGE: [&str; 6] = [
    "session_id",
    "role",
    "timestamp",
    "content",
    "tool_calls",
    "tool_call_id",
];

fn put_session(tx: &Tx<'_>, row: &mut Row) -> Result<()> {
    if let Some(parent) = row.text("parent_session_id")
        && !tx.exists(EXISTS, parent)?
    {
        row.set("parent_session_id", Sql::Null);
    }
    if let Some(title) = row.text("title")
        && tx.exists("SELECT 1 FROM sessions WHERE title = ?1", title)?
    {
        row.set("title", Sql::Null);
    }
    // Its messages are counted as they are put back.
    row.set("message_count", Sql::Integer(0));
    row.set("tool_call_count", Sql::Integer(0));
    row.insert(tx, "sessions")
}

fn put_message(tx: &Tx<'_>, row: &mut Row) -> Result<()> {
    // Others may have given its id to another message.
    if row.is_in(tx, "messages", &["id"])? {
        row.set("id", Sql::Null);
    }
    row.insert(tx, "messages")?;
    let content = row.value("content");
    let content = content.and_then(|value| Option::<Content>::of(value.into()));
    let tool_calls = row.text("tool_calls");
    let tool_name = row.text("tool_name");
    index(tx, tx.last_id(), content.as_ref(), tool_name, tool_calls)?;
    let charged = match tool_calls.map(JsonText::parse) {
        Some(Ok(calls)) => tool_calls_charged(Some(&calls)),
        Some(Err(_)) => 1,
        None => 0,
    };
    tx.execute(
        "UPDATE sessions SET message_count = COALESCE(message_count, 0) + ?2,
            tool_call_count = COALESCE(tool_call_count, 0) + ?3 WHERE id = ?1",
        params![
            row.text("session_id"),
            row.value("active") != Some(&Sql::Integer(0)),
            charged
        ],
    )?;
    Ok(())
}

/// A row by its columns.
struct Row(Vec<(String, Sql)>);

impl Row {
    fn value(&self, column: &str) -> Option<&Sql> {
        self.0
            .iter()
            .find(|(name, _)| name == column)
            .map(|(_, value)| value)
    }

    fn text(&self, column: &str) -> Option<&str> {
        match self.value(column) {
            Some(Sql::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn set(&mut self, column: &str, value: Sql) {
        if let Some(place) = self.0.iter_mut().find(|(name, _)| name == column) {
            place.1 = value;
        }
    }

    /// Whether the store has a row with the same values in these columns.
    fn is_in(&self, tx: &Tx<'_>, table: &str, columns: &[&str]) -> Result<bool> {
        let equal: Vec<String> = columns.iter().map(|name| format!("{name} IS ?")).collect();
        let sql = format!("SELECT 1 FROM {table} WHERE {}", equal.join(" AND "));
        let values = columns.iter().map(|name| self.value(name));
        tx.sqlite(|conn| conn.prepare_cached(&sql)?.exists(params_from_iter(values)))
    }

    fn insert(&self, tx: &Tx<'_>, table: &str) -> Result<()> {
        let (names, values): (Vec<String>, Vec<&Sql>) = self
            .0
            .iter()
            .map(|(name, value)| (quoted(name), value))
            .unzip();
        let marks = vec!["?"; names.len()].join(", ");
        let sql = format!(
            "INSERT INTO {table} ({}) VALUES ({marks})",
            names.join(", ")
        );
        tx.execute(&sql, params_from_iter(values)).map(drop)
    }
}

/// The copy.
struct Old<'a> {
    conn: &'a Connection,
    path: &'a Path,
}

impl Old<'_> {
    /// The rows behind the last one that is in the store too, the first of them first. Row ids only grow:
    /// these are the ones that the log held.
    fn rows_behind(
        &self,
        table: &str,
        known: &[String],
        is_there: impl Fn(&Row) -> Result<bool>,
    ) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        self.visit(table, known, "ORDER BY rowid DESC", &[], |row| {
            let go_on = !is_there(&row)?;
            if go_on {
                found.push(row);
            }
            Ok(go_on)
        })?;
        found.reverse();
        Ok(found)
    }

    fn rows(&self, table: &str, known: &[String], tail: &str, key: &[&str]) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        self.visit(table, known, tail, key, |row| {
            found.push(row);
            Ok(true)
        })?;
        Ok(found)
    }

    /// Shows rows, with the columns that the store knows, until told to stop.
    fn visit(
        &self,
        table: &str,
        known: &[String],
        tail: &str,
        key: &[&str],
        mut show: impl FnMut(Row) -> Result<bool>,
    ) -> Result<()> {
        let sqlite = |e| Error::from_sqlite(self.path, e);
        let mut columns = column_names(self.conn, table).map_err(sqlite)?;
        columns.retain(|name| known.contains(name));
        let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let sql = format!("SELECT {} FROM {table} {tail}", names.join(", "));
        let mut statement = self.conn.prepare(&sql).map_err(sqlite)?;
        let mut rows = statement.query(params_from_iter(key)).map_err(sqlite)?;
        while let Some(row) = rows.next().map_err(sqlite)? {
            let values = columns.iter().enumerate().map(|(at, name)| {
                let value = match row.get_ref(at)? {
                    ValueRef::Text(bytes) => Sql::Text(String::from_utf8_lossy(bytes).into_owned()),
                    ValueRef::Blob(bytes) => Sql::Blob(bytes.to_vec()),
                    ValueRef::Integer(n) => Sql::Integer(n),
                    ValueRef::Real(x) => Sql::Real(x),
                    ValueRef::Null => Sql::Null,
                };
                Ok((name.clone(), value))
            });
            let values = values.collect::<rusqlite::Result<_>>().map_err(sqlite)?;
            if !show(Row(values))? {
                break;
            }
        }
        Ok(())
    }
}
