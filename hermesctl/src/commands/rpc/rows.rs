//! Rows with the reference's keys: the columns in the order of the file.

use hermes_kit::state::{
    ActiveSession, JsonOrNull, JsonText, Message, ReplayMessage, Session, SessionSummary, Store,
};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::json::Json;

pub(super) fn session(store: &Store, session: &Session) -> Json {
    row(session, &store.session_columns(), &session.raw, &[])
}

pub(super) fn sessions(store: &Store, sessions: &[Session]) -> Json {
    let columns = store.session_columns();
    Json::list(sessions.iter().map(|s| row(s, &columns, &s.raw, &[])))
}

pub(super) fn summaries(store: &Store, summaries: &[SessionSummary]) -> Json {
    let columns = store.session_columns();
    let shown = summaries.iter();
    Json::list(shown.map(|s| row(s, &columns, &s.session.raw, &[])))
}

pub(super) fn active(store: &Store, sessions: &[ActiveSession]) -> Json {
    let columns = store.session_columns();
    let shown = sessions.iter();
    Json::list(shown.map(|s| row(s, &columns, &s.session.raw, &[])))
}

pub(super) fn messages(store: &Store, messages: &[Message]) -> Json {
    let columns = store.message_columns();
    Json::list(
        messages
            .iter()
            .map(|message| message_row(message, &columns)),
    )
}

pub(super) fn message(store: &Store, message: &Message) -> Json {
    message_row(message, &store.message_columns())
}

/// A session with its messages behind its own members.
pub(super) fn exported(
    store: &Store,
    session: &Session,
    last_active: Option<f64>,
    messages: Json,
) -> Json {
    let mut more = Vec::new();
    if let Some(time) = last_active {
        more.push(("last_active", Json::of(&time)));
    }
    more.push(("messages", messages));
    row(session, &store.session_columns(), &session.raw, &more)
}

/// A chain of sessions: the last of them, what was said in all, each by itself, and their ids.
pub(super) fn lineage(
    store: &Store,
    last: &Session,
    messages: Json,
    segments: Json,
    ids: Json,
) -> Json {
    let more = [
        ("messages", messages),
        ("segments", segments),
        ("lineage_session_ids", ids),
    ];
    row(last, &store.session_columns(), &last.raw, &more)
}

fn message_row(message: &Message, columns: &[String]) -> Json {
    let mut changed = Vec::new();
    if let Some(content) = &message.content {
        changed.push(("content", Json::from(content)));
    }
    if let Some(calls) = &message.tool_calls {
        changed.push(("tool_calls", Json::from(calls)));
    }
    let shown: Vec<(&str, Json)> = changed
        .into_iter()
        .filter(|(name, _)| columns.iter().any(|column| column == name))
        .collect();
    row(message, columns, &message.raw, &shown)
}

pub(super) fn replay(messages: &[ReplayMessage]) -> Json {
    Json::list(messages.iter().map(|message| {
        let Members(mut members) = members(message);
        let json = |json: &Option<JsonText>| json.as_ref().map(Json::from);
        let parsed = |json: &Option<JsonOrNull>| json.as_ref().map(Json::from);
        for (name, value) in [
            ("content", message.content.as_ref().map(Json::from)),
            ("tool_calls", json(&message.tool_calls)),
            ("reasoning_details", parsed(&message.reasoning_details)),
            (
                "codex_reasoning_items",
                parsed(&message.codex_reasoning_items),
            ),
            ("codex_message_items", parsed(&message.codex_message_items)),
        ] {
            if let Some(value) = value {
                put(&mut members, name, value);
            }
        }
        if message.observed {
            put(&mut members, "observed", Json::of(&true));
        }
        Json::object(members)
    }))
}

/// Keys behind the columns.
const BEHIND: [&str; 3] = ["last_active", "preview", "_lineage_root_id"];

/// A record as an object: its columns in the order of the file, what is computed, and `more`.
/// A stored value that its field cannot hold stands for itself.
fn row(
    record: &impl Serialize,
    columns: &[String],
    raw: &Map<String, Value>,
    more: &[(&str, Json)],
) -> Json {
    let Members(mut members) = members(record);
    for (name, value) in raw.iter().filter(|(_, value)| value.is_object()) {
        put(&mut members, name, Json::of(value));
    }
    for (name, value) in more {
        put(&mut members, name, value.clone());
    }
    let place = |name: &str| {
        let column = columns.iter().position(|column| column == name);
        let behind = || {
            let known = BEHIND.contains(&name) || more.iter().any(|(more, _)| *more == name);
            known.then_some(columns.len())
        };
        column.or_else(behind)
    };
    let mut placed: Vec<_> = members
        .into_iter()
        .filter_map(|(name, value)| Some((place(&name)?, name, value)))
        .collect();
    placed.sort_by_key(|(place, ..)| *place);
    Json::object(placed.into_iter().map(|(_, name, value)| (name, value)))
}

fn put(members: &mut Vec<(String, Json)>, name: &str, value: Json) {
    match members.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => members.push((name.to_owned(), value)),
    }
}

fn members(record: &impl Serialize) -> Members {
    serde_json::from_str(Json::of(record).as_str()).unwrap_or_default()
}

/// The members of an object in their order, their texts as they are.
#[derive(Default)]
struct Members(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    members.push((name, Json::raw(value.get())));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Read)
    }
}
