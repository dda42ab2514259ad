//! Searching messages: by the word index, by the trigram index, or through the rows.

mod context;
mod scan;
mod snippet;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params_from_iter};
use serde::Serialize;

use hermes_fts::{Plan, SanitizedQuery};

use crate::error::{Error, Result};
use crate::message::MessageId;
use crate::record::column;
use crate::schema::Layout;
use crate::session::SessionId;
use crate::store::Store;

pub use context::ContextMessage;

/// What to search for, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchOptions {
    /// What a person typed: words, `"phrases"`, `prefix*`, OR, NOT.
    pub query: String,
    /// Only sessions of these sources. An empty list matches nothing.
    pub sources: Option<Vec<String>>,
    /// Not sessions of these sources.
    pub exclude_sources: Vec<String>,
    /// Only messages of these roles; all if empty.
    pub roles: Vec<String>,
    /// At most this many.
    pub limit: usize,
    /// Skip this many first.
    pub offset: usize,
}

impl SearchOptions {
    /// A search for this text, everywhere, for the best 20.
    pub fn new(query: impl Into<String>) -> SearchOptions {
        SearchOptions {
            query: query.into(),
            sources: None,
            exclude_sources: Vec::new(),
            roles: Vec::new(),
            limit: 20,
            offset: 0,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchResults {
    /// What was asked.
    pub query: String,
    /// The matches, best first (by bm25; through the rows, newest first).
    pub matches: Vec<SearchMatch>,
    /// The index could not be used: every row was looked at instead, words match inside words,
    /// and the order is by time.
    pub degraded: bool,
    /// Only the first 2,048 characters of the query were used.
    pub truncated_query: bool,
}

/// One message that matches. The keys and their order are those of Hermes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchMatch {
    /// The message.
    pub id: MessageId,
    /// Its session.
    pub session_id: SessionId,
    /// Its role.
    pub role: String,
    /// The piece of its text around the match, with `>>>` and `<<<` around what matched where the
    /// index found it. None if the message has no text of its own.
    pub snippet: Option<String>,
    /// When it was stored, seconds since the epoch.
    pub timestamp: f64,
    /// The tool it comes from.
    pub tool_name: Option<String>,
    /// Its session's source.
    pub source: String,
    /// Its session's model.
    pub model: Option<String>,
    /// When its session began.
    pub session_started: f64,
    /// The message before, the message itself and the one after, as far as they exist.
    pub context: Vec<ContextMessage>,
    /// Which of `context` is the message itself.
    #[serde(skip)]
    pub context_index: usize,
}

/// Columns of a match, behind `id` and the snippet.
const MATCH_COLUMNS: &str =
    "m.session_id, m.role, m.timestamp, m.tool_name, s.source, s.model, s.started_at";

impl Store {
    /// Finds the messages that match a person's query.
    ///
    /// Any text is a valid query; a blank one matches nothing. Where the full-text index is
    /// missing or damaged, the rows are searched and [`SearchResults::degraded`] says so.
    ///
    /// # Errors
    /// Those of every read.
    pub fn search(&self, options: &SearchOptions) -> Result<SearchResults> {
        let query = hermes_fts::sanitize(&options.query);
        let (matches, degraded) = self.find(&query, options)?;
        Ok(SearchResults {
            query: options.query.clone(),
            matches,
            degraded,
            truncated_query: query.truncated(),
        })
    }

    fn find(
        &self,
        query: &SanitizedQuery,
        options: &SearchOptions,
    ) -> Result<(Vec<SearchMatch>, bool)> {
        let indexed = match query.plan() {
            Plan::Nothing => return Ok((Vec::new(), false)),
            Plan::Words => Some(("messages_fts", query.as_str())),
            Plan::Trigram(expression) => Some(("messages_fts_trigram", expression.as_str())),
            _ => None,
        };
        let by_rows = || self.read(|conn, layout| scan::scan(conn, layout, query, options));
        let Some(index) = indexed else {
            return Ok((by_rows()?, false));
        };
        let terms = query.tree().map(scan::wanted_terms).unwrap_or_default();
        let found = self.read(|conn, layout| match layout.index_trouble {
            None => Ok(Some(by_index(conn, layout, index, &terms, options)?)),
            Some(_) => Ok(None),
        });
        match found {
            Ok(Some(matches)) => return Ok((matches, false)),
            Ok(None) => {}
            // Damage that SQLite does not ascribe to the index may still lie in its tables; if it
            // lies in the rows, the scan will meet it again.
            Err(Error::IndexDamaged { source, .. } | Error::Corrupt { source, .. }) => {
                tracing::warn!(error = %source, "the full-text index is damaged: searching the rows");
            }
            Err(e) => return Err(e),
        }
        Ok((by_rows()?, true))
    }
}

/// CROSS JOIN keeps the index first: rows come in the order of their rank, and only as many as
/// are asked for.
fn by_index(
    conn: &Connection,
    layout: &Layout,
    (table, expression): (&str, &str),
    terms: &[String],
    options: &SearchOptions,
) -> rusqlite::Result<Vec<SearchMatch>> {
    let (filters, values) = filters(options, layout);
    let [long, huge] = [snippet::LONG, snippet::HUGE];
    let [begin, end] = [snippet::BEGIN, snippet::END].map(u32::from);
    let sql = format!(
        "SELECT m.id, CASE
             WHEN octet_length({table}.content) < {long}
             THEN snippet({table}, 0, '>>>', '<<<', '...', 40)
             WHEN octet_length({table}.content) < {huge}
             THEN highlight({table}, 0, char({begin}), char({end}))
             ELSE {table}.content
         END, {MATCH_COLUMNS}, octet_length({table}.content)
         FROM {table} CROSS JOIN messages m ON m.id = {table}.rowid
         CROSS JOIN sessions s ON s.id = m.session_id
         WHERE {table} MATCH ? {filters} ORDER BY rank LIMIT ? OFFSET ?"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let values = std::iter::once(Sql::Text(expression.to_owned()))
        .chain(values)
        .chain(page(options));
    let rows = statement.query_map(params_from_iter(values), |row| {
        let text = column::<Option<String>>(row, 1)?;
        let bytes: Option<i64> = row.get(BEHIND_MATCH)?;
        let text = match bytes {
            Some(bytes) if bytes >= snippet::HUGE => text.map(|text| snippet::around(&text, terms)),
            Some(bytes) if bytes >= snippet::LONG => text.map(|text| snippet::cut(&text)),
            _ => text,
        };
        read_match(row, text)
    })?;
    with_context(conn, layout, rows.collect::<rusqlite::Result<_>>()?)
}

/// The conditions beside the query, each beginning with AND, and their values.
fn filters(options: &SearchOptions, layout: &Layout) -> (String, Vec<Sql>) {
    let mut sql = String::new();
    let mut values = Vec::new();
    let mut among = |column: &str, word: &str, names: &[String]| {
        let marks = vec!["?"; names.len()].join(", ");
        sql.push_str(&format!(" AND {column} {word} ({marks})"));
        values.extend(names.iter().cloned().map(Sql::Text));
    };
    if let Some(sources) = &options.sources {
        among("s.source", "IN", sources);
    }
    if !options.exclude_sources.is_empty() {
        among("s.source", "NOT IN", &options.exclude_sources);
    }
    if !options.roles.is_empty() {
        among("m.role", "IN", &options.roles);
    }
    sql.push_str(searchable(layout));
    (sql, values)
}

/// Newer versions keep messages that were taken back; those that a compression replaced still
/// count as history.
fn searchable(layout: &Layout) -> &'static str {
    match (
        layout.messages.has("active"),
        layout.messages.has("compacted"),
    ) {
        (false, _) => "",
        (true, false) => " AND COALESCE(m.active, 1) = 1",
        (true, true) => " AND (COALESCE(m.active, 1) = 1 OR m.compacted = 1)",
    }
}

fn page(options: &SearchOptions) -> [Sql; 2] {
    [options.limit, options.offset].map(|n| Sql::Integer(i64::try_from(n).unwrap_or(i64::MAX)))
}

/// The column behind [`MATCH_COLUMNS`].
const BEHIND_MATCH: usize = 9;

/// Reads a match from `id`, one column of the caller's, and [`MATCH_COLUMNS`].
fn read_match(row: &Row<'_>, snippet: Option<String>) -> rusqlite::Result<SearchMatch> {
    Ok(SearchMatch {
        id: MessageId(row.get(0)?),
        snippet,
        session_id: column(row, 2)?,
        role: column(row, 3)?,
        timestamp: column(row, 4)?,
        tool_name: column(row, 5)?,
        source: column(row, 6)?,
        model: column(row, 7)?,
        session_started: column(row, 8)?,
        context: Vec::new(),
        context_index: 0,
    })
}

fn with_context(
    conn: &Connection,
    layout: &Layout,
    mut matches: Vec<SearchMatch>,
) -> rusqlite::Result<Vec<SearchMatch>> {
    for found in &mut matches {
        (found.context, found.context_index) = context::around(conn, layout, found)?;
    }
    Ok(matches)
}
