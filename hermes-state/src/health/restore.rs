//! A store brought back from a backup.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::backup::{Checked, check_copy, copy_checked, counts, draft_beside, place, sync_folder};
use super::repair::connect;
use crate::error::{Error, Result};
use crate::holders::{Others, holders, others};
use crate::open::{self, SIDE_FILES, side_file};
use crate::snapshot;
use crate::store::StoreOptions;

/// How a store is restored.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RestoreOptions {
    /// Even while others have the store open. They see the restored rows from their next
    /// transaction on; what they remember of the rows before may be wrong then.
    pub while_open: bool,
    /// No copy of what is there now.
    pub discard_present: bool,
}

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Restored {
    /// Sessions that the store has now.
    pub sessions: u64,
    /// Messages that the store has now.
    pub messages: u64,
    /// What was there before, unless it was not wanted or there was none.
    pub previous: Option<PathBuf>,
    /// Whether the pages went into the file that was there; otherwise it was put aside.
    pub in_place: bool,
}

/// Fails while others, another handle of this process included, have the file open.
pub(super) fn refuse_while_open(path: &Path) -> Result<()> {
    if others(path, 0) != Others::Some {
        return Ok(());
    }
    Err(Error::Locked {
        path: path.to_path_buf(),
        waited: Duration::ZERO,
        holders: holders(path),
    })
}

/// Brings a store back to what a backup holds.
///
/// The backup is checked first. It goes through SQLite's online backup into the file that is there,
/// as one transaction: whoever has it open sees all or nothing of it, and a log that a killed writer
/// has left is not mixed with it. A file that cannot be written so (it is gone, or damaged) is put
/// aside together with its side files, and a copy of the backup takes its name.
///
/// # Errors
/// [`Error::Locked`] while others have the store open, unless that is allowed; [`Error::Corrupt`]
/// and its like for a backup that does not pass its check; and those of every write. The store is as
/// it was then.
pub fn restore(
    path: impl AsRef<Path>,
    from: impl AsRef<Path>,
    options: &RestoreOptions,
    progress: &dyn Fn(u64, u64),
) -> Result<Restored> {
    let path = path.as_ref();
    hermes_home::guard::check(path).map_err(Error::LiveSystemGuard)?;
    let from = open::existing(from.as_ref())?;
    let path = match open::regular_file(path)? {
        Some(path) => path,
        None => match open::nothing_at(path) {
            Error::NoStore { path } => open::prepare_folder(&path)?,
            link => return Err(link),
        },
    };
    open::check_folder_is_writable(&path)?;
    if path == from {
        return Err(Error::Invalid {
            what: "the backup",
            problem: "is the store itself".to_owned(),
        });
    }
    let expected = check_copy(&from)?;
    if !options.while_open {
        refuse_while_open(&path)?;
    }
    open::tighten(&path);
    let previous = snapshot::beside(&path, "before-restore");
    let (in_place, now) = match into_live(&path, &from, options, &previous, progress) {
        Ok(()) => (true, check_copy(&path)?),
        Err(
            Error::Corrupt { .. }
            | Error::NotADatabase { .. }
            | Error::NoStore { .. }
            | Error::ReadOnly { .. },
        ) => {
            refuse_while_open(&path)?;
            (false, replace(&path, &from, &previous)?)
        }
        Err(error) => return Err(error),
    };
    if (now.sessions, now.messages) != (expected.sessions, expected.messages) {
        // Somebody writes already.
        tracing::info!("the store has changed since it was restored");
    }
    if options.discard_present && !in_place {
        remove_all(&previous);
    }
    Ok(Restored {
        sessions: now.sessions,
        messages: now.messages,
        previous: previous.exists().then_some(previous),
        in_place,
    })
}

fn into_live(
    path: &Path,
    from: &Path,
    options: &RestoreOptions,
    previous: &Path,
    progress: &dyn Fn(u64, u64),
) -> Result<()> {
    if !path.exists() {
        return Err(Error::NoStore {
            path: path.to_path_buf(),
        });
    }
    let sqlite = |e| Error::from_sqlite(path, e);
    // A connection that can write would take a log away that it cannot read.
    open::connect_to_read(path, &StoreOptions::new().read_only())?
        .query_row("SELECT COUNT(*) FROM sqlite_master", [], |_| Ok(()))
        .map_err(sqlite)?;
    let mut live = connect(path)?;
    live.query_row("PRAGMA schema_version", [], |_| Ok(()))
        .map_err(sqlite)?;
    if !options.discard_present && counts(&live).is_ok() {
        snapshot::copy_file(path, previous)?;
    }
    let source = open::connect_to_read(from, &StoreOptions::new().read_only())?;
    let budget = StoreOptions::new().write_budget;
    snapshot::copy_all(&source, path, &mut live, &budget, progress)?;
    // A log of its own is begun by the next writer.
    if let Err(error) = live.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
        tracing::debug!(%error, "the log stays until the next checkpoint");
    }
    Ok(())
}

/// Puts what is there aside and a checked copy of the backup in its place.
fn replace(path: &Path, from: &Path, aside: &Path) -> Result<Checked> {
    let draft = draft_beside(path);
    let placed = copy_checked(from, &draft, &|_, _| {}).and_then(|checked| {
        put_aside(path, aside)?;
        place(&draft, path)?;
        Ok(checked)
    });
    if placed.is_err() {
        snapshot::discard_unfinished(&draft);
    }
    placed
}

/// Gives a store that nobody has open, with all that belongs to it, another name. Its log goes first:
/// it must never meet another file.
pub(super) fn put_aside(path: &Path, aside: &Path) -> Result<()> {
    for suffix in SIDE_FILES.iter().rev() {
        let file = side_file(path, suffix);
        if file.exists() {
            fs::rename(&file, side_file(aside, suffix))
                .map_err(|e| open::system_error(&file, e))?;
        }
    }
    sync_folder(path);
    Ok(())
}

fn remove_all(path: &Path) {
    for suffix in SIDE_FILES {
        let file = side_file(path, suffix);
        if file.exists()
            && let Err(error) = fs::remove_file(&file)
        {
            tracing::warn!(%error, file = %file.display(), "what was there before stays");
        }
    }
}
