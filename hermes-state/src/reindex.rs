//! Making the full-text index anew from the messages, in steps that stop nobody.
//!
//! FTS5's own `rebuild` reads the index's copy of the text, which may be what is wrong; the rows are
//! the truth. A store of gigabytes takes minutes, and whoever waits for the write lock for longer
//! than 16 s (a Python Hermes) loses its message. So two tables are filled beside the old ones, in
//! transactions of a tenth of a second with pauses between; triggers of their own keep what is
//! filled in step with updates and deletes by anybody; and one short transaction at the end puts
//! them in place of the old ones, with the triggers and the version number. What was there before is
//! renamed, then emptied in steps too, because dropping a big table takes long.
//!
//! One process does this at a time: it holds a [lease](lease) in `state_meta`. How far it is, is in
//! the file, so that whoever comes after a killed one goes on where that stopped.

mod lease;
mod retired;
mod swap;

use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::content::Content;
use crate::error::{Error, Result};
use crate::index_text::index_text;
use crate::maintenance::{self, Job};
use crate::meta;
use crate::record::column;
use crate::recurring;
use crate::schema::{IndexState, Layout, NATIVE_VERSION};
use crate::store::Store;
use crate::write::{Patience, Tx};
use lease::Lease;
pub(crate) use retired::{PARTS, is_part_of_index, is_retired, with_writable_schema};

/// The tables that are filled, in the order of [`INDEX_TABLES`](crate::schema::INDEX_TABLES).
pub(crate) const SIDE_TABLES: [&str; 2] = ["hermes_reindex_words", "hermes_reindex_trigram"];

/// In front of the names of tables that wait to be emptied.
const RETIRED_PREFIX: &str = "hermes_retired_";

const SIDE_SQL: &str = include_str!("schema/side_index.sql");

/// The greatest message id that the side tables hold. `schema/side_index.sql` names it too.
const PROGRESS_KEY: &str = "hermes_reindex_progress";

/// Before every id, negative ones too.
const NOTHING: i64 = i64::MIN;

/// Set with the new index, taken away when a later open has found it complete.
const CHECK_KEY: &str = "hermes_reindex_check";

/// A step aims at holding the write lock this long.
const STEP: Duration = Duration::from_millis(60);

/// What other writers have between two steps.
const PAUSE: Duration = Duration::from_millis(100);

/// How often the caller is told how far it is.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// How many bytes of text the first step takes; later ones are fitted to the time it took.
const FIRST_STEP_BYTES: usize = 256 << 10;

/// A rebuild that finds itself incomplete at the end (somebody wrote without triggers) begins anew
/// this often.
const ATTEMPTS: usize = 3;

/// How far the making of the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct IndexProgress {
    /// Messages that are in the new index.
    pub indexed: u64,
    /// Messages in the store.
    pub messages: u64,
}

/// How an attempt to bring the index in order ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexWork {
    /// The index is complete, and nothing is left over.
    Done,
    /// Another process is at it.
    Elsewhere,
    /// The time given is used up; what is done is kept.
    Unfinished,
}

/// Whether anything is to be done.
pub(crate) fn is_due(layout: &Layout) -> bool {
    layout.is_writable() && (layout.index_trouble.is_some() || layout.leftovers)
}

/// How long an opening, or a write that found the index damaged, works on it before it leaves the
/// rest to the maintenance thread.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Brings the index in order if that is quickly done, and has it done in the background otherwise.
/// A failure is no failure of what the caller was about: the rows are searched meanwhile.
pub(crate) fn tend(store: &Store) {
    let effort = Effort {
        until: Some(Instant::now() + AT_ONCE),
        patience: Patience::Once,
    };
    match alone(store, || run_with(store, effort, false, &|_| {})) {
        Ok(IndexWork::Done) => {}
        Ok(_) => maintenance::ask(store, Job::Index),
        Err(error) => {
            recurring::warn(
                store.path(),
                "the full-text index is not in order yet",
                &error,
            );
            maintenance::ask(store, Job::Index);
        }
    }
}

/// Keeps the maintenance thread from working on the same store meanwhile.
fn alone<T>(store: &Store, body: impl FnOnce() -> T) -> T {
    let busy = store.inner.slot.busy();
    let value = body();
    drop(busy);
    value
}

/// Takes an index out of the way that would make writes fail: its triggers and tables. The caller
/// makes it anew afterwards.
pub(crate) fn detach(tx: &Tx<'_>) -> Result<()> {
    tx.sqlite(|conn| {
        retired::retire_main(conn)?;
        if !swap::side_is_whole(conn)? {
            swap::drop_side(conn)?;
        }
        Ok(())
    })
}

