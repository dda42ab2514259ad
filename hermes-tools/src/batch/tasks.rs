//! A batch as tasks, for callers that await it.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;

use tokio::task::{Id, JoinSet};
use tracing::Instrument;

use super::progress::Progress;
use super::schedule::Schedule;
use super::{BatchOptions, Planned, ToolCall, one_by_one};
use crate::bridge::{on_executor, work_aside};
use crate::cancel::CancelOnDrop;
use crate::carry::Luggage;
use crate::concurrency::Concurrency;
use crate::contain::contain_future;
use crate::context::CallContext;
use crate::dispatch::{Dispatcher, Terms, are_large, traced};
use crate::failure;
use crate::tool_result::{Status, ToolResult};

/// Looking at so many calls takes less than it costs to do it on another thread.
const FEW_CALLS: usize = 64;

impl Dispatcher {
    /// Runs the calls of one turn for a caller that awaits them; else as
    /// [`handle_batch`](Dispatcher::handle_batch).
    ///
    /// Each call is a task of the caller's runtime, which runs as
    /// [`handle_function_call_async`](Dispatcher::handle_function_call_async) does. What the calls
    /// carry along is captured now. Dropping the future cancels all calls.
    pub fn handle_batch_async(
        &self,
        calls: Vec<ToolCall>,
        options: &BatchOptions,
        context: &CallContext,
    ) -> impl Future<Output = Vec<ToolResult>> + Send + use<> {
        let dispatcher = self.clone();
        let options = options.clone();
        // A flag of the batch's own: it is set when this future is dropped.
        let context = context.of_call(context.tool_call_id());
        let luggage = self.pack();
        let run: Pin<Box<dyn Future<Output = Vec<ToolResult>> + Send>> = Box::pin(async move {
            let guard = CancelOnDrop::new(context.cancellation().clone());
            let results = match luggage {
                Ok(luggage) => run(dispatcher, calls, options, context, luggage).await,
                Err(problem) => all_failed(calls.iter().map(|call| &call.name), &problem),
            };
            guard.keep();
            results
        });
        run.in_current_span()
    }
}

async fn run(
    dispatcher: Dispatcher,
    calls: Vec<ToolCall>,
    options: BatchOptions,
    context: CallContext,
    luggage: Luggage,
) -> Vec<ToolResult> {
    let names: Vec<String> = calls.iter().map(|call| call.name.clone()).collect();
    let plan = match plan(&dispatcher, calls, &options, &context, &luggage).await {
        Ok(plan) => plan,
        Err(problem) => return all_failed(names.iter(), &problem),
    };
    let terms = Terms {
        timeout: options.timeout,
        ..Terms::default()
    };
    let Some(schedule) = plan.schedule else {
        let mut results = Vec::with_capacity(plan.calls.len());
        for call in plan.calls {
            results.push(run_one(dispatcher.clone(), call, terms, luggage.clone()).await);
        }
        return results;
    };
    let mut tasks = Tasks {
        progress: Progress::new(plan.calls, schedule),
        running: HashMap::new(),
        set: JoinSet::new(),
    };
    loop {
        while tasks.running.len() < options.max_in_flight
            && tasks.start(&dispatcher, terms, &luggage)
        {}
        if !tasks.await_one().await {
            break;
        }
    }
    tasks.progress.into_results()
}

/// Calls that were looked at, and their order; `None` if they run one by one.
struct Plan {
    calls: Vec<Planned>,
    schedule: Option<Schedule>,
}

/// Finding the paths of calls asks the file system and foreign code, which may block; and many calls
/// or large arguments take their time.
async fn plan(
    dispatcher: &Dispatcher,
    calls: Vec<ToolCall>,
    options: &BatchOptions,
    context: &CallContext,
    luggage: &Luggage,
) -> Result<Plan, String> {
    let may_take_long = calls.len() > FEW_CALLS
        || are_large(calls.iter().map(|call| &call.arguments))
        || ask_for_paths(&calls, dispatcher);
    let (planner, options, context) = (dispatcher.clone(), options.clone(), context.clone());
    let plan = move || {
        let calls = calls.into_iter();
        let calls: Vec<Planned> = calls.map(|call| planner.plan(call, &context)).collect();
        let schedule = (!one_by_one(&calls, &options))
            .then(|| Schedule::new(calls.iter().map(|call| &call.access)));
        Plan { calls, schedule }
    };
    if !may_take_long {
        return Ok(plan());
    }
    match work_aside("batch".to_owned(), luggage.clone(), None, plan).await {
        Some(planned) => planned,
        None => Err("the batch could not be planned".to_owned()),
    }
}

fn ask_for_paths(calls: &[ToolCall], dispatcher: &Dispatcher) -> bool {
    let registry = dispatcher.registry().snapshot();
    calls
        .iter()
        .filter_map(|call| registry.get(&call.name))
        .any(|tool| matches!(tool.concurrency(), Concurrency::Paths(_)))
}

/// The calls of a batch that wait, run, and have ended.
struct Tasks {
    progress: Progress,
    running: HashMap<Id, usize>,
    set: JoinSet<ToolResult>,
}

impl Tasks {
    /// Starts the next call that may start; `false` if there is none.
    fn start(&mut self, dispatcher: &Dispatcher, terms: Terms, luggage: &Luggage) -> bool {
        let Some((index, call)) = self.progress.next() else {
            return false;
        };
        let name = call.name.clone();
        let task = run_one(dispatcher.clone(), call, terms, luggage.clone()).in_current_span();
        match on_executor(&mut self.set, task) {
            Ok(id) => {
                self.running.insert(id, index);
            }
            Err(problem) => {
                let failed = failure::executing(Status::Error, &name, &problem);
                self.progress.end(index, Some(failed));
            }
        }
        true
    }

    /// Waits until a call has ended; `false` if none runs.
    async fn await_one(&mut self) -> bool {
        match self.set.join_next_with_id().await {
            Some(Ok((id, result))) => {
                if let Some(index) = self.running.remove(&id) {
                    self.progress.end(index, Some(result));
                }
            }
            // The runtime was shut down. The result is reported as lost.
            Some(Err(error)) => {
                if let Some(index) = self.running.remove(&error.id()) {
                    self.progress.end(index, None);
                }
            }
            None => return false,
        }
        true
    }
}

async fn run_one(
    dispatcher: Dispatcher,
    call: Planned,
    terms: Terms,
    luggage: Luggage,
) -> ToolResult {
    let name = call.name.clone();
    let run = dispatcher.run_async(&call.name, call.prepared, call.context, terms, luggage);
    let run = Box::pin(run);
    let contained = async {
        let result = contain_future(run).await;
        result.unwrap_or_else(|text| failure::executing(Status::Error, &name, &text))
    };
    traced(contained, call.span).await
}

fn all_failed<'a>(names: impl Iterator<Item = &'a String>, problem: &str) -> Vec<ToolResult> {
    names
        .map(|name| failure::executing(Status::Error, name, problem))
        .collect()
}
