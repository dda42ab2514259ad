//! `session_search`: what was said before, for a model.
//!
//! Modes, keys and bounds are those of Hermes: `browse` without arguments, `discover` with a query,
//! `scroll` around a message, `read` of a session. What a model gets is bounded in characters,
//! however long the conversations are: messages are cut, first to 2,000 characters and to less if
//! there are many, and what is left out is said.

mod discover;
mod question;
mod reading;
mod shape;

use hermes_state::{ListOptions, SessionId, Store, StoreOptions};
use hermes_tools::{Arguments, Tool, ToolError, register_tool};
use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::hermes::Hermes;
use question::{Question, parameters};

/// The tool's name.
pub const SESSION_SEARCH: &str = "session_search";

/// Characters of an answer, at most.
pub const MAX_ANSWER_CHARS: usize = 48_000;

register_tool!(SESSION_SEARCH, || {
    Ok(Tool::new(SESSION_SEARCH, SESSION_SEARCH)
    .description(
        "Looks through earlier conversations, never the present one. Four ways to call it:\n\
         1. With nothing: the sessions used last, with titles and how they began.\n\
         2. With `query`: the sessions in which it is found, the best first. Each with a snippet \
         (what matched is between >>> and <<<), the messages around the match, and how the session \
         began and ended. With `session_id` too: only in that session.\n\
         3. With `session_id` and `around_message_id`: the messages around that one. To go on, take \
         the first or the last id of the answer.\n\
         4. With `session_id` alone: that session from its beginning; of a long one the first and \
         the last messages.\n\
         All words of a query must occur; OR between them asks for any, NOT excludes, \"quotes\" \
         keep a phrase together, deploy* matches beginnings, in any language. If nothing is found, \
         the answer says what to try. It knows what was said here, not how things outside are now: \
         look at a file, a page or a service itself where you can.",
    )
    .parameters(Value::Object(parameters()))
    .emoji("🔎")
    .agent_loop()
    .parallel_safe())
});

/// Answers the tool's arguments from the home's store, as an object of at most
/// [`MAX_ANSWER_CHARS`] characters. `current`: the session that asks; it and what it continues are
/// left out.
///
/// All answers have `success` and `mode`. `browse` and `discover` have `results` and their `count`,
/// and `message` where there is something to say; `scroll` and `read` have `session_id`,
/// `session_meta` and `messages`. Arguments are taken as a model writes them (`"3"` for 3); unknown
/// ones are passed over.
///
/// ```
/// use hermes_kit::Hermes;
/// use hermes_kit::state::{NewMessage, NewSession};
/// use hermes_kit::tools::session_search;
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let hermes = Hermes::builder().home(folder.path()).open()?;
/// let store = hermes.store()?;
/// store.create_session(&NewSession::new("first", "cli"))?;
/// store.append_message(&NewMessage::new("first", "user").content("why does the build fail?"))?;
///
/// let arguments = json!({"query": "build", "limit": "1"}).as_object().cloned().unwrap_or_default();
/// let answer = session_search(&hermes, arguments, None).map_err(|error| error.to_string())?;
/// assert_eq!(answer["mode"], "discover");
/// assert_eq!(answer["results"][0]["session_id"], "first");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Arguments of the wrong type, a session, message or profile that is not there, and the store's own
/// errors. Each says what to do instead.
pub fn session_search(
    hermes: &Hermes,
    arguments: Arguments,
    current: Option<&str>,
) -> Result<Value, ToolError> {
    let question = Question::read(arguments)?;
    let Some(store) = store(hermes, &question)? else {
        let mode = if question.query.is_some() {
            "discover"
        } else {
            "browse"
        };
        return Ok(nothing_yet(mode));
    };
    // The sessions of another profile are none that could be going on here.
    let current = current.filter(|_| question.profile.is_none());
    match (&question.session_id, question.around, &question.query) {
        (Some(session), Some(anchor), _) => {
            reading::scroll(&store, session, anchor, &question, current)
        }
        (None, Some(_), _) => Err(ToolError::new(
            "InvalidArguments",
            "around_message_id needs the session_id that it came with",
        )),
        (session, None, Some(query)) => {
            discover::discover(&store, query, session.as_deref(), &question, current)
        }
        (Some(session), None, None) => reading::read(&store, session, &question),
        (None, None, None) => browse(&store, &question, current),
    }
}

/// The store that is asked for; none where there is no conversation yet.
fn store(hermes: &Hermes, question: &Question) -> Result<Option<Store>, ToolError> {
    let opened = match &question.profile {
        None => hermes.store(),
        Some(name) => other_profile(hermes, name),
    };
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(Error::State(hermes_state::Error::NoStore { .. })) => Ok(None),
        Err(error) => Err(ToolError::new(
            error.code(),
            format!("{}; {}", error.problem(), error.hint()),
        )),
    }
}

fn other_profile(hermes: &Hermes, name: &str) -> Result<Store, Error> {
    let home = hermes.home().profiles().get(&name.parse()?)?;
    Ok(StoreOptions::new().read_only().open(home.state_db())?)
}

fn nothing_yet(mode: &str) -> Value {
    json!({
        "success": true,
        "mode": mode,
        "results": [],
        "count": 0,
        "message": "There are no sessions yet.",
    })
}

/// The sessions used last.
fn browse(store: &Store, question: &Question, current: Option<&str>) -> Result<Value, ToolError> {
    let present = present(store, current)?;
    let mut options = ListOptions::default();
    options.exclude_sources = hermes_state::HIDDEN_SOURCES.map(str::to_owned).into();
    options.order_by_last_active = true;
    options.compact = true;
    // The present conversation may be there with all its branches.
    options.limit = question.limit.saturating_add(BRANCHES);
    let mut results = Vec::new();
    for summary in store.list_sessions(&options)? {
        let session = &summary.session;
        if results.len() < question.limit && present != Some(store.conversation_root(&session.id)?)
        {
            results.push(json!({
                "session_id": session.id,
                "title": session.title.as_deref().map(shape::name),
                "source": shape::name(&session.source),
                "started_at": session.started_at,
                "last_active": summary.last_active,
                "message_count": session.message_count,
                "preview": summary.preview,
            }));
        }
    }
    let message = match results.len() {
        0 => "There are no other sessions.".to_owned(),
        n => format!(
            "The {n} sessions used last. Give `query` to search all of them, or a `session_id` to \
             read one."
        ),
    };
    let count = results.len();
    Ok(json!({
        "success": true,
        "mode": "browse",
        "results": results,
        "count": count,
        "message": message,
    }))
}

/// Sessions of the present lineage that a list may have.
const BRANCHES: usize = 20;

/// The root of the conversation that asks.
fn present(store: &Store, current: Option<&str>) -> Result<Option<SessionId>, ToolError> {
    Ok(current.map(|id| store.conversation_root(id)).transpose()?)
}

/// An answer under construction.
fn answer(mode: &str) -> Map<String, Value> {
    let mut answer = Map::new();
    answer.insert("success".to_owned(), json!(true));
    answer.insert("mode".to_owned(), json!(mode));
    answer
}
