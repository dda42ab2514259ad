//! Messages: what a row holds, appending, and reading a session's messages page by page.

use std::fmt;

use rusqlite::{Connection, named_params, params};
use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::error::{Error, Result};
use crate::index_text::{index_text, needs_own_index_text};
use crate::json_text::JsonText;
use crate::record::{Column, record};
use crate::schema::Layout;
use crate::session::{SessionId, check_time};
use crate::store::Store;
use crate::write::{Patience, Tx};

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
    fn read(stored: rusqlite::types::ValueRef<'_>) -> (Self, bool) {
        let (id, exact) = i64::read(stored);
        (MessageId(id), exact)
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

/// A message to be appended.
///
/// ```
/// use hermes_state::NewMessage;
/// let question = NewMessage::new("20251101_090000_root01", "user").content("Why does it fail?");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    session_id: SessionId,
    role: String,
    content: Option<Content>,
    tool_call_id: Option<String>,
    tool_calls: Option<JsonText>,
    tool_name: Option<String>,
    timestamp: Option<f64>,
    token_count: Option<i64>,
    finish_reason: Option<String>,
    reasoning: Option<String>,
    reasoning_content: Option<String>,
    reasoning_details: Option<JsonText>,
    codex_reasoning_items: Option<JsonText>,
    codex_message_items: Option<JsonText>,
}

macro_rules! setters {
    ($( $(#[$meta:meta])* $name:ident: $type:ty, )*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $name(mut self, $name: impl Into<$type>) -> NewMessage {
                self.$name = Some($name.into());
                self
            }
        )*
    };
}

impl NewMessage {
    /// A message of this role (`user`, `assistant`, `system`, `tool`) for a session.
    pub fn new(session_id: impl Into<SessionId>, role: impl Into<String>) -> NewMessage {
        NewMessage {
            session_id: session_id.into(),
            role: role.into(),
            content: None,
            tool_call_id: None,
            tool_calls: None,
            tool_name: None,
            timestamp: None,
            token_count: None,
            finish_reason: None,
            reasoning: None,
            reasoning_content: None,
            reasoning_details: None,
            codex_reasoning_items: None,
            codex_message_items: None,
        }
    }

    setters! {
        /// Sets what was said: text, or structured parts.
        content: Content,
        /// Sets the tool call that is answered.
        tool_call_id: String,
        /// Sets the tool calls made, a JSON array.
        tool_calls: JsonText,
        /// Sets the tool that answers.
        tool_name: String,
        /// Sets the time, in seconds since the epoch; the store's clock otherwise.
        timestamp: f64,
        /// Sets the tokens of this message.
        token_count: i64,
        /// Sets why the model stopped.
        finish_reason: String,
        /// Sets the model's reasoning.
        reasoning: String,
        /// Sets the reasoning in the field that some providers use.
        reasoning_content: String,
        /// Sets structured reasoning.
        reasoning_details: JsonText,
        /// Sets the reasoning items of the Codex Responses API.
        codex_reasoning_items: JsonText,
        /// Sets the message items of the Codex Responses API.
        codex_message_items: JsonText,
    }

    /// How many tool calls the session is charged: a list counts its items, any other value one.
    fn tool_call_count(&self) -> i64 {
        match &self.tool_calls {
            None => 0,
            Some(json) => json
                .array_len()
                .map_or(1, |n| i64::try_from(n).unwrap_or(i64::MAX)),
        }
    }
}

/// Which part of a session's messages to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessagePage {
    /// Only messages with a greater id.
    pub after: Option<MessageId>,
    /// At most this many.
    pub limit: usize,
}

impl Default for MessagePage {
    /// The first 500.
    fn default() -> MessagePage {
        MessagePage {
            after: None,
            limit: 500,
        }
    }
}

/// A page ends with the message that reaches this size.
const PAGE_BYTES: usize = 4 << 20;

const INSERT: &str = "INSERT INTO messages
    (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count,
     finish_reason, reasoning, reasoning_content, reasoning_details, codex_reasoning_items,
     codex_message_items)
    VALUES
    (:session_id, :role, :content, :tool_call_id, :tool_calls, :tool_name, :timestamp, :token_count,
     :finish_reason, :reasoning, :reasoning_content, :reasoning_details, :codex_reasoning_items,
     :codex_message_items)";

const COUNT: &str = "UPDATE sessions
    SET message_count = COALESCE(message_count, 0) + :messages,
        tool_call_count = COALESCE(tool_call_count, 0) + :tool_calls
    WHERE id = :id";

impl Store {
    /// Appends one message. `Ok` means that it is committed.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Locked`] after the patience for appends (20 s), and
    /// the errors of every write.
    pub fn append_message(&self, message: &NewMessage) -> Result<MessageId> {
        let ids = self.append_messages(std::slice::from_ref(message))?;
        ids.first().copied().ok_or(Error::Invalid {
            what: "message",
            problem: "got no id".into(),
        })
    }

