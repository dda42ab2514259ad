//! `tools call`: one call, as a model would make it.

use std::io::Read;

use hermes_kit::Hermes;
use hermes_kit::toolkit::{CallContext, Content, Selection, Status};
use serde_json::{Value, json};

use super::refuse_unknown;
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::text::harmless;

/// Arguments that a person may hand in by standard input.
const MAX_ARGUMENTS: u64 = 16 << 20;

pub(super) fn run(
    hermes: &Hermes,
    name: &str,
    arguments: &str,
    selection: &Selection,
    output: &mut Output,
) -> Result<(), Failure> {
    let arguments = match arguments {
        "-" => from_stdin()?,
        text => text.to_owned(),
    };
    let mut context = CallContext::new();
    if *selection != Selection::all() {
        let definitions = hermes.tool_definitions(selection);
        refuse_unknown(definitions.warnings())?;
        context = context.with_enabled_tools(definitions.names());
    }
    let result = hermes
        .dispatcher()
        .handle_function_call(name, Value::String(arguments), &context);
    for warning in result.warnings() {
        output.remark(format_args!("warning: {warning}"));
    }
    let status = result.status();
    if output.json() {
        let shown = match result.content() {
            Content::Text(text) => json!(text),
            Content::Multimodal(parts) => parts.to_value(),
            other => json!(format!("{other:?}")),
        };
        json::object(
            output,
            &json!({
                "tool": name,
                "status": status.as_str(),
                "duration_ms": result.duration().as_secs_f64() * 1e3,
                "warnings": result.warnings(),
                "result": shown,
            }),
        )?;
    } else {
        output.line(harmless(&result.to_string()))?;
    }
    if status == Status::Ok {
        return Ok(());
    }
    Err(Failure::new(
        "call_failed",
        format!("the call ended as {}", status.as_str()),
        "the result above says why",
    )
    .already_told())
}

fn from_stdin() -> Result<String, Failure> {
    let input = |problem: String| Failure::new("input", problem, "give a JSON object in UTF-8");
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_ARGUMENTS + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| input(format!("standard input cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_ARGUMENTS {
        let most = MAX_ARGUMENTS >> 20;
        return Err(input(format!("standard input has more than {most} MiB")));
    }
    String::from_utf8(bytes).map_err(|error| input(format!("standard input is no text: {error}")))
}
