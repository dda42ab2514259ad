//! Messages: stored, replaced, taken back.

use hermes_kit::state::{MessageId, NewMessage};
use serde_json::value::RawValue;

use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::fault::Fault;
use crate::commands::rpc::json::Json;
use crate::commands::rpc::rows;

pub(super) const METHODS: &[Method] = &[
    method(
        "append_message",
        &[
            "session_id",
            "role",
            "content",
            "tool_name",
            "tool_calls",
            "tool_call_id",
            "token_count",
            "finish_reason",
            "reasoning",
            "reasoning_content",
            "reasoning_details",
            "codex_reasoning_items",
            "codex_message_items",
            "platform_message_id",
            "observed",
            "effect_disposition",
            "timestamp",
            "api_content",
        ],
        append,
    ),
    method(
        "replace_messages",
        &["session_id", "messages", "active_only"],
        replace,
    ),
    method("clear_messages", &["session_id"], clear),
    method(
        "rewind_to_message",
        &["session_id", "target_message_id"],
        rewind,
    ),
    method(
        "restore_rewound",
        &["session_id", "since_message_id"],
        restore,
    ),
    method(
        "archive_and_compact",
        &["session_id", "compacted_messages"],
        archive_and_compact,
    ),
    method(
        "set_latest_user_api_content",
        &["session_id", "content", "api_content"],
        set_api_content,
    ),
];

fn append(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let (store, newer) = connection.store_and_rules()?;
    let id = arguments.required_text("session_id")?;
    let role = arguments.stored_text("role")?;
    let message = new_message(&id, role, arguments, newer)?;
    Ok(Json::of(&store.append_message(&message)?))
}

/// The message that these arguments describe. Keys beside the known ones do not count.
fn new_message(
    session: &str,
    role: String,
    given: &Arguments,
    newer: bool,
) -> Result<NewMessage, Fault> {
    let mut message = NewMessage::new(session, role);
    if let Some(content) = given.content("content", newer)? {
        message = message.content(content);
    }
    for (name, scrub, set) in [
        (
            "tool_name",
            newer,
            NewMessage::tool_name as fn(NewMessage, String) -> NewMessage,
        ),
        ("tool_call_id", false, NewMessage::tool_call_id),
        ("finish_reason", false, NewMessage::finish_reason),
        ("reasoning", newer, NewMessage::reasoning),
        ("reasoning_content", newer, NewMessage::reasoning_content),
        ("effect_disposition", false, NewMessage::effect_disposition),
        ("api_content", newer, NewMessage::api_content),
        (
            "platform_message_id",
            false,
            NewMessage::platform_message_id,
        ),
    ] {
        if let Some(text) = given.text_scrubbed(name, scrub)? {
            message = set(message, text);
        }
    }
    for (name, set) in [
        (
            "tool_calls",
            NewMessage::tool_calls as fn(NewMessage, _) -> NewMessage,
        ),
        ("reasoning_details", NewMessage::reasoning_details),
        ("codex_reasoning_items", NewMessage::codex_reasoning_items),
        ("codex_message_items", NewMessage::codex_message_items),
    ] {
        if let Some(json) = given.json(name)? {
            message = set(message, json);
        }
    }
    if let Some(tokens) = given.integer("token_count")? {
        message = message.token_count(tokens);
    }
    if let Some(observed) = given.flag("observed")? {
        message = message.observed(observed);
    }
    // One that is no time is passed over, as Hermes does.
    if let Ok(Some(time)) = given.float("timestamp") {
        message = message.timestamp(time);
    }
    Ok(message)
}

/// The message of an object with a message's keys, or what is wrong with it. Half a surrogate pair
/// becomes U+FFFD: the message is worth more.
pub(in crate::commands) fn message_of(
    session: &str,
    object: &RawValue,
) -> Result<NewMessage, String> {
    let given = Arguments::of_object(object).ok_or("it is no object")?;
    let role = match given.text("role").map_err(Fault::message)? {
        Some(role) if !role.trim().is_empty() => role,
        _ if given.given("messages") => {
            return Err(
                "it is a whole session: `hermesctl sessions import` takes those".to_owned(),
            );
        }
        _ => return Err("it has no role".to_owned()),
    };
    let is_list = |calls: &RawValue| calls.get().starts_with('[');
    if given.raw("tool_calls").is_some_and(|calls| !is_list(calls)) {
        return Err("tool_calls is not a list".to_owned());
    }
    given.float("timestamp").map_err(Fault::message)?;
    new_message(session, role, &given, true).map_err(Fault::message)
}

/// The messages of a list of objects, as whole transcripts come.
fn transcript(
    session: &str,
    given: &Arguments,
    name: &str,
    newer: bool,
) -> Result<Vec<NewMessage>, Fault> {
    let objects = given.objects(name)?;
    let objects = objects.ok_or_else(|| Fault::argument(format!("{name} is missing")))?;
    objects
        .iter()
        .map(|given| {
            let role = given.text("role")?.unwrap_or_else(|| "unknown".to_owned());
            let mut message = new_message(session, role, &given.only(newer), newer)?;
            if newer
                && !given.given("platform_message_id")
                && let Some(id) = given.text("message_id")?
            {
                message = message.platform_message_id(id);
            }
            Ok(message)
        })
        .collect()
}

fn replace(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let (store, newer) = connection.store_and_rules()?;
    let id = arguments.required_text("session_id")?;
    let messages = transcript(&id, arguments, "messages", newer)?;
    if arguments.is_set("active_only")? {
        store.replace_active_messages(&id, &messages)?;
    } else {
        store.replace_messages(&id, &messages)?;
    }
    Ok(Json::null())
}

fn clear(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    connection.store()?.clear_messages(id)?;
    Ok(Json::null())
}

fn rewind(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let target = MessageId(arguments.required_integer("target_message_id")?);
    let store = connection.store()?;
    let rewound = store.rewind_to_message(id, target)?;
    Ok(Json::object([
        ("rewound_count", Json::of(&rewound.rewound_count)),
        (
            "target_message",
            rows::message(store, &rewound.target_message),
        ),
        ("new_head_id", Json::of(&rewound.new_head_id)),
    ]))
}

fn restore(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let since = MessageId(arguments.required_integer("since_message_id")?);
    Ok(Json::of(&connection.store()?.restore_rewound(id, since)?))
}

fn archive_and_compact(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let (store, newer) = connection.store_and_rules()?;
    let id = arguments.required_text("session_id")?;
    let summary = transcript(&id, arguments, "compacted_messages", newer)?;
    Ok(Json::of(&store.archive_and_compact(&id, &summary)?.len()))
}

fn set_api_content(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let (store, newer) = connection.store_and_rules()?;
    let id = arguments.required_text("session_id")?;
    let content = arguments.content("content", newer)?;
    let api_content = arguments.text_scrubbed("api_content", newer)?;
    let set = store.set_latest_user_api_content(id, content.as_ref(), api_content.as_deref())?;
    Ok(Json::of(&u8::from(set)))
}
