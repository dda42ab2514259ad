//! Several calls of one turn: beside each other where they may, in order where they must.

mod call;
mod paths;
mod progress;
mod schedule;
#[cfg(feature = "tokio")]
mod tasks;
mod threads;
mod touched;

use std::time::Duration;

use tracing::Span;

pub use call::ToolCall;

use crate::concurrency::Concurrency;
use crate::contain::contain;
use crate::context::CallContext;
use crate::dispatch::{Dispatcher, Prepared, Terms};
use crate::failure;
use crate::tool_result::{Status, ToolResult};
use crate::trace;
use paths::Place;
use schedule::Schedule;

/// How a batch runs.
///
/// ```
/// use std::time::Duration;
/// use hermes_tools::BatchOptions;
///
/// let options = BatchOptions { timeout: Some(Duration::from_secs(60)), ..Default::default() };
/// assert_eq!(options.max_in_flight, 8);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchOptions {
    /// How many calls may run at the same time; 0 counts as 1.
    pub max_in_flight: usize,
    /// How long the handler of each call may run at most. A tool's own limit counts if it is
    /// shorter.
    pub timeout: Option<Duration>,
    /// Whether the calls run one after the other, whatever the tools allow.
    pub sequential: bool,
}

impl Default for BatchOptions {
    fn default() -> BatchOptions {
        BatchOptions {
            max_in_flight: 8,
            timeout: None,
            sequential: false,
        }
    }
}

/// Which other calls of its batch a call may run beside.
#[derive(Debug, Clone)]
enum Access {
    Any,
    None,
    Places(Vec<Place>),
}

/// A call that was looked at.
struct Planned {
    name: String,
    span: Span,
    context: CallContext,
    prepared: Result<Prepared, ToolResult>,
    access: Access,
    /// Whether the whole batch has to wait for a person.
    interactive: bool,
}

impl Dispatcher {
    /// Runs the calls of one turn and waits for them. The results are in the order of the calls,
    /// one each, whatever fails; each call's context has the id of the call and a flag of its own
    /// that follows the batch's.
    ///
    /// Calls run beside each other as their tools' [`Concurrency`] allows, on threads of the batch.
    /// A batch of one call, one with an [interactive](Concurrency::Interactive) tool, and one that
    /// is asked to be [sequential](BatchOptions::sequential) run on the caller's thread.
    ///
    /// When the flag of the context is set, calls that have not started give an error, the futures
    /// of async handlers are dropped, and plain handlers get a second to see the flag in their
    /// context; after that they are given up. (On the caller's thread a plain handler without a
    /// limit is waited for, as in [`handle_function_call`](Dispatcher::handle_function_call), and
    /// so are hooks everywhere.)
    ///
    /// ```
    /// use hermes_tools::{BatchOptions, CallContext, Dispatcher, Registry, Tool, ToolCall};
    /// use serde_json::json;
    ///
    /// let registry = Registry::new();
    /// registry.register(Tool::new("ping", "net").parallel_safe().handler(|_, _| Ok("pong")))?;
    /// let calls = vec![ToolCall::new("ping", json!({})), ToolCall::new("pang", json!({}))];
    /// let results = Dispatcher::new(registry)
    ///     .handle_batch(calls, &BatchOptions::default(), &CallContext::new());
    /// assert_eq!(results[0].to_string(), "pong");
    /// assert!(!results[1].is_ok());
    /// # Ok::<(), hermes_tools::Error>(())
    /// ```
    pub fn handle_batch(
        &self,
        calls: Vec<ToolCall>,
        options: &BatchOptions,
        context: &CallContext,
    ) -> Vec<ToolResult> {
        let planned: Vec<Planned> = calls
            .into_iter()
            .map(|call| self.plan(call, context))
            .collect();
        let on_caller = one_by_one(&planned, options);
        let terms = Terms {
            timeout: options.timeout,
            plain_can_be_left: !on_caller,
        };
        let schedule = Schedule::new(planned.iter().map(|call| &call.access));
        if on_caller || schedule.is_in_line() {
            let in_order = planned.into_iter();
            return in_order.map(|call| self.run_planned(call, terms)).collect();
        }
        threads::run(self, planned, schedule, options.max_in_flight, terms)
    }

    /// Prepares a call, and finds out what it touches.
    fn plan(&self, call: ToolCall, context: &CallContext) -> Planned {
        let context = context.of_call(call.id.as_deref());
        let span = self.span_of(&call.name, &call.arguments, &context);
        let context = context.in_span(&span);
        let prepared = match &call.problem {
            Some(problem) => Err(failure::bad_call(problem)),
            None => span
                .in_scope(|| contain(|| self.prepare(&call.name, call.arguments, &context)))
                .map_err(|text| failure::executing(Status::Error, &call.name, &text))
                .and_then(|prepared| prepared.map_err(|refusal| *refusal)),
        };
        // What cannot run has nothing to wait for.
        let (access, interactive) = match &prepared {
            Ok(prepared) => {
                let concurrency = prepared.entry.concurrency();
                let interactive = matches!(concurrency, Concurrency::Interactive);
                (access(concurrency, prepared, &context), interactive)
            }
            Err(_) => (Access::Any, false),
        };
        Planned {
            name: call.name,
            span,
            context,
            prepared,
            access,
            interactive,
        }
    }

    /// Runs one call on this thread.
    fn run_planned(&self, call: Planned, terms: Terms) -> ToolResult {
        let _entered = call.span.enter();
        let result = crate::dispatch::contained(&call.name, || match call.prepared {
            Ok(prepared) => self.run(prepared, &call.context, terms),
            Err(refusal) => {
                let nothing = crate::handler::Arguments::new();
                self.refused(&call.name, &nothing, &call.context, refusal)
            }
        });
        trace::finish(&call.span, &result);
        result
    }
}

fn access(concurrency: &Concurrency, prepared: &Prepared, context: &CallContext) -> Access {
    match concurrency {
        Concurrency::Parallel => Access::Any,
        Concurrency::Serial | Concurrency::Interactive => Access::None,
        Concurrency::Paths(paths) => {
            let places = contain(|| paths(&prepared.arguments, context)).and_then(|touched| {
                touched
                    .iter()
                    .map(|access| Place::find(access).map_err(|error| error.to_string()))
                    .collect()
            });
            match places {
                Ok(places) => Access::Places(places),
                Err(problem) => {
                    tracing::warn!(
                        tool = prepared.entry.name(),
                        problem,
                        "nobody knows what a call touches; it runs alone"
                    );
                    Access::None
                }
            }
        }
    }
}

fn one_by_one(planned: &[Planned], options: &BatchOptions) -> bool {
    options.sequential
        || planned.len() <= 1
        || options.max_in_flight <= 1
        || planned.iter().any(|call| call.interactive)
}
