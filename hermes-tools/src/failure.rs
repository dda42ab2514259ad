//! The error texts of calls: one function a kind.

use std::sync::Arc;

use serde_json::Value;

use crate::bridge::Ran;
use crate::context::CallContext;
use crate::entry::ToolEntry;
use crate::error_text::clean;
use crate::near::{mentioning, nearest};
use crate::snapshot::Snapshot;
use crate::text::clip;
use crate::tool_error::ToolError;
use crate::tool_result::{Status, ToolResult};

/// How much of a name that nobody knows is repeated to the model.
const SHOWN_NAME_CHARS: usize = 100;

pub(crate) fn unknown_tool(name: &str, snapshot: &Snapshot, context: &CallContext) -> ToolResult {
    let message = format!("Unknown tool: {}", clip(name, SHOWN_NAME_CHARS));
    // What the model was not given is no help to it.
    let given = |tool: &&Arc<ToolEntry>| {
        let enabled = context.enabled_tools();
        enabled.is_none_or(|enabled| enabled.contains(tool.name()))
    };
    let mut near = nearest(name, snapshot.tools().filter(given).map(|tool| tool.name()));
    if near.is_empty() {
        let tools = snapshot.tools().filter(given);
        near = mentioning(name, tools.map(|tool| (tool.name(), tool.description())));
    }
    if near.is_empty() {
        return ToolResult::error(Status::UnknownTool, &clean(&message), &[]);
    }
    ToolResult::error(
        Status::UnknownTool,
        &clean(&message),
        &[("did_you_mean", Value::from(near))],
    )
}

pub(crate) fn not_enabled(name: &str) -> ToolResult {
    ToolResult::error(
        Status::NotEnabled,
        &format!("Tool not enabled in this session: {name}"),
        &[],
    )
}

pub(crate) fn no_agent_loop(name: &str) -> ToolResult {
    ToolResult::error(
        Status::NoAgentLoop,
        &format!("{name} must be handled by the agent loop"),
        &[],
    )
}

pub(crate) fn blocked(message: &str) -> ToolResult {
    ToolResult::error(Status::Blocked, &clean(message), &[])
}

/// What a model sent in place of a call.
pub(crate) fn bad_call(problem: &str) -> ToolResult {
    ToolResult::error(
        Status::Error,
        &format!("Malformed tool call: {problem}"),
        &[],
    )
}

/// The registry's layer: what the handler itself did.
pub(crate) fn handler_failed(error: &ToolError) -> ToolResult {
    ToolResult::error(
        Status::Failed,
        &clean(&format!("Tool execution failed: {error}")),
        &[],
    )
}

/// The outer layer: anything else on the way.
pub(crate) fn executing(status: Status, name: &str, message: &str) -> ToolResult {
    let name = clip(name, SHOWN_NAME_CHARS);
    ToolResult::error(
        status,
        &clean(&format!("Error executing {name}: {message}")),
        &[],
    )
}

/// A run that gave no result.
pub(crate) fn not_done(name: &str, ran: Ran) -> ToolResult {
    match ran {
        Ran::Done(Ok(_)) => executing(Status::Error, name, "its result was lost"),
        Ran::Done(Err(error)) => handler_failed(&error),
        Ran::Panicked(text) => handler_failed(&ToolError::new("Panic", text)),
        Ran::TimedOut(limit) => executing(
            Status::TimedOut,
            name,
            &format!("it took longer than {limit:?} and was given up"),
        ),
        Ran::Cancelled => executing(Status::Cancelled, name, "the call was cancelled"),
        Ran::Unable(problem) => executing(Status::Error, name, &problem),
    }
}

pub(crate) fn bad_result(name: &str, result_type: &str) -> ToolResult {
    ToolResult::error(
        Status::BadResult,
        &format!(
            "The handler of {name} gave {result_type} where only text or a multimodal envelope can go to a model"
        ),
        &[
            ("error_type", Value::from("tool_result_contract")),
            ("tool", Value::from(name)),
            ("result_type", Value::from(result_type)),
        ],
    )
}
