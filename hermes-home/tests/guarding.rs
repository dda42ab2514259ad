//! The guard that keeps tests away from production stores.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_home::guard::{self, Facts, TestContext};
use hermes_home::{Error, GuardBypass};
use support::{Sandbox, plain_copy};
use uzers::os::unix::UserExt;

/// In a test, and with an account whose home is the sandbox's.
fn facts(sandbox: &Sandbox) -> Facts {
    Facts::new()
        .with_variable("NEXTEST", "1")
        .with_account_home(sandbox.home())
}

fn refuses(facts: &Facts, path: impl AsRef<Path>) -> bool {
    match facts.decide(path.as_ref()) {
        Ok(()) => false,
        Err(refusal) => {
            assert_eq!(refusal.path, path.as_ref());
            true
        }
    }
}

/// The real store of whoever runs this test. It is never opened, and need not exist.
fn real_store() -> PathBuf {
    let user = uzers::get_user_by_uid(uzers::get_effective_uid()).expect("an account");
    user.home_dir().join(".hermes/state.db")
}

#[test]
fn what_makes_a_test_context() {
    for name in [
        "HERMES_TEST_ISOLATION",
        "PYTEST_CURRENT_TEST",
        "PYTEST_VERSION",
        "NEXTEST",
        "NEXTEST_RUN_ID",
    ] {
        let facts = Facts::new().with_variable(name, "");
        assert_eq!(facts.context(), Some(&TestContext::Variable(name)));
    }
    for name in ["CI", "CARGO", "HERMES_HOME", "RUST_TEST_THREADS"] {
        assert_eq!(
            Facts::new().with_variable(name, "1").context(),
            None,
            "{name}"
        );
    }
    for (path, is_test) in [
        ("/x/target/debug/deps/store-0123456789abcdef", true),
        (
            "/tmp/elsewhere/release/deps/my-crate-00ff00ff00ff00ff",
            true,
        ),
        ("/x/target/debug/hermesctl", false),
        ("/x/target/debug/deps/hermesctl", false),
        ("/x/target/debug/deps/hermesctl-0123", false),
        ("/x/target/debug/deps/hermesctl-0123456789ABCDEF", false),
        ("/x/target/debug/examples/where-0123456789abcdef", false),
        ("/usr/bin/hermesctl-0123456789abcdef", false),
    ] {
        let facts = Facts::new().with_executable(path);
        assert_eq!(facts.context().is_some(), is_test, "{path}");
    }
}

#[test]
fn which_processes_run_tests() {
    for (command, is_runner) in [
        ("pytest", true),
        ("/usr/bin/py.test -x", true),
        ("python3 -m pytest tests", true),
        ("/usr/bin/python3.11 -X dev /usr/local/bin/pytest", true),
        ("python -m coverage run -m pytest", true),
        ("cargo test", true),
        ("/root/bin/cargo +stable test -p x", true),
        ("cargo --config a.toml --color never t", true),
        ("cargo nextest run", true),
        ("cargo-nextest nextest run", true),
        ("cargo bench", true),
        (
            "/x/target/debug/deps/store-0123456789abcdef --exact a",
            true,
        ),
        ("cargo run -- test", false),
        ("cargo build", false),
        ("cargo --version test", true),
        ("python3 app.py pytest", false),
        ("hermesctl search pytest", false),
        ("grep cargo test", false),
        ("vim pytest.py", false),
        ("bash", false),
    ] {
        let facts = Facts::new().with_ancestor(command.split(' '));
        assert_eq!(facts.context().is_some(), is_runner, "{command}");
    }
}

fn assert_runners(are_runners: bool, commands: &[&str]) {
    for command in commands {
        let facts = Facts::new().with_ancestor(command.split(' '));
        assert_eq!(facts.context().is_some(), are_runners, "{command}");
    }
}

#[test]
fn pytest_may_be_a_script_of_a_shell() {
    assert_runners(
        true,
        &[
            "/bin/sh b/pytest",
            "bash b/pytest -x",
            "dash -e b/pytest",
            "zsh b/py.test",
            "zsh -oshwordsplit b/pytest",
            "-bash b/pytest",
            "bash -euo pipefail b/pytest",
            "bash -oe pipefail b/pytest",
            "bash +o posix -O extglob --norc --rcfile x -- b/pytest",
            "sh - b/pytest",
            "sh b/cargo test",
            "sh b/python3 -m pytest",
        ],
    );
    assert_runners(
        false,
        &[
            "sh",
            "sh -",
            "sh run.sh pytest",
            "sh run.sh -m pytest",
            "sh -m run.sh pytest",
            "bash -c pytest b/pytest",
            "bash -ec true b/pytest",
            "bash -s pytest",
            "bash --rcfile pytest",
            "bash -o pytest",
            "sh b/cargo build",
        ],
    );
    let deep = vec!["sh"; 200_000];
    assert_eq!(Facts::new().with_ancestor(deep).context(), None);
}

