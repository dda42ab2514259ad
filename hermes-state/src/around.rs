//! Messages around one of them, and the last that a user said.

use rusqlite::{Connection, params};
use serde::Serialize;

use crate::content::Content;
use crate::error::Result;
use crate::message::{Message, MessageId, active_only};
use crate::record::column;
use crate::schema::Layout;
use crate::store::Store;

/// A message with its neighbours. Serialised with the keys of Hermes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct MessageWindow {
    /// The messages in order, the asked one among them; none if the session has no such message.
    pub window: Vec<Message>,
    /// How many there are before the asked one within the window.
    pub messages_before: usize,
    /// How many there are after it within the window.
    pub messages_after: usize,
}

/// A message with its neighbours, and how the session began and ended. Serialised with the keys of
/// Hermes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct AnchoredView {
    /// The messages around the asked one; those of other roles are left out, the asked one never.
    pub window: Vec<Message>,
    /// How many there were before the asked one, those left out included.
    pub messages_before: usize,
    /// How many there were after it, those left out included.
    pub messages_after: usize,
    /// The first messages of the session, as far as they come before the window.
    pub bookend_start: Vec<Message>,
    /// The last messages of the session, as far as they come after the window.
    pub bookend_end: Vec<Message>,
}

/// How much an anchored view shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnchoredViewOptions {
    /// Messages on each side of the asked one.
    pub window: usize,
    /// Messages of the session's beginning, and as many of its end.
    pub bookend: usize,
    /// The roles that are shown; `None` for all.
    pub keep_roles: Option<Vec<String>>,
}

impl Default for AnchoredViewOptions {
    /// Five on each side, three of beginning and end, of users and assistants.
    fn default() -> AnchoredViewOptions {
        AnchoredViewOptions {
            window: 5,
            bookend: 3,
            keep_roles: Some(vec!["user".to_owned(), "assistant".to_owned()]),
        }
    }
}

/// Something that a user said, to be chosen from a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecentUserMessage {
    /// The message.
    pub id: MessageId,
    /// When it was stored, seconds since the epoch.
    pub timestamp: f64,
    /// Its text on one line, at most 80 characters.
    pub preview: String,
}

impl Store {
    /// A message of a session with up to `window` messages on each side, by id. Messages that are
    /// not part of the transcript any more are there, too: a search may have found one.
    ///
    /// # Errors
    /// Those of every read.
    pub fn messages_around(
        &self,
        session: impl AsRef<str>,
        anchor: MessageId,
        window: usize,
    ) -> Result<MessageWindow> {
        self.read(|conn, layout| around(conn, layout, session.as_ref(), anchor, window))
    }

    /// [`messages_around`](Self::messages_around), and what the session began and ended with.
    /// Beginning and end hold only messages with text.
    ///
    /// # Errors
    /// Those of every read.
    pub fn anchored_view(
        &self,
        session: impl AsRef<str>,
        anchor: MessageId,
        options: &AnchoredViewOptions,
    ) -> Result<AnchoredView> {
        self.read(|conn, layout| {
            let session = session.as_ref();
            let found = around(conn, layout, session, anchor, options.window)?;
            let (Some(first), Some(last)) = (found.window.first(), found.window.last()) else {
                return Ok(AnchoredView::default());
            };
            let bookend = |from, to, order| {
                let kept = options.keep_roles.as_deref();
                read_bookend(
                    conn,
                    layout,
                    session,
                    (from, to),
                    order,
                    kept,
                    options.bookend,
                )
            };
            let bookend_start = bookend(i64::MIN, first.id.0, "ASC")?;
            let mut bookend_end = bookend(last.id.0, i64::MAX, "DESC")?;
            bookend_end.reverse();
            let shown = |message: &Message| {
                let kept = options.keep_roles.as_ref();
                message.id == anchor || kept.is_none_or(|roles| roles.contains(&message.role))
            };
            Ok(AnchoredView {
                window: found.window.into_iter().filter(shown).collect(),
                messages_before: found.messages_before,
                messages_after: found.messages_after,
                bookend_start,
                bookend_end,
            })
        })
    }

    /// The last things that a user said in a session, the newest first.
    ///
    /// # Errors
    /// Those of every read.
    pub fn recent_user_messages(
        &self,
        session: impl AsRef<str>,
        limit: usize,
        include_inactive: bool,
    ) -> Result<Vec<RecentUserMessage>> {
        self.read(|conn, layout| {
            let active = if include_inactive {
                ""
            } else {
                active_only(layout)
            };
            let sql = format!(
                "SELECT m.id, m.timestamp, m.content FROM messages m
                 WHERE m.session_id = ?1 AND m.role = 'user' {active}
                 ORDER BY m.id DESC LIMIT ?2"
            );
            conn.prepare_cached(&sql)?
                .query_map(params![session.as_ref(), sql_limit(limit)], |row| {
                    let content = column::<Option<Content>>(row, 2)?;
                    Ok(RecentUserMessage {
                        id: column(row, 0)?,
                        timestamp: column(row, 1)?,
                        preview: content.map_or_else(String::new, |c| line(&c.context_text())),
                    })
                })?
                .collect()
        })
    }
}

fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn around(
    conn: &Connection,
    layout: &Layout,
    session: &str,
    anchor: MessageId,
    window: usize,
) -> rusqlite::Result<MessageWindow> {
    let side = |bound: &str, order: &str, limit: usize| {
        let sql = format!(
            "SELECT {} FROM messages m
             WHERE m.session_id = ?1 AND m.id {bound} ?2 ORDER BY m.id {order} LIMIT ?3",
            layout.messages.select
        );
        conn.prepare_cached(&sql)?
            .query_map(params![session, anchor.0, sql_limit(limit)], |row| {
                Message::read(row, &layout.messages.extra)
            })?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let mut middle = side("=", "ASC", 1)?;
    if middle.is_empty() {
        return Ok(MessageWindow::default());
    }
    let mut messages = side("<", "DESC", window)?;
    messages.reverse();
    let mut after = side(">", "ASC", window)?;
    let (messages_before, messages_after) = (messages.len(), after.len());
    messages.append(&mut middle);
    messages.append(&mut after);
    Ok(MessageWindow {
        window: messages,
        messages_before,
        messages_after,
    })
}

fn read_bookend(
    conn: &Connection,
    layout: &Layout,
    session: &str,
    (after, before): (i64, i64),
    order: &str,
    kept: Option<&[String]>,
    limit: usize,
) -> rusqlite::Result<Vec<Message>> {
    // LENGTH stops at a NUL, so structured content has none.
    let sql = format!(
        "SELECT {} FROM messages m
         WHERE m.session_id = ?1 AND m.id > ?2 AND m.id < ?3 AND LENGTH(m.content) > 0
             AND (?4 IS NULL OR m.role IN (SELECT value FROM json_each(?4)))
         ORDER BY m.id {order} LIMIT ?5",
        layout.messages.select
    );
    let kept = kept.map(|roles| serde_json::Value::from(roles).to_string());
    conn.prepare_cached(&sql)?
        .query_map(
            params![session, after, before, kept, sql_limit(limit)],
            |row| Message::read(row, &layout.messages.extra),
        )?
        .collect()
}

/// As many characters as a line shows.
const LINE_CHARS: usize = 80;
const CUT: &str = "...";

fn line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().nth(LINE_CHARS).is_none() {
        return line;
    }
    line.chars()
        .take(LINE_CHARS - CUT.len())
        .chain(CUT.chars())
        .collect()
}
