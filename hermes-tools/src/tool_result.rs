//! What a call gives: something for the model, whatever happened.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::json_text;
use crate::output::Multimodal;

/// What goes to the model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Text: the handler's own, or JSON.
    Text(String),
    /// Parts of several kinds.
    Multimodal(Multimodal),
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// The handler gave a result.
    Ok,
    /// The handler failed or panicked.
    Failed,
    /// The handler gave what no model can be given.
    BadResult,
    /// No tool has this name.
    UnknownTool,
    /// The tool is there, but the model was not given it.
    NotEnabled,
    /// The arguments are no object.
    BadArguments,
    /// A hook or gate refused the call.
    Blocked,
    /// The tool is the agent loop's, and there is none.
    NoAgentLoop,
    /// It took longer than it may.
    TimedOut,
    /// It was cancelled.
    Cancelled,
    /// Something else on the way failed.
    Error,
}

impl Status {
    /// A stable word for logs and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::BadResult => "bad_result",
            Status::UnknownTool => "unknown_tool",
            Status::NotEnabled => "not_enabled",
            Status::BadArguments => "bad_arguments",
            Status::Blocked => "blocked",
            Status::NoAgentLoop => "no_agent_loop",
            Status::TimedOut => "timed_out",
            Status::Cancelled => "cancelled",
            Status::Error => "error",
        }
    }
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "the model waits for it"]
pub struct ToolResult {
    pub(crate) content: Content,
    pub(crate) status: Status,
    pub(crate) duration: Duration,
    pub(crate) warnings: Vec<String>,
}

impl ToolResult {
    pub(crate) fn new(content: Content, status: Status) -> ToolResult {
        ToolResult {
            content,
            status,
            duration: Duration::ZERO,
            warnings: Vec::new(),
        }
    }

    /// `{"error": message, …}` with these further fields.
    pub(crate) fn error(status: Status, message: &str, fields: &[(&str, Value)]) -> ToolResult {
        ToolResult::new(Content::Text(json_text::error(message, fields)), status)
    }

    /// What goes to the model.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// How the call ended.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Whether the handler gave a result.
    pub fn is_ok(&self) -> bool {
        self.status == Status::Ok
    }

    /// How long the handler ran.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// What was put right or left out on the way, for logs and people.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What goes to a model that takes only text: an envelope becomes its JSON.
    pub fn into_text(self) -> String {
        match self.content {
            Content::Text(text) => text,
            Content::Multimodal(parts) => json_text::write(&parts.to_value()),
        }
    }
}

/// The text as [`ToolResult::into_text`] gives it.
impl fmt::Display for ToolResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            Content::Text(text) => f.write_str(text),
            Content::Multimodal(parts) => f.write_str(&json_text::write(&parts.to_value())),
        }
    }
}
