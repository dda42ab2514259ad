//! Making a replayed conversation acceptable to providers: users and assistants in turn, and each
//! result of a tool after a call that asked for it.
//!
//! What was stored stays as it is; only what is handed out is put right. In the order of Hermes:
//! assistants that speak one after the other become one, then results without a call are dropped,
//! then users that speak one after the other become one.

use std::collections::HashSet;

use crate::content::Content;
use crate::conversation::ReplayMessage;
use crate::json_text::{JsonText, decode_string, elements, members};

pub(crate) fn repair(messages: Vec<ReplayMessage>) -> Vec<ReplayMessage> {
    let messages = fold(messages, join_assistants);
    let messages = without_stray_results(messages);
    fold(messages, join_users)
}

/// Joins neighbours: `join` gives back the second where it takes nothing of it.
fn fold(
    messages: Vec<ReplayMessage>,
    join: fn(&mut ReplayMessage, ReplayMessage) -> Option<ReplayMessage>,
) -> Vec<ReplayMessage> {
    let mut joined: Vec<ReplayMessage> = Vec::with_capacity(messages.len());
    for message in messages {
        let left = match joined.last_mut() {
            Some(before) => join(before, message),
            None => Some(message),
        };
        joined.extend(left);
    }
    joined
}

/// Items of the Responses API belong to one answer and unfinished answers go on, so these are not
/// joined.
fn stands_alone(message: &ReplayMessage) -> bool {
    message.codex_reasoning_items.is_some()
        || message.codex_message_items.is_some()
        || message.finish_reason.as_deref() == Some("incomplete")
}

fn join_assistants(before: &mut ReplayMessage, message: ReplayMessage) -> Option<ReplayMessage> {
    let both = [&*before, &message];
    if both
        .iter()
        .any(|m| m.role != "assistant" || stands_alone(m))
    {
        return Some(message);
    }
    before.content = join_contents(before.content.take(), message.content);
    before.tool_calls = match (before.tool_calls.take(), message.tool_calls) {
        (Some(calls), Some(more)) => Some(join_lists(&calls, &more)),
        (calls, more) => calls.or(more),
    };
    let spoken = |text: &String| !text.is_empty();
    if !before.reasoning_content.as_ref().is_some_and(spoken) {
        let later = message.reasoning_content.filter(spoken);
        before.reasoning_content = later.or_else(|| before.reasoning_content.take());
    }
    None
}

fn join_users(before: &mut ReplayMessage, message: ReplayMessage) -> Option<ReplayMessage> {
    let (Some(Content::Text(text)), Some(Content::Text(more))) =
        (&mut before.content, &message.content)
    else {
        return Some(message);
    };
    if before.role != "user" || message.role != "user" {
        return Some(message);
    }
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
    // It stood for the first text alone.
    before.api_content = None;
    None
}

/// Texts on lines of their own; where one has parts, all become parts.
fn join_contents(before: Option<Content>, content: Option<Content>) -> Option<Content> {
    let silent = |content: &Option<Content>| match content {
        None => true,
        Some(Content::Text(text)) => text.is_empty(),
        Some(_) => false,
    };
    match (before, content) {
        (before, content) if silent(&content) => before.or(content),
        (before, content) if silent(&before) => content,
        (Some(Content::Text(text)), Some(Content::Text(more))) => {
            Some(Content::Text(format!("{text}\n{more}")))
        }
        (Some(before), Some(content)) => {
            Some(Content::Json(join_lists(&parts(before), &parts(content))))
        }
        (before, content) => before.or(content),
    }
}

fn parts(content: Content) -> JsonText {
    match content {
        Content::Json(json) => json,
        content => JsonText::from_value(&serde_json::json!([
            { "type": "text", "text": content.plain_text() }
        ])),
    }
}

/// One list of the elements of both; what is no list counts as one element.
fn join_lists(one: &JsonText, other: &JsonText) -> JsonText {
    let mut all: Vec<&str> = Vec::new();
    for json in [one, other] {
        match elements(json.as_str()) {
            Ok(elements) => all.extend(elements),
            Err(_) => all.push(json.as_str().trim()),
        }
    }
    JsonText::parse(format!("[{}]", all.join(", "))).unwrap_or_else(|_| one.clone())
}

fn without_stray_results(messages: Vec<ReplayMessage>) -> Vec<ReplayMessage> {
    let mut open = HashSet::new();
    messages
        .into_iter()
        .filter(|message| match message.role.as_str() {
            "assistant" => {
                open = call_ids(message.tool_calls.as_ref());
                true
            }
            "user" => {
                open.clear();
                true
            }
            "tool" => message
                .tool_call_id
                .as_ref()
                .is_some_and(|id| open.remove(id)),
            _ => true,
        })
        .collect()
}

/// What results may name: each call's `id` and `call_id`.
fn call_ids(calls: Option<&JsonText>) -> HashSet<String> {
    let calls = calls.map_or(Ok(Vec::new()), |calls| elements(calls.as_str()));
    calls
        .unwrap_or_default()
        .into_iter()
        .flat_map(|call| members(call).unwrap_or_default())
        .filter(|(key, _)| key == "id" || key == "call_id")
        .filter_map(|(_, value)| decode_string(value))
        .map(|(id, _)| id)
        .collect()
}
