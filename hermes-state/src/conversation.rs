//! A session's messages as a model's API takes them back.

use serde::Serialize;

use crate::content::Content;
use crate::error::Result;
use crate::json_text::JsonText;
use crate::message::{Message, MessagePage};
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
    /// The tool call that is answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The tool calls made; an empty list if what is stored does not parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<JsonText>,
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

impl Store {
    /// The whole conversation of a session, in the order of the messages' ids.
    ///
    /// # Errors
    /// Those of every read.
    pub fn conversation(&self, id: impl AsRef<str>) -> Result<Vec<ReplayMessage>> {
        let mut replay = Vec::new();
        let mut page = MessagePage::default();
        loop {
            let messages = self.messages(id.as_ref(), page)?;
            let Some(last) = messages.last() else {
                return Ok(replay);
            };
            page.after = Some(last.id);
            replay.extend(messages.into_iter().map(ReplayMessage::from));
        }
    }
}

impl From<Message> for ReplayMessage {
    fn from(message: Message) -> ReplayMessage {
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
        ReplayMessage {
            role: message.role,
            content,
            tool_call_id: message.tool_call_id.filter(|id| !id.is_empty()),
            tool_name: message.tool_name.filter(|name| !name.is_empty()),
            tool_calls: message.tool_calls,
            finish_reason: said(message.finish_reason),
            reasoning: said(message.reasoning),
            reasoning_content: message.reasoning_content.filter(|_| assistant),
            reasoning_details: parsed(message.reasoning_details),
            codex_reasoning_items: parsed(message.codex_reasoning_items),
            codex_message_items: parsed(message.codex_message_items),
        }
    }
}
