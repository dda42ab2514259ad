//! `process`: what has been left running, for a model.

use hermes_terminal::PROCESS_PARAMETERS;
use hermes_tools::{Arguments, CallContext, HandlerResult, Tool, ToolError, register_tool};
use serde_json::Value;

use super::terminal::{Interrupted, failed};
use crate::hermes::Hermes;

/// The tool's name.
pub const PROCESS: &str = "process";

register_tool!(PROCESS, || {
    let parameters: Value = serde_json::from_str(PROCESS_PARAMETERS)
        .map_err(|error| ToolError::message(error.to_string()))?;
    Ok(Tool::new(PROCESS, "terminal")
        .description(
            "Looks after commands that were started with terminal(background=true): lists them, \
             polls one for its status and new output, reads its log, waits for its end, kills it \
             with all that it has started, writes to its input or closes it.",
        )
        .parameters(parameters)
        .agent_loop())
});

pub(super) fn run(hermes: &Hermes, arguments: Arguments, context: &CallContext) -> HandlerResult {
    let processes = hermes.processes().map_err(|error| failed(&error))?;
    let interrupted = Interrupted::by(context)?;
    let arguments = Value::Object(arguments);
    let answer = processes.handle(&arguments, context.task_id(), Some(interrupted.flag()));
    Ok(answer.to_string().into())
}
