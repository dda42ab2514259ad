//! What an export holds: orders, lineages, single sessions.

use std::collections::BTreeMap;

use hermes_state::{ExportOptions, ExportOrder, NewMessage, NewSession};
use serde_json::{Value, json};

use crate::support::{Home, export, found, import};

#[test]
fn the_latest_active_first_is_an_order_too_and_says_when() {
    let home = Home::new();
    let store = home.store();
    for (id, started, spoken) in [
        ("a", 1.0, Some(9.0)),
        ("b", 2.0, None),
        ("c", 3.0, Some(5.0)),
        ("d", 2.0, None),
    ] {
        store
            .create_session(&NewSession::new(id, "cli").started_at(started))
            .unwrap();
        if let Some(time) = spoken {
            store
                .append_message(&NewMessage::new(id, "user").content("x").timestamp(time))
                .unwrap();
        }
    }
    let mut options = ExportOptions::default();
    options.order = ExportOrder::LastActive;
    let mut out = Vec::new();
    store.export(&options, &mut out, &mut |_| {}).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let order: Vec<(&str, f64)> = lines
        .iter()
        .map(|line| {
            (
                line["id"].as_str().unwrap(),
                line["last_active"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(order, [("a", 9.0), ("c", 5.0), ("d", 2.0), ("b", 2.0)]);
    let keys: Vec<&String> = lines[0].as_object().unwrap().keys().collect();
    assert_eq!(keys[keys.len() - 2..], ["last_active", "messages"]);
    // It follows from the rows, so an import does not miss a column for it.
    let home = Home::new();
    assert_eq!(import(&home.store(), text).dropped_columns, BTreeMap::new());
}

#[test]
fn a_compression_lineage_is_exported_as_one_line() {
    let home = Home::new();
    let store = home.store();
    let mut out = Vec::new();
    for (id, parent) in [("k0", None), ("k1", Some("k0")), ("k2", Some("k1"))] {
        let mut new = NewSession::new(id, "cli");
        if let Some(parent) = parent {
            new = new.parent(parent);
        }
        store.create_session(&new).unwrap();
        for n in 0..2 {
            store
                .append_message(&NewMessage::new(id, "user").content(format!("{id} {n}")))
                .unwrap();
        }
        if id != "k2" {
            store.end_session(id, "compression").unwrap();
        }
    }
    assert_eq!(store.export_session_lineage("k1", &mut out).unwrap(), 3);
    let line: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(out.iter().filter(|b| **b == b'\n').count(), 1);
    assert_eq!(
        (&line["id"], &line["message_count"]),
        (&json!("k2"), &json!(6))
    );
    assert_eq!(line["lineage_session_ids"], json!(["k0", "k1", "k2"]));
    let said: Vec<&Value> = line["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["content"])
        .collect();
    assert_eq!(said, ["k0 0", "k0 1", "k1 0", "k1 1", "k2 0", "k2 1"]);
    let segments = line["segments"].as_array().unwrap();
    assert_eq!(segments.len(), 3);
    assert_eq!(
        (
            &segments[1]["id"],
            segments[1]["messages"].as_array().unwrap().len()
        ),
        (&json!("k1"), 2)
    );
    assert_eq!(
        store
            .export_session_lineage("none", &mut Vec::new())
            .unwrap(),
        0
    );
}

#[test]
fn exp_12_one_session_is_exported_alone_and_an_unknown_one_writes_nothing() {
    let home = Home::new();
    let store = home.store();
    for id in ["a", "b"] {
        store.ensure_session(id).unwrap();
        store
            .append_message(&NewMessage::new(id, "user").content(id))
            .unwrap();
    }
    let one = |id: &str| {
        let mut out = Vec::new();
        let there = store.export_session(id, &mut out).unwrap();
        (there, String::from_utf8(out).unwrap())
    };
    let (there, a) = one("a");
    assert!(
        there && a.lines().count() == 1 && a.starts_with("{\"id\":\"a\""),
        "{a}"
    );
    assert_ne!(a, one("b").1);
    assert_eq!(one("c"), (false, String::new()));
    let mut options = ExportOptions::default();
    options.ids = Some(vec!["c".into()]);
    let mut out = Vec::new();
    assert!(store.export(&options, &mut out, &mut |_| {}).is_err());
    assert!(
        store
            .export_document(hermes_state::Format::Html, &options, &mut out, &mut |_| {})
            .is_err()
    );
    assert_eq!(out, b"");
}

#[test]
fn exp_13_turns_of_several_processes_are_exported_once_each() {
    let home = Home::new();
    for turn in 0..3 {
        let store = home.store();
        store.ensure_session("s").unwrap();
        for role in ["user", "assistant"] {
            store
                .append_message(&NewMessage::new("s", role).content(format!("{role} {turn}")))
                .unwrap();
        }
    }
    let line: Value = serde_json::from_str(&export(&home.store())).unwrap();
    let said: Vec<&str> = line["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["content"].as_str().unwrap())
        .collect();
    assert_eq!(
        said,
        [
            "user 0",
            "assistant 0",
            "user 1",
            "assistant 1",
            "user 2",
            "assistant 2"
        ]
    );
}

#[test]
fn exp_22_a_copied_store_lists_and_searches_elsewhere() {
    // EXP-21: there is no second list of sessions that could differ.
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content("quokka"))
        .unwrap();
    let elsewhere = Home::new();
    store.snapshot(elsewhere.path()).unwrap();
    let copy = elsewhere.store();
    assert_eq!(
        copy.list_sessions(&Default::default()).unwrap(),
        store.list_sessions(&Default::default()).unwrap()
    );
    assert_eq!(found(&copy, "quokka").len(), 1);
    assert_eq!(copy.conversation("s").unwrap().len(), 1);
    assert_eq!(copy.quick_check().unwrap(), Vec::<String>::new());
}
