//! Futures that need no runtime.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
#[cfg(feature = "tokio")]
use std::task::Wake;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Ready after this long; a thread wakes it.
pub(crate) struct Later {
    due: Instant,
    started: bool,
}

pub(crate) fn later(after: Duration) -> Later {
    Later {
        due: Instant::now() + after,
        started: false,
    }
}

impl Future for Later {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let left = self.due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Poll::Ready(());
        }
        if !self.started {
            self.started = true;
            let waker = context.waker().clone();
            thread::spawn(move || {
                thread::sleep(left);
                waker.wake();
            });
        }
        Poll::Pending
    }
}

/// Never ready; says when it is dropped.
pub(crate) struct Never(pub(crate) Arc<AtomicBool>);

impl Future for Never {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl Drop for Never {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Ready once as many of its kind as expected have been polled.
#[derive(Clone)]
pub(crate) struct Together {
    expected: usize,
    waiting: Arc<Mutex<(usize, Vec<Waker>)>>,
    counted: bool,
}

pub(crate) fn together(expected: usize) -> Together {
    Together {
        expected,
        waiting: Arc::default(),
        counted: false,
    }
}

impl Future for Together {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let waiting = Arc::clone(&self.waiting);
        let mut waiting = waiting.lock().unwrap();
        if !std::mem::replace(&mut self.counted, true) {
            waiting.0 += 1;
        }
        if waiting.0 < self.expected {
            waiting.1.push(context.waker().clone());
            return Poll::Pending;
        }
        for waker in waiting.1.drain(..) {
            waker.wake();
        }
        Poll::Ready(())
    }
}

#[cfg(feature = "tokio")]
struct Unpark(thread::Thread, AtomicBool);

#[cfg(feature = "tokio")]
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.1.store(true, Ordering::SeqCst);
        self.0.unpark();
    }
}

/// An executor that is nobody's runtime.
#[cfg(feature = "tokio")]
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let unpark = Arc::new(Unpark(thread::current(), AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&unpark));
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(given) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return given;
        }
        while !unpark.1.swap(false, Ordering::SeqCst) {
            thread::park();
        }
    }
}
