//! Which home is used.

use std::fs;

use serde_json::json;

use crate::program::{hermesctl, run_in};

#[test]
fn home_says_where_and_why() {
    let user = tempfile::tempdir().unwrap();
    let path = user.path().canonicalize().unwrap();
    let home = path.join(".hermes");
    let told = run_in(&path, ["--json", "home"]).ok().json();
    assert_eq!(
        told,
        json!({
            "home": home.to_str().unwrap(),
            "source": "platform",
            "root": home.to_str().unwrap(),
            "profile": "default",
            "display": "~/.hermes",
            "state_db": home.join("state.db").to_str().unwrap(),
            "warnings": [],
        })
    );
    assert!(!home.exists(), "asking creates nothing");
}

#[test]
fn options_and_environment_are_told_apart() {
    let user = tempfile::tempdir().unwrap();
    let path = user.path().canonicalize().unwrap();
    fs::create_dir_all(path.join(".hermes/profiles/coder")).unwrap();
    let told = |args: &[&str], hermes_home: Option<&str>| {
        let mut command = hermesctl(&path);
        if let Some(value) = hermes_home {
            command.env("HERMES_HOME", value);
        }
        let run: crate::program::Run = command
            .args(args)
            .args(["--json", "home"])
            .output()
            .unwrap()
            .into();
        let told = run.ok().json();
        [
            told["source"].clone(),
            told["profile"].clone(),
            told["display"].clone(),
        ]
    };
    assert_eq!(
        told(&["-p", "coder"], None),
        ["profile-flag", "coder", "~/.hermes/profiles/coder"]
    );
    assert_eq!(
        told(&["--home", "x"], None),
        ["home-flag", "default", "~/x"]
    );
    assert_eq!(
        told(&[], Some("~/.hermes/profiles/coder")),
        ["env", "coder", "~/.hermes/profiles/coder"]
    );
    assert_eq!(
        told(&["--db", "y/z.db"], None),
        ["db-flag", "custom", "~/y"]
    );
    fs::write(path.join(".hermes/active_profile"), "coder\r\n").unwrap();
    assert_eq!(
        told(&[], None),
        ["active-profile", "coder", "~/.hermes/profiles/coder"]
    );
}

#[test]
fn an_unknown_profile_is_an_error_that_says_which_there_are() {
    let user = tempfile::tempdir().unwrap();
    fs::create_dir_all(user.path().join(".hermes/profiles/coder")).unwrap();
    let run = run_in(user.path(), ["-p", "codre", "home"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("coder"), "{}", run.stderr);
}

#[test]
fn a_store_that_is_not_there_yet_is_no_failure_and_is_not_made() {
    let user = tempfile::tempdir().unwrap();
    let expected = "no sessions yet, expected at ~/.hermes/state.db\n";
    for args in [&["sessions", "list"][..], &["search", "x"], &["db", "info"]] {
        assert_eq!(run_in(user.path(), args).ok().stdout, expected, "{args:?}");
    }
    for (args, empty) in [
        (&["sessions", "list"][..], json!({"sessions": []})),
        (
            &["search", "x"],
            json!({"query": "x", "matches": [], "degraded": false, "truncated_query": false}),
        ),
        (&["db", "info"], json!({"exists": false})),
    ] {
        let run = run_in(user.path(), [&["--json"], args].concat()).ok();
        assert_eq!(run.json(), empty, "{args:?}");
        assert_eq!(run.stderr, expected);
    }
    let export = run_in(user.path(), ["sessions", "export"]).ok();
    assert_eq!(
        (export.stdout.as_str(), export.stderr.as_str()),
        ("", expected)
    );
    assert_eq!(run_in(user.path(), ["sessions", "show", "x"]).code, 1);
    assert_eq!(
        fs::read_dir(user.path()).unwrap().count(),
        0,
        "nothing was made"
    );
}

#[test]
fn a_test_never_gets_at_the_production_store() {
    // No variable says that this is a test, or where the user's home is: the account and the
    // processes above tell. Reading is all that is tried, should the guard fail.
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hermesctl"));
    let run: crate::program::Run = command
        .env_clear()
        .current_dir("/")
        .args(["--json", "sessions", "list"])
        .output()
        .unwrap()
        .into();
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.json()["error"]["code"], "live_system_guard");
    assert!(
        run.stderr.contains("HERMES_STATE_DB_GUARD_BYPASS"),
        "{}",
        run.stderr
    );
}
