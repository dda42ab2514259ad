//! The directories that sessions worked in.

use serde::Serialize;

use crate::error::Result;
use crate::prune::unsupported;
use crate::record::column;
use crate::store::Store;

/// The version that has a column for it.
const SINCE: i64 = 14;

/// A directory, and the sessions that worked in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DirectoryUse {
    /// The directory, as stored.
    pub cwd: String,
    /// How many sessions worked in it.
    pub sessions: u64,
    /// The latest end of these, or start of one that has not ended, in seconds since the epoch.
    pub last_active: f64,
}

impl Store {
    /// The directories that sessions worked in, in the order of their names. Sessions of every kind
    /// count, archived ones if wanted.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) below version 14, and those of every read.
    pub fn session_directories(&self, include_archived: bool) -> Result<Vec<DirectoryUse>> {
        let layout = self.current_layout()?;
        if !layout.sessions.has("cwd") {
            return Err(unsupported("the working directory", SINCE, &layout));
        }
        let archived = if include_archived || !layout.sessions.has("archived") {
            ""
        } else {
            "AND COALESCE(archived, 0) = 0"
        };
        self.read(|conn, _| {
            conn.prepare_cached(&format!(
                "SELECT cwd, COUNT(*), MAX(COALESCE(ended_at, started_at, 0)) FROM sessions
                 WHERE trim(cwd) != '' {archived} GROUP BY cwd ORDER BY cwd"
            ))?
            .query_map([], |row| {
                Ok(DirectoryUse {
                    cwd: column(row, 0)?,
                    sessions: row
                        .get::<_, i64>(1)
                        .map(|n| u64::try_from(n).unwrap_or(0))?,
                    last_active: column(row, 2)?,
                })
            })?
            .collect()
        })
    }
}
