//! `import_sessions` as Hermes has it: a list of exported sessions in memory, checked as a whole,
//! imported all or none.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value};

use super::line::Line;
use super::options::{ImportLimits, ImportOptions};
use crate::error::{Error, Result};
use crate::session::SessionId;
use crate::store::Store;

/// What became of it. Serialised with the keys of Hermes: the two lists of ids are left out if
/// nothing was imported because of errors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportOutcome {
    /// Whether there was nothing wrong.
    pub ok: bool,
    /// Sessions imported.
    pub imported: u64,
    /// Sessions that the store has already.
    pub skipped: u64,
    /// Sessions imported without their parent.
    pub detached: u64,
    /// Which were imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_ids: Option<Vec<SessionId>>,
    /// Which were skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_ids: Option<Vec<SessionId>>,
    /// What is wrong. Nothing was imported then.
    pub errors: Vec<RejectedSession>,
}

/// What is wrong with a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RejectedSession {
    /// Its place in the list, from 0.
    pub index: usize,
    /// What is wrong.
    pub error: String,
    /// Its id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// Columns of a session that hold text.
const TEXTS: [&str; 15] = [
    "source",
    "user_id",
    "model",
    "system_prompt",
    "parent_session_id",
    "end_reason",
    "cwd",
    "git_branch",
    "git_repo_root",
    "billing_provider",
    "billing_base_url",
    "billing_mode",
    "cost_status",
    "cost_source",
    "pricing_version",
];

const COUNTERS: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "api_call_count",
];

const FLOATS: [&str; 4] = [
    "started_at",
    "ended_at",
    "estimated_cost_usd",
    "actual_cost_usd",
];

const MESSAGE_TEXTS: [&str; 7] = [
    "tool_call_id",
    "tool_name",
    "effect_disposition",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "platform_message_id",
];

/// What only an assistant's message keeps.
const OF_ASSISTANTS: [&str; 5] = [
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
];

impl Store {
    /// Imports exported sessions, all or none, under the limits of [`ImportLimits::default`].
    /// Sessions that the store has are skipped; counters of messages are counted anew; live state
    /// (gateway, handoff, rewinds) is left behind. A title that is taken gets a number.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more than 500 sessions, and those of every write. What is wrong with
    /// a session is no error, but in the outcome.
    pub fn import_sessions(&self, sessions: &[Value]) -> Result<ImportOutcome> {
        let limits = ImportLimits::default();
        if sessions.len() as u64 > limits.sessions {
            return Err(Error::Invalid {
                what: "sessions",
                problem: format!("must contain at most {} entries", limits.sessions),
            });
        }
        let now = self.now()?;
        let layout = self.current_layout()?;
        let mut checks = Checks {
            limits,
            seen: HashSet::new(),
            messages: 0,
            bytes: 0,
        };
        let mut lines = Vec::new();
        let mut errors = Vec::new();
        for (index, session) in sessions.iter().enumerate() {
            let parsed = checks.session(session).and_then(|clean| {
                let text = Value::Object(clean).to_string();
                Line::parse(text.into_bytes(), &layout, now)
            });
            match parsed {
                Ok(line) => lines.extend(line.map(|line| (index as u64, line))),
                Err((session_id, error)) => errors.push(RejectedSession {
                    index,
                    error,
                    session_id,
                }),
            }
        }
        if errors.is_empty() {
            match self.import_at_once(&ImportOptions::default(), &lines)? {
                Ok(report) => {
                    return Ok(ImportOutcome {
                        ok: true,
                        imported: report.sessions,
                        skipped: report.skipped.len() as u64,
                        detached: report.detached.len() as u64,
                        imported_ids: Some(report.imported),
                        skipped_ids: Some(report.skipped),
                        errors,
                    });
                }
                Err(error) => errors.push(RejectedSession {
                    index: usize::try_from(error.line).unwrap_or(usize::MAX),
                    error: error.problem,
                    session_id: error.session_id,
                }),
            }
        }
        Ok(ImportOutcome {
            ok: false,
            imported: 0,
            skipped: 0,
            detached: 0,
            imported_ids: None,
            skipped_ids: None,
            errors,
        })
    }
}

type Problem = (Option<SessionId>, String);

/// What is known of the sessions checked so far.
struct Checks {
    limits: ImportLimits,
    seen: HashSet<String>,
    messages: u64,
    bytes: u64,
}

