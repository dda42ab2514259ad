//! What export and import can be asked for.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::{Run, run_on};

const TIP: &str = "20251101_110000_tip003";

fn input(folder: &Path, lines: &[Value]) -> PathBuf {
    let file = folder.join("in.jsonl");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&file, text).unwrap();
    file
}

fn import(db: &Path, file: &Path, more: &[&str]) -> Run {
    let args = ["--json", "sessions", "import", file.to_str().unwrap()];
    run_on(db, &[&args, more].concat())
}

fn said(db: &Path, id: &str) -> Value {
    let shown = run_on(db, &["--json", "sessions", "show", id]).ok().json();
    shown["messages"][0]["content"].clone()
}

/// EXP-12
#[test]
fn only_the_sessions_that_are_named_are_written_and_nothing_for_an_unknown_one() {
    let store = fixture("v11.db");
    let ids = |args: &[&str]| {
        let export = run_on(store.path(), &[&["sessions", "export"], args].concat()).ok();
        let lines = export.stdout.lines();
        lines
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&["cleared"]), ["cleared"]);
    assert_eq!(
        ids(&["rewritten", "cleared", "rewr"]),
        ["rewritten", "cleared"]
    );
    let unknown = run_on(store.path(), &["sessions", "export", "cleared", "nosuch"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (1, ""));
}

#[test]
fn a_lineage_is_one_line_or_one_document() {
    let store = fixture("v11.db");
    let line = run_on(store.path(), &["sessions", "export", TIP, "--lineage"])
        .ok()
        .stdout;
    assert_eq!(line.lines().count(), 1);
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["lineage_session_ids"].as_array().unwrap().len(), 3);
    assert_eq!(line["messages"].as_array().unwrap().len(), 8);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.md");
    let done = run_on(
        store.path(),
        &[
            "--json",
            "sessions",
            "export",
            TIP,
            "20251101_09",
            "--lineage",
            "--format",
            "markdown",
            "-o",
            file.to_str().unwrap(),
        ],
    );
    assert_eq!(done.ok().json()["sessions"], 3, "each once");
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("\n# Docker setup").count(), 3, "{text}");
    let all = run_on(store.path(), &["sessions", "export", "--lineage"]);
    assert_eq!(all.code, 64);
}

/// EXP-15
#[test]
fn documents_for_people_carry_nothing_that_acts() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "```\n<script>alert(1)</script>\n````\n<img src=https://example.org/x.png>";
    let file = input(
        folder.path(),
        &[json!({"id": "a", "source": "cli", "messages": [{"role": "user", "content": hostile}]})],
    );
    let db = folder.path().join("state.db");
    import(&db, &file, &[]).ok();
    let html = run_on(&db, &["sessions", "export", "a", "-f", "html"])
        .ok()
        .stdout;
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("&lt;script&gt;"));
    assert!(
        !html.contains("<script") && !html.contains("<img"),
        "{html}"
    );
    let markdown = run_on(&db, &["sessions", "export", "a", "-f", "markdown"])
        .ok()
        .stdout;
    assert!(markdown.contains("alert(1)"), "{markdown}");
}

/// EXP-16
#[test]
fn a_session_that_is_there_is_skipped_copied_or_replaced() {
    for (mode, original, copy) in [
        (None, "old", None),
        (Some("skip"), "old", None),
        (Some("copy"), "old", Some("new")),
        (Some("overwrite"), "new", None),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("state.db");
        let session = |text: &str| {
            json!({"id": "a", "source": "cli", "title": "T",
                "messages": [{"role": "user", "content": text}]})
        };
        import(&db, &input(folder.path(), &[session("old")]), &[]).ok();
        let file = input(folder.path(), &[session("new")]);
        let more: Vec<&str> = mode.iter().flat_map(|mode| ["--existing", mode]).collect();
        let foretold = import(&db, &file, &[&more[..], &["--dry-run"]].concat())
            .ok()
            .json();
        assert_eq!(said(&db, "a"), "old");
        let report = import(&db, &file, &more).ok().json();
        for key in [
            "sessions",
            "messages",
            "skipped",
            "copied",
            "overwritten",
            "retitled",
        ] {
            assert_eq!(foretold[key], report[key], "{mode:?} {key}");
        }
        assert_eq!(said(&db, "a"), original, "{mode:?}");
        let copied = report["copied"]
            .as_array()
            .map(|copied| copied[0]["to"].clone());
        let copied = copied.map(|id| said(&db, id.as_str().unwrap()));
        assert_eq!(copied, copy.map(|text| json!(text)), "{mode:?}");
    }
}

/// EXP-03
#[test]
fn all_or_nothing_changes_nothing_if_one_is_bad_and_titles_may_be_refused() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("state.db");
    let file = input(
        folder.path(),
        &[
            json!({"id": "a", "source": "cli", "title": "T", "messages": []}),
            json!({"id": "b", "source": "cli", "title": "T", "messages": []}),
            json!({"id": "c", "source": "cli", "messages": 5}),
        ],
    );
    let count = || {
        let list = run_on(&db, &["--json", "sessions", "list"]).ok().json();
        list["sessions"].as_array().unwrap().len()
    };
    let dry = import(&db, &file, &["--dry-run"]);
    assert_eq!((dry.code, &dry.json()["sessions"]), (1, &json!(2)));
    assert!(!db.exists(), "a dry run makes no store");
    let none = import(&db, &file, &["--all-or-nothing"]);
    assert_eq!((none.code, count()), (1, 0));
    assert!(none.stderr.contains("nothing was"), "{}", none.stderr);
    assert_eq!(none.json()["errors"][0]["line"], 3);
    let refused = import(&db, &file, &["--titles", "refuse"]);
    let lines: Vec<Value> = refused.json()["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["line"].clone())
        .collect();
    assert_eq!((lines, count()), (vec![json!(2), json!(3)], 1));
    let again = import(&db, &file, &[]);
    let again = again.json();
    assert_eq!(
        (&again["skipped"], &again["retitled"][0]["to"]),
        (&json!(["a"]), &json!("T #2"))
    );
}
