//! What an import does about what is there, what is wrong and what is too much.

use hermes_state::{
    Copied, Existing, ImportLimits, ImportOptions, ImportReport, NewMessage, NewSession, SessionId,
    Store, Titles,
};
use serde_json::{Value, json};

use crate::support::{Home, assert_index_whole, content_of, export, found, messages_of};

fn lines(sessions: &[Value]) -> String {
    sessions.iter().map(|s| format!("{s}\n")).collect()
}

fn import_with(store: &Store, options: &ImportOptions, text: &str) -> ImportReport {
    store
        .import_with(options, &mut text.as_bytes(), &mut |_| {})
        .unwrap()
}

fn ids(ids: &[&str]) -> Vec<SessionId> {
    ids.iter().map(|id| SessionId::new(*id)).collect()
}

fn problems(report: &ImportReport) -> Vec<(u64, &str)> {
    report
        .errors
        .iter()
        .map(|e| (e.line, e.problem.as_str()))
        .collect()
}

/// EXP-03: everything that can be wrong with a batch.
fn bad_batch() -> Vec<Value> {
    vec![
        json!({"id": "good", "started_at": 5.0, "messages": [{"role": "user", "content": "fine"}]}),
        json!({"id": "good", "started_at": 6.0}),
        json!({"id": "self", "parent_session_id": "self"}),
        json!({"id": "one", "parent_session_id": "two"}),
        json!({"id": "two", "parent_session_id": "one"}),
        json!({"id": "lost", "parent_session_id": "nowhere"}),
        json!({"id": "negative", "input_tokens": -5}),
        json!({"id": "odd", "messages": [{"role": "hacker", "content": "x"}]}),
        json!({"id": "long", "messages": [{"role": "user", "content": "x".repeat(10_000_000)}]}),
        json!({"messages": []}),
        json!([1, 2]),
        json!({"id": "list", "messages": {"a": 1}}),
    ]
}

#[test]
fn exp_03_each_bad_session_is_reported_and_the_good_ones_are_there() {
    let home = Home::new();
    let store = home.store();
    let mut text = lines(&bad_batch());
    text.push_str("{\"id\": \"nan\", \"started_at\": NaN, \"messages\": [{\"role\": \"user\", \"timestamp\": 1e400}]}\n");
    let report = import_with(&store, &ImportOptions::default(), &text);
    let bad: Vec<u64> = report.errors.iter().map(|e| e.line).collect();
    assert_eq!(bad, [2, 10, 11, 12], "{:?}", report.errors);
    assert_eq!(report.errors[0].problem, "is in the input twice");
    assert_eq!((report.sessions, report.skipped.len()), (9, 0));
    let mut detached = report.detached.clone();
    detached.sort();
    assert_eq!(detached.len(), 3, "{detached:?}");
    assert!(
        detached.contains(&SessionId::new("self")) && detached.contains(&SessionId::new("lost"))
    );
    let parent = |id: &str| store.session(id).unwrap().unwrap().parent_session_id;
    assert_eq!(
        [parent("one"), parent("two")].iter().flatten().count(),
        1,
        "one of the two is the root"
    );
    // A second time nothing is new.
    let again = import_with(&store, &ImportOptions::default(), &text);
    assert_eq!((again.sessions, again.skipped.len()), (0, 9));
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn exp_03_all_or_nothing_is_nothing_if_one_is_bad() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("there").unwrap();
    let before = content_of(&home.path());
    let mut options = ImportOptions::default();
    options.all_or_nothing = true;
    let report = import_with(&store, &options, &lines(&bad_batch()));
    assert_eq!((report.sessions, report.errors.len()), (0, 4));
    assert_eq!(content_of(&home.path()), before);
    // Good ones come in one transaction, the parents after the children, too.
    let good = [
        json!({"id": "child", "parent_session_id": "parent", "title": "T"}),
        json!({"id": "parent", "title": "T"}),
        json!({"id": "there"}),
    ];
    let report = import_with(&store, &options, &lines(&good));
    assert_eq!((report.sessions, &report.skipped), (2, &ids(&["there"])));
    assert_eq!(report.retitled[0].to, "T #2");
    let child = store.session("child").unwrap().unwrap();
    assert_eq!(child.parent_session_id.as_deref(), Some("parent"));
    // A clash that shows only in the transaction takes everything back.
    options.titles = Titles::Refuse;
    let clash = [
        json!({"id": "x1", "title": "new"}),
        json!({"id": "x2", "title": "T"}),
    ];
    let report = import_with(&store, &options, &lines(&clash));
    assert_eq!(problems(&report), [(2, "its title is taken: \"T\"")]);
    assert_eq!(store.session("x1").unwrap(), None);
}

