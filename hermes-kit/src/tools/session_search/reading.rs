//! `scroll` and `read`: the messages of one session.

use std::collections::VecDeque;

use hermes_state::{Message, MessageId, MessagePage, Session, SessionId, Store};
use hermes_tools::ToolError;
use serde_json::{Value, json};

use super::question::Question;
use super::{answer, shape};

/// The messages of a long session that are read: the first and the last ones.
const FIRST: usize = 20;
const LAST: usize = 10;

/// Messages that are looked at on each side to find those of a role.
const REACH: usize = 500;

/// The session that a model names: by its id, or the beginning of one.
pub(super) fn resolve(store: &Store, text: &str) -> Result<SessionId, ToolError> {
    if let Some(id) = store.resolve_session_id(text)? {
        return Ok(id);
    }
    let like = store.session_ids_like(text, 5)?;
    let text = shape::name(text);
    Err(match like.len() {
        0 => ToolError::new(
            "UnknownSession",
            format!(
                "no session has the id {text:?}; take one from a search, or list the latest sessions with no arguments"
            ),
        ),
        _ => {
            let ids: Vec<&str> = like.iter().map(SessionId::as_str).collect();
            ToolError::new(
                "UnknownSession",
                format!(
                    "several sessions have an id that begins with {text:?}; give one of these: {}",
                    ids.join(", ")
                ),
            )
        }
    })
}

fn session(store: &Store, id: &SessionId) -> Result<Session, ToolError> {
    let gone = || {
        ToolError::new(
            "UnknownSession",
            format!("the session {id} has just been deleted; search again"),
        )
    };
    store.session(id)?.ok_or_else(gone)
}

/// The messages around one.
pub(super) fn scroll(
    store: &Store,
    text: &str,
    anchor: MessageId,
    question: &Question,
    current: Option<&str>,
) -> Result<Value, ToolError> {
    let id = resolve(store, text)?;
    if current == Some(id.as_str()) {
        return Err(ToolError::new(
            "PresentSession",
            "this is the conversation that you are in: its messages are before you",
        ));
    }
    let session = session(store, &id)?;
    let roles = &question.roles;
    let reach = if roles.is_empty() {
        question.window
    } else {
        REACH
    };
    let around = store.messages_around(&id, anchor, reach)?;
    let Some(at) = around
        .window
        .iter()
        .position(|message| message.id == anchor)
    else {
        return Err(ToolError::new(
            "UnknownMessage",
            format!(
                "the session {id} has no message {anchor}; take an id from a search in it, or read it without around_message_id"
            ),
        ));
    };
    let wanted = |message: &&Message| roles.is_empty() || roles.contains(&message.role);
    let (before, rest) = around.window.split_at_checked(at).unwrap_or_default();
    let mut window: Vec<&Message> = before
        .iter()
        .rev()
        .filter(wanted)
        .take(question.window)
        .collect();
    window.reverse();
    let messages_before = window.len();
    window.extend(rest.first());
    window.extend(rest.iter().skip(1).filter(wanted).take(question.window));
    let messages_after = window.len() - messages_before - 1;
    Ok(shape::bounded(|chars| {
        let mut answer = answer("scroll");
        let mut set = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        set("session_id", json!(id));
        set("around_message_id", json!(anchor));
        set("session_meta", Value::Object(shape::session(&session)));
        set("window", json!(question.window));
        let shown = window
            .iter()
            .map(|one| shape::message(one, Some(anchor), chars));
        set("messages", shown.collect());
        set("messages_before", json!(messages_before));
        set("messages_after", json!(messages_after));
        answer
    }))
}

/// A session from its beginning; of a long one the first and the last messages.
pub(super) fn read(store: &Store, text: &str, question: &Question) -> Result<Value, ToolError> {
    let id = resolve(store, text)?;
    let session = session(store, &id)?;
    let (mut first, mut last) = (Vec::new(), VecDeque::new());
    let mut count = 0_usize;
    let mut page = MessagePage::default();
    loop {
        let messages = store.messages(&id, page)?;
        page.after = messages.last().map(|message| message.id);
        if page.after.is_none() {
            break;
        }
        for message in messages {
            if !question.roles.is_empty() && !question.roles.contains(&message.role) {
                continue;
            }
            count += 1;
            if first.len() < FIRST {
                first.push(message);
            } else {
                last.push_back(message);
                if last.len() > LAST {
                    last.pop_front();
                }
            }
        }
    }
    let left_out = count - first.len() - last.len();
    let next = first.last().map(|message| message.id);
    Ok(shape::bounded(|chars| {
        let mut answer = answer("read");
        let mut set = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        set("session_id", json!(id));
        set("session_meta", Value::Object(shape::session(&session)));
        set("message_count", json!(count));
        set("truncated", json!(left_out > 0));
        let shown = first
            .iter()
            .chain(&last)
            .map(|one| shape::message(one, None, chars));
        set("messages", shown.collect());
        if let Some(next) = next.filter(|_| left_out > 0) {
            set(
                "message",
                json!(format!(
                    "{left_out} messages behind message {next} are left out: read on with around_message_id {next}."
                )),
            );
        }
        answer
    }))
}
