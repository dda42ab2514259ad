//! One error type for the whole store, with a stable code and a next step for each kind.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::ffi;

/// What every fallible function of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The engine's own error, kept as a source without showing its type.
pub type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why the store could not do what was asked.
///
/// `Display` gives the cause and what to do about it in one line; [`Error::problem`] and
/// [`Error::hint`] give the halves, and [`Error::code`] a stable word for programs. SQLite's errors are told apart by result code, never by text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no file, or an empty one, and the store was to be read only.
    NoStore {
        /// Where it was expected.
        path: PathBuf,
    },
    /// The path names a directory, a pipe, a device or a socket.
    NotAFile {
        /// The path given.
        path: PathBuf,
        /// What is there instead.
        kind: &'static str,
    },
    /// The file is not an SQLite database (or is an encrypted one).
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// An SQLite database, but without the tables of Hermes.
    NotAHermesDatabase {
        /// The file.
        path: PathBuf,
        /// The first table, or `table.column`, that was looked for and not found.
        missing: &'static str,
    },
    /// `schema_version` holds something that is not a number.
    BadSchemaVersion {
        /// The file.
        path: PathBuf,
        /// What is stored there, as text.
        found: String,
    },
    /// Written by a newer Hermes than this build may write to. Reading works.
    SchemaTooNew {
        /// The file.
        path: PathBuf,
        /// The version in the file.
        found: i64,
        /// The newest version that can be written.
        supported: i64,
    },
    /// Written by an older Hermes, and not migrated yet. Reading works.
    MigrationNeeded {
        /// The file.
        path: PathBuf,
        /// The version in the file, or the one its layout says.
        found: i64,
        /// The version that can be written.
        supported: i64,
    },
    /// Tables, rows or the file structure are damaged.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: Source,
    },
    /// The full-text index is damaged; the messages themselves are not known to be.
    IndexDamaged {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: Source,
    },
    /// The write-ahead log, or another file of the store, was replaced or removed by somebody while this
    /// process had it open. The write that noticed it was not done, and no handle that was open writes any
    /// more.
    WalReplaced {
        /// The store.
        path: PathBuf,
        /// The file that is not what it was.
        file: PathBuf,
        /// `was replaced` or `was removed`.
        how: &'static str,
        /// A copy of the store as this process saw it, if the store may lack something of that.
        saved: Option<PathBuf>,
        /// Whether all that was acknowledged is in the store or in that copy.
        complete: bool,
    },
    /// A search was ended before it was done, by its time limit or by its caller.
    Interrupted {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else held the lock for the whole write budget. Nothing was written.
    Locked {
        /// The file.
        path: PathBuf,
        /// How long was waited.
        waited: Duration,
        /// Other processes that have the file open, where the system tells (Linux).
        holders: Vec<Holder>,
    },
    /// The disk is full. Nothing of the failed write remains.
    DiskFull {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: Source,
    },
    /// The handle, the file or its folder can only be read.
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refuses access.
    PermissionDenied {
        /// The file or folder.
        path: PathBuf,
    },
    /// A test was about to open a production store. Nothing was looked at.
    LiveSystemGuard(hermes_home::guard::Refusal),
    /// Any other failure to open the file.
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// What the system or SQLite said.
        source: Source,
    },
    /// Reading or writing the file failed below SQLite.
    Io {
        /// The file.
        path: PathBuf,
        /// What SQLite or the system said.
        source: Source,
    },
    /// A message, end or reopen for a session that is not there.
    UnknownSession {
        /// The id asked for.
        id: String,
    },
    /// The parent named for a new session is not there.
    UnknownParent {
        /// The parent's id.
        id: String,
    },
    /// Another session has this title; titles are unique.
    TitleInUse {
        /// The title.
        title: String,
        /// The session that has it.
        holder: String,
    },
    /// A compressed session goes on in several others, and which one is meant is not known.
    AmbiguousContinuation {
        /// The compressed session.
        id: String,
        /// Those it goes on in.
        continuations: Vec<String>,
    },
    /// A value that cannot be stored.
    Invalid {
        /// Which argument.
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The store's schema version has no place for what was asked. Nothing was written.
    Unsupported {
        /// What was asked.
        what: &'static str,
        /// The first schema version that has it.
        needs: i64,
        /// The version of the store.
        found: i64,
    },
    /// An async call without a runtime, or in one that was already ending; nothing was done.
    Stopping,
    /// The input of an import could not be read, or the output of an export not be written.
    Stream {
        /// `reading the import` or `writing the export`.
        doing: &'static str,
        /// What the stream said.
        source: io::Error,
    },
    /// Anything else SQLite reports.
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: Source,
    },
}

