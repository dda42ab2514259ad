//! Messages and sessions as a model gets them, cut to a length.

use hermes_state::{Message, MessageId, Session};
use hermes_tools::tool_result_text;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::MAX_ANSWER_CHARS;
use crate::cut::cut;

/// Characters of one message, tried from the first on until the answer is small enough.
const MESSAGE_CHARS: [usize; 5] = [2_000, 1_000, 500, 200, 80];

/// Characters of titles, names of models and the like, and of a snippet.
const NAME_CHARS: usize = 200;
const SNIPPET_CHARS: usize = 600;

/// Tool calls of one message that are shown.
const CALLS: usize = 8;

/// The answer with messages as long as there is room for. What is too long even so loses its last
/// results.
pub(super) fn bounded(render: impl Fn(usize) -> Map<String, Value>) -> Value {
    let mut answer = Map::new();
    for chars in MESSAGE_CHARS {
        answer = render(chars);
        if fits(&answer) {
            return Value::Object(answer);
        }
    }
    while !fits(&answer) {
        let Some(Value::Array(results)) = answer.get_mut("results") else {
            break;
        };
        if results.pop().is_none() {
            break;
        }
        let count = results.len();
        for key in ["count", "sessions_searched"] {
            answer.insert(key.to_owned(), json!(count));
        }
        answer.insert("more".to_owned(), json!(true));
    }
    Value::Object(answer)
}

fn fits(answer: &Map<String, Value>) -> bool {
    let length = tool_result_text(answer).map(|text| text.chars().count());
    length.is_ok_and(|length| length <= MAX_ANSWER_CHARS)
}

/// A message; the one that was found or asked for is marked.
pub(super) fn message(message: &Message, anchor: Option<MessageId>, chars: usize) -> Value {
    let mut shown = Map::new();
    let mut set = |key: &str, value: Value| shown.insert(key.to_owned(), value);
    set("id", json!(message.id));
    set("role", json!(name(&message.role)));
    let content = message.content.as_ref().map(|content| content.plain_text());
    set(
        "content",
        json!(cut(content.as_deref().unwrap_or_default(), chars)),
    );
    set("timestamp", json!(message.timestamp));
    if let Some(tool) = &message.tool_name {
        set("tool_name", json!(name(tool)));
    }
    if let Some(id) = &message.tool_call_id {
        set("tool_call_id", json!(name(id)));
    }
    if let Some(calls) = message.tool_calls.as_ref().and_then(|calls| calls.value()) {
        set("tool_calls", tool_calls(&calls, chars));
    }
    if anchor == Some(message.id) {
        set("anchor", json!(true));
    }
    Value::Object(shown)
}

pub(super) fn messages(all: &[Message], anchor: Option<MessageId>, chars: usize) -> Value {
    all.iter().map(|one| message(one, anchor, chars)).collect()
}

/// The calls with their arguments cut; what is no list of calls as text.
fn tool_calls(calls: &Value, chars: usize) -> Value {
    let Some(list) = calls.as_array() else {
        return json!(cut(&calls.to_string(), chars));
    };
    let one = |call: &Value| {
        let Some(function) = call.get("function").filter(|function| function.is_object()) else {
            return json!(cut(&call.to_string(), chars));
        };
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        json!({"function": {
            "name": name(&text(function.get("name"))),
            "arguments": cut(&text(function.get("arguments")), chars),
        }})
    };
    let mut shown: Vec<Value> = list.iter().take(CALLS).map(one).collect();
    if list.len() > CALLS {
        shown.push(json!(format!("… [{} more calls]", list.len() - CALLS)));
    }
    Value::Array(shown)
}

/// Facts about a session.
pub(super) fn session(session: &Session) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut set = |key: &str, value: Value| facts.insert(key.to_owned(), value);
    set("when", json!(when(session.started_at)));
    set("source", json!(name(&session.source)));
    set("model", json!(session.model.as_deref().map(name)));
    set("title", json!(session.title.as_deref().map(name)));
    facts
}

/// `November 01, 2025 at 12:26 PM`, in the system's zone.
fn when(seconds: f64) -> Option<String> {
    let since = SignedDuration::try_from_secs_f64(seconds).ok()?;
    let moment = Timestamp::from_duration(since).ok()?;
    let local = moment.to_zoned_datetime(TimeZone::system());
    Some(local.strftime("%B %d, %Y at %I:%M %p").to_string())
}

pub(super) fn name(text: &str) -> String {
    cut(text, NAME_CHARS)
}

pub(super) fn snippet(text: &str) -> String {
    cut(text, SNIPPET_CHARS)
}
