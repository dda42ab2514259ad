//! Sessions that continue each other.

use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::json::Json;

pub(super) const METHODS: &[Method] = &[
    method("get_compression_tip", &["session_id"], compression_tip),
    method("resolve_resume_session_id", &["session_id"], resume_target),
    method(
        "get_compression_lineage",
        &["session_id"],
        compression_lineage,
    ),
    method("get_conversation_root", &["session_id"], root),
];

fn compression_tip(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    Ok(Json::of(&connection.store()?.compression_tip(id)?))
}

fn resume_target(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    match arguments.text("session_id")? {
        Some(id) => Ok(Json::of(&connection.store()?.resume_target(id)?)),
        None => Ok(Json::null()),
    }
}

fn compression_lineage(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    Ok(Json::of(&connection.store()?.compression_lineage(id)?))
}

fn root(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    Ok(Json::of(&connection.store()?.conversation_root(id)?))
}
