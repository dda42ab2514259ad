//! Reading the databases that the real Hermes wrote.

use serde_json::{Value, json};
use testdata::{fixture, manifest};

use crate::program::run_on;

fn ids(rows: &Value, key: &str) -> Vec<Value> {
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| row[key].clone())
        .collect()
}

/// What 0.13.0 did with its own database.
fn recorded() -> Value {
    let manifest = manifest();
    let fixtures = manifest["fixtures"].as_array().unwrap();
    let v11 = fixtures.iter().find(|f| f["file"] == "v11.db").unwrap();
    v11["opened_by"]["0.13.0"].clone()
}

/// Searches in which the real one is wrong, with what is right.
const REVIEWED: [(&str, [i64; 2], &str); 2] = [
    (
        "漓江 桂林",
        [37, 36],
        "it finds messages with one of the two words, and misses the tool call that has both, \
         because it wrote them as \\u escapes",
    ),
    (
        "大别山",
        [14, 38],
        "it misses a tool call, for the same reason",
    ),
];

#[test]
fn searches_find_what_the_real_one_finds_in_its_order() {
    let store = fixture("v11.db");
    let recorded = recorded();
    for (query, expected) in recorded["search_ids"].as_object().unwrap() {
        let found = run_on(store.path(), &["--json", "search", "--limit", "50", query])
            .ok()
            .json();
        let ids = json!(ids(&found["matches"], "id"));
        match REVIEWED.iter().find(|(reviewed, ..)| reviewed == query) {
            None => assert_eq!(ids, *expected, "{query}"),
            Some((_, right, reason)) => {
                assert_eq!(ids, json!(right), "{query}: {reason}");
                assert_ne!(ids, *expected, "{query} is no difference any more");
            }
        }
        assert_eq!(found["query"], json!(query));
        assert_eq!(
            (&found["degraded"], &found["truncated_query"]),
            (&json!(false), &json!(false))
        );
    }
}

#[test]
fn a_match_has_the_keys_of_the_real_one_in_their_order() {
    let store = fixture("v11.db");
    let found = run_on(store.path(), &["--json", "search", "docker"])
        .ok()
        .json();
    let keys: Vec<&String> = found["matches"][0].as_object().unwrap().keys().collect();
    let expected = testdata::vectors("search")["match_keys_in_order"]["0.13.0"].clone();
    assert_eq!(json!(keys), expected);
    assert_eq!(found["matches"].as_array().unwrap().len(), 3);
    assert_eq!(
        found["matches"][0]["snippet"],
        "Please set up >>>docker<<< compose for the zebra project  "
    );
}

#[test]
fn the_list_is_that_of_the_real_one() {
    let store = fixture("v11.db");
    let list = run_on(
        store.path(),
        &["--json", "sessions", "list", "--limit", "100"],
    )
    .ok()
    .json();
    assert_eq!(json!(ids(&list["sessions"], "id")), recorded()["list_ids"]);
}

#[test]
fn lists_and_searches_page_without_gap_or_overlap() {
    let store = fixture("v11.db");
    for (command, rows, key) in [
        (&["sessions", "list"][..], "sessions", "id"),
        (&["search", "zebra"][..], "matches", "id"),
    ] {
        let page = |limit: &str, offset: &str| {
            let args = [
                &["--json"],
                command,
                &["--limit", limit, "--offset", offset],
            ]
            .concat();
            ids(&run_on(store.path(), &args).ok().json()[rows], key)
        };
        let whole = page("100", "0");
        let parts = [page("4", "0"), page("4", "4"), page("100", "8")].concat();
        assert_eq!(whole, parts, "{command:?}");
    }
}

#[test]
fn filters_narrow_lists_and_searches() {
    let store = fixture("v11.db");
    let sources = |args: &[&str], rows: &str| {
        let args = [&["--json"], args].concat();
        ids(&run_on(store.path(), &args).ok().json()[rows], "source")
    };
    let cron = sources(
        &["sessions", "list", "--source", "cron", "-n", "50"],
        "sessions",
    );
    assert!(!cron.is_empty() && cron.iter().all(|source| source == "cron"));
    let rest = sources(
        &["sessions", "list", "--exclude-source", "cron", "-n", "50"],
        "sessions",
    );
    assert!(!rest.is_empty() && rest.iter().all(|source| source != "cron"));
    let telegram = sources(&["search", "大别山", "--source", "telegram"], "matches");
    assert!(!telegram.is_empty() && telegram.iter().all(|source| source == "telegram"));
    let roles = run_on(
        store.path(),
        &["--json", "search", "zebra", "--role", "assistant"],
    )
    .ok()
    .json();
    let roles = ids(&roles["matches"], "role");
    assert!(!roles.is_empty() && roles.iter().all(|role| role == "assistant"));
}

