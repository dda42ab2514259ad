//! Listing and counting sessions: newest first, each with a preview and its last activity.

mod candidates;
mod filter;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params_from_iter};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};

use candidates::{Candidate, Chains};

use crate::content::Content;
use crate::error::Result;
use crate::lineage::{compression_tip, last_message_time};
use crate::record::column;
use crate::schema::Layout;
use crate::session::{Session, SessionId};
use crate::store::Store;

/// Characters of the first user message that a preview shows.
const PREVIEW_CHARS: usize = 60;

/// Columns of newer stores that a compressed session shows of its continuation.
const WHERE_IT_WORKS: [&str; 3] = ["cwd", "git_branch", "git_repo_root"];

/// Which sessions to list, and how.
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
    /// Only sessions that were archived (version 14 and newer).
    pub archived_only: bool,
    /// Show a session that was compressed as its latest continuation.
    pub project_compression: bool,
    /// The latest used first; otherwise the latest started. A compressed session is as recent as
    /// the latest of its continuations.
    pub order_by_last_active: bool,
    /// Only sessions that worked in this directory or below it (version 14 and newer).
    pub cwd_prefix: Option<String>,
    /// Only sessions with at least so many messages, as counted by the writers.
    pub min_message_count: i64,
    /// Only sessions whose id, or that of a continuation, contains this (ASCII capitals and small
    /// letters are the same).
    pub id_query: Option<String>,
    /// Only sessions whose id or title, or those of a continuation, contain this; blanks and
    /// `- _ . /` do not count in titles.
    pub search_query: Option<String>,
    /// Only sessions whose title, or that of a continuation, contains this; blanks and `- _ . /` do
    /// not count.
    pub title_query: Option<String>,
    /// Only sessions whose id, or that of a continuation, begins with this (ASCII capitals and small
    /// letters are the same).
    pub id_prefix: Option<String>,
    /// What fits a query best first: exactly, then from its beginning, then the others. Among equals
    /// the order is that of the list.
    pub best_match_first: bool,
    /// Leave out the system prompts, which may be long.
    pub compact: bool,
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
            archived_only: false,
            project_compression: true,
            order_by_last_active: false,
            cwd_prefix: None,
            min_message_count: 0,
            id_query: None,
            search_query: None,
            title_query: None,
            id_prefix: None,
            best_match_first: false,
            compact: false,
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
    /// Serialised without the system prompt, which was not read.
    compact: bool,
}

impl Serialize for SessionSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.compact {
            let session = serde_json::to_value(&self.session).map_err(S::Error::custom)?;
            let columns = session.as_object().into_iter().flatten();
            for (name, value) in columns.filter(|(name, _)| *name != "system_prompt") {
                map.serialize_entry(name, value)?;
            }
        } else {
            self.session.write(&mut map)?;
        }
        map.serialize_entry("last_active", &self.last_active)?;
        map.serialize_entry("preview", &self.preview)?;
        if let Some(root) = &self.lineage_root_id {
            map.serialize_entry("_lineage_root_id", root)?;
        }
        map.end()
    }
}

/// A session and its last activity. Serialised: the session's keys, then `last_active`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ActiveSession {
    /// The session.
    pub session: Session,
    /// The time of its newest message, or its start.
    pub last_active: f64,
}

impl Serialize for ActiveSession {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.session.write(&mut map)?;
        map.serialize_entry("last_active", &self.last_active)?;
        map.end()
    }
}

impl Store {
    /// Lists sessions, the latest started first, among equals the one stored first; or by last
    /// activity, among equals the latest started, then the greatest id.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a filter that the store has no column
    /// for, and the errors of every read.
    pub fn list_sessions(&self, options: &ListOptions) -> Result<Vec<SessionSummary>> {
        filter::check(options, &self.layout())?;
        self.read(|conn, layout| {
            if options.order_by_last_active || filter::has_query(options) {
                let mut found = candidates::find(conn, layout, options, Chains::Whole)?;
                candidates::sort(&mut found, options.order_by_last_active);
                if options.best_match_first {
                    found.sort_by_key(|candidate| candidate.best_rank);
                }
                let page = candidates::page(found, options.offset, options.limit);
                summaries(conn, layout, options, &page)
            } else {
                latest_started(conn, layout, options)
            }
        })
    }

