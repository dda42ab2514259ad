//! Appending messages: the one write that an agent lives on.

use std::borrow::Cow;

use rusqlite::{ToSql, named_params, params};

use crate::content::Content;
use crate::error::{Error, Result};
use crate::index_text::{index_text, needs_own_index_text};
use crate::json_text::JsonText;
use crate::message::MessageId;
use crate::schema::Columns;
use crate::schema::IndexState;
use crate::session::{SessionId, check_time};
use crate::store::Store;
use crate::write::{Patience, Tx};

/// A message to be stored.
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
    platform_message_id: Option<String>,
    observed: Option<bool>,
    effect_disposition: Option<String>,
    api_content: Option<String>,
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
            platform_message_id: None,
            observed: None,
            effect_disposition: None,
            api_content: None,
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
        /// Sets the message's id on the platform it came from. Needs a store of version 13.
        platform_message_id: String,
        /// Sets whether the agent only overheard it. Needs a store of version 13.
        observed: bool,
        /// Sets what became of a tool's effect. Needs a store of version 22.
        effect_disposition: String,
        /// Sets the text that went to the model's API in place of the content. Needs a store of
        /// version 22.
        api_content: String,
    }

    pub(crate) fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// The message as it is stored in place of others: reasoning belongs to an assistant's only.
    pub(crate) fn in_place_of_others(&self) -> Cow<'_, NewMessage> {
        if self.role == "assistant" {
            return Cow::Borrowed(self);
        }
        Cow::Owned(NewMessage {
            reasoning: None,
            reasoning_content: None,
            reasoning_details: None,
            codex_reasoning_items: None,
            codex_message_items: None,
            ..self.clone()
        })
    }

    pub(crate) fn for_session(&self, id: &str) -> Cow<'_, NewMessage> {
        if self.session_id.as_str() == id {
            return Cow::Borrowed(self);
        }
        Cow::Owned(NewMessage {
            session_id: SessionId::new(id),
            ..self.clone()
        })
    }

    pub(crate) fn given_time(&self) -> Option<f64> {
        self.timestamp
    }

    /// How many tool calls the session is charged: a list counts its items, any other value one.
    pub(crate) fn tool_call_count(&self) -> i64 {
        tool_calls_charged(self.tool_calls.as_ref())
    }
}

pub(crate) fn tool_calls_charged(tool_calls: Option<&JsonText>) -> i64 {
    tool_calls.map_or(0, |json| {
        json.array_len()
            .map_or(1, |n| i64::try_from(n).unwrap_or(i64::MAX))
    })
}

/// Columns of every store that is written.
const COLUMNS: [&str; 14] = [
    "session_id",
    "role",
    "content",
    "tool_call_id",
    "tool_calls",
    "tool_name",
    "timestamp",
    "token_count",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
];

/// Columns of newer stores, and the version that brought them.
const NEWER_COLUMNS: [(&str, i64); 5] = [
    ("active", 14),
    ("platform_message_id", 13),
    ("observed", 13),
    ("effect_disposition", 22),
    ("api_content", 22),
];

/// The statement that stores a message, for a table with these columns.
pub(crate) fn insert_sql(columns: &Columns) -> String {
    let newer = NEWER_COLUMNS.iter().map(|(name, _)| *name);
    let names: Vec<&str> = COLUMNS
        .into_iter()
        .chain(newer.filter(|name| columns.has(name)))
        .collect();
    let marks = vec!["?"; names.len()].join(", ");
    format!(
        "INSERT INTO messages ({}) VALUES ({marks})",
        names.join(", ")
    )
}

const COUNT: &str = "UPDATE sessions
    SET message_count = COALESCE(message_count, 0) + :messages,
        tool_call_count = COALESCE(tool_call_count, 0) + :tool_calls
    WHERE id = :id";

impl Store {
    /// Appends one message. `Ok` means that it is committed.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Unsupported`] for a field that the store has no column
    /// for, [`Error::Locked`] after the patience for appends (20 s), and the errors of every write.
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
        check_times(messages)?;
        self.write(Patience::Append, |tx| {
            let now = self.now()?;
            messages
                .iter()
                .map(|message| append(tx, message, now))
                .collect()
        })
    }
}

pub(crate) fn check_times(messages: &[NewMessage]) -> Result<()> {
    messages
        .iter()
        .filter_map(|message| message.timestamp)
        .try_for_each(|time| check_time("timestamp", time))
}

pub(crate) fn append(tx: &Tx<'_>, message: &NewMessage, now: f64) -> Result<MessageId> {
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
    insert(tx, message, message.timestamp.unwrap_or(now))
}

/// Stores the row, and what belongs into the index; the session's counters are the caller's.
pub(crate) fn insert(tx: &Tx<'_>, message: &NewMessage, timestamp: f64) -> Result<MessageId> {
    let tool_calls = stored(message.tool_calls.as_ref());
    let reasoning_details = stored(message.reasoning_details.as_ref());
    let codex_reasoning_items = stored(message.codex_reasoning_items.as_ref());
    let codex_message_items = stored(message.codex_message_items.as_ref());
    let session_id = message.session_id.as_str();
    let observed = message.observed.unwrap_or_default();
    let mut values: Vec<&dyn ToSql> = vec![
        &session_id,
        &message.role,
        &message.content,
        &message.tool_call_id,
        &tool_calls,
        &message.tool_name,
        &timestamp,
        &message.token_count,
        &message.finish_reason,
        &message.reasoning,
        &message.reasoning_content,
        &reasoning_details,
        &codex_reasoning_items,
        &codex_message_items,
    ];
    let newer: [(&dyn ToSql, bool); 5] = [
        (&true, false),
        (
            &message.platform_message_id,
            message.platform_message_id.is_some(),
        ),
        (&observed, observed),
        (
            &message.effect_disposition,
            message.effect_disposition.is_some(),
        ),
        (&message.api_content, message.api_content.is_some()),
    ];
    for ((name, needs), (value, given)) in NEWER_COLUMNS.into_iter().zip(newer) {
        if tx.layout().messages.has(name) {
            values.push(value);
        } else if given {
            return Err(tx.unsupported(name, needs));
        }
    }
    tx.execute(&tx.layout().insert_message, values.as_slice())?;
    let id = tx.last_id();
    index(
        tx,
        id,
        message.content.as_ref(),
        message.tool_name.as_deref(),
        tool_calls,
    )?;
    Ok(id)
}

/// The text for a JSON column: nothing for what Python takes for false.
fn stored(json: Option<&JsonText>) -> Option<&str> {
    json.filter(|json| !json.is_falsy()).map(JsonText::as_str)
}

/// Puts our own text into the index where the trigger's would hold a NUL or bare JSON.
pub(crate) fn index(
    tx: &Tx<'_>,
    id: MessageId,
    content: Option<&Content>,
    tool_name: Option<&str>,
    tool_calls: Option<&str>,
) -> Result<()> {
    if tx.index() != IndexState::Inline || !needs_own_index_text(content, tool_name, tool_calls) {
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