#[test]
fn a_session_is_shown_whole_and_by_the_beginning_of_its_id() {
    let store = fixture("v11.db");
    let shown = run_on(store.path(), &["--json", "sessions", "show", "20251101_09"])
        .ok()
        .json();
    assert_eq!(shown["session"]["id"], "20251101_090000_root01");
    assert_eq!(shown["session"]["message_count"], 4);
    assert_eq!(
        ids(&shown["messages"], "id"),
        [1, 2, 3, 4].map(|id| json!(id))
    );
    assert!(shown["messages"][1]["tool_calls"].is_array());

    let text = run_on(
        store.path(),
        &["sessions", "show", "20251101_090000_root01"],
    )
    .ok()
    .stdout;
    assert!(
        text.starts_with("Docker setup\n20251101_090000_root01 · cli · 2025-11-01 12:26"),
        "{text}"
    );
    assert!(
        text.contains("\nuser 12:26:40 #1\n    Please set up docker compose"),
        "{text}"
    );
    assert!(text.contains("→ terminal {"), "{text}");
}

#[test]
fn the_context_of_a_match_is_shown_when_asked_for() {
    let store = fixture("v11.db");
    let plain = run_on(store.path(), &["search", "kubectlx"]).ok().stdout;
    assert!(!plain.contains("user: Please set up"), "{plain}");
    let with = run_on(store.path(), &["search", "-C", "1", "kubectlx"])
        .ok()
        .stdout;
    assert!(
        with.contains("user: Please set up docker compose"),
        "{with}"
    );
}

#[test]
fn the_query_may_come_from_standard_input() {
    use std::io::Write;
    let store = fixture("v11.db");
    let mut child = crate::program::hermesctl(store.dir())
        .arg("--db")
        .arg(store.path())
        .args(["--json", "search", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all("大别山\n".as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(ids(&found["matches"], "id"), [json!(14), json!(38)]);
}

#[test]
fn info_tells_version_counts_and_index() {
    let store = fixture("v11.db");
    let info = run_on(store.path(), &["--json", "db", "info", "--check"])
        .ok()
        .json();
    for (key, value) in [
        ("exists", json!(true)),
        ("schema_version", json!(11)),
        ("sessions", json!(26)),
        ("messages", json!(64)),
        ("journal_mode", json!("wal")),
        ("findings", json!([])),
    ] {
        assert_eq!(info[key], value, "{key}");
    }
    assert_eq!(info["index"]["complete"], json!(true));
    let damaged = fixture("damaged_stale_index_v11.db");
    let info = run_on(damaged.path(), &["--json", "db", "info"])
        .ok()
        .json();
    assert_eq!(info["index"]["complete"], json!(false));
}

#[test]
fn damage_is_found_by_the_check_and_is_a_failure() {
    for name in testdata::all_fixtures() {
        let damaged = name.starts_with("damaged_") || name.starts_with("page_zeroed_");
        let store = fixture(&name);
        let run = run_on(store.path(), &["--json", "db", "info", "--check"]);
        let info = run.json();
        let findings = info["findings"].as_array().map_or(0, Vec::len);
        if info["exists"] == json!(true) {
            assert_eq!(
                (run.code, findings > 0),
                (i32::from(damaged), damaged),
                "{name}: {info}"
            );
        } else {
            assert!(!damaged, "{name} was not checked: {info}");
        }
    }
}

#[test]
fn all_includes_archived_sessions() {
    let store = fixture("v22.db");
    let list = |all: &[&str]| {
        let args = [&["--json", "sessions", "list", "-n", "100"], all].concat();
        ids(&run_on(store.path(), &args).ok().json()["sessions"], "id")
    };
    assert!(!list(&[]).contains(&json!("archived_one")));
    assert!(list(&["--all"]).contains(&json!("archived_one")));
    assert_eq!(list(&["--all"]).len(), 30);
}

#[test]
fn a_search_says_that_there_is_more() {
    let store = fixture("v11.db");
    let some = run_on(store.path(), &["search", "zebra", "-n", "4"])
        .ok()
        .stdout;
    assert!(
        some.ends_with("\nmore: --offset 4, or --limit N (9 matches in 6 sessions)\n"),
        "{some}"
    );
    let all = run_on(store.path(), &["search", "zebra", "-n", "9"])
        .ok()
        .stdout;
    assert!(!all.contains("more:"), "{all}");
}

#[test]
fn every_readable_version_is_listed_and_searched_and_stays_as_it_is() {
    for name in [
        "v1.db",
        "v4.db",
        "v9.db",
        "v10_external.db",
        "v11.db",
        "v13.db",
        "v22.db",
        "v30_external.db",
        "version_999.db",
    ] {
        let store = fixture(name);
        let before = std::fs::read(store.path()).unwrap();
        let list = run_on(store.path(), &["--json", "sessions", "list"])
            .ok()
            .json();
        assert_eq!(list["sessions"].as_array().unwrap().len(), 20, "{name}");
        let found = run_on(store.path(), &["--json", "search", "kubectlx"])
            .ok()
            .json();
        assert_eq!(ids(&found["matches"], "id"), [json!(2)], "{name}");
        run_on(store.path(), &["sessions", "export"]).ok();
        run_on(store.path(), &["db", "info"]).ok();
        assert!(
            std::fs::read(store.path()).unwrap() == before,
            "{name} was changed"
        );
    }
}