    /// Appends several messages, of one or several sessions, in one transaction: all or none.
    ///
    /// # Errors
    /// As [`append_message`](Self::append_message).
    pub fn append_messages(&self, messages: &[NewMessage]) -> Result<Vec<MessageId>> {
        for message in messages {
            if let Some(time) = message.timestamp {
                check_time("timestamp", time)?;
            }
        }
        self.write(Patience::Append, |tx| {
            let now = self.now();
            messages
                .iter()
                .map(|message| append(tx, message, now))
                .collect()
        })
    }

    /// A page of a session's messages, in the order of their ids. An unknown session has none.
    ///
    /// A page is cut short when its messages are large (4 MiB), so the end is reached when a page
    /// is empty, not when it is short. Stores of newer versions hold messages taken back by a
    /// rewind or replaced by a compression; those are not part of the transcript and left out.
    ///
    /// # Errors
    /// Those of every read.
    pub fn messages(&self, id: impl AsRef<str>, page: MessagePage) -> Result<Vec<Message>> {
        self.read(|conn, layout| {
            let live = layout.messages.has("active");
            let condition = if live {
                "AND COALESCE(m.active, 1) = 1"
            } else {
                ""
            };
            read_page(conn, layout, id.as_ref(), page, condition)
        })
    }

    /// [`messages`](Self::messages) with those that are not part of the transcript.
    pub(crate) fn all_messages(&self, id: &str, page: MessagePage) -> Result<Vec<Message>> {
        self.read(|conn, layout| read_page(conn, layout, id, page, ""))
    }
}

fn read_page(
    conn: &Connection,
    layout: &Layout,
    id: &str,
    page: MessagePage,
    condition: &str,
) -> rusqlite::Result<Vec<Message>> {
    let sql = format!(
        "SELECT {} FROM messages m
         WHERE m.session_id = ?1 AND m.id > ?2 {condition} ORDER BY m.id LIMIT ?3",
        layout.messages.select
    );
    let after = page.after.map_or(i64::MIN, |id| id.0);
    let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query(params![id, after, limit])?;
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

fn append(tx: &Tx<'_>, message: &NewMessage, now: f64) -> Result<MessageId> {
    let charged = tx.execute(
        COUNT,
        named_params! {
            ":messages": 1,
            ":tool_calls": message.tool_call_count(),
            ":id": message.session_id.as_str(),
        },
    )?;
    if charged == 0 {
        return Err(Error::UnknownSession {
            id: message.session_id.to_string(),
        });
    }
    let stored = |json: &Option<JsonText>| {
        json.as_ref()
            .filter(|json| !json.is_falsy())
            .map(|json| json.as_str().to_owned())
    };
    let tool_calls = stored(&message.tool_calls);
    tx.execute(
        INSERT,
        named_params! {
            ":session_id": message.session_id.as_str(),
            ":role": message.role,
            ":content": message.content,
            ":tool_call_id": message.tool_call_id,
            ":tool_calls": tool_calls,
            ":tool_name": message.tool_name,
            ":timestamp": message.timestamp.unwrap_or(now),
            ":token_count": message.token_count,
            ":finish_reason": message.finish_reason,
            ":reasoning": message.reasoning,
            ":reasoning_content": message.reasoning_content,
            ":reasoning_details": stored(&message.reasoning_details),
            ":codex_reasoning_items": stored(&message.codex_reasoning_items),
            ":codex_message_items": stored(&message.codex_message_items),
        },
    )?;
    let id = tx.last_id();
    index(
        tx,
        id,
        message.content.as_ref(),
        message.tool_name.as_deref(),
        tool_calls.as_deref(),
    )?;
    Ok(id)
}

/// Puts our own text into the index where the trigger's would hold a NUL or bare JSON.
pub(crate) fn index(
    tx: &Tx<'_>,
    id: MessageId,
    content: Option<&Content>,
    tool_name: Option<&str>,
    tool_calls: Option<&str>,
) -> Result<()> {
    if !needs_own_index_text(content, tool_name, tool_calls) {
        return Ok(());
    }
    let text = index_text(content, tool_name, tool_calls);
    for sql in [
        "UPDATE messages_fts SET content = ?2 WHERE rowid = ?1",
        "UPDATE messages_fts_trigram SET content = ?2 WHERE rowid = ?1",
    ] {
        tx.execute(sql, params![id.0, text])?;
    }
    Ok(())
}

impl rusqlite::ToSql for Content {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::{ToSqlOutput, Value, ValueRef};
        Ok(match self {
            Content::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Content::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            json => ToSqlOutput::Owned(match json.to_stored_text() {
                Some(text) => Value::Text(text.into_owned()),
                None => Value::Null,
            }),
        })
    }
}
