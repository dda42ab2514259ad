//! What is exported comes back, whatever a row holds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use hermes_state::{
    Content, ExportOptions, NewMessage, NewSession, Store, StoreOptions, Synchronous,
};
use rusqlite::types::Value as Sql;
use serde_json::{Value, json};

use crate::support::{Home, assert_index_whole, export, found, import, messages_of, raw};

/// The columns of a table, as the file has them.
fn columns(path: &Path, table: &str) -> Vec<String> {
    let conn = raw(path);
    let mut statement = conn
        .prepare("SELECT name FROM pragma_table_info(?1)")
        .unwrap();
    let names = statement.query_map([table], |row| row.get(0)).unwrap();
    names.collect::<Result<_, _>>().unwrap()
}

/// A value that can be compared: text that is not UTF-8 as the bytes it is imported as.
fn comparable(stored: rusqlite::types::ValueRef<'_>) -> Sql {
    match stored {
        rusqlite::types::ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Sql::Text(text.to_owned()),
            Err(_) => Sql::Blob(bytes.to_vec()),
        },
        other => Sql::try_from(other).unwrap(),
    }
}

/// The rows of a query, each as its columns by name. Columns that a file lacks are NULL.
fn rows(path: &Path, table: &str, wanted: &[String], rest: &str) -> Vec<BTreeMap<String, Sql>> {
    let there = columns(path, table);
    let select: Vec<String> = wanted
        .iter()
        .map(|name| {
            if there.contains(name) {
                format!("t.{name}")
            } else {
                format!("NULL AS {name}")
            }
        })
        .collect();
    let conn = raw(path);
    let sql = format!("SELECT {} FROM {table} t {rest}", select.join(", "));
    let mut statement = conn.prepare(&sql).unwrap();
    let rows = statement.query_map([], |row| {
        wanted
            .iter()
            .enumerate()
            .map(|(n, name)| Ok((name.clone(), comparable(row.get_ref(n)?))))
            .collect()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// The order of sessions in an export.
const IN_ORDER: &str = "ORDER BY t.started_at, t.rowid";

/// Messages of sessions that are there, in the order of an export.
fn messages(path: &Path, wanted: &[String]) -> Vec<BTreeMap<String, Sql>> {
    let live = if columns(path, "messages").contains(&"active".to_owned()) {
        "AND COALESCE(t.active, 1) = 1"
    } else {
        ""
    };
    let rest = format!(
        "JOIN sessions s ON s.id = t.session_id WHERE 1 {live} ORDER BY s.started_at, s.rowid, t.id"
    );
    rows(path, "messages", wanted, &rest)
}

#[test]
fn every_row_of_every_file_comes_back_through_an_export() {
    let mut tried = 0;
    let mut retitled = 0;
    let mut detached = 0;
    for file in testdata::all_fixtures() {
        let fixture = testdata::fixture(&file);
        let Ok(source) = Store::open_read_only(fixture.path()) else {
            continue;
        };
        if file == "page_zeroed_index_v11.db" {
            continue;
        }
        tried += 1;
        let home = Home::new();
        let options = StoreOptions::new().synchronous(Synchronous::Normal);
        let target = options.open(home.path()).unwrap();
        let report = import(&target, export(&source));
        assert_eq!(report.errors, [], "{file}");
        assert_eq!(report.skipped, [], "{file}");
        retitled += report.retitled.len();
        detached += report.detached.len();

        let wanted = columns(&home.path(), "sessions");
        let mut before = rows(fixture.path(), "sessions", &wanted, IN_ORDER);
        let after = rows(&home.path(), "sessions", &wanted, IN_ORDER);
        for session in &mut before {
            let Sql::Text(id) = session["id"].clone() else {
                panic!("{file}")
            };
            if let Some(new) = report.retitled.iter().find(|r| r.id.as_str() == id) {
                assert_eq!(session["title"], Sql::Text(new.from.clone()));
                session.insert("title".to_owned(), Sql::Text(new.to.clone()));
            }
            if report.detached.iter().any(|d| d.as_str() == id) {
                session.insert("parent_session_id".to_owned(), Sql::Null);
            }
            for (column, value) in session.iter_mut() {
                // NULL in a counter would never count again.
                let counter = ["_tokens", "_count"]
                    .iter()
                    .any(|end| column.ends_with(end));
                if counter && *value == Sql::Null {
                    *value = Sql::Integer(0);
                }
            }
        }
        assert_eq!(before.len(), after.len(), "{file}");
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before, after, "{file}");
        }

        let mut wanted = columns(&home.path(), "messages");
        wanted.retain(|name| name != "id");
        let before = messages(fixture.path(), &wanted);
        let after = messages(&home.path(), &wanted);
        assert_eq!(before.len(), after.len(), "{file}");
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(before, after, "{file}");
        }
        let hidden = source.info().unwrap().messages - after.len() as u64;
        if file != "orphans_and_cycle_v11.db" {
            assert_eq!(report.inactive, hidden, "{file}");
        }
        drop(target);
        assert_index_whole(&home.path());
    }
    assert!(tried > 40, "{tried}");
    // dup_titles_v3.db; orphans_and_cycle_v11.db and its dangling parent.
    assert_eq!(retitled, 1);
    assert_eq!(detached, 2);
}

