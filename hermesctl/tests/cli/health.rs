//! Checking, copying and repairing the database.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::run_on;

fn ids(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|f| f["id"].as_str().unwrap()).collect()
}

fn check(db: &Path) -> (i32, Value) {
    let run = run_on(db, &["--json", "db", "check"]);
    (run.code, run.json())
}

#[test]
fn a_check_says_what_is_wrong_and_what_repairs_it_and_exits_with_4() {
    let store = fixture("damaged_stale_index_v11.db");
    let before = fs::read(store.path()).unwrap();
    let (code, report) = check(store.path());
    assert_eq!(code, 4);
    assert_eq!(ids(&report), ["search_incomplete", "search_holds_nul"]);
    assert_eq!(
        report["findings"][0],
        json!({
            "id": "search_incomplete",
            "severity": "error",
            "object": "messages_fts",
            "count": 21,
            "message": "messages_fts lacks 21 messages",
            "repair": "rebuild_index",
        })
    );
    let told = run_on(store.path(), &["db", "check"]);
    assert_eq!(told.code, 4);
    for part in [
        "error search_incomplete (messages_fts)\n  messages_fts lacks 21 messages\n  repair: make the full-text index anew",
        "note search_holds_nul",
        "2 findings; `hermesctl db repair`",
    ] {
        assert!(told.stdout.contains(part), "{}", told.stdout);
    }
    assert_eq!(told.stderr, "");
    assert!(fs::read(store.path()).unwrap() == before);
}

#[test]
fn a_sound_store_is_clean_and_what_is_none_is_an_error() {
    let store = fixture("v11.db");
    let copy = store.dir().join("new.db");
    let listed = run_on(store.path(), &["sessions", "export"]).ok().stdout;
    let lines = store.dir().join("lines");
    fs::write(&lines, listed).unwrap();
    run_on(&copy, &["sessions", "import", lines.to_str().unwrap()]).ok();
    let told = run_on(&copy, &["db", "check"]).ok().stdout;
    assert!(told.ends_with("\nclean\n"), "{told}");
    let fast = run_on(&copy, &["db", "check", "--fast"]).ok().stdout;
    assert!(
        fast.ends_with("clean, as far as a fast check goes\n"),
        "{fast}"
    );
    let none = fixture("not_a_database.db");
    let (code, report) = check(none.path());
    assert_eq!(
        (code, &report["error"]["code"]),
        (1, &json!("not_a_database"))
    );
}

#[test]
fn a_backup_is_made_rotated_and_restored() {
    let store = fixture("v11.db");
    let first = run_on(store.path(), &["--json", "db", "backup"])
        .ok()
        .json();
    assert_eq!(
        (&first["sessions"], &first["messages"]),
        (&json!(26), &json!(64))
    );
    let told = run_on(store.path(), &["db", "backup", "--keep", "1"])
        .ok()
        .stdout;
    assert!(
        told.contains("with 26 sessions and 64 messages ("),
        "{told}"
    );
    let gone = format!("\nremoved {}\n", first["path"].as_str().unwrap());
    assert!(told.ends_with(&gone), "{told}");
    let copy = store.dir().join("copy.db");
    let copy = copy.to_str().unwrap();
    run_on(store.path(), &["db", "backup", copy]).ok();
    run_on(
        store.path(),
        &["sessions", "delete", "cleared", "rewritten", "--yes"],
    )
    .ok();
    let refused = run_on(store.path(), &["db", "restore", copy]);
    assert_eq!(refused.code, 64, "{}", refused.stderr);
    let done = run_on(store.path(), &["db", "restore", copy, "--yes"])
        .ok()
        .stdout;
    assert!(
        done.starts_with("restored: 26 sessions and 64 messages\nwhat was there before is at ")
    );
    let damaged = fixture("truncated_v11.db");
    let error = run_on(damaged.path(), &["--json", "db", "backup"]);
    assert_eq!(
        (error.code, &error.json()["error"]["code"]),
        (1, &json!("corrupt"))
    );
}

#[test]
fn a_repair_is_foretold_asked_about_done_and_told() {
    let store = fixture("truncated_v11.db");
    let before = fs::read(store.path()).unwrap();
    let plan = run_on(store.path(), &["db", "repair", "--dry-run"])
        .ok()
        .stdout;
    assert!(
        plan.starts_with("error file_truncated (schema)\n"),
        "{plan}"
    );
    assert!(plan.contains("\nto be done:\n  read the rows page by page into a new file"));
    assert!(plan.ends_with("nothing was done\n"), "{plan}");
    let asked = run_on(store.path(), &["db", "repair"]);
    assert_eq!(asked.code, 64, "{}", asked.stderr);
    assert!(fs::read(store.path()).unwrap() == before);
    let done = run_on(store.path(), &["db", "repair", "--yes"]).ok().stdout;
    for part in [
        "\n  sessions: 26 rows saved\n",
        "\n  messages: 51 rows saved, 13 lost\n",
        "\nthe store from before is at ",
        "\nclean\n",
    ] {
        assert!(done.contains(part), "{done}");
    }
    run_on(store.path(), &["db", "check"]).ok();
    let again = run_on(store.path(), &["--json", "db", "repair"])
        .ok()
        .json();
    assert_eq!(
        (&again["steps"], &again["dry_run"]),
        (&json!([]), &json!(false))
    );
}

