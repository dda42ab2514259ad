//! Runs handlers of any form for callers of any form.
//!
//! A plain handler runs on the caller's thread, unless it may have to be given up: then on a thread
//! of its own. An async one is polled on the caller's thread if there is no runtime on it (with the
//! process's runtime or, on a worker of a batch, the worker's own), and else on a thread of its own
//! with a runtime of its own, because a thread can be in one runtime only.

mod aside;
#[cfg(feature = "tokio")]
mod native;
mod park;
mod polled;
#[cfg(feature = "tokio")]
mod runtime;
mod timed;

use std::sync::Arc;
use std::time::Duration;

use crate::cancel::Cancellation;
use crate::carry::{Carry, Luggage};
use crate::contain::contain;
use crate::context::CallContext;
use crate::handler::{Arguments, AsyncFn, Handler, HandlerResult, PlainFn};
use aside::{Wait, Waited};
use polled::Polled;

pub(crate) use aside::STACK_BYTES;
pub use aside::abandoned_handlers;
#[cfg(feature = "tokio")]
pub(crate) use native::{AsyncJob, on_executor, run_async, work_aside};
#[cfg(feature = "tokio")]
pub(crate) use runtime::{WorkerThread, may_block};

/// Without a runtime there are no tasks to give away before.
#[cfg(not(feature = "tokio"))]
pub(crate) fn may_block<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// A future that is polled may answer a little after its limit; until then it is not given up.
const SLACK: Duration = Duration::from_millis(50);

/// One run of a handler.
pub(crate) struct Job<'a> {
    /// The tool, for logs.
    pub(crate) name: &'a str,
    pub(crate) handler: &'a Handler,
    pub(crate) arguments: Arguments,
    pub(crate) context: &'a CallContext,
    /// How long it may take.
    pub(crate) limit: Option<Duration>,
    /// Whether it gets a thread of its own, so that it can be given up while it blocks. A plain
    /// handler keeps to a limit only so.
    pub(crate) can_be_left: bool,
    pub(crate) carries: &'a [Arc<dyn Carry>],
}

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ran {
    /// The handler gave this.
    Done(HandlerResult),
    /// It panicked, saying this.
    Panicked(String),
    /// It took longer than this.
    TimedOut(Duration),
    /// The call was cancelled.
    Cancelled,
    /// No thread, runtime or context could be had to run it with.
    Unable(String),
}

/// Runs a handler for a caller that waits for it on its thread.
pub(crate) fn run(job: Job<'_>) -> Ran {
    if job.context.cancellation().is_cancelled() {
        return Ran::Cancelled;
    }
    match job.handler {
        Handler::Plain(handler) if !job.can_be_left => {
            plain(handler.as_ref(), job.arguments, job.context)
        }
        Handler::Plain(handler) => {
            let handler = Arc::clone(handler);
            let limit = job.limit;
            on_own_thread(job, limit, move |arguments, context, luggage| {
                plain_within(handler.as_ref(), arguments, &context, &luggage)
            })
        }
        Handler::Async(handler) => asynchronous(Arc::clone(handler), job),
        Handler::AgentLoop => Ran::Unable("only an agent loop can run it".to_owned()),
    }
}

fn plain(handler: &PlainFn, arguments: Arguments, context: &CallContext) -> Ran {
    match contain(|| handler(arguments, context)) {
        Ok(result) => Ran::Done(result),
        Err(text) => Ran::Panicked(text),
    }
}

fn plain_within(
    handler: &PlainFn,
    arguments: Arguments,
    context: &CallContext,
    luggage: &Luggage,
) -> Ran {
    luggage
        .within(|| plain(handler, arguments, context))
        .unwrap_or_else(Ran::Unable)
}

#[cfg(not(feature = "tokio"))]
fn asynchronous(handler: Arc<AsyncFn>, job: Job<'_>) -> Ran {
    let limit = job.limit;
    if job.can_be_left {
        on_own_thread(
            job,
            with_slack(limit),
            move |arguments, context, luggage| {
                park::drive(&mut Polled::new(
                    handler, arguments, context, limit, luggage,
                ))
            },
        )
    } else {
        here(handler, job, |mut polled| park::drive(&mut polled))
    }
}

