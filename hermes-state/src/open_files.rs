//! Whether the files of an open store are still those that it was opened with.
//!
//! Whoever removes or replaces the log of a store in use splits it: processes that have it open go on
//! with the old log, and those that come later begin another. What the old one takes from then on is
//! gone with its process, and a checkpoint out of it would write old pages over new ones. SQLite does
//! not look. So every write compares, by name, which files are there with those that were: three calls
//! of `stat`, and never a descriptor, because closing one would drop SQLite's locks.
//!
//! All handles of a process have one picture of a store's files: SQLite lets the connections of a process
//! share the memory that says what is in the log, so a store is only whole again when all of them are
//! closed.

mod rescue;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::error::{Error, Result};
use crate::open::side_file;

pub(crate) use rescue::put_back;

/// Which file a name stands for: its device and its number there.
type FileId = (u64, u64);

/// The file that has this name; `None` if nothing has.
#[cfg(unix)]
fn find(path: &Path) -> io::Result<Option<FileId>> {
    use std::os::unix::fs::MetadataExt;
    match std::fs::metadata(path) {
        Ok(found) => Ok(Some((found.dev(), found.ino()))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// An open file cannot be removed or replaced here.
#[cfg(not(unix))]
fn find(_: &Path) -> io::Result<Option<FileId>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// One of a store's files, as it was when the store was opened.
struct Watched {
    path: PathBuf,
    id: OnceLock<FileId>,
}

impl Watched {
    fn new(path: PathBuf) -> Watched {
        Watched {
            path,
            id: OnceLock::new(),
        }
    }

    /// Which file it is, if that is not known yet.
    fn learn(&self) {
        if self.id.get().is_none()
            && let Ok(Some(id)) = find(&self.path)
        {
            self.id.get_or_init(|| id);
        }
    }

    /// What became of it, for people; `None` if nothing did, or the system does not say.
    fn change(&self) -> Option<&'static str> {
        let known = self.id.get()?;
        match find(&self.path).ok()? {
            Some(id) if id == *known => None,
            Some(_) => Some("was replaced"),
            None => Some("was removed"),
        }
    }
}

/// The files of a store that this process has open.
pub(crate) struct OpenFiles {
    main: Watched,
    log: Watched,
    memory: Watched,
    users: AtomicUsize,
    split: OnceLock<Split>,
}

/// A store whose files are not those any more that this process has open.
#[derive(Debug, Clone)]
struct Split {
    file: PathBuf,
    how: &'static str,
    saved: Option<PathBuf>,
    complete: bool,
}

static OPEN: Mutex<BTreeMap<PathBuf, Arc<OpenFiles>>> = Mutex::new(BTreeMap::new());

fn open() -> MutexGuard<'static, BTreeMap<PathBuf, Arc<OpenFiles>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails if this process has the store at this path open and its files have been replaced meanwhile: a
/// further connection would take the old picture of the log for one of the new.
pub(crate) fn check_before_opening(path: &Path) -> Result<()> {
    let Some(files) = open().get(path).cloned() else {
        return Ok(());
    };
    files.check_known()?;
    match files.change() {
        Some((watched, how)) => Err(Split {
            file: watched.path.clone(),
            how,
            saved: None,
            complete: true,
        }
        .error(path)),
        None => Ok(()),
    }
}

impl OpenFiles {
    /// For a handle of a store of which a connection has read already, so that SQLite has its files open.
    pub(crate) fn of(path: &Path) -> Arc<OpenFiles> {
        let mut open = open();
        let files = open.entry(path.to_path_buf()).or_insert_with(|| {
            Arc::new(OpenFiles {
                main: Watched::new(path.to_path_buf()),
                log: Watched::new(side_file(path, "-wal")),
                memory: Watched::new(side_file(path, "-shm")),
                users: AtomicUsize::new(0),
                split: OnceLock::new(),
            })
        });
        files.users.fetch_add(1, Ordering::Relaxed);
        // A store without a log may have got one since.
        for watched in files.watched() {
            watched.learn();
        }
        Arc::clone(files)
    }

    /// To be called when a handle closes: before its connections do, which may remove the log in
    /// order, unless [`part`](Self::part) says otherwise.
    pub(crate) fn leave(&self) {
        let mut open = open();
        if self.users.fetch_sub(1, Ordering::Relaxed) == 1 {
            open.remove(&self.main.path);
        }
    }

    /// Fails if it is known that the files were replaced; looks at nothing.
    pub(crate) fn check_known(&self) -> Result<()> {
        match self.split.get() {
            Some(split) => Err(split.error(&self.main.path)),
            None => Ok(()),
        }
    }

    /// Fails if one of the files is not the one any more that this process has open. What only this process
    /// can still read is saved then, through this connection, which has no transaction open.
    pub(crate) fn check(&self, conn: &Connection) -> Result<()> {
        let known = self.check_known();
        let changed = if known.is_err() { None } else { self.change() };
        if let Some((watched, how)) = changed {
            self.split.get_or_init(|| self.save(conn, watched, how));
        }
        self.check_known().inspect_err(|_| never_checkpoint(conn))
    }

    /// For the connections of a handle that closes: from a log that was replaced nothing must be written into
    /// the store. Whether its files are still there; if not, they count as open until these are closed.
    pub(crate) fn part(&self, writers: &[&Connection]) -> bool {
        // A store that somebody has removed as a whole is not brought back.
        let gone = self.main.change() == Some("was removed");
        let whole = match writers {
            [writer, ..] if !gone => self.check(writer).is_ok(),
            _ => self.split.get().is_none() && self.change().is_none(),
        };
        if !whole {
            for conn in writers {
                never_checkpoint(conn);
            }
        }
        whole
    }

    fn watched(&self) -> [&Watched; 3] {
        [&self.main, &self.log, &self.memory]
    }

    fn change(&self) -> Option<(&Watched, &'static str)> {
        self.watched()
            .into_iter()
            .find_map(|watched| Some((watched, watched.change()?)))
    }

    fn save(&self, conn: &Connection, watched: &Watched, how: &'static str) -> Split {
        let of_main = std::ptr::eq(watched, &self.main);
        // The log is still the one that others read, or all of it is in the main file.
        let complete =
            std::ptr::eq(watched, &self.memory) || (!of_main && all_moved(conn).unwrap_or(false));
        let (saved, complete) = if complete {
            (None, true)
        } else {
            match rescue::save(conn, &self.main.path, !of_main) {
                Ok((saved, whole)) => (Some(saved), whole),
                Err(error) => {
                    tracing::error!(%error, "what was stored could not be saved");
                    (None, false)
                }
            }
        };
        tracing::error!(
            file = %watched.path.display(), ?saved,
            "a file of the store {how} while it was open: nothing more is written"
        );
        Split {
            file: watched.path.clone(),
            how,
            saved,
            complete,
        }
    }
}

impl Split {
    fn error(&self, path: &Path) -> Error {
        Error::WalReplaced {
            path: path.to_path_buf(),
            file: self.file.clone(),
            how: self.how,
            saved: self.saved.clone(),
            complete: self.complete,
        }
    }
}

/// Whether all that is in the log is in the main file too, as the memory says that processes share.
fn all_moved(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
        Ok(row.get::<_, i64>(1)? == row.get::<_, i64>(2)?)
    })
}

/// The last connection of a process would move the log into the file and remove both by name.
fn never_checkpoint(conn: &Connection) {
    let off = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    if let Err(error) = off {
        tracing::error!(%error, "the old log may be moved into the store");
    }
}