/// An export without what an import gives anew.
fn without_ids(export: &str) -> Vec<Value> {
    export
        .lines()
        .map(|line| {
            let mut session: Value = serde_json::from_str(line).unwrap();
            for message in session["messages"].as_array_mut().unwrap() {
                message.as_object_mut().unwrap().remove("id");
            }
            session
        })
        .collect()
}

#[test]
fn the_export_of_an_import_is_the_first_export() {
    for file in [
        "v11.db",
        "bad_json_v11.db",
        "journal_delete_v11.db",
        "wal_left.db",
    ] {
        let fixture = testdata::fixture(file);
        let first = export(&Store::open_read_only(fixture.path()).unwrap());
        let home = Home::new();
        let store = home.store();
        import(&store, &first);
        let second = export(&store);
        let (first, second) = (without_ids(&first), without_ids(&second));
        assert_eq!(first.len(), second.len());
        for (first, second) in first.iter().zip(&second) {
            assert_eq!(first, second, "{file}");
        }
    }
}

#[test]
fn importing_twice_changes_nothing() {
    let fixture = testdata::fixture("v11.db");
    let lines = export(&Store::open_read_only(fixture.path()).unwrap());
    let home = Home::new();
    let store = home.store();
    let first = import(&store, &lines);
    assert_eq!((first.sessions, first.messages), (26, 64));
    let before = export(&store);
    let again = import(&store, &lines);
    assert_eq!((again.sessions, again.messages), (0, 0));
    assert_eq!(again.skipped.len(), 26);
    assert_eq!(again.retitled, []);
    assert_eq!(export(&store), before);
}

#[test]
fn lines_as_python_dumps_them_are_imported_alike() {
    let fixture = testdata::fixture("v11.db");
    let lines = export(&Store::open_read_only(fixture.path()).unwrap());
    let mut dumped = String::new();
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        dumped.push_str(&crate::search_vectors::dumped(&value));
        dumped.push('\n');
    }
    assert!(dumped.is_ascii() && !lines.is_ascii());
    let [ours, theirs] = [&lines, &dumped].map(|lines| {
        let home = Home::new();
        let store = home.store();
        assert_eq!(import(&store, lines).errors, []);
        let values: Vec<Value> = without_ids(&export(&store));
        values
    });
    assert_eq!(ours.len(), theirs.len());
    for (mut ours, mut theirs) in ours.into_iter().zip(theirs) {
        // Only there is a text with escapes within a JSON column another text than before.
        for value in [&mut ours, &mut theirs] {
            for message in value["messages"].as_array_mut().unwrap() {
                message.as_object_mut().unwrap().remove("_raw");
            }
        }
        assert_eq!(ours, theirs);
    }
}

