//! Moving the write-ahead log into the file when asked for; otherwise it happens by itself.

use std::sync::PoisonError;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::open::wal_bytes;
use crate::store::Store;

/// How much a checkpoint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Checkpoint {
    /// What can be moved while others go on reading and writing.
    #[default]
    Passive,
    /// All of it, and the log is cut to nothing. Waits for readers and writers for as long as one
    /// try of a write.
    Truncate,
}

/// What a checkpoint did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Checkpointed {
    /// Whether the whole log is in the file now.
    pub complete: bool,
    /// Pages in the log.
    pub log_pages: u64,
    /// Those of them that are in the file now.
    pub moved_pages: u64,
    /// Bytes of the log before.
    pub log_bytes_before: u64,
    /// Bytes of the log after.
    pub log_bytes_after: u64,
}

impl Store {
    /// Moves the write-ahead log into the file. In a store without one there is nothing to move.
    ///
    /// That others kept a part from being moved is no error: see [`Checkpointed::complete`].
    ///
    /// # Errors
    /// [`Error::ReadOnly`] and its like, and those of every write.
    pub fn checkpoint(&self, how: Checkpoint) -> Result<Checkpointed> {
        let Some(writer) = &self.inner.writer else {
            self.layout().check_writable(self.path())?;
            return Err(Error::ReadOnly {
                path: self.path().to_path_buf(),
            });
        };
        let log_bytes_before = wal_bytes(self.path());
        let sql = match how {
            Checkpoint::Passive => "PRAGMA wal_checkpoint(PASSIVE)",
            Checkpoint::Truncate => "PRAGMA wal_checkpoint(TRUNCATE)",
        };
        let conn = writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.inner.files.check(&conn)?;
        let (busy, log, moved) = conn
            .query_row(sql, [], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, i64>(1)?,
                    row.get::<_, i64>(2)?,
                ))
            })
            .map_err(|e| Error::from_sqlite(self.path(), e))?;
        drop(conn);
        // Without a log SQLite says -1.
        let pages = |n| u64::try_from(n).unwrap_or(0);
        let log_bytes_after = wal_bytes(self.path());
        // Nothing can be kept from being moved where there is nothing, whoever holds the lock.
        let empty = log_bytes_before == 0 && log_bytes_after == 0;
        Ok(Checkpointed {
            complete: empty || busy == 0 && log == moved,
            log_pages: pages(log),
            moved_pages: pages(moved),
            log_bytes_before,
            log_bytes_after,
        })
    }
}
