//! The cache of verdicts, with a clock of its own.

mod hanging;
mod journal;
mod model;
mod stress;

use std::any::Any;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use super::*;
use crate::carry::Carried;

/// A clock that stands still until it is set.
#[derive(Clone)]
struct TestClock {
    start: Instant,
    ms: Arc<AtomicU64>,
}

impl TestClock {
    fn new() -> TestClock {
        TestClock {
            start: Instant::now(),
            ms: Arc::default(),
        }
    }

    fn set(&self, seconds: f64) {
        self.set_ms((seconds * 1000.0) as u64);
    }

    fn set_ms(&self, ms: u64) {
        self.ms.store(ms, Ordering::SeqCst);
    }

    fn at(&self, seconds: f64) -> Instant {
        self.start + Duration::from_secs_f64(seconds)
    }

    fn now(&self) -> Instant {
        self.start + Duration::from_millis(self.ms.load(Ordering::SeqCst))
    }

    fn availability(&self) -> Availability {
        let clock = self.clone();
        Availability::with_clock(Arc::new(move || clock.now()))
    }
}

/// A check whose answer can be changed, and that counts how often it is asked.
struct Switch {
    check: Check,
    yes: Arc<Mutex<bool>>,
    asked: Arc<AtomicUsize>,
}

impl Switch {
    fn new(name: &str) -> Switch {
        let yes = Arc::new(Mutex::new(true));
        let asked = Arc::new(AtomicUsize::new(0));
        let (says, counter) = (Arc::clone(&yes), Arc::clone(&asked));
        let check = Check::new(name, move || {
            counter.fetch_add(1, Ordering::SeqCst);
            if *says.lock().unwrap() {
                Ok(())
            } else {
                Err("switched off")
            }
        });
        Switch { check, yes, asked }
    }