/// Takes away what is being made, because its triggers make writes fail.
pub(crate) fn detach_side(tx: &Tx<'_>) -> Result<()> {
    tx.sqlite(swap::drop_side)
}

/// Whether the side tables cannot be written to: then neither can messages be.
pub(crate) fn side_breaks_writes(conn: &Connection) -> rusqlite::Result<bool> {
    swap::side_is_unreadable(conn)
}

/// How long a run may work, and wait for the lock in each step.
#[derive(Clone, Copy)]
struct Effort {
    until: Option<Instant>,
    patience: Patience,
}

/// Works on the index until it is in order, or the time is over.
pub(crate) fn run(
    store: &Store,
    time: Option<Duration>,
    progress: &dyn Fn(IndexProgress),
) -> Result<IndexWork> {
    run_for(store, time, false, progress)
}

/// Makes an index anew, however it looks.
pub(crate) fn rebuild(store: &Store, progress: &dyn Fn(IndexProgress)) -> Result<IndexWork> {
    run_for(store, None, true, progress)
}

fn run_for(
    store: &Store,
    time: Option<Duration>,
    forced: bool,
    progress: &dyn Fn(IndexProgress),
) -> Result<IndexWork> {
    let effort = Effort {
        until: time.map(|time| Instant::now() + time),
        patience: Patience::Append,
    };
    run_with(store, effort, forced, progress)
}

/// `forced`: also an index that seems to be in order.
fn run_with(
    store: &Store,
    effort: Effort,
    forced: bool,
    progress: &dyn Fn(IndexProgress),
) -> Result<IndexWork> {
    let lease = Lease::new();
    let outcome = work(store, &lease, effort, forced, progress);
    if let Err(error) = lease.release(store) {
        tracing::debug!(%error, "the lease of the index is left to expire");
    }
    // The handle's own picture of the file is out of date now.
    store.read(|_, _| Ok(()))?;
    outcome
}

fn work(
    store: &Store,
    lease: &Lease,
    effort: Effort,
    mut forced: bool,
    progress: &dyn Fn(IndexProgress),
) -> Result<IndexWork> {
    for _ in 0..ATTEMPTS {
        let layout = store.read(|conn, _| Ok(Layout::read(conn, store.path())))??;
        let Some(layout) = layout else {
            return Ok(IndexWork::Done);
        };
        if forced || layout.index_trouble.is_some() {
            match fill_and_swap(store, lease, effort, forced, progress) {
                Ok(IndexWork::Done) if forced || is_in_order(store)? => {}
                Ok(IndexWork::Done) => {
                    tracing::warn!("the new index has gone while it was made; once more");
                    forced = true;
                    continue;
                }
                Err(
                    error @ (Error::IndexDamaged { .. }
                    | Error::Corrupt { .. }
                    | Error::Sqlite { .. }),
                ) if !forced => {
                    let what = "what was made of the new index is damaged; once more";
                    recurring::warn(store.path(), what, &error);
                    forced = true;
                    continue;
                }
                other => return other,
            }
        }
        match retired::empty(store, lease, effort)? {
            IndexWork::Done => {}
            other => return Ok(other),
        }
        forced = !check_if_due(store)?;
        if !forced {
            return Ok(IndexWork::Done);
        }
        tracing::warn!("the new index is not complete: somebody else has changed it; once more");
    }
    Ok(IndexWork::Unfinished)
}

fn is_in_order(store: &Store) -> Result<bool> {
    let layout = store.read(|conn, _| Ok(Layout::read(conn, store.path())))??;
    Ok(layout.is_none_or(|layout| layout.index_trouble.is_none()))
}

enum Step {
    More { bytes: usize },
    Swapped,
    NotWanted,
    Elsewhere,
}

fn fill_and_swap(
    store: &Store,
    lease: &Lease,
    effort: Effort,
    forced: bool,
    progress: &dyn Fn(IndexProgress),
) -> Result<IndexWork> {
    let begun = store.transact(effort.patience, &|tx| begin(tx, lease, forced))?;
    if !begun {
        return Ok(IndexWork::Elsewhere);
    }
    let mut told = Instant::now();
    let mut budget = FIRST_STEP_BYTES;
    loop {
        let began = Instant::now();
        let step = store.transact(effort.patience, &|tx| step(tx, lease, budget))?;
        match step {
            Step::More { bytes } => budget = fitted(bytes, began.elapsed()),
            Step::Swapped | Step::NotWanted => return Ok(IndexWork::Done),
            Step::Elsewhere => return Ok(IndexWork::Elsewhere),
        }
        // It counts rows: not with every step.
        if told.elapsed() >= TELL_EVERY {
            progress(store.index_progress()?);
            told = Instant::now();
        }
        if !pause(store, effort.until) {
            return Ok(IndexWork::Unfinished);
        }
    }
}

