//! A flag that ends calls, to be asked or awaited.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Tells calls to stop. Clones are one flag; a [`child`](Cancellation::child) follows its parent.
///
/// ```
/// use hermes_tools::Cancellation;
///
/// let all = Cancellation::default();
/// let one = all.child();
/// all.cancel();
/// assert!(one.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation {
    flag: Arc<Flag>,
}

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    parent: Option<Arc<Flag>>,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    /// By the key of the waiter: thousands of calls may wait for one flag.
    wakers: BTreeMap<u64, Waker>,
}

/// A long line of children must not be dropped by recursion.
impl Drop for Flag {
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut flag) = parent.and_then(Arc::into_inner) {
            parent = flag.parent.take();
        }
    }
}

impl Flag {
    fn is_set(&self) -> bool {
        let mut flag = Some(self);
        while let Some(one) = flag {
            if one.set.load(Ordering::Acquire) {
                return true;
            }
            flag = one.parent.as_deref();
        }
        false
    }

    fn put(&self, key: u64, waker: Option<&Waker>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match waker {
            Some(waker) => match waiting.wakers.get_mut(&key) {
                Some(known) => known.clone_from(waker),
                None => {
                    waiting.wakers.insert(key, waker.clone());
                }
            },
            None => {
                waiting.wakers.remove(&key);
            }
        }
    }
}

impl Cancellation {
    /// Sets the flag, for good.
    pub fn cancel(&self) {
        self.flag.set.store(true, Ordering::Release);
        let wakers = {
            let mut waiting = self
                .flag
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut waiting.wakers)
        };
        for waker in wakers.into_values() {
            waker.wake();
        }
    }

    /// Whether the flag, or one it descends from, is set.
    pub fn is_cancelled(&self) -> bool {
        self.flag.is_set()
    }

    /// A flag of its own that is set with this one.
    #[must_use]
    pub fn child(&self) -> Cancellation {
        Cancellation {
            flag: Arc::new(Flag {
                parent: Some(Arc::clone(&self.flag)),
                set: AtomicBool::default(),
                waiting: Mutex::default(),
            }),
        }
    }

    /// Waits until the flag is set.
    pub fn cancelled(&self) -> Cancelled {
        let mut keys = Vec::new();
        let mut flag = Some(&self.flag);
        while let Some(one) = flag {
            let mut waiting = one.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.next += 1;
            keys.push((Arc::clone(one), waiting.next));
            drop(waiting);
            flag = one.parent.as_ref();
        }
        Cancelled { keys }
    }
}

/// Ready once the flag it was made from is set.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is polled"]
pub struct Cancelled {
    /// The flag and its parents, each with the key of this waiter.
    keys: Vec<(Arc<Flag>, u64)>,
}

impl Cancelled {
    fn is_set(&self) -> bool {
        self.keys
            .iter()
            .any(|(flag, _)| flag.set.load(Ordering::Acquire))
    }
}

impl Future for Cancelled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.is_set() {
            return Poll::Ready(());
        }
        for (flag, key) in &self.keys {
            flag.put(*key, Some(context.waker()));
        }
        // It may have been set between the look and the waker's arrival.
        if self.is_set() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        for (flag, key) in &self.keys {
            flag.put(*key, None);
        }
    }
}

/// Sets the flag when dropped, unless it was kept.
#[cfg(feature = "tokio")]
#[derive(Debug)]
pub(crate) struct CancelOnDrop {
    flag: Option<Cancellation>,
}

#[cfg(feature = "tokio")]
impl CancelOnDrop {
    pub(crate) fn new(flag: Cancellation) -> CancelOnDrop {
        CancelOnDrop { flag: Some(flag) }
    }

    /// What the flag is for has ended by itself.
    pub(crate) fn keep(mut self) {
        self.flag = None;
    }
}

#[cfg(feature = "tokio")]
impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(flag) = &self.flag {
            flag.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Counter(AtomicUsize);

    impl Wake for Counter {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_child_follows_its_parent_and_not_the_other_way_round() {
        let parent = Cancellation::default();
        let (first, second) = (parent.child(), parent.child());
        first.cancel();
        assert!(first.is_cancelled());
        assert!(!parent.is_cancelled() && !second.is_cancelled());
        parent.cancel();
        assert!(second.child().is_cancelled());
    }

    #[test]
    fn whoever_waits_for_a_grandchild_is_woken_by_the_grandparent() {
        let all = Cancellation::default();
        let one = all.child().child();
        let counter = Arc::new(Counter::default());
        let waker = Waker::from(Arc::clone(&counter));
        let mut context = Context::from_waker(&waker);
        let mut cancelled = one.cancelled();
        assert!(Pin::new(&mut cancelled).poll(&mut context).is_pending());
        assert!(Pin::new(&mut cancelled).poll(&mut context).is_pending());
        all.cancel();
        assert_eq!(counter.0.load(Ordering::SeqCst), 1);
        assert!(Pin::new(&mut cancelled).poll(&mut context).is_ready());
    }

    #[test]
    fn who_no_longer_waits_is_forgotten() {
        let flag = Cancellation::default();
        let counter = Arc::new(Counter::default());
        let waker = Waker::from(Arc::clone(&counter));
        let mut cancelled = flag.cancelled();
        let polled = Pin::new(&mut cancelled).poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        drop(cancelled);
        flag.cancel();
        assert_eq!(counter.0.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_line_of_a_million_children_is_dropped_without_recursion() {
        let mut flag = Cancellation::default();
        for _ in 0..1_000_000 {
            flag = flag.child();
        }
        drop(flag);
    }
}