    fn set(&self, yes: bool) {
        *self.yes.lock().unwrap() = yes;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn verdict(availability: &Availability, check: &Check) -> Verdict {
    let verdicts = availability.pass(std::slice::from_ref(check), &[]);
    verdicts.get(check)
}

fn yes() -> Verdict {
    Verdict {
        available: true,
        reason: None,
        flaky: false,
    }
}

fn flake() -> Verdict {
    Verdict {
        flaky: true,
        ..yes()
    }
}

fn no(reason: &str) -> Verdict {
    Verdict {
        available: false,
        reason: Some(reason.to_owned()),
        flaky: false,
    }
}

#[test]
fn a_verdict_is_used_for_thirty_seconds() {
    let clock = TestClock::new();
    let availability = clock.availability();
    let (on, off) = (Switch::new("on"), Switch::new("off"));
    off.set(false);
    for seconds in [0.0, 15.0, 29.999] {
        clock.set(seconds);
        assert_eq!(verdict(&availability, &on.check), yes());
        assert_eq!(verdict(&availability, &off.check), no("switched off"));
    }
    assert_eq!((on.asked(), off.asked()), (1, 1));
    clock.set(30.0);
    assert_eq!(verdict(&availability, &on.check), yes());
    assert_eq!(verdict(&availability, &off.check), no("switched off"));
    assert_eq!((on.asked(), off.asked()), (2, 2));
}

// TOOL-01
#[test]
fn a_failure_soon_after_a_success_is_a_flake_and_asked_again() {
    let clock = TestClock::new();
    let availability = clock.availability();
    let switch = Switch::new("flaky");
    let look = |seconds: f64, says: bool| {
        clock.set(seconds);
        switch.set(says);
        verdict(&availability, &switch.check)
    };
    assert_eq!(look(0.0, true), yes());
    assert_eq!(look(31.0, false), flake());
    assert_eq!(look(32.0, true), yes());
    // Cached until 62; then it fails for ever, 60 s after the success at 32.
    assert_eq!(look(40.0, false), yes());
    assert_eq!(look(63.0, false), flake());
    assert_eq!(look(63.0, false), flake());
    assert_eq!(look(92.0, false), flake());
    assert_eq!(look(100.1, false), no("switched off"));
    assert_eq!(switch.asked(), 7);
    // That is kept.
    assert_eq!(look(130.0, true), no("switched off"));
    assert_eq!(look(130.2, true), yes());
    assert_eq!(switch.asked(), 8);
}

#[test]
fn a_pass_is_fresh_until_the_first_of_its_verdicts_is_not() {
    let clock = TestClock::new();
    let availability = clock.availability();
    assert_eq!(availability.pass(&[], &[]).fresh_until(), None);
    let (first, second) = (Switch::new("first"), Switch::new("second"));
    let fresh_until = |checks: &[&Switch]| {
        let checks: Vec<Check> = checks.iter().map(|s| s.check.clone()).collect();
        availability.pass(&checks, &[]).fresh_until()
    };
    assert_eq!(fresh_until(&[&first]), Some(clock.at(30.0)));
    clock.set(10.0);
    assert_eq!(fresh_until(&[&second]), Some(clock.at(40.0)));
    assert_eq!(fresh_until(&[&second, &first]), Some(clock.at(30.0)));
    // A flake is not kept at all.
    clock.set(35.0);
    first.set(false);
    assert_eq!(fresh_until(&[&first, &second]), Some(clock.at(35.0)));
    assert_eq!(availability.now(), clock.at(35.0));
}

#[test]
fn invalidating_asks_again_and_forgives_nothing() {
    let clock = TestClock::new();
    let availability = clock.availability();
    let switch = Switch::new("key removed");
    assert_eq!(verdict(&availability, &switch.check), yes());
    let before = availability.epoch();
    switch.set(false);
    availability.invalidate();
    assert!(availability.epoch() > before);
    assert_eq!(verdict(&availability, &switch.check), no("switched off"));
    switch.set(true);
    availability.invalidate();
    assert_eq!(verdict(&availability, &switch.check), yes());
    assert_eq!(switch.asked(), 3);
}

#[test]
fn a_check_shared_by_many_tools_is_asked_once_and_twins_are_two() {
    let availability = Availability::default();
    let switch = Switch::new("shared");
    let twin = Switch::new("shared");
    let mut checks = vec![switch.check.clone(); 5];
    checks.push(twin.check.clone());
    let verdicts = availability.pass(&checks, &[]);
    for check in &checks {
        assert_eq!(verdicts.get(check), yes());
    }
    assert_eq!((switch.asked(), twin.asked()), (1, 1));
}

#[test]
fn a_check_that_was_not_in_the_pass_is_not_available() {
    let availability = Availability::default();
    let verdicts = availability.pass(&[Switch::new("asked").check], &[]);
    let other = Switch::new("other");
    assert_eq!(verdicts.get(&other.check), no("it was not asked"));
    assert_eq!(other.asked(), 0);
}

#[test]
fn a_check_runs_on_a_thread_of_its_name_with_what_the_caller_carries() {
    thread_local! {
        static HERE: Cell<u32> = const { Cell::new(0) };
    }
    struct Number;
    struct Carried42(u32);
    struct Reset;
    impl Carry for Number {
        fn capture(&self) -> Arc<dyn Carried> {
            Arc::new(Carried42(HERE.get()))
        }
    }
    impl Carried for Carried42 {
        fn enter(&self) -> Box<dyn Any> {
            HERE.set(self.0);
            Box::new(Reset)
        }
    }
    impl Drop for Reset {
        fn drop(&mut self) {
            HERE.set(0);
        }
    }
    HERE.set(42);
    let caller = thread::current().id();
    let check = Check::new("nul\0 in it", move || {
        let here = thread::current();
        let named = here.name() == Some("check:nul  in it");
        HERE.get() == 42 && here.id() != caller && named
    });
    let availability = Availability::default();
    let carries: [Arc<dyn Carry>; 1] = [Arc::new(Number)];
    let verdicts = availability.pass(std::slice::from_ref(&check), &carries);
    assert_eq!(verdicts.get(&check), yes());
}

#[test]
fn a_panic_anywhere_is_a_no_that_says_so() {
    struct Bad {
        capture: bool,
    }
    struct BadPiece;
    struct BadGuard;
    impl Carry for Bad {
        fn capture(&self) -> Arc<dyn Carried> {
            assert!(!self.capture, "capture broke");
            Arc::new(BadPiece)
        }
    }
    impl Carried for BadPiece {
        fn enter(&self) -> Box<dyn Any> {
            Box::new(BadGuard)
        }
    }
    impl Drop for BadGuard {
        fn drop(&mut self) {
            panic!("guard broke");
        }
    }
    let reason = |carries: &[Arc<dyn Carry>]| {
        let check = Check::new("boom", || -> bool { panic!("check broke") });
        let availability = Availability::default();
        let verdicts = availability.pass(std::slice::from_ref(&check), carries);
        verdicts.get(&check)
    };
    assert_eq!(reason(&[]), no("the check panicked: check broke"));
    assert_eq!(
        reason(&[Arc::new(Bad { capture: true })]),
        no("the context of the call could not be captured: capture broke")
    );
    assert_eq!(
        reason(&[Arc::new(Bad { capture: false })]),
        no("the check panicked: check broke")
    );
}

#[test]
fn without_a_thread_the_answer_is_a_no_with_the_reason() {
    let start: Start = Arc::new(|_, _| Err(std::io::Error::other("too many threads")));
    let availability = Availability::default().with_start(start);
    let switch = Switch::new("never asked");
    assert_eq!(
        verdict(&availability, &switch.check),
        no("no thread could be started for it: too many threads")
    );
    assert_eq!(switch.asked(), 0);
}

#[test]
fn a_flake_that_comes_before_the_pass_looks_again_is_asked_once() {
    // The body runs at once, so that the answer is there before anybody can wait for it.
    let start: Start = Arc::new(|_, body| {
        body();
        Ok(())
    });
    let clock = TestClock::new();
    let availability = clock.availability().with_start(start);
    let switch = Switch::new("quick flake");
    assert_eq!(verdict(&availability, &switch.check), yes());
    clock.set(31.0);
    switch.set(false);
    assert_eq!(verdict(&availability, &switch.check), flake());
    assert_eq!(switch.asked(), 2);
}

#[test]
fn fresh_verdicts_start_no_thread() {
    let started = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&started);
    let availability = Availability::default().with_start(Arc::new(move |builder, body| {
        counter.fetch_add(1, Ordering::SeqCst);
        builder.spawn(body).map(drop)
    }));
    let checks: Vec<Check> = (0..50)
        .map(|i| Switch::new(&format!("c{i}")).check)
        .collect();
    for _ in 0..3 {
        let verdicts = availability.pass(&checks, &[]);
        assert!(checks.iter().all(|check| verdicts.get(check).available));
    }
    assert_eq!(started.load(Ordering::SeqCst), 50);
}

#[test]
fn a_dropped_check_is_forgotten_and_its_successor_is_asked() {
    let availability = Availability::default();
    let held = Arc::new(());
    for round in 0..50 {
        let inside = Arc::clone(&held);
        // The allocator likes to give the same place again.
        let check = Check::new("short-lived", move || {
            let _held = &inside;
            round % 2 == 0
        });
        assert_eq!(verdict(&availability, &check).available, round % 2 == 0);
    }
    availability.invalidate();
    // The thread of the last one may still be on its way out, holding the check.
    let patience = Instant::now() + Duration::from_secs(30);
    while Arc::strong_count(&held) > 1 {
        assert!(Instant::now() < patience, "a dropped check is kept alive");
        thread::yield_now();
    }
    availability.invalidate();
    assert_eq!(availability.board.lock().len(), 0);
}
