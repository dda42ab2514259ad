//! Checks that take long, or never come back.

use std::sync::Condvar;

use super::*;
use crate::availability::records::Records;

/// What a hanging check waits at until the test opens it.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    open: bool,
    /// How many ever came, and how many have not gone on.
    came: usize,
    inside: usize,
}

/// Far longer than any test: only a broken test waits so long.
const PATIENCE: Duration = Duration::from_secs(60);

impl Gate {
    fn wait(&self) {
        self.change(|state| {
            state.came += 1;
            state.inside += 1;
        });
        self.wait_until(|state| state.open);
        self.change(|state| state.inside -= 1);
    }

    fn open(&self) {
        self.change(|state| state.open = true);
    }

    fn close(&self) {
        self.change(|state| state.open = false);
    }

    fn came(&self) -> usize {
        self.state.lock().unwrap().came
    }

    fn change(&self, change: impl FnOnce(&mut GateState)) {
        change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
    }

    fn wait_until(&self, done: impl Fn(&GateState) -> bool) {
        let state = self.state.lock().unwrap();
        let waited = self
            .changed
            .wait_timeout_while(state, PATIENCE, |state| !done(state));
        assert!(!waited.unwrap().1.timed_out(), "waited too long");
    }

    /// A check that says yes once it is let through.
    fn check(self: &Arc<Gate>, name: &str, budget: Duration) -> Check {
        let gate = Arc::clone(self);
        let through = move || {
            gate.wait();
            true
        };
        Check::new(name, through).with_budget(budget)
    }
}

const SHORT: Duration = Duration::from_millis(50);

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < end, "{what}");
        thread::yield_now();
    }
}

/// How many threads of this process have this name.
#[cfg(target_os = "linux")]
fn threads_named(name: &str) -> usize {
    std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|comm| comm.trim_end() == name)
        .count()
}

// TOOL-04
#[test]
fn a_check_that_hangs_is_a_no_has_one_thread_and_leaves_none() {
    let clock = TestClock::new();
    let availability = clock.availability();
    let gate = Arc::new(Gate::default());
    let check = gate.check("hangs", SHORT);
    let began = Instant::now();
    for pass in 0..5 {
        // Always past what was kept: each pass has to find out anew.
        clock.set(f64::from(pass) * 31.0);
        let verdict = verdict(&availability, &check);
        assert!(!verdict.available);
        // By then the thread has its name.
        gate.wait_until(|state| state.came == 1);
        let reason = verdict.reason.unwrap();
        assert!(
            reason.starts_with("no answer within 50ms; it has been running for "),
            "{reason}"
        );
        #[cfg(target_os = "linux")]
        assert_eq!(threads_named("check:hangs"), 1);
    }
    assert!(
        began.elapsed() < PATIENCE / 2,
        "a pass waited for the check"
    );
    assert_eq!(gate.came(), 1);
    gate.open();
    #[cfg(target_os = "linux")]
    until("the thread stays", || threads_named("check:hangs") == 0);
}

#[test]
fn an_answer_that_comes_late_is_used_by_the_next_pass() {
    let clock = TestClock::new();
    let availability = clock.availability();
    let gate = Arc::new(Gate::default());
    let check = gate.check("late", SHORT);
    assert!(!verdict(&availability, &check).available);
    gate.open();
    // The no is kept for 30 s, but what is better known takes its place.
    until("the answer is not used", || {
        verdict(&availability, &check).available
    });
    assert_eq!(gate.came(), 1);
    clock.set(29.0);
    assert_eq!(verdict(&availability, &check), yes());
    assert_eq!(gate.came(), 1);
}

#[test]
fn a_check_that_hangs_soon_after_a_success_is_a_flake() {
    let clock = TestClock::new();
    let availability = clock.availability();
    let gate = Arc::new(Gate::default());
    gate.open();
    // Time enough for the first answer on a busy machine.
    let check = gate.check("hiccup", Duration::from_secs(2));
    assert_eq!(verdict(&availability, &check), yes());
    gate.close();
    clock.set(31.0);
    assert_eq!(verdict(&availability, &check), flake());
    clock.set(61.0);
    assert!(!verdict(&availability, &check).available);
    assert_eq!(gate.came(), 2);
    gate.open();
}

#[test]
fn two_passes_at_once_share_one_asking() {
    let availability = Availability::default();
    let gate = Arc::new(Gate::default());
    let check = gate.check("shared run", PATIENCE);
    thread::scope(|scope| {
        let passes: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| verdict(&availability, &check)))
            .collect();
        gate.wait_until(|state| state.came == 1);
        gate.open();
        for pass in passes {
            assert_eq!(pass.join().unwrap(), yes());
        }
    });
    assert_eq!(gate.came(), 1);
}

#[test]
fn many_checks_that_hang_cost_about_one_budget() {
    const MANY: usize = 40;
    let availability = Availability::default();
    let gate = Arc::new(Gate::default());
    let budget = Duration::from_secs(3);
    let checks: Vec<Check> = (0..MANY)
        .map(|i| gate.check(&format!("many{i}"), budget))
        .collect();
    let began = Instant::now();
    let verdicts = availability.pass(&checks, &[]);
    let took = began.elapsed();
    assert!(checks.iter().all(|check| !verdicts.get(check).available));
    assert_eq!(gate.came(), MANY);
    // 3 s and four times 0.2 s here. One after the other it would be 120 s, by eights 15 s.
    assert!(took < Duration::from_secs(10), "{took:?}");
    gate.open();
}

