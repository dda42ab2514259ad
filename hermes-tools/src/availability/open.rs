//! The checks that a pass has no verdict for yet.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::availability::decision::Decision;
use crate::availability::records::{Moment, Records, Step};
use crate::availability::rules::Judged;
use crate::check::Check;

/// How many checks a pass lets run side by side.
const SIDE_BY_SIDE: usize = 8;

/// A check that has run for so long waits rather than computes, and is no longer counted: else
/// many checks that hang would make a pass as long as several of their budgets.
const SLOW: Duration = Duration::from_millis(200);

/// What one pass still has to find out.
pub(super) struct OpenChecks<'a> {
    /// The epoch that the pass began in: older answers do not count.
    epoch: u64,
    open: Vec<Open<'a>>,
    /// How many that the pass waits for are running and not slow.
    busy: usize,
}

struct Open<'a> {
    check: &'a Check,
    /// The run whose verdict this pass takes, whatever happens meanwhile.
    joined: Option<u64>,
    must_ask: bool,
}

impl<'a> OpenChecks<'a> {
    /// Each check once.
    pub(super) fn new(checks: Vec<&'a Check>, epoch: u64) -> OpenChecks<'a> {
        let mut seen = HashSet::new();
        let open = checks
            .into_iter()
            .filter(|check| seen.insert(check.id()))
            .map(|check| Open {
                check,
                joined: None,
                must_ask: false,
            })
            .collect();
        OpenChecks {
            epoch,
            open,
            busy: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Closes what a verdict can be had for, and gives the time to look again even if there is no
    /// answer: a budget ends, or a run becomes slow and makes room.
    pub(super) fn settle(
        &mut self,
        records: &mut Records,
        moment: Moment,
        given: &mut Vec<(usize, Judged)>,
        decisions: &mut Vec<Decision>,
    ) -> Option<Instant> {
        let epoch = self.epoch;
        let mut busy = 0;
        let mut wake: Option<Instant> = None;
        self.open.retain_mut(|open| {
            let check = open.check;
            open.must_ask = false;
            match records.step(check, epoch, open.joined, moment, decisions) {
                Step::Have(judged) => {
                    given.push((check.id(), judged));
                    return false;
                }
                Step::Ask => open.must_ask = true,
                Step::Wait {
                    run,
                    epoch: asked_in,
                    started,
                } => {
                    if asked_in >= epoch {
                        open.joined = Some(run);
                    }
                    let is_slow = moment.real.saturating_duration_since(started) >= SLOW;
                    busy += usize::from(!is_slow);
                    let slow_at = started.checked_add(SLOW).filter(|_| !is_slow);
                    let budget_ends = started.checked_add(check.budget());
                    wake = [wake, slow_at, budget_ends].into_iter().flatten().min();
                }
            }
            true
        });
        self.busy = busy;
        wake
    }

    /// Begins runs of those that must be asked, as many as may run now. The caller starts them.
    pub(super) fn reserve(&mut self, records: &mut Records, moment: Moment) -> Vec<Check> {
        self.open
            .iter_mut()
            .filter(|open| open.must_ask)
            .take(SIDE_BY_SIDE.saturating_sub(self.busy))
            .map(|open| {
                // Joined here already: it may have answered before this pass looks again.
                open.joined = Some(records.begin(open.check, moment));
                open.check.clone()
            })
            .collect()
    }
}
