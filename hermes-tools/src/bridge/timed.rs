//! Work that knows when it wants to look at the clock again.

use std::task::{Context, Poll};
use std::time::Instant;

/// Like a future, but the time is handed in: what decides is apart from what waits.
pub(crate) trait Timed {
    type Output;

    /// As [`Future::poll`](std::future::Future::poll), at this time.
    fn poll(&mut self, now: Instant, context: &mut Context<'_>) -> Poll<Self::Output>;

    /// When it has to be polled again even if nothing wakes it.
    fn deadline(&self) -> Option<Instant>;
}

#[cfg(feature = "tokio")]
pub(crate) use tokio_timer::WithTimer;

#[cfg(feature = "tokio")]
mod tokio_timer {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use std::time::Instant;

    use tokio::runtime::Runtime;
    use tokio::time::{Sleep, sleep_until};

    use super::super::runtime;
    use super::Timed;

    /// A future that is woken at the deadlines by a timer of tokio.
    pub(crate) struct WithTimer<T> {
        timed: T,
        timer: Timer,
        sleep: Option<Pin<Box<Sleep>>>,
    }

    /// Whose timer.
    #[derive(Clone, Copy, PartialEq)]
    enum Timer {
        /// That of the runtime that this is polled in, which is one of ours.
        Ours,
        /// That of the caller's executor, if it has one.
        Callers,
        /// That of the process's runtime.
        Process,
    }

    impl<T: Timed + Unpin> WithTimer<T> {
        /// To be polled in a runtime of ours.
        pub(crate) fn new(timed: T) -> WithTimer<T> {
            WithTimer {
                timed,
                timer: Timer::Ours,
                sleep: None,
            }
        }

        /// For callers whose executor may have no timers.
        pub(crate) fn anywhere(timed: T) -> WithTimer<T> {
            WithTimer {
                timed,
                timer: Timer::Callers,
                sleep: None,
            }
        }

        /// Whether the deadline has passed; if not, the task is woken then.
        fn is_due(&mut self, deadline: Instant, context: &mut Context<'_>) -> bool {
            let at = tokio::time::Instant::from_std(deadline);
            let mut sleep = match self.sleep.take() {
                Some(mut sleep) => {
                    if sleep.deadline() != at {
                        sleep.as_mut().reset(at);
                    }
                    sleep
                }
                None => self.start(at),
            };
            let due = sleep.as_mut().poll(context).is_ready();
            if !due {
                self.sleep = Some(sleep);
            } else if self.timer == Timer::Callers && Instant::now() < deadline {
                // The caller's clock is not the real one: it is paused, and runs ahead when idle.
                self.timer = Timer::Process;
            }
            due
        }

        fn start(&mut self, at: tokio::time::Instant) -> Pin<Box<Sleep>> {
            if self.timer == Timer::Callers {
                if let Some(sleep) = runtime::in_callers(|| sleep_until(at)) {
                    return Box::pin(sleep);
                }
                self.timer = Timer::Process;
            }
            let process = (self.timer == Timer::Process)
                .then(runtime::process)
                .and_then(Result::ok);
            let _entered = process.map(Runtime::enter);
            Box::pin(sleep_until(at))
        }
    }

    impl<T: Timed + Unpin> Future for WithTimer<T> {
        type Output = T::Output;

        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T::Output> {
            loop {
                // The clock is asked at each poll, so that a future that never lets the timer
                // have its turn ends at its deadline all the same.
                if let Poll::Ready(given) = self.timed.poll(Instant::now(), context) {
                    return Poll::Ready(given);
                }
                match self.timed.deadline() {
                    Some(deadline) if self.is_due(deadline, context) => {}
                    _ => return Poll::Pending,
                }
            }
        }
    }
}
