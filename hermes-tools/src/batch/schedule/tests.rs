//! The order of batches, against the rule that says which two calls must not run side by side.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::paths::Place;
use super::*;
use crate::concurrency::PathAccess;

fn place(path: &str, writes: bool) -> Place {
    let path = PathBuf::from(path);
    Place::find(&PathAccess { path, writes }).unwrap()
}

fn reads(path: &str) -> Access {
    Access::Places(vec![place(path, false)])
}

fn writes(path: &str) -> Access {
    Access::Places(vec![place(path, true)])
}

/// The rule: every two calls that conflict run in their order.
fn conflict(one: &Access, other: &Access) -> bool {
    match (one, other) {
        (Access::None, _) | (_, Access::None) => true,
        (Access::Any, _) | (_, Access::Any) => false,
        (Access::Places(one), Access::Places(other)) => one
            .iter()
            .any(|place| other.iter().any(|touched| place.conflicts(touched))),
    }
}

/// Whom each call has to wait for, at once or because of another, by the rule.
fn order_by_rule(calls: &[Access]) -> Vec<BTreeSet<usize>> {
    let mut order: Vec<BTreeSet<usize>> = Vec::new();
    for (call, access) in calls.iter().enumerate() {
        let mut before = BTreeSet::new();
        for earlier in 0..call {
            if conflict(&calls[earlier], access) {
                before.insert(earlier);
                before.extend(&order[earlier]);
            }
        }
        order.push(before);
    }
    order
}

/// The same, as it was scheduled.
fn order_of(schedule: &Schedule) -> Vec<BTreeSet<usize>> {
    let steps = schedule.steps.awaited_by.len();
    // No step waits for a later call; joints wait for earlier joints.
    let mut waits_for: Vec<Vec<usize>> = vec![Vec::new(); steps];
    for (earlier, awaited_by) in schedule.steps.awaited_by.iter().enumerate() {
        for later in awaited_by {
            waits_for[*later].push(earlier);
        }
    }
    let all_before = |call: usize| {
        let mut before = BTreeSet::new();
        let mut open = waits_for[call].clone();
        while let Some(step) = open.pop() {
            if before.insert(step) {
                open.extend(&waits_for[step]);
            }
        }
        before
            .into_iter()
            .filter(|step| *step < schedule.calls)
            .collect()
    };
    (0..schedule.calls).map(all_before).collect()
}

fn any_access() -> impl Strategy<Value = Access> {
    let path = prop::sample::select(vec![
        "/n",
        "/n/a",
        "/n/a/x",
        "/n/a/x/deep",
        "/n/a/y",
        "/n/ab",
        "/n/b",
        "/n/b/x",
        "/m",
        "/",
    ]);
    let place = (path, any::<bool>()).prop_map(|(path, writes)| place(path, writes));
    prop_oneof![
        1 => Just(Access::Any),
        1 => Just(Access::None),
        12 => prop::collection::vec(place, 0..4).prop_map(Access::Places),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn the_order_is_that_of_the_rule_for_each_pair(
        calls in prop::collection::vec(any_access(), 0..24),
    ) {
        let schedule = Schedule::new(calls.iter());
        prop_assert_eq!(order_of(&schedule), order_by_rule(&calls));
        let in_line = calls.windows(2).all(|pair| conflict(&pair[0], &pair[1]));
        prop_assert_eq!(schedule.is_in_line(), in_line);
    }
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
        reads("/n"),
        reads("/n/a"),
        Access::None,
    ];
    let mut schedule = Schedule::new(calls.iter());
    let ready: Vec<usize> = std::iter::from_fn(|| schedule.next()).collect();
    assert_eq!(ready, [0, 1, 2, 3, 4]);
}

#[test]
fn calls_that_all_wait_for_each_other_are_in_line() {
    let in_line = |calls: &[Access]| Schedule::new(calls.iter()).is_in_line();
    assert!(in_line(&[]));
    assert!(in_line(&[Access::None, Access::Any, Access::None]));
    assert!(in_line(&[writes("/n/a"), reads("/n"), writes("/n/b")]));
    assert!(!in_line(&[Access::None, Access::Any, Access::Any]));
    assert!(!in_line(&[writes("/n/a"), writes("/n/b"), writes("/n")]));
}

const MANY: usize = 10_000;

/// Batches in which nearly every pair conflicts, or none does, and whose order must still be short.
fn large_batches() -> Vec<(&'static str, Vec<Access>)> {
    let numbered = |n: usize| format!("/n/{}/{}", n % 100, n);
    let batch = |access: &dyn Fn(usize) -> Access| (0..MANY).map(access).collect();
    vec![
        ("places of their own", batch(&|n| writes(&numbered(n)))),
        ("writes to one place", batch(&|_| writes("/n/a"))),
        ("reads of one place", batch(&|_| reads("/n/a"))),
        (
            "writes inside what many read before",
            batch(&|n| {
                if n < MANY / 2 {
                    reads("/n")
                } else {
                    writes(&numbered(n))
                }
            }),
        ),
        (
            "reads of what many wrote inside",
            batch(&|n| {
                if n < MANY / 2 {
                    writes(&numbered(n))
                } else {
                    reads("/n")
                }
            }),
        ),
        (
            "reads of all and writes of one in turn",
            batch(&|n| {
                if n % 2 == 0 {
                    writes(&numbered(n))
                } else {
                    reads("/n")
                }
            }),
        ),
        (
            "writes of all and of one in turn",
            batch(&|n| {
                if n % 2 == 0 {
                    writes(&numbered(n))
                } else {
                    writes("/n")
                }
            }),
        ),
        (
            "every tenth one alone",
            batch(&|n| {
                if n % 10 == 0 {
                    Access::None
                } else {
                    writes(&numbered(n))
                }
            }),
        ),
    ]
}

#[test]
fn the_order_of_many_calls_takes_little_room_and_time() {
    for (what, calls) in large_batches() {
        let started = Instant::now();
        let mut schedule = Schedule::new(calls.iter());
        let waits: usize = schedule.steps.awaited_by.iter().map(Vec::len).sum();
        let steps = schedule.steps.awaited_by.len();
        assert!(waits <= 5 * MANY, "{what}: {waits} waits");
        assert!(steps <= 3 * MANY, "{what}: {steps} steps");
        while let Some(call) = schedule.next() {
            schedule.done(call);
        }
        assert!(schedule.is_finished(), "{what}");
        // By pairs it is minutes.
        let taken = started.elapsed();
        assert!(taken < Duration::from_secs(10), "{what}: {taken:?}");
    }
}

#[test]
fn one_call_that_touches_many_places_is_ordered_as_soon() {
    let many = |from: usize| {
        let place = |n: usize| place(&format!("/n/{}/{n}", n % 100), !n.is_multiple_of(3));
        Access::Places((from..from + MANY).map(place).collect())
    };
    let calls = [many(0), many(MANY / 2), many(2 * MANY), writes("/n/0")];
    let schedule = Schedule::new(calls.iter());
    assert_eq!(
        order_of(&schedule)[1..3],
        [BTreeSet::from([0]), BTreeSet::new()]
    );
    assert_eq!(order_of(&schedule)[3], BTreeSet::from([0, 1, 2]));
}