impl Checks {
    /// What of a session is imported, or what is wrong with it.
    fn session(&mut self, session: &Value) -> Result<Map<String, Value>, Problem> {
        let Value::Object(session) = session else {
            return Err((None, "session must be an object".to_owned()));
        };
        let id = match session.get("id") {
            None | Some(Value::Null | Value::Bool(false)) => String::new(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(n)) if n.as_f64() == Some(0.0) => String::new(),
            Some(other) => other.to_string(),
        };
        if id.is_empty() {
            return Err((None, "session id is required".to_owned()));
        }
        let wrong = |problem: String| (Some(SessionId::new(id.as_str())), problem);
        if !self.seen.insert(id.clone()) {
            return Err(wrong("duplicate session id".to_owned()));
        }
        let nothing = Vec::new();
        let messages = match session.get("messages") {
            Some(Value::Array(messages)) => messages,
            None => &nothing,
            Some(other) if is_falsy(other) => &nothing,
            Some(_) => return Err(wrong("messages must be a list".to_owned())),
        };
        self.charge(session, messages.len() as u64).map_err(wrong)?;
        let mut clean = Map::new();
        clean.insert("id".to_owned(), Value::String(id.clone()));
        for name in TEXTS.into_iter().chain(["title"]) {
            match session.get(name) {
                None | Some(Value::Null) => {}
                Some(text @ Value::String(_)) => {
                    clean.insert(name.to_owned(), text.clone());
                }
                Some(_) => return Err(wrong(format!("{name} must be a string"))),
            }
        }
        if let Some(config) = model_config(session.get("model_config")).map_err(wrong)? {
            clean.insert("model_config".to_owned(), config);
        }
        for (names, whole) in [(COUNTERS.as_slice(), true), (FLOATS.as_slice(), false)] {
            for name in names {
                if let Some(n) = session.get(*name).and_then(|v| number(v, whole)) {
                    clean.insert((*name).to_owned(), n);
                }
            }
        }
        if session.get("archived").is_some_and(|v| !is_falsy(v)) {
            clean.insert("archived".to_owned(), Value::from(1));
        }
        let messages: Result<Vec<Value>, String> =
            messages.iter().enumerate().map(message).collect();
        clean.insert(
            "messages".to_owned(),
            Value::Array(messages.map_err(wrong)?),
        );
        Ok(clean)
    }

    fn charge(&mut self, session: &Map<String, Value>, messages: u64) -> Result<(), String> {
        let bytes = serde_json::to_string(session).map_or(u64::MAX, |text| text.len() as u64);
        let problem = if messages > self.limits.messages_per_session {
            "messages exceeds the per-session import limit"
        } else if bytes > self.limits.bytes_per_session {
            "session exceeds the import size limit"
        } else if self.messages + messages > self.limits.messages {
            "messages exceeds the total import limit"
        } else if self.bytes + bytes > self.limits.bytes {
            "import exceeds the total size limit"
        } else {
            self.messages += messages;
            self.bytes += bytes;
            return Ok(());
        };
        Err(problem.to_owned())
    }
}

fn message((n, message): (usize, &Value)) -> Result<Value, String> {
    let Value::Object(message) = message else {
        return Err("messages must contain only objects".to_owned());
    };
    let role = match message.get("role") {
        Some(Value::String(role)) if !role.is_empty() => role,
        _ => return Err(format!("messages[{n}].role must be a non-empty string")),
    };
    let mut clean = Map::new();
    for (name, value) in message {
        if MESSAGE_TEXTS.contains(&name.as_str())
            && !matches!(value, Value::String(_) | Value::Null)
        {
            return Err(format!("{name} must be a string"));
        }
        let kept = match name.as_str() {
            // Given anew, or not taken over.
            "id" | "session_id" | "active" | "compacted" => None,
            name if OF_ASSISTANTS.contains(&name) && role != "assistant" => None,
            "token_count" if *value != Value::Null => {
                Some(number(value, true).ok_or("token_count must be an integer")?)
            }
            "timestamp" => number(value, false),
            "observed" => Some(Value::from(i32::from(!is_falsy(value)))),
            _ => Some(value.clone()),
        };
        clean.extend(kept.map(|value| (name.clone(), value)));
    }
    Ok(Value::Object(clean))
}

fn model_config(config: Option<&Value>) -> Result<Option<Value>, String> {
    match config {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) if object.is_empty() => Ok(None),
        Some(object @ Value::Object(_)) => Ok(Some(object.clone())),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(_)) => Ok(Some(Value::String(text.clone()))),
            Ok(_) => Err("model_config must be a JSON object".to_owned()),
            Err(_) => Err("model_config must be valid JSON".to_owned()),
        },
        Some(_) => Err("model_config must be a JSON object".to_owned()),
    }
}

/// A number as Python would make one of the value; whole ones are cut.
fn number(value: &Value, whole: bool) -> Option<Value> {
    let number = match value {
        Value::Bool(b) => f64::from(u8::from(*b)),
        Value::Number(n) if whole && n.as_i64().is_some() => return Some(value.clone()),
        Value::Number(n) => n.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "cut as Python's int does, within its range"
    )]
    match whole {
        true if number.abs() < 9.0e18 => Some(Value::from(number.trunc() as i64)),
        false if number.is_finite() => Some(Value::from(number)),
        _ => None,
    }
}

fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(b) => !b,
        Value::Number(n) => n.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(items) => items.is_empty(),
    }
}