#[test]
fn a_dry_run_says_what_the_import_would_do_and_changes_nothing() {
    let home = Home::new();
    let store = home.store();
    store
        .create_session(&NewSession::new("there", "cli"))
        .unwrap();
    let mut text = lines(&bad_batch());
    text.push_str(&lines(&[
        json!({"id": "t1", "title": "T", "parent_session_id": "t2"}),
        json!({"id": "t2", "title": "T", "parent_session_id": "t3"}),
        json!({"id": "t3", "title": "T", "parent_session_id": "t1"}),
        json!({"id": "there"}),
        json!({"id": "kid", "parent_session_id": "there", "unknown": 1}),
    ]));
    for existing in [Existing::Skip, Existing::Copy, Existing::Overwrite] {
        let home = Home::new();
        store.snapshot(home.path()).unwrap();
        let store = home.store();
        let before = content_of(&home.path());
        let mut options = ImportOptions::default();
        options.existing = existing;
        options.dry_run = true;
        let planned = import_with(&store, &options, &text);
        assert_eq!(content_of(&home.path()), before);
        options.dry_run = false;
        assert_eq!(
            import_with(&store, &options, &text),
            planned,
            "{existing:?}"
        );
    }
}

#[test]
fn exp_16_an_existing_session_is_skipped_copied_or_overwritten() {
    let line = lines(&[
        json!({"id": "a", "title": "Other", "model": "new", "messages": [
            {"role": "user", "content": "imported wombat"}, {"role": "assistant", "content": "two"}], "message_count": 2}),
        json!({"id": "kid2", "parent_session_id": "a"}),
    ]);
    for (existing, expected) in [
        (Existing::Skip, ("original quokka", 1)),
        (Existing::Copy, ("original quokka", 1)),
        (Existing::Overwrite, ("imported wombat", 2)),
    ] {
        let home = Home::new();
        let store = home.store();
        store
            .create_session(&NewSession::new("a", "cli").model("old"))
            .unwrap();
        store
            .create_session(&NewSession::new("kid", "cli").parent("a"))
            .unwrap();
        store
            .append_message(&NewMessage::new("a", "user").content("original quokka"))
            .unwrap();
        let original = store.session("a").unwrap();
        let mut options = ImportOptions::default();
        options.existing = existing;
        let report = import_with(&store, &options, &line);
        assert_eq!(report.errors, []);
        let messages = messages_of(&store, "a");
        assert_eq!(messages[0].content, Some(expected.0.into()), "{existing:?}");
        assert_eq!(messages.len(), expected.1);
        let parent = |id: &str| store.session(id).unwrap().unwrap().parent_session_id;
        assert_eq!(parent("kid").as_deref(), Some("a"));
        match existing {
            Existing::Skip => {
                assert_eq!((report.skipped, report.sessions), (ids(&["a"]), 1));
                assert_eq!(store.session("a").unwrap(), original);
            }
            Existing::Copy => {
                let [Copied { from, to, .. }] = report.copied.as_slice() else {
                    panic!("{report:?}")
                };
                assert_eq!((from.as_str(), to.as_str()), ("a", "a_copy"));
                assert_eq!(store.session("a").unwrap(), original);
                assert_eq!(messages_of(&store, "a_copy").len(), 2);
                assert_eq!(
                    parent("kid2").as_deref(),
                    Some("a_copy"),
                    "lineages are copied as such"
                );
                let again = import_with(&store, &options, &line);
                assert_eq!(again.copied[0].to.as_str(), "a_copy2");
                assert_eq!(again.retitled[0].to, "Other #2");
            }
            Existing::Overwrite => {
                assert_eq!(report.overwritten, ids(&["a"]));
                let now = store.session("a").unwrap().unwrap();
                assert_eq!(
                    (now.model.as_deref(), now.message_count),
                    (Some("new"), Some(2))
                );
                assert_eq!(found(&store, "quokka"), Vec::<i64>::new());
                assert_eq!(found(&store, "wombat").len(), 1);
            }
        }
        drop(store);
        assert_index_whole(&home.path());
    }
}

