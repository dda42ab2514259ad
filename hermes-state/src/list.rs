//! Listing sessions: newest first, each with a preview and its last activity.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::content::Content;
use crate::error::Result;
use crate::record::column;
use crate::schema::Layout;
use crate::session::{Session, SessionId};
use crate::store::Store;

/// Characters of the first user message that a preview shows.
const PREVIEW_CHARS: usize = 60;

/// Continuations that a compressed session is followed through: enough for any, and an end for
/// sessions that are each other's parents.
const MAX_CONTINUATIONS: usize = 100;

/// Which sessions to list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListOptions {
    /// Only these sources; all if empty.
    pub sources: Vec<String>,
    /// Not these sources.
    pub exclude_sources: Vec<String>,
    /// At most this many.
    pub limit: usize,
    /// Skip this many first.
    pub offset: usize,
    /// Also sessions that another one started (sub-agents) or that continue one.
    pub include_children: bool,
    /// Also sessions that were archived (newer versions).
    pub include_archived: bool,
    /// Show a session that was compressed as its latest continuation.
    pub project_compression: bool,
}

impl Default for ListOptions {
    fn default() -> ListOptions {
        ListOptions {
            sources: Vec::new(),
            exclude_sources: Vec::new(),
            limit: 20,
            offset: 0,
            include_children: false,
            include_archived: false,
            project_compression: true,
        }
    }
}

/// A session as a list shows it. Serialised: the session's keys, then `last_active`, `preview`
/// and, for a compressed session shown as its continuation, `_lineage_root_id`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionSummary {
    /// The session.
    pub session: Session,
    /// The time of its newest message, or its start.
    pub last_active: f64,
    /// The beginning of its first user message.
    pub preview: String,
    /// The first session of the lineage, if this is a continuation standing in for it.
    pub lineage_root_id: Option<SessionId>,
}

impl Serialize for SessionSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.session.write(&mut map)?;
        map.serialize_entry("last_active", &self.last_active)?;
        map.serialize_entry("preview", &self.preview)?;
        if let Some(root) = &self.lineage_root_id {
            map.serialize_entry("_lineage_root_id", root)?;
        }
        map.end()
    }
}

impl Store {
    /// Lists sessions, the latest started first; among equals the one stored first.
    ///
    /// # Errors
    /// Those of every read.
    pub fn list_sessions(&self, options: &ListOptions) -> Result<Vec<SessionSummary>> {
        self.read(|conn, layout| {
            let (condition, mut values) = conditions(options, layout);
            let sql = format!(
                "SELECT {} FROM sessions s WHERE {condition}
                 ORDER BY s.started_at DESC, s.rowid LIMIT ? OFFSET ?",
                layout.sessions.select
            );
            values.push(Sql::Integer(
                i64::try_from(options.limit).unwrap_or(i64::MAX),
            ));
            values.push(Sql::Integer(
                i64::try_from(options.offset).unwrap_or(i64::MAX),
            ));
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(values), |row| {
                Session::read(row, &layout.sessions.extra)
            })?;
            rows.map(|session| {
                let session = session?;
                if options.project_compression && !options.include_children {
                    project(conn, layout, session)
                } else {
                    summarise(conn, layout, session)
                }
            })
            .collect()
        })
    }
}

/// The WHERE clause of a list and its values.
fn conditions(options: &ListOptions, layout: &Layout) -> (String, Vec<Sql>) {
    let mut clauses = Vec::new();
    let mut values = Vec::new();
    for (names, word) in [
        (&options.sources, "IN"),
        (&options.exclude_sources, "NOT IN"),
    ] {
        if !names.is_empty() {
            let marks = vec!["?"; names.len()].join(", ");
            clauses.push(format!("s.source {word} ({marks})"));
            values.extend(names.iter().cloned().map(Sql::Text));
        }
    }
    if !options.include_children {
        // A branch stands for itself: its parent ended for it before it began.
        clauses.push(
            "(s.parent_session_id IS NULL OR EXISTS (
                SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id
                AND p.end_reason = 'branched' AND s.started_at >= p.ended_at))"
                .to_owned(),
        );
        if layout.version > crate::schema::NATIVE_VERSION {
            clauses.push(format!("NOT {}", mark("_delegate_from")));
        }
    }
    if !options.include_archived && layout.sessions.has("archived") {
        clauses.push("COALESCE(s.archived, 0) = 0".to_owned());
    }
    if clauses.is_empty() {
        clauses.push("1".to_owned());
    }
    (clauses.join(" AND "), values)
}