/// Values that a column may hold although no release puts them there.
fn odd_values() -> Vec<(&'static str, Sql)> {
    let text = |text: &str| Sql::Text(text.to_owned());
    vec![
        ("content", text("")),
        ("content", text("nul\0within")),
        ("content", text("\0json:{broken")),
        ("content", text("\0json:[NaN, -Infinity, 1e999]")),
        (
            "content",
            text("\0json:{\"lone\": \"\\ud83d\", \"n\": 12345678901234567890123}"),
        ),
        ("content", text("\0json:  {\"a\":1,\n\"a\":2}  ")),
        ("content", text("\0json:{\"$bytes\": \"AAEC\"}")),
        ("content", text("\0json:null")),
        ("content", text("\0json:[]")),
        ("content", text("\0json:\"only a string\"")),
        ("content", text("\0json:5")),
        ("content", text("{\"not\": \"marked\"}")),
        ("content", text("\u{feff}\u{2028}\u{10ffff}\u{7f}")),
        ("content", Sql::Blob(vec![])),
        ("content", Sql::Blob(vec![0, 1, 2, 255])),
        ("content", Sql::Blob(b"plain".to_vec())),
        ("tool_calls", text("[]")),
        ("tool_calls", text("{}")),
        ("tool_calls", text("null")),
        ("tool_calls", text("")),
        ("tool_calls", text("not json")),
        ("tool_calls", text("[{\"x\": NaN}]")),
        ("tool_calls", text("[{\"x\":\"\\udfff\\ud83d\"}]")),
        ("tool_calls", text("[1,  2]\r\n")),
        ("tool_calls", Sql::Blob(b"[1]".to_vec())),
        (
            "reasoning_details",
            text("[{\"n\": 12345678901234567890123}]"),
        ),
        ("reasoning_details", text("not json")),
        ("codex_reasoning_items", text("[NaN]")),
        ("codex_message_items", text("{\"$bytes\": \"AAEC\"}")),
        ("tool_name", text("{\"$bytes\": \"AAEC\"}")),
        ("tool_name", text("quote\" back\\slash / new\nline \0")),
        ("tool_name", Sql::Blob(vec![7])),
        ("finish_reason", text("")),
        ("token_count", text("many")),
        ("token_count", Sql::Real(1.5)),
        ("token_count", Sql::Integer(i64::MIN)),
        ("token_count", Sql::Integer(i64::MAX)),
        ("token_count", Sql::Blob(vec![1])),
        ("timestamp", Sql::Real(f64::INFINITY)),
        ("timestamp", Sql::Real(-0.0)),
        ("timestamp", Sql::Real(f64::MIN_POSITIVE)),
        ("timestamp", Sql::Real(1_762_000_000.123_456_7)),
        ("timestamp", text("soon")),
        ("timestamp", Sql::Blob(vec![2])),
        ("role", text("")),
        ("role", text("роль")),
        ("role", Sql::Blob(vec![3])),
    ]
}

/// A session with a message for each odd value.
fn with_odd_messages(home: &Home) -> Store {
    let store = home.store();
    store.ensure_session("s").unwrap();
    let conn = raw(&home.path());
    for (column, value) in odd_values() {
        conn.execute(
            "INSERT INTO messages (session_id, role, timestamp) VALUES ('s', 'user', 1.0)",
            [],
        )
        .unwrap();
        let sql =
            format!("UPDATE messages SET {column} = ?1 WHERE id = (SELECT MAX(id) FROM messages)");
        conn.execute(&sql, [value]).unwrap();
    }
    store
}

#[test]
fn odd_values_in_messages_come_back_as_they_were() {
    let home = Home::new();
    let store = with_odd_messages(&home);
    let other = Home::new();
    let copy = other.store();
    let report = import(&copy, export(&store));
    assert_eq!(report.errors, []);
    let mut wanted = columns(&home.path(), "messages");
    wanted.retain(|name| name != "id");
    let (before, after) = (
        messages(&home.path(), &wanted),
        messages(&other.path(), &wanted),
    );
    assert_eq!(before.len(), odd_values().len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(format!("{before:?}"), format!("{after:?}"));
    }
    drop(copy);
    assert_index_whole(&other.path());
}

