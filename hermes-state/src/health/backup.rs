//! Copies that are checked before they count, and old ones that go.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::Serialize;

use super::pages::{Pages, check_tables};
use super::report::{Finding, Findings};
use super::{Fault, Severity};
use crate::calendar;
use crate::error::{Error, Result};
use crate::open::{self, side_file};
use crate::recover;
use crate::snapshot;
use crate::store::{StoreOptions, system_time};

/// Where backups go, beside the store, unless said otherwise.
const FOLDER: &str = "backups";
const NAME_BEGIN: &str = "state-";
const NAME_END: &str = ".db";

/// Where a backup goes, and which earlier ones stay.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct BackupOptions {
    /// The file; it may be there. By default a new one in the folder `backups` beside the store,
    /// with the time in its name.
    pub to: Option<PathBuf>,
    /// How many of the folder's backups stay, the new one included; all by default. Not together
    /// with `to`.
    pub keep: Option<usize>,
}

/// A backup that was made and has passed its check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BackedUp {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: u64,
    /// Sessions in it.
    pub sessions: u64,
    /// Messages in it.
    pub messages: u64,
    /// Earlier backups that were removed.
    pub removed: Vec<PathBuf>,
    /// What is wrong with the store's full-text index, and so with the copy's: nothing is lost, and
    /// it can be made anew.
    pub findings: Vec<Finding>,
}

/// Copies a store into a file, checks the copy, and only then puts it in its place.
///
/// The copy is made through SQLite's online backup in one read transaction while others write, and
/// needs no side files. Every table and index of it is checked, and its rows are counted against the
/// store's. A copy that does not pass is removed: neither does it replace a file, nor does an
/// earlier backup go for it. `progress` is told the pages that are copied, and how many there are.
///
/// # Errors
/// [`Error::Corrupt`] if the copy does not pass, [`Error::Invalid`] for a place that cannot be meant,
/// [`Error::DiskFull`], [`Error::CannotOpen`], and those of every read.
pub fn backup(
    path: impl AsRef<Path>,
    options: &BackupOptions,
    progress: &dyn Fn(u64, u64),
) -> Result<BackedUp> {
    let path = open::existing(path.as_ref())?;
    if options.keep == Some(0) || (options.keep.is_some() && options.to.is_some()) {
        return Err(Error::Invalid {
            what: "the number of backups to keep",
            problem: "must be at least 1, and goes with the folder of backups only".to_owned(),
        });
    }
    let to = match &options.to {
        Some(to) => {
            refuse_live(to, &path)?;
            to.clone()
        }
        None => {
            // What cannot be read needs no folder.
            drop(open::connect_to_read(
                &path,
                &StoreOptions::new().read_only(),
            )?);
            new_name(&path)?
        }
    };
    let draft = draft_beside(&to);
    let made = copy_checked(&path, &draft, progress).and_then(|counts| {
        place(&draft, &to)?;
        Ok(counts)
    });
    if made.is_err() {
        snapshot::discard_unfinished(&draft);
        if let (None, Some(folder)) = (&options.to, to.parent()) {
            // Goes only if it is empty.
            let _ = fs::remove_dir(folder);
        }
    }
    let made = made?;
    let removed = match options.keep {
        Some(keep) => rotate(&to, keep)?,
        None => Vec::new(),
    };
    Ok(BackedUp {
        bytes: fs::metadata(&to).map_or(0, |file| file.len()),
        path: to,
        sessions: made.sessions,
        messages: made.messages,
        removed,
        findings: made.findings,
    })
}

/// What a checked copy holds.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) sessions: u64,
    pub(super) messages: u64,
    pub(super) findings: Vec<Finding>,
}

/// Copies a store into a new file and checks that.
pub(super) fn copy_checked(path: &Path, to: &Path, progress: &dyn Fn(u64, u64)) -> Result<Checked> {
    let options = StoreOptions::new().read_only();
    let live = open::connect_to_read(path, &options)?;
    let sqlite = |e| Error::from_sqlite(path, e);
    // The rows are counted in the same moment that is copied.
    live.execute_batch("BEGIN").map_err(sqlite)?;
    let expected = counts(&live).map_err(sqlite)?;
    snapshot::into_new_file(to, |copy| {
        snapshot::copy_all(&live, path, copy, &options.write_budget, progress)?;
        // No log beside it from the first reader on.
        copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
            .map_err(|e| Error::from_sqlite(to, e))
    })?;
    let checked = check_copy(to)?;
    if (checked.sessions, checked.messages) != expected {
        return Err(damaged(to, "it does not hold as many rows as the store"));
    }
    Ok(checked)
}

/// Makes a file that is a copy of a store through a draft. If that does not pass its check, what can be
/// read of it goes into a new file. Whether it passed.
pub(crate) fn make_readable(to: &Path, copy: impl FnOnce(&Path) -> Result<()>) -> Result<bool> {
    let draft = draft_beside(to);
    let again = draft_beside(to);
    let made = copy(&draft).and_then(|()| match check_copy(&draft) {
        Ok(_) => place(&draft, to).map(|()| true),
        Err(error) => {
            tracing::warn!(%error, "the copy is read page by page");
            recover::rebuild(&draft, &again)?;
            place(&again, to).map(|()| false)
        }
    });
    for file in [&draft, &again] {
        snapshot::discard_unfinished(file);
    }
    made
}

