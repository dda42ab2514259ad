//! What is known of each check, and the one run of it that may be under way.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::availability::decision::{Change, Decision};
use crate::availability::rules::{Judged, judge};
use crate::check::{Answer, Check, WeakCheck};

/// When a pass looks.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) epoch: u64,
    /// By the clock that gives the age of answers.
    pub(super) now: Instant,
    /// By the clock on the wall, which runs are measured with.
    pub(super) real: Instant,
}

/// All records, by [`Check::id`].
#[derive(Default)]
pub(super) struct Records {
    by_id: HashMap<usize, Record>,
    /// How many runs there have been: the last one's number.
    runs: u64,
}

struct Record {
    /// Keeps the identity from being given to another check, but not the check alive.
    check: WeakCheck,
    name: Arc<str>,
    run: Option<Run>,
    last: Option<Last>,
    /// The last success, and the epoch it was asked in.
    success: Option<(u64, Instant)>,
    /// As it was last judged, in whatever epoch: a change is logged once.
    was_available: Option<bool>,
}

/// A thread that asks, until its answer has been judged. While there is one, no other is started.
struct Run {
    number: u64,
    epoch: u64,
    /// By the clock on the wall.
    started: Instant,
    /// What the thread left, and when, by the replaceable clock.
    answer: Option<(Answer, Instant)>,
}

struct Last {
    run: u64,
    epoch: u64,
    judged: Judged,
}

/// What a pass can do about a check now.
pub(super) enum Step {
    /// Use this.
    Have(Judged),
    /// Wait for the run of this number, which was started then.
    Wait {
        run: u64,
        epoch: u64,
        started: Instant,
    },
    /// Ask.
    Ask,
}

impl Records {
    /// The verdict that can be used as it is, unless there is an answer yet to be judged.
    pub(super) fn fresh(&self, check: &Check, epoch: u64, now: Instant) -> Option<&Judged> {
        let record = self.by_id.get(&check.id())?;
        if record.run.as_ref().is_some_and(|run| run.answer.is_some()) {
            return None;
        }
        record.fresh(epoch, now)
    }

    /// What a pass that began in this epoch, and waits for this run if any, can do about a check.
    pub(super) fn step(
        &mut self,
        check: &Check,
        epoch: u64,
        joined: Option<u64>,
        moment: Moment,
        decisions: &mut Vec<Decision>,
    ) -> Step {
        let Some(record) = self.by_id.get_mut(&check.id()) else {
            return Step::Ask;
        };
        decisions.extend(record.judge_answer());
        if let Some(judged) = record.usable(epoch, joined, moment.now) {
            return Step::Have(judged.clone());
        }
        let Some(run) = &record.run else {
            return Step::Ask;
        };
        let ran = moment.real.saturating_duration_since(run.started);
        if ran < check.budget() {
            return Step::Wait {
                run: run.number,
                epoch: run.epoch,
                started: run.started,
            };
        }
        let answer = Err(format!(
            "no answer within {:?}; it has been running for {:.1} s",
            check.budget(),
            ran.as_secs_f64()
        ));
        let (judged, decision) = record.judge(run.number, moment.epoch, answer, moment.now);
        decisions.push(decision);
        Step::Have(judged)
    }

    /// Notes that a run begins, and gives its number. A run ends only by its answer, so the caller
    /// must see to it that there is one.
    pub(super) fn begin(&mut self, check: &Check, moment: Moment) -> u64 {
        self.runs += 1;
        let record = self.by_id.entry(check.id()).or_insert_with(|| Record {
            check: check.downgrade(),
            name: Arc::from(check.name()),
            run: None,
            last: None,
            success: None,
            was_available: None,
        });
        debug_assert!(record.run.is_none(), "two runs of one check");
        record.run = Some(Run {
            number: self.runs,
            epoch: moment.epoch,
            started: moment.real,
            answer: None,
        });
        self.runs
    }

    /// Notes what the run of a check found. It is judged when a pass next looks.
    pub(super) fn answer(&mut self, id: usize, answer: Answer, at: Instant) {
        let run = self.by_id.get_mut(&id).and_then(|found| found.run.as_mut());
        if let Some(run) = run {
            run.answer = Some((answer, at));
        }
    }

    /// Forgets checks that nobody can ask for again.
    pub(super) fn forget_dropped_checks(&mut self) {
        self.by_id.retain(|_, record| !record.check.is_gone());
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }
}

impl Record {
    fn fresh(&self, epoch: u64, now: Instant) -> Option<&Judged> {
        self.usable(epoch, None, now)
    }

    /// The last verdict, if it is fresh, or is the one that was waited for.
    fn usable(&self, epoch: u64, joined: Option<u64>, now: Instant) -> Option<&Judged> {
        let last = self.last.as_ref()?;
        let awaited = joined.is_some_and(|run| run <= last.run);
        let fresh = last.epoch >= epoch && now < last.judged.fresh_until;
        (awaited || fresh).then_some(&last.judged)
    }

    /// Ends the run if it has answered. In a later epoch than the run's, the verdict is only for
    /// those who waited for it.
    fn judge_answer(&mut self) -> Option<Decision> {
        let run = self.run.take_if(|run| run.answer.is_some())?;
        let (answer, at) = run.answer?;
        Some(self.judge(run.number, run.epoch, answer, at).1)
    }

    fn judge(&mut self, run: u64, epoch: u64, answer: Answer, at: Instant) -> (Judged, Decision) {
        let success = self.success.filter(|(in_epoch, _)| *in_epoch == epoch);
        let judged = judge(answer, at, success.map(|(_, at)| at));
        if judged.is_success() {
            self.success = Some((epoch, at));
        }
        self.last = Some(Last {
            run,
            epoch,
            judged: judged.clone(),
        });
        let change = Change::between(self.was_available, judged.available);
        self.was_available = Some(judged.available);
        let decision = Decision {
            check: Arc::clone(&self.name),
            judged: judged.clone(),
            change,
        };
        (judged, decision)
    }
}
