//! A copy of the store as of one moment, made while others use it.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::calendar;
use crate::error::{Error, Result};
use crate::open::{self, side_file};
use crate::store::{Store, StoreOptions, system_time};
use crate::write::{WriteBudget, retry_busy};

impl Store {
    /// Copies the store into a new file, as it is at one moment, through SQLite's online backup:
    /// never a half-written page, and with what is still in the write-ahead log.
    ///
    /// One read transaction spans the copying, so that writers need not stop and the copy does not
    /// begin anew with each of their commits. On failure no file is left.
    ///
    /// # Errors
    /// [`Error::CannotOpen`] if there is a file at `to` already or none can be made, and those of
    /// every read and write.
    pub fn snapshot(&self, to: impl AsRef<Path>) -> Result<()> {
        let to = to.as_ref();
        into_new_file(to, |copy| {
            let budget = &self.inner.options.write_budget;
            self.with_reader(|conn| copy_all(conn, self.path(), copy, budget, &|_, _| {}))
        })
    }
}

/// Copies a store that no handle is open for yet.
pub(crate) fn copy_file(from: &Path, to: &Path) -> Result<()> {
    into_new_file(to, |copy| {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn =
            Connection::open_with_flags(from, flags).map_err(|e| Error::from_sqlite(from, e))?;
        copy_all(&conn, from, copy, &WriteBudget::default(), &|_, _| {})?;
        one_file(copy);
        Ok(())
    })
}

/// Lets a finished copy be one file, with no log beside it from the first reader on. One with a
/// schema that cannot be read stays as it is: it is kept for what it is.
fn one_file(copy: &Connection) {
    if let Err(error) = copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())) {
        tracing::debug!(%error, "the copy keeps its journal mode");
    }
}

/// A copy that nobody else sees, in a temporary file of SQLite's own, gone when it is closed.
pub(crate) fn private_copy(
    conn: &Connection,
    path: &Path,
    options: &StoreOptions,
) -> Result<Connection> {
    // An empty name is a temporary database on the disk.
    let mut copy = Connection::open("").map_err(|e| Error::from_sqlite(path, e))?;
    copy_all(conn, path, &mut copy, &options.write_budget, &|_, _| {})?;
    Ok(copy)
}

/// Makes the file and removes it again if it cannot be filled.
pub(crate) fn into_new_file(
    to: &Path,
    fill: impl FnOnce(&mut Connection) -> Result<()>,
) -> Result<()> {
    create_new(to)?;
    let copied = (|| {
        // A full path is never taken for a URI.
        let to = &fs::canonicalize(to).map_err(|e| open::system_error(to, e))?;
        let mut copy = Connection::open(to).map_err(|e| Error::from_sqlite(to, e))?;
        fill(&mut copy)
    })();
    if copied.is_err() {
        discard_unfinished(to);
    }
    copied
}

/// Removes what there is of a copy that has failed.
pub(crate) fn discard_unfinished(copy: &Path) {
    if copy.exists()
        && let Err(error) = fs::remove_file(copy)
    {
        tracing::warn!(path = %copy.display(), %error, "an unfinished copy stays behind");
    }
}

/// A name for a copy beside the store that says why and when, and that nothing has.
pub(crate) fn beside(path: &Path, what: &str) -> PathBuf {
    let stamp = calendar::stamp(system_time());
    let name = |tail: &str| side_file(path, &format!(".{what}-{stamp}{tail}"));
    let tails = std::iter::once(String::new()).chain((1..1000).map(|n| format!("-{n}")));
    tails
        .map(|tail| name(&tail))
        .find(|path| !path.exists())
        .unwrap_or_else(|| name(&format!("-{:016x}", rand::random::<u64>())))
}

/// Pages that are copied before the caller is told how far it is.
const STEP_PAGES: i32 = 2048;

pub(crate) fn copy_all(
    conn: &Connection,
    path: &Path,
    copy: &mut Connection,
    budget: &WriteBudget,
    progress: &dyn Fn(u64, u64),
) -> Result<()> {
    let at = |e| Error::from_sqlite(path, e);
    // The copy is of one moment: it does not begin anew with each commit of others.
    let pinned = conn.is_autocommit().then(|| conn.unchecked_transaction());
    let _pinned = pinned.transpose().map_err(at)?;
    conn.query_row("PRAGMA schema_version", [], |_| Ok(()))
        .map_err(at)?;
    let backup = Backup::new(conn, copy).map_err(at)?;
    let patient = |tries, _| tries < budget.tries;
    loop {
        let done = retry_busy(&budget.pause, path, patient, || {
            match backup.step(STEP_PAGES).map_err(at)? {
                StepResult::Done => Ok(true),
                StepResult::More => Ok(false),
                _ => Err(Error::locked(path)),
            }
        })?;
        let all = backup.progress();
        let count = |n| u64::try_from(n).unwrap_or(0);
        progress(count(all.pagecount - all.remaining), count(all.pagecount));
        if done {
            return Ok(());
        }
    }
}

/// The copy is as private as the store.
fn create_new(path: &Path) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(path);
    made.map(drop).map_err(|e| open::system_error(path, e))
}
