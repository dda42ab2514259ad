//! The write path: one transaction at a time, taken at once, tried again while others hold the
//! lock.
//!
//! SQLite's own busy handler makes waiting writers wake in step and collide again, and asks ever more
//! seldom, so that who has waited longest has the least chance. So the waiting is ours: for a short
//! second the lock is asked for at random times, and that up to fifteen times with a random pause
//! between (appends go on for twenty seconds, because losing a message is worse than waiting). `BEGIN
//! IMMEDIATE` shows the contention at the start, before any work is done.

use std::ops::Range;
use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rand::RngExt;
use rusqlite::{Connection, ErrorCode, Params};

use crate::error::{Error, Result};
use crate::holders::holders;
use crate::maintenance::{self, Job};
use crate::message::MessageId;
use crate::open;
use crate::recurring;
use crate::reindex;
use crate::schema::{IndexState, Layout};
use crate::session::EXISTS;
use crate::store::Store;

/// How long a write may wait for the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// One try: what is not done now is done later.
    Once,
    /// The fixed number of tries of the write budget.
    Short,
    /// Tries until the budget's time for appends is used up.
    Append,
}

/// How often and how long a write is tried while others hold the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteBudget {
    /// How long the lock is asked for in each try.
    pub busy_timeout: Duration,
    /// Tries, the first included.
    pub tries: u32,
    /// The pause between tries is drawn from this range.
    pub pause: Range<Duration>,
    /// Appends are tried for at least this long, whatever the number of tries.
    pub append: Duration,
}

impl Default for WriteBudget {
    fn default() -> WriteBudget {
        WriteBudget {
            busy_timeout: Duration::from_secs(1),
            tries: 15,
            pause: Duration::from_millis(20)..Duration::from_millis(150),
            append: Duration::from_secs(20),
        }
    }
}

/// A PASSIVE checkpoint follows every so many commits of a store.
const CHECKPOINT_EVERY: u64 = 50;

/// Between the first questions for the lock: a single write of another is over by then.
const ASK_OFTEN: Range<Duration> = Duration::from_micros(500)..Duration::from_millis(4);
const AT_FIRST: u32 = 4;

/// Between the next: a writer that has much to write does better with many writes in a row.
const ASK_SELDOM: Range<Duration> = Duration::from_millis(20)..Duration::from_millis(60);

/// Who has waited for so long asks often again, and has the lock soon.
const LONG_WAIT: Duration = Duration::from_millis(800);

/// What the index needs after a write.
enum Care {
    None,
    /// It has just been found out of order.
    Now,
    /// It is being made anew, by this process or another.
    Later,
}

/// The open write transaction.
pub(crate) struct Tx<'a> {
    conn: &'a Connection,
    store: &'a Store,
    layout: &'a Layout,
    index: IndexState,
}

impl Tx<'_> {
    pub(crate) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.sqlite(|conn| conn.prepare_cached(sql)?.execute(params))
    }

    /// The same transaction after the index has been taken away in it.
    fn without_index(&self) -> Tx<'_> {
        Tx {
            index: IndexState::Apart,
            ..*self
        }
    }

    /// What a write meets in the index.
    pub(crate) fn index(&self) -> IndexState {
        self.index
    }

    pub(crate) fn exists(&self, sql: &str, key: &str) -> Result<bool> {
        self.sqlite(|conn| conn.prepare_cached(sql)?.exists([key]))
    }

    pub(crate) fn require_session(&self, id: &str) -> Result<()> {
        if self.exists(EXISTS, id)? {
            return Ok(());
        }
        Err(Error::UnknownSession { id: id.to_owned() })
    }

    /// The layout of the file in this transaction.
    pub(crate) fn layout(&self) -> &Layout {
        self.layout
    }

    /// What this store has no column for, and the version that brought it.
    pub(crate) fn unsupported(&self, what: &'static str, needs: i64) -> Error {
        Error::Unsupported {
            what,
            needs,
            found: self.layout.version,
        }
    }

    pub(crate) fn last_id(&self) -> MessageId {
        MessageId(self.conn.last_insert_rowid())
    }

    pub(crate) fn sqlite<T>(
        &self,
        f: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        f(self.conn).map_err(|e| Error::from_sqlite(self.store.path(), e))
    }

    /// [`sqlite`](Self::sqlite) with write access to the parts of the full-text tables, which
    /// SQLite keeps from everybody otherwise. What it prepares must not be cached.
    pub(crate) fn unguarded<T>(
        &self,
        f: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        use rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE;
        self.sqlite(|conn| {
            let guarded = conn.db_config(SQLITE_DBCONFIG_DEFENSIVE)?;
            conn.set_db_config(SQLITE_DBCONFIG_DEFENSIVE, false)?;
            let outcome = f(conn);
            conn.set_db_config(SQLITE_DBCONFIG_DEFENSIVE, guarded)?;
            outcome
        })
    }
}