/// A process that has the store open.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its name, as the system shows it.
    pub command: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem(), self.hint())
    }
}

/// A path on one line, whatever is in it.
fn shown(path: &Path) -> String {
    path.to_string_lossy()
        .chars()
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

struct ByWhom<'a>(&'a [Holder]);

impl fmt::Display for ByWhom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, holder) in self.0.iter().enumerate() {
            let lead = if n == 0 { "; open in " } else { ", " };
            write!(f, "{lead}{} (pid {})", holder.command, holder.pid)?;
        }
        Ok(())
    }
}

impl Error {
    /// A stable word for programs: `locked`, `not_a_database`, `schema_too_new`, …
    pub fn code(&self) -> &'static str {
        match self {
            Error::NoStore { .. } => "no_store",
            Error::NotAFile { .. } => "not_a_file",
            Error::NotADatabase { .. } => "not_a_database",
            Error::NotAHermesDatabase { .. } => "not_a_hermes_database",
            Error::BadSchemaVersion { .. } => "bad_schema_version",
            Error::SchemaTooNew { .. } => "schema_too_new",
            Error::MigrationNeeded { .. } => "migration_needed",
            Error::Corrupt { .. } => "corrupt",
            Error::IndexDamaged { .. } => "index_damaged",
            Error::WalReplaced { .. } => "wal_replaced",
            Error::Interrupted { .. } => "interrupted",
            Error::Locked { .. } => "locked",
            Error::DiskFull { .. } => "disk_full",
            Error::ReadOnly { .. } => "read_only",
            Error::PermissionDenied { .. } => "permission_denied",
            Error::LiveSystemGuard(_) => hermes_home::guard::Refusal::CODE,
            Error::CannotOpen { .. } => "cannot_open",
            Error::Io { .. } => "io",
            Error::UnknownSession { .. } => "unknown_session",
            Error::UnknownParent { .. } => "unknown_parent",
            Error::TitleInUse { .. } => "title_in_use",
            Error::AmbiguousContinuation { .. } => "ambiguous_continuation",
            Error::Invalid { .. } => "invalid",
            Error::Unsupported { .. } => "unsupported",
            Error::Stream { .. } => "stream",
            Error::Stopping => "stopping",
            Error::Sqlite { .. } => "sqlite",
        }
    }

    /// What is wrong, in one line.
    pub fn problem(&self) -> String {
        match self {
            Error::NoStore { path } => format!("there is no session store at {}", shown(path)),
            Error::NotAFile { path, kind } => {
                format!("{} is {kind}, not a database file", shown(path))
            }
            Error::NotADatabase { path } => format!("{} is not an SQLite database", shown(path)),
            Error::NotAHermesDatabase { path, missing } => format!(
                "{} is an SQLite database, but not one of Hermes: `{missing}` is missing",
                shown(path)
            ),
            Error::BadSchemaVersion { path, found } => format!(
                "the schema version in {} is not a number: {found:?}",
                shown(path)
            ),
            Error::SchemaTooNew {
                path,
                found,
                supported,
            } => format!(
                "{} has schema version {found}; this build writes up to version {supported}",
                shown(path)
            ),
            Error::MigrationNeeded {
                path,
                found,
                supported,
            } => format!(
                "{} has the layout of schema version {found} and must be migrated to {supported} before it can be written",
                shown(path)
            ),
            Error::Corrupt { path, source } => format!("{} is damaged: {source}", shown(path)),
            Error::IndexDamaged { path, source } => format!(
                "the full-text index of {} is damaged: {source}",
                shown(path)
            ),
            Error::WalReplaced {
                file,
                how,
                saved,
                complete,
                ..
            } => {
                let outcome = match (saved, complete) {
                    (Some(saved), true) => {
                        format!("what was stored until then is in {}", shown(saved))
                    }
                    (Some(saved), false) => {
                        format!("what can still be read of it is in {}", shown(saved))
                    }
                    (None, true) => "nothing that was stored before is lost".to_owned(),
                    (None, false) => {
                        "the last messages that were stored before may be lost".to_owned()
                    }
                };
                format!("{} {how} while the store was open: {outcome}", shown(file))
            }
            Error::Interrupted { path } => {
                format!("the search in {} was ended before it was done", shown(path))
            }
            Error::Locked {
                path,
                waited,
                holders,
            } => format!(
                "{} stayed locked for {:.1} s{}",
                shown(path),
                waited.as_secs_f64(),
                ByWhom(holders)
            ),
            Error::DiskFull { path, .. } => format!("no space left while writing {}", shown(path)),
            Error::ReadOnly { path } => format!("{} can only be read", shown(path)),
            Error::PermissionDenied { path } => format!("no permission to open {}", shown(path)),
            Error::LiveSystemGuard(refusal) => refusal.problem(),
            Error::CannotOpen { path, source } => {
                format!("{} cannot be opened: {source}", shown(path))
            }
            Error::Io { path, source } => {
                format!("reading or writing {} failed: {source}", shown(path))
            }
            Error::UnknownSession { id } => format!("there is no session `{id}`"),
            Error::UnknownParent { id } => format!("the parent session `{id}` does not exist"),
            Error::TitleInUse { title, holder } => {
                format!("the title `{title}` is already in use by session {holder}")
            }
            Error::AmbiguousContinuation { id, continuations } => format!(
                "session `{id}` goes on in several others: {}",
                continuations.join(", ")
            ),
            Error::Invalid { what, problem } => format!("{what} {problem}"),
            Error::Unsupported { what, needs, found } => format!(
                "{what} needs a store of schema version {needs} or newer; this one has version {found}"
            ),
            Error::Stopping => {
                "no tokio runtime is running here, or it is ending: nothing was done".to_owned()
            }
            Error::Stream { doing, source } => format!("{doing} failed: {source}"),
            Error::Sqlite { path, source } => {
                format!("SQLite refused a statement on {}: {source}", shown(path))
            }
        }
    }

    /// What to do next, in one line.
    pub fn hint(&self) -> &'static str {
        match self {
            Error::NoStore { .. } => {
                "check the path, or start Hermes once in that home to create the store; `hermesctl db restore` brings a backup back"
            }
            Error::NotAFile { .. } => {
                "name the state.db file itself, or put right what stands in its place"
            }
            Error::NotADatabase { .. } => {
                "check the path; if it should be a store, `hermesctl db repair` or `db restore` may bring it back (nothing was changed)"
            }
            Error::NotAHermesDatabase { .. } => {
                "name the state.db of a Hermes home (nothing was changed)"
            }
            Error::BadSchemaVersion { .. } => {
                "`hermesctl db repair` stores the number that the tables look like (nothing was changed)"
            }
            Error::SchemaTooNew { .. } => {
                "read it, or write it with the Hermes that made it (nothing was changed)"
            }
            Error::MigrationNeeded { .. } => {
                "run `hermesctl db migrate`, which opens it to write (nothing was changed)"
            }
            Error::Corrupt { .. } => {
                "copy the file with its -wal and -shm before anything else, `hermesctl db check` then names what is damaged, `db repair` saves what can be read, `db restore` brings a backup back"
            }
            Error::IndexDamaged { .. } => {
                "the messages are still readable; `hermesctl db migrate` makes the index anew, as does the first write that meets the damage"
            }
            Error::WalReplaced { .. } => {
                "end what removes or copies the files of a store in use, then close the store in this program and open it again"
            }
            Error::Interrupted { .. } => "search for less, or allow more time",
            Error::Locked { .. } => "try again, or close the program that holds it",
            Error::DiskFull { .. } => "free some space and try again; nothing was lost",
            Error::ReadOnly { .. } => "make the file and its folder writable, or work on a copy",
            Error::PermissionDenied { .. } => "run as the file's owner, or change its permissions",
            Error::LiveSystemGuard(refusal) => refusal.hint(),
            Error::CannotOpen { .. } => {
                "check that the folder exists and is writable; a store with a -wal beside it needs a writable folder (or copy both elsewhere)"
            }
            Error::Io { .. } => "check the disk; copy the store elsewhere before trying again",
            Error::UnknownSession { .. } => "list the sessions to see their ids",
            Error::UnknownParent { .. } => "create the parent first, or leave it out",
            Error::TitleInUse { .. } => "choose another title, or rename that session first",
            Error::AmbiguousContinuation { .. } => "name the session that is meant",
            Error::Invalid { .. } => "correct the value and try again",
            Error::Unsupported { .. } => {
                "leave it out, or let a newer Hermes migrate the store (nothing was changed)"
            }
            Error::Stopping => "call it inside a runtime, before that is dropped",
            Error::Stream { .. } => "check the file or pipe and try again",
            Error::Sqlite { .. } => "this is unexpected: please report it with the message",
        }
    }

    /// Turns an error of the engine into one of ours, by result code.
    pub(crate) fn from_sqlite(path: &Path, error: rusqlite::Error) -> Error {
        let path = path.to_path_buf();
        let Some(extended) = error.sqlite_extended_error_code() else {
            return Error::Sqlite {
                path,
                source: error.into(),
            };
        };
        match (extended & 0xff, extended) {
            (_, ffi::SQLITE_CORRUPT_VTAB) => Error::IndexDamaged {
                path,
                source: error.into(),
            },
            // A row of the index stands where a new one is to come. Tables name the constraint.
            (ffi::SQLITE_CONSTRAINT, _) if is_unnamed(&error) => Error::IndexDamaged {
                path,
                source: error.into(),
            },
            (ffi::SQLITE_CORRUPT, _) => Error::Corrupt {
                path,
                source: error.into(),
            },
            (ffi::SQLITE_NOTADB, _) => Error::NotADatabase { path },
            (ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_PROTOCOL, _) => {
                Error::locked(&path)
            }
            (ffi::SQLITE_INTERRUPT, _) => Error::Interrupted { path },
            (ffi::SQLITE_FULL, _) => Error::DiskFull {
                path,
                source: error.into(),
            },
            (ffi::SQLITE_READONLY, _) => Error::ReadOnly { path },
            (ffi::SQLITE_PERM | ffi::SQLITE_AUTH, _) => Error::PermissionDenied { path },
            (ffi::SQLITE_CANTOPEN, _) => Error::CannotOpen {
                path,
                source: error.into(),
            },
            // The memory that processes share is a file, too, which even reading makes.
            (_, ffi::SQLITE_IOERR_SHMSIZE) if !has_room(&path) => Error::DiskFull {
                path,
                source: error.into(),
            },
            (ffi::SQLITE_IOERR, _) => Error::Io {
                path,
                source: error.into(),
            },
            _ => Error::Sqlite {
                path,
                source: error.into(),
            },
        }
    }

    /// Somebody holds a lock at this moment; whoever waits for it says how long.
    pub(crate) fn locked(path: &Path) -> Error {
        Error::Locked {
            path: path.to_path_buf(),
            waited: Duration::ZERO,
            holders: Vec::new(),
        }
    }

    /// SQLite has taken a transaction back by itself, which it does when the disk fails.
    pub(crate) fn rolled_back(path: &Path) -> Error {
        Error::Io {
            path: path.to_path_buf(),
            source: io::Error::other("the transaction was taken back").into(),
        }
    }

    /// Whether the disk or the file has failed, and not what was asked.
    pub(crate) fn is_of_the_file(&self) -> bool {
        matches!(
            self,
            Error::Io { .. }
                | Error::DiskFull { .. }
                | Error::Corrupt { .. }
                | Error::IndexDamaged { .. }
                | Error::CannotOpen { .. }
        )
    }

    /// Whether a page of the file is not what it must be.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Error::Corrupt { .. } | Error::IndexDamaged { .. })
    }

    /// Whether waiting and trying again can help.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Error::Locked { .. })
    }
}