#[test]
fn odd_values_in_sessions_come_back_as_they_were() {
    let text = |text: &str| Sql::Text(text.to_owned());
    let values = [
        ("source", Sql::Blob(vec![1])),
        ("model", text("nul\0 and \"quotes\"")),
        ("model_config", text("not json")),
        ("model_config", text("{\"a\":1, \"x\": NaN}")),
        ("model_config", text("{\"$bytes\": \"AA==\"}")),
        ("system_prompt", text("a\u{2029}b\r\nc")),
        ("started_at", text("long ago")),
        ("started_at", Sql::Real(f64::NEG_INFINITY)),
        ("ended_at", Sql::Blob(vec![])),
        ("message_count", text("many")),
        ("input_tokens", Sql::Integer(-1)),
        ("estimated_cost_usd", Sql::Real(0.1 + 0.2)),
        ("actual_cost_usd", Sql::Real(f64::INFINITY)),
        ("title", Sql::Blob(vec![0xff])),
        ("title", text("{\"$float\": \"inf\"}")),
    ];
    let home = Home::new();
    let store = home.store();
    let conn = raw(&home.path());
    for (n, (column, value)) in values.iter().enumerate() {
        let id = format!("session \u{1f980} {n}");
        store
            .create_session(&NewSession::new(id.as_str(), "cli").started_at(1.0))
            .unwrap();
        let sql = format!("UPDATE sessions SET {column} = ?2 WHERE id = ?1");
        conn.execute(&sql, rusqlite::params![id, value]).unwrap();
    }
    let other = Home::new();
    let report = import(&other.store(), export(&store));
    assert_eq!(report.errors, []);
    let wanted = columns(&home.path(), "sessions");
    let (before, after) = (
        rows(&home.path(), "sessions", &wanted, IN_ORDER),
        rows(&other.path(), "sessions", &wanted, IN_ORDER),
    );
    assert_eq!(before.len(), values.len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(format!("{before:?}"), format!("{after:?}"));
    }
}

#[test]
fn text_that_is_not_utf_8_comes_back_as_the_same_bytes_in_a_blob() {
    // Python cannot read a row with such a text at all.
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    raw(&home.path())
        .execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', CAST(x'6869ff' AS TEXT), 1.0)", [])
        .unwrap();
    let message = &messages_of(&store, "s")[0];
    assert_eq!(message.content, Some(Content::from("hi\u{fffd}")));
    let other = Home::new();
    let copy = other.store();
    import(&copy, export(&store));
    let stored: Sql = raw(&other.path())
        .query_row("SELECT content FROM messages", [], |row| row.get(0))
        .unwrap();
    assert_eq!(stored, Sql::Blob(b"hi\xff".to_vec()));
}

#[test]
fn columns_that_both_files_have_but_the_library_does_not_come_back() {
    let values = [
        Sql::Null,
        Sql::Integer(7),
        Sql::Real(0.5),
        Sql::Real(f64::INFINITY),
        Sql::Text("{\"$bytes\": \"AA==\"}".to_owned()),
        Sql::Text("[1,2]".to_owned()),
        Sql::Blob(vec![0, 255]),
    ];
    let homes = [Home::new(), Home::new()];
    for home in &homes {
        drop(home.store());
        raw(&home.path())
            .execute_batch("ALTER TABLE messages ADD COLUMN \"odd \"\"name\"\"\"; ALTER TABLE sessions ADD COLUMN extra")
            .unwrap();
    }
    let store = homes[0].store();
    store.ensure_session("s").unwrap();
    let conn = raw(&homes[0].path());
    conn.execute("UPDATE sessions SET extra = x'00'", [])
        .unwrap();
    for value in &values {
        conn.execute(
            "INSERT INTO messages (session_id, role, timestamp, \"odd \"\"name\"\"\") VALUES ('s', 'user', 1.0, ?1)",
            [value],
        )
        .unwrap();
    }
    let copy = homes[1].store();
    let report = import(&copy, export(&store));
    assert_eq!(report.errors, []);
    assert!(report.dropped_columns.is_empty());
    let conn = raw(&homes[1].path());
    let mut statement = conn
        .prepare("SELECT \"odd \"\"name\"\"\" FROM messages ORDER BY id")
        .unwrap();
    let stored: Vec<Sql> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(stored, values);
    let extra: Sql = conn
        .query_row("SELECT extra FROM sessions", [], |row| row.get(0))
        .unwrap();
    assert_eq!(extra, Sql::Blob(vec![0]));
}