#[test]
fn pytest_may_go_by_a_name_of_debian() {
    assert_runners(
        true,
        &[
            "pytest-3",
            "/usr/bin/pytest-3.11 -x",
            "python3 /usr/bin/pytest-3",
            "/usr/bin/python3 /usr/bin/py.test-3",
        ],
    );
    assert_runners(
        false,
        &[
            "pytest-",
            "pytest-.",
            "pytest-watch",
            "pytest-3x",
            "python3 pytest-html",
        ],
    );
}

#[test]
fn python_is_told_its_module_in_several_ways() {
    assert_runners(
        true,
        &[
            "python3 -mpytest",
            "python3 -Im pytest",
            "python3 -bm pytest",
            "python3 -bImpytest -x",
            "python3 -W error -Xdev -m pytest",
            "python3 --check-hash-based-pycs always -m pytest",
            // `m` is the value of `-X`, and the script is called pytest.
            "python3 -Xm pytest",
        ],
    );
    assert_runners(
        false,
        &[
            "python3 -Xm app.py",
            "python3 -Xmpytest app.py",
            "python3 -Xm app.py pytest",
            "python3 -W m app.py",
            "python3 -X -mpytest app.py",
            "python3 -m",
            "python3 -mpytestx",
        ],
    );
}

#[test]
fn arguments_of_a_python_program_are_not_options_of_python() {
    assert_runners(
        false,
        &[
            "python3 app.py -m pytest",
            "python3 app.py run --x -mpytest",
            "python3 -u -- app.py -m pytest",
            "python3 -c pass -m pytest",
            "python3 -cpass -m pytest",
            "python3 -Ic pass -m pytest",
            "python3 -c pass pytest",
            "python3 - -m pytest",
            "python3 - pytest",
            "python3 -m app -m pytest",
            "python3 -mapp pytest",
            "python3 -m pip install pytest",
        ],
    );
}

#[test]
fn wrappers_run_another_module() {
    assert_runners(
        true,
        &[
            "python3 -m coverage run -m pytest",
            "python3 -mcoverage run -mpytest",
            "python3 -m coverage run --source src --branch -p -m pytest -x",
            "python3 -m coverage run --source=src --module=pytest",
            "python3 -m coverage run /usr/bin/pytest",
            "python3 /usr/bin/coverage run -m pytest",
            "python3 /usr/bin/python3-coverage run -m pytest",
            "python3 -m cProfile -o out -s time -m pytest",
            "python3 -m debugpy --listen 5678 --wait-for-client -m pytest",
            "python3 -m pdb -m pytest",
            "python3 -m coverage run -m cProfile -m pytest",
        ],
    );
    assert_runners(
        false,
        &[
            "python3 -m coverage run app.py -m pytest",
            "python3 -m coverage run -m app -m pytest",
            "python3 -m coverage report",
            "python3 -m coverage html pytest",
            "python3 app.py coverage run -m pytest",
        ],
    );
}

#[test]
fn the_stores_of_the_default_home_and_its_profiles_are_refused() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let facts = facts(&sandbox);
    for (path, refused) in [
        ("home/.hermes/state.db", true),
        ("home/.hermes/profiles/coder/state.db", true),
        ("home/.hermes/profiles/not-there-yet/state.db", true),
        ("home/.hermes/profiles/../state.db", true),
        ("home/.hermes/./profiles//coder/state.db", true),
        ("home/.hermes/copy.db", false),
        ("home/.hermes/.repro/state.db", false),
        ("home/.hermes/profiles/Not A Name/state.db", false),
        ("home/.hermes/profiles/coder/sub/state.db", false),
        ("home/state.db", false),
        ("work/state.db", false),
        ("work/profiles/coder/state.db", false),
        ("no/such/folder/state.db", false),
    ] {
        assert_eq!(refuses(&facts, sandbox.path(path)), refused, "{path}");
    }
    // Nothing was made to find out; and a default home that does not exist is guarded as well.
    let empty = Sandbox::new();
    let facts = self::facts(&empty);
    assert!(refuses(&facts, empty.path("home/.hermes/state.db")));
    assert!(!empty.default().exists());
}