#[test]
fn what_cannot_be_repaired_is_said_with_exit_code_4() {
    let store = fixture("v30_inline.db");
    let told = run_on(store.path(), &["db", "repair"]);
    assert_eq!(told.code, 4);
    assert!(
        told.stdout.contains("nothing here can repair that\n"),
        "{}",
        told.stdout
    );
}

#[test]
fn what_is_no_store_at_all_is_told_apart_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("zeros"), vec![0; 100_000]).unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::create_dir(at("folder")).unwrap();
    let mut cases = vec![
        ("zeros", "nothing in it looks like one", "db restore"),
        ("empty", "there is no session store", "db restore"),
        ("folder", "is a directory", "put right what stands"),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        std::os::unix::fs::symlink("/nowhere/state.db", at("away")).unwrap();
        cases.push(("loop", "leads back to itself", "put right what stands"));
        cases.push(("away", "a file that is not there", "put right what stands"));
    }
    for (name, problem, hint) in cases {
        for command in ["check", "repair"] {
            let run = run_on(&at(name), &["db", command]);
            assert_eq!(run.code, 1, "{name} {}{}", run.stdout, run.stderr);
            for part in [problem, hint] {
                assert!(run.stderr.contains(part), "{name}: {}", run.stderr);
            }
            assert!(!run.stderr.contains("`hermesctl db repair`"), "{name}");
        }
    }
    // A link whose file is away is not "no sessions yet".
    #[cfg(unix)]
    for command in [&["sessions", "list"][..], &["db", "info"], &["search", "x"]] {
        let run = run_on(&at("away"), command);
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(run.stderr.contains("a link to a file that is not there"));
    }
}

#[test]
fn a_fact_with_a_long_name_is_parted_from_its_value() {
    let store = fixture("v11.db");
    let told = run_on(store.path(), &["db", "info"]).ok().stdout;
    let file_system = told.lines().find(|line| line.starts_with("file system"));
    assert!(file_system.unwrap().starts_with("file system "), "{told}");
    assert!(told.contains("\nschema    11\n"), "{told}");
}

#[test]
fn a_journal_is_chosen_and_stays() {
    let store = fixture("v11.db");
    let mode =
        || run_on(store.path(), &["--json", "db", "info"]).ok().json()["journal_mode"].clone();
    assert_eq!(mode(), json!("wal"));
    let changed = run_on(store.path(), &["db", "journal", "delete"])
        .ok()
        .stdout;
    assert_eq!(changed, "journal delete, and not wal any more\n");
    // Whatever is written next leaves it.
    run_on(
        store.path(),
        &["sessions", "rename", "cleared", "new title"],
    )
    .ok();
    assert_eq!(mode(), json!("delete"));
    let again = run_on(store.path(), &["--json", "db", "journal", "delete"])
        .ok()
        .json();
    assert_eq!(again, json!({"before": "delete", "after": "delete"}));
    run_on(store.path(), &["db", "journal", "wal"]).ok();
    assert_eq!(mode(), json!("wal"));
    let wrong = run_on(store.path(), &["db", "journal", "memory"]);
    assert_eq!(wrong.code, 64);
}

#[test]
fn a_store_that_was_only_put_in_order_is_not_said_to_be_migrated() {
    let store = fixture("duplicate_schema_row_v11.db");
    let told = run_on(store.path(), &["sessions", "rename", "cleared", "x"]).ok();
    let begin = "the store was put in order (remove doubled definitions from the schema); a copy";
    assert!(told.stderr.starts_with(begin), "{}", told.stderr);
}

#[test]
fn a_version_that_is_no_number_is_put_right() {
    let store = fixture("version_text.db");
    let done = run_on(store.path(), &["db", "repair", "--yes"]).ok().stdout;
    assert!(done.contains("store the version that the tables look like"));
    assert!(done.ends_with("\nclean\n"), "{done}");
    let info = run_on(store.path(), &["--json", "db", "info"]).ok().json();
    assert_eq!(
        (&info["schema_version"], &info["sessions"]),
        (&json!(11), &json!(26))
    );
}
