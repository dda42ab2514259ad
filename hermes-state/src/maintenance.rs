//! What a store has to do besides what it is asked: one thread for all stores of the process.
//!
//! It moves committed pages into the main file (a checkpoint, on a connection of its own, so that
//! no append waits for it) and goes on with an index that is not finished. It is started with the
//! first piece of work and ends with the last store.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::open;
use crate::recurring;
use crate::reindex::{self, IndexWork};
use crate::store::{Inner, Store};

/// How long the thread works on one index before it looks for other work.
const TURN: Duration = Duration::from_millis(500);

/// What others have between two turns on one index.
const BETWEEN_TURNS: Duration = Duration::from_millis(100);

/// When an index that another process works on, or that failed, is looked at again.
const LATER: Duration = Duration::from_secs(15);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Checkpoint,
    Index,
}

/// What the thread and the handles of one store share.
pub(crate) struct Slot {
    closing: AtomicBool,
    /// Bytes of the log from which on a writer waits until it is moved.
    log_limit: AtomicU64,
    /// Held while the thread works on the store.
    busy: Mutex<()>,
    /// Held while the writing connection is waited for. A thread that writes without a pause
    /// would take it again before anybody else wakes up.
    turn: Mutex<()>,
}

impl Default for Slot {
    fn default() -> Slot {
        Slot {
            closing: AtomicBool::default(),
            log_limit: AtomicU64::new(LOG_LIMIT),
            busy: Mutex::default(),
            turn: Mutex::default(),
        }
    }
}

impl Slot {
    /// The next one to have the writing connection.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the thread from the store.
    pub(crate) fn busy(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the last handle is being dropped.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }
}

/// Held by every handle of a store, not by the thread. Dropping the last one waits until the thread
/// has let the store go: its connections are closed when the last handle is gone.
pub(crate) struct Handles {
    slot: Arc<Slot>,
}

impl Handles {
    pub(crate) fn new(slot: Arc<Slot>) -> Arc<Handles> {
        queue().stores += 1;
        Arc::new(Handles { slot })
    }
}

impl Drop for Handles {
    fn drop(&mut self) {
        self.slot.closing.store(true, Ordering::Relaxed);
        drop(self.slot.busy());
        queue().stores -= 1;
        WAKE.notify_all();
    }
}

struct Work {
    store: Weak<Inner>,
    slot: Arc<Slot>,
    job: Job,
    not_before: Instant,
}

#[derive(Default)]
struct Queue {
    work: VecDeque<Work>,
    /// Stores with handles.
    stores: usize,
    running: bool,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    work: VecDeque::new(),
    stores: 0,
    running: false,
});
static WAKE: Condvar = Condvar::new();

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has a job done soon. One that waits already is not doubled.
pub(crate) fn ask(store: &Store, job: Job) {
    let work = Work {
        store: Arc::downgrade(&store.inner),
        slot: store.inner.slot.clone(),
        job,
        not_before: Instant::now(),
    };
    let mut queue = queue();
    let waits = |w: &Work| w.job == job && w.store.ptr_eq(&work.store);
    if queue.work.iter().any(waits) {
        return;
    }
    queue.work.push_back(work);
    if !queue.running {
        let started = std::thread::Builder::new()
            .name("hermes-state".to_owned())
            .spawn(run);
        match started {
            Ok(_) => queue.running = true,
            // The next request tries again; nothing is lost by a late checkpoint.
            Err(error) => tracing::debug!(%error, "no maintenance thread"),
        }
    }
    drop(queue);
    WAKE.notify_all();
}

/// A thread that dies of a panic makes room for another.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        if std::thread::panicking() {
            queue().running = false;
        }
    }
}

fn run() {
    let _running = Running;
    while let Some(work) = next() {
        let busy = work.slot.busy();
        if work.slot.is_closing() {
            continue;
        }
        let Some(inner) = work.store.upgrade() else {
            continue;
        };
        let store = Store::of_maintenance(inner);
        let again = match work.job {
            Job::Checkpoint => {
                let _pages = checkpoint(&store);
                None
            }
            Job::Index => index(&store),
        };
        drop(store);
        drop(busy);
        if let Some(pause) = again {
            queue().work.push_back(Work {
                not_before: Instant::now() + pause,
                ..work
            });
        }
    }
}

/// The next piece of work that is due; `None` when the thread is to end.
fn next() -> Option<Work> {
    let mut queue = queue();
    loop {
        if queue.stores == 0 {
            queue.work.clear();
            queue.running = false;
            return None;
        }
        let now = Instant::now();
        if let Some(at) = queue.work.iter().position(|work| work.not_before <= now) {
            return queue.work.remove(at);
        }
        let due = queue.work.iter().map(|work| work.not_before).min();
        let wait = due.map_or(LATER, |due| due.saturating_duration_since(now));
        queue = WAKE
            .wait_timeout(queue, wait)
            .map_or_else(|e| e.into_inner().0, |(queue, _)| queue);
    }
}

