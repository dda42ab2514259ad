//! What checks said, and for how long that holds.
//!
//! One [`Availability`] belongs to a registry. A *pass* judges every check it is given once; what
//! an earlier pass learned is used again while it is fresh.
//!
//! A check that has to be asked runs on a thread of ours, since it may hang for ever. The thread
//! only leaves the answer behind: a pass that waits for it, or a later one, makes a verdict of it
//! by the rules. So an answer that came too late for the pass that asked is used by the next.
//!
//! There are two times. The clock that can be replaced gives the age of answers. How long a check
//! runs is always measured in real time, because that is what a pass waits for.

mod board;
mod decision;
mod open;
mod records;
mod rules;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crate::availability::board::Board;
use crate::availability::open::OpenChecks;
use crate::availability::records::Moment;
use crate::availability::rules::Judged;
use crate::carry::{Carry, Luggage};
use crate::check::Check;
use crate::text::clip;

/// Tells the age of answers.
pub(crate) type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

type Body = Box<dyn FnOnce() + Send>;

/// Starts a thread: a field, so that tests can have none left.
type Start = Arc<dyn Fn(thread::Builder, Body) -> std::io::Result<()> + Send + Sync>;

/// Remembers verdicts for one registry.
pub(crate) struct Availability {
    board: Arc<Board>,
    /// Changed only while the board is locked.
    epoch: AtomicU64,
    clock: Clock,
    start: Start,
}

impl Default for Availability {
    fn default() -> Availability {
        Availability::with_clock(Arc::new(Instant::now))
    }
}

impl Availability {
    /// With another clock for the age of answers. It must neither panic nor call the registry.
    pub(crate) fn with_clock(clock: Clock) -> Availability {
        Availability {
            board: Arc::default(),
            epoch: AtomicU64::new(0),
            clock,
            start: Arc::new(|builder, body| builder.spawn(body).map(drop)),
        }
    }

    #[cfg(test)]
    fn with_start(mut self, start: Start) -> Availability {
        self.start = start;
        self
    }

    /// The time by the clock that [`Verdicts::fresh_until`] is to be compared with.
    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }

    /// Rises with [`invalidate`](Availability::invalidate), so that callers can memoise.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Drops all that is remembered, successes too: whoever calls this knows that things have
    /// changed, so that a failure right after it is no flake. Answers to questions that were asked
    /// before it do not count for passes that start after it.
    pub(crate) fn invalidate(&self) {
        let mut records = self.board.lock();
        self.epoch.fetch_add(1, Ordering::AcqRel);
        records.forget_dropped_checks();
    }

    /// Judges every check once, sharing what is fresh; one call is one pass.
    ///
    /// Takes about as long as the longest budget of the checks that must be asked, and longer where
    /// more hang than run side by side (200 ms for each eight of them); twice that for a check that was still being asked when [`invalidate`](Availability::invalidate) was called.
    pub(crate) fn pass(&self, checks: &[Check], carries: &[Arc<dyn Carry>]) -> Verdicts {
        let now = self.now();
        let mut given = Vec::with_capacity(checks.len());
        let mut stale = Vec::new();
        let records = self.board.lock();
        let epoch = self.epoch();
        for check in checks {
            match records.fresh(check, epoch, now) {
                Some(judged) => given.push((check.id(), judged.clone())),
                None => stale.push(check),
            }
        }
        drop(records);
        if !stale.is_empty() {
            self.ask(OpenChecks::new(stale, epoch), carries, &mut given);
        }
        Verdicts::new(given)
    }

    /// Gets a verdict for each of the checks, by asking or by waiting for who already asks.
    fn ask(
        &self,
        mut open: OpenChecks<'_>,
        carries: &[Arc<dyn Carry>],
        given: &mut Vec<(usize, Judged)>,
    ) {
        let luggage = Luggage::pack(carries);
        let mut decisions = Vec::new();
        let mut records = self.board.lock();
        records.forget_dropped_checks();
        loop {
            let moment = Moment {
                epoch: self.epoch(),
                now: self.now(),
                real: Instant::now(),
            };
            let wake = open.settle(&mut records, moment, given, &mut decisions);
            if open.is_empty() {
                break;
            }
            let runs = open.reserve(&mut records, moment);
            if runs.is_empty() {
                records = self.board.wait(records, wake, moment.real);
                continue;
            }
            drop(records);
            for check in runs {
                self.start(check, luggage.clone());
            }
            records = self.board.lock();
        }
        drop(records);
        // What listens to logs is foreign code: it runs when no lock is held.
        for decision in &decisions {
            decision.log();
        }
    }

    /// Asks on a thread that ends when the check has returned.
    fn start(&self, check: Check, luggage: Result<Luggage, String>) {
        let id = check.id();
        let (board, clock) = (Arc::clone(&self.board), Arc::clone(&self.clock));
        // A name with a NUL in it would be a panic.
        let name = clip(&check.name().replace('\0', " "), 60);
        let builder = thread::Builder::new().name(format!("check:{name}"));
        let body = Box::new(move || {
            let answer = luggage
                .and_then(|luggage| luggage.within(|| check.ask_guarded()))
                .and_then(|answer| answer);
            board.answer(id, answer, clock());
        });
        if let Err(error) = (self.start)(builder, body) {
            let answer = Err(format!("no thread could be started for it: {error}"));
            self.board.answer(id, answer, self.now());
        }
    }
}

impl fmt::Debug for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Availability")
            .field("epoch", &self.epoch())
            .finish_non_exhaustive()
    }
}

/// What a pass found, by the identity of checks.
#[derive(Debug)]
pub(crate) struct Verdicts {
    by_id: Vec<(usize, Judged)>,
}

/// What became of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Whether tools with this check may be offered.
    pub(crate) available: bool,
    /// Why not, for people; `None` when available.
    pub(crate) reason: Option<String>,
    /// Whether the check failed, so soon after a success that it is taken to be available.
    pub(crate) flaky: bool,
}

impl Verdicts {
    fn new(mut by_id: Vec<(usize, Judged)>) -> Verdicts {
        by_id.sort_unstable_by_key(|(id, _)| *id);
        Verdicts { by_id }
    }

    /// The verdict on a check. One that was not in the pass is not available.
    pub(crate) fn get(&self, check: &Check) -> Verdict {
        let found = self
            .by_id
            .binary_search_by_key(&check.id(), |(id, _)| *id)
            .ok()
            .and_then(|index| self.by_id.get(index));
        match found {
            Some((_, judged)) => Verdict {
                available: judged.available,
                reason: judged.reason_if_unavailable().map(str::to_owned),
                flaky: judged.flaky,
            },
            None => Verdict {
                available: false,
                reason: Some("it was not asked".to_owned()),
                flaky: false,
            },
        }
    }

    /// From when on, by the clock, some verdict of the pass may no longer be used: 30 s after it
    /// was found, and at once for a flake. `None` if there was nothing to judge.
    pub(crate) fn fresh_until(&self) -> Option<Instant> {
        self.by_id
            .iter()
            .map(|(_, judged)| judged.fresh_until)
            .min()
    }
}
