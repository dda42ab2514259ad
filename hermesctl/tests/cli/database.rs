//! Looking after the database itself.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::{run, run_on};

/// Files beside a store whose names begin with its own and say that they are copies.
fn copies(db: &Path) -> Vec<PathBuf> {
    let files = db.parent().unwrap().read_dir().unwrap();
    files
        .map(|file| file.unwrap().path())
        .filter(|path| path.to_string_lossy().contains(".before-migration-"))
        .collect()
}

fn version(db: &Path) -> Value {
    let info = run_on(db, &["--json", "db", "info"]).ok().json();
    json!([info["schema_version"], info["index"]["complete"]])
}

#[test]
fn a_migration_is_foretold_done_and_told() {
    for (name, from) in [("v1.db", 1), ("v9.db", 9), ("v10_external.db", 10)] {
        let store = fixture(name);
        let before = fs::read(store.path()).unwrap();
        let plan = run_on(store.path(), &["--json", "db", "migrate", "--dry-run"])
            .ok()
            .json();
        assert_eq!(
            (&plan["from"], &plan["to"]),
            (&json!(from), &json!(11)),
            "{name}"
        );
        assert!(plan["messages_to_index"].as_u64().unwrap() > 50, "{name}");
        let info = run_on(store.path(), &["--json", "db", "info"]).ok().json();
        assert_eq!(info["migration"]["steps"], plan["steps"], "{name}");
        assert!(fs::read(store.path()).unwrap() == before, "{name}");

        let done = run_on(store.path(), &["--json", "db", "migrate"])
            .ok()
            .json();
        assert_eq!(done["steps"], plan["steps"], "{name}");
        assert_eq!(
            (&done["dry_run"], &done["backup"]),
            (&json!(false), &Value::Null)
        );
        assert_eq!(version(store.path()), json!([11, true]), "{name}");
        let again = run_on(store.path(), &["db", "migrate"]).ok();
        assert_eq!(again.stdout, "version 11: nothing to migrate\n");
    }
}

#[test]
fn a_copy_is_made_before_a_rewrite_always_or_never() {
    for (name, backup, expected) in [
        ("dup_titles_v3.db", None, 1),
        ("dup_titles_v3.db", Some("never"), 0),
        ("v9.db", None, 0),
        ("v9.db", Some("always"), 1),
    ] {
        let store = fixture(name);
        let mut args = vec!["--json", "db", "migrate"];
        args.extend(backup.iter().flat_map(|when| ["--backup", when]));
        let done = run_on(store.path(), &args).ok().json();
        let copies = copies(store.path());
        assert_eq!(copies.len(), expected, "{name} {backup:?}");
        if let Some(copy) = copies.first() {
            assert_eq!(done["backup"], json!(copy));
            let listed = run_on(copy, &["--json", "sessions", "list"]).ok().json();
            assert!(!listed["sessions"].as_array().unwrap().is_empty());
        }
    }
}

#[test]
fn definitions_that_are_there_twice_are_put_right() {
    let store = fixture("duplicate_schema_row_v11.db");
    let read = run_on(store.path(), &["--json", "sessions", "list"]);
    assert_eq!(read.json()["error"]["code"], "corrupt");
    let before = fs::read(store.path()).unwrap();
    let plan = run_on(store.path(), &["db", "migrate", "--dry-run"]).ok();
    let step = "\n  remove doubled definitions from the schema\n";
    assert!(
        plan.stdout
            .starts_with("version 11 would be put in order:\n"),
        "{}",
        plan.stdout
    );
    assert!(plan.stdout.contains(step), "{}", plan.stdout);
    assert!(fs::read(store.path()).unwrap() == before);
    let done = run_on(store.path(), &["db", "migrate"]).ok().stdout;
    assert!(done.starts_with("version 11 was put in order:\n"), "{done}");
    assert!(done.contains(step), "{done}");
    let copies = copies(store.path());
    assert_eq!(copies.len(), 1);
    let name = copies[0].to_string_lossy();
    assert!(name.contains(".before-migration-v11-"), "{name}");
    run_on(store.path(), &["db", "info", "--check"]).ok();
}

#[test]
fn what_is_not_to_be_migrated_stays_as_it_is() {
    for name in ["v11.db", "v22.db", "v30_external.db", "version_999.db"] {
        let store = fixture(name);
        let before = fs::read(store.path()).unwrap();
        let told = run_on(store.path(), &["db", "migrate"]).ok().stdout;
        assert!(told.ends_with(": nothing to migrate\n"), "{told}");
        assert!(fs::read(store.path()).unwrap() == before, "{name}");
    }
}

