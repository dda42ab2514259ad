//! Waits on the current thread: no runtime needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

use super::timed::Timed;

struct Unpark {
    thread: Thread,
    /// Waits can be nested on one thread, and the inner may use up what was meant for the outer:
    /// the flag is what counts.
    woken: AtomicBool,
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Polls until it is ready; between polls the thread sleeps.
pub(super) fn drive<T: Timed>(timed: &mut T) -> T::Output {
    let unpark = Arc::new(Unpark {
        thread: thread::current(),
        woken: AtomicBool::new(false),
    });
    let waker = Waker::from(Arc::clone(&unpark));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(given) = timed.poll(Instant::now(), &mut context) {
            return given;
        }
        while !unpark.woken.swap(false, Ordering::Acquire) {
            match timed.deadline() {
                None => thread::park(),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break;
                    }
                    thread::park_timeout(left);
                }
            }
        }
    }
}