#[test]
fn other_ways_to_a_production_store_are_refused_too() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let facts = facts(&sandbox);
    let store = sandbox.write("home/.hermes/state.db", "rows");
    sandbox.link("work/linked.db", &store);
    sandbox.link("work/folder", sandbox.default());
    sandbox.link(
        "work/to-be-made.db",
        sandbox.profile("coder").join("state.db"),
    );
    sandbox.link("work/relative.db", "../home/.hermes/state.db");
    fs::hard_link(&store, sandbox.path("work/hard.db")).unwrap();
    for path in [
        "work/linked.db",
        "work/folder/state.db",
        "work/folder/profiles/coder/state.db",
        "work/to-be-made.db",
        "work/relative.db",
        "work/hard.db",
    ] {
        assert!(refuses(&facts, sandbox.path(path)), "{path}");
    }
    // Where the default home, a profile or a store is a link, what it leads to is production.
    let linked = Sandbox::new();
    let data = linked.mkdir("data/profiles");
    linked.link("home/.hermes", linked.path("data"));
    let disk = linked.mkdir("disk/coder");
    linked.link("data/profiles/coder", &disk);
    linked.mkdir("data/profiles/writer");
    linked.link(
        "data/profiles/writer/state.db",
        linked.path("disk/writers.db"),
    );
    let facts = self::facts(&linked);
    assert!(refuses(&facts, linked.path("data/state.db")));
    assert!(refuses(&facts, data.join("writer/state.db")));
    assert!(refuses(&facts, disk.join("state.db")));
    assert!(refuses(&facts, linked.path("disk/writers.db")));
    assert!(!refuses(&facts, linked.path("disk/other.db")));
    // A loop leads nowhere, and opening it fails by itself.
    linked.link("work/loop.db", "loop.db");
    assert!(!refuses(&facts, linked.path("work/loop.db")));
}

#[test]
fn a_redirected_home_neither_disarms_the_guard_nor_trips_it() {
    let sandbox = Sandbox::new();
    let tests_own = sandbox.mkdir("tmp/test-1/home");
    let redirected = facts(&sandbox)
        .with_user_home(&tests_own)
        .with_temporary_directory(sandbox.path("tmp"));
    assert!(refuses(&redirected, sandbox.path("home/.hermes/state.db")));
    assert!(!refuses(&redirected, tests_own.join(".hermes/state.db")));
    // Into a build directory.
    sandbox.write("build/CACHEDIR.TAG", "");
    let built = sandbox.mkdir("build/tmp/home");
    let redirected = facts(&sandbox).with_user_home(&built);
    assert!(!refuses(&redirected, built.join(".hermes/state.db")));
    // Somewhere else, where a person may live: in doubt, it is production.
    let elsewhere = sandbox.mkdir("data/ann");
    let redirected = facts(&sandbox).with_user_home(&elsewhere);
    assert!(refuses(&redirected, elsewhere.join(".hermes/state.db")));
    // Without an account, HOME is all there is.
    let unknown = Facts::new()
        .with_variable("NEXTEST", "1")
        .with_user_home(&elsewhere);
    assert!(refuses(&unknown, elsewhere.join(".hermes/state.db")));
}

/// HOME-28.
#[test]
fn a_home_inside_a_profile_stands_for_the_root_of_that_profile() {
    let sandbox = Sandbox::new();
    let home = sandbox.mkdir("tmp/root/profiles/s/home");
    let facts = facts(&sandbox)
        .with_user_home(home)
        .with_temporary_directory(sandbox.path("tmp"));
    assert!(refuses(&facts, sandbox.path("tmp/root/state.db")));
    assert!(refuses(
        &facts,
        sandbox.path("tmp/root/profiles/s/state.db")
    ));
    assert!(!refuses(&facts, sandbox.path("tmp/root2/state.db")));
}

#[test]
fn further_roots_are_denied_when_told() {
    let sandbox = Sandbox::new();
    let facts = facts(&sandbox).with_deny_root(sandbox.path("opt/data"));
    assert!(refuses(&facts, sandbox.path("opt/data/state.db")));
    assert!(refuses(
        &facts,
        sandbox.path("opt/data/profiles/x/state.db")
    ));
    let own = sandbox.path("opt/protected-by-a-test");
    guard::check(&own.join("state.db")).unwrap();
    guard::protect(&own);
    guard::check(&own.join("state.db")).unwrap_err();
}

