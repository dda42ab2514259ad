//! `session_search`: what was said before, for a model.

use std::collections::VecDeque;

use hermes_state::{
    Content, ListOptions, MessageId, MessagePage, SearchMatch, SearchOptions, Store,
};
use hermes_tools::{Arguments, Tool, ToolError, register_tool, typed_arguments};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::hermes::Hermes;

/// The tool's name.
pub const SESSION_SEARCH: &str = "session_search";

/// Characters of one message that the model gets.
const MESSAGE_CHARS: usize = 2_000;

/// Sessions that a search or a list gives, unless asked for another number.
const SESSIONS: usize = 5;

/// The most sessions at once.
const MAX_SESSIONS: usize = 20;

/// Matches of one session that are shown; the rest are counted.
const MATCHES_PER_SESSION: usize = 3;

/// Matches that are looked at, to find enough sessions.
const MATCHES: usize = 200;

/// Messages on each side of the one asked for, unless asked for another number.
const WINDOW: usize = 5;

/// The most messages on each side.
const MAX_WINDOW: usize = 20;

register_tool!(SESSION_SEARCH, || {
    Ok(Tool::new(SESSION_SEARCH, SESSION_SEARCH)
    .description(
        "Looks through earlier conversations. With `query`: finds messages by words, \
         \"exact phrases\", prefix*, OR and NOT, in any language, and shows the sessions they are \
         in. With `session_id`: reads that session's messages, around `around_message_id` if it is \
         given. With neither: lists the latest sessions. It knows only what was said here, not how \
         things outside are now.",
    )
    .parameters(json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "What to look for. All words must occur; join with OR for any of them.",
            },
            "session_id": {
                "type": "string",
                "description": "The session to read: its id, or the beginning of it.",
            },
            "around_message_id": {
                "type": "integer",
                "description": "The message in the middle, as a search gave it.",
            },
            "window": {
                "type": "integer",
                "description": "Messages on each side, 1 to 20.",
                "default": WINDOW,
            },
            "role_filter": {
                "type": "string",
                "description": "Only messages of these roles, with commas between: user,assistant,tool.",
            },
            "limit": {
                "type": "integer",
                "description": "How many sessions, 1 to 20.",
                "default": SESSIONS,
            },
        },
    }))
    .emoji("🔎")
    .agent_loop()
    .parallel_safe())
});

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Question {
    query: Option<String>,
    session_id: Option<String>,
    around_message_id: Option<i64>,
    window: Option<i64>,
    role_filter: Option<String>,
    limit: Option<i64>,
}

/// Answers the tool's arguments from the home's store, in bounded size: an object with `mode`
/// (`search`, `messages` or `recent`) and what was found.
///
/// # Errors
/// Arguments of the wrong type, a session that is not there, and the store's own errors.
pub fn session_search(hermes: &Hermes, arguments: Arguments) -> Result<Value, ToolError> {
    let question: Question = typed_arguments(arguments)?;
    let store = match hermes.store() {
        Ok(store) => store,
        Err(Error::State(hermes_state::Error::NoStore { .. })) => {
            return Ok(
                json!({"mode": "recent", "sessions": [], "note": "there are no sessions yet"}),
            );
        }
        Err(error) => return Err(error.into()),
    };
    let query = question.query.as_deref().map_or("", str::trim);
    match (query, &question.session_id) {
        ("", Some(id)) if !id.trim().is_empty() => read(&store, id.trim(), &question),
        ("", _) => recent(&store, &question),
        (_, Some(id)) if !id.trim().is_empty() => Err(ToolError::new(
            "InvalidArguments",
            "give either `query`, to search, or `session_id`, to read that session",
        )),
        (query, _) => search(&store, query, &question),
    }
}

fn bounded(asked: Option<i64>, default: usize, most: usize) -> usize {
    asked.map_or(default, |n| usize::try_from(n).unwrap_or(1).clamp(1, most))
}

fn recent(store: &Store, question: &Question) -> Result<Value, ToolError> {
    let mut options = ListOptions::default();
    options.limit = bounded(question.limit, SESSIONS, MAX_SESSIONS);
    let sessions: Vec<Value> = store
        .list_sessions(&options)?
        .into_iter()
        .map(|summary| {
            json!({
                "session_id": summary.session.id,
                "title": summary.session.title,
                "source": summary.session.source,
                "started_at": summary.session.started_at,
                "last_active": summary.last_active,
                "message_count": summary.session.message_count,
                "preview": summary.preview,
            })
        })
        .collect();
    Ok(json!({"mode": "recent", "sessions": sessions}))
}

