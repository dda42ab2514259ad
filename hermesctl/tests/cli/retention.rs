//! Deleting sessions, one by one and by filters.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::{run_in, run_on};

fn ids(value: &Value) -> Vec<&str> {
    let rows = value.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().or(row.as_str()).unwrap())
        .collect()
}

fn bytes(db: &Path) -> Vec<u8> {
    fs::read(db).unwrap()
}

/// SIZE-12
#[test]
fn a_dry_run_tells_sessions_messages_and_bytes_and_changes_nothing() {
    for name in ["v1.db", "v9.db", "v11.db", "v22.db", "v30_external.db"] {
        let store = fixture(name);
        let before = bytes(store.path());
        let prune = run_on(
            store.path(),
            &[
                "--json",
                "sessions",
                "prune",
                "--source",
                "cron",
                "--dry-run",
            ],
        )
        .ok()
        .json();
        assert_eq!(prune["dry_run"], true);
        assert_eq!(
            ids(&prune["sessions"]),
            ["cron_job1_000", "cron_job1_001", "cron_job1_002"],
            "{name}"
        );
        assert_eq!(prune["messages"], 3, "{name}");
        assert!(prune["bytes"].as_u64().unwrap() > 0, "{name}");
        let delete = run_on(
            store.path(),
            &["sessions", "delete", "tui_ghost_1", "--dry-run"],
        )
        .ok();
        assert!(
            delete
                .stdout
                .contains("would delete 1 session with 0 messages"),
            "{}",
            delete.stdout
        );
        assert!(bytes(store.path()) == before, "{name}");
    }
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let store = fixture("v11.db");
    let before = bytes(store.path());
    for args in [
        &["sessions", "delete", "cleared"][..],
        &["sessions", "prune", "--older-than", "1"],
    ] {
        let run = run_on(store.path(), &[&["--json"], args].concat());
        assert_eq!(
            (run.code, &run.json()["error"]["code"]),
            (64, &json!("confirmation_needed")),
            "{args:?}"
        );
        assert!(run.stderr.contains("--yes"), "{}", run.stderr);
    }
    assert!(bytes(store.path()) == before);
}

/// EXP-19: an age that is none is wrong usage, and so is a prune of everything by mistake.
#[test]
fn a_prune_that_means_nothing_in_particular_is_refused() {
    let store = fixture("v11.db");
    let before = bytes(store.path());
    for filter in [
        &["--older-than", "0"][..],
        &["--older-than=-1"],
        &["--older-than", "abc"],
        &["--older-than", "nan"],
        &["--before", "someday"],
        &["--archived", "include"],
        &["--by-start"],
        &[],
    ] {
        let run = run_on(
            store.path(),
            &[&["--json", "sessions", "prune", "-y"], filter].concat(),
        );
        assert_eq!(
            (run.code, &run.json()["error"]["code"]),
            (64, &json!("usage")),
            "{filter:?}"
        );
    }
    let none = run_on(
        store.path(),
        &["--json", "sessions", "prune", "-y", "--older-than", "99999"],
    );
    assert_eq!(none.ok().json()["ids"], json!([]));
    assert!(bytes(store.path()) == before);
}

/// A session as a line to import: ended, and its messages at these days before now.
fn line(id: &str, started: f64, ended: Option<f64>, messages: &[f64]) -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs_f64();
    let at = |days: f64| now - days * 86_400.0;
    let messages: Vec<Value> = messages
        .iter()
        .map(|days| json!({"role": "user", "content": format!("in {id}"), "timestamp": at(*days)}))
        .collect();
    let session = json!({
        "id": id, "source": "cli", "started_at": at(started), "ended_at": ended.map(at),
        "end_reason": ended.map(|_| "user_exit"), "messages": messages,
    });
    format!("{session}\n")
}

fn filled(folder: &Path, lines: &str) -> std::path::PathBuf {
    let db = folder.join("state.db");
    let file = folder.join("in.jsonl");
    fs::write(&file, lines).unwrap();
    let args = [
        "sessions",
        "import",
        "--all-or-nothing",
        file.to_str().unwrap(),
    ];
    run_on(&db, &args).ok();
    db
}

/// EXP-09, EXP-10
#[test]
fn age_is_that_of_the_last_activity_unless_the_start_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        line("quiet", 200.0, Some(150.0), &[199.0, 180.0]),
        line("talks", 200.0, Some(150.0), &[199.0, 0.5]),
        line("ends", 200.0, Some(1.0), &[100.0]),
        line("open", 20_000.0, None, &[]),
    ]
    .concat();
    let db = filled(folder.path(), &lines);
    let would = |more: &[&str]| {
        let args = [
            "--json",
            "sessions",
            "prune",
            "--dry-run",
            "--older-than",
            "90",
        ];
        let found = run_on(&db, &[&args, more].concat()).ok().json();
        ids(&found["sessions"])
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(would(&[]), ["quiet"]);
    assert_eq!(would(&["--by-start"]), ["quiet", "talks", "ends"]);
    assert_eq!(
        would(&["--by-start", "--min-messages", "2"]),
        ["quiet", "talks"]
    );
    let done = run_on(
        &db,
        &["--json", "sessions", "prune", "-y", "--older-than", "12w"],
    );
    assert_eq!(done.ok().json()["ids"], json!(["quiet"]));
}