/// Whether a session's settings carry a mark of newer versions. A broken setting carries none.
fn mark(name: &str) -> String {
    format!(
        "(json_valid(s.model_config) AND COALESCE(json_extract(s.model_config, '$.{name}'), '') != '')"
    )
}

pub(crate) fn summarise(
    conn: &Connection,
    layout: &Layout,
    session: Session,
) -> rusqlite::Result<SessionSummary> {
    let last_active = last_message_time(conn, session.id.as_str())?.unwrap_or(session.started_at);
    let preview = preview(conn, layout, session.id.as_str())?;
    Ok(SessionSummary {
        session,
        last_active,
        preview,
        lineage_root_id: None,
    })
}

/// A compressed session shows what its latest continuation is; where it began stays.
fn project(conn: &Connection, layout: &Layout, root: Session) -> rusqlite::Result<SessionSummary> {
    if root.end_reason.as_deref() != Some("compression") {
        return summarise(conn, layout, root);
    }
    let tip_id = compression_tip(conn, root.id.as_str())?;
    if tip_id == root.id.as_str() {
        return summarise(conn, layout, root);
    }
    let sql = format!(
        "SELECT {} FROM sessions s WHERE s.id = ?1",
        layout.sessions.select
    );
    let tip = conn
        .prepare_cached(&sql)?
        .query_row([&tip_id], |row| Session::read(row, &layout.sessions.extra))?;
    let shown = summarise(conn, layout, tip)?;
    let tip = shown.session;
    let session = Session {
        id: tip.id,
        ended_at: tip.ended_at,
        end_reason: tip.end_reason,
        message_count: tip.message_count,
        tool_call_count: tip.tool_call_count,
        title: tip.title,
        model: tip.model,
        system_prompt: tip.system_prompt,
        ..root
    };
    Ok(SessionSummary {
        session,
        lineage_root_id: Some(root.id),
        ..shown
    })
}

/// The last of the continuations that a compression started; the session itself if none.
fn compression_tip(conn: &Connection, id: &str) -> rusqlite::Result<String> {
    let mut next = conn.prepare_cached(
        "SELECT c.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id
         WHERE p.id = ?1 AND p.end_reason = 'compression' AND c.started_at >= p.ended_at
         ORDER BY c.started_at DESC, c.rowid LIMIT 1",
    )?;
    let mut tip = id.to_owned();
    for _ in 0..MAX_CONTINUATIONS {
        match next.query_row([&tip], |row| row.get(0)).optional()? {
            Some(child) => tip = child,
            None => break,
        }
    }
    Ok(tip)
}

fn last_message_time(conn: &Connection, id: &str) -> rusqlite::Result<Option<f64>> {
    // Text sorts above every number; a time that is none must not hide those that are.
    const NEWEST: &str = "SELECT MAX(timestamp) FROM messages
        WHERE session_id = ?1 AND typeof(timestamp) IN ('real', 'integer')";
    conn.prepare_cached(NEWEST)?
        .query_row([id], |row| column::<Option<f64>>(row, 0))
}

/// The first thing that the user said, on one line.
fn preview(conn: &Connection, layout: &Layout, id: &str) -> rusqlite::Result<String> {
    let shown = if layout.messages.has("display_kind") {
        "AND COALESCE(display_kind, '') != 'hidden'"
    } else {
        ""
    };
    let sql = format!(
        "SELECT content FROM messages
         WHERE session_id = ?1 AND role = 'user' AND content IS NOT NULL {shown}
         ORDER BY timestamp, id LIMIT 1"
    );
    let content = conn
        .prepare_cached(&sql)?
        .query_row(params![id], |row| column::<Option<Content>>(row, 0))
        .optional()?
        .flatten();
    Ok(content.map_or_else(String::new, |content| shorten(&content.plain_text())))
}

fn shorten(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| {
            if matches!(c, '\n' | '\r' | '\0') {
                ' '
            } else {
                c
            }
        })
        .take(PREVIEW_CHARS + 3)
        .collect();
    let line = line.trim();
    if line.chars().count() <= PREVIEW_CHARS {
        return line.to_owned();
    }
    let mut short: String = line.chars().take(PREVIEW_CHARS).collect();
    short.push_str("...");
    short
}
