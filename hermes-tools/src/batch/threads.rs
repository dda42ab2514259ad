//! A batch on threads, for callers that wait.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::Planned;
use super::progress::Progress;
use super::schedule::Schedule;
use crate::bridge::{STACK_BYTES, may_block};
use crate::carry::Luggage;
use crate::dispatch::{Dispatcher, Terms};
use crate::failure;
use crate::tool_result::{Status, ToolResult};

/// What the workers share.
struct Shared<'a> {
    dispatcher: &'a Dispatcher,
    terms: Terms,
    luggage: Result<Luggage, String>,
    span: tracing::Span,
    progress: Mutex<Progress>,
    /// A call has ended, and with it perhaps what others waited for.
    ended: Condvar,
}

pub(super) fn run(
    dispatcher: &Dispatcher,
    calls: Vec<Planned>,
    schedule: Schedule,
    max_in_flight: usize,
    terms: Terms,
) -> Vec<ToolResult> {
    let workers = max_in_flight.min(calls.len());
    let shared = Shared {
        dispatcher,
        terms,
        luggage: dispatcher.pack(),
        span: tracing::Span::current(),
        progress: Mutex::new(Progress::new(calls, schedule)),
        ended: Condvar::new(),
    };
    may_block(|| {
        thread::scope(|scope| {
            let mut started = Vec::with_capacity(workers);
            for _ in 0..workers {
                let worker = thread::Builder::new()
                    .name("hermes-batch".to_owned())
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, || shared.work_as_worker());
                match worker {
                    Ok(worker) => started.push(worker),
                    Err(error) => {
                        tracing::warn!(%error, "a batch has fewer threads than it may have");
                        break;
                    }
                }
            }
            if started.is_empty() {
                shared.work();
            }
            // The scope would wait for their work only, not for the threads to be gone.
            for worker in started {
                let _ = worker.join();
            }
        });
    });
    let progress = shared.progress.into_inner();
    progress
        .unwrap_or_else(PoisonError::into_inner)
        .into_results()
}

impl Shared<'_> {
    #[cfg(feature = "tokio")]
    fn work_as_worker(&self) {
        let _worker = crate::bridge::WorkerThread::begin();
        self.work();
    }

    #[cfg(not(feature = "tokio"))]
    fn work_as_worker(&self) {
        self.work();
    }

    /// Runs calls until none is left to start or to wait for.
    fn work(&self) {
        let _span = self.span.enter();
        while let Some((index, call)) = self.next() {
            let result = self.run(call);
            self.progress().end(index, Some(result));
            self.ended.notify_all();
        }
    }

    fn next(&self) -> Option<(usize, Planned)> {
        let mut progress = self.progress();
        loop {
            if progress.is_finished() {
                return None;
            }
            if let Some(next) = progress.next() {
                return Some(next);
            }
            progress = self
                .ended
                .wait(progress)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self, call: Planned) -> ToolResult {
        let name = call.name.clone();
        let run =
            |luggage: &Luggage| luggage.within(|| self.dispatcher.run_planned(call, self.terms));
        self.luggage
            .as_ref()
            .map_err(Clone::clone)
            .and_then(run)
            .unwrap_or_else(|problem| failure::executing(Status::Error, &name, &problem))
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
