//! The span of a call: what logs of it, its hooks and its handler stand in.

use serde_json::Value;
use tracing::Span;
use tracing::field::Empty;

use crate::context::CallContext;
use crate::tool_result::ToolResult;

/// A call as it came, for whoever makes its span.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Received<'a> {
    /// The tool that it names, whether there is one or not.
    pub name: &'a str,
    /// The arguments as they were sent: an object, null, or text. They may hold secrets.
    pub arguments: &'a Value,
    /// Where the call comes from.
    pub context: &'a CallContext,
}

pub(crate) type MakeSpan = dyn Fn(&Received<'_>) -> Span + Send + Sync;

/// Without the arguments: this crate does not know what in them is secret.
pub(crate) fn plain(call: &Received<'_>) -> Span {
    tracing::debug_span!(
        "tool_call",
        tool = call.name,
        task = call.context.task_id(),
        session = call.context.session_id(),
        call = call.context.tool_call_id(),
        status = Empty,
        duration_ms = Empty,
    )
}

/// Writes what came of a call into its span.
pub(crate) fn finish(span: &Span, result: &ToolResult) {
    if span.is_disabled() {
        return;
    }
    span.record("status", result.status.as_str());
    span.record("duration_ms", result.duration.as_secs_f64() * 1e3);
}
