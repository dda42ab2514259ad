//! Handlers for callers that await them.

use std::future::{Future, ready};
use std::pin::Pin;
use std::time::Duration;

use tokio::runtime::Handle;

use super::aside::{self, Running, Wait, Waited};
use super::polled::Polled;
use super::runtime;
use super::timed::WithTimer;
use super::{Ran, flagged, judge, plain_within};
use crate::cancel::Cancellation;
use crate::carry::Luggage;
use crate::contain::contain;
use crate::context::CallContext;
use crate::handler::{Arguments, Handler};

/// One run of a handler, to be awaited.
pub(crate) struct AsyncJob {
    /// The tool, for logs.
    pub(crate) name: String,
    pub(crate) handler: Handler,
    pub(crate) arguments: Arguments,
    /// With a flag of its own, which is set when the run is given up.
    pub(crate) context: CallContext,
    pub(crate) limit: Option<Duration>,
    /// Whether a plain handler gets a thread of its own: one that hangs would keep the runtime of
    /// the caller from ever being dropped.
    pub(crate) can_be_left: bool,
    pub(crate) luggage: Luggage,
}

/// Runs a handler for a caller that awaits it: an async one in place, a plain one on a thread for
/// blocking work.
pub(crate) fn run_async(job: AsyncJob) -> Pin<Box<dyn Future<Output = Ran> + Send>> {
    let flag = job.context.cancellation().clone();
    if flag.is_cancelled() {
        return Box::pin(ready(Ran::Cancelled));
    }
    match job.handler {
        Handler::Async(handler) => {
            let polled = Polled::new(handler, job.arguments, job.context, job.limit, job.luggage);
            let ran = WithTimer::anywhere(polled);
            Box::pin(async move { flagged(ran.await, &flag) })
        }
        Handler::Plain(handler) => {
            let (arguments, context, luggage) = (job.arguments, job.context, job.luggage);
            let work = move || plain_within(handler.as_ref(), arguments, &context, &luggage);
            let running = if job.can_be_left {
                aside::on_thread(&job.name, work)
            } else {
                on_blocking_pool(&job.name, work)
            };
            match running {
                Ok(running) => {
                    let limit = job.limit;
                    let waited = WithTimer::anywhere(Wait::new(running, &flag, limit));
                    Box::pin(async move { flagged(judge(waited.await, limit), &flag) })
                }
                Err(problem) => Box::pin(ready(Ran::Unable(problem))),
            }
        }
        Handler::AgentLoop => Box::pin(ready(Ran::Unable(
            "only an agent loop can run it".to_owned(),
        ))),
    }
}

/// Foreign code that may block, on a thread for such work, in its context. `None` if the call was
/// cancelled and the code did not end within a second.
pub(crate) async fn work_aside<T: Send + 'static>(
    tool: String,
    luggage: Luggage,
    flag: Option<Cancellation>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<Result<T, String>> {
    let work = move || luggage.within(|| contain(work)).and_then(|done| done);
    let running = match on_blocking_pool(&tool, work) {
        Ok(running) => running,
        Err(problem) => return Some(Err(problem)),
    };
    let wait = Wait::new(running, &flag.unwrap_or_default(), None);
    match WithTimer::anywhere(wait).await {
        Waited::Done(done) => Some(done),
        Waited::Lost => Some(Err("the executor was shut down".to_owned())),
        Waited::Cancelled | Waited::TimedOut => None,
    }
}

fn on_blocking_pool<T: Send + 'static>(
    tool: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Running<T>, String> {
    Ok(aside::on_pool(tool, &executor()?, work))
}

/// The runtime of the caller, or the process's if the caller's executor is not tokio's.
fn executor() -> Result<Handle, String> {
    match Handle::try_current() {
        Ok(handle) => Ok(handle),
        Err(_) => runtime::process().map(|process| process.handle().clone()),
    }
}

/// Starts a task in a set, on the runtime of the caller.
pub(crate) fn on_executor<T: Send + 'static>(
    set: &mut tokio::task::JoinSet<T>,
    task: impl Future<Output = T> + Send + 'static,
) -> Result<tokio::task::Id, String> {
    Ok(set.spawn_on(task, &executor()?).id())
}