fn line(id: &str, rest: &Value) -> String {
    let mut session = json!({"id": id, "source": "cli", "started_at": 1.0, "messages": []});
    for (key, value) in rest.as_object().unwrap() {
        session[key] = value.clone();
    }
    format!("{session}\n")
}

#[test]
fn a_title_that_is_taken_gets_a_number() {
    let home = Home::new();
    let store = home.store();
    let mut lines = String::new();
    for id in ["a", "b", "c"] {
        lines.push_str(&line(id, &json!({"title": "Docker setup"})));
    }
    let report = import(&store, lines);
    assert_eq!(report.sessions, 3);
    let titles: Vec<_> = ["a", "b", "c"]
        .map(|id| store.session(id).unwrap().unwrap().title.unwrap())
        .to_vec();
    assert_eq!(
        titles,
        ["Docker setup", "Docker setup #2", "Docker setup #3"]
    );
    assert_eq!(report.retitled.len(), 2);
    assert_eq!(report.retitled[0].from, "Docker setup");
    assert_eq!(report.retitled[0].to, "Docker setup #2");
}

#[test]
fn parents_are_attached_in_any_order_and_missing_or_circular_ones_are_reported() {
    let home = Home::new();
    let store = home.store();
    let parent = |id: &str, parent: &str| line(id, &json!({"parent_session_id": parent}));
    let lines = [
        parent("grandchild", "child"),
        parent("child", "root"),
        line("root", &json!({})),
        parent("orphan", "nobody"),
        parent("self", "self"),
        parent("ring1", "ring2"),
        parent("ring2", "ring3"),
        parent("ring3", "ring1"),
    ];
    let report = import(&store, lines.concat());
    assert_eq!(report.sessions, 8);
    let parent_of = |id: &str| store.session(id).unwrap().unwrap().parent_session_id;
    assert_eq!(parent_of("grandchild").as_deref(), Some("child"));
    assert_eq!(parent_of("child").as_deref(), Some("root"));
    assert_eq!(parent_of("orphan"), None);
    assert_eq!(parent_of("self"), None);
    // A ring is cut at one place.
    let ring: Vec<bool> = ["ring1", "ring2", "ring3"]
        .iter()
        .map(|id| parent_of(id).is_none())
        .collect();
    assert_eq!(ring.iter().filter(|cut| **cut).count(), 1, "{ring:?}");
    let detached: Vec<&str> = report.detached.iter().map(|id| id.as_str()).collect();
    assert_eq!(detached.len(), 3, "{detached:?}");
    assert!(["orphan", "self"].iter().all(|id| detached.contains(id)));
}

#[test]
fn a_parent_that_the_store_has_already_is_attached() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("root").unwrap();
    let report = import(&store, line("child", &json!({"parent_session_id": "root"})));
    assert_eq!(report.detached, []);
    let child = store.session("child").unwrap().unwrap();
    assert_eq!(child.parent_session_id.as_deref(), Some("root"));
}

#[test]
fn messages_that_a_newer_version_had_taken_back_are_left_out_and_counted() {
    let home = Home::new();
    let store = home.store();
    let messages = json!([
        {"role": "user", "content": "quokka kept", "active": 1, "compacted": 0},
        {"role": "user", "content": "quokka taken back", "active": 0, "compacted": 0},
        {"role": "user", "content": "quokka compacted", "active": 0, "compacted": 1},
        {"role": "user", "content": "quokka from before", "active": null},
    ]);
    let report = import(
        &store,
        line(
            "s",
            &json!({"messages": messages, "archived": 1, "cwd": ""}),
        ),
    );
    assert_eq!((report.messages, report.inactive), (2, 2));
    assert_eq!(found(&store, "quokka").len(), 2);
    // What says nothing is not reported as lost.
    assert_eq!(
        report.dropped_columns,
        BTreeMap::from([("archived".to_owned(), 1)])
    );
}

