//! Giving free space back to the disk.

use std::path::Path;
use std::sync::PoisonError;

use rusqlite::Connection;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::holders::{Others, holders, others};
use crate::optimize::has_index;
use crate::schema::INDEX_TABLES;
use crate::store::Store;
use crate::write::{Patience, Tx};

/// What a vacuum did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Vacuumed {
    /// Bytes of the database before.
    pub bytes_before: u64,
    /// Bytes of the database after.
    pub bytes_after: u64,
}

impl Store {
    /// Fails with the reason if a [`vacuum`](Self::vacuum) would be refused now, by a handle that may
    /// write. Changes nothing.
    ///
    /// # Errors
    /// [`Error::Locked`] while others have the file open, [`Error::DiskFull`] if there is not room
    /// for two more copies, [`Error::SchemaTooNew`] and its like.
    pub fn check_vacuum(&self) -> Result<()> {
        let layout = self.current_layout()?;
        layout.check_writable(self.path())?;
        // Descriptors of this process tell nothing: SQLite keeps some of closed connections.
        if others(self.path(), usize::MAX) == Others::Some {
            return Err(in_use(self.path()));
        }
        let bytes = self.read(|conn, _| size(conn))?;
        check_room(self.path(), bytes.saturating_mul(2))
    }

    /// Merges the full-text index and writes the file anew without its free pages, so that deleted
    /// text is gone from it.
    ///
    /// Nobody else can write meanwhile, for seconds to minutes on a store of gigabytes: so it is
    /// refused while others have the file open.
    ///
    /// # Errors
    /// As [`check_vacuum`](Self::check_vacuum), [`Error::ReadOnly`], and those of every write.
    pub fn vacuum(&self) -> Result<Vacuumed> {
        self.check_vacuum()?;
        if self.is_read_only() {
            return Err(Error::ReadOnly {
                path: self.path().to_path_buf(),
            });
        }
        let bytes_before = self.read(|conn, _| size(conn))?;
        self.write(Patience::Short, |tx: &Tx<'_>| {
            for table in INDEX_TABLES {
                if !tx.sqlite(|conn| has_index(conn, table))? {
                    continue;
                }
                tx.execute(
                    &format!("INSERT INTO {table}({table}) VALUES('optimize')"),
                    [],
                )?;
            }
            Ok(())
        })?;
        self.rewrite()?;
        let bytes_after = self.read(|conn, _| size(conn))?;
        Ok(Vacuumed {
            bytes_before,
            bytes_after,
        })
    }

    fn rewrite(&self) -> Result<()> {
        let Some(writer) = &self.inner.writer else {
            return Err(Error::ReadOnly {
                path: self.path().to_path_buf(),
            });
        };
        let conn = writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.inner.files.check(&conn)?;
        let sqlite = |e| match Error::from_sqlite(self.path(), e) {
            Error::Locked { .. } => in_use(self.path()),
            e => e,
        };
        let checkpoint = || -> Result<bool> {
            conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                row.get::<_, i64>(0)
            })
            .map(|busy| busy == 0)
            .map_err(sqlite)
        };
        if !checkpoint()? {
            return Err(in_use(self.path()));
        }
        conn.execute_batch("VACUUM").map_err(sqlite)?;
        if !checkpoint()? {
            tracing::debug!("the log of the vacuum stays until the next checkpoint");
        }
        Ok(())
    }

    /// Whether a fifth of the file is free, or would be after a vacuum because so many messages
    /// were deleted: their index entries stay until they are merged.
    pub(crate) fn is_worth_a_vacuum(&self, deleted_messages: u64) -> Result<bool> {
        self.read(|conn, _| {
            let count = |sql| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
            let deleted = i64::try_from(deleted_messages).unwrap_or(i64::MAX);
            Ok(
                count("PRAGMA freelist_count")? >= count("PRAGMA page_count")? / 5
                    || deleted >= count("SELECT COUNT(*) FROM messages")? / 4,
            )
        })
    }
}

fn size(conn: &Connection) -> rusqlite::Result<u64> {
    let pages: i64 = conn.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    let page_size: i64 = conn.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    Ok(u64::try_from(pages.saturating_mul(page_size)).unwrap_or(0))
}

fn in_use(path: &Path) -> Error {
    Error::Locked {
        path: path.to_path_buf(),
        waited: std::time::Duration::ZERO,
        holders: holders(path),
    }
}

#[cfg(unix)]
fn check_room(path: &Path, bytes: u64) -> Result<()> {
    let free = path.parent().and_then(|folder| {
        let disk = rustix::fs::statvfs(folder).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    });
    match free {
        Some(free) if free < bytes => Err(Error::DiskFull {
            path: path.to_path_buf(),
            source: format!("a vacuum may need {bytes} bytes, and {free} are free").into(),
        }),
        _ => Ok(()),
    }
}

/// SQLite will say so.
#[cfg(not(unix))]
fn check_room(_: &Path, _: u64) -> Result<()> {
    Ok(())
}
