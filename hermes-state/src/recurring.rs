//! Failures that come again and again, as a damaged store does in a loop that opens it: told when they
//! begin, then ever more seldom, with their number.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;

/// After the first time a failure is told the 10th, 100th, … time, and when it has not been told for
/// this long. That doubles with each time, up to [`LONGEST`].
const SHORTEST: Duration = Duration::from_secs(60);

/// One that has stayed away for this long is a new one.
const LONGEST: Duration = Duration::from_secs(3600);

/// Failures that are kept apart; with more, all are forgotten.
const MOST: usize = 256;

/// The store, what could not be done, and the code of the reason.
type Failure = (PathBuf, &'static str, &'static str);

static KNOWN: Mutex<Known> = Mutex::new(Known(BTreeMap::new()));

/// Logs what could not be done with a store and the error that is the reason, unless it has been told a
/// moment ago.
pub(crate) fn warn(path: &Path, what: &'static str, error: &Error) {
    warn_because(path, what, error.code(), error);
}

/// [`warn`] for a reason that is no error of ours.
pub(crate) fn warn_because(path: &Path, what: &'static str, code: &'static str, why: &dyn Display) {
    let failure = (path.to_path_buf(), what, code);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let times = known.note(failure, Instant::now());
    drop(known);
    match times {
        None => {}
        Some(1) => tracing::warn!(path = %path.display(), error = %why, "{what}"),
        Some(times) => {
            tracing::warn!(path = %path.display(), error = %why, times, "{what}, again and again");
        }
    }
}

struct Known(BTreeMap<Failure, Seen>);

struct Seen {
    times: u64,
    last: Instant,
    told: Instant,
    pause: Duration,
}

impl Known {
    /// How often this has happened, if that is to be told now.
    fn note(&mut self, failure: Failure, now: Instant) -> Option<u64> {
        self.0
            .retain(|_, seen| now.saturating_duration_since(seen.last) < LONGEST);
        if self.0.len() >= MOST && !self.0.contains_key(&failure) {
            self.0.clear();
        }
        let seen = self.0.entry(failure).or_insert(Seen {
            times: 0,
            last: now,
            told: now,
            pause: SHORTEST,
        });
        seen.times += 1;
        seen.last = now;
        let is_round = 10_u64.pow(seen.times.ilog10()) == seen.times;
        let is_due = now.saturating_duration_since(seen.told) >= seen.pause;
        if is_due {
            seen.pause = (seen.pause * 2).min(LONGEST);
        }
        if !is_round && !is_due {
            return None;
        }
        seen.told = now;
        Some(seen.times)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Level, Metadata, Subscriber};

    use super::*;
    use crate::maintenance;
    use crate::store::Store;

    fn failure(n: usize) -> Failure {
        (PathBuf::from(format!("/{n}/state.db")), "not done", "io")
    }

    fn told(known: &mut Known, times: u64, every: Duration, from: Instant) -> Vec<u64> {
        (0..times)
            .filter_map(|n| known.note(failure(0), from + every * u32::try_from(n).unwrap()))
            .collect()
    }

    #[test]
    fn a_failure_in_a_loop_is_told_at_each_power_of_ten() {
        let mut known = Known(BTreeMap::new());
        let told = told(&mut known, 1000, Duration::from_millis(1), Instant::now());
        assert_eq!(told, [1, 10, 100, 1000]);
    }

    #[test]
    fn a_failure_four_times_a_minute_is_told_every_hour_in_the_end() {
        let mut known = Known(BTreeMap::new());
        let told = told(&mut known, 5760, Duration::from_secs(15), Instant::now());
        // 1, 3, 7, … minutes after the first, and the powers of ten.
        assert_eq!(told[..5], [1, 5, 10, 18, 34]);
        assert!(told.len() < 40, "{told:?}");
    }

    #[test]
    fn one_that_was_gone_for_long_is_new_and_others_are_told_apart() {
        let mut known = Known(BTreeMap::new());
        let now = Instant::now();
        assert_eq!(known.note(failure(0), now), Some(1));
        assert_eq!(known.note(failure(0), now), None);
        assert_eq!(known.note(failure(1), now), Some(1));
        assert_eq!(known.note(failure(0), now + LONGEST), Some(1));
    }

    thread_local! {
        static WARNINGS: Cell<u64> = const { Cell::new(0) };
    }

    /// Counts the warnings of each thread.
    struct Warnings;

    impl Subscriber for Warnings {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.is_event() && *metadata.level() <= Level::WARN
        }

        fn event(&self, _: &Event<'_>) {
            WARNINGS.set(WARNINGS.get() + 1);
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn background_work_that_fails_over_and_over_is_told_seldom() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.db");
        drop(Store::open(&path).unwrap());
        // In the way of the table that would be filled.
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(
                "DROP TABLE messages_fts_trigram;
                 CREATE VIEW hermes_reindex_trigram AS SELECT 1 AS content",
            )
            .unwrap();
        tracing::subscriber::set_global_default(Warnings).unwrap();
        let store = Store::open(&path).unwrap();
        let before = WARNINGS.get();
        assert!(before > 0);
        for _ in 0..20 {
            assert!(maintenance::index(&store).is_some());
        }
        // The first and the tenth, of this and of what it has tried; the thread has told some.
        let more = WARNINGS.get() - before;
        assert!((1..=4).contains(&more), "{more}");
    }

    #[test]
    fn what_is_remembered_does_not_grow_without_end() {
        let mut known = Known(BTreeMap::new());
        for n in 0..10 * MOST {
            known.note(failure(n), Instant::now());
        }
        assert!(known.0.len() <= MOST);
    }
}
