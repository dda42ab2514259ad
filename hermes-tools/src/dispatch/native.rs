//! Calls that are awaited.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tracing::{Instrument, Span};

use super::{Dispatcher, Prepared, Ready, Refusal, Terms, are_large, finished};
use crate::bridge::{AsyncJob, Ran, run_async, work_aside};
use crate::cancel::CancelOnDrop;
use crate::carry::Luggage;
use crate::contain::{contain, contain_future};
use crate::context::CallContext;
use crate::entry::ToolEntry;
use crate::failure;
use crate::handler::Arguments;
use crate::limit::ResultLimit;
use crate::registry::Registry;
use crate::tool_result::{Status, ToolResult};
use crate::trace;

/// Boxed, and made in functions of their own: calls that nest (a handler that awaits another call)
/// are polled inside each other, and each level should take little of the stack.
type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A call after its gates were asked, and why it does not run, if it does not; or why they could not
/// be asked.
type Asked = Result<(Prepared, Option<ToolResult>), String>;

impl Registry {
    /// Runs a tool for a caller that awaits it; else as [`dispatch`](Registry::dispatch).
    pub fn dispatch_async(
        &self,
        name: &str,
        arguments: Arguments,
        context: &CallContext,
    ) -> impl Future<Output = ToolResult> + Send + use<> {
        let registry = self.clone();
        let shown = name.to_owned();
        let name = name.to_owned();
        let context = context.of_call(context.tool_call_id());
        let run = Box::pin(async move {
            let Ready { entry, bounds } = match registry.ready(&name, &context) {
                Ok(ready) => ready,
                Err(refusal) => return *refusal,
            };
            let guard = CancelOnDrop::new(context.cancellation().clone());
            let ran = run_async(AsyncJob {
                name,
                handler: entry.handler().clone(),
                arguments,
                context,
                limit: bounds.limit,
                can_be_left: bounds.can_be_left,
                luggage: Luggage::default(),
            })
            .await;
            guard.keep();
            finished(&entry, ran, ResultLimit::Unlimited)
        });
        contained_async(shown, run)
    }
}