#[test]
fn the_files_of_a_session_go_along_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [line("a", 2.0, Some(1.0), &[2.0]), line("b", 2.0, None, &[])].concat();
    let db = filled(folder.path(), &lines);
    let files = folder.path().join("sessions");
    fs::create_dir(&files).unwrap();
    for name in [
        "a.json",
        "a.jsonl",
        "request_dump_a_1.json",
        "b.json",
        "ab.json",
    ] {
        fs::write(files.join(name), "{}").unwrap();
    }
    let done = run_on(&db, &["sessions", "delete", "a", "--yes"]).ok();
    assert_eq!(
        done.stdout,
        "deleted 1 session with 1 message and 3 files\n"
    );
    let mut left: Vec<_> = files
        .read_dir()
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["ab.json", "b.json"]);
    let again = run_on(&db, &["--json", "sessions", "delete", "a", "--yes"]);
    assert_eq!(again.json()["error"]["code"], "unknown_session");
}

/// EXP-04
#[test]
fn children_of_what_is_pruned_lose_their_parent_and_stay() {
    let store = fixture("v11.db");
    let done = run_on(
        store.path(),
        &[
            "sessions",
            "prune",
            "-y",
            "--end-reason",
            "compression",
            "--title",
            "Docker",
        ],
    )
    .ok();
    assert_eq!(
        done.stdout,
        "deleted 2 sessions with 6 messages\n1 session lost its parent\n"
    );
    let tip = run_on(
        store.path(),
        &["--json", "sessions", "show", "20251101_110000_tip003"],
    );
    let tip = tip.ok().json();
    assert_eq!(tip["session"]["parent_session_id"], Value::Null);
    assert_eq!(tip["messages"].as_array().unwrap().len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_prune_between_two_sessions() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..800)
        .map(|n| line(&format!("s{n}"), 200.0, Some(199.0), &[200.0, 199.5]))
        .collect();
    let db = filled(folder.path(), &lines);
    let child = crate::program::hermesctl(folder.path())
        .arg("--db")
        .arg(&db)
        .args(["--json", "sessions", "prune", "-y", "--older-than", "90"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // From here on it listens: the bit of SIGINT is among the signals it catches.
    let catches = |text: &str| {
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & 2 != 0)
    };
    let status = format!("/proc/{}/status", child.id());
    while !catches(&fs::read_to_string(&status).unwrap()) {
        std::thread::yield_now();
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let done: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(done["cancelled"], true, "{done}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("stopped by Ctrl-C"));
    let gone = done["ids"].as_array().unwrap().len();
    assert!(gone < 800);
    let left = run_in(folder.path(), ["--db", "state.db", "sessions", "export"]).ok();
    let left: Vec<Value> = left
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(left.len(), 800 - gone);
    for session in &left {
        assert_eq!(session["messages"].as_array().unwrap().len(), 2);
        assert_eq!(session["end_reason"], "user_exit");
    }
}

/// What was left behind is foretold, asked about, cleared away, and then is no more.
#[test]
fn a_sweep_does_what_it_has_foretold() {
    for name in ["v11.db", "v22.db"] {
        let store = fixture(name);
        let before = bytes(store.path());
        for more in [&[][..], &["--empty"]] {
            let sweep = [&["--json", "sessions", "sweep"], more].concat();
            let plan = run_on(store.path(), &[&sweep[..], &["--dry-run"]].concat())
                .ok()
                .json();
            assert_eq!(plan["dry_run"], true);
            assert!(plan["end"].is_array(), "{plan}");
            let foretold = ids(&plan["sessions"]);
            assert!(foretold.contains(&"tui_ghost_1"), "{foretold:?}");
            let asked = run_on(store.path(), &sweep);
            assert_eq!(
                (asked.code, &asked.json()["error"]["code"]),
                (64, &json!("confirmation_needed"))
            );
            assert!(bytes(store.path()) == before, "{name}");
            let done = fixture(name);
            let told = run_on(done.path(), &[&sweep[..], &["-y"]].concat())
                .ok()
                .json();
            assert_eq!(ids(&told["ids"]), foretold, "{name}");
            assert_eq!(told["ended"], plan["end"], "{name}");
            let again = run_on(done.path(), &[&sweep[1..], &["-y"]].concat()).ok();
            assert_eq!(again.stdout, "deleted 0 sessions with 0 messages\n");
        }
    }
}
