//! `hermesctl rpc`: the protocol, and the store through it.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::hermesctl;
use crate::rpc_client::Client;

fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn the_protocol_has_its_own_errors() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    let table: [(&str, i64); 12] = [
        ("{", -32700),
        ("nonsense", -32700),
        ("5", -32600),
        ("[]", -32600),
        (r#"{"id": 1, "method": "info"}"#, -32600),
        (r#"{"jsonrpc": "1.0", "id": 1, "method": "info"}"#, -32600),
        (r#"{"jsonrpc": "2.0", "id": 1, "method": 5}"#, -32600),
        (r#"{"jsonrpc": "2.0", "id": {}, "method": "info"}"#, -32600),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "method": "info", "params": 5}"#,
            -32600,
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "method": "drop_everything"}"#,
            -32601,
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "method": "get_session", "params": ["a"]}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "method": "get_session", "params": {}}"#,
            -32602,
        ),
    ];
    for (line, code) in table {
        let answer = client.line(line);
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
    for params in [
        json!({"session_id": "a", "other": 1}),
        json!({"session_id": ["a"]}),
    ] {
        let refusal = client.refusal("get_session", params);
        assert_eq!(refusal, (-32602, json!("bad_argument"), json!("TypeError")));
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn notifications_have_no_answer_and_batches_one() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    client.send("");
    client
        .send(r#"{"jsonrpc": "2.0", "method": "set_meta", "params": {"key": "a", "value": "b"}}"#);
    client.send(r#"[{"jsonrpc": "2.0", "method": "no_such_thing"}]"#);
    let answers = client.line(
        r#"[{"jsonrpc": "2.0", "id": "x", "method": "get_meta", "params": {"key": "a"}}, 5,
            {"jsonrpc": "2.0", "method": "close"},
            {"jsonrpc": "2.0", "id": null, "method": "get_meta", "params": {"key": "a"}}]"#
            .replace('\n', " ")
            .as_str(),
    );
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 3);
    assert_eq!(
        answers[0],
        json!({"jsonrpc": "2.0", "result": "b", "id": "x"})
    );
    assert_eq!(answers[1]["error"]["code"], -32600);
    assert_eq!(answers[2]["error"]["data"]["exception"], "AttributeError");
    assert_eq!(answers[2]["id"], Value::Null);
}

#[test]
fn a_last_line_without_an_end_is_answered() {
    let home = tempfile::tempdir().unwrap();
    let mut child = hermesctl(home.path())
        .arg("rpc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(br#"{"jsonrpc": "2.0", "id": 1, "method": "message_count"}"#)
        .unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["result"], 0);
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let home = tempfile::tempdir().unwrap();
    let mut child = hermesctl(home.path())
        .arg("rpc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // It may be gone before all is written.
    for _ in 0..2 {
        let _ = input.write_all(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"methods\"}\n");
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_one_answered() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    client.send(&"x".repeat((64 << 20) + 10));
    assert_eq!(client.receive()["error"]["code"], -32600);
    assert_eq!(client.call("message_count", json!({})), 0);
}

#[test]
fn a_session_lives() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    client.call("clock", json!({"now": 1_700_000_000.5, "step": 1}));
    let new = json!({"session_id": "s1", "source": "cli", "model": "m", "model_config": {"a": [1.5, "é"]}});
    assert_eq!(client.call("create_session", new), "s1");
    let said = json!({"session_id": "s1", "role": "user", "content": "where is the café?"});
    assert_eq!(client.call("append_message", said), 1);
    let called = json!({
        "session_id": "s1", "role": "assistant", "content": [{"type": "text", "text": "there"}],
        "tool_calls": [{"id": "c", "function": {"name": "look"}}], "reasoning": "hm",
    });
    assert_eq!(client.call("append_message", called), 2);
    let bytes = json!({"session_id": "s1", "role": "tool", "content": {"$bytes": "AP8="}, "tool_name": "look"});
    assert_eq!(client.call("append_message", bytes), 3);

    let messages = client.call("get_messages", json!({"session_id": "s1"}));
    assert_eq!(messages[0]["timestamp"], 1_700_000_001.5);
    assert_eq!(
        messages[1]["content"],
        json!([{"type": "text", "text": "there"}])
    );
    assert_eq!(messages[2]["content"], json!({"$bytes": "AP8="}));
    assert_eq!(
        keys(&messages[0]).join(" "),
        "id session_id role content tool_call_id tool_calls tool_name timestamp token_count \
         finish_reason reasoning reasoning_content reasoning_details codex_reasoning_items \
         codex_message_items"
    );
    let replayed = client.call("get_messages_as_conversation", json!({"session_id": "s1"}));
    assert_eq!(
        keys(&replayed[1]).join(" "),
        "role content tool_calls reasoning"
    );

    assert_eq!(
        client.call(
            "set_session_title",
            json!({"session_id": "s1", "title": " a  b "})
        ),
        true
    );
    assert_eq!(
        client.call("get_session_title", json!({"session_id": "s1"})),
        "a b"
    );
    assert_eq!(
        client.call("get_next_title_in_lineage", json!({"base_title": "a b"})),
        "a b #2"
    );
    client.call(
        "update_token_counts",
        json!({"session_id": "s1", "input_tokens": 5, "estimated_cost_usd": 0.25}),
    );
    client.call(
        "end_session",
        json!({"session_id": "s1", "end_reason": "done"}),
    );
    let session = client.call("get_session", json!({"session_id": "s1"}));
    assert_eq!(session["model_config"], r#"{"a": [1.5, "é"]}"#);
    assert_eq!(session["input_tokens"], 5);
    assert_eq!(session["tool_call_count"], 1);
    assert_eq!(session["end_reason"], "done");

    let list = client.call("list_sessions_rich", json!({}));
    assert_eq!(list[0]["preview"], "where is the café?");
    assert_eq!(keys(&list[0])[30..].join(" "), "last_active preview");
    let found = client.call("search_messages", json!({"query": "café"}));
    assert_eq!(found[0]["snippet"], "where is the >>>café<<<?  ");
    assert_eq!(
        keys(&found[0]).join(" "),
        "id session_id role snippet timestamp tool_name source model session_started context"
    );

    let exported = client.call("export_session", json!({"session_id": "s1"}));
    assert_eq!(exported["messages"].as_array().unwrap().len(), 3);
    assert_eq!(
        client.call("delete_session", json!({"session_id": "s1"})),
        true
    );
    assert_eq!(
        client.call("delete_session", json!({"session_id": "s1"})),
        false
    );
    assert_eq!(
        client.call("get_session", json!({"session_id": "s1"})),
        Value::Null
    );
    assert_eq!(client.call("message_count", json!({})), 0);
    assert_eq!(client.end(), 0);
    assert!(home.path().join(".hermes/state.db").exists());
}

#[test]
fn what_json_cannot_say_comes_back_as_it_was_given() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    client.call(
        "create_session",
        json!({"session_id": "s", "source": "cli"}),
    );
    let sent = r#"{"jsonrpc": "2.0", "id": 7, "method": "append_message", "params": {"session_id": "s", "role": "assistant", "content": {"x": {"$float": "-inf"}}, "tool_calls": ["\ud83d", 12345678901234567890123]}}"#;
    assert_eq!(client.line(sent)["result"], 1);
    client.send(
        r#"{"jsonrpc": "2.0", "id": 1, "method": "get_messages", "params": {"session_id": "s"}}"#,
    );
    let line = client.receive_text();
    assert!(
        line.contains(r#""content": {"x": {"$float": "-inf"}}"#),
        "{line}"
    );
    assert!(
        line.contains(r#""tool_calls": ["\ud83d", 12345678901234567890123]"#),
        "{line}"
    );
    let sent = r#"{"jsonrpc": "2.0", "id": 7, "method": "append_message", "params": {"session_id": "s", "role": "user", "content": "\ud83d"}}"#;
    let answer = client.line(sent);
    assert_eq!(answer["error"]["data"]["exception"], "UnicodeEncodeError");
}

#[test]
fn refusals_name_what_python_raises() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    for id in ["a", "b"] {
        client.call("create_session", json!({"session_id": id, "source": "cli"}));
    }
    client.call(
        "set_session_title",
        json!({"session_id": "a", "title": "t"}),
    );
    let table = [
        (
            "append_message",
            json!({"session_id": "x", "role": "user"}),
            "unknown_session",
            json!("IntegrityError"),
        ),
        (
            "append_message",
            json!({"session_id": "a", "role": null}),
            "invalid",
            json!("IntegrityError"),
        ),
        (
            "create_session",
            json!({"session_id": "c", "source": "cli", "parent_session_id": "x"}),
            "unknown_parent",
            json!("IntegrityError"),
        ),
        (
            "set_session_title",
            json!({"session_id": "b", "title": "t"}),
            "title_in_use",
            json!("ValueError"),
        ),
        (
            "set_session_title",
            json!({"session_id": "b", "title": "t".repeat(101)}),
            "invalid",
            json!("ValueError"),
        ),
        (
            "set_session_archived",
            json!({"session_id": "a", "archived": true}),
            "unsupported",
            Value::Null,
        ),
        (
            "rewind_to_message",
            json!({"session_id": "a", "target_message_id": 1}),
            "unsupported",
            Value::Null,
        ),
    ];
    for (method, params, code, exception) in table {
        let refusal = client.refusal(method, params);
        assert_eq!(refusal, (-32000, json!(code), exception), "{method}");
    }
    // These do nothing to a session that is not there.
    for (method, params) in [
        ("end_session", json!({"session_id": "x", "end_reason": "r"})),
        ("reopen_session", json!({"session_id": "x"})),
        (
            "update_system_prompt",
            json!({"session_id": "x", "system_prompt": "p"}),
        ),
        ("clear_messages", json!({"session_id": "x"})),
    ] {
        assert_eq!(client.call(method, params), Value::Null, "{method}");
    }
}

#[test]
fn a_store_to_be_read_refuses_writes() {
    let home = tempfile::tempdir().unwrap();
    let db = home.path().join("other.db");
    let mut client = Client::start(home.path(), &[]);
    let open = |read_only: bool| json!({"path": db, "read_only": read_only});
    assert_eq!(
        client.refusal("open", open(true)),
        (-32000, json!("no_store"), json!("OperationalError"))
    );
    client.call("open", open(false));
    client.call(
        "create_session",
        json!({"session_id": "a", "source": "cli"}),
    );
    client.call("open", open(true));
    assert_eq!(client.call("info", json!({}))["read_only"], true);
    assert_eq!(client.call("session_count", json!({})), 1);
    assert_eq!(
        client.refusal(
            "create_session",
            json!({"session_id": "b", "source": "cli"})
        ),
        (-32000, json!("read_only"), json!("OperationalError"))
    );
    client.call("close", json!({}));
    assert_eq!(
        client.refusal("session_count", json!({})),
        (-32000, json!("closed"), json!("AttributeError"))
    );
}

#[test]
fn newer_stores_answer_under_their_rules_and_too_new_ones_refuse() {
    let copy = testdata::fixture("v22.db");
    let mut client = Client::on(copy.path());
    client.call(
        "create_session",
        json!({"session_id": "rpc-new", "source": "cli", "cwd": "/w"}),
    );
    client.call("append_message", json!({"session_id": "rpc-new", "role": "user", "content": "one", "platform_message_id": "p1"}));
    let messages = client.call("get_messages", json!({"session_id": "rpc-new"}));
    assert_eq!(messages[0]["active"], 1);
    assert_eq!(messages[0]["platform_message_id"], "p1");
    let rewound = client.call(
        "rewind_to_message",
        json!({"session_id": "rpc-new", "target_message_id": messages[0]["id"]}),
    );
    assert_eq!(rewound["rewound_count"], 1);
    assert_eq!(
        client.call("get_messages", json!({"session_id": "rpc-new"})),
        json!([])
    );

    let copy = testdata::fixture("v30_external.db");
    let mut client = Client::on(copy.path());
    assert!(client.call("session_count", json!({})).as_i64().unwrap() > 0);
    assert_eq!(
        client.refusal(
            "create_session",
            json!({"session_id": "n", "source": "cli"})
        ),
        (-32000, json!("schema_too_new"), Value::Null)
    );
}

#[test]
fn two_processes_write_one_store() {
    const EACH: usize = 200;
    let home = tempfile::tempdir().unwrap();
    let db = home.path().join("state.db");
    Client::on(&db).call(
        "create_session",
        json!({"session_id": "s", "source": "cli"}),
    );
    let append = |name: &'static str| {
        let db = db.clone();
        std::thread::spawn(move || {
            let mut client = Client::on(&db);
            let mut ids = Vec::new();
            for n in 0..EACH {
                let said = json!({"session_id": "s", "role": "user", "content": format!("{name} number{n}")});
                ids.push(client.call("append_message", said).as_i64().unwrap());
            }
            ids
        })
    };
    let writers = [append("first"), append("second")];
    let mut ids: Vec<i64> = writers
        .into_iter()
        .flat_map(|w| w.join().unwrap())
        .collect();
    ids.sort_unstable();
    let all: Vec<i64> = (1..=2 * EACH as i64).collect();
    assert_eq!(ids, all);
    let mut client = Client::on(&db);
    assert_eq!(
        client.call("message_count", json!({"session_id": "s"})),
        2 * EACH
    );
    let found = client.call("search_messages", json!({"query": "number7", "limit": -1}));
    assert_eq!(found.as_array().unwrap().len(), 2);
    let found = client.call("search_messages", json!({"query": "second", "limit": -1}));
    assert_eq!(found.as_array().unwrap().len(), EACH);
}

/// Keys and values as 0.19.0 gives them.
#[test]
fn directories_runs_of_jobs_and_the_index_are_looked_after() {
    let store = testdata::fixture("v22.db");
    let mut rpc = Client::on(store.path());
    rpc.call("clock", json!({"now": 2_000_000_000.0, "step": 1}));
    for (id, source, cwd) in [
        ("cron_nightly_1", "cron", Some("/src/a")),
        ("cron_nightly_2", "cron", None),
        ("cron_nightly2_1", "cron", None),
        ("w", "cli", Some("/src/a")),
    ] {
        let new = json!({"session_id": id, "source": source, "cwd": cwd});
        rpc.call("create_session", new);
    }
    let say = json!({"session_id": "cron_nightly_1", "role": "user", "content": "tidy up"});
    rpc.call("append_message", say);
    rpc.call(
        "set_session_archived",
        json!({"session_id": "w", "archived": true}),
    );
    let directory = |rpc: &mut Client, params: Value| {
        let told = rpc.call("distinct_session_cwds", params);
        let mut found = told.as_array().unwrap().iter();
        found.find(|row| row["cwd"] == "/src/a").unwrap().clone()
    };
    assert_eq!(
        directory(&mut rpc, json!({})),
        json!({"cwd": "/src/a", "sessions": 1, "last_active": 2_000_000_000.0})
    );
    let all = directory(&mut rpc, json!({"include_archived": true}));
    assert_eq!(all["sessions"], 2);
    let runs = rpc.call("list_cron_job_runs", json!({"job_id": "nightly"}));
    let runs = runs.as_array().unwrap();
    let names: Vec<_> = runs.iter().map(|run| run["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["cron_nightly_2", "cron_nightly_1"]);
    let listed = rpc.call("list_sessions_rich", json!({"limit": 1}));
    let mut rich = keys(&listed[0]);
    rich.retain(|key| *key != "_lineage_root_id");
    assert_eq!(keys(&runs[1]), rich);
    assert_eq!(runs[1]["preview"], "tidy up");
    let second = json!({"job_id": "nightly", "limit": 1, "offset": 1});
    let second = rpc.call("list_cron_job_runs", second);
    assert_eq!(second[0]["id"], "cron_nightly_1");
    for method in ["optimize_fts", "rebuild_fts"] {
        assert_eq!(rpc.call(method, json!({})), 2, "{method}");
        let found = rpc.call("search_messages", json!({"query": "tidy"}));
        assert_eq!(found.as_array().unwrap().len(), 1, "{method}");
    }
    drop(rpc);
    // There is no such column in version 11, but there are jobs.
    let old = testdata::fixture("v11.db");
    let mut rpc = Client::on(old.path());
    let (code, word, _) = rpc.refusal("distinct_session_cwds", json!({}));
    assert_eq!((code, word), (-32000, json!("unsupported")));
    let runs = rpc.call("list_cron_job_runs", json!({"job_id": "job1"}));
    assert_eq!(runs.as_array().unwrap().len(), 3);
    assert_eq!(rpc.call("rebuild_fts", json!({})), 2);
}