#[test]
fn an_overwritten_session_cannot_become_its_own_ancestor() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("a").unwrap();
    store
        .create_session(&NewSession::new("b", "cli").parent("a"))
        .unwrap();
    let mut options = ImportOptions::default();
    options.existing = Existing::Overwrite;
    let report = import_with(
        &store,
        &options,
        &lines(&[json!({"id": "a", "parent_session_id": "b"})]),
    );
    assert_eq!(report.detached, ids(&["a"]));
}

#[test]
fn limits_are_those_of_hermes_if_asked_for() {
    let home = Home::new();
    let store = home.store();
    let many: Vec<Value> = (0..501).map(|n| json!({"id": format!("s{n}")})).collect();
    let mut options = ImportOptions::default();
    options.limits = Some(ImportLimits::default());
    let report = import_with(&store, &options, &lines(&many));
    assert_eq!(report.sessions, 500);
    assert_eq!(problems(&report), [(501, "is one session too many")]);
    let crowd = json!({"id": "crowd", "messages": vec![json!({"role": "user"}); 10_001]});
    let long =
        json!({"id": "long", "messages": [{"role": "user", "content": "x".repeat(6 << 20)}]});
    let report = import_with(&store, &options, &lines(&[crowd, long]));
    assert_eq!(
        problems(&report),
        [
            (1, "messages exceeds the per-session import limit"),
            (2, "session exceeds the import size limit")
        ]
    );
}

fn outcome(store: &Store, sessions: Value) -> Value {
    let outcome = store.import_sessions(sessions.as_array().unwrap()).unwrap();
    serde_json::to_value(outcome).unwrap()
}

/// Recorded from 0.19.0.
#[test]
fn a_list_is_checked_as_the_reference_checks_it() {
    let home = Home::new();
    let store = home.store();
    for (session, problem) in [
        (json!(1), "session must be an object"),
        (json!({}), "session id is required"),
        (json!({"id": "  "}), "session id is required"),
        (
            json!({"id": "a", "messages": "x"}),
            "messages must be a list",
        ),
        (
            json!({"id": "a", "messages": [1]}),
            "messages must contain only objects",
        ),
        (
            json!({"id": "a", "messages": [{}]}),
            "messages[0].role must be a non-empty string",
        ),
        (
            json!({"id": "a", "messages": [{"role": "user", "tool_name": 7}]}),
            "tool_name must be a string",
        ),
        (
            json!({"id": "a", "messages": [{"role": "user", "token_count": "abc"}]}),
            "token_count must be an integer",
        ),
        (json!({"id": "a", "title": 7}), "title must be a string"),
        (
            json!({"id": "a", "model_config": "abc"}),
            "model_config must be valid JSON",
        ),
        (
            json!({"id": "a", "model_config": "[1]"}),
            "model_config must be a JSON object",
        ),
        (
            json!({"id": "a", "messages": vec![json!({"role": "user"}); 10_001]}),
            "messages exceeds the per-session import limit",
        ),
        (
            json!({"id": "a", "messages": [{"role": "user", "content": "x".repeat(6 << 20)}]}),
            "session exceeds the import size limit",
        ),
    ] {
        let mut error = json!({"index": 1, "error": problem});
        if session.get("id").is_some_and(|id| id == "a") {
            error["session_id"] = json!("a");
        }
        assert_eq!(
            outcome(&store, json!([{"id": "fine"}, session])),
            json!({"ok": false, "imported": 0, "skipped": 0, "detached": 0, "errors": [error]}),
        );
    }
    assert_eq!(
        outcome(
            &store,
            json!([{"id": "d"}, {"id": "d", "title": 3}, {"messages": 3}])
        )["errors"],
        json!([{"index": 1, "error": "duplicate session id", "session_id": "d"}, {"index": 2, "error": "session id is required"}])
    );
    assert_eq!(store.info().unwrap().sessions, 0);
    let too_many: Vec<Value> = (0..501).map(|n| json!({"id": n})).collect();
    assert!(store.import_sessions(&too_many).is_err());
    assert_eq!(
        outcome(
            &store,
            json!([{"id": " f ", "parent_session_id": "g"}, {"id": "g", "parent_session_id": "f"}, {"id": 5, "parent_session_id": "no"}])
        ),
        json!({"ok": true, "imported": 3, "skipped": 0, "detached": 2, "imported_ids": ["f", "g", "5"], "skipped_ids": [], "errors": []})
    );
    assert_eq!(
        outcome(&store, json!([{"id": "g"}])),
        json!({"ok": true, "imported": 0, "skipped": 1, "detached": 0, "imported_ids": [], "skipped_ids": ["g"], "errors": []})
    );
}

