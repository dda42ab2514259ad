//! Which call may start when. Pure: it is told what ended, and says what may begin.

use std::collections::BTreeSet;

use super::Access;
use super::touched::Touched;

/// The order of a batch: each call waits for some of the earlier ones.
#[derive(Debug)]
pub(super) struct Schedule {
    steps: Steps,
    ready: BTreeSet<usize>,
    calls: usize,
    unfinished: usize,
}

impl Schedule {
    /// Takes time and memory in line with the number of places that the calls touch (and with how
    /// deep these stand inside one another), not with the number of pairs.
    pub(super) fn new<'a>(calls: impl Iterator<Item = &'a Access>) -> Schedule {
        let calls: Vec<&Access> = calls.collect();
        let mut steps = Steps::of_calls(calls.len());
        let mut touched = Touched::by(&calls);
        // The last call that runs alone, and the calls since then.
        let mut barrier = None;
        let mut since = Vec::new();
        for (call, access) in calls.iter().enumerate() {
            if let Some(barrier) = barrier {
                steps.wait(call, barrier);
            }
            match access {
                Access::Any => {}
                Access::Places(_) => touched.touch(call, &mut steps),
                Access::None => {
                    for earlier in since.drain(..) {
                        steps.wait(call, earlier);
                    }
                    touched.forget();
                    barrier = Some(call);
                    continue;
                }
            }
            since.push(call);
        }
        let ready = (0..calls.len()).filter(|call| steps.waits_for.get(*call) == Some(&0));
        Schedule {
            ready: ready.collect(),
            steps,
            calls: calls.len(),
            unfinished: calls.len(),
        }
    }

    /// The first call that may start now. It is given once.
    pub(super) fn next(&mut self) -> Option<usize> {
        self.ready.pop_first()
    }

    /// A call has ended; others may begin.
    pub(super) fn done(&mut self, call: usize) {
        self.unfinished = self.unfinished.saturating_sub(1);
        let mut ended = vec![call];
        while let Some(step) = ended.pop() {
            for later in self.steps.end(step) {
                if later < self.calls {
                    self.ready.insert(later);
                } else {
                    // A joint has nothing to do of its own.
                    ended.push(later);
                }
            }
        }
    }

    /// Whether each call waits for the one before it, so that no two ever run at the same time.
    pub(super) fn is_in_line(&self) -> bool {
        let longest = self.steps.calls_in_line.iter().max();
        longest.is_none_or(|longest| *longest == self.calls)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.unfinished == 0
    }
}

/// What waits for what: the calls and, after them, joints. A joint has ended when all that it waits
/// for has; many calls that wait for the same many others wait for one joint instead.
#[derive(Debug)]
pub(super) struct Steps {
    calls: usize,
    /// How many earlier steps each step still waits for.
    waits_for: Vec<usize>,
    /// Which later steps wait for each step.
    awaited_by: Vec<Vec<usize>>,
    /// How many calls the longest line has that ends with this step.
    calls_in_line: Vec<usize>,
}

impl Steps {
    fn of_calls(calls: usize) -> Steps {
        Steps {
            calls,
            waits_for: vec![0; calls],
            awaited_by: vec![Vec::new(); calls],
            calls_in_line: vec![1; calls],
        }
    }

    /// All that the earlier step waits for has to be known by now.
    pub(super) fn wait(&mut self, later: usize, earlier: usize) {
        let line = self.calls_in_line.get(earlier).copied().unwrap_or_default();
        let own = usize::from(later < self.calls);
        if let (Some(count), Some(awaited_by), Some(longest)) = (
            self.waits_for.get_mut(later),
            self.awaited_by.get_mut(earlier),
            self.calls_in_line.get_mut(later),
        ) {
            *count += 1;
            awaited_by.push(later);
            *longest = (line + own).max(*longest);
        }
    }

    /// One step that ends when all of these have ended; `None` if there are none.
    pub(super) fn join(&mut self, earlier: &[usize]) -> Option<usize> {
        if earlier.len() <= 1 {
            return earlier.first().copied();
        }
        let joint = self.waits_for.len();
        self.waits_for.push(0);
        self.awaited_by.push(Vec::new());
        self.calls_in_line.push(0);
        for step in earlier {
            self.wait(joint, *step);
        }
        Some(joint)
    }

    /// The steps that waited for nothing else any more than this one.
    fn end(&mut self, step: usize) -> Vec<usize> {
        let awaited_by = self.awaited_by.get_mut(step).map(std::mem::take);
        let mut free = awaited_by.unwrap_or_default();
        free.retain(|later| {
            self.waits_for.get_mut(*later).is_some_and(|count| {
                *count = count.saturating_sub(1);
                *count == 0
            })
        });
        free
    }
}

#[cfg(test)]
mod tests;
