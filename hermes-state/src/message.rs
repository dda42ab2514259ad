//! Messages: what a row holds, and reading a session's messages page by page.

use std::fmt;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::error::Result;
use crate::json_text::JsonText;
use crate::record::{Column, Reading, record};
use crate::schema::Layout;
use crate::session::SessionId;
use crate::store::Store;

/// The id of a message: rising, never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub i64);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Column for MessageId {
    fn read(stored: rusqlite::types::ValueRef<'_>) -> Reading<MessageId> {
        i64::read(stored).map(MessageId)
    }

    fn absent() -> MessageId {
        MessageId(0)
    }
}

record! {
    /// One row of `messages`.
    ///
    /// Serialised as the session export of Hermes has it: `content` decoded, `tool_calls` parsed,
    /// the other JSON columns as text.
    pub struct Message {
        /// The message's id.
        pub id: MessageId,
        /// The session it belongs to.
        pub session_id: SessionId,
        /// `user`, `assistant`, `system` or `tool`.
        pub role: String,
        /// What was said.
        pub content: Option<Content>,
        /// The tool call that a `tool` message answers.
        pub tool_call_id: Option<String>,
        /// The tool calls of an assistant message, a JSON array.
        pub tool_calls: Option<JsonText>,
        /// The tool that a `tool` message comes from.
        pub tool_name: Option<String>,
        /// When it was stored, seconds since the epoch.
        pub timestamp: f64,
        /// Tokens of this message.
        pub token_count: Option<i64>,
        /// Why the model stopped.
        pub finish_reason: Option<String>,
        /// The model's reasoning, as the provider shows it.
        pub reasoning: Option<String>,
        /// The same, in the field that some providers use.
        pub reasoning_content: Option<String>,
        /// Structured reasoning, JSON text.
        pub reasoning_details: Option<String>,
        /// Reasoning items of the Codex Responses API, JSON text.
        pub codex_reasoning_items: Option<String>,
        /// Message items of the Codex Responses API, JSON text.
        pub codex_message_items: Option<String>,
    }
}

/// Which part of a session's messages to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessagePage {
    /// Only messages with a greater id.
    pub after: Option<MessageId>,
    /// At most this many.
    pub limit: usize,
    /// Leaves out this many first. Paging by `after` is faster, and right while others write.
    pub offset: usize,
    /// Also those that are not part of the transcript: taken back by a rewind, or archived by a
    /// compaction.
    pub include_inactive: bool,
}

impl Default for MessagePage {
    /// The first 500.
    fn default() -> MessagePage {
        MessagePage {
            after: None,
            limit: 500,
            offset: 0,
            include_inactive: false,
        }
    }
}

/// A page ends with the message that reaches this size.
const PAGE_BYTES: usize = 4 << 20;

impl Store {
    /// A page of a session's messages, in the order of their ids. An unknown session has none.
    ///
    /// A page is cut short when its messages are large (4 MiB), so the end is reached when a page
    /// is empty, not when it is short. Stores of newer versions hold messages taken back by a
    /// rewind or replaced by a compression; those are not part of the transcript and left out,
    /// unless the page includes them.
    ///
    /// # Errors
    /// Those of every read.
    pub fn messages(&self, id: impl AsRef<str>, page: MessagePage) -> Result<Vec<Message>> {
        self.read(|conn, layout| read_page(conn, layout, id.as_ref(), page))
    }

    /// [`messages`](Self::messages) with those that are not part of the transcript.
    pub(crate) fn all_messages(&self, id: &str, page: MessagePage) -> Result<Vec<Message>> {
        let page = MessagePage {
            include_inactive: true,
            ..page
        };
        self.messages(id, page)
    }

    /// The message with this id, whether part of a transcript or not.
    ///
    /// # Errors
    /// Those of every read.
    pub fn message(&self, id: MessageId) -> Result<Option<Message>> {
        self.read(|conn, layout| one_message(conn, layout, id))
    }

    /// Whether a session has stored a message under this id of its platform. Stores below version
    /// 13 know no such ids.
    ///
    /// # Errors
    /// Those of every read.
    pub fn has_platform_message_id(
        &self,
        session: impl AsRef<str>,
        platform_message_id: &str,
    ) -> Result<bool> {
        self.read(|conn, layout| {
            if !layout.messages.has("platform_message_id") {
                return Ok(false);
            }
            conn.prepare_cached(
                "SELECT 1 FROM messages WHERE session_id = ?1 AND platform_message_id = ?2",
            )?
            .exists([session.as_ref(), platform_message_id])
        })
    }
}

/// A condition on `messages m` that keeps what is part of a transcript. NULL is active.
pub(crate) fn active_only(layout: &Layout) -> &'static str {
    if layout.messages.has("active") {
        "AND COALESCE(m.active, 1) = 1"
    } else {
        ""
    }
}

pub(crate) fn one_message(
    conn: &Connection,
    layout: &Layout,
    id: MessageId,
) -> rusqlite::Result<Option<Message>> {
    let sql = format!(
        "SELECT {} FROM messages m WHERE m.id = ?1",
        layout.messages.select
    );
    conn.prepare_cached(&sql)?
        .query_row([id.0], |row| Message::read(row, &layout.messages.extra))
        .optional()
}

pub(crate) fn read_page(
    conn: &Connection,
    layout: &Layout,
    id: &str,
    page: MessagePage,
) -> rusqlite::Result<Vec<Message>> {
    let condition = if page.include_inactive {
        ""
    } else {
        active_only(layout)
    };
    let sql = format!(
        "SELECT {} FROM messages m
         WHERE m.session_id = ?1 AND m.id > ?2 {condition} ORDER BY m.id LIMIT ?3 OFFSET ?4",
        layout.messages.select
    );
    let after = page.after.map_or(i64::MIN, |id| id.0);
    let [limit, offset] = [page.limit, page.offset].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query(params![id, after, limit, offset])?;
    let mut messages = Vec::new();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let message = Message::read(row, &layout.messages.extra)?;
        bytes += message.text_bytes();
        messages.push(message);
        if bytes >= PAGE_BYTES {
            break;
        }
    }
    Ok(messages)
}

impl Message {
    /// About how much memory its long texts take.
    fn text_bytes(&self) -> usize {
        let content = match &self.content {
            Some(Content::Text(text)) => text.len(),
            Some(Content::Json(json)) => json.as_str().len(),
            Some(Content::Bytes(bytes)) => bytes.len(),
            None => 0,
        };
        let texts = [
            &self.reasoning,
            &self.reasoning_content,
            &self.reasoning_details,
            &self.codex_reasoning_items,
            &self.codex_message_items,
        ];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        content
            + texts
            + self
                .tool_calls
                .as_ref()
                .map_or(0, |json| json.as_str().len())
    }
}
