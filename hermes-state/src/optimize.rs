//! Putting a store in order for speed: the index merged, the missing index made, statistics for the
//! planner.
//!
//! FTS5 can merge its whole index at once, which takes minutes on a store of gigabytes and keeps
//! everybody from writing. Here it is merged in steps of a fraction of a second with pauses between;
//! whoever is stopped in between loses nothing, and the next call goes on.

use std::ops::ControlFlow;
use std::time::Duration;

use rusqlite::{Connection, params};
use serde::Serialize;

use crate::error::Result;
use crate::pace::Pace;
use crate::schema::{INDEX_TABLES, NATIVE_VERSION, PAGE_INDEX, PAGE_INDEX_SQL};
use crate::store::Store;
use crate::write::{Patience, Tx};

/// Index pages that the first step merges; later ones are fitted to the time it took.
const FIRST_PAGES: u32 = 32;

/// A step aims at holding the write lock this long, its commit included.
const STEP: Duration = Duration::from_millis(40);

/// Rows of each index that SQLite looks at for its statistics.
const ANALYSIS_LIMIT: i64 = 400;

/// What an optimisation has done so far, and at the end in all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Optimized {
    /// Steps that merged something.
    pub steps: u64,
    /// The longest transaction that merged, in milliseconds: so long nobody else could write.
    pub longest_step_ms: u64,
    /// Segments of the word and the trigram index before, where they can be read.
    pub segments_before: Option<u64>,
    /// Segments after: one each if nobody wrote meanwhile.
    pub segments_after: Option<u64>,
    /// The index tables that there are, merged or not.
    pub indexes: u64,
    /// Whether the index that pages a session's messages was missing and is made now.
    pub index_made: bool,
    /// Whether the caller ended it before all was merged.
    pub cancelled: bool,
}

impl Store {
    /// What [`optimize`](Self::optimize) has to do: segments of the full-text index, and whether an
    /// index is missing. Changes nothing.
    ///
    /// # Errors
    /// Those of every read.
    pub fn optimize_plan(&self) -> Result<Optimized> {
        self.read(|conn, layout| {
            let segments = segments(conn)?;
            Ok(Optimized {
                segments_before: segments,
                segments_after: segments.map(|found| found.min(INDEX_TABLES.len() as u64)),
                index_made: layout.version <= NATIVE_VERSION && !has_page_index(conn)?,
                ..Optimized::default()
            })
        })
    }

    /// Merges the full-text index, in steps that leave other writers their turn, makes the index
    /// that pages a session's messages if it is missing, and lets SQLite renew its statistics where
    /// it finds that of use. The last two are left out in stores newer than
    /// [`NATIVE_VERSION`], whose schema stays as it is.
    ///
    /// Making the missing index is one transaction: a fifth of a second for 200,000 messages.
    ///
    /// # Errors
    /// Those of every write. What was merged before stays merged.
    pub fn optimize(
        &self,
        progress: &mut dyn FnMut(&Optimized) -> ControlFlow<()>,
    ) -> Result<Optimized> {
        self.measured(|done| {
            done.index_made = self.write(Patience::Append, |tx| {
                let native = tx.layout().version <= NATIVE_VERSION;
                if !native || tx.sqlite(has_page_index)? {
                    return Ok(false);
                }
                tx.sqlite(|conn| conn.execute_batch(PAGE_INDEX_SQL))?;
                Ok(true)
            })?;
            self.merge_all(done, progress)?;
            if done.cancelled {
                return Ok(());
            }
            self.write(Patience::Append, |tx| {
                if tx.layout().version > NATIVE_VERSION {
                    return Ok(());
                }
                tx.sqlite(|conn| {
                    conn.pragma_update_and_check(None, "analysis_limit", ANALYSIS_LIMIT, |_| {
                        Ok(())
                    })?;
                    conn.execute_batch("PRAGMA optimize")
                })
            })
        })
    }

    /// Merges the full-text index alone, as [`optimize`](Self::optimize) does.
    ///
    /// # Errors
    /// Those of every write. What was merged before stays merged.
    pub fn merge_index(
        &self,
        progress: &mut dyn FnMut(&Optimized) -> ControlFlow<()>,
    ) -> Result<Optimized> {
        self.measured(|done| self.merge_all(done, progress))
    }

