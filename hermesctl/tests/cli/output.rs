//! How output looks, and where it goes.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use testdata::fixture;

use crate::program::{Run, hermesctl, left_alone, run_on};

#[test]
fn a_list_for_people_is_aligned() {
    let store = fixture("v11.db");
    let list = run_on(
        store.path(),
        &["sessions", "list", "--limit", "3", "--source", "telegram"],
    )
    .ok();
    let line = list.stdout.lines().nth(1).unwrap();
    assert!(
        line.starts_with("tg_大别山_001  telegram  2025-11-04 12:26  "),
        "{line}"
    );
    let heading = list.stdout.lines().next().unwrap();
    // The id is three columns wider than its characters.
    let at = heading.find("SOURCE").unwrap();
    assert_eq!(
        line.chars().take_while(|c| *c != ' ').count() + 3 + 2,
        at,
        "{}",
        list.stdout
    );
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let store = fixture("v11.db");
    let search = |color: &[&str], no_color: bool| {
        let mut command = hermesctl(store.dir());
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let run: Run = command
            .arg("--db")
            .arg(store.path())
            .args(color)
            .args(["search", "docker"])
            .output()
            .unwrap()
            .into();
        run.ok().stdout
    };
    assert!(!search(&[], false).contains('\u{1b}'));
    assert!(search(&[], false).contains(">>>docker<<<"));
    for no_color in [false, true] {
        let colored = search(&["--color", "always"], no_color);
        assert!(
            colored.contains("\u{1b}[1m\u{1b}[33mdocker\u{1b}[0m"),
            "{colored:?}"
        );
        assert!(!colored.contains(">>>"));
    }
    assert!(!search(&["--color", "never"], false).contains('\u{1b}'));
}

#[test]
fn stored_control_characters_do_not_reach_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"{"id": "evil\u001b[2J", "title": "a\u001b]0;x\u0007b", "source": "cli\u009b", "messages": [{"role": "user", "content": "zebra \u001b[31mred\r\nnext"}]}"#;
    let file = folder.path().join("evil.jsonl");
    std::fs::write(&file, line).unwrap();
    let db = folder.path().join("state.db");
    run_on(&db, &["sessions", "import", file.to_str().unwrap()]).ok();
    for args in [
        &["sessions", "list"][..],
        &["search", "zebra", "-C", "1"],
        &["sessions", "show", "evil"],
    ] {
        let shown = run_on(&db, args).ok().stdout;
        assert!(
            shown.chars().all(|c| c == '\n' || !c.is_control()),
            "{args:?}: {shown:?}"
        );
    }
    let json = run_on(&db, &["--json", "sessions", "list"]).ok().json();
    assert_eq!(
        json["sessions"][0]["id"], "evil\u{1b}[2J",
        "programs get what is stored"
    );
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let store = fixture("v11.db");
    for args in [
        &["sessions", "export"][..],
        &["--json", "sessions", "list", "-n", "100"],
        &["sessions", "show", "tg_"],
    ] {
        let left = left_alone(&store, args);
        assert_eq!(left, (Some(0), String::new()), "{args:?}");
    }
}

#[test]
fn a_reader_that_leaves_midway_ends_a_long_export_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("state.db");
    let text = "x".repeat(4096);
    let messages = vec![format!(r#"{{"role": "user", "content": "{text}"}}"#); 200].join(", ");
    let file = folder.path().join("long.jsonl");
    std::fs::write(
        &file,
        format!(r#"{{"id": "long", "messages": [{messages}]}}"#),
    )
    .unwrap();
    run_on(&db, &["sessions", "import", file.to_str().unwrap()]).ok();
    let mut child = hermesctl(folder.path())
        .arg("--db")
        .arg(&db)
        .args(["--json", "sessions", "show", "long"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(
        first.starts_with("{\"session\": {\"id\":\"long\""),
        "{first}"
    );
    let mut complaint = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaint)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), complaint.as_str()),
        (Some(0), "")
    );
}

#[test]
fn json_keys_are_those_of_the_columns_and_numbers_are_as_stored() {
    let store = fixture("v11.db");
    let list = run_on(store.path(), &["--json", "sessions", "list", "-n", "1"]).ok();
    assert!(
        list.stdout.contains("\"started_at\":1762604801.0"),
        "{}",
        list.stdout
    );
    let first = list.json()["sessions"][0]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect::<Vec<_>>();
    assert_eq!(first.first().map(String::as_str), Some("id"));
    assert_eq!(
        first.iter().rev().take(2).rev().collect::<Vec<_>>(),
        ["last_active", "preview"]
    );
    assert_eq!(first.len(), 32);
}
