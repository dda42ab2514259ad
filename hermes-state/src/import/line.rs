//! One line of an import, taken apart into the rows that it stands for.

use std::collections::BTreeMap;
use std::ops::Range;

use rusqlite::types::Value as Sql;
use serde_json::{Map, Value};

use crate::content::Content;
use crate::json_text::{JsonText, decode_string, elements, members};
use crate::record::{decode, tagged_value};
use crate::schema::{Columns, Layout};
use crate::session::SessionId;

/// Keys that an export may hold beside the columns: they follow from the rows.
const DERIVED: [&str; 3] = ["last_active", "preview", "_lineage_root_id"];

/// Columns that hold JSON as text.
const JSON_COLUMNS: [&str; 5] = [
    "tool_calls",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "model_config",
];

/// Counters that nothing in a line tells, where it does not name them.
const COUNTERS: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "api_call_count",
];

/// A session to be stored. Its messages are checked and stay in the text until they are stored:
/// all their rows beside it would take the memory twice.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) id: SessionId,
    pub(super) session: Row,
    pub(super) inactive: u64,
    pub(super) dropped: BTreeMap<String, u64>,
    text: String,
    messages: Vec<Message>,
}

/// A message in the text of its line.
#[derive(Debug)]
struct Message {
    at: Range<usize>,
    /// Its own, or that of the one before it, in seconds since 1970.
    timestamp: f64,
}

/// Why a line cannot be imported, with the session's id where it is known.
type Problem = (Option<SessionId>, String);

impl Line {
    /// `None` for a blank line.
    pub(super) fn parse(
        bytes: Vec<u8>,
        layout: &Layout,
        now: f64,
    ) -> Result<Option<Line>, Problem> {
        let text = String::from_utf8(bytes).map_err(|e| (None, format!("is no session: {e}")))?;
        let trimmed = text.trim_start_matches('\u{feff}').trim();
        if trimmed.is_empty() {
            return Ok(None);
        }
        let mut dropped = BTreeMap::new();
        let object = members(trimmed).map_err(|e| (None, format!("is no session: {e}")))?;
        let messages_text = object
            .iter()
            .rev()
            .find(|(key, _)| key == "messages")
            .map(|(_, v)| *v);
        let mut session = Row::read(&object, &layout.sessions, &mut dropped)
            .map_err(|problem| (None, problem))?;
        let id = match session.text("id") {
            Some(id) if !id.is_empty() => SessionId::new(id),
            _ => {
                return Err((
                    None,
                    "has no `id`: a session's export is expected".to_owned(),
                ));
            }
        };
        let known = |problem: String| (Some(id.clone()), problem);

        let mut messages = Vec::new();
        let mut first_time = None;
        let mut calls = 0;
        let mut inactive = 0;
        for (n, element) in elements(messages_text.unwrap_or("[]"))
            .map_err(|e| known(format!("`messages` is not a list: {e}")))?
            .into_iter()
            .enumerate()
        {
            let object = members(element)
                .map_err(|e| known(format!("message {n} is not an object: {e}")))?;
            if is_inactive(&object, layout) {
                inactive += 1;
                continue;
            }
            let row = Row::read(&object, &layout.messages, &mut dropped)
                .map_err(|problem| known(format!("message {n}: {problem}")))?;
            let time = row.time("timestamp");
            first_time = first_time.or(time);
            calls += row.text("tool_calls").map_or(0, call_count);
            let start = element.as_ptr().addr() - text.as_ptr().addr();
            messages.push((start..start + element.len(), time));
        }

        session.fill("source", || Sql::Text("import".to_owned()));
        session.fill("started_at", || Sql::Real(first_time.unwrap_or(now)));
        session.fill("message_count", || count(messages.len()));
        session.fill("tool_call_count", || count(calls));
        // NULL, as a version without the column exports it, would stay NULL however much is added.
        for counter in COUNTERS {
            session.fill(counter, || count(0));
        }
        let mut timestamp = session.time("started_at").unwrap_or(now);
        let messages = messages
            .into_iter()
            .map(|(at, time)| {
                timestamp = time.unwrap_or(timestamp);
                Message { at, timestamp }
            })
            .collect();
        Ok(Some(Line {
            id,
            session,
            inactive,
            dropped,
            text,
            messages,
        }))
    }

    /// How many messages are to be stored.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// The rows of the messages from one on, as they are stored in a session of this id.
    pub(super) fn messages<'a>(
        &'a self,
        from: usize,
        session: &'a SessionId,
        layout: &'a Layout,
    ) -> impl Iterator<Item = Result<Row, String>> + 'a {
        let rest = self.messages.get(from..).unwrap_or_default();
        rest.iter().map(move |message| {
            let text = self.text.get(message.at.clone()).unwrap_or_default();
            let object = members(text).map_err(|e| e.to_string())?;
            let mut row = Row::read(&object, &layout.messages, &mut BTreeMap::new())?;
            row.remove("id");
            row.set("session_id", Sql::Text(session.to_string()));
            row.fill("role", || Sql::Text("unknown".to_owned()));
            row.fill("timestamp", || Sql::Real(message.timestamp));
            Ok(row)
        })
    }
}

fn count(n: usize) -> Sql {
    Sql::Integer(i64::try_from(n).unwrap_or(i64::MAX))
}

