//! A session's messages as a model's API takes them back.

use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use serde_json::Value;

use crate::alternation::repair;
use crate::content::Content;
use crate::error::Result;
use crate::json_text::JsonText;
use crate::message::{Message, active_only};
use crate::record::column;
use crate::schema::Layout;
use crate::scrub::sanitize_context;
use crate::store::Store;

/// One message for replay. Serialised, fields without a value are left out, but for `role` and
/// `content`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReplayMessage {
    /// `user`, `assistant`, `system` or `tool`.
    pub role: String,
    /// What was said, without the context that Hermes had put around it.
    pub content: Option<Content>,
    /// What went to the model's API in place of the content (stores of version 22 and newer).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_content: Option<String>,
    /// When it was stored, seconds since the epoch (stores of version 12 and newer).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<f64>,
    /// The tool call that is answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// What became of a tool's effect (stores of version 22 and newer).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect_disposition: Option<String>,
    /// The tool calls made; an empty list if what is stored does not parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<JsonText>,
    /// The message's id on its platform (stores of version 13 and newer).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Whether the agent only overheard it (stores of version 13 and newer).
    #[serde(skip_serializing_if = "is_false")]
    pub observed: bool,
    /// Why the model stopped (assistant).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The model's reasoning (assistant).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The reasoning in the field that some providers use (assistant).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// Structured reasoning (assistant); null if what is stored does not parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_details: Option<JsonOrNull>,
    /// Reasoning items of the Codex Responses API (assistant).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex_reasoning_items: Option<JsonOrNull>,
    /// Message items of the Codex Responses API (assistant).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex_message_items: Option<JsonOrNull>,
}

/// A JSON column's value, or null where its text does not parse.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum JsonOrNull {
    /// The value.
    Json(JsonText),
    /// The text does not parse.
    Null,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// What belongs to a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ConversationOptions {
    /// Also the messages of the sessions above: those that this one continues or branched from.
    /// What the user said is given once where it was stored again before any answer.
    pub include_ancestors: bool,
    /// Also messages that are not part of the transcript: taken back by a rewind, or archived by
    /// a compaction.
    pub include_inactive: bool,
    /// Makes of it what providers accept: users and assistants in turn, and no result of a tool
    /// without its call.
    pub repair_alternation: bool,
}

impl Store {
    /// The whole conversation of a session, in the order of the messages' ids.
    ///
    /// In stores of version 12 and newer, prompts of Hermes' background review and the answers to
    /// them are left out.
    ///
    /// # Errors
    /// Those of every read.
    pub fn conversation(&self, id: impl AsRef<str>) -> Result<Vec<ReplayMessage>> {
        self.conversation_with(id, ConversationOptions::default())
    }

    /// [`conversation`](Self::conversation) with more or less in it.
    ///
    /// # Errors
    /// Those of every read.
    pub fn conversation_with(
        &self,
        id: impl AsRef<str>,
        options: ConversationOptions,
    ) -> Result<Vec<ReplayMessage>> {
        self.read(|conn, layout| {
            let ids = if options.include_ancestors {
                ancestry(conn, id.as_ref())?
            } else {
                vec![id.as_ref().to_owned()]
            };
            let replayed = replay(conn, layout, &ids, options)?;
            Ok(if options.repair_alternation {
                repair(replayed)
            } else {
                replayed
            })
        })
    }

    /// What is needed to resume a session, as of one moment: its own conversation, repaired for
    /// the model, and the conversation with its ancestors to be shown.
    ///
    /// # Errors
    /// Those of every read.
    pub fn resume_conversations(
        &self,
        id: impl AsRef<str>,
    ) -> Result<(Vec<ReplayMessage>, Vec<ReplayMessage>)> {
        let own = ConversationOptions::default();
        let shown = ConversationOptions {
            include_ancestors: true,
            ..own
        };
        self.read(|conn, layout| {
            let id = id.as_ref();
            Ok((
                repair(replay(conn, layout, &[id.to_owned()], own)?),
                replay(conn, layout, &ancestry(conn, id)?, shown)?,
            ))
        })
    }

    /// What was said in a session's ancestors, to be shown before its own messages.
    ///
    /// # Errors
    /// Those of every read.
    pub fn ancestor_display_prefix(&self, id: impl AsRef<str>) -> Result<Vec<ReplayMessage>> {
        let options = ConversationOptions {
            include_ancestors: true,
            ..ConversationOptions::default()
        };
        self.read(|conn, layout| {
            let ids = ancestry(conn, id.as_ref())?;
            replay(conn, layout, ids.get(1..).unwrap_or_default(), options)
        })
    }
}

/// As many sessions as are looked at on the way up.
const MAX_ANCESTRY: usize = 100;

