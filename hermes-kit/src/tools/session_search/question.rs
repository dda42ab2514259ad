//! What a model asks for.

use hermes_state::{MessageId, SearchOrder};
use hermes_tools::{Arguments, ToolError, coerce_arguments, typed_arguments};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Sessions that are given, unless asked for another number; and the most of them.
pub(super) const LIMIT: usize = 3;
const MAX_LIMIT: usize = 10;

/// Messages on each side of one, likewise.
pub(super) const WINDOW: usize = 5;
const MAX_WINDOW: usize = 20;

/// The schema of the arguments.
pub(super) fn parameters() -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "What to look for.",
            },
            "session_id": {
                "type": "string",
                "description": "The session to read or to search in: its id, or the beginning of it.",
            },
            "around_message_id": {
                "type": "integer",
                "description": "The message in the middle: match_message_id of a search, or any id seen since. Needs session_id.",
            },
            "window": {
                "type": "integer",
                "description": "Messages on each side of it, 1 to 20.",
                "default": WINDOW,
            },
            "limit": {
                "type": "integer",
                "description": "How many sessions, 1 to 10.",
                "default": LIMIT,
            },
            "sort": {
                "type": "string",
                "enum": ["newest", "oldest"],
                "description": "For a query: the newest or the oldest match first. Left out: the best one.",
            },
            "role_filter": {
                "type": "string",
                "description": "Only messages of these roles, with commas between. For a query user,assistant unless given; add tool for what tools printed.",
            },
            "profile": {
                "type": "string",
                "description": "Look into another profile of this Hermes, as in a link @session:profile/id.",
            },
        },
    });
    schema.as_object().cloned().unwrap_or_default()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Raw {
    query: Option<String>,
    session_id: Option<String>,
    around_message_id: Option<i64>,
    window: Option<i64>,
    limit: Option<i64>,
    sort: Option<String>,
    role_filter: Option<String>,
    profile: Option<String>,
}

/// The arguments, with what is blank left out and what is too large made to fit.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) query: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) around: Option<MessageId>,
    pub(super) window: usize,
    pub(super) limit: usize,
    pub(super) order: SearchOrder,
    /// The roles that are asked for; none: those that are usual.
    pub(super) roles: Vec<String>,
    pub(super) profile: Option<String>,
}

impl Question {
    pub(super) fn read(mut arguments: Arguments) -> Result<Question, ToolError> {
        let warnings = coerce_arguments(&mut arguments, &parameters());
        if let Some(warning) = warnings.into_iter().next() {
            return Err(ToolError::new("InvalidArguments", warning));
        }
        let raw: Raw = typed_arguments(arguments)?;
        let given = |text: Option<String>| {
            let text = text?.trim().to_owned();
            (!text.is_empty()).then_some(text)
        };
        let roles = raw.role_filter.unwrap_or_default();
        let roles = roles.split(',').map(|role| role.trim().to_lowercase());
        Ok(Question {
            query: given(raw.query),
            session_id: given(raw.session_id),
            around: raw.around_message_id.map(MessageId),
            window: bounded(raw.window, WINDOW, MAX_WINDOW),
            limit: bounded(raw.limit, LIMIT, MAX_LIMIT),
            order: order(given(raw.sort).as_deref())?,
            roles: roles.filter(|role| !role.is_empty()).collect(),
            profile: given(raw.profile),
        })
    }
}

fn bounded(asked: Option<i64>, default: usize, most: usize) -> usize {
    asked.map_or(default, |n| usize::try_from(n).unwrap_or(1).clamp(1, most))
}

fn order(sort: Option<&str>) -> Result<SearchOrder, ToolError> {
    match sort.map(str::to_lowercase).as_deref() {
        None | Some("rank" | "relevance") => Ok(SearchOrder::Rank),
        Some("newest") => Ok(SearchOrder::Newest),
        Some("oldest") => Ok(SearchOrder::Oldest),
        Some(_) => Err(ToolError::new(
            "InvalidArguments",
            "sort is newest or oldest; leave it out for the best first",
        )),
    }
}
