//! The runs of a scheduled job: sessions whose ids name it.

use rusqlite::params;

use crate::error::Result;
use crate::list::{SessionSummary, read_summary, summary_columns};
use crate::store::Store;

impl Store {
    /// The sessions that a scheduled job ran in, the latest started first: those of source `cron`
    /// whose id begins with `cron_<job>_`.
    ///
    /// # Errors
    /// Those of every read.
    pub fn cron_job_runs(
        &self,
        job_id: &str,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<SessionSummary>> {
        let first = format!("cron_{job_id}_");
        // The character behind `_`: a range of the ids' own index.
        let behind = format!("cron_{job_id}`");
        let number = |n| i64::try_from(n).unwrap_or(i64::MAX);
        self.read(|conn, layout| {
            let sql = format!(
                "SELECT {} FROM sessions s
                 WHERE s.source = 'cron' AND s.id >= ?1 AND s.id < ?2
                 ORDER BY s.started_at DESC, s.id DESC LIMIT ?3 OFFSET ?4",
                summary_columns(layout, false)
            );
            conn.prepare_cached(&sql)?
                .query_map(
                    params![first, behind, number(limit), number(offset)],
                    |row| read_summary(row, layout),
                )?
                .collect()
        })
    }
}
