//! Sessions: what a row holds, and ending, reopening and finding one.

use std::fmt;

use rusqlite::{OptionalExtension, named_params, params};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::{Column, Reading, record};
use crate::store::Store;
use crate::write::{Patience, Tx};

/// The id of a session, as stored: any text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// The id with this text.
    pub fn new(text: impl Into<String>) -> SessionId {
        SessionId(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for SessionId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>> From<T> for SessionId {
    fn from(text: T) -> SessionId {
        SessionId(text.into())
    }
}

impl Column for SessionId {
    fn read(stored: rusqlite::types::ValueRef<'_>) -> Reading<SessionId> {
        String::read(stored).map(SessionId)
    }

    fn absent() -> SessionId {
        SessionId(String::new())
    }
}

record! {
    /// One row of `sessions`.
    ///
    /// Serialised, its keys are the columns in this order, then those of `extra`, then `_raw`
    /// (see [`raw`](Self::raw)) if anything needs it. Times are seconds since the Unix epoch.
    pub struct Session {
        /// The session's id.
        pub id: SessionId,
        /// Where it was held: `cli`, `telegram`, `discord`, …
        pub source: String,
        /// The user's id on that platform.
        pub user_id: Option<String>,
        /// The model it began with.
        pub model: Option<String>,
        /// The model's settings, as JSON text.
        pub model_config: Option<String>,
        /// The system prompt as it was sent.
        pub system_prompt: Option<String>,
        /// The session that this one continues or branched from.
        pub parent_session_id: Option<String>,
        /// When it began.
        pub started_at: f64,
        /// When it ended, if it has.
        pub ended_at: Option<f64>,
        /// Why it ended: `user_exit`, `compression`, `branched`, …
        pub end_reason: Option<String>,
        /// Messages stored (as counted by the writers).
        pub message_count: Option<i64>,
        /// Tool calls made (as counted by the writers).
        pub tool_call_count: Option<i64>,
        /// Input tokens used.
        pub input_tokens: Option<i64>,
        /// Output tokens used.
        pub output_tokens: Option<i64>,
        /// Tokens read from the provider's cache.
        pub cache_read_tokens: Option<i64>,
        /// Tokens written to the provider's cache.
        pub cache_write_tokens: Option<i64>,
        /// Reasoning tokens used.
        pub reasoning_tokens: Option<i64>,
        /// Who bills.
        pub billing_provider: Option<String>,
        /// The endpoint that bills.
        pub billing_base_url: Option<String>,
        /// How it is billed.
        pub billing_mode: Option<String>,
        /// Estimated cost, US dollars.
        pub estimated_cost_usd: Option<f64>,
        /// Actual cost, US dollars, where the provider tells.
        pub actual_cost_usd: Option<f64>,
        /// State of the cost figures.
        pub cost_status: Option<String>,
        /// Where the cost figures come from.
        pub cost_source: Option<String>,
        /// The price list used.
        pub pricing_version: Option<String>,
        /// The title, unique among sessions.
        pub title: Option<String>,
        /// Calls made to the model's API.
        pub api_call_count: Option<i64>,
        /// State of a handoff to another platform.
        pub handoff_state: Option<String>,
        /// The platform it is handed to.
        pub handoff_platform: Option<String>,
        /// Why the handoff failed.
        pub handoff_error: Option<String>,
    }
}

/// Whether there is a session with this id.
pub(crate) const EXISTS: &str = "SELECT 1 FROM sessions WHERE id = ?1";

const END: &str = "UPDATE sessions SET ended_at = :now, end_reason = :reason
    WHERE id = :id AND ended_at IS NULL";

const REOPEN: &str = "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?1";

impl Store {
    /// Ends a session now. The first reason wins: ending an ended session changes nothing.
    ///
    /// Returns whether it was open.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], and the errors of every write.
    pub fn end_session(&self, id: impl AsRef<str>, reason: &str) -> Result<bool> {
        let id = id.as_ref();
        let now = self.now()?;
        self.write(Patience::Short, |tx| {
            let changed = end(tx, id, reason, now)?;
            if !changed {
                tx.require_session(id)?;
            }
            Ok(changed)
        })
    }

    /// Opens an ended session again: clears the time and the reason of its end.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], and the errors of every write.
    pub fn reopen_session(&self, id: impl AsRef<str>) -> Result<()> {
        let id = id.as_ref();
        self.write(Patience::Short, |tx| match tx.execute(REOPEN, [id])? {
            0 => Err(Error::UnknownSession { id: id.to_owned() }),
            _ => Ok(()),
        })
    }

    /// The session with exactly this id.
    ///
    /// # Errors
    /// Those of every read.
    pub fn session(&self, id: impl AsRef<str>) -> Result<Option<Session>> {
        self.read(|conn, layout| {
            let sql = format!(
                "SELECT {} FROM sessions s WHERE s.id = ?1",
                layout.sessions.select
            );
            conn.prepare_cached(&sql)?
                .query_row([id.as_ref()], |row| {
                    Session::read(row, &layout.sessions.extra)
                })
                .optional()
        })
    }

    /// The id that a person meant: exactly this one, or the only one that begins with it.
    /// `None` if there is no such id, or more than one; an empty text names nothing.
    ///
    /// # Errors
    /// Those of every read.
    pub fn resolve_session_id(&self, text: &str) -> Result<Option<SessionId>> {
        if text.is_empty() {
            return Ok(None);
        }
        let mut found = self.session_ids_like(text, 2)?;
        let only = found.pop().filter(|_| found.is_empty());
        Ok(only)
    }

    /// The ids that a person may have meant: exactly this one, or else those that begin with it
    /// (ASCII capitals and small letters are the same), at most `limit`, in their order.
    ///
    /// # Errors
    /// Those of every read.
    pub fn session_ids_like(&self, text: &str, limit: usize) -> Result<Vec<SessionId>> {
        self.read(|conn, _| {
            if conn.prepare_cached(EXISTS)?.exists([text])? {
                return Ok(vec![SessionId::new(text)]);
            }
            let mut statement = conn.prepare_cached(
                "SELECT id FROM sessions WHERE id LIKE ?1 ESCAPE '\\' ORDER BY id LIMIT ?2",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![like_prefix(text), limit], |row| {
                Ok(SessionId::new(row.get::<_, String>(0)?))
            })?;
            rows.collect()
        })
    }
}

/// Ends a session that is open; whether it was.
pub(crate) fn end(tx: &Tx<'_>, id: &str, reason: &str, now: f64) -> Result<bool> {
    let values = named_params! {":now": now, ":reason": reason, ":id": id};
    Ok(tx.execute(END, values)? == 1)
}

/// `text` as a LIKE pattern (with `\` to escape) for everything that begins with it.
pub(crate) fn like_prefix(text: &str) -> String {
    let mut pattern = like_escaped(text);
    pattern.push('%');
    pattern
}

/// `text` as part of a LIKE pattern, where it means itself.
pub(crate) fn like_escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// SQLite turns NaN into NULL, and an infinite time means nothing to any reader.
pub(crate) fn check_time(what: &'static str, seconds: f64) -> Result<()> {
    if seconds.is_finite() {
        return Ok(());
    }
    Err(Error::Invalid {
        what,
        problem: format!("is not a time: {seconds}"),
    })
}