#[test]
fn eight_run_side_by_side_and_more_once_those_are_slow() {
    let checks: Vec<Check> = (0..20)
        .map(|i| Check::new(format!("eights{i}"), || true))
        .collect();
    let mut records = Records::default();
    let mut open = OpenChecks::new(checks.iter().collect(), 0);
    let start = Instant::now();
    let mut reserved = |after_ms: u64| {
        let moment = Moment {
            epoch: 0,
            now: start,
            real: start + Duration::from_millis(after_ms),
        };
        let wake = open.settle(&mut records, moment, &mut Vec::new(), &mut Vec::new());
        let runs = open.reserve(&mut records, moment).len();
        (
            runs,
            wake.map(|wake| wake.duration_since(start).as_millis()),
        )
    };
    assert_eq!(reserved(0), (8, None));
    assert_eq!(reserved(0), (0, Some(200)));
    assert_eq!(reserved(199), (0, Some(200)));
    // The first eight are slow; what they have left is their budget.
    assert_eq!(reserved(200), (8, Some(5000)));
    assert_eq!(reserved(300), (0, Some(400)));
    assert_eq!(reserved(400), (4, Some(5000)));
    assert_eq!(reserved(4999), (0, Some(5000)));
}

#[test]
fn an_answer_to_a_question_from_before_an_invalidation_does_not_count_after_it() {
    let availability = Availability::default();
    let gate = Arc::new(Gate::default());
    let inside = Arc::clone(&gate);
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    // The first run says yes, later ones no.
    let check = Check::new("stale answer", move || {
        let first = counter.fetch_add(1, Ordering::SeqCst) == 0;
        inside.wait();
        first
    })
    .with_budget(PATIENCE);
    thread::scope(|scope| {
        let early = scope.spawn(|| verdict(&availability, &check));
        gate.wait_until(|state| state.came == 1);
        availability.invalidate();
        let late = scope.spawn(|| verdict(&availability, &check));
        gate.open();
        assert_eq!(early.join().unwrap(), yes());
        assert_eq!(late.join().unwrap(), no("the check says no"));
    });
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    assert_eq!(verdict(&availability, &check), no("the check says no"));
}

#[test]
fn a_pass_that_waits_for_a_run_from_before_an_invalidation_asks_after_it() {
    let check = Check::new("waited for", || true);
    let mut records = Records::default();
    let start = Instant::now();
    // How many verdicts a pass gets, and how many runs it begins.
    let look = |records: &mut Records, open: &mut OpenChecks<'_>, epoch| {
        let moment = Moment {
            epoch,
            now: start,
            real: start,
        };
        let mut given = Vec::new();
        open.settle(records, moment, &mut given, &mut Vec::new());
        (given.len(), open.reserve(records, moment).len())
    };
    let mut early = OpenChecks::new(vec![&check], 0);
    assert_eq!(look(&mut records, &mut early, 0), (0, 1));
    // Here it is invalidated, and another pass begins, which finds the run under way.
    let mut late = OpenChecks::new(vec![&check], 1);
    assert_eq!(look(&mut records, &mut late, 1), (0, 0));
    records.answer(check.id(), Ok(()), start);
    assert_eq!(look(&mut records, &mut late, 1), (0, 1));
    assert_eq!(look(&mut records, &mut early, 1), (1, 0));
    records.answer(check.id(), Ok(()), start);
    assert_eq!(look(&mut records, &mut late, 1), (1, 0));
    assert!(early.is_empty() && late.is_empty());
}

#[test]
fn a_run_from_before_an_invalidation_prevents_a_second_one_and_answers_nobody() {
    let availability = Availability::default();
    let gate = Arc::new(Gate::default());
    let check = gate.check("old hang", SHORT);
    assert!(!verdict(&availability, &check).available);
    availability.invalidate();
    assert!(!verdict(&availability, &check).available);
    assert_eq!(gate.came(), 1);
    gate.open();
    // The old run's answer is for nobody: the check is asked again.
    until("the check is not asked again", || {
        verdict(&availability, &check).available
    });
    assert_eq!(gate.came(), 2);
}

#[test]
fn a_check_without_any_time_is_a_no_and_one_with_all_time_is_waited_for() {
    let availability = Availability::default();
    let gate = Arc::new(Gate::default());
    let none = gate.check("no time", Duration::ZERO);
    assert!(!verdict(&availability, &none).available);
    gate.open();
    let all = gate.check("all time", Duration::MAX);
    assert_eq!(verdict(&availability, &all), yes());
}

#[test]
fn a_check_that_asks_for_itself_does_not_hang_the_pass() {
    let availability = Arc::new(Availability::default());
    let own: Arc<Mutex<Option<Check>>> = Arc::default();
    let (within, itself) = (Arc::clone(&availability), Arc::clone(&own));
    let check = Check::new("ouroboros", move || {
        let check = itself.lock().unwrap().clone().unwrap();
        verdict(&within, &check).available
    })
    .with_budget(SHORT);
    *own.lock().unwrap() = Some(check.clone());
    assert!(!verdict(&availability, &check).available);
    // The two hold each other.
    *own.lock().unwrap() = None;
}

#[test]
fn what_hangs_outlives_the_cache_without_harm() {
    let gate = Arc::new(Gate::default());
    let availability = Availability::default();
    let check = gate.check("orphan", SHORT);
    assert!(!verdict(&availability, &check).available);
    drop((availability, check));
    gate.open();
    gate.wait_until(|state| state.inside == 0);
    until("the check is kept", || Arc::strong_count(&gate) == 1);
}