/// Lets others write; `false` if this is to stop instead.
fn pause(store: &Store, until: Option<Instant>) -> bool {
    let over = |at: Instant| until.is_some_and(|until| at >= until);
    if store.inner.slot.is_closing() || over(Instant::now() + PAUSE) {
        return false;
    }
    std::thread::sleep(PAUSE);
    !store.inner.slot.is_closing()
}

/// The bytes that a step may take so that it lasts about [`STEP`].
fn fitted(bytes: usize, took: Duration) -> usize {
    let scaled = bytes as u128 * STEP.as_micros() / took.as_micros().max(1);
    usize::try_from(scaled)
        .unwrap_or(usize::MAX)
        .clamp(16 << 10, 4 << 20)
}

/// Takes the lease and makes the side tables, or finds those of a process that did not finish.
/// `false`: another process is at it.
fn begin(tx: &Tx<'_>, lease: &Lease, forced: bool) -> Result<bool> {
    if !lease.take(tx)? {
        return Ok(false);
    }
    let layout = tx.layout();
    if layout.index == IndexState::BreaksWrites {
        tx.sqlite(retired::retire_main)?;
    }
    tx.sqlite(|conn| {
        if forced || !swap::side_is_whole(conn)? || !progress_fits(conn)? {
            swap::drop_side(conn)?;
            conn.execute_batch(SIDE_SQL)?;
            meta::put(conn, PROGRESS_KEY, &NOTHING.to_string())?;
        }
        Ok(())
    })?;
    Ok(true)
}

fn stored_progress(conn: &Connection) -> rusqlite::Result<Option<i64>> {
    Ok(meta::get(conn, PROGRESS_KEY)?.and_then(|text| text.parse().ok()))
}

/// Whether the progress is one that the side tables can have been left at.
fn progress_fits(conn: &Connection) -> rusqlite::Result<bool> {
    let Some(progress) = stored_progress(conn)? else {
        return Ok(false);
    };
    for table in SIDE_TABLES {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table}_docsize WHERE id > ?1)");
        if conn.query_row(&sql, [progress], |row| row.get(0))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Fills some more, or puts the new index in its place when there is no more.
fn step(tx: &Tx<'_>, lease: &Lease, budget: usize) -> Result<Step> {
    if !lease.renew(tx)? {
        return Ok(Step::Elsewhere);
    }
    if !tx.sqlite(swap::side_is_whole)? {
        // Another process has swapped and this one has slept through it.
        return Ok(Step::NotWanted);
    }
    let bytes = tx.sqlite(|conn| fill(conn, budget))?;
    if bytes > budget {
        return Ok(Step::More { bytes });
    }
    tx.sqlite(|conn| {
        retired::retire_main(conn)?;
        swap::put_in_place(conn)?;
        conn.execute(
            "UPDATE schema_version SET version = ?1 WHERE version < ?1",
            [NATIVE_VERSION],
        )?;
        meta::remove(conn, PROGRESS_KEY)?;
        meta::put(conn, CHECK_KEY, "1")
    })?;
    Ok(Step::Swapped)
}

/// Indexes the messages behind the progress until more than `budget` bytes of text are taken.
fn fill(conn: &Connection, budget: usize) -> rusqlite::Result<usize> {
    let progress = stored_progress(conn)?.unwrap_or(NOTHING);
    let mut rows = conn.prepare_cached(
        "SELECT id, content, tool_name, tool_calls FROM messages WHERE id > ?1 ORDER BY id",
    )?;
    let mut into: Vec<_> = SIDE_TABLES
        .iter()
        .map(|table| {
            conn.prepare_cached(&format!(
                "INSERT INTO {table}(rowid, content) VALUES (?1, ?2)"
            ))
        })
        .collect::<rusqlite::Result<_>>()?;
    let mut rows = rows.query([progress])?;
    let mut bytes = 0;
    let mut last = progress;
    while bytes <= budget
        && let Some(row) = rows.next()?
    {
        let content = column::<Option<Content>>(row, 1)?;
        let tool_name = column::<Option<String>>(row, 2)?;
        let tool_calls = column::<Option<String>>(row, 3)?;
        let text = index_text(
            content.as_ref(),
            tool_name.as_deref(),
            tool_calls.as_deref(),
        );
        last = row.get(0)?;
        for insert in &mut into {
            insert.execute(params![last, text])?;
        }
        // A row costs something even if it says nothing.
        bytes += text.len() + 64;
    }
    meta::put(conn, PROGRESS_KEY, &last.to_string())?;
    Ok(bytes)
}

