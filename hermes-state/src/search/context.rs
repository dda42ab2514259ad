//! The messages around a match.

use rusqlite::{Connection, Row, params};
use serde::Serialize;

use super::SearchMatch;
use super::filter::searchable;
use super::options::SearchOptions;
use crate::content::Content;
use crate::message::MessageId;
use crate::record::column;
use crate::schema::Layout;

/// Characters of a message that its context shows.
const MAX_CHARS: usize = 200;

/// A message in the context of a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContextMessage {
    /// The message.
    #[serde(skip)]
    pub id: MessageId,
    /// Its role.
    pub role: String,
    /// Its text, cut to 200 characters.
    pub content: String,
}

/// The messages before a match, the match, and those after, in the order of their time; and the
/// match's place among them. `content` is that of the match.
///
/// The comparison of pairs lets SQLite step once along the index on (session_id, timestamp), so
/// that the cost does not grow with the session.
pub(super) fn around(
    conn: &Connection,
    layout: &Layout,
    found: &SearchMatch,
    content: Option<Content>,
    options: &SearchOptions,
) -> rusqlite::Result<(Vec<ContextMessage>, usize)> {
    if options.context == 0 {
        return Ok((Vec::new(), 0));
    }
    let live = if options.include_inactive {
        ""
    } else {
        searchable(layout)
    };
    let count = i64::try_from(options.context).unwrap_or(i64::MAX);
    let neighbours = |compare: &str, order: &str| {
        let sql = format!(
            "SELECT m.id, m.role, m.content FROM messages m
             WHERE m.session_id = ?1 AND (m.timestamp, m.id) {compare} (?2, ?3) {live}
             ORDER BY m.timestamp {order}, m.id {order} LIMIT ?4"
        );
        let (session, time) = (found.session_id.as_str(), found.timestamp);
        conn.prepare_cached(&sql)?
            .query_map(params![session, time, found.id.0, count], read)?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let mut messages = neighbours("<", "DESC")?;
    messages.reverse();
    let place = messages.len();
    messages.push(shown(found.id, found.role.clone(), content));
    messages.append(&mut neighbours(">", "ASC")?);
    Ok((messages, place))
}

fn read(row: &Row<'_>) -> rusqlite::Result<ContextMessage> {
    Ok(shown(column(row, 0)?, column(row, 1)?, column(row, 2)?))
}

fn shown(id: MessageId, role: String, content: Option<Content>) -> ContextMessage {
    ContextMessage {
        id,
        role,
        content: content.map_or_else(String::new, |content| {
            content.context_text().chars().take(MAX_CHARS).collect()
        }),
    }
}