/// A session and those above it, the nearest first; each once, whatever the parents say.
fn ancestry(conn: &Connection, id: &str) -> rusqlite::Result<Vec<String>> {
    let mut parent = conn.prepare_cached("SELECT parent_session_id FROM sessions WHERE id = ?1")?;
    let mut ids = vec![id.to_owned()];
    while let Some(last) = ids.last().filter(|_| ids.len() < MAX_ANCESTRY) {
        let above = parent
            .query_row([last], |row| column::<Option<String>>(row, 0))
            .optional()?
            .flatten()
            .filter(|above| !above.is_empty() && !ids.contains(above));
        match above {
            Some(above) => ids.push(above),
            None => break,
        }
    }
    Ok(ids)
}

/// The version from which on a replay tells times, and background reviews are left out.
const NEWER_REPLAY: i64 = 12;

fn replay(
    conn: &Connection,
    layout: &Layout,
    ids: &[String],
    options: ConversationOptions,
) -> rusqlite::Result<Vec<ReplayMessage>> {
    let active = if options.include_inactive {
        ""
    } else {
        active_only(layout)
    };
    let sql = format!(
        "SELECT {} FROM messages m
         WHERE m.session_id IN (SELECT value FROM json_each(?1)) {active} ORDER BY m.id",
        layout.messages.select
    );
    let newer = layout.version >= NEWER_REPLAY;
    let mut statement = conn.prepare_cached(&sql)?;
    let ids = JsonText::from_serialize(ids).map_or_else(|_| "[]".to_owned(), JsonText::into_string);
    let mut rows = statement.query([ids])?;
    let mut replayed: Vec<ReplayMessage> = Vec::new();
    let mut after_review = false;
    while let Some(row) = rows.next()? {
        let message = Message::read(row, &layout.messages.extra)?;
        let message = ReplayMessage::of(message, newer);
        let review = newer && message.asks_for_review();
        let answers_review = after_review && message.role == "assistant";
        after_review = review;
        let repeated = options.include_ancestors && message.repeats_one_of(&replayed);
        if !(review || answers_review || repeated) {
            replayed.push(message);
        }
    }
    Ok(replayed)
}

/// How the prompts of Hermes' background review begin.
const REVIEWS: [&str; 2] = [
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
];

impl ReplayMessage {
    fn of(message: Message, newer: bool) -> ReplayMessage {
        let assistant = message.role == "assistant";
        let content = match message.content {
            Some(Content::Text(text)) if assistant || message.role == "user" => {
                Some(Content::Text(sanitize_context(&text).trim().to_owned()))
            }
            content => content,
        };
        let said = |text: Option<String>| text.filter(|text| assistant && !text.is_empty());
        let parsed = |text: Option<String>| {
            said(text).map(|text| JsonText::parse(text).map_or(JsonOrNull::Null, JsonOrNull::Json))
        };
        let extra = |name: &str| message.extra.get(name).filter(|_| newer);
        let extra_text = |name: &str| {
            extra(name)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        };
        ReplayMessage {
            role: message.role,
            content,
            api_content: extra_text("api_content"),
            timestamp: Some(message.timestamp).filter(|time| newer && *time != 0.0),
            tool_call_id: message.tool_call_id.filter(|id| !id.is_empty()),
            tool_name: message.tool_name.filter(|name| !name.is_empty()),
            effect_disposition: extra_text("effect_disposition"),
            tool_calls: message.tool_calls,
            message_id: extra_text("platform_message_id"),
            observed: extra("observed")
                .and_then(Value::as_i64)
                .unwrap_or_default()
                != 0,
            finish_reason: said(message.finish_reason),
            reasoning: said(message.reasoning),
            reasoning_content: message.reasoning_content.filter(|_| assistant),
            reasoning_details: parsed(message.reasoning_details),
            codex_reasoning_items: parsed(message.codex_reasoning_items),
            codex_message_items: parsed(message.codex_message_items),
        }
    }

    fn asks_for_review(&self) -> bool {
        let Some(Content::Text(text)) = &self.content else {
            return false;
        };
        let text = text.trim_start();
        matches!(self.role.as_str(), "user" | "system")
            && REVIEWS.iter().any(|prompt| text.starts_with(prompt))
    }

    /// Whether a user says what stands among the last that was said, before any answer.
    fn repeats_one_of(&self, said: &[ReplayMessage]) -> bool {
        let text = match &self.content {
            Some(Content::Text(text)) if self.role == "user" && !text.is_empty() => text,
            _ => return false,
        };
        said.iter()
            .rev()
            .take_while(|earlier| !earlier.answers())
            .any(|earlier| {
                earlier.role == "user"
                    && matches!(&earlier.content, Some(Content::Text(said)) if said == text)
            })
    }

    fn answers(&self) -> bool {
        let says = match &self.content {
            None => false,
            Some(Content::Text(text)) => !text.is_empty(),
            Some(Content::Json(json)) => !json.is_falsy(),
            Some(Content::Bytes(bytes)) => !bytes.is_empty(),
        };
        let calls = self.tool_calls.as_ref().is_some_and(|c| !c.is_falsy());
        self.role == "assistant" && (says || calls)
    }
}
