//! `discover`: the sessions in which something is found.

use hermes_state::{
    AnchoredView, AnchoredViewOptions, Collapse, MessageId, MessagePage, SearchOptions, Session,
    SessionId, Store, Suggestions,
};
use hermes_tools::ToolError;
use serde_json::{Map, Value, json};

use super::question::{Question, WINDOW};
use super::{answer, present, reading, shape};

/// Sources whose sessions come after all others: nobody was there.
const DEMOTED: &str = "cron";

/// Roles that are searched unless others are asked for.
const ROLES: [&str; 2] = ["user", "assistant"];

/// Characters of a query that is suggested.
const QUERY_CHARS: usize = 400;

/// A session that is found: by one of its messages, or by its title.
struct Found {
    session: Session,
    root: SessionId,
    role: String,
    message: Option<MessageId>,
    snippet: String,
    further: u64,
    view: AnchoredView,
}

/// Searches all sessions but the present conversation; or one session.
pub(super) fn discover(
    store: &Store,
    query: &str,
    within: Option<&str>,
    question: &Question,
    current: Option<&str>,
) -> Result<Value, ToolError> {
    let mut options = SearchOptions::new(query).context(0).order(question.order);
    options.limit = question.limit.saturating_add(1);
    options.roles = match question.roles.as_slice() {
        [] => ROLES.map(str::to_owned).into(),
        roles => roles.to_vec(),
    };
    match within {
        Some(text) => options
            .sessions
            .push(reading::resolve(store, text)?.to_string()),
        None => {
            options.collapse = Collapse::Lineage;
            options.exclude_hidden = true;
            options.demote_sources.push(DEMOTED.to_owned());
            options.exclude_lineages.extend(current.map(str::to_owned));
        }
    }
    let results = store.search(&options)?;
    let mut found = Vec::new();
    for hit in &results.matches {
        let Some(session) = store.session(&hit.session_id)? else {
            continue;
        };
        found.push(Found {
            root: store.conversation_root(&hit.session_id)?,
            session,
            role: hit.role.clone(),
            message: Some(hit.id),
            snippet: hit.snippet.clone().unwrap_or_default(),
            further: hit.further.unwrap_or(0),
            view: AnchoredView::default(),
        });
    }
    if within.is_none() {
        let titled = titled(store, query, question, current)?;
        merge(&mut found, titled, title_of(query));
    }
    let more = found.len() > question.limit;
    found.truncate(question.limit);
    for one in &mut found {
        one.look_around(store, &options.roles, within.is_some())?;
    }
    let suggestions = match found.is_empty() {
        true => json!(short_suggestions(store, &options)?),
        false => Value::Null,
    };
    Ok(shape::bounded(|chars| {
        let results_shown: Vec<Value> = found.iter().map(|one| one.shown(chars)).collect();
        let mut answer = answer("discover");
        let mut set = |key: &str, value: Value| answer.insert(key.to_owned(), value);
        set("query", json!(shape::name(query)));
        let count = results_shown.len();
        set("results", Value::Array(results_shown));
        set("count", json!(count));
        set("sessions_searched", json!(count));
        if more {
            set("more", json!(true));
        }
        if results.degraded {
            set("degraded", json!(true));
        }
        if results.truncated_query {
            set("truncated_query", json!(true));
        }
        if found.is_empty() {
            set("message", json!(nothing_found(&suggestions)));
            set("suggestions", suggestions.clone());
        }
        answer
    }))
}

/// What to try, without what is too long to be read.
fn short_suggestions(store: &Store, options: &SearchOptions) -> Result<Suggestions, ToolError> {
    let mut suggestions = store.search_suggestions(options)?;
    let is_short = |text: &str| text.chars().nth(QUERY_CHARS).is_none();
    suggestions.queries.retain(|one| is_short(&one.query));
    suggestions.words.retain(|one| is_short(&one.word));
    Ok(suggestions)
}