/// Checks every table and index of a file at rest; damage of the full-text index is no reason to
/// refuse it.
pub(super) fn check_copy(path: &Path) -> Result<Checked> {
    let options = StoreOptions::new().read_only();
    let conn = open::connect_to_read(path, &options)?;
    let sqlite = |e| Error::from_sqlite(path, e);
    if crate::schema::Layout::read(&conn, path)?.is_none() {
        return Err(Error::NoStore {
            path: path.to_path_buf(),
        });
    }
    let mut findings = Findings::default();
    check_tables(&conn, Pages::WithIndexes, &mut findings).map_err(sqlite)?;
    let findings = findings.sorted();
    let fatal = findings
        .iter()
        .find(|found| found.severity == Severity::Error && found.id != Fault::SearchDamaged);
    if let Some(fatal) = fatal {
        return Err(damaged(path, &fatal.message));
    }
    let (sessions, messages) = counts(&conn).map_err(sqlite)?;
    Ok(Checked {
        sessions,
        messages,
        findings,
    })
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::Corrupt {
        path: path.to_path_buf(),
        source: format!("it does not pass its check: {why}").into(),
    }
}

pub(super) fn counts(conn: &Connection) -> rusqlite::Result<(u64, u64)> {
    let count = |sql| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    Ok((
        count("SELECT COUNT(*) FROM sessions")?.unsigned_abs(),
        count("SELECT COUNT(*) FROM messages")?.unsigned_abs(),
    ))
}

/// A backup never goes over a store that somebody uses.
fn refuse_live(to: &Path, path: &Path) -> Result<()> {
    let invalid = |problem: &str| Error::Invalid {
        what: "the place of the backup",
        problem: problem.to_owned(),
    };
    if fs::canonicalize(to).is_ok_and(|to| to == path) {
        return Err(invalid("is the store itself"));
    }
    if to.is_dir() {
        return Err(invalid("is a folder: name a file in it"));
    }
    if side_file(to, "-wal").exists() || side_file(to, "-journal").exists() {
        return Err(invalid("has a log beside it: it is a store in use"));
    }
    Ok(())
}

fn new_name(path: &Path) -> Result<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(".")).join(FOLDER);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(&folder)
        .map_err(|e| open::system_error(&folder, e))?;
    let stamp = calendar::stamp(system_time());
    // A later one of the same second has a greater number, also when earlier ones have gone.
    let number = backups_in(&folder)?
        .iter()
        .filter_map(|path| order(path).filter(|(s, _)| *s == stamp))
        .map(|(_, number)| number + 1)
        .max();
    let tail = number.map_or(String::new(), |n| format!("-{n}"));
    Ok(folder.join(format!("{NAME_BEGIN}{stamp}{tail}{NAME_END}")))
}

fn backups_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|e| open::system_error(folder, e))?;
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter(|path| order(path).is_some()).collect())
}

pub(super) fn draft_beside(to: &Path) -> PathBuf {
    side_file(to, &format!(".draft-{:016x}", rand::random::<u64>()))
}

/// Puts a finished file, which nobody has open, in its place, for good.
pub(super) fn place(draft: &Path, to: &Path) -> Result<()> {
    let at = |e: io::Error| open::system_error(to, e);
    fs::File::open(draft)
        .and_then(|file| file.sync_all())
        .map_err(at)?;
    fs::rename(draft, to).map_err(at)?;
    sync_folder(to);
    Ok(())
}

/// Makes a change of names survive a power cut, where the system can.
pub(super) fn sync_folder(file: &Path) {
    #[cfg(unix)]
    {
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if let Err(error) = fs::File::open(folder).and_then(|folder| folder.sync_all()) {
            tracing::debug!(%error, "the folder could not be synchronised");
        }
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// Removes the oldest backups of the folder but for so many; the new one is the last to go.
fn rotate(newest: &Path, keep: usize) -> Result<Vec<PathBuf>> {
    let folder = newest.parent().unwrap_or(Path::new("."));
    let mut backups = backups_in(folder)?;
    backups.retain(|path| path != newest);
    backups.sort_by_key(|path| order(path));
    let excess = (backups.len() + 1).saturating_sub(keep);
    backups.truncate(excess);
    for path in &backups {
        fs::remove_file(path).map_err(|e| open::system_error(path, e))?;
    }
    Ok(backups)
}

/// When a backup was made, and its number within that second: from `state-20260101_120000-2.db`.
/// Nothing for a name that we do not give.
fn order(path: &Path) -> Option<(String, u32)> {
    let name = path.file_name()?.to_str()?;
    let rest = name.strip_prefix(NAME_BEGIN)?.strip_suffix(NAME_END)?;
    let (stamp, number) = match rest.split_once('-') {
        Some((stamp, number)) => (stamp, number.parse().ok()?),
        None => (rest, 0),
    };
    let is_stamp = stamp.len() == 15
        && stamp.bytes().enumerate().all(|(n, b)| match n {
            8 => b == b'_',
            _ => b.is_ascii_digit(),
        });
    is_stamp.then(|| (stamp.to_owned(), number))
}