fn search(store: &Store, query: &str, question: &Question) -> Result<Value, ToolError> {
    let mut options = SearchOptions::new(query);
    options.limit = MATCHES;
    options.roles = roles(question);
    let results = store.search(&options)?;
    let mut by_session: Vec<(&str, Vec<&SearchMatch>)> = Vec::new();
    for found in &results.matches {
        let id = found.session_id.as_str();
        match by_session.iter_mut().find(|(other, _)| *other == id) {
            Some((_, matches)) => matches.push(found),
            None => by_session.push((id, vec![found])),
        }
    }
    let found = by_session.len();
    by_session.truncate(bounded(question.limit, SESSIONS, MAX_SESSIONS));
    let shown = by_session.len();
    let sessions = by_session
        .into_iter()
        .map(|(id, matches)| session_of(store, id, &matches))
        .collect::<Result<Vec<Value>, ToolError>>()?;
    let mut answer = Map::new();
    answer.insert("mode".to_owned(), json!("search"));
    answer.insert("query".to_owned(), json!(query));
    answer.insert("sessions".to_owned(), Value::Array(sessions));
    answer.insert("more_sessions".to_owned(), json!(found - shown));
    if results.matches.len() == MATCHES {
        answer.insert("truncated".to_owned(), json!(true));
    }
    if results.degraded {
        answer.insert("degraded".to_owned(), json!(true));
    }
    if found == 0 {
        answer.insert(
            "note".to_owned(),
            json!("nothing was found; try fewer words, OR between them, or the beginning of a word with *"),
        );
    }
    Ok(Value::Object(answer))
}

fn session_of(store: &Store, id: &str, matches: &[&SearchMatch]) -> Result<Value, ToolError> {
    let title = store.session(id)?.and_then(|session| session.title);
    let shown: Vec<Value> = matches
        .iter()
        .take(MATCHES_PER_SESSION)
        .map(|found| {
            json!({
                "message_id": found.id,
                "role": found.role,
                "timestamp": found.timestamp,
                "snippet": found.snippet,
                "context": found.context,
            })
        })
        .collect();
    let (source, started_at) = matches.first().map_or((Value::Null, Value::Null), |found| {
        (json!(found.source), json!(found.session_started))
    });
    Ok(json!({
        "session_id": id,
        "title": title,
        "source": source,
        "started_at": started_at,
        "matches": shown,
        "more_matches": matches.len().saturating_sub(MATCHES_PER_SESSION),
    }))
}

fn roles(question: &Question) -> Vec<String> {
    let filter = question.role_filter.as_deref().unwrap_or_default();
    filter
        .split(',')
        .map(|role| role.trim().to_lowercase())
        .filter(|role| !role.is_empty())
        .collect()
}

fn read(store: &Store, id: &str, question: &Question) -> Result<Value, ToolError> {
    let Some(id) = store.resolve_session_id(id)? else {
        return Err(ToolError::new(
            "UnknownSession",
            format!("no session has the id {id:?}; search, or list the latest sessions"),
        ));
    };
    let window = bounded(question.window, WINDOW, MAX_WINDOW);
    let roles = roles(question);
    let around = question.around_message_id.map(MessageId);
    let wanted_after = match around {
        Some(_) => window + 1,
        None => 2 * window + 1,
    };
    let mut before = VecDeque::new();
    let mut after = Vec::new();
    let (mut skipped, mut more) = (false, false);
    let mut page = MessagePage::default();
    'pages: loop {
        let messages = store.messages(&id, page)?;
        let Some(last) = messages.last() else { break };
        page.after = Some(last.id);
        for message in messages {
            if !roles.is_empty() && !roles.contains(&message.role) {
                continue;
            }
            let shown = json!({
                "message_id": message.id,
                "role": message.role,
                "timestamp": message.timestamp,
                "tool_name": message.tool_name,
                "content": shown_text(message.content.as_ref()),
            });
            if around.is_some_and(|anchor| message.id.0 < anchor.0) {
                before.push_back(shown);
                if before.len() > window {
                    before.pop_front();
                    skipped = true;
                }
            } else if after.len() < wanted_after {
                after.push(shown);
            } else {
                more = true;
                break 'pages;
            }
        }
    }
    let messages: Vec<Value> = before.into_iter().chain(after).collect();
    Ok(json!({
        "mode": "messages",
        "session_id": id,
        "messages": messages,
        "more_before": skipped,
        "more_after": more,
    }))
}

/// What a person would read of a message, cut to a bounded length.
fn shown_text(content: Option<&Content>) -> Value {
    let Some(text) = content.map(Content::plain_text) else {
        return Value::Null;
    };
    match text.char_indices().nth(MESSAGE_CHARS) {
        None => json!(text),
        Some((end, _)) => {
            let left = text.chars().count() - MESSAGE_CHARS;
            json!(format!(
                "{}… [{left} more characters]",
                text.get(..end).unwrap_or_default()
            ))
        }
    }
}
