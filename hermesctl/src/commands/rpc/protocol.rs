//! JSON-RPC 2.0: requests, notifications and batches.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::arguments::Arguments;
use super::connection::Connection;
use super::fault::{Fault, INVALID_REQUEST, PARSE_ERROR};
use super::json::Json;
use super::methods;

/// Member names may be written with escapes, so they are not borrowed.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// The answer to a line; `None` if it wants none.
pub(super) fn answer(connection: &mut Connection, line: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Some(failed(PARSE_ERROR, "the line is not UTF-8"));
    };
    if text.trim().is_empty() {
        return None;
    }
    let request: &RawValue = match serde_json::from_str(text) {
        Ok(request) => request,
        Err(e) => return Some(failed(PARSE_ERROR, &format!("the line is not JSON: {e}"))),
    };
    if !request.get().starts_with('[') {
        return one(connection, request);
    }
    let batch: Vec<&RawValue> = parsed(request).unwrap_or_default();
    if batch.is_empty() {
        return Some(failed(INVALID_REQUEST, "the batch is empty"));
    }
    let answers: Vec<String> = batch
        .into_iter()
        .filter_map(|request| one(connection, request))
        .collect();
    (!answers.is_empty()).then(|| format!("[{}]", answers.join(", ")))
}

/// The answer to a line of more bytes than are taken.
pub(super) fn too_long(limit: usize) -> String {
    failed(
        INVALID_REQUEST,
        &format!("the line is longer than {limit} bytes"),
    )
}

fn one(connection: &mut Connection, request: &RawValue) -> Option<String> {
    let request = match Request::read(request) {
        Ok(request) => request,
        Err(problem) => return Some(failed(INVALID_REQUEST, problem)),
    };
    let outcome = methods::find(&request.method)
        .ok_or_else(|| Fault::no_method(&request.method))
        .and_then(|method| {
            let arguments = Arguments::read(request.params, method.arguments)?;
            (method.run)(connection, &arguments)
        });
    let id = Json::raw(request.id?.get());
    let (key, value) = match outcome {
        Ok(result) => ("result", result),
        Err(fault) => ("error", fault.to_json()),
    };
    Some(response(key, value, id))
}

fn failed(code: i32, problem: &str) -> String {
    response(
        "error",
        Fault::protocol(code, problem).to_json(),
        Json::null(),
    )
}

fn response(key: &str, value: Json, id: Json) -> String {
    let members = [("jsonrpc", Json::of("2.0")), (key, value), ("id", id)];
    Json::object(members).as_str().to_owned()
}

struct Request<'a> {
    method: String,
    params: Option<&'a RawValue>,
    /// Absent in a notification.
    id: Option<&'a RawValue>,
}

impl Request<'_> {
    fn read(request: &RawValue) -> Result<Request<'_>, &'static str> {
        let members: Members<'_> = parsed(request).ok_or("a request is an object")?;
        let text = |name: &str| members.get(name).and_then(|value| parsed::<String>(value));
        if text("jsonrpc").as_deref() != Some("2.0") {
            return Err("`jsonrpc` is not \"2.0\"");
        }
        let method = text("method").ok_or("`method` is not a string")?;
        let id = members.get("id").copied();
        if id.is_some_and(|id| id.get().starts_with(['[', '{', 't', 'f'])) {
            return Err("`id` is neither a string, nor a number, nor null");
        }
        let params = members.get("params").copied();
        if params.is_some_and(|params| !params.get().starts_with(['[', '{'])) {
            return Err("`params` is not an object");
        }
        Ok(Request { method, params, id })
    }
}

fn parsed<'a, T: Deserialize<'a>>(json: &'a RawValue) -> Option<T> {
    serde_json::from_str(json.get()).ok()
}