#[cfg(feature = "tokio")]
fn asynchronous(handler: Arc<AsyncFn>, job: Job<'_>) -> Ran {
    use runtime::{Here, Owned};
    use timed::WithTimer;

    let limit = job.limit;
    let outer = with_slack(limit);
    match runtime::here() {
        Err(problem) => Ran::Unable(problem),
        Ok(Here::Inside) => on_own_thread(job, outer, move |arguments, context, luggage| {
            let runtime = match Owned::new() {
                Ok(runtime) => runtime,
                Err(problem) => return Ran::Unable(problem),
            };
            let polled = Polled::new(handler, arguments, context, limit, luggage);
            runtime.block_on(WithTimer::new(polled))
        }),
        Ok(Here::Worker(runtime)) if job.can_be_left => {
            let ran = on_own_thread(job, outer, move |arguments, context, luggage| {
                let polled = Polled::new(handler, arguments, context, limit, luggage);
                runtime.block_on(WithTimer::new(polled))
            });
            // A poll that still blocks holds the runtime; the next call gets a new one.
            if matches!(ran, Ran::TimedOut(_) | Ran::Cancelled) {
                runtime::forget_worker_runtime();
            }
            ran
        }
        Ok(Here::Worker(runtime)) => here(handler, job, |polled| {
            runtime.block_on(WithTimer::new(polled))
        }),
        Ok(Here::Outside(runtime)) if job.can_be_left => {
            on_own_thread(job, outer, move |arguments, context, luggage| {
                let polled = Polled::new(handler, arguments, context, limit, luggage);
                runtime.block_on(WithTimer::new(polled))
            })
        }
        Ok(Here::Outside(runtime)) => here(handler, job, |polled| {
            runtime.block_on(WithTimer::new(polled))
        }),
    }
}

/// Polls on the caller's thread.
fn here(handler: Arc<AsyncFn>, job: Job<'_>, drive: impl FnOnce(Polled) -> Ran) -> Ran {
    let luggage = match Luggage::pack(job.carries) {
        Ok(luggage) => luggage,
        Err(problem) => return Ran::Unable(problem),
    };
    let flag = job.context.cancellation().child();
    let context = job.context.clone().with_cancellation(flag.clone());
    let polled = Polled::new(handler, job.arguments, context, job.limit, luggage);
    flagged(drive(polled), &flag)
}

/// What the handler has started elsewhere, and what still blocks, can see that it was given up.
fn flagged(ran: Ran, flag: &Cancellation) -> Ran {
    if matches!(ran, Ran::TimedOut(_)) {
        flag.cancel();
    }
    ran
}

fn with_slack(limit: Option<Duration>) -> Option<Duration> {
    limit.map(|limit| limit.saturating_add(SLACK))
}

/// Runs this on a thread of its own, and leaves that when the limit has passed, or a while after
/// the call was cancelled. Then a flag in the context tells the handler to end.
fn on_own_thread(
    job: Job<'_>,
    outer_limit: Option<Duration>,
    work: impl FnOnce(Arguments, CallContext, Luggage) -> Ran + Send + 'static,
) -> Ran {
    let flag = job.context.cancellation().child();
    let context = job.context.clone().with_cancellation(flag.clone());
    let arguments = job.arguments;
    let luggage = match Luggage::pack(job.carries) {
        Ok(luggage) => luggage,
        Err(problem) => return Ran::Unable(problem),
    };
    let running = aside::on_thread(job.name, move || work(arguments, context, luggage));
    let mut wait = match running {
        Ok(running) => Wait::new(running, &flag, outer_limit),
        Err(problem) => return Ran::Unable(problem),
    };
    let waited = may_block(|| {
        let waited = park::drive(&mut wait);
        wait.join();
        waited
    });
    flagged(judge(waited, job.limit), &flag)
}

fn judge(waited: Waited<Ran>, limit: Option<Duration>) -> Ran {
    match waited {
        Waited::Done(ran) => ran,
        Waited::Lost => Ran::Unable("its thread ended before the handler did".to_owned()),
        Waited::TimedOut => Ran::TimedOut(limit.unwrap_or_default()),
        Waited::Cancelled => Ran::Cancelled,
    }
}