/// LOCK-21: reading makes no file, and an older store is read with one hint.
#[test]
fn reading_an_older_store_gives_one_hint_and_reading_none_makes_none() {
    let store = fixture("v9.db");
    let reading: [&[&str]; 6] = [
        &["sessions", "list"],
        &["sessions", "stats"],
        &["sessions", "show", "clock_back"],
        &["sessions", "lineage", "clock_back"],
        &["sessions", "export"],
        &["db", "info"],
    ];
    for args in reading {
        let run = run_on(store.path(), args).ok();
        assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {}", run.stderr);
        assert!(
            run.stderr.contains("`hermesctl db migrate`"),
            "{}",
            run.stderr
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("state.db");
    for args in reading {
        run_on(&db, args);
        run_on(&db, &[&["--json"], args].concat());
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// SIZE-01
#[test]
fn info_tells_the_bytes_of_each_table_and_index() {
    let store = fixture("v11.db");
    let info = run_on(store.path(), &["--json", "db", "info"]).ok().json();
    let objects = info["objects"].as_array().unwrap();
    let sum: u64 = objects.iter().map(|o| o["bytes"].as_u64().unwrap()).sum();
    let file = info["bytes"].as_u64().unwrap() - info["free_bytes"].as_u64().unwrap();
    assert_eq!(sum, file);
    assert!(objects.iter().any(|o| o["part"] == "trigram index"));
    let people = run_on(store.path(), &["db", "info"]).ok().stdout;
    assert!(people.contains("messages_fts_trigram_data"), "{people}");
}

#[test]
fn the_index_is_merged_and_the_log_moved() {
    let store = fixture("v11.db");
    let plan = run_on(store.path(), &["--json", "db", "optimize", "--dry-run"])
        .ok()
        .json();
    assert_eq!(
        (&plan["dry_run"], &plan["index_made"]),
        (&json!(true), &json!(true))
    );
    let done = run_on(store.path(), &["--json", "db", "optimize"])
        .ok()
        .json();
    assert_eq!(done["segments_before"], plan["segments_before"]);
    assert_eq!(
        (&done["segments_after"], &done["index_made"]),
        (&json!(2), &json!(true))
    );
    for args in [
        &["db", "checkpoint"][..],
        &["db", "checkpoint", "--truncate"],
    ] {
        let moved = run_on(store.path(), &[&["--json"], args].concat())
            .ok()
            .json();
        assert_eq!(moved["complete"], true, "{args:?}");
    }
    run_on(store.path(), &["db", "info", "--check"]).ok();
    let left = fixture("wal_left.db");
    let moved = run_on(left.path(), &["--json", "db", "checkpoint", "--truncate"])
        .ok()
        .json();
    assert!(
        moved["log_pages"].as_u64().unwrap() == 0 || moved["complete"] == true,
        "{moved}"
    );
}

/// SIZE-12
#[cfg(target_os = "linux")]
#[test]
fn a_vacuum_is_refused_while_others_have_the_store_open() {
    let store = fixture("v11.db");
    let mut holder = std::process::Command::new("sleep")
        .arg("600")
        .stdin(fs::File::open(store.path()).unwrap())
        .spawn()
        .unwrap();
    for args in [&["db", "vacuum"][..], &["db", "vacuum", "--dry-run"]] {
        let run = run_on(store.path(), &[&["--json"], args].concat());
        assert_eq!(
            (run.code, &run.json()["error"]["code"]),
            (1, &json!("in_use"))
        );
        let named = format!("sleep (pid {})", holder.id());
        assert!(run.stderr.contains(&named), "{}", run.stderr);
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
    run_on(
        store.path(),
        &["sessions", "prune", "--older-than", "1", "-y"],
    )
    .ok();
    let would = run_on(store.path(), &["--json", "db", "vacuum", "--dry-run"])
        .ok()
        .json();
    assert_eq!(would["dry_run"], true);
    let done = run_on(store.path(), &["--json", "db", "vacuum"])
        .ok()
        .json();
    assert!(
        done["bytes_after"].as_u64().unwrap() < done["bytes_before"].as_u64().unwrap(),
        "{done}"
    );
    run_on(store.path(), &["db", "info", "--check"]).ok();
}

#[test]
fn wrong_usage_is_told_apart_from_failure() {
    for args in [
        &["db", "migrate", "--backup", "maybe"][..],
        &["db", "compact"],
        &["db"],
    ] {
        assert_eq!(run(args).code, 64, "{args:?}");
    }
}