/// Looks once whether a new index is complete, by the rows and both ways. `false` if it is not, or
/// cannot be read.
fn check_if_due(store: &Store) -> Result<bool> {
    let complete = store.read(|conn, layout| {
        if layout.index != IndexState::Inline || meta::get(conn, CHECK_KEY)?.is_none() {
            return Ok(None);
        }
        for table in crate::schema::INDEX_TABLES {
            let sql = format!(
                "SELECT EXISTS (SELECT 1 FROM messages m LEFT JOIN {table}_docsize d ON d.id = m.id WHERE d.id IS NULL)
                     OR EXISTS (SELECT 1 FROM {table}_docsize d LEFT JOIN messages m ON m.id = d.id WHERE m.id IS NULL)"
            );
            if conn.query_row(&sql, [], |row| row.get(0))? {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    });
    match complete {
        // If it is the rows, the next attempt meets it again.
        Err(error) if error.is_damage() => Ok(false),
        complete => Ok(complete?.unwrap_or(true)),
    }
}

/// At an opening to write: whether the index that an earlier process made is found incomplete now.
/// A Python Hermes that was migrating the same file at the same time may have replaced it.
pub(crate) fn is_found_incomplete(store: &Store) -> Result<bool> {
    let due = store.read(|conn, layout| {
        Ok(layout.index == IndexState::Inline && meta::get(conn, CHECK_KEY)?.is_some())
    })?;
    if !due {
        return Ok(false);
    }
    let incomplete = !check_if_due(store)?;
    if incomplete {
        tracing::warn!("the full-text index is not complete: making it anew");
    }
    let lease = Lease::new();
    let settled = store.transact(Patience::Once, &|tx| {
        // Whoever has the lease still looks at the key.
        if !incomplete || begin(tx, &lease, true)? {
            tx.sqlite(|conn| meta::remove(conn, CHECK_KEY))?;
        }
        Ok(())
    });
    match settled {
        Ok(()) => {
            if incomplete {
                lease.release(store)?;
            }
        }
        Err(error) if error.is_busy() => {
            tracing::debug!(%error, "the next open looks again whether the index is complete");
        }
        Err(error) => return Err(error),
    }
    Ok(incomplete)
}

impl Store {
    /// How far the making of the index is: all of it, where none is going on.
    ///
    /// # Errors
    /// Those of every read.
    pub fn index_progress(&self) -> Result<IndexProgress> {
        self.read(|conn, _| {
            let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
            let messages = count("SELECT COUNT(*) FROM messages")?;
            let [_, trigram] = SIDE_TABLES;
            let indexed = if swap::side_is_whole(conn)? {
                count(&format!("SELECT COUNT(*) FROM {trigram}_docsize"))?
            } else {
                messages
            };
            let number = |n| u64::try_from(n).unwrap_or(0);
            Ok(IndexProgress {
                indexed: number(indexed),
                messages: number(messages),
            })
        })
    }

    /// Brings the full-text index in order, if it is not: makes it anew from the messages where it
    /// is missing, damaged or of an older version, and removes what was there before.
    ///
    /// Runs in steps that hold the write lock for about a tenth of a second, with pauses; what is
    /// done is kept if it is stopped. With a `time` it stops when that is over. Opening a store to
    /// write does this for up to a second by itself, and the process goes on in the background.
    ///
    /// # Errors
    /// [`Error::ReadOnly`](crate::Error::ReadOnly), [`Error::MigrationNeeded`](crate::Error::MigrationNeeded)
    /// and [`Error::SchemaTooNew`](crate::Error::SchemaTooNew), and those of every write.
    pub fn complete_index(
        &self,
        time: Option<Duration>,
        progress: &dyn Fn(IndexProgress),
    ) -> Result<IndexWork> {
        self.bring_index_in_order(time, false, progress)
    }

    /// Makes the full-text index anew from the messages, even if it seems to be in order, in steps
    /// as [`complete_index`](Self::complete_index) does. Searches use the old one meanwhile.
    ///
    /// # Errors
    /// As [`complete_index`](Self::complete_index).
    pub fn rebuild_index(&self, progress: &dyn Fn(IndexProgress)) -> Result<IndexWork> {
        self.bring_index_in_order(None, true, progress)
    }

    fn bring_index_in_order(
        &self,
        time: Option<Duration>,
        forced: bool,
        progress: &dyn Fn(IndexProgress),
    ) -> Result<IndexWork> {
        let until = time.map(|time| Instant::now() + time);
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            match alone(self, || run_for(self, left, forced, progress))? {
                // Its process may end before it has finished.
                IndexWork::Elsewhere if left.is_none_or(|left| left > PAUSE) => {
                    progress(self.index_progress()?);
                    std::thread::sleep(PAUSE);
                }
                outcome => return Ok(outcome),
            }
        }
    }
}