    /// Sessions of one source, or all, helpers and continuations among them: the latest used
    /// first, among equals the latest started, then the greatest id.
    ///
    /// # Errors
    /// Those of every read.
    pub fn search_sessions(
        &self,
        source: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<ActiveSession>> {
        let options = ListOptions {
            sources: source.into_iter().map(str::to_owned).collect(),
            include_children: true,
            include_archived: true,
            order_by_last_active: true,
            ..ListOptions::default()
        };
        self.read(|conn, layout| {
            let mut found = candidates::find(conn, layout, &options, Chains::Single)?;
            candidates::sort(&mut found, true);
            let page = candidates::page(found, offset, limit);
            page.into_iter()
                .map(|row| {
                    let session = by_rowid(conn, layout, row.rowid)?;
                    let last_active = row.active;
                    Ok(ActiveSession {
                        session,
                        last_active,
                    })
                })
                .collect()
        })
    }

    /// Sessions whose id, or that of a continuation, contains this: first one with exactly this
    /// id, then those whose id begins so, then the others; the latest used first. An empty query
    /// finds nothing.
    ///
    /// # Errors
    /// Those of every read.
    pub fn search_sessions_by_id(
        &self,
        query: &str,
        limit: usize,
        include_archived: bool,
    ) -> Result<Vec<SessionSummary>> {
        let options = ListOptions {
            id_query: Some(query.trim().to_owned()),
            include_archived,
            ..ListOptions::default()
        };
        self.best_matches(options, limit, |candidate| candidate.match_rank)
    }

    /// Sessions whose title, or that of a continuation, contains this (blanks and `- _ . /` do not
    /// count, nor do ASCII capitals): first one with exactly this title, then those whose title
    /// begins so, then the others; the latest used first. An empty query finds nothing.
    ///
    /// # Errors
    /// Those of every read.
    pub fn search_sessions_by_title(
        &self,
        query: &str,
        limit: usize,
        include_archived: bool,
    ) -> Result<Vec<SessionSummary>> {
        let options = ListOptions {
            search_query: Some(query.trim().to_owned()),
            include_archived,
            ..ListOptions::default()
        };
        self.best_matches(options, limit, |candidate| candidate.title_rank)
    }

    /// The sessions of the lowest ranks, those of one rank by when they were last used.
    fn best_matches(
        &self,
        mut options: ListOptions,
        limit: usize,
        rank: impl Fn(&Candidate) -> u8,
    ) -> Result<Vec<SessionSummary>> {
        if [&options.id_query, &options.search_query]
            .into_iter()
            .flatten()
            .all(String::is_empty)
        {
            return Ok(Vec::new());
        }
        options.order_by_last_active = true;
        self.read(|conn, layout| {
            let mut found = candidates::find(conn, layout, &options, Chains::Whole)?;
            found.retain(|candidate| rank(candidate) < candidates::NO_MATCH);
            candidates::sort(&mut found, true);
            found.sort_by_key(&rank);
            summaries(conn, layout, &options, &candidates::page(found, 0, limit))
        })
    }

    /// How many sessions [`list_sessions`](Self::list_sessions) has with these options, whatever
    /// their limit and offset.
    ///
    /// # Errors
    /// As [`list_sessions`](Self::list_sessions).
    pub fn session_count(&self, options: &ListOptions) -> Result<u64> {
        filter::check(options, &self.layout())?;
        self.read(|conn, layout| {
            if filter::has_query(options) {
                let found = candidates::find(conn, layout, options, Chains::Whole)?;
                return Ok(u64::try_from(found.len()).unwrap_or(u64::MAX));
            }
            let (condition, values) = filter::conditions(options, layout);
            let sql = format!("SELECT COUNT(*) FROM sessions s WHERE {condition}");
            count(conn, &sql, params_from_iter(values))
        })
    }

    /// How many messages a session has, or all together, those not in the transcript among them.
    ///
    /// # Errors
    /// Those of every read.
    pub fn message_count(&self, id: Option<&str>) -> Result<u64> {
        self.read(|conn, _| match id {
            Some(id) => count(
                conn,
                "SELECT COUNT(*) FROM messages WHERE session_id = ?1",
                [id],
            ),
            None => count(conn, "SELECT COUNT(*) FROM messages", []),
        })
    }
}

fn count(conn: &Connection, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<u64> {
    let counted: i64 = conn
        .prepare_cached(sql)?
        .query_row(values, |row| row.get(0))?;
    Ok(u64::try_from(counted).unwrap_or(0))
}

fn summaries(
    conn: &Connection,
    layout: &Layout,
    options: &ListOptions,
    page: &[candidates::Candidate],
) -> rusqlite::Result<Vec<SessionSummary>> {
    let sql = format!(
        "SELECT {} FROM sessions s WHERE s.rowid = ?1",
        summary_columns(layout, options.compact)
    );
    let mut statement = conn.prepare_cached(&sql)?;
    page.iter()
        .map(|row| {
            let summary = statement.query_row([row.rowid], |row| read_summary(row, layout))?;
            shown(conn, layout, options, summary)
        })
        .collect()
}

/// The page of a list by start, in one statement.
fn latest_started(
    conn: &Connection,
    layout: &Layout,
    options: &ListOptions,
) -> rusqlite::Result<Vec<SessionSummary>> {
    let (condition, mut values) = filter::conditions(options, layout);
    let sql = format!(
        "SELECT {} FROM sessions s WHERE {condition}
         ORDER BY s.started_at DESC, s.rowid LIMIT ? OFFSET ?",
        summary_columns(layout, options.compact)
    );
    for number in [options.limit, options.offset] {
        values.push(Sql::Integer(i64::try_from(number).unwrap_or(i64::MAX)));
    }
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| read_summary(row, layout))?;
    rows.map(|summary| shown(conn, layout, options, summary?))
        .collect()
}

/// A summary as the options want it.
fn shown(
    conn: &Connection,
    layout: &Layout,
    options: &ListOptions,
    summary: SessionSummary,
) -> rusqlite::Result<SessionSummary> {
    let mut summary = if options.project_compression && !options.include_children {
        project(conn, layout, summary)?
    } else {
        summary
    };
    if options.compact {
        summary.session.system_prompt = None;
        summary.compact = true;
    }
    Ok(summary)
}

/// The columns that [`read_summary`] reads.
pub(crate) fn summary_columns(layout: &Layout, compact: bool) -> String {
    let mut columns = layout.sessions.select.clone();
    if compact {
        columns = columns.replace("s.system_prompt", "NULL AS system_prompt");
    }
    let visible = if layout.messages.has("display_kind") {
        "AND COALESCE(display_kind, '') != 'hidden'"
    } else {
        ""
    };
    format!(
        "{columns}, {},
         (SELECT content FROM messages WHERE session_id = s.id AND role = 'user'
          AND content IS NOT NULL {visible} ORDER BY timestamp, id LIMIT 1)",
        last_message_time("s")
    )
}

/// A session with its last activity and the first thing that the user said, on one line.
pub(crate) fn read_summary(row: &Row<'_>, layout: &Layout) -> rusqlite::Result<SessionSummary> {
    let session = Session::read(row, &layout.sessions.extra)?;
    let behind = Session::COLUMNS.len() + layout.sessions.extra.len();
    let last_active = column::<Option<f64>>(row, behind)?.unwrap_or(session.started_at);
    let said = column::<Option<Content>>(row, behind + 1)?;
    Ok(SessionSummary {
        session,
        last_active,
        preview: said.map_or_else(String::new, |said| shorten(&said.plain_text())),
        lineage_root_id: None,
        compact: false,
    })
}

fn by_rowid(conn: &Connection, layout: &Layout, rowid: i64) -> rusqlite::Result<Session> {
    let sql = format!(
        "SELECT {} FROM sessions s WHERE s.rowid = ?1",
        layout.sessions.select
    );
    conn.prepare_cached(&sql)?
        .query_row([rowid], |row| Session::read(row, &layout.sessions.extra))
}

/// A compressed session shows what its latest continuation is; where it began stays.
fn project(
    conn: &Connection,
    layout: &Layout,
    summary: SessionSummary,
) -> rusqlite::Result<SessionSummary> {
    let root = &summary.session;
    if root.end_reason.as_deref() != Some("compression") {
        return Ok(summary);
    }
    let tip_id = compression_tip(conn, layout, root.id.as_str())?;
    if tip_id == root.id.as_str() {
        return Ok(summary);
    }
    let sql = format!(
        "SELECT {} FROM sessions s WHERE s.id = ?1",
        summary_columns(layout, false)
    );
    let shown = conn
        .prepare_cached(&sql)?
        .query_row([&tip_id], |row| read_summary(row, layout))?;
    let root = summary.session;
    let tip = shown.session;
    let mut extra = root.extra;
    for name in WHERE_IT_WORKS {
        if let Some(value) = tip.extra.get(name) {
            extra.insert(name.to_owned(), value.clone());
        }
    }
    let session = Session {
        id: tip.id,
        ended_at: tip.ended_at,
        end_reason: tip.end_reason,
        message_count: tip.message_count,
        tool_call_count: tip.tool_call_count,
        title: tip.title,
        model: tip.model,
        system_prompt: tip.system_prompt,
        extra,
        ..root
    };
    Ok(SessionSummary {
        session,
        lineage_root_id: Some(root.id),
        ..shown
    })
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
