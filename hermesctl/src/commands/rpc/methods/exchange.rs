//! Sessions as objects, out and in.

use hermes_kit::state::{Session, Store};

use super::lists::filter;
use super::transcripts::all_messages;
use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::fault::Fault;
use crate::commands::rpc::json::Json;
use crate::commands::rpc::rows;

pub(super) const METHODS: &[Method] = &[
    method("export_session", &["session_id"], export_session),
    method("export_all", &["source"], export_all),
    method("export_session_lineage", &["session_id"], export_lineage),
    method("import_sessions", &["sessions"], import_sessions),
];

fn exported(store: &Store, session: &Session, last_active: Option<f64>) -> Outcome {
    let messages = all_messages(store, session.id.as_str(), false)?;
    let messages = rows::messages(store, &messages);
    Ok(rows::exported(store, session, last_active, messages))
}

fn export_session(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let store = connection.store()?;
    match store.session(id)? {
        Some(session) => exported(store, &session, None),
        None => Ok(Json::null()),
    }
}

fn export_all(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let source = filter(arguments, "source")?;
    let store = connection.store()?;
    let found = store.search_sessions(source.as_deref(), usize::MAX, 0)?;
    let exported: Result<Vec<Json>, Fault> = found
        .iter()
        .map(|found| exported(store, &found.session, Some(found.last_active)))
        .collect();
    Ok(Json::list(exported?))
}

fn export_lineage(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let store = connection.store()?;
    let ids = store.compression_lineage(id)?;
    let mut segments = Vec::new();
    let mut messages = Vec::new();
    let mut last = None;
    let mut count = 0;
    for id in &ids {
        let Some(session) = store.session(id)? else {
            continue;
        };
        segments.push(exported(store, &session, None)?);
        messages.extend(all_messages(store, id.as_str(), false)?);
        count += session.message_count.unwrap_or_default();
        last = Some(session);
    }
    let Some(mut last) = last else {
        return Ok(Json::null());
    };
    last.message_count = Some(count);
    Ok(rows::lineage(
        store,
        &last,
        rows::messages(store, &messages),
        Json::list(segments),
        Json::of(&ids),
    ))
}

fn import_sessions(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let sessions = arguments
        .values("sessions")?
        .ok_or_else(|| Fault::argument("sessions is missing"))?;
    Ok(Json::of(&connection.store()?.import_sessions(&sessions)?))
}