/// Whether a statement failed for a reason that says nothing about what it looked at: the disk, a
/// lock, memory.
pub(crate) fn is_of_the_moment(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code().is_some_and(|code| {
        matches!(
            code & 0xff,
            ffi::SQLITE_IOERR
                | ffi::SQLITE_FULL
                | ffi::SQLITE_NOMEM
                | ffi::SQLITE_BUSY
                | ffi::SQLITE_LOCKED
                | ffi::SQLITE_PROTOCOL
                | ffi::SQLITE_INTERRUPT
                | ffi::SQLITE_CANTOPEN
                | ffi::SQLITE_READONLY
                | ffi::SQLITE_PERM
                | ffi::SQLITE_AUTH
        )
    })
}

/// Whether the disk has room for the least that SQLite keeps beside a file.
#[cfg(unix)]
fn has_room(path: &Path) -> bool {
    const LEAST: u64 = 64 << 10;
    path.parent()
        .and_then(|folder| rustix::fs::statvfs(folder).ok())
        .is_none_or(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) >= LEAST)
}

/// The system is not asked.
#[cfg(not(unix))]
fn has_room(_: &Path) -> bool {
    true
}

fn is_unnamed(constraint: &rusqlite::Error) -> bool {
    matches!(constraint, rusqlite::Error::SqliteFailure(_, Some(text)) if text == "constraint failed")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CORR-04: by number, whatever the text says.
    #[test]
    fn errors_of_sqlite_are_told_apart_by_their_numbers() {
        for (number, code) in [
            (ffi::SQLITE_CORRUPT, "corrupt"),
            (ffi::SQLITE_CORRUPT_INDEX, "corrupt"),
            (ffi::SQLITE_CORRUPT_VTAB, "index_damaged"),
            (ffi::SQLITE_NOTADB, "not_a_database"),
            (ffi::SQLITE_FULL, "disk_full"),
            (ffi::SQLITE_IOERR, "io"),
            (ffi::SQLITE_IOERR_SHMMAP, "io"),
            (ffi::SQLITE_IOERR_SHORT_READ, "io"),
            (ffi::SQLITE_BUSY, "locked"),
            (ffi::SQLITE_BUSY_SNAPSHOT, "locked"),
            (ffi::SQLITE_BUSY_RECOVERY, "locked"),
            (ffi::SQLITE_LOCKED, "locked"),
            (ffi::SQLITE_PROTOCOL, "locked"),
            (ffi::SQLITE_READONLY, "read_only"),
            (ffi::SQLITE_READONLY_DIRECTORY, "read_only"),
            (ffi::SQLITE_CANTOPEN, "cannot_open"),
            (ffi::SQLITE_CANTOPEN_ISDIR, "cannot_open"),
            (ffi::SQLITE_PERM, "permission_denied"),
            (ffi::SQLITE_AUTH, "permission_denied"),
            (ffi::SQLITE_INTERRUPT, "interrupted"),
            (ffi::SQLITE_ERROR, "sqlite"),
        ] {
            let text = "disk I/O error: database is locked and malformed".to_owned();
            let said = rusqlite::Error::SqliteFailure(ffi::Error::new(number), Some(text));
            let error = Error::from_sqlite(Path::new("/home/me/state.db"), said);
            assert_eq!(error.code(), code, "{number}");
            assert!(error.to_string().contains("/home/me/state.db"), "{error}");
            assert!(error.to_string().ends_with(error.hint()) && !error.hint().is_empty());
        }
    }
}
