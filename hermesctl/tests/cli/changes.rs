//! Changing sessions: titles, ends, the archive.

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::{Run, run_on};

const TIP: &str = "20251101_110000_tip003";

fn session(db: &std::path::Path, id: &str) -> Value {
    let shown = run_on(db, &["--json", "sessions", "show", id]).ok().json();
    shown["session"].clone()
}

fn code(run: &Run) -> (i32, Value) {
    (run.code, run.json()["error"]["code"].clone())
}

#[test]
fn a_title_is_given_numbered_and_taken_away() {
    let store = fixture("v11.db");
    let on = |args: &[&str]| {
        run_on(
            store.path(),
            &[&["--json", "sessions", "rename"], args].concat(),
        )
    };
    let renamed = on(&["rewritten", "A", "new", "title"]).ok().json();
    assert_eq!(
        renamed,
        json!({"session": {"id": "rewritten", "title": "A new title"}, "previous_title": null})
    );
    let taken = on(&["cleared", "A new title"]);
    assert_eq!(code(&taken), (1, json!("title_in_use")));
    assert!(taken.stderr.contains("--auto-number"), "{}", taken.stderr);
    let numbered = on(&["cleared", "A new title", "--auto-number"]).ok().json();
    assert_eq!(numbered["session"]["title"], "A new title #2");
    // By its title a session is found, too.
    let cleared = on(&["A new title #2", "--clear"]).ok().json();
    assert_eq!(cleared["session"], json!({"id": "cleared", "title": null}));
    assert_eq!(session(store.path(), "cleared")["title"], Value::Null);
    assert_eq!(code(&on(&["cleared"])), (64, json!("usage")));
    assert_eq!(code(&on(&["nosuch", "x"])), (1, json!("unknown_session")));
    assert_eq!(
        code(&on(&["cleared", &"x".repeat(101)])),
        (1, json!("invalid"))
    );
}

#[test]
fn sessions_are_ended_once_and_opened_again() {
    let store = fixture("v11.db");
    let on = |args: &[&str]| run_on(store.path(), &[&["--json", "sessions"], args].concat());
    let ended = on(&["end", "rewritten", "cron_job1_000", "--reason", "done"])
        .ok()
        .json();
    assert_eq!(
        ended,
        json!({"ended": ["rewritten"], "unchanged": ["cron_job1_000"]})
    );
    assert_eq!(session(store.path(), "rewritten")["end_reason"], "done");
    assert_eq!(
        session(store.path(), "cron_job1_000")["end_reason"],
        "cron_complete"
    );
    let opened = on(&["reopen", "rewritten", "clock_back", "rewritten"])
        .ok()
        .json();
    assert_eq!(
        opened,
        json!({"reopened": ["rewritten"], "unchanged": ["clock_back"]})
    );
    assert_eq!(session(store.path(), "rewritten")["ended_at"], Value::Null);
    // One that is not there stops it before anything is changed.
    assert_eq!(
        code(&on(&["end", "clock_back", "nosuch"])),
        (1, json!("unknown_session"))
    );
    assert_eq!(session(store.path(), "clock_back")["ended_at"], Value::Null);
}

#[test]
fn the_archive_takes_whole_lineages_and_needs_version_14() {
    let store = fixture("v22.db");
    let on = |args: &[&str]| run_on(store.path(), &[&["--json", "sessions"], args].concat());
    let archived = on(&["archive", TIP]).ok().json();
    assert_eq!(archived["archived"].as_array().unwrap().len(), 3);
    let listed = |args: &[&str]| {
        let list = on(args).ok().json();
        list["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .any(|s| s["id"] == TIP)
    };
    assert!(listed(&["list", "--archived"]));
    assert!(!listed(&["list", "-n", "100"]));
    on(&["unarchive", TIP]).ok();
    assert!(listed(&["list", "-n", "100"]));

    // By a filter, and looked at first.
    let filter = [
        "archive",
        "--title",
        "docker setup",
        "--end-reason",
        "compression",
    ];
    let would = on(&[&filter[..], &["--dry-run"]].concat()).ok().json();
    assert_eq!(would["archived"].as_array().unwrap().len(), 3, "{would}");
    assert!(listed(&["list", "-n", "100"]));
    assert_eq!(on(&filter).ok().json()["archived"], would["archived"]);
    assert!(!listed(&["list", "-n", "100"]));
    for wrong in [&["archive"][..], &["archive", TIP, "--source", "cli"]] {
        assert_eq!(code(&on(wrong)), (64, json!("usage")), "{wrong:?}");
    }

    let old = fixture("v11.db");
    for args in [
        &["archive", TIP][..],
        &["archive", TIP, "--dry-run"],
        &["list", "--archived"],
    ] {
        let run = run_on(old.path(), &[&["--json", "sessions"], args].concat());
        assert_eq!(code(&run), (1, json!("unsupported")), "{args:?}");
        assert!(
            run.stderr.contains("schema version 14 or newer"),
            "{}",
            run.stderr
        );
    }
}

/// LIN-15, LIN-16: an exact id is meant before a title, a title before the beginning of an id; what
/// cannot be undone takes no title, and nothing that may mean two sessions.
#[test]
fn names_mean_one_session_or_none() {
    let store = fixture("v11.db");
    let rename = |id: &str, title: &str| {
        run_on(store.path(), &["sessions", "rename", id, title]).ok();
    };
    rename("cleared", "rewr");
    rename("clock_back", "tokens_only");
    let shown = |text: &str| {
        let run = run_on(store.path(), &["--json", "sessions", "show", text]);
        run.ok().json()["session"]["id"].clone()
    };
    assert_eq!(shown("rewr"), "cleared");
    assert_eq!(shown("tokens_only"), "tokens_only");
    assert_eq!(shown("rewri"), "rewritten");
    let delete = |text: &str| run_on(store.path(), &["--json", "sessions", "delete", "-y", text]);
    assert_eq!(code(&delete("rewr")), (1, json!("ambiguous_session")));
    assert_eq!(code(&delete("2025")), (1, json!("ambiguous_session")));
    assert_eq!(code(&delete("Docker setup")), (1, json!("unknown_session")));
    assert_eq!(code(&delete("wild_card")), (1, json!("unknown_session")));
    assert_eq!(
        delete("wild%card").ok().json()["ids"],
        json!(["wild%card_id"])
    );
}

#[test]
fn a_command_that_changes_makes_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("state.db");
    let empty = fixture("empty_file.db");
    for args in [
        &["sessions", "rename", "a", "b"][..],
        &["sessions", "unarchive", "a"],
        &["sessions", "sweep", "-y"],
        &["sessions", "sweep", "--dry-run"],
        &["db", "vacuum", "--dry-run"],
        &["db", "migrate", "--dry-run"],
        &["sessions", "end", "a"],
        &["sessions", "reopen", "a"],
        &["sessions", "archive", "a"],
        &["sessions", "delete", "a", "-y"],
        &["sessions", "prune", "--older-than", "1", "-y"],
        &["sessions", "prune", "--older-than", "1", "--dry-run"],
        &["db", "migrate"],
        &["db", "vacuum"],
        &["db", "optimize"],
        &["db", "checkpoint"],
    ] {
        for db in [missing.as_path(), empty.path()] {
            let run = run_on(db, &[&["--json"], args].concat());
            assert_eq!(code(&run), (1, json!("no_store")), "{args:?}");
        }
    }
    assert_eq!(std::fs::read(empty.path()).unwrap(), b"");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
