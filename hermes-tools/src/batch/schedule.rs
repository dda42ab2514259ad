//! Which call may start when. Pure: it is told what ended, and says what may begin.

use std::collections::BTreeSet;

use super::Access;

/// The order of a batch: each call waits for some of the earlier ones.
#[derive(Debug)]
pub(super) struct Schedule {
    /// How many earlier calls each call still waits for.
    waits_for: Vec<usize>,
    /// Which later calls wait for each call.
    awaited_by: Vec<Vec<usize>>,
    ready: BTreeSet<usize>,
    unfinished: usize,
    in_line: bool,
}

impl Schedule {
    pub(super) fn new<'a>(calls: impl Iterator<Item = &'a Access>) -> Schedule {
        let calls: Vec<&Access> = calls.collect();
        let mut schedule = Schedule {
            waits_for: vec![0; calls.len()],
            awaited_by: vec![Vec::new(); calls.len()],
            ready: BTreeSet::new(),
            unfinished: calls.len(),
            in_line: calls
                .iter()
                .zip(calls.iter().skip(1))
                .all(|(one, next)| conflict(one, next)),
        };
        // The last call that runs alone, and the calls since then.
        let mut barrier = None;
        let mut since: Vec<(usize, &Access)> = Vec::new();
        for (index, access) in calls.into_iter().enumerate() {
            if let Some(barrier) = barrier {
                schedule.wait(index, barrier);
            }
            for &(earlier, _) in since.iter().filter(|(_, other)| conflict(other, access)) {
                schedule.wait(index, earlier);
            }
            if matches!(access, Access::None) {
                barrier = Some(index);
                since.clear();
            } else {
                since.push((index, access));
            }
        }
        for (index, waits_for) in schedule.waits_for.iter().enumerate() {
            if *waits_for == 0 {
                schedule.ready.insert(index);
            }
        }
        schedule
    }

    fn wait(&mut self, later: usize, earlier: usize) {
        if let (Some(count), Some(awaited_by)) = (
            self.waits_for.get_mut(later),
            self.awaited_by.get_mut(earlier),
        ) {
            *count += 1;
            awaited_by.push(later);
        }
    }

    /// The first call that may start now. It is given once.
    pub(super) fn next(&mut self) -> Option<usize> {
        self.ready.pop_first()
    }

    /// A call has ended; others may begin.
    pub(super) fn done(&mut self, call: usize) {
        self.unfinished = self.unfinished.saturating_sub(1);
        let awaited_by = self.awaited_by.get_mut(call).map(std::mem::take);
        for later in awaited_by.unwrap_or_default() {
            if let Some(count) = self.waits_for.get_mut(later) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    self.ready.insert(later);
                }
            }
        }
    }

    /// Whether each call waits for the one before it, so that no two ever run at the same time.
    pub(super) fn is_in_line(&self) -> bool {
        self.in_line
    }

    pub(super) fn is_finished(&self) -> bool {
        self.unfinished == 0
    }
}

fn conflict(one: &Access, other: &Access) -> bool {
    match (one, other) {
        (Access::None, _) | (_, Access::None) => true,
        (Access::Any, _) | (_, Access::Any) => false,
        (Access::Places(one), Access::Places(other)) => one
            .iter()
            .any(|place| other.iter().any(|touched| place.conflicts(touched))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::super::paths::Place;
    use super::*;
    use crate::concurrency::PathAccess;

    fn any_access() -> impl Strategy<Value = Access> {
        let path = prop::sample::select(vec!["/n/a", "/n/b", "/n/a/x", "/n"]);
        let place = (path, any::<bool>()).prop_map(|(path, writes)| {
            Place::find(&PathAccess {
                path: PathBuf::from(path),
                writes,
            })
            .unwrap()
        });
        prop_oneof![
            Just(Access::Any),
            Just(Access::None),
            prop::collection::vec(place, 0..3).prop_map(Access::Places),
        ]
    }

    proptest! {
        #[test]
        fn every_call_runs_once_and_never_beside_one_it_conflicts_with(
            calls in prop::collection::vec(any_access(), 0..12),
            choices in prop::collection::vec(any::<prop::sample::Index>(), 64),
            limit in 1_usize..6,
        ) {
            let mut schedule = Schedule::new(calls.iter());
            let in_line = schedule.is_in_line();
            let mut choices = choices.into_iter().cycle();
            let mut running: Vec<usize> = Vec::new();
            let mut started: Vec<usize> = Vec::new();
            let mut ended: Vec<usize> = Vec::new();
            while !schedule.is_finished() {
                while running.len() < limit && let Some(call) = schedule.next() {
                    for other in &running {
                        prop_assert!(!conflict(&calls[*other], &calls[call]));
                    }
                    for earlier in 0..call {
                        let waits = conflict(&calls[earlier], &calls[call]);
                        prop_assert!(!waits || ended.contains(&earlier));
                    }
                    prop_assert!(!in_line || running.is_empty());
                    running.push(call);
                    started.push(call);
                }
                prop_assert!(!running.is_empty(), "nothing runs and nothing may start");
                let call = running.swap_remove(choices.next().unwrap().index(running.len()));
                ended.push(call);
                schedule.done(call);
            }
            started.sort_unstable();
            prop_assert_eq!(started, (0..calls.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn calls_that_may_run_beside_each_other_are_all_ready_at_once() {
        let calls = [
            Access::Any,
            Access::Places(Vec::new()),
            Access::Any,
            Access::None,
        ];
        let mut schedule = Schedule::new(calls.iter());
        let ready: Vec<usize> = std::iter::from_fn(|| schedule.next()).collect();
        assert_eq!(ready, [0, 1, 2]);
    }

    #[test]
    fn calls_that_all_wait_for_each_other_are_in_line() {
        let in_line = |calls: &[Access]| Schedule::new(calls.iter()).is_in_line();
        assert!(in_line(&[]));
        assert!(in_line(&[Access::None, Access::Any, Access::None]));
        assert!(!in_line(&[Access::None, Access::Any, Access::Any]));
    }
}
