//! Tools come and go with their checks.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use hermes_tools::{Check, IntoAnswer, Registry, Tool};

/// A registry with a clock that the test sets, in seconds.
struct Rig {
    registry: Registry,
    seconds: Arc<AtomicU64>,
}

impl Rig {
    fn new() -> Rig {
        let (start, seconds) = (Instant::now(), Arc::new(AtomicU64::new(0)));
        let clock = Arc::clone(&seconds);
        Rig {
            registry: Registry::with_clock(move || {
                start + Duration::from_secs(clock.load(Ordering::SeqCst))
            }),
            seconds,
        }
    }

    fn register(&self, name: &str, toolset: &str, check: Check) {
        let tool = Tool::new(name, toolset)
            .check(check)
            .handler(|_, _| Ok("done"));
        self.registry.register(tool).unwrap();
    }

    fn available_at(&self, seconds: u64, toolset: &str) -> bool {
        self.seconds.store(seconds, Ordering::SeqCst);
        self.registry.is_toolset_available(toolset)
    }
}

/// Counts how often the check is asked.
fn counted<A: IntoAnswer>(
    says: impl Fn() -> A + Send + Sync + 'static,
) -> (Check, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let check = Check::new("counted", move || {
        counter.fetch_add(1, Ordering::SeqCst);
        says()
    });
    (check, asked)
}

// TOOL-01
#[test]
fn a_tool_stays_through_a_flake_and_goes_when_its_check_keeps_failing() {
    let rig = Rig::new();
    let now = Arc::clone(&rig.seconds);
    rig.register(
        "search",
        "web",
        Check::new(
            "T, F, T, then F for ever",
            move || matches!(now.load(Ordering::SeqCst), 0..=30 | 32..=39),
        ),
    );
    for seconds in [0, 31, 32, 61, 63, 92] {
        assert!(rig.available_at(seconds, "web"), "at {seconds} s");
    }
    for seconds in [101, 140, 500] {
        assert!(!rig.available_at(seconds, "web"), "at {seconds} s");
    }
}

// TOOL-03
#[test]
fn a_tool_appears_in_a_later_pass_once_what_it_needs_is_there() {
    let rig = Rig::new();
    let installed = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&installed);
    rig.register(
        "run",
        "sandbox",
        Check::new("docker", move || seen.load(Ordering::SeqCst)),
    );
    assert!(!rig.available_at(0, "sandbox"));
    installed.store(true, Ordering::SeqCst);
    assert!(!rig.available_at(29, "sandbox"));
    assert!(rig.available_at(30, "sandbox"));
}

#[test]
fn invalidating_the_checks_shows_a_change_at_once() {
    let rig = Rig::new();
    let there = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&there);
    rig.register(
        "run",
        "sandbox",
        Check::new("docker", move || seen.load(Ordering::SeqCst)),
    );
    assert!(rig.available_at(0, "sandbox"));
    there.store(false, Ordering::SeqCst);
    assert!(rig.available_at(0, "sandbox"));
    rig.registry.invalidate_checks();
    assert!(!rig.available_at(0, "sandbox"));
}

// TOOL-04
#[test]
fn a_check_that_panics_or_hangs_hides_its_own_tool_only() {
    let rig = Rig::new();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    rig.register(
        "boom",
        "panics",
        Check::new("boom", || -> bool { panic!("boom") }),
    );
    rig.register(
        "stuck",
        "hangs",
        Check::new("stuck", move || {
            let _ = released
                .lock()
                .unwrap()
                .recv_timeout(Duration::from_secs(60));
            true
        })
        .with_budget(Duration::from_millis(50)),
    );
    rig.register("fine", "works", Check::new("fine", || true));
    let began = Instant::now();
    for _ in 0..3 {
        assert!(!rig.available_at(0, "panics"));
        assert!(!rig.available_at(0, "hangs"));
        assert!(rig.available_at(0, "works"));
    }
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "waited for a check that hangs"
    );
    drop(release);
}

// TOOL-04
#[test]
fn answers_are_true_or_false_as_in_python() {
    let rig = Rig::new();
    rig.register("a", "yes", Check::new("a", || "yes"));
    rig.register("b", "empty", Check::new("b", || ""));
    rig.register("c", "one", Check::new("c", || 1));
    rig.register("d", "zero", Check::new("d", || 0));
    rig.register("e", "none", Check::new("e", || None::<bool>));
    for (toolset, available) in [
        ("yes", true),
        ("empty", false),
        ("one", true),
        ("zero", false),
        ("none", false),
    ] {
        assert_eq!(rig.available_at(0, toolset), available, "{toolset}");
    }
}

// TOOL-04
#[test]
fn five_tools_with_one_check_ask_once_a_pass() {
    let rig = Rig::new();
    let (check, asked) = counted(|| false);
    for i in 0..5 {
        rig.register(&format!("tool{i}"), "five", check.clone());
    }
    assert!(!rig.available_at(0, "five"));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert!(!rig.available_at(30, "five"));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[test]
fn registries_remember_each_for_itself() {
    let (one, other) = (Rig::new(), Rig::new());
    let (check, asked) = counted(|| true);
    one.register("tool", "set", check.clone());
    other.register("tool", "set", check);
    assert!(one.available_at(0, "set"));
    assert!(other.available_at(0, "set"));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[test]
fn a_key_that_is_not_set_is_named() {
    let check = Check::env(["HERMES_TOOLS_TEST_NO_KEY"]);
    assert_eq!(
        check.ask(),
        Err("HERMES_TOOLS_TEST_NO_KEY is not set".to_owned())
    );
    assert_eq!(Check::env(["PATH"]).ask(), Ok(()));
}

#[cfg(unix)]
#[test]
fn a_program_is_found_where_the_shell_finds_it() {
    assert_eq!(Check::program("sh").ask(), Ok(()));
    let check = Check::all([Check::program("sh"), Check::program("no-such-program")]);
    assert_eq!(
        check.ask(),
        Err("no-such-program is not on PATH".to_owned())
    );
    assert_eq!(
        Check::any([Check::program("no-such-program"), Check::program("/bin/sh")]).ask(),
        Ok(())
    );
}
