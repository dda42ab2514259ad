//! When `active_profile` is asked at the start of a program, and what it may hold.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use hermes_home::{ActiveProfileProblem, Error, HomeSource, Selection, Warning};
use support::{Sandbox, assert_chosen};

#[test]
fn the_active_profile_is_chosen_when_nothing_else_is() {
    let sandbox = Sandbox::with_profiles(&["beta"]);
    sandbox.activate("beta\n");
    for chosen in [sandbox.select(), sandbox.select_at(sandbox.default())] {
        let chosen = chosen.unwrap();
        assert_chosen(
            &chosen,
            sandbox.profile("beta"),
            HomeSource::ActiveProfile,
            "beta",
        );
        assert_eq!(chosen.home.root(), sandbox.default());
        assert_eq!(chosen.warnings, []);
    }
}

#[test]
fn a_root_of_its_own_asks_its_own_active_profile() {
    let sandbox = Sandbox::with_profiles(&["beta"]);
    sandbox.activate("beta");
    let worker = sandbox.mkdir("opt/data/profiles/worker");
    let root = sandbox.path("opt/data");
    let chosen = sandbox.select_at(&root).unwrap();
    assert_chosen(&chosen, &root, HomeSource::Env, "default");
    sandbox.write("opt/data/active_profile", "worker");
    let chosen = sandbox.select_at(&root).unwrap();
    assert_chosen(&chosen, &worker, HomeSource::ActiveProfile, "worker");
}

#[test]
fn hermes_home_at_a_profile_is_kept() {
    let sandbox = Sandbox::with_profiles(&["beta", "coder"]);
    sandbox.activate("beta");
    for name in ["coder", "not-there-yet"] {
        let chosen = sandbox.select_at(sandbox.profile(name)).unwrap();
        assert_chosen(&chosen, sandbox.profile(name), HomeSource::Env, name);
        assert_eq!(chosen.warnings, []);
    }
}

#[test]
fn a_service_with_hermes_home_at_the_root_stays_there() {
    let sandbox = Sandbox::with_profiles(&["beta"]);
    for active in ["beta", "ghost"] {
        sandbox.activate(active);
        let env = sandbox.env_at(sandbox.default()).with_invocation_id("0123");
        let chosen = Selection::new().resolve(&env).unwrap();
        assert_chosen(&chosen, sandbox.default(), HomeSource::Env, "default");
        assert_eq!(chosen.warnings.len(), 1);
        assert!(matches!(
            chosen.warnings[0],
            Warning::ServiceKeepsRoot { .. }
        ));
        assert!(chosen.warnings[0].to_string().contains(active));
    }
    sandbox.activate("default");
    let env = sandbox.env_at(sandbox.default()).with_invocation_id("0123");
    assert_eq!(Selection::new().resolve(&env).unwrap().warnings, []);
    // Without HERMES_HOME the service has said nothing, and the active profile counts.
    sandbox.activate("beta");
    let env = sandbox.env().with_invocation_id("0123");
    let chosen = Selection::new().resolve(&env).unwrap();
    assert_chosen(
        &chosen,
        sandbox.profile("beta"),
        HomeSource::ActiveProfile,
        "beta",
    );
}

#[test]
fn the_active_profile_file_is_read_generously() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    for content in [
        "coder",
        "coder\n",
        "coder\r\n",
        " Coder \n\n",
        "\u{feff}coder\r\n",
    ] {
        sandbox.activate(content);
        let chosen = sandbox.select().unwrap();
        assert_chosen(
            &chosen,
            sandbox.profile("coder"),
            HomeSource::ActiveProfile,
            "coder",
        );
        assert_eq!(chosen.warnings, [], "{content:?}");
    }
    for content in ["default", "DEFAULT\r\n", "\u{feff}default"] {
        sandbox.activate(content);
        let chosen = sandbox.select().unwrap();
        assert_chosen(&chosen, sandbox.default(), HomeSource::Platform, "default");
        assert_eq!(chosen.warnings, [], "{content:?}");
    }
}

#[test]
fn an_active_profile_that_cannot_be_followed_gives_the_root_and_one_warning() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let mut huge = b"coder".to_vec();
    huge.resize(10 << 20, b' ');
    for (content, expected) in [
        (&b""[..], ActiveProfileProblem::Empty),
        (b" \r\n", ActiveProfileProblem::Empty),
        (b"\xef\xbb\xbf", ActiveProfileProblem::Empty),
        (b"\xff\xfe", ActiveProfileProblem::NotUtf8),
        (
            b"c\0o\0d\0e\0r\0",
            ActiveProfileProblem::NotAName("c\0o\0d\0e\0r\0".into()),
        ),
        (
            b"coder\nwriter\n",
            ActiveProfileProblem::NotAName("coder\nwriter".into()),
        ),
        (
            b"../coder",
            ActiveProfileProblem::NotAName("../coder".into()),
        ),
        (&huge, ActiveProfileProblem::TooLong),
    ] {
        sandbox.activate(content);
        assert_ignored(&sandbox, &expected);
    }
}

#[test]
fn an_active_profile_that_is_no_file_gives_the_root_and_one_warning() {
    let sandbox = Sandbox::new();
    sandbox.mkdir("home/.hermes/active_profile");
    assert_ignored(&sandbox, &ActiveProfileProblem::NotAFile);
    let sandbox = Sandbox::with_profiles(&[]);
    sandbox.link("home/.hermes/active_profile", "active_profile");
    match &sandbox.select().unwrap().warnings[..] {
        [Warning::ActiveProfileIgnored { problem, .. }] => {
            assert!(
                matches!(problem, ActiveProfileProblem::Unreadable(_)),
                "{problem}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_active_profile_that_is_a_pipe_is_not_opened() {
    let sandbox = Sandbox::with_profiles(&[]);
    let pipe = sandbox.default().join("active_profile");
    match std::process::Command::new("mkfifo").arg(&pipe).status() {
        Ok(status) => assert!(status.success()),
        Err(error) => {
            eprintln!("SKIPPED: there is no mkfifo here: {error}");
            return;
        }
    }
    assert_ignored(&sandbox, &ActiveProfileProblem::NotAFile);
}

#[track_caller]
fn assert_ignored(sandbox: &Sandbox, expected: &ActiveProfileProblem) {
    let chosen = sandbox.select().unwrap();
    assert_chosen(&chosen, sandbox.default(), HomeSource::Platform, "default");
    let expected = Warning::ActiveProfileIgnored {
        file: sandbox.default().join("active_profile"),
        problem: expected.clone(),
    };
    assert_eq!(chosen.warnings, [expected]);
    let text = chosen.warnings[0].to_string();
    assert!(!text.contains('\n') && !text.contains('\0'), "{text:?}");
}

#[test]
fn an_active_profile_that_is_gone_is_an_error_that_says_how_to_reset() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("ghost\n");
    let error = sandbox.select().unwrap_err();
    assert!(
        matches!(error, Error::ActiveProfileMissing { .. }),
        "{error}"
    );
    let text = error.to_string();
    let file = sandbox.default().join("active_profile");
    assert!(
        text.contains("\"ghost\"") && text.contains("delete it"),
        "{text}"
    );
    assert!(text.contains("default, coder"), "{text}");
    assert!(text.contains(file.to_str().unwrap()), "{text}");
    // Anything that selects is a way out.
    sandbox.select_profile("coder").unwrap();
    sandbox.select_profile("default").unwrap();
    sandbox.select_at(sandbox.profile("coder")).unwrap();
    let home = Selection::new().with_home(sandbox.default());
    home.resolve(&sandbox.env()).unwrap();
}