impl Dispatcher {
    /// Runs a model's call for a caller that awaits it, on any executor: async handlers are awaited
    /// in place, and whatever may block or take long (plain handlers, hooks, gates, reading arguments
    /// of more than 16 KiB) runs on threads for blocking work. Else as [`handle_function_call`](Dispatcher::handle_function_call).
    ///
    /// What the call [carries along](Registry::add_carry) is captured now, before the first poll,
    /// so that the future can be spawned. Dropping the future cancels the call.
    ///
    /// ```
    /// use hermes_tools::{CallContext, Dispatcher, Registry, Tool};
    /// use serde_json::json;
    ///
    /// let registry = Registry::new();
    /// registry.register(Tool::new("ping", "net").async_handler(|_, _| async { Ok("pong") }))?;
    /// let tools = Dispatcher::new(registry);
    /// let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// let call = tools.handle_function_call_async("ping", json!({}), &CallContext::new());
    /// assert_eq!(runtime.block_on(call).into_text(), "pong");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn handle_function_call_async(
        &self,
        name: &str,
        arguments: Value,
        context: &CallContext,
    ) -> impl Future<Output = ToolResult> + Send + use<> {
        let luggage = self.pack();
        let dispatcher = self.clone();
        let shown = name.to_owned();
        let name = name.to_owned();
        let context = context.of_call(context.tool_call_id());
        let span = self.span_of(&name, &arguments, &context);
        let context = context.in_span(&span);
        let run = Box::pin(async move {
            let luggage = match luggage {
                Ok(luggage) => luggage,
                Err(problem) => return failure::executing(Status::Error, &name, &problem),
            };
            let prepared = if are_large([&arguments]) {
                let aside = dispatcher.prepare_aside(&name, arguments, &context, &luggage);
                match aside.await {
                    Ok(prepared) => prepared,
                    Err(problem) => return failure::executing(Status::Error, &name, &problem),
                }
            } else {
                dispatcher.prepare(&name, arguments, &context)
            };
            let prepared = prepared.map_err(|refusal| *refusal);
            dispatcher
                .run_async(&name, prepared, context, Terms::default(), luggage)
                .await
        });
        traced(contained_async(shown, run), span)
    }

    /// As [`prepare`](Dispatcher::prepare), where it may take its time.
    fn prepare_aside<'a>(
        &self,
        name: &str,
        arguments: Value,
        context: &CallContext,
        luggage: &Luggage,
    ) -> Boxed<'a, Result<Result<Prepared, Refusal>, String>> {
        let (dispatcher, context) = (self.clone(), context.clone());
        let tool = name.to_owned();
        let prepare = move || dispatcher.prepare(&tool, arguments, &context);
        let aside = work_aside(name.to_owned(), luggage.clone(), None, prepare);
        Box::pin(to_its_end(aside))
    }

    /// Gates, handler, observers; or only observers of a call that cannot run. The context needs a
    /// flag of its own.
    pub(crate) async fn run_async(
        &self,
        name: &str,
        prepared: Result<Prepared, ToolResult>,
        context: CallContext,
        terms: Terms,
        luggage: Luggage,
    ) -> ToolResult {
        let guard = CancelOnDrop::new(context.cancellation().clone());
        let result = self
            .stages(name, prepared, context, terms, luggage)
            .await
            .unwrap_or_else(|problem| failure::executing(Status::Error, name, &problem));
        guard.keep();
        result
    }

    fn stages<'a>(
        &'a self,
        name: &'a str,
        prepared: Result<Prepared, ToolResult>,
        context: CallContext,
        terms: Terms,
        luggage: Luggage,
    ) -> Boxed<'a, Result<ToolResult, String>> {
        match prepared {
            Ok(prepared) => Box::pin(self.gates_and_handler(prepared, context, terms, luggage)),
            Err(refusal) => self.refused_aside(name, Arguments::new(), context, refusal, luggage),
        }
    }

    async fn gates_and_handler(
        &self,
        mut prepared: Prepared,
        context: CallContext,
        terms: Terms,
        luggage: Luggage,
    ) -> Result<ToolResult, String> {
        let entry = Arc::clone(&prepared.entry);
        let refusal = if self.inner.hooks.look_before() && !context.cancellation().is_cancelled() {
            let asked;
            (prepared, asked) = match self.refusal_aside(prepared, &context, &luggage).await {
                Some(asked) => asked?,
                // The gates still ask; nobody waits for their answer.
                None => return Ok(failure::not_done(entry.name(), Ran::Cancelled)),
            };
            asked
        } else {
            self.refusal(&prepared, &context)
        };
        if let Some(refusal) = refusal {
            return self
                .refused_aside(entry.name(), prepared.arguments, context, refusal, luggage)
                .await;
        }
        let seen = if self.inner.hooks.look_after() && are_large(prepared.arguments.values()) {
            let copied;
            (prepared, copied) = self.copy_aside(prepared, &luggage).await?;
            copied
        } else {
            self.arguments_for_hooks(&prepared)
        };
        let bounds = self.bounds(&prepared, terms);
        let started = Instant::now();
        let ran = run_async(AsyncJob {
            name: entry.name().to_owned(),
            arguments: std::mem::take(&mut prepared.arguments),
            handler: prepared.handler().clone(),
            context: context.clone(),
            limit: bounds.limit,
            can_be_left: bounds.can_be_left,
            luggage: luggage.clone(),
        })
        .await;
        let result = self.judged(&entry, prepared.warnings, ran, started.elapsed());
        match seen {
            Some(seen) => {
                self.observed_aside(entry, seen, context, result, luggage)
                    .await
            }
            None => Ok(result),
        }
    }

    /// Asks gates where they may block. `None` if the call was cancelled meanwhile.
    fn refusal_aside<'a>(
        &'a self,
        prepared: Prepared,
        context: &CallContext,
        luggage: &Luggage,
    ) -> Boxed<'a, Option<Asked>> {
        let name = prepared.entry.name().to_owned();
        let flag = context.cancellation().clone();
        let dispatcher = self.clone();
        let context = context.clone();
        let ask = move || {
            let refusal = dispatcher.refusal(&prepared, &context);
            (prepared, refusal)
        };
        Box::pin(work_aside(name, luggage.clone(), Some(flag), ask))
    }

    /// As [`arguments_for_hooks`](Dispatcher::arguments_for_hooks), where it may take its time.
    fn copy_aside<'a>(
        &self,
        prepared: Prepared,
        luggage: &Luggage,
    ) -> Boxed<'a, Result<(Prepared, Option<Arguments>), String>> {
        let dispatcher = self.clone();
        let name = prepared.entry.name().to_owned();
        let copy = move || {
            let copied = dispatcher.arguments_for_hooks(&prepared);
            (prepared, copied)
        };
        Box::pin(to_its_end(work_aside(name, luggage.clone(), None, copy)))
    }

    /// As [`observed`](Dispatcher::observed), where observers may block.
    fn observed_aside<'a>(
        &'a self,
        entry: Arc<ToolEntry>,
        arguments: Arguments,
        context: CallContext,
        result: ToolResult,
        luggage: Luggage,
    ) -> Boxed<'a, Result<ToolResult, String>> {
        let dispatcher = self.clone();
        let name = entry.name().to_owned();
        let observe = move || dispatcher.observed(&entry, &arguments, &context, result);
        Box::pin(to_its_end(work_aside(name, luggage, None, observe)))
    }

    /// As [`refused`](Dispatcher::refused), where observers may block.
    fn refused_aside<'a>(
        &'a self,
        name: &str,
        arguments: Arguments,
        context: CallContext,
        result: ToolResult,
        luggage: Luggage,
    ) -> Boxed<'a, Result<ToolResult, String>> {
        if !self.inner.hooks.look_after() {
            return Box::pin(std::future::ready(Ok(result)));
        }
        let dispatcher = self.clone();
        let tool = name.to_owned();
        let name = name.to_owned();
        let show = move || dispatcher.refused(&tool, &arguments, &context, result);
        Box::pin(to_its_end(work_aside(name, luggage, None, show)))
    }
}

/// What came of work that nothing cancels: observers see every result.
async fn to_its_end<T>(
    aside: impl Future<Output = Option<Result<T, String>>>,
) -> Result<T, String> {
    aside
        .await
        .unwrap_or_else(|| Err("what was to be done elsewhere did not end".to_owned()))
}

/// Runs a call in its span, and fills in what came of it.
pub(crate) async fn traced(run: impl Future<Output = ToolResult>, span: Span) -> ToolResult {
    let result = run.instrument(span.clone()).await;
    trace::finish(&span, &result);
    result
}

/// A panic on the way, outside any handler, becomes a result too.
async fn contained_async(name: String, run: Boxed<'_, ToolResult>) -> ToolResult {
    contain_future(run).await.unwrap_or_else(|text| {
        contain(|| failure::executing(Status::Error, &name, &text))
            .unwrap_or_else(|_| ToolResult::error(Status::Error, "the call failed", &[]))
    })
}
