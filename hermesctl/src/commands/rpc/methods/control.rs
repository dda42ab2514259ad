//! What is open, what time it is, what can be called, and facts by key.

use super::{Method, Outcome, all, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::json::Json;

pub(super) const METHODS: &[Method] = &[
    method("open", &["path", "read_only"], open),
    method("close", &[], close),
    method("clock", &["now", "step"], clock),
    method("info", &[], info),
    method("methods", &[], methods),
    method("get_meta", &["key"], get_meta),
    method("set_meta", &["key", "value"], set_meta),
];

fn open(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let path = arguments.required_text("path")?;
    let path = connection.open(path.into(), arguments.is_set("read_only")?)?;
    Ok(Json::of(&path.to_string_lossy()))
}

fn close(connection: &mut Connection, _: &Arguments) -> Outcome {
    connection.close();
    Ok(Json::null())
}

fn clock(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let step = arguments.float("step")?.unwrap_or_default();
    connection.freeze(arguments.float("now")?, step);
    Ok(Json::null())
}

fn info(connection: &mut Connection, _: &Arguments) -> Outcome {
    let store = connection.store()?;
    Ok(Json::object([
        ("version", Json::of(env!("CARGO_PKG_VERSION"))),
        ("schema_version", Json::of(&store.schema_version())),
        ("read_only", Json::of(&store.is_read_only())),
        ("db", Json::of(&store.path().to_string_lossy())),
    ]))
}

fn methods(_: &mut Connection, _: &Arguments) -> Outcome {
    let methods = all().map(|method| (method.name, Json::of(method.arguments)));
    Ok(Json::object(methods))
}

fn get_meta(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let value = connection.store()?.meta(&arguments.required_text("key")?)?;
    Ok(Json::of(&value))
}

fn set_meta(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let key = arguments.required_text("key")?;
    let value = arguments.required_text("value")?;
    connection.store()?.set_meta(&key, &value)?;
    Ok(Json::null())
}