fn nothing_found(suggestions: &Value) -> &'static str {
    let any = suggestions["queries"]
        .as_array()
        .is_some_and(|queries| !queries.is_empty());
    match any {
        true => "No matching sessions found. Each query in `suggestions` finds something.",
        false => {
            "No matching sessions found. Try fewer words, OR between them, the beginning of a word \
             with *, or role_filter user,assistant,tool."
        }
    }
}

/// What was said around a message, and how its session began and ended.
fn view(
    store: &Store,
    session: &SessionId,
    message: MessageId,
    roles: &[String],
    within: bool,
) -> Result<AnchoredView, ToolError> {
    let mut options = AnchoredViewOptions::default();
    options.window = WINDOW;
    if within {
        options.bookend = 0;
    }
    let usual = ROLES.map(str::to_owned);
    let kept = usual
        .iter()
        .chain(roles.iter().filter(|role| !usual.contains(role)));
    options.keep_roles = Some(kept.cloned().collect());
    Ok(store.anchored_view(session, message, &options)?)
}

/// Sessions whose title contains the query.
fn titled(
    store: &Store,
    query: &str,
    question: &Question,
    current: Option<&str>,
) -> Result<Vec<Found>, ToolError> {
    let present = present(store, current)?;
    let mut found = Vec::new();
    for summary in
        store.search_sessions_by_title(title_of(query), question.limit.saturating_add(1), true)?
    {
        let session = summary.session;
        let hidden = hermes_state::HIDDEN_SOURCES.contains(&session.source.as_str());
        if hidden {
            continue;
        }
        let root = store.conversation_root(&session.id)?;
        if present.as_ref() == Some(&root) {
            continue;
        }
        let shown = session.title.as_deref().unwrap_or_default();
        found.push(Found {
            root,
            role: "session_title".to_owned(),
            message: None,
            snippet: format!("Session title matched: {shown}"),
            further: 0,
            view: AnchoredView::default(),
            session,
        });
    }
    Ok(found)
}

/// The title that a query may be.
fn title_of(query: &str) -> &str {
    query.trim_matches(['"', ' '])
}

/// Adds the sessions found by their title: one with just this title before all others, the rest
/// behind; those that are there already stay as they are.
fn merge(found: &mut Vec<Found>, titled: Vec<Found>, title: &str) {
    for one in titled {
        let exact = one
            .session
            .title
            .as_deref()
            .is_some_and(|t| t.eq_ignore_ascii_case(title));
        match found.iter().any(|other| other.root == one.root) {
            true => {}
            false if exact => found.insert(0, one),
            false => found.push(one),
        }
    }
}

impl Found {
    /// Takes in what was said around its message; around the first of the session if it has none.
    fn look_around(
        &mut self,
        store: &Store,
        roles: &[String],
        within: bool,
    ) -> Result<(), ToolError> {
        if self.message.is_none() {
            let first = MessagePage {
                limit: 1,
                ..MessagePage::default()
            };
            let first = store.messages(&self.session.id, first)?;
            self.message = first.first().map(|message| message.id);
        }
        if let Some(id) = self.message {
            self.view = view(store, &self.session.id, id, roles, within)?;
        }
        Ok(())
    }

    fn shown(&self, chars: usize) -> Value {
        let mut shown = Map::new();
        shown.insert("session_id".to_owned(), json!(self.session.id));
        shown.extend(shape::session(&self.session));
        let mut set = |key: &str, value: Value| shown.insert(key.to_owned(), value);
        let messages = |list, anchor| shape::messages(list, anchor, chars);
        set("matched_role", json!(shape::name(&self.role)));
        set("match_message_id", json!(self.message));
        set("snippet", json!(shape::snippet(&self.snippet)));
        set("bookend_start", messages(&self.view.bookend_start, None));
        set("messages", messages(&self.view.window, self.message));
        set("bookend_end", messages(&self.view.bookend_end, None));
        set("messages_before", json!(self.view.messages_before));
        set("messages_after", json!(self.view.messages_after));
        if self.further > 0 {
            set("further_matches", json!(self.further));
        }
        if self.root != self.session.id {
            set("parent_session_id", json!(self.root));
        }
        Value::Object(shown)
    }
}
