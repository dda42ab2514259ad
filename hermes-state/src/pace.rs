//! How long a batch may take, by how long the last ones took.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::holders::{Others, others};
use crate::store::Store;

/// A batch holds the write lock about this long, its commit included. Measured with 0.13.0 beside:
/// 100 ms with pauses of 50 ms make another writer wait 0.1 s, 250 ms without make it wait 11.8 s.
const HOLD: Duration = Duration::from_millis(75);

/// So long the lock is left to others after each batch.
const PAUSE: Duration = Duration::from_millis(50);

/// Enough for another thread of this handle to take the writer.
const YIELD: Duration = Duration::from_millis(1);

/// How often it is looked whether others have the file open.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What one batch may do.
pub(crate) struct Allowance {
    /// So long it may work before it commits.
    pub(crate) time: Duration,
    /// What a message takes, as far as is known.
    pub(crate) per_message: Duration,
}

/// The pace of one piece of work.
pub(crate) struct Pace {
    budget: Duration,
    per_message: Duration,
    started: bool,
    /// How long the lock was held since the last pause.
    held: Duration,
    looked: Option<(Instant, Others)>,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace {
            budget: HOLD / 2,
            per_message: Duration::from_micros(300),
            started: false,
            held: Duration::ZERO,
            looked: None,
        }
    }

    pub(crate) fn allowance(&self) -> Allowance {
        Allowance {
            time: self.budget,
            per_message: self.per_message,
        }
    }

    /// Leaves the lock to others between two batches.
    pub(crate) fn pause(&mut self, store: &Store) {
        if !std::mem::replace(&mut self.started, true) {
            return;
        }
        self.held = Duration::ZERO;
        let others = match self.looked {
            Some((at, others)) if at.elapsed() < LOOK_EVERY => others,
            _ => {
                let found = others(store.path(), store.connections());
                self.looked = Some((Instant::now(), found));
                found
            }
        };
        std::thread::sleep(match others {
            Others::None => YIELD,
            Others::Some | Others::Unknown => PAUSE,
        });
    }

    /// [`pause`](Self::pause) if the lock was held for as long as a batch since the last one.
    pub(crate) fn pause_if_due(&mut self, store: &Store) {
        if self.held >= HOLD / 2 {
            self.pause(store);
        }
    }

    /// Runs a write and tells how long it held the lock: from the call that its body makes.
    pub(crate) fn time<T>(
        &self,
        write: impl FnOnce(&dyn Fn()) -> Result<T>,
    ) -> Result<(T, Duration)> {
        let began = Cell::new(Instant::now());
        let outcome = write(&|| began.set(Instant::now()))?;
        Ok((outcome, began.get().elapsed()))
    }

    pub(crate) fn learn(&mut self, held: Duration, messages: u64) {
        self.held += held;
        let Ok(messages) = u32::try_from(messages) else {
            return;
        };
        if messages > 0 {
            self.per_message = (self.per_message + held / messages) / 2;
        }
        let over = self.budget + held.saturating_sub(self.budget);
        self.budget = if over > HOLD {
            // The commit took what was over; the next one will, too.
            self.budget.saturating_sub((over - HOLD) / 2).max(HOLD / 8)
        } else {
            (self.budget + HOLD / 16).min(HOLD * 4 / 5)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_commit_makes_the_next_batch_smaller_and_a_quick_one_larger() {
        let mut pace = Pace::new();
        let first = pace.budget;
        pace.learn(HOLD * 3, 10);
        assert!(pace.budget < first);
        for _ in 0..100 {
            pace.learn(pace.budget, 10);
        }
        assert_eq!(pace.budget, HOLD * 4 / 5);
        for _ in 0..100 {
            pace.learn(HOLD * 100, 1);
        }
        assert_eq!(pace.budget, HOLD / 8);
    }
}
