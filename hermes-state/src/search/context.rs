//! The messages around a match.

use rusqlite::{CachedStatement, Connection, Row, params};
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

/// Reads the messages around matches, with statements that are prepared once.
///
/// The comparison of pairs lets SQLite step once along the index on (session_id, timestamp), so
/// that the cost does not grow with the session.
pub(super) struct Surroundings<'c> {
    before: CachedStatement<'c>,
    after: CachedStatement<'c>,
    /// How many on each side.
    count: i64,
}

impl<'c> Surroundings<'c> {
    /// Nothing if no context is asked for.
    pub(super) fn of(
        conn: &'c Connection,
        layout: &Layout,
        options: &SearchOptions,
    ) -> rusqlite::Result<Option<Self>> {
        if options.context == 0 {
            return Ok(None);
        }
        let live = if options.include_inactive {
            ""
        } else {
            searchable(layout)
        };
        let neighbours = |compare: &str, order: &str| {
            conn.prepare_cached(&format!(
                "SELECT m.id, m.role, m.content FROM messages m
                 WHERE m.session_id = ?1 AND (m.timestamp, m.id) {compare} (?2, ?3) {live}
                 ORDER BY m.timestamp {order}, m.id {order} LIMIT ?4"
            ))
        };
        Ok(Some(Surroundings {
            before: neighbours("<", "DESC")?,
            after: neighbours(">", "ASC")?,
            count: i64::try_from(options.context).unwrap_or(i64::MAX),
        }))
    }

    /// The messages before a match, the match, and those after, in the order of their time; and the
    /// match's place among them. `content` is that of the match.
    pub(super) fn around(
        &mut self,
        found: &SearchMatch,
        content: Option<Content>,
    ) -> rusqlite::Result<(Vec<ContextMessage>, usize)> {
        let (session, time, count) = (found.session_id.as_str(), found.timestamp, self.count);
        let neighbours = |statement: &mut CachedStatement<'_>| {
            statement
                .query_map(params![session, time, found.id.0, count], read)?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        let mut messages = neighbours(&mut self.before)?;
        messages.reverse();
        let place = messages.len();
        messages.push(shown(found.id, found.role.clone(), content));
        messages.append(&mut neighbours(&mut self.after)?);
        Ok((messages, place))
    }
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
