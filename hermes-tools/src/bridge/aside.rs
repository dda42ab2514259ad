//! Work on another thread, which can be waited for, and left when it takes too long.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::timed::Timed;
use crate::cancel::{Cancellation, Cancelled};

/// How long a handler that cannot be stopped has to see that its call was cancelled.
const CANCEL_GRACE: Duration = Duration::from_secs(1);

/// As much as a main thread has on most systems, so that a handler does not overflow because it got
/// a limit. Pages that nobody touches cost nothing.
pub(crate) const STACK_BYTES: usize = 8 * 1024 * 1024;

static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// How many handlers of this process were given up (at their limit, or a second after their call was
/// cancelled) and still run. Each holds a thread until it ends by itself.
pub fn abandoned_handlers() -> usize {
    ABANDONED.load(Ordering::Acquire)
}

/// Work that was given to another thread. Whoever drops it before it is done leaves the work.
pub(crate) struct Running<T> {
    shared: Arc<Shared<T>>,
    thread: Option<JoinHandle<()>>,
    tool: String,
}

struct Shared<T> {
    state: Mutex<State<T>>,
}

enum State<T> {
    Working(Option<Waker>),
    Done(T),
    /// It ended without a result, or never began: a thread pool was shut down.
    Lost,
    /// The result was taken.
    Taken,
    /// Nobody waits any more.
    Left,
}

impl<T> Shared<T> {
    fn change<R>(&self, change: impl FnOnce(&mut State<T>) -> R) -> R {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The worker's side; says when dropped that the work has ended.
struct Worker<T> {
    shared: Arc<Shared<T>>,
    given: Option<T>,
}

impl<T> Worker<T> {
    fn work(mut self, work: impl FnOnce() -> T) {
        if !self.shared.change(|state| matches!(state, State::Left)) {
            self.given = Some(work());
        }
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        let given = self.given.take();
        let waker = self.shared.change(|state| match state {
            State::Left => {
                ABANDONED.fetch_sub(1, Ordering::AcqRel);
                None
            }
            State::Working(waker) => {
                let waker = waker.take();
                *state = given.map_or(State::Lost, State::Done);
                waker
            }
            State::Done(_) | State::Lost | State::Taken => None,
        });
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Starts work on a thread of its own. Panics of the work have to be contained by it.
pub(crate) fn on_thread<T: Send + 'static>(
    tool: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Running<T>, String> {
    let (mut running, worker) = pair(tool);
    let span = tracing::Span::current();
    let thread = thread::Builder::new()
        .name("hermes-call".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || span.in_scope(|| worker.work(work)))
        .map_err(|error| {
            running.forget();
            format!("no thread could be started for it: {error}")
        })?;
    running.thread = Some(thread);
    Ok(running)
}

/// Starts work on a thread for blocking work of this runtime.
#[cfg(feature = "tokio")]
pub(crate) fn on_pool<T: Send + 'static>(
    tool: &str,
    pool: &tokio::runtime::Handle,
    work: impl FnOnce() -> T + Send + 'static,
) -> Running<T> {
    let (running, worker) = pair(tool);
    let span = tracing::Span::current();
    pool.spawn_blocking(move || span.in_scope(|| worker.work(work)));
    running
}

fn pair<T>(tool: &str) -> (Running<T>, Worker<T>) {
    let shared = Arc::new(Shared {
        state: Mutex::new(State::Working(None)),
    });
    let worker = Worker {
        shared: Arc::clone(&shared),
        given: None,
    };
    let running = Running {
        shared,
        thread: None,
        tool: tool.to_owned(),
    };
    (running, worker)
}

impl<T> Running<T> {
    fn poll(&self, context: &Context<'_>) -> Poll<Option<T>> {
        self.shared.change(|state| {
            if let State::Working(waker) = state {
                match waker {
                    Some(waker) => waker.clone_from(context.waker()),
                    None => *waker = Some(context.waker().clone()),
                }
                return Poll::Pending;
            }
            match std::mem::replace(state, State::Taken) {
                State::Done(given) => Poll::Ready(Some(given)),
                _ => Poll::Ready(None),
            }
        })
    }

    /// Nothing was started: there is nothing to leave.
    fn forget(&self) {
        self.shared.change(|state| *state = State::Taken);
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        let left = self.shared.change(|state| {
            let works = matches!(state, State::Working(_));
            if works {
                *state = State::Left;
                ABANDONED.fetch_add(1, Ordering::AcqRel);
            }
            works
        });
        if left {
            tracing::warn!(
                tool = self.tool,
                abandoned = abandoned_handlers(),
                "a call was given up; what it runs keeps its thread until it ends by itself"
            );
        }
    }
}

/// How waiting ended.
#[derive(Debug)]
pub(crate) enum Waited<T> {
    Done(T),
    Lost,
    TimedOut,
    Cancelled,
}

/// Waits for work until it is done, its limit has passed, or its call has been cancelled for a
/// while.
pub(crate) struct Wait<T> {
    running: Option<Running<T>>,
    cancelled: Cancelled,
    deadline: Option<Instant>,
    grace_ends: Option<Instant>,
    finished: Option<JoinHandle<()>>,
}

impl<T> Wait<T> {
    /// The limit counts from now.
    pub(crate) fn new(
        running: Running<T>,
        flag: &Cancellation,
        limit: Option<Duration>,
    ) -> Wait<T> {
        Wait {
            running: Some(running),
            cancelled: flag.cancelled(),
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            grace_ends: None,
            finished: None,
        }
    }

    /// Waits for the thread to be gone, if it gave its result: it has nothing left to do.
    pub(crate) fn join(&mut self) {
        if let Some(thread) = self.finished.take() {
            let _ = thread.join();
        }
    }
}

impl<T> Timed for Wait<T> {
    type Output = Waited<T>;

    fn poll(&mut self, now: Instant, context: &mut Context<'_>) -> Poll<Waited<T>> {
        let Some(running) = &mut self.running else {
            return Poll::Ready(Waited::Lost);
        };
        if let Poll::Ready(given) = running.poll(context) {
            self.finished = running.thread.take();
            self.running = None;
            return Poll::Ready(given.map_or(Waited::Lost, Waited::Done));
        }
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.running = None;
            return Poll::Ready(Waited::TimedOut);
        }
        if self.grace_ends.is_none() && Pin::new(&mut self.cancelled).poll(context).is_ready() {
            self.grace_ends = now.checked_add(CANCEL_GRACE);
        }
        if self.grace_ends.is_some_and(|end| end <= now) {
            self.running = None;
            return Poll::Ready(Waited::Cancelled);
        }
        Poll::Pending
    }

    fn deadline(&self) -> Option<Instant> {
        match (self.deadline, self.grace_ends) {
            (Some(limit), Some(grace)) => Some(limit.min(grace)),
            (limit, grace) => limit.or(grace),
        }
    }
}