impl Store {
    /// Runs `body` in one write transaction; it may run several times, each from a clean state.
    ///
    /// A damaged index does not stop a write: it is taken away in the same transaction, and made anew
    /// from the messages afterwards.
    pub(crate) fn write<T>(
        &self,
        patience: Patience,
        body: impl Fn(&Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        let body = &body;
        let over_index = |tx: &Tx<'_>| {
            let breaks = tx.index == IndexState::BreaksWrites;
            if breaks {
                reindex::detach(tx)?;
            }
            let care = match &tx.layout.index_trouble {
                Some(_) if breaks || !tx.layout.leftovers => Care::Now,
                Some(_) => Care::Later,
                None => Care::None,
            };
            body(tx).map(|value| (value, care))
        };
        let (value, care) = match self.transact(patience, &over_index) {
            Err(error @ (Error::IndexDamaged { .. } | Error::Corrupt { .. })) => {
                (self.write_without_index(patience, body, error)?, Care::Now)
            }
            outcome => outcome?,
        };
        match care {
            Care::None => {}
            Care::Now => reindex::tend(self),
            Care::Later => maintenance::ask(self, Job::Index),
        }
        Ok(value)
    }

    /// A write that has met damage, once more after the index has been taken away in the same transaction.
    /// SQLite does not say of a page whether it belongs to the index: if the rows are what is damaged, this
    /// meets it again, and nothing has changed.
    fn write_without_index<T>(
        &self,
        patience: Patience,
        body: &impl Fn(&Tx<'_>) -> Result<T>,
        damage: Error,
    ) -> Result<T> {
        let without = |side| {
            move |tx: &Tx<'_>| {
                reindex::detach(tx)?;
                if side {
                    reindex::detach_side(tx)?;
                }
                body(&tx.without_index())
            }
        };
        let mut outcome = self.transact(patience, &without(false));
        if outcome.as_ref().is_err_and(Error::is_damage) && self.layout().leftovers {
            // Then it is the new one, which is being made.
            outcome = self.transact(patience, &without(true));
        }
        match outcome {
            Ok(value) => {
                let what = "the full-text index is damaged: it is made anew from the messages";
                recurring::warn(self.path(), what, &damage);
                Ok(value)
            }
            Err(error) if error.is_damage() => Err(damage),
            Err(error) => Err(error),
        }
    }

