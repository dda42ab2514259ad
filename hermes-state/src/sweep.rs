//! Sweeps: what programs left behind that died or were closed without a word.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::delete::{Delegates, DeleteOptions, DeleteProgress, Deleted};
use crate::error::Result;
use crate::prune::{Condition, DAY, PruneCandidates};
use crate::record::column;
use crate::session::SessionId;
use crate::store::Store;
use crate::write::{Patience, Tx};

/// A continuation is taken for abandoned after this many days.
const ABANDONED_DAYS: f64 = 7.0;

/// Which continuations of a compression nothing ever went on with.
const ORPHANED: &str = "ended_at IS NULL AND end_reason IS NULL
    AND COALESCE(api_call_count, 0) = 0 AND started_at < ?1
    AND EXISTS (SELECT 1 FROM sessions p WHERE p.id = sessions.parent_session_id
        AND p.end_reason = 'compression' AND p.ended_at IS NOT NULL)
    AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id)";

/// What a sweep is to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SweepOptions {
    /// Also every other ended session without a message
    /// ([`Store::empty_sessions`]).
    pub empty: bool,
}

/// What a sweep would do.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct SweepCandidates {
    /// The sessions that would be deleted.
    #[serde(flatten)]
    pub delete: PruneCandidates,
    /// The abandoned continuations that would be ended.
    pub end: Vec<SessionId>,
}

/// What a sweep did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Swept {
    /// What was deleted.
    #[serde(flatten)]
    pub deleted: Deleted,
    /// The abandoned continuations that were ended.
    pub ended: Vec<SessionId>,
}

impl Store {
    /// What [`sweep`](Self::sweep) would do. Changes nothing.
    ///
    /// # Errors
    /// Those of every read.
    pub fn sweep_candidates(&self, options: &SweepOptions) -> Result<SweepCandidates> {
        let mut ids = self.matching(&self.ghost_condition()?)?;
        if options.empty {
            let known: BTreeSet<SessionId> = ids.iter().cloned().collect();
            let empty = self.empty_sessions()?.into_iter();
            ids.extend(empty.filter(|id| !known.contains(id)));
        }
        Ok(SweepCandidates {
            delete: self.described(&ids)?,
            end: self.orphaned_compressions()?,
        })
    }

    /// Ends abandoned continuations
    /// ([`finalize_orphaned_compressions`](Self::finalize_orphaned_compressions)), finishes deletions
    /// that were killed, and deletes ghost sessions
    /// ([`sweep_ghost_sessions`](Self::sweep_ghost_sessions)) and, if wanted, all empty ones.
    ///
    /// # Errors
    /// As [`delete_sessions`](Self::delete_sessions).
    pub fn sweep(
        &self,
        options: &SweepOptions,
        delete: &DeleteOptions,
        progress: DeleteProgress<'_>,
    ) -> Result<Swept> {
        // Before a parent is deleted that says that they are abandoned.
        let ended = self.end_orphaned()?;
        let mut swept = Swept {
            deleted: self.sweep_ghosts(delete, progress)?,
            ended,
        };
        if options.empty && !swept.deleted.cancelled {
            let before = swept.deleted.clone();
            let more = self.delete_empty_sessions(delete, &mut |done| {
                let mut all = before.clone();
                all.add(done.clone());
                progress(&all)
            })?;
            swept.deleted.add(more);
        }
        Ok(swept)
    }

    /// Deletes what a terminal interface left behind without a word said: sessions of source `tui`
    /// without title and messages that ended, and began over a day ago.
    ///
    /// # Errors
    /// As [`prune`](Self::prune).
    pub fn sweep_ghost_sessions(&self, options: &DeleteOptions) -> Result<Deleted> {
        self.sweep_ghosts(options, &mut |_| ControlFlow::Continue(()))
    }

    fn sweep_ghosts(
        &self,
        options: &DeleteOptions,
        progress: DeleteProgress<'_>,
    ) -> Result<Deleted> {
        let condition = self.ghost_condition()?;
        let ids = self.matching(&condition)?;
        self.delete_all(&ids, Some(&condition), Delegates::Leave, options, progress)
    }

    fn ghost_condition(&self) -> Result<Condition> {
        let layout = self.current_layout()?;
        // Versions before 3 have no titles.
        let untitled = if layout.sessions.has("title") {
            "AND COALESCE(s.title, '') = ''"
        } else {
            ""
        };
        let mut condition = Condition::plain(&format!(
            "s.source = 'tui' {untitled} AND s.ended_at IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)"
        ))
        .without_archived_and_delegates(&layout);
        condition.and("s.started_at < ?", [Sql::Real(self.now()? - DAY)]);
        Ok(condition)
    }

    /// The continuations that
    /// [`finalize_orphaned_compressions`](Self::finalize_orphaned_compressions) would end.
    ///
    /// # Errors
    /// Those of every read.
    pub fn orphaned_compressions(&self) -> Result<Vec<SessionId>> {
        let before = self.now()? - ABANDONED_DAYS * DAY;
        self.read(|conn, layout| {
            // Versions before 8 do not count the calls of a model.
            if layout.sessions.has("api_call_count") {
                orphaned(conn, before)
            } else {
                Ok(Vec::new())
            }
        })
    }

    /// Ends the continuations of a compression that nothing ever went on with: open sessions with
    /// messages and no call of a model, which began over a week ago under a session that ended by
    /// compression. Returns how many there were.
    ///
    /// # Errors
    /// Those of every write.
    pub fn finalize_orphaned_compressions(&self) -> Result<u64> {
        Ok(self.end_orphaned()?.len() as u64)
    }

    fn end_orphaned(&self) -> Result<Vec<SessionId>> {
        let now = self.now()?;
        self.write(Patience::Short, |tx: &Tx<'_>| {
            let ids = tx.sqlite(|conn| orphaned(conn, now - ABANDONED_DAYS * DAY))?;
            for id in &ids {
                tx.execute(
                    "UPDATE sessions SET ended_at = ?2, end_reason = 'orphaned_compression'
                     WHERE id = ?1",
                    params![id.as_str(), now],
                )?;
            }
            Ok(ids)
        })
    }
}

fn orphaned(conn: &Connection, before: f64) -> rusqlite::Result<Vec<SessionId>> {
    conn.prepare_cached(&format!("SELECT id FROM sessions WHERE {ORPHANED}"))?
        .query_map([before], |row| column(row, 0))?
        .collect()
}
