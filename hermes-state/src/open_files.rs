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
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::error::{Error, Result};
use crate::open::side_file;

pub(crate) use rescue::put_back;

/// Which file a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

/// What a name stands for.
enum Found {
    File(FileId, u64),
    Nothing,
    /// The system does not say.
    Unknown,
}

#[cfg(unix)]
fn find(path: &Path) -> Found {
    use std::os::unix::fs::MetadataExt;
    match fs::metadata(path) {
        Ok(found) => Found::File(
            FileId {
                device: found.dev(),
                inode: found.ino(),
            },
            found.len(),
        ),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Found::Nothing,
        Err(_) => Found::Unknown,
    }
}

/// Where an open file cannot be removed or replaced, nothing needs to be looked at.
#[cfg(not(unix))]
fn find(path: &Path) -> Found {
    let _ = (fs::metadata(path), Found::Nothing, |id, bytes| {
        Found::File(id, bytes)
    });
    Found::Unknown
}

/// One of a store's files, as it was when the store was opened.
struct Watched {
    path: PathBuf,
    id: OnceLock<FileId>,
    /// Its bytes when last looked at.
    bytes: AtomicU64,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    /// It has fewer bytes than before, which may be in order.
    Shorter,
    Replaced,
    Removed,
}

impl Watched {
    fn new(path: PathBuf) -> Watched {
        let watched = Watched {
            path,
            id: OnceLock::new(),
            bytes: AtomicU64::new(0),
        };
        watched.look();
        watched
    }

    fn look(&self) -> Change {
        match (find(&self.path), self.id.get()) {
            // A store in rollback mode that another process has given a log.
            (Found::File(id, bytes), None) => {
                self.bytes.store(bytes, Ordering::Relaxed);
                if self.id.set(id).is_ok() {
                    Change::None
                } else {
                    self.look()
                }
            }
            (Found::File(id, bytes), Some(known)) if id == *known => {
                // A shorter one stays suspicious until somebody has looked into it.
                if bytes < self.bytes.fetch_max(bytes, Ordering::Relaxed) {
                    Change::Shorter
                } else {
                    Change::None
                }
            }
            (Found::File(..), Some(_)) => Change::Replaced,
            (Found::Nothing, Some(_)) => Change::Removed,
            (Found::Nothing, None) | (Found::Unknown, _) => Change::None,
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
    let files = open().get(path).cloned();
    match files.and_then(|files| files.found_split()) {
        Some(split) => Err(split.error(path)),
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
        Arc::clone(files)
    }

    /// To be called before a handle closes its connections.
    pub(crate) fn leave(&self) {
        let mut open = open();
        if self.users.fetch_sub(1, Ordering::Relaxed) == 1
            && open
                .get(&self.main.path)
                .is_some_and(|files| std::ptr::eq(files.as_ref(), self))
        {
            open.remove(&self.main.path);
        }
    }

    /// Bytes of the write-ahead log.
    pub(crate) fn log_bytes(&self) -> u64 {
        match find(&self.log.path) {
            Found::File(_, bytes) => {
                self.log.bytes.fetch_max(bytes, Ordering::Relaxed);
                bytes
            }
            Found::Nothing | Found::Unknown => 0,
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
        self.check_known()?;
        let Some((watched, how)) = self.change(conn) else {
            return Ok(());
        };
        let split = self.split.get_or_init(|| self.save(conn, watched, how));
        tracing::error!(
            file = %split.file.display(),
            saved = ?split.saved,
            "a file of the store {} while it was open: nothing more is written", split.how
        );
        never_checkpoint(conn);
        Err(split.error(&self.main.path))
    }

    /// For a handle that closes: from a log that was replaced nothing must be written into the store.
    pub(crate) fn part(&self, writer: &Connection, checkpointer: Option<&Connection>) {
        // A store that somebody has removed as a whole is not brought back.
        let gone = matches!(self.main.look(), Change::Removed);
        if gone || self.check(writer).is_err() {
            never_checkpoint(writer);
            if let Some(conn) = checkpointer {
                never_checkpoint(conn);
            }
        }
    }

    fn change(&self, conn: &Connection) -> Option<(&Watched, &'static str)> {
        for watched in [&self.main, &self.log, &self.memory] {
            match watched.look() {
                Change::Replaced => return Some((watched, "was replaced")),
                Change::Removed => return Some((watched, "was removed")),
                Change::Shorter if std::ptr::eq(watched, &self.log) => {
                    if self.is_cut(conn) {
                        return Some((watched, "was cut short"));
                    }
                    self.log.bytes.store(0, Ordering::Relaxed);
                }
                Change::None | Change::Shorter => {}
            }
        }
        None
    }

    /// Whether the log is shorter than what is in it. Others may begin it anew and cut it at any moment, so
    /// it is only believed when nothing moves.
    fn is_cut(&self, conn: &Connection) -> bool {
        let once = || {
            let before = log_state(conn)?;
            let bytes = self.log_bytes();
            let after = log_state(conn)?;
            let page: i64 = conn.query_row("PRAGMA page_size", [], |row| row.get(0))?;
            let needed = LOG_HEADER + before.frames * (page.unsigned_abs() + FRAME_HEADER);
            Ok::<_, rusqlite::Error>(before == after && before.frames > 0 && bytes < needed)
        };
        // A connection that cannot tell fails in the write that follows.
        once().unwrap_or(false) && once().unwrap_or(false)
    }

    fn save(&self, conn: &Connection, watched: &Watched, how: &'static str) -> Split {
        let of_log = !std::ptr::eq(watched, &self.main);
        let complete = of_log && log_state(conn).is_ok_and(|log| log.frames == log.moved);
        let (saved, complete) = if complete {
            (None, true)
        } else {
            match rescue::save(conn, &self.main.path, of_log) {
                Ok((saved, whole)) => (Some(saved), whole),
                Err(error) => {
                    tracing::error!(%error, "what was stored could not be saved");
                    (None, false)
                }
            }
        };
        Split {
            file: watched.path.clone(),
            how,
            saved,
            complete,
        }
    }

    /// What is known, or can be seen by name.
    fn found_split(&self) -> Option<Split> {
        if let Some(split) = self.split.get() {
            return Some(split.clone());
        }
        [&self.main, &self.log, &self.memory]
            .into_iter()
            .find_map(|watched| {
                let how = match watched.look() {
                    Change::Replaced => "was replaced",
                    Change::Removed => "was removed",
                    Change::None | Change::Shorter => return None,
                };
                Some(Split {
                    file: watched.path.clone(),
                    how,
                    saved: None,
                    complete: true,
                })
            })
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

/// Bytes before the first frame of a log, and before the page in each.
const LOG_HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;

/// What the memory that processes share says of the log.
#[derive(PartialEq, Eq)]
struct LogState {
    frames: u64,
    /// Those that are in the main file.
    moved: u64,
}

fn log_state(conn: &Connection) -> rusqlite::Result<LogState> {
    conn.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
        // Without a log SQLite says -1.
        let count = |n: i64| u64::try_from(n).unwrap_or(0);
        Ok(LogState {
            frames: count(row.get(1)?),
            moved: count(row.get(2)?),
        })
    })
}

/// The last connection of a process would move the log into the file and remove both by name.
fn never_checkpoint(conn: &Connection) {
    let off = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    if let Err(error) = off {
        tracing::error!(%error, "the old log may be moved into the store");
    }
}
