//! Handoffs to other platforms, and the topics of Telegram chats.

use hermes_kit::state::{TopicBinding, TopicMode};

use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::json::Json;
use crate::commands::rpc::rows;

pub(super) const METHODS: &[Method] = &[
    method("request_handoff", &["session_id", "platform"], request),
    method("claim_handoff", &["session_id"], claim),
    method("complete_handoff", &["session_id"], complete),
    method("fail_handoff", &["session_id", "error"], fail),
    method("get_handoff_state", &["session_id"], state),
    method("list_pending_handoffs", &[], pending),
    method("apply_telegram_topic_migration", &[], apply_migration),
    method(
        "enable_telegram_topic_mode",
        &[
            "chat_id",
            "user_id",
            "has_topics_enabled",
            "allows_users_to_create_topics",
        ],
        enable,
    ),
    method(
        "disable_telegram_topic_mode",
        &["chat_id", "clear_bindings"],
        disable,
    ),
    method(
        "is_telegram_topic_mode_enabled",
        &["chat_id", "user_id"],
        is_enabled,
    ),
    method(
        "bind_telegram_topic",
        &[
            "chat_id",
            "thread_id",
            "user_id",
            "session_key",
            "session_id",
            "managed_mode",
        ],
        bind,
    ),
    method(
        "get_telegram_topic_binding",
        &["chat_id", "thread_id"],
        binding,
    ),
    method(
        "get_telegram_topic_binding_by_session",
        &["session_id"],
        binding_by_session,
    ),
    method(
        "is_telegram_session_linked_to_topic",
        &["session_id"],
        is_linked,
    ),
    method(
        "list_telegram_topic_bindings_for_chat",
        &["chat_id"],
        bindings,
    ),
    method(
        "delete_telegram_topic_binding",
        &["chat_id", "thread_id"],
        delete_binding,
    ),
    method(
        "list_unlinked_telegram_sessions_for_user",
        &["chat_id", "user_id", "limit"],
        unlinked,
    ),
];

fn request(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let platform = arguments.required_text("platform")?;
    Ok(Json::of(
        &connection.store()?.request_handoff(id, &platform)?,
    ))
}

fn claim(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    Ok(Json::of(&connection.store()?.claim_handoff(id)?))
}

fn complete(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    connection.store()?.complete_handoff(id)?;
    Ok(Json::null())
}

fn fail(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let error = arguments.required_text("error")?;
    connection.store()?.fail_handoff(id, &error)?;
    Ok(Json::null())
}

fn state(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let handoff = connection.store()?.handoff(id)?;
    Ok(handoff.map_or_else(Json::null, |handoff| {
        Json::object([
            ("state", Json::of(&handoff.state)),
            ("platform", Json::of(&handoff.platform)),
            ("error", Json::of(&handoff.error)),
        ])
    }))
}

fn pending(connection: &mut Connection, _: &Arguments) -> Outcome {
    let store = connection.store()?;
    Ok(rows::sessions(store, &store.pending_handoffs()?))
}

fn apply_migration(connection: &mut Connection, _: &Arguments) -> Outcome {
    connection.store()?.apply_telegram_topic_migration()?;
    Ok(Json::null())
}

fn enable(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let chat = arguments.required_text("chat_id")?;
    let mut mode = TopicMode::new(chat, arguments.required_text("user_id")?);
    if let Some(enabled) = arguments.flag("has_topics_enabled")? {
        mode = mode.has_topics_enabled(enabled);
    }
    if let Some(allowed) = arguments.flag("allows_users_to_create_topics")? {
        mode = mode.allows_users_to_create_topics(allowed);
    }
    connection.store()?.enable_telegram_topic_mode(&mode)?;
    Ok(Json::null())
}

fn disable(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let chat = arguments.required_text("chat_id")?;
    let clear = arguments.flag("clear_bindings")?.unwrap_or(true);
    connection
        .store()?
        .disable_telegram_topic_mode(&chat, clear)?;
    Ok(Json::null())
}

fn is_enabled(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let chat = arguments.required_text("chat_id")?;
    let user = arguments.required_text("user_id")?;
    let enabled = connection
        .store()?
        .is_telegram_topic_mode_enabled(&chat, &user)?;
    Ok(Json::of(&enabled))
}

fn bind(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let mut binding = TopicBinding::new(
        arguments.required_text("chat_id")?,
        arguments.required_text("thread_id")?,
        arguments.required_text("user_id")?,
        arguments.required_text("session_key")?,
        arguments.required_text("session_id")?,
    );
    if let Some(mode) = arguments.text("managed_mode")? {
        binding = binding.managed_mode(mode);
    }
    connection.store()?.bind_telegram_topic(&binding)?;
    Ok(Json::null())
}

fn binding(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let chat = arguments.required_text("chat_id")?;
    let thread = arguments.required_text("thread_id")?;
    let found = connection.store()?.telegram_topic_binding(&chat, &thread)?;
    Ok(Json::of(&found))
}

fn binding_by_session(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    Ok(Json::of(
        &connection.store()?.telegram_topic_binding_of(id)?,
    ))
}

fn is_linked(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let found = connection.store()?.telegram_topic_binding_of(id)?;
    Ok(Json::of(&found.is_some()))
}

fn bindings(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let chat = arguments.required_text("chat_id")?;
    Ok(Json::of(
        &connection.store()?.telegram_topic_bindings(&chat)?,
    ))
}

fn delete_binding(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let chat = arguments.required_text("chat_id")?;
    let thread = arguments.required_text("thread_id")?;
    let store = connection.store()?;
    let deleted = store.delete_telegram_topic_binding(&chat, &thread)?;
    Ok(Json::of(&u8::from(deleted)))
}

fn unlinked(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    const PAGE: usize = 10;
    // The chat narrows nothing: a private chat has one user.
    arguments.required_text("chat_id")?;
    let user = arguments.required_text("user_id")?;
    let limit = arguments.limit("limit", PAGE)?;
    let store = connection.store()?;
    let found = store.unlinked_telegram_sessions(&user, limit)?;
    Ok(rows::summaries(store, &found))
}