#[test]
fn a_list_keeps_what_the_reference_keeps_and_counts_anew() {
    let fixture = testdata::fixture("v22.db");
    let store = Store::open(fixture.path()).unwrap();
    let outcome = outcome(
        &store,
        json!([{"id": "n0", "source": "cli", "message_count": 99, "tool_call_count": 99, "input_tokens": "7",
            "output_tokens": 2.9, "estimated_cost_usd": 1.5, "archived": "yes", "rewind_count": 3,
            "session_key": "sk", "chat_id": "c", "handoff_state": "pending", "cwd": "/x", "started_at": "2024",
            "model_config": {"a": 1}, "messages": [
                {"role": "user", "content": [{"type": "text", "text": "one"}], "active": 0, "reasoning": "r",
                 "timestamp": 5, "platform_message_id": "pm", "observed": 1, "id": 7},
                {"role": "assistant", "content": "two", "tool_calls": [{"x": 1}, {"y": 2}], "reasoning": "r"}]}]),
    );
    assert_eq!(outcome["ok"], true);
    let mut out = Vec::new();
    store.export_session("n0", &mut out).unwrap();
    let line: Value = serde_json::from_slice(&out).unwrap();
    for (key, value) in [
        ("message_count", json!(2)),
        ("tool_call_count", json!(2)),
        ("input_tokens", json!(7)),
        ("output_tokens", json!(2)),
        ("archived", json!(1)),
        ("rewind_count", json!(0)),
        ("session_key", Value::Null),
        ("chat_id", Value::Null),
        ("handoff_state", Value::Null),
        ("cwd", json!("/x")),
        ("model_config", json!("{\"a\":1}")),
    ] {
        assert_eq!(line[key], value, "{key}");
    }
    let [first, second] = line["messages"].as_array().unwrap().as_slice() else {
        panic!()
    };
    assert_eq!(
        (&first["active"], &first["timestamp"]),
        (&json!(1), &json!(5.0))
    );
    assert_eq!(
        (&first["platform_message_id"], &first["observed"]),
        (&json!("pm"), &json!(1))
    );
    assert_eq!(
        (&first["reasoning"], &second["reasoning"]),
        (&Value::Null, &json!("r"))
    );
}