    /// The segments before and after some work on the index.
    fn measured(&self, work: impl FnOnce(&mut Optimized) -> Result<()>) -> Result<Optimized> {
        let mut done = Optimized {
            segments_before: self.read(|conn, _| segments(conn))?,
            ..Optimized::default()
        };
        work(&mut done)?;
        done.segments_after = self.read(|conn, _| segments(conn))?;
        Ok(done)
    }

    fn merge_all(
        &self,
        done: &mut Optimized,
        progress: &mut dyn FnMut(&Optimized) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut pace = Pace::new();
        for table in INDEX_TABLES {
            if done.cancelled {
                break;
            }
            if self.read(|conn, _| has_index(conn, table))? {
                done.indexes += 1;
                self.merge(table, &mut pace, done, progress)?;
            }
        }
        Ok(())
    }

    fn merge(
        &self,
        table: &'static str,
        pace: &mut Pace,
        done: &mut Optimized,
        progress: &mut dyn FnMut(&Optimized) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut pages = FIRST_PAGES;
        // The first step says that everything is to be merged, whatever its size.
        let mut all = true;
        loop {
            pace.pause(self);
            let amount = if all {
                -i64::from(pages)
            } else {
                i64::from(pages)
            };
            let (merged, held) = pace.time(|begun| {
                self.write(Patience::Append, |tx| {
                    begun();
                    merge_step(tx, table, amount)
                })
            })?;
            if !merged {
                return Ok(());
            }
            all = false;
            done.steps += 1;
            let ms = u64::try_from(held.as_millis()).unwrap_or(u64::MAX);
            done.longest_step_ms = done.longest_step_ms.max(ms);
            pages = fitted(pages, held);
            if progress(done).is_break() {
                done.cancelled = true;
                return Ok(());
            }
        }
    }
}

/// Merges some pages; `false` if there was nothing to merge, or no such index.
fn merge_step(tx: &Tx<'_>, table: &str, pages: i64) -> Result<bool> {
    tx.sqlite(|conn| {
        if !has_index(conn, table)? {
            return Ok(false);
        }
        let before = conn.total_changes();
        conn.prepare_cached(&format!(
            "INSERT INTO {table}({table}, rank) VALUES ('merge', ?1)"
        ))?
        .execute(params![pages])?;
        // SQLite's own measure: a merge that did nothing changes fewer than two rows.
        Ok(conn.total_changes().saturating_sub(before) >= 2)
    })
}

/// Whether there is such a full-text table; a damaged one may have been taken away.
pub(crate) fn has_index(conn: &Connection, table: &str) -> rusqlite::Result<bool> {
    conn.prepare_cached(
        "SELECT 1 FROM sqlite_master WHERE name = ?1 AND sql LIKE 'CREATE VIRTUAL%'",
    )?
    .exists([table])
}

fn fitted(pages: u32, took: Duration) -> u32 {
    let scaled = u128::from(pages) * STEP.as_micros() / took.as_micros().max(1);
    // No sudden leaps: the next pages may be slower.
    let scaled = scaled.min(u128::from(pages) * 2);
    u32::try_from(scaled).unwrap_or(u32::MAX).clamp(4, 1_024)
}

fn has_page_index(conn: &Connection) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?1")?
        .exists([PAGE_INDEX])
}

/// The segments of all index tables together; `None` where there is none or it cannot be read.
fn segments(conn: &Connection) -> rusqlite::Result<Option<u64>> {
    let mut total = 0;
    for table in INDEX_TABLES {
        let there = "SELECT 1 FROM sqlite_master WHERE name = ?1";
        if !conn
            .prepare_cached(there)?
            .exists([format!("{table}_idx")])?
        {
            return Ok(None);
        }
        let counted: i64 = conn
            .prepare_cached(&format!("SELECT COUNT(DISTINCT segid) FROM {table}_idx"))?
            .query_row([], |row| row.get(0))?;
        total += u64::try_from(counted).unwrap_or(0);
    }
    Ok(Some(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_steps_become_smaller_and_quick_ones_not_much_larger() {
        assert_eq!(fitted(64, STEP * 2), 32);
        assert_eq!(fitted(64, STEP / 100), 128);
        assert_eq!(fitted(4, STEP * 100), 4);
        assert_eq!(fitted(1_024, Duration::ZERO), 1_024);
    }
}
