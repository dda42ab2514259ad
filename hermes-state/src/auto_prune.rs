//! Automatic prune: now and then, by one of the processes that share the store.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::Serialize;

use crate::delete::{DeleteOptions, DeleteProgress, Deleted};
use crate::error::{Error, Result};
use crate::meta;
use crate::prune::{Age, PruneFilter};
use crate::store::Store;
use crate::vacuum::Vacuumed;
use crate::write::Patience;

/// The key in `state_meta`, shared with Hermes: the time of the last run, in seconds, as text.
const LAST_RUN: &str = "last_auto_prune";

/// How many days ended sessions are kept; zero days: for ever.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retention(f64);

impl Retention {
    /// Sessions are kept for ever.
    pub const FOREVER: Retention = Retention(0.0);

    /// Sessions are kept so many days; 0 means for ever.
    ///
    /// # Errors
    /// [`Error::Invalid`] if that is negative or no number.
    pub fn days(days: f64) -> Result<Retention> {
        if days.is_finite() && days >= 0.0 {
            return Ok(Retention(days));
        }
        Err(Error::Invalid {
            what: "retention",
            problem: format!("is no number of days: {days}"),
        })
    }

    fn limit(self) -> Option<f64> {
        (self.0 > 0.0).then_some(self.0)
    }
}

impl FromStr for Retention {
    type Err = Error;

    fn from_str(text: &str) -> Result<Retention> {
        let days = text.trim().parse::<f64>().map_err(|_| Error::Invalid {
            what: "retention",
            problem: format!("is no number of days: {text:?}"),
        })?;
        Retention::days(days)
    }
}

/// What an automatic prune keeps, and how often it runs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AutoPrune {
    /// How long sessions are kept. 90 days by default.
    pub retention: Retention,
    /// How long those of some sources are kept instead.
    pub by_source: BTreeMap<String, Retention>,
    /// What their age is counted from. The last activity by default.
    pub age: Age,
    /// At most one run in so many hours. 24 by default.
    pub min_interval_hours: f64,
    /// Whether to vacuum after a run that has freed a fifth of the file, if nobody else uses it.
    pub vacuum: bool,
    /// Whether the sessions' files are removed, too.
    pub delete: DeleteOptions,
}

impl Default for AutoPrune {
    fn default() -> AutoPrune {
        AutoPrune {
            retention: Retention(90.0),
            by_source: BTreeMap::new(),
            age: Age::Activity,
            min_interval_hours: 24.0,
            vacuum: false,
            delete: DeleteOptions::default(),
        }
    }
}

impl AutoPrune {
    /// A filter for each source with a time of its own, and one for the others.
    fn filters(&self) -> Vec<PruneFilter> {
        let mut filters = Vec::new();
        let mut others = PruneFilter::new();
        for (source, retention) in &self.by_source {
            others = others.exclude_source(source);
            if let Some(days) = retention.limit() {
                filters.push(PruneFilter::new().source(source).older_than_days(days));
            }
        }
        if let Some(days) = self.retention.limit() {
            filters.push(others.older_than_days(days));
        }
        filters.into_iter().map(|f| f.age_by(self.age)).collect()
    }
}

/// What an automatic prune did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct AutoPruned {
    /// Whether nothing was done, because the last run is not long ago.
    pub skipped: bool,
    /// What was deleted.
    pub deleted: Deleted,
    /// What the vacuum did, if there was one.
    pub vacuumed: Option<Vacuumed>,
    /// Why there was none although it was asked for and worth it.
    pub vacuum_refused: Option<String>,
}

impl Store {
    /// Prunes if no process has done so within the interval. Of several that ask at once, one does
    /// it: the check and the claim are one transaction. Sessions that have not ended are never
    /// touched.
    ///
    /// # Errors
    /// Those of [`prune`](Self::prune).
    pub fn auto_prune(
        &self,
        policy: &AutoPrune,
        progress: DeleteProgress<'_>,
    ) -> Result<AutoPruned> {
        let mut report = AutoPruned::default();
        let filters = policy.filters();
        if filters.is_empty() || !self.claim_auto_prune(policy.min_interval_hours)? {
            report.skipped = true;
            return Ok(report);
        }
        for filter in filters {
            let done = self.prune(&filter, &policy.delete, progress)?;
            let cancelled = done.cancelled;
            report.deleted.add(done);
            if cancelled {
                return Ok(report);
            }
        }
        if policy.vacuum
            && !report.deleted.ids.is_empty()
            && self.is_worth_a_vacuum(report.deleted.messages)?
        {
            match self.vacuum() {
                Ok(done) => report.vacuumed = Some(done),
                Err(e) => report.vacuum_refused = Some(e.to_string()),
            }
        }
        Ok(report)
    }

    /// Takes the run that is due, or tells that none is.
    fn claim_auto_prune(&self, min_interval_hours: f64) -> Result<bool> {
        let now = self.now()?;
        self.write(Patience::Short, |tx| {
            let last = tx.sqlite(|conn| meta::get(conn, LAST_RUN))?;
            let last = last.and_then(|t| t.trim().parse::<f64>().ok());
            if last.is_some_and(|last| now - last < min_interval_hours * 3600.0) {
                return Ok(false);
            }
            // As Python writes a float: always with a point.
            meta::set_meta(tx, LAST_RUN, &format!("{now:?}"))?;
            Ok(true)
        })
    }
}
