//! Recording a conversation.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::{Run, fed, hermesctl, run_in};

fn messages(home: &Path, session: &str) -> Vec<Value> {
    let shown = run_in(home, ["--json", "sessions", "show", session]).ok();
    shown.json()["messages"].as_array().unwrap().clone()
}

fn texts(home: &Path, session: &str) -> Vec<Value> {
    let messages = messages(home, session);
    messages.iter().map(|m| m["content"].clone()).collect()
}

fn recorded(home: &Path, more: &[&str], lines: &[u8]) -> Run {
    fed(home, &[&["--json", "chat-log"], more].concat(), lines)
}

fn recorder(home: &Path) -> Child {
    hermesctl(home)
        .args(["chat-log", "--session", "live", "--acknowledge"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_conversation_is_recorded_whole_and_a_search_finds_it() {
    let home = tempfile::tempdir().unwrap();
    let calls = json!([{"id": "c1", "type": "function",
        "function": {"name": "terminal", "arguments": "{\"command\": \"ls zebrafinch\"}"}}]);
    let lines = [
        json!({"role": "user", "content": "what is in the aviary?", "timestamp": 1_700_000_000.5}),
        json!({"role": "assistant", "content": null, "tool_calls": calls, "finish_reason": "tool_calls",
            "token_count": 7, "reasoning": "look"}),
        json!({"role": "tool", "content": "a quokka", "tool_name": "terminal", "tool_call_id": "c1"}),
        json!({"role": "user", "content": [{"type": "text", "text": "in parts"}], "unknown_key": 1}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let options = ["--title", "The aviary", "--source", "bot", "--model", "m1"];
    let done = recorded(home.path(), &options, text.as_bytes()).ok().json();
    assert_eq!(
        (&done["messages"], &done["created"], &done["ended"]),
        (&json!(4), &json!(true), &json!(false))
    );
    let id = done["session_id"].as_str().unwrap();
    let shown = run_in(home.path(), ["--json", "sessions", "show", id]).ok();
    let session = &shown.json()["session"];
    for (key, value) in [
        ("title", json!("The aviary")),
        ("source", json!("bot")),
        ("model", json!("m1")),
        ("message_count", json!(4)),
        ("tool_call_count", json!(1)),
        ("ended_at", Value::Null),
    ] {
        assert_eq!(session[key], value, "{key}");
    }
    let stored = messages(home.path(), id);
    for (line, message) in lines.iter().zip(&stored) {
        for (key, value) in line.as_object().unwrap() {
            if key != "unknown_key" {
                assert_eq!(&message[key], value, "{key}");
            }
        }
    }
    for word in ["aviary", "zebrafinch", "quokka"] {
        let found = run_in(home.path(), ["--json", "search", word]).ok().json();
        assert_eq!(found["matches"][0]["session_id"], json!(id), "{word}");
    }
}

#[test]
fn a_session_that_is_there_is_continued_and_opened_again() {
    let home = tempfile::tempdir().unwrap();
    let first = b"{\"role\": \"user\", \"content\": \"one\"}\n";
    let options = ["--session", "s", "--end", "done"];
    let done = recorded(home.path(), &options, first).ok().json();
    assert_eq!(
        (&done["created"], &done["ended"]),
        (&json!(true), &json!(true))
    );
    let second = b"{\"role\": \"user\", \"content\": \"two\"}"; // without an end of line
    let done = recorded(home.path(), &["--session", "s"], second)
        .ok()
        .json();
    assert_eq!(
        (&done["created"], &done["reopened"], &done["messages"]),
        (&json!(false), &json!(true), &json!(1))
    );
    assert_eq!(texts(home.path(), "s"), ["one", "two"]);
    let told = fed(home.path(), &["chat-log", "--session", "s"], first).ok();
    assert_eq!(told.stdout, "session   s\nrecorded 1 message\n");
}

#[test]
fn nothing_makes_no_session_and_an_end_alone_ends_one() {
    let home = tempfile::tempdir().unwrap();
    let done = recorded(home.path(), &["--end", "x"], b"\n  \n")
        .ok()
        .json();
    assert_eq!(done["session_id"], Value::Null);
    let listed = run_in(home.path(), ["--json", "sessions", "list"])
        .ok()
        .json();
    assert_eq!(listed["sessions"], json!([]));
    recorded(home.path(), &["--session", "s"], b"{\"role\":\"user\"}").ok();
    let done = recorded(home.path(), &["--session", "s", "--end", "x"], b"")
        .ok()
        .json();
    assert_eq!(done["ended"], json!(true));
}

#[test]
fn bad_lines_are_named_and_lose_no_others() {
    let bad: &[(&[u8], &str)] = &[
        (b"not json", "it is no JSON"),
        (b"\"a text\"", "it is no object"),
        (b"[]", "it is no object"),
        (b"{\"content\": \"x\"}", "it has no role"),
        (b"{\"role\": \" \", \"content\": \"x\"}", "it has no role"),
        (b"{\"role\": {}, \"content\": \"x\"}", "role is not a text"),
        (
            b"{\"role\": \"user\", \"content\": \"\xff\"}",
            "it is no UTF-8",
        ),
        (
            b"{\"role\": \"user\", \"timestamp\": \"noon\"}",
            "timestamp is not a number",
        ),
        (
            b"{\"role\": \"user\", \"timestamp\": {\"$float\": \"inf\"}}",
            "timestamp",
        ),
        (
            b"{\"role\": \"user\", \"token_count\": 1.5}",
            "token_count is not an integer",
        ),
        (
            b"{\"role\": \"assistant\", \"tool_calls\": \"x\"}",
            "tool_calls is not a list",
        ),
        (
            b"{\"role\": \"user\", \"observed\": true}",
            "needs a store of schema version 13",
        ),
        (
            b"{\"id\": \"s\", \"messages\": []}",
            "`hermesctl sessions import`",
        ),
        (
            b"{\"role\": \"user\", \"content\": \"cut o",
            "it is no JSON",
        ),
    ];
    let good: Vec<&[u8]> = vec![
        b"{\"role\": \"user\", \"content\": \"half \\ud83d pair\"}",
        b"{\"role\": \"user\", \"content\": \"nul \\u0000 in it\"}",
        b"{\"role\": \"user\", \"content\": \"a\", \"content\": \"b\"}\r",
        b"{\"role\": \"user\", \"content\": [[[[{\"deep\": []}]]]]}",
        b"{\"role\": \"user\", \"content\": 12}",
    ];
    let home = tempfile::tempdir().unwrap();
    let mut input = b"\xef\xbb\xbf".to_vec();
    for (at, (line, _)) in bad.iter().enumerate() {
        for line in [good[at % good.len()], line] {
            input.extend_from_slice(line);
            input.push(b'\n');
        }
    }
    let run = recorded(home.path(), &["--session", "s"], &input);
    assert_eq!(run.code, 1);
    let done = run.json();
    assert_eq!(done["messages"], json!(bad.len()));
    assert_eq!(done["bad_lines"], json!(bad.len()));
    let errors = done["errors"].as_array().unwrap();
    assert_eq!(errors.len(), bad.len());
    for (at, (line, problem)) in bad.iter().enumerate() {
        let error = &errors[at];
        assert_eq!(
            error["line"],
            json!(2 * (at + 1)),
            "{}",
            line.escape_ascii()
        );
        let told = error["problem"].as_str().unwrap();
        assert!(told.contains(problem), "{told}: {}", line.escape_ascii());
        assert!(
            run.stderr.contains(&format!("line {}: ", 2 * (at + 1))),
            "{}",
            run.stderr
        );
    }
    assert_eq!(texts(home.path(), "s").len(), bad.len());
    assert_eq!(
        texts(home.path(), "s")[..3],
        ["half \u{fffd} pair", "nul \0 in it", "b"]
    );

    // Strictly, the first of them ends it, wherever the fault is found.
    for (line, _) in bad {
        let home = tempfile::tempdir().unwrap();
        let input = [good[2], line, good[4], b""].join(&b'\n');
        let options = ["--session", "s", "--strict", "--end", "x"];
        let run = recorded(home.path(), &options, &input);
        let done = run.json();
        assert_eq!((run.code, &done["bad_lines"]), (1, &json!(1)));
        assert_eq!(done["ended"], json!(false));
        assert_eq!(texts(home.path(), "s"), ["b"]);
    }
}

#[test]
fn nesting_of_any_depth_and_long_texts_are_kept_to_the_letter() {
    let home = tempfile::tempdir().unwrap();
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    let long = "zebra ".repeat(500_000);
    let lines = format!(
        "{{\"role\": \"user\", \"content\": {deep}}}\n{}\n",
        json!({"role": "user", "content": long})
    );
    recorded(home.path(), &["--session", "s"], lines.as_bytes()).ok();
    let exported = run_in(home.path(), ["sessions", "export", "s"]).ok().stdout;
    assert!(exported.contains(&deep) && exported.contains(&long));
}

#[test]
fn what_was_acknowledged_outlives_a_killed_recorder() {
    let home = tempfile::tempdir().unwrap();
    let mut child = recorder(home.path());
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    // One at a time: each is answered before the next is sent.
    for n in 0..5 {
        writeln!(
            input,
            "{}",
            json!({"role": "user", "content": format!("m{n}")})
        )
        .unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(
            (&answer["line"], &answer["session_id"]),
            (&json!(n + 1), &json!("live"))
        );
        assert!(answer["id"].is_i64(), "{answer}");
    }
    // Many at once, and the end of it in the middle.
    let many: String = (5..5000)
        .map(|n| format!("{}\n", json!({"role": "user", "content": format!("m{n}")})))
        .collect();
    let writer = std::thread::spawn(move || input.write_all(many.as_bytes()));
    let mut last = 5;
    for answer in answers.by_ref().take(1200) {
        let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
        last = answer["line"].as_u64().unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    drop(answers);
    // The pipe is broken if the recorder had not read everything.
    let _ = writer.join().unwrap();
    let kept = texts(home.path(), "live");
    assert!(kept.len() as u64 >= last, "{} of {last}", kept.len());
    for (n, text) in kept.iter().enumerate() {
        assert_eq!(text, &json!(format!("m{n}")));
    }
}

#[test]
fn a_recording_goes_on_when_nobody_reads_the_answers() {
    let home = tempfile::tempdir().unwrap();
    let mut child = recorder(home.path());
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    for n in 0..3 {
        writeln!(
            input,
            "{}",
            json!({"role": "user", "content": format!("m{n}")})
        )
        .unwrap();
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(texts(home.path(), "live"), ["m0", "m1", "m2"]);
}

#[test]
fn what_cannot_be_begun_leaves_nothing_behind() {
    let store = fixture("v11.db");
    let db = store.path().to_str().unwrap();
    let line = b"{\"role\": \"user\", \"content\": \"x\"}\n";
    let ids = || {
        let listed = run_in(
            store.dir(),
            [
                "--json",
                "--db",
                db,
                "sessions",
                "list",
                "-n",
                "999",
                "--children",
            ],
        );
        listed.ok().json()["sessions"].as_array().unwrap().len()
    };
    let before = ids();
    for (options, code) in [
        (["--title", "Docker setup"], "title_in_use"),
        (["--cwd", "/srv"], "unsupported"),
        (["--session", ""], "invalid"),
    ] {
        let run = fed(
            store.dir(),
            &[&["--json", "--db", db, "chat-log"][..], &options].concat(),
            line,
        );
        assert_eq!(
            (run.code, &run.json()["error"]["code"]),
            (1, &json!(code)),
            "{}",
            run.stdout
        );
        assert!(
            run.stderr.contains("nothing had been recorded"),
            "{}",
            run.stderr
        );
    }
    assert_eq!(ids(), before);
    let home = tempfile::tempdir().unwrap();
    let run = run_in(home.path(), ["chat-log", "not-there.jsonl"]);
    assert_eq!(run.code, 1);
    assert!(!home.path().join(".hermes").exists());
}