#[test]
fn what_a_line_leaves_out_is_filled_in() {
    let home = Home::new();
    let store = home.store_at(99.0);
    let messages = json!([
        {"role": "user", "content": "x", "timestamp": 5.0},
        {"content": "y", "tool_calls": [{"id": "a"}, {"id": "b"}]},
    ]);
    let text = json!({"id": "s", "messages": messages}).to_string();
    assert_eq!(import(&store, text).errors, []);
    assert_eq!(import(&store, "{\"id\": \"bare\"}").errors, []);
    let session = store.session("s").unwrap().unwrap();
    assert_eq!(
        (session.source.as_str(), session.started_at),
        ("import", 5.0)
    );
    assert_eq!(
        (session.message_count, session.tool_call_count),
        (Some(2), Some(2))
    );
    assert_eq!(
        (session.input_tokens, session.api_call_count),
        (Some(0), Some(0))
    );
    let stored = messages_of(&store, "s");
    assert_eq!(
        (stored[1].role.as_str(), stored[1].timestamp),
        ("unknown", 5.0)
    );
    let bare = store.session("bare").unwrap().unwrap();
    assert_eq!((bare.started_at, bare.message_count), (99.0, Some(0)));
}

#[test]
fn one_session_can_be_exported_alone() {
    let home = Home::new();
    let store = home.store_at(1.0);
    store.ensure_session("a").unwrap();
    store.ensure_session("b").unwrap();
    store
        .append_message(&NewMessage::new("b", "user").content("x"))
        .unwrap();
    let mut out = Vec::new();
    assert!(store.export_session("b", &mut out).unwrap());
    assert!(!store.export_session("nobody", &mut out).unwrap());
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), 1);
    let session: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = session.as_object().unwrap().keys().collect();
    assert_eq!(
        (keys[0].as_str(), keys[keys.len() - 1].as_str()),
        ("id", "messages")
    );
    assert_eq!(session["messages"][0]["content"], "x");
}

#[test]
fn only_the_sessions_asked_for_are_exported_in_their_order() {
    let home = Home::new();
    let store = home.store_at(1.0);
    for id in ["a", "b", "c"] {
        store.ensure_session(id).unwrap();
    }
    let mut options = ExportOptions::default();
    options.ids = Some(vec!["c".into(), "a".into()]);
    let mut out = Vec::new();
    let done = store.export(&options, &mut out, &mut |_| {}).unwrap();
    assert_eq!(done.sessions, 2);
    let lines = String::from_utf8(out).unwrap();
    let other = Home::new();
    let copy = other.store();
    assert_eq!(import(&copy, &lines).sessions, 2);
    assert!(lines.starts_with("{\"id\":\"c\""), "{lines}");
    options.ids = Some(vec!["nobody".into()]);
    let error = store
        .export(&options, &mut std::io::sink(), &mut |_| {})
        .unwrap_err();
    assert_eq!(error.code(), "unknown_session");
}

#[test]
fn only_the_sources_asked_for_are_exported_the_oldest_first() {
    let home = Home::new();
    let store = home.store();
    for (id, source, started) in [("c", "cli", 3.0), ("t", "telegram", 2.0), ("a", "cli", 1.0)] {
        store
            .create_session(&NewSession::new(id, source).started_at(started))
            .unwrap();
    }
    let mut options = ExportOptions::default();
    options.sources = vec!["cli".to_owned()];
    let mut out = Vec::new();
    let mut calls = 0;
    let done = store
        .export(&options, &mut out, &mut |_| calls += 1)
        .unwrap();
    assert_eq!((done.sessions, done.messages, calls), (2, 0, 2));
    let ids: Vec<String> = String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(ids, ["a", "c"]);
}

#[test]
fn every_line_of_an_export_is_strict_json_on_one_line() {
    let home = Home::new();
    let store = with_odd_messages(&home);
    let mut text = String::new();
    write!(text, "{}", export(&store)).unwrap();
    assert_eq!(text.matches('\n').count(), 1);
    // Lone surrogates are within the grammar, but no reader of Rust's takes them into a string.
    let plain = text.replace("\\ud83d", "?").replace("\\udfff", "?");
    let parsed: Value = serde_json::from_str(&plain).unwrap();
    assert_eq!(
        parsed["messages"].as_array().unwrap().len(),
        odd_values().len()
    );
}
