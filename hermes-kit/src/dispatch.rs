//! A model's calls, through everything that a home has: traced, approved, run, and recorded.

use hermes_state::MessageId;
use hermes_tools::{BatchOptions, CallContext, Received, ToolCall, ToolResult};
use serde_json::Value;
use tracing::Span;
use tracing::field::Empty;

use crate::error::Result;
use crate::hermes::Hermes;
use crate::logged::LoggedArguments;

/// What came of the calls of one turn.
#[derive(Debug)]
pub struct Turn {
    /// One for each call, in their order.
    pub results: Vec<ToolResult>,
    /// The rows in the session, the assistant's first; or why they are not there. What ran has run
    /// all the same.
    pub recorded: Result<Vec<MessageId>>,
}

impl Hermes {
    /// Runs a model's call and waits for it. Nothing fails: what goes wrong is the model's result.
    ///
    /// The call has a span of `tracing`, as has each call of a batch or turn, and whatever
    /// [`dispatcher`](Self::dispatcher) runs: `tool_call`, with the tool, the task, the
    /// conversation, the arguments without secrets, and when it has run, the status, the time in
    /// milliseconds, and what was decided about its command (`tool`, `task`, `session`, `call`,
    /// `arguments`, `status`, `duration_ms`, `verdict`).
    pub fn handle_function_call(
        &self,
        name: &str,
        arguments: Value,
        context: &CallContext,
    ) -> ToolResult {
        self.dispatcher()
            .handle_function_call(name, arguments, context)
    }

    /// Runs the calls of one turn, at the same time where they allow it; the results are in their
    /// order. Their spans stand in one of the turn's.
    pub fn handle_batch(
        &self,
        calls: Vec<ToolCall>,
        options: &BatchOptions,
        context: &CallContext,
    ) -> Vec<ToolResult> {
        turn_span(calls.len(), context)
            .in_scope(|| self.dispatcher().handle_batch(calls, options, context))
    }

    /// Runs the calls of one turn and records them in the session: see
    /// [`record_calls`](Self::record_calls).
    pub fn run_turn(
        &self,
        session: &str,
        said: Option<&str>,
        calls: Vec<ToolCall>,
        options: &BatchOptions,
        context: &CallContext,
    ) -> Turn {
        let results = self.handle_batch(calls.clone(), options, context);
        let both: Vec<(&ToolCall, &ToolResult)> = calls.iter().zip(&results).collect();
        let recorded = self.record_calls(session, said, &both);
        Turn { results, recorded }
    }

    /// [`handle_function_call`](Self::handle_function_call) for a caller that awaits it.
    #[cfg(feature = "tokio")]
    pub async fn handle_function_call_async(
        &self,
        name: &str,
        arguments: Value,
        context: &CallContext,
    ) -> ToolResult {
        self.dispatcher()
            .handle_function_call_async(name, arguments, context)
            .await
    }

    /// [`handle_batch`](Self::handle_batch) for a caller that awaits it.
    #[cfg(feature = "tokio")]
    pub async fn handle_batch_async(
        &self,
        calls: Vec<ToolCall>,
        options: &BatchOptions,
        context: &CallContext,
    ) -> Vec<ToolResult> {
        use tracing::Instrument;

        let span = turn_span(calls.len(), context);
        let batch = self
            .dispatcher()
            .handle_batch_async(calls, options, context);
        batch.instrument(span).await
    }
}

fn turn_span(calls: usize, context: &CallContext) -> Span {
    tracing::info_span!("turn", calls, session = context.session_id())
}

/// The span of a call. Arguments are looked through only if somebody listens.
pub(crate) fn call_span(call: &Received<'_>) -> Span {
    tracing::info_span!(
        "tool_call",
        tool = call.name,
        task = call.context.task_id(),
        session = call.context.session_id(),
        call = call.context.tool_call_id(),
        arguments = %LoggedArguments::new(call.arguments),
        status = Empty,
        duration_ms = Empty,
        verdict = Empty,
    )
}
