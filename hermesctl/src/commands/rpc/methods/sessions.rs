//! Sessions: created, ended, changed, found.

use hermes_kit::state::{
    BillingRoute, Error as StateError, NewSession, Result as StateResult, WorkingDirectory,
};

use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::fault::Fault;
use crate::commands::rpc::json::Json;
use crate::commands::rpc::rows;

const FIELDS: &[&str] = &[
    "session_id",
    "source",
    "model",
    "model_config",
    "system_prompt",
    "user_id",
    "parent_session_id",
    "session_key",
    "chat_id",
    "chat_type",
    "thread_id",
    "cwd",
    "profile_name",
];

pub(super) const METHODS: &[Method] = &[
    method("create_session", FIELDS, create),
    method("ensure_session", FIELDS, ensure),
    method("end_session", &["session_id", "end_reason"], end),
    method("reopen_session", &["session_id"], reopen),
    method(
        "update_system_prompt",
        &["session_id", "system_prompt"],
        update_system_prompt,
    ),
    method(
        "update_session_model",
        &["session_id", "model"],
        update_model,
    ),
    method(
        "update_session_meta",
        &["session_id", "model_config_json", "model"],
        update_meta,
    ),
    method(
        "update_session_billing_route",
        &["session_id", "provider", "base_url", "billing_mode"],
        update_billing_route,
    ),
    method(
        "update_session_cwd",
        &["session_id", "cwd", "git_branch", "git_repo_root"],
        update_cwd,
    ),
    method("get_session", &["session_id"], get),
    method("resolve_session_id", &["session_id_or_prefix"], resolve),
];

/// What Hermes does to a session that is not there: nothing.
pub(super) fn or_nothing<T>(outcome: StateResult<T>) -> Outcome {
    match outcome {
        Ok(_) | Err(StateError::UnknownSession { .. }) => Ok(Json::null()),
        Err(error) => Err(error.into()),
    }
}

fn create(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let source = arguments.stored_text("source")?;
    created(connection, arguments, source)
}

fn ensure(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let source = arguments.text("source")?;
    created(
        connection,
        arguments,
        source.unwrap_or_else(|| "unknown".to_owned()),
    )
}

fn created(connection: &mut Connection, arguments: &Arguments, source: String) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let mut new = NewSession::new(id.as_str(), source);
    if let Some(config) = arguments.json("model_config")? {
        new = new.model_config(config);
    }
    for (name, set) in [
        (
            "model",
            NewSession::model as fn(NewSession, String) -> NewSession,
        ),
        ("system_prompt", NewSession::system_prompt),
        ("user_id", NewSession::user_id),
        ("parent_session_id", NewSession::parent),
        ("session_key", NewSession::session_key),
        ("chat_id", NewSession::chat_id),
        ("chat_type", NewSession::chat_type),
        ("thread_id", NewSession::thread_id),
        ("cwd", NewSession::cwd),
        ("profile_name", NewSession::profile_name),
    ] {
        if let Some(text) = arguments.text(name)? {
            new = set(new, text);
        }
    }
    connection.store()?.create_session(&new)?;
    Ok(Json::of(&id))
}

fn end(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let reason = arguments.required_text("end_reason")?;
    or_nothing(connection.store()?.end_session(id, &reason))
}

fn reopen(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    or_nothing(connection.store()?.reopen_session(id))
}

fn update_system_prompt(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let prompt = arguments.required_text("system_prompt")?;
    or_nothing(connection.store()?.update_system_prompt(id, &prompt))
}

fn update_model(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let model = arguments.required_text("model")?;
    or_nothing(connection.store()?.update_session_model(id, &model))
}

fn update_meta(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let config = arguments.required_text("model_config_json")?;
    let model = arguments.text("model")?;
    let store = connection.store()?;
    or_nothing(store.update_session_meta(id, &config, model.as_deref()))
}

fn update_billing_route(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let provider = arguments.required_text("provider")?;
    let base_url = arguments.required_text("base_url")?;
    let mode = arguments.text("billing_mode")?;
    let route = BillingRoute {
        provider: &provider,
        base_url: &base_url,
        mode: mode.as_deref(),
    };
    or_nothing(connection.store()?.update_session_billing_route(id, route))
}

fn update_cwd(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let cwd = arguments.required_text("cwd")?;
    let branch = arguments.text("git_branch")?;
    let root = arguments.text("git_repo_root")?;
    let directory = WorkingDirectory {
        cwd: &cwd,
        git_branch: branch.as_deref(),
        git_repo_root: root.as_deref(),
    };
    or_nothing(connection.store()?.update_session_cwd(id, directory))
}

fn get(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let store = connection.store()?;
    let found = store.session(id)?;
    Ok(found.map_or_else(Json::null, |session| rows::session(store, &session)))
}

fn resolve(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let text = arguments.required_text("session_id_or_prefix")?;
    let found = connection.store()?.resolve_session_id(&text);
    Ok(Json::of(&found.map_err(Fault::from)?))
}
