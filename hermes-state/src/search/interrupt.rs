//! Ending a search that takes too long, or that nobody waits for any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::{Connection, InterruptHandle};

use super::options::SearchOptions;

/// How often a wish to end is looked for; and how often SQLite is told to end, since it forgets
/// that between two statements.
const STEP: Duration = Duration::from_millis(10);

/// Ends searches from another thread: give a clone of it to [`SearchOptions::cancel`].
///
/// ```
/// use hermes_state::{CancelSearch, SearchOptions};
/// let cancel = CancelSearch::new();
/// let options = SearchOptions::new("a OR b OR c").cancel(&cancel);
/// // In another thread: every search with these options fails with `Error::Interrupted`.
/// cancel.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelSearch(Arc<AtomicBool>);

impl CancelSearch {
    /// One that lets searches go on until [`cancel`](Self::cancel).
    pub fn new() -> CancelSearch {
        CancelSearch::default()
    }

    /// Ends the searches that have it, now and later.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether searches were told to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl PartialEq for CancelSearch {
    /// Whether both end the same searches.
    fn eq(&self, other: &CancelSearch) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Watches over the statements of one search until it is dropped.
pub(super) struct Watch {
    done: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// A watch, where the options ask for one.
    pub(super) fn begin(conn: &Connection, options: &SearchOptions) -> rusqlite::Result<Self> {
        let done = Arc::new((Mutex::new(false), Condvar::new()));
        if options.timeout.is_none() && options.cancel.is_none() {
            return Ok(Watch { done, thread: None });
        }
        let end = options.timeout.and_then(|t| Instant::now().checked_add(t));
        let cancel = options.cancel.clone();
        if is_over(end, cancel.as_ref()) {
            return Err(interrupted());
        }
        let (handle, ended) = (conn.get_interrupt_handle(), done.clone());
        let thread = Builder::new()
            .name("hermes-search-watch".to_owned())
            .spawn(move || watch(&handle, end, cancel.as_ref(), &ended));
        match thread {
            Ok(thread) => Ok(Watch {
                done,
                thread: Some(thread),
            }),
            Err(e) => {
                tracing::warn!(error = %e, "no thread to watch a search: it cannot be ended early");
                Ok(Watch { done, thread: None })
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        let (done, changed) = &*self.done;
        *done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
        if thread.join().is_err() {
            tracing::warn!("the thread that watches a search panicked");
        }
    }
}

fn watch(
    handle: &InterruptHandle,
    end: Option<Instant>,
    cancel: Option<&CancelSearch>,
    (done, changed): &(Mutex<bool>, Condvar),
) {
    let mut is_done = done.lock().unwrap_or_else(PoisonError::into_inner);
    while !*is_done {
        if is_over(end, cancel) {
            handle.interrupt();
        }
        is_done = changed
            .wait_timeout(is_done, STEP)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
}

fn is_over(end: Option<Instant>, cancel: Option<&CancelSearch>) -> bool {
    end.is_some_and(|end| Instant::now() >= end) || cancel.is_some_and(CancelSearch::is_cancelled)
}

fn interrupted() -> rusqlite::Error {
    let code = rusqlite::ffi::SQLITE_INTERRUPT;
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)
}