    /// [`write`](Self::write) without the care for the index.
    pub(crate) fn transact<T>(
        &self,
        patience: Patience,
        body: &impl Fn(&Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        let Some(writer) = &self.inner.writer else {
            self.layout().check_writable(self.path())?;
            return Err(Error::ReadOnly {
                path: self.path().to_path_buf(),
            });
        };
        let budget = &self.inner.options.write_budget;
        let patient = |tries, waited| {
            // When the last handle is being dropped, it waits for the maintenance thread.
            !self.inner.slot.is_closing()
                && match patience {
                    Patience::Once => false,
                    Patience::Short => tries < budget.tries,
                    Patience::Append => tries < budget.tries || waited < budget.append,
                }
        };
        let value = retry_busy(&budget.pause, self.path(), patient, || {
            // Taken anew for each try, so that this handle's other threads have a turn meanwhile.
            let turn = self.inner.slot.turn();
            let mut conn = writer.lock().unwrap_or_else(PoisonError::into_inner);
            drop(turn);
            self.inner.files.check(&conn)?;
            self.replace_if_spent(&mut conn)?;
            let outcome = self.try_write(&conn, body);
            if outcome.as_ref().is_err_and(Error::is_of_the_file) {
                self.inner.writer_spent.store(true, Ordering::Relaxed);
            }
            outcome
        })?;
        self.after_commit();
        Ok(value)
    }

    /// Opens the writer anew after a failure of the disk: FTS5 may have kept what the rollback took
    /// back, and writes it with the next rows (SQLite 3.54.1: a failed read in a commit is enough).
    fn replace_if_spent(&self, conn: &mut Connection) -> Result<()> {
        let spent = &self.inner.writer_spent;
        if spent.load(Ordering::Relaxed) {
            let fresh = open::connect_writer(self.path(), &self.inner.options)?;
            // It has the files open before the old one closes them, and the log stays the same.
            fresh
                .query_row("PRAGMA schema_version", [], |_| Ok(()))
                .map_err(|e| Error::from_sqlite(self.path(), e))?;
            *conn = fresh;
            spent.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    fn try_write<T>(&self, conn: &Connection, body: &impl Fn(&Tx<'_>) -> Result<T>) -> Result<T> {
        let sqlite = |e| Error::from_sqlite(self.path(), e);
        if !conn.is_autocommit() {
            // A panic in an earlier body left its transaction open.
            conn.execute_batch("ROLLBACK").map_err(sqlite)?;
        }
        self.begin(conn).map_err(sqlite)?;
        let outcome = self
            .refresh_layout(conn)
            .and_then(|layout| {
                layout.check_writable(self.path())?;
                body(&Tx {
                    conn,
                    store: self,
                    layout: &layout,
                    index: layout.index,
                })
            })
            .and_then(|value| {
                if conn.is_autocommit() {
                    return Err(Error::rolled_back(self.path()));
                }
                conn.prepare_cached("COMMIT")
                    .and_then(|mut s| s.execute([]))
                    .map_err(sqlite)?;
                Ok(value)
            });
        // Some failures (a full disk) have rolled back already.
        if outcome.is_err()
            && !conn.is_autocommit()
            && let Err(e) = conn.execute_batch("ROLLBACK")
        {
            let what = "a rollback failed; the next write tries it again";
            recurring::warn(self.path(), what, &sqlite(e));
        }
        outcome
    }

    /// Takes the lock. Tuned with four and eight processes that write without a pause: their total and
    /// p99 are those of SQLite's own waiting, which lets some of them wait for 4 s.
    fn begin(&self, conn: &Connection) -> rusqlite::Result<()> {
        let patience = self.inner.options.write_budget.busy_timeout;
        conn.busy_timeout(Duration::ZERO)?;
        let mut first = None;
        let mut asked = 0;
        let outcome = loop {
            let outcome = conn
                .prepare_cached("BEGIN IMMEDIATE")
                .and_then(|mut s| s.execute([]));
            match outcome {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                    let waited = first.get_or_insert_with(Instant::now).elapsed();
                    if waited >= patience {
                        break Err(error);
                    }
                    asked += 1;
                    let often = asked <= AT_FIRST || waited > LONG_WAIT;
                    std::thread::sleep(pause(if often { &ASK_OFTEN } else { &ASK_SELDOM }));
                }
                outcome => break outcome.map(|_| ()),
            }
        };
        conn.busy_timeout(patience)?;
        outcome
    }

    fn after_commit(&self) {
        let writes = self.inner.writes.fetch_add(1, Ordering::Relaxed) + 1;
        if writes.is_multiple_of(CHECKPOINT_EVERY) {
            maintenance::ask(self, Job::Checkpoint);
        }
        maintenance::keep_log_short(self);
    }
}

/// Does a step again while others hold the lock, as long as `patient` says so when it is told the
/// number of tries and the time since the first.
pub(crate) fn retry_busy<T>(
    pauses: &Range<Duration>,
    path: &Path,
    patient: impl Fn(u32, Duration) -> bool,
    mut step: impl FnMut() -> Result<T>,
) -> Result<T> {
    let began = Instant::now();
    let mut tries = 0;
    loop {
        tries += 1;
        match step() {
            Err(error) if error.is_busy() => {
                let waited = began.elapsed();
                if !patient(tries, waited) {
                    let error = Error::Locked {
                        path: path.to_path_buf(),
                        waited,
                        holders: holders(path),
                    };
                    recurring::warn(path, "gave up waiting for the lock", &error);
                    return Err(error);
                }
            }
            outcome => {
                if tries > 1 {
                    tracing::info!(tries, waited = ?began.elapsed(), "waited for a lock");
                }
                return outcome;
            }
        }
        std::thread::sleep(pause(pauses));
    }
}

/// After a failure of the disk that may be over at once.
const AFTER_FAILURE: Duration = Duration::from_millis(10);

/// Does a step that only reads once more when the disk has failed in it: on some file systems the
/// memory that processes share fails for a moment, when many open and close a store. A failure that
/// stays is told after that.
pub(crate) fn once_more<T>(mut step: impl FnMut() -> Result<T>) -> Result<T> {
    match step() {
        Err(error @ Error::Io { .. }) => {
            tracing::debug!(%error, "reading is tried once more");
            std::thread::sleep(AFTER_FAILURE);
            step()
        }
        outcome => outcome,
    }
}

fn pause(range: &Range<Duration>) -> Duration {
    if range.is_empty() {
        range.start
    } else {
        rand::rng().random_range(range.clone())
    }
}
