//! Messages: read and replayed.

use hermes_kit::state::{
    AnchoredViewOptions, ConversationOptions, Message, MessageId, MessagePage, Store,
};

use super::lists::PAGE;
use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::fault::Fault;
use crate::commands::rpc::json::Json;
use crate::commands::rpc::rows;

pub(super) const METHODS: &[Method] = &[
    method(
        "get_messages",
        &["session_id", "include_inactive", "limit", "offset"],
        messages,
    ),
    method(
        "get_messages_as_conversation",
        &[
            "session_id",
            "include_ancestors",
            "include_inactive",
            "repair_alternation",
        ],
        conversation,
    ),
    method("get_resume_conversations", &["session_id"], resume),
    method("get_ancestor_display_prefix", &["session_id"], prefix),
    method(
        "get_messages_around",
        &["session_id", "around_message_id", "window"],
        around,
    ),
    method(
        "get_anchored_view",
        &[
            "session_id",
            "around_message_id",
            "window",
            "bookend",
            "keep_roles",
        ],
        anchored,
    ),
    method(
        "list_recent_user_messages",
        &["session_id", "limit", "include_inactive"],
        recent,
    ),
    method("has_archived_messages", &["session_id"], has_archived),
    method(
        "has_platform_message_id",
        &["session_id", "platform_message_id"],
        has_platform_id,
    ),
];

/// All messages of a session, however many pages that takes.
pub(super) fn all_messages(
    store: &Store,
    id: &str,
    include_inactive: bool,
) -> Result<Vec<Message>, Fault> {
    let mut page = MessagePage {
        include_inactive,
        ..MessagePage::default()
    };
    let mut all = Vec::new();
    loop {
        let messages = store.messages(id, page)?;
        let Some(last) = messages.last() else {
            return Ok(all);
        };
        page.after = Some(last.id);
        all.extend(messages);
    }
}

fn messages(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let include_inactive = arguments.is_set("include_inactive")?;
    let limit = arguments.limit("limit", usize::MAX)?;
    let offset = arguments.offset("offset")?;
    let store = connection.store()?;
    let all = all_messages(store, &id, include_inactive)?;
    let page: Vec<Message> = all.into_iter().skip(offset).take(limit).collect();
    Ok(rows::messages(store, &page))
}

fn conversation(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let mut options = ConversationOptions::default();
    options.include_ancestors = arguments.is_set("include_ancestors")?;
    options.include_inactive = arguments.is_set("include_inactive")?;
    options.repair_alternation = arguments.is_set("repair_alternation")?;
    let replayed = connection.store()?.conversation_with(id, options)?;
    Ok(rows::replay(&replayed))
}

fn resume(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let (own, shown) = connection.store()?.resume_conversations(id)?;
    Ok(Json::list([rows::replay(&own), rows::replay(&shown)]))
}

fn prefix(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let shown = connection.store()?.ancestor_display_prefix(id)?;
    Ok(rows::replay(&shown))
}

const WINDOW: usize = 5;
const BOOKEND: usize = 3;

fn around(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let anchor = MessageId(arguments.required_integer("around_message_id")?);
    let window = size(arguments, "window", WINDOW)?;
    let store = connection.store()?;
    let found = store.messages_around(id, anchor, window)?;
    Ok(Json::object([
        ("window", rows::messages(store, &found.window)),
        ("messages_before", Json::of(&found.messages_before)),
        ("messages_after", Json::of(&found.messages_after)),
    ]))
}

/// A number of messages; a negative one is none.
fn size(arguments: &Arguments, name: &str, default: usize) -> Result<usize, Fault> {
    match arguments.given(name) {
        true => arguments.offset(name),
        false => Ok(default),
    }
}

fn anchored(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let anchor = MessageId(arguments.required_integer("around_message_id")?);
    let mut options = AnchoredViewOptions::default();
    options.window = size(arguments, "window", WINDOW)?;
    options.bookend = size(arguments, "bookend", BOOKEND)?;
    if let Some(roles) = arguments.texts("keep_roles")? {
        options.keep_roles = Some(roles);
    } else if arguments.is_null("keep_roles") {
        options.keep_roles = None;
    }
    let store = connection.store()?;
    let view = store.anchored_view(id, anchor, &options)?;
    Ok(Json::object([
        ("window", rows::messages(store, &view.window)),
        ("messages_before", Json::of(&view.messages_before)),
        ("messages_after", Json::of(&view.messages_after)),
        ("bookend_start", rows::messages(store, &view.bookend_start)),
        ("bookend_end", rows::messages(store, &view.bookend_end)),
    ]))
}

fn recent(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let limit = arguments.limit("limit", PAGE)?;
    let inactive = arguments.is_set("include_inactive")?;
    let said = connection
        .store()?
        .recent_user_messages(id, limit, inactive)?;
    Ok(Json::of(&said))
}

fn has_archived(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    Ok(Json::of(&connection.store()?.has_archived_messages(id)?))
}

fn has_platform_id(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let platform_id = arguments.text("platform_message_id")?.unwrap_or_default();
    let store = connection.store()?;
    let found = !platform_id.is_empty() && store.has_platform_message_id(id, &platform_id)?;
    Ok(Json::of(&found))
}
