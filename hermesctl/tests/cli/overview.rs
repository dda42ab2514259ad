//! Statistics, lineage, filtered lists, and sessions with what is above them.

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::run_on;

#[test]
fn statistics_are_drawn_by_day_model_and_source() {
    let store = fixture("v22.db");
    let shown = run_on(store.path(), &["sessions", "stats", "--top", "2"])
        .ok()
        .stdout;
    insta::assert_snapshot!(shown);
    let one = run_on(
        store.path(),
        &["sessions", "stats", "--by", "source", "--bars", "messages"],
    );
    insta::assert_snapshot!(one.ok().stdout);
}

/// TOK-01, TOK-06, TOK-07: what was used beside the conversation counts once; what is not known is
/// told.
#[test]
fn statistics_for_programs_have_totals_and_groups() {
    let store = fixture("v22.db");
    let stats = run_on(store.path(), &["--json", "sessions", "stats"])
        .ok()
        .json();
    let sum = |groups: &str, field: &str| -> i64 {
        let groups = stats[groups].as_array().unwrap().iter();
        groups.map(|group| group[field].as_i64().unwrap()).sum()
    };
    for field in ["input_tokens", "output_tokens", "sessions", "messages"] {
        let total = stats["total"][field].as_i64().unwrap();
        for groups in ["by_day", "by_source"] {
            assert_eq!(sum(groups, field), total, "{groups} {field}");
        }
    }
    assert_eq!(
        sum("by_model", "input_tokens"),
        stats["total"]["input_tokens"].as_i64().unwrap()
    );
    assert_eq!(stats["by_task"][0]["key"], "vision");
    assert_eq!(stats["top"].as_array().unwrap().len(), 5);
    assert!(stats["total"]["incomplete_sessions"].is_i64());

    let none = run_on(
        store.path(),
        &["--json", "sessions", "stats", "--days", "1"],
    )
    .ok()
    .json();
    assert_eq!(
        (&none["total"]["sessions"], &none["top"]),
        (&json!(0), &json!([]))
    );
    let cron = run_on(
        store.path(),
        &["--json", "sessions", "stats", "--source", "cron"],
    );
    assert_eq!(cron.ok().json()["total"]["sessions"], 3);
}

#[test]
fn a_lineage_is_drawn_as_a_tree() {
    let store = fixture("v11.db");
    let shown = |id: &str| {
        run_on(store.path(), &["sessions", "lineage", id])
            .ok()
            .stdout
    };
    insta::assert_snapshot!(
        [
            shown("20251101_10"),
            shown("20251102_080100_branch"),
            shown("20251103_080000_orch01"),
        ]
        .join("\n")
    );
    let lineage = run_on(
        store.path(),
        &["--json", "sessions", "lineage", "Docker setup #2"],
    );
    let lineage = lineage.ok().json();
    assert_eq!(lineage["id"], "20251101_100000_cmp002");
    assert_eq!(lineage["sessions"][2]["relation"], "compression");
    let unknown = run_on(store.path(), &["--json", "sessions", "lineage", "nosuch"]);
    assert_eq!(unknown.json()["error"]["code"], "unknown_session");
}

fn listed(args: &[&str]) -> Vec<String> {
    let store = fixture("v22.db");
    let list = run_on(
        store.path(),
        &[&["--json", "sessions", "list"], args].concat(),
    );
    let list = list.ok().json();
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions
        .map(|s| s["id"].as_str().unwrap().to_owned())
        .collect()
}

/// LIN-12
#[test]
fn lists_are_filtered_and_ordered() {
    let tip = "20251101_110000_tip003".to_owned();
    assert!(listed(&["docker setup"]).contains(&tip));
    assert_eq!(listed(&["--id", "_job1_00"]).len(), 3);
    assert_eq!(listed(&["--archived"]), ["archived_one"]);
    assert!(
        listed(&["--min-messages", "20"])
            .iter()
            .all(|id| id.starts_with("tg_"))
    );
    let all = listed(&["--children", "-n", "100"]);
    let helper = "20251103_080005_subag1".to_owned();
    assert!(all.contains(&helper) && !listed(&["-n", "100"]).contains(&helper));
    let latest = listed(&["--by", "activity", "-n", "100"]);
    let started = listed(&["-n", "100"]);
    assert_ne!(latest, started);
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    assert_eq!(sorted(latest), sorted(started));
}

#[test]
fn a_session_is_shown_with_what_was_taken_back_and_what_is_above_it() {
    let store = fixture("v22.db");
    let messages = |args: &[&str]| {
        let run = run_on(
            store.path(),
            &[&["--json", "sessions", "show"], args].concat(),
        );
        run.ok().json()
    };
    let count = |shown: &Value| shown["messages"].as_array().unwrap().len();
    let (active, all) = (messages(&["rewound"]), messages(&["rewound", "--inactive"]));
    assert_eq!((count(&active), count(&all)), (2, 4));
    let text = run_on(store.path(), &["sessions", "show", "rewound", "--inactive"])
        .ok()
        .stdout;
    assert_eq!(text.matches("(taken back)").count(), 2, "{text}");

    let tip = "20251101_110000_tip003";
    let whole = messages(&[tip, "--with-ancestors"]);
    let ancestors = whole["ancestors"].as_array().unwrap();
    assert_eq!(ancestors[0]["id"], "20251101_090000_root01");
    assert!(count(&whole) > count(&messages(&[tip])));
    assert_eq!(whole["messages"][0]["session_id"], "20251101_090000_root01");
    assert_eq!(whole["session"]["id"], tip);
}
