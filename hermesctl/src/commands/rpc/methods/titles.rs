//! Titles.

use hermes_kit::state::sanitize_title;

use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::fault::Fault;
use crate::commands::rpc::json::Json;
use crate::commands::rpc::rows;

pub(super) const METHODS: &[Method] = &[
    method("sanitize_title", &["title"], sanitize),
    method("set_session_title", &["session_id", "title"], set),
    method(
        "set_auto_title_if_empty",
        &["session_id", "title"],
        set_auto,
    ),
    method("get_session_title", &["session_id"], get),
    method("get_session_by_title", &["title"], by_title),
    method("resolve_session_by_title", &["title"], resolve),
    method("get_next_title_in_lineage", &["base_title"], next),
];

fn sanitize(_: &mut Connection, arguments: &Arguments) -> Outcome {
    let title = arguments.text_scrubbed("title", true)?.unwrap_or_default();
    Ok(Json::of(&sanitize_title(&title)?))
}

/// A title may hold half a surrogate pair in stores that replace it.
fn title(connection: &mut Connection, arguments: &Arguments) -> Result<Option<String>, Fault> {
    let (_, newer) = connection.store_and_rules()?;
    arguments.text_scrubbed("title", newer)
}

fn set(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let title = title(connection, arguments)?;
    let known = connection
        .store()?
        .set_session_title(id, title.as_deref())?;
    Ok(Json::of(&known))
}

fn set_auto(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let title = title(connection, arguments)?.unwrap_or_default();
    let set = connection.store()?.set_auto_title_if_empty(id, &title)?;
    Ok(Json::of(&set))
}

fn get(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    Ok(Json::of(&connection.store()?.session_title(id)?))
}

fn by_title(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let title = arguments.required_text("title")?;
    let store = connection.store()?;
    let found = store.session_by_title(&title)?;
    Ok(found.map_or_else(Json::null, |session| rows::session(store, &session)))
}

fn resolve(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let title = arguments.required_text("title")?;
    Ok(Json::of(
        &connection.store()?.resolve_session_by_title(&title)?,
    ))
}

fn next(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let title = arguments.required_text("base_title")?;
    Ok(Json::of(
        &connection.store()?.next_title_in_lineage(&title)?,
    ))
}