#[test]
fn exp_01_export_and_import_are_each_other_s_reverse() {
    let fixture = testdata::fixture("v22.db");
    let source = Store::open(fixture.path()).unwrap();
    let text = export(&source);
    let empty = testdata::fixture("v22.db");
    let target = Store::open(empty.path()).unwrap();
    let all: Vec<SessionId> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["id"]
                .as_str()
                .unwrap()
                .into()
        })
        .collect();
    target
        .delete_sessions(&all, &Default::default(), &mut |_| {
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    let report = import_with(&target, &ImportOptions::default(), &text);
    assert_eq!((report.errors, report.dropped_columns.len()), (vec![], 0));
    assert_eq!(report.imported, all, "the order of rows is the same");
    let without_ids = |text: &str| -> Vec<Value> {
        text.lines()
            .map(|line| {
                let mut line: Value = serde_json::from_str(line).unwrap();
                for message in line["messages"].as_array_mut().unwrap() {
                    message.as_object_mut().unwrap().remove("id");
                }
                line
            })
            .collect()
    };
    assert_eq!(without_ids(&export(&target)), without_ids(&text));
}

fn long_line(id: &str, messages: usize) -> Value {
    let messages: Vec<Value> = (0..messages)
        .map(|n| json!({"role": "user", "timestamp": n, "content": format!("message {n}: why does the container restart? 山水画册{n}")}))
        .collect();
    json!({"id": id, "title": "Long", "started_at": 1.0, "ended_at": 9.0, "end_reason": "done", "messages": messages})
}

/// The child's side: imports a file.
pub(crate) fn import_file(path: &str, file: &str) {
    let store = Store::open(path).unwrap();
    crate::support::child::say("ready");
    let mut input = std::io::BufReader::new(std::fs::File::open(file).unwrap());
    let report = store.import(&mut input, &mut |_| {}).unwrap();
    crate::support::child::say(format!("imported {}", report.sessions));
}

#[test]
fn a_long_session_is_imported_while_another_process_writes() {
    let home = Home::new();
    let store = home.store();
    let path = home.path();
    let mut other =
        crate::support::child::spawn("append", &[path.to_str().unwrap(), "other", "100000"]);
    assert_eq!(other.line().as_deref(), Some("ready"));
    other.go();
    other.line().unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    let (report, longest) = std::thread::scope(|threads| {
        let reader = threads.spawn(|| {
            let mut longest = std::time::Duration::ZERO;
            let mut last = std::time::Instant::now();
            while !done.load(std::sync::atomic::Ordering::SeqCst) {
                other.line().unwrap();
                longest = longest.max(last.elapsed());
                last = std::time::Instant::now();
            }
            longest
        });
        let report = import_with(
            &store,
            &ImportOptions::default(),
            &lines(&[long_line("long", 5_000)]),
        );
        done.store(true, std::sync::atomic::Ordering::SeqCst);
        (report, reader.join().unwrap())
    });
    other.kill();
    drop(other);
    assert_eq!((report.sessions, report.messages), (1, 5_000));
    // 0.2 s where nothing else runs; in one transaction it would be several seconds.
    assert!(longest < std::time::Duration::from_secs(1), "{longest:?}");
    let session = store.session("long").unwrap().unwrap();
    assert_eq!(
        (session.end_reason.as_deref(), session.ended_at),
        (Some("done"), Some(9.0))
    );
    assert_eq!(session.message_count, Some(5_000));
    let messages = messages_of(&store, "long");
    assert!(
        messages
            .iter()
            .enumerate()
            .all(|(n, m)| m.timestamp == n as f64)
    );
    drop(store);
    assert_index_whole(&path);
    assert_eq!(
        crate::support::ask::<i64>(&path, "SELECT COUNT(*) FROM state_meta"),
        0
    );
}

#[test]
fn the_rest_of_an_import_that_was_killed_is_deleted_by_the_next() {
    let home = Home::new();
    drop(home.store());
    let path = home.path();
    let file = home.dir().join("long.jsonl");
    std::fs::write(&file, lines(&[long_line("long", 5_000)])).unwrap();
    let mut child =
        crate::support::child::spawn("import", &[path.to_str().unwrap(), file.to_str().unwrap()]);
    assert_eq!(child.line().as_deref(), Some("ready"));
    let store = home.store();
    while store.session("long").unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill();
    drop(child);
    let half = store.session("long").unwrap().unwrap();
    assert_eq!(half.end_reason.as_deref(), Some("importing"));
    let there = messages_of(&store, "long").len();
    assert!((1..5_000).contains(&there), "{there}");
    // Somebody may be at it still.
    let text = std::fs::read_to_string(&file).unwrap();
    let report = import_with(&store, &ImportOptions::default(), &text);
    assert_eq!(
        (report.sessions, report.skipped.len(), report.errors.len()),
        (0, 0, 1),
        "{report:?}"
    );
    assert_eq!(messages_of(&store, "long").len(), there);
    // A minute later nobody is.
    let later = home.store_at(store.session("long").unwrap().unwrap().ended_at.unwrap() + 60.0);
    let report = import_with(&later, &ImportOptions::default(), &text);
    assert_eq!((report.sessions, report.messages), (1, 5_000), "{report:?}");
    assert_eq!(messages_of(&store, "long").len(), 5_000);
    drop((store, later));
    assert_index_whole(&path);
}

#[test]
fn a_long_session_with_one_message_that_cannot_be_stored_leaves_nothing() {
    let home = Home::new();
    let store = home.store();
    let mut line = long_line("long", 2_000);
    line["messages"][1_999]["role"] = json!("refused");
    crate::support::raw(&home.path())
        .execute_batch(
            "CREATE TRIGGER refuse BEFORE INSERT ON messages WHEN new.role = 'refused'
             BEGIN SELECT RAISE(ABORT, 'no such role'); END",
        )
        .unwrap();
    let report = import_with(&store, &ImportOptions::default(), &lines(&[line]));
    assert_eq!(problems(&report), [(1, "no such role")]);
    assert_eq!(store.session("long").unwrap(), None);
    assert_eq!(store.info().unwrap().messages, 0);
    assert_eq!(
        crate::support::ask::<i64>(&home.path(), "SELECT COUNT(*) FROM state_meta"),
        0
    );
}