#[test]
fn outside_of_tests_and_with_the_variable_nothing_is_refused() {
    let sandbox = Sandbox::new();
    let store = sandbox.path("home/.hermes/state.db");
    let production = Facts::new().with_account_home(sandbox.home());
    assert!(!refuses(&production, &store));
    let bypass = "HERMES_STATE_DB_GUARD_BYPASS";
    assert!(!refuses(
        &facts(&sandbox).with_variable(bypass, "1"),
        &store
    ));
    for other in ["0", "", "true", "yes"] {
        assert!(
            refuses(&facts(&sandbox).with_variable(bypass, other), &store),
            "{other:?}"
        );
    }
}

#[test]
fn this_test_is_guarded_and_the_refusal_names_the_path_the_rule_and_the_ways_out() {
    let store = real_store();
    let refusal = guard::check(&store).unwrap_err();
    let error = Error::LiveSystemGuard(refusal.clone());
    assert_eq!(error.to_string(), refusal.to_string());
    assert!(matches!(error, Error::LiveSystemGuard(_)), "{error}");
    assert_eq!(error.code(), "live_system_guard");
    let text = error.to_string();
    for part in [
        store.to_str().unwrap(),
        "in a test (",
        "HERMES_STATE_DB_GUARD_BYPASS=1",
        "GuardBypass",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    guard::check(&Sandbox::new().path("state.db")).unwrap();
}

#[test]
fn a_bypass_lets_this_thread_through_as_long_as_it_is_held() {
    let store = real_store();
    {
        let _bypass = GuardBypass::hold();
        guard::check(&store).unwrap();
        drop(GuardBypass::hold());
        guard::check(&store).unwrap();
        std::thread::scope(|threads| {
            threads.spawn(|| guard::check(&store).unwrap_err());
        });
    }
    guard::check(&store).unwrap_err();
    let panicked = std::panic::catch_unwind(|| {
        let _bypass = GuardBypass::hold();
        std::panic::resume_unwind(Box::new("on purpose"));
    });
    assert!(panicked.is_err());
    guard::check(&store).unwrap_err();
}

/// The process that the next tests start. It says what the guard says.
#[test]
#[ignore = "this is the process that other tests start"]
fn the_child_that_asks_the_guard() {
    // Until whoever started it is gone, when that is asked for.
    if let Ok(parent) = std::env::var("WAIT_FOR_THE_END_OF") {
        let parent: u32 = parent.parse().unwrap();
        while std::os::unix::process::parent_id() == parent {
            std::thread::yield_now();
        }
    }
    match guard::check(&real_store()) {
        Ok(()) => println!("\nALLOWED"),
        Err(error) => println!("\nREFUSED {error}"),
    }
}

const AS_CHILD: [&str; 4] = [
    "--exact",
    "the_child_that_asks_the_guard",
    "--ignored",
    "--nocapture",
];

fn verdict(output: std::process::Output) -> String {
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("ALLOWED") || line.starts_with("REFUSED"));
    line.unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn a_child_with_a_rebuilt_environment_is_still_stopped() {
    let sandbox = Sandbox::new();
    let program = plain_copy(&sandbox);
    let mut child = Command::new(&program);
    child.args(AS_CHILD).env_clear();
    let said = verdict(child.output().unwrap());
    assert!(
        said.starts_with("REFUSED") && said.contains("started by `"),
        "{said}"
    );
    // With a shell in between, and another HOME.
    let mut child = Command::new("/bin/sh");
    child
        .args(["-c", "\"$0\" \"$@\"; true"])
        .arg(&program)
        .args(AS_CHILD);
    child.env_clear().env("HOME", sandbox.home());
    let said = verdict(child.output().unwrap());
    assert!(said.starts_with("REFUSED"), "{said}");
    // One that must, is told so.
    let mut child = Command::new(&program);
    child
        .args(AS_CHILD)
        .env_clear()
        .env("HERMES_STATE_DB_GUARD_BYPASS", "1");
    assert_eq!(verdict(child.output().unwrap()), "ALLOWED");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_no_test_started_is_let_through() {
    let sandbox = Sandbox::new();
    // The shell ends at once, and its child belongs to the first process then.
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "WAIT_FOR_THE_END_OF=$$ \"$0\" \"$@\" & exit 0"])
        .arg(plain_copy(&sandbox))
        .args(AS_CHILD)
        .env_clear()
        .stdin(Stdio::null());
    let said = verdict(shell.output().unwrap());
    if said.contains("started by") {
        eprintln!("SKIPPED: orphans of a test belong to a test runner here: {said}");
        return;
    }
    assert_eq!(said, "ALLOWED");
}