fn call_count(tool_calls: &str) -> usize {
    JsonText::parse(tool_calls)
        .ok()
        .and_then(|calls| calls.array_len())
        .unwrap_or(1)
}

/// Taken back, or replaced by a compression, in a version that this store's layout cannot say.
fn is_inactive(message: &[(String, &str)], layout: &Layout) -> bool {
    !layout.messages.has("active")
        && message
            .iter()
            .any(|(key, value)| key == "active" && *value == "0")
}

/// Columns and values of one row, in the order of the input.
#[derive(Debug, Clone, Default)]
pub(super) struct Row(Vec<(String, Sql)>);

impl Row {
    /// Takes the members that the table has columns for, and counts the others.
    fn read(
        object: &[(String, &str)],
        columns: &Columns,
        dropped: &mut BTreeMap<String, u64>,
    ) -> Result<Row, String> {
        let mut row = Row::default();
        for (key, text) in object {
            if columns.has(key) {
                row.set(key, value(key, text)?);
            } else if !DERIVED.contains(&key.as_str())
                && !["messages", "_raw"].contains(&key.as_str())
                && !says_nothing(key, text)
            {
                *dropped.entry(key.clone()).or_default() += 1;
            }
        }
        // Exact values come last: they stand for what the plain keys could not say.
        if let Some((_, text)) = object.iter().rev().find(|(key, _)| key == "_raw") {
            let raw: Map<String, Value> =
                serde_json::from_str(text).map_err(|e| format!("`_raw` does not parse: {e}"))?;
            for (key, exact) in raw.iter().filter(|(key, _)| columns.has(key)) {
                row.set(key, decode(exact));
            }
        }
        Ok(row)
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(column, _)| column.as_str())
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Sql> {
        self.0.iter().map(|(_, value)| value)
    }

    pub(super) fn value(&self, column: &str) -> Option<&Sql> {
        self.0
            .iter()
            .find(|(name, _)| name == column)
            .map(|(_, value)| value)
    }

    pub(super) fn text(&self, column: &str) -> Option<&str> {
        match self.value(column) {
            Some(Sql::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn time(&self, column: &str) -> Option<f64> {
        match self.value(column) {
            Some(Sql::Real(x)) => Some(*x),
            #[expect(
                clippy::cast_precision_loss,
                reason = "a REAL column stores integers so, too"
            )]
            Some(Sql::Integer(n)) => Some(*n as f64),
            _ => None,
        }
    }

    pub(super) fn set(&mut self, column: &str, value: Sql) {
        match self.0.iter_mut().find(|(name, _)| name == column) {
            Some((_, old)) => *old = value,
            None => self.0.push((column.to_owned(), value)),
        }
    }

    fn remove(&mut self, column: &str) {
        self.0.retain(|(name, _)| name != column);
    }

    /// Sets a value where there is none, or NULL.
    fn fill(&mut self, column: &str, value: impl FnOnce() -> Sql) {
        if self.value(column).is_none_or(|v| *v == Sql::Null) {
            self.set(column, value());
        }
    }
}

/// A value that is the column's default in the versions that have it.
fn says_nothing(column: &str, value: &str) -> bool {
    matches!(value, "null" | "0" | "\"\"") || (column, value) == ("active", "1")
}

/// A member's value as the column stores it.
fn value(column: &str, text: &str) -> Result<Sql, String> {
    let structured = || match column {
        "content" => JsonText::parse(text).ok().and_then(|json| {
            Content::Json(json)
                .to_stored_text()
                .map(|stored| Sql::Text(stored.into_owned()))
        }),
        "tool_calls" if is_empty(text) => Some(Sql::Null),
        _ => Some(Sql::Text(text.to_owned())),
    };
    let bad = || format!("`{column}` cannot be read");
    match text.as_bytes().first() {
        Some(b'"') => {
            let (text, _) = decode_string(text).ok_or_else(bad)?;
            Ok(Sql::Text(text))
        }
        // A column that this crate does not know has no `_raw` beside it.
        Some(b'{') if let Some(stored) = tagged(column, text) => Ok(stored),
        Some(b'{' | b'[') => structured().ok_or_else(bad),
        _ if column == "content" && text != "null" => structured().ok_or_else(bad),
        Some(b'n') => Ok(Sql::Null),
        Some(b't') => Ok(Sql::Integer(1)),
        Some(b'f') => Ok(Sql::Integer(0)),
        _ if JSON_COLUMNS.contains(&column) => Ok(Sql::Text(text.to_owned())),
        _ => Ok(number(text)),
    }
}

/// What an export writes for bytes and the like, in a column that holds no JSON of its own.
fn tagged(column: &str, text: &str) -> Option<Sql> {
    if column == "content" || JSON_COLUMNS.contains(&column) {
        return None;
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => tagged_value(&map),
        _ => None,
    }
}

fn is_empty(list: &str) -> bool {
    elements(list).is_ok_and(|items| items.is_empty())
}

/// Integers beyond 64 bits and other numbers become REAL; NaN has no place in SQLite but NULL.
fn number(text: &str) -> Sql {
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(n), _) => Sql::Integer(n),
        (Err(_), Ok(x)) if !x.is_nan() => Sql::Real(x),
        _ => match text {
            "Infinity" => Sql::Real(f64::INFINITY),
            "-Infinity" => Sql::Real(f64::NEG_INFINITY),
            _ => Sql::Null,
        },
    }
}