/// Keeps the log from growing without end: a writer that never pauses fills it faster than the thread
/// moves it, and while the thread is at it SQLite's own checkpoint with a commit does nothing. Such a
/// writer calls this after its commit, without the writing connection, and waits here.
pub(crate) fn keep_log_short(store: &Store) {
    let limit = &store.inner.slot.log_limit;
    if open::wal_bytes(&store.inner.path) <= limit.load(Ordering::Relaxed) {
        return;
    }
    let in_use = checkpoint(store).map_or(0, |pages| pages.cast_unsigned() * PAGE);
    // A log that was begun anew keeps its length; one that a long read holds is not tried at once again.
    let length = open::wal_bytes(&store.inner.path);
    let next = length.max(in_use + LOG_LIMIT / 4).max(LOG_LIMIT);
    limit.store(next, Ordering::Relaxed);
}

/// The pages of the log that are in use afterwards, if it could be done.
fn checkpoint(store: &Store) -> Option<i64> {
    let inner = &store.inner;
    let mut own = inner.own.lock().unwrap_or_else(PoisonError::into_inner);
    let checkpointer = match own.take().map_or_else(|| Checkpointer::open(inner), Ok) {
        Ok(checkpointer) => own.insert(checkpointer),
        Err(error) => {
            recurring::warn(store.path(), "no connection for checkpoints", &error);
            return None;
        }
    };
    // Out of a log that was replaced old pages would go over new ones.
    if let Err(error) = inner.files.check(&checkpointer.conn) {
        tracing::debug!(%error, "no checkpoint");
        return None;
    }
    // The commits stand whatever happens here; the next checkpoint tries again.
    match checkpointer.run(inner) {
        Ok(pages) => Some(pages),
        Err(error) => {
            match Error::from_sqlite(&inner.path, error) {
                error if error.is_busy() => tracing::debug!(%error, "checkpoint put off"),
                error => recurring::warn(&inner.path, "the log is not moved into the file", &error),
            }
            None
        }
    }
}

/// A log of more pages than this is begun anew, though readers must be waited for.
const LONG_LOG: i64 = 3000;

/// From this many pages on the writer of this store is kept from it meanwhile.
const TOO_LONG_LOG: i64 = 2 * LONG_LOG;

/// The same in bytes.
const LOG_LIMIT: u64 = TOO_LONG_LOG.cast_unsigned() * PAGE;

/// Bytes of a page, as Hermes makes its stores.
const PAGE: u64 = 4096;

/// So long writers may have to wait, with it, for readers; longer for a longer log.
const RESTART_PATIENCE: Duration = Duration::from_millis(100);

/// Moves committed pages from the log into the main file.
pub(crate) struct Checkpointer {
    conn: Connection,
    busy_timeout: Duration,
    /// Pages in the log at the last look.
    pages: i64,
    /// Pages in the log from which on the next attempt to begin it anew is made.
    restart_at: i64,
}

impl Checkpointer {
    fn open(inner: &Inner) -> Result<Checkpointer> {
        Ok(Checkpointer {
            conn: open::connect_writer(&inner.path, &inner.options)?,
            busy_timeout: inner.options.write_budget.busy_timeout,
            pages: 0,
            restart_at: LONG_LOG,
        })
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.conn
    }

    /// SQLite begins the log anew only when, at the beginning of a write, no reader uses it. Where
    /// reads follow each other closely that never happens, and the log grows without end; then
    /// the readers that are under way are waited for.
    ///
    /// Gives the pages in the log that are in use afterwards.
    fn run(&mut self, inner: &Inner) -> rusqlite::Result<i64> {
        let pages: i64 = self
            .conn
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1))?;
        // None are told while a commit checkpoints.
        let pages = if pages < 0 {
            i64::try_from(open::wal_bytes(&inner.path) / PAGE).unwrap_or(i64::MAX)
        } else {
            pages
        };
        if pages < self.pages {
            // Somebody has begun it anew meanwhile.
            self.restart_at = LONG_LOG;
        }
        self.pages = pages;
        if pages < self.restart_at {
            return Ok(pages);
        }
        // A writer of ours that writes without a pause leaves no gap.
        let writer = inner.writer.as_ref().filter(|_| pages >= TOO_LONG_LOG);
        let turn = inner.slot.turn();
        let _writer = writer.map(|w| w.lock().unwrap_or_else(PoisonError::into_inner));
        drop(turn);
        let times = u32::try_from(pages / LONG_LOG).unwrap_or(u32::MAX);
        let patience = RESTART_PATIENCE.saturating_mul(times.max(1));
        self.conn.busy_timeout(patience.min(self.busy_timeout))?;
        let outcome = self
            .conn
            .query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            });
        self.conn.busy_timeout(self.busy_timeout)?;
        let (kept, pages) = outcome?;
        self.pages = if kept == 0 { 0 } else { pages.max(0) };
        // Somebody reads for long: ever more seldom, because all who write wait, too.
        self.restart_at = (self.pages + self.pages / 2).max(LONG_LOG);
        Ok(self.pages)
    }
}

/// Works on the index for a turn; says when to look again.
pub(crate) fn index(store: &Store) -> Option<Duration> {
    match reindex::run(store, Some(TURN), &|_| {}) {
        Ok(IndexWork::Done) => None,
        Ok(IndexWork::Unfinished) => Some(BETWEEN_TURNS),
        Ok(IndexWork::Elsewhere) => Some(LATER),
        Err(Error::SchemaTooNew { .. } | Error::MigrationNeeded { .. }) => None,
        Err(error) => {
            let what = "the full-text index is not finished yet";
            recurring::warn(store.path(), what, &error);
            // In damaged rows nothing changes by itself.
            (!matches!(error, Error::Corrupt { .. })).then_some(LATER)
        }
    }
}
