//! `tools`: what a model is given, why, and what a call gives.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::{Run, hermesctl, run, run_on};

#[test]
fn the_list_says_what_is_offered_and_why_not() {
    let list = run(["--json", "tools", "list"]).ok().json();
    let tools = list["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["process", "session_search", "terminal"]);
    for tool in tools {
        assert_eq!(
            (&tool["offered"], &tool["absence"]),
            (&json!(true), &Value::Null)
        );
    }
    assert_eq!(list["problems"], json!([]));

    let list = run([
        "--json",
        "tools",
        "list",
        "--disable",
        "hermes-cli",
        "--enable",
        "web",
    ]);
    let tool = &list.ok().json()["tools"][0];
    assert_eq!(tool["offered"], false);
    assert_eq!(tool["absence"]["reason"], "not_enabled");
}

#[test]
fn definitions_are_the_list_that_backends_take() {
    let text = run(["tools", "definitions"]).ok().stdout;
    let list: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(list[0]["type"], "function");
    assert_eq!(list[1]["function"]["name"], "session_search");
    assert_eq!(list[0]["function"]["parameters"]["type"], "object");
    let whole = run(["--json", "tools", "definitions"]).ok().json();
    assert_eq!(whole["definitions"], list);
}

// TOOL-09
#[test]
fn an_unknown_toolset_is_a_failure_that_names_it_and_names_near_it() {
    for command in [
        &["tools", "definitions", "--enable", "webb"][..],
        &["tools", "definitions", "--disable", "webb"],
        &["tools", "list", "--enable", "webb"],
        &["tools", "resolve", "webb"],
        &["tools", "resolve", "web", "webb"],
        &["tools", "toolsets", "webb"],
        &["tools", "why", "session_search", "--enable", "webb"],
        &["tools", "call", "session_search", "--disable", "webb"],
    ] {
        let failed = run(command);
        assert_eq!(failed.code, 1, "{command:?}");
        assert!(failed.stderr.contains("\"webb\""), "{}", failed.stderr);
        assert!(
            failed.stderr.contains("did you mean \"web\""),
            "{}",
            failed.stderr
        );
        assert_eq!(failed.stdout, "", "{command:?}");
    }
}

#[test]
fn toolsets_resolve_to_their_tools_old_names_too() {
    let resolved = run(["--json", "tools", "resolve", "file_tools", "web"])
        .ok()
        .json();
    assert_eq!(
        resolved["tools"],
        json!([
            "patch",
            "read_file",
            "search_files",
            "web_extract",
            "web_search",
            "write_file"
        ])
    );
    let set = run(["--json", "tools", "toolsets", "debugging"])
        .ok()
        .json();
    assert_eq!(set["toolset"]["includes"], json!(["web", "file"]));
    let sets = run(["--json", "tools", "toolsets"]).ok().json();
    assert_eq!(sets["toolsets"].as_array().unwrap().len(), 57);
    let all = run(["tools", "resolve", "all"]).ok().stdout;
    assert_eq!(all, run(["tools", "toolsets", "*"]).ok().stdout);
    assert!(all.lines().count() > 70);
}

#[test]
fn why_tells_of_a_tool_that_is_offered_taken_away_or_only_listed() {
    for (arguments, says) in [
        (&["session_search"][..], "is offered"),
        (
            &["session_search", "--disable", "session_search"],
            "which is disabled",
        ),
        (
            &["session_search", "--enable", "web"],
            "no enabled toolset has it",
        ),
        (&["terminal"], "is offered"),
        (&["read_file"], "nothing has registered it"),
    ] {
        let told = run(["tools", "why"].iter().chain(arguments)).ok().stdout;
        assert!(told.contains(says), "{arguments:?}: {told}");
    }
    let unknown = run(["tools", "why", "session_serch"]);
    assert_eq!(unknown.code, 1);
    assert!(
        unknown.stderr.contains("did you mean \"session_search\""),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_tool_is_shown_whole() {
    let shown = run(["tools", "show", "session_search"]).ok().stdout;
    for part in ["session_search", "agent loop", "around_message_id", "yes"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = run(["--json", "tools", "show", "session_search"])
        .ok()
        .json();
    assert_eq!(shown["tool"]["presence"]["presence"], "offered");
    assert_eq!(run(["tools", "show", "read_file"]).code, 1);
}

fn call(arguments: &[&str]) -> Run {
    let store = fixture("v11.db");
    run_on(store.path(), &[&["tools", "call"], arguments].concat())
}

#[test]
fn a_call_searches_the_store_and_its_arguments_are_made_to_fit() {
    let found = call(&["session_search", r#"{"query": "docker", "limit": "1"}"#]).ok();
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["mode"], "discover");
    let session = &found["results"][0];
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    assert!(session["snippet"].as_str().unwrap().contains(">>>"));

    let id = session["session_id"].as_str().unwrap();
    let middle = session["match_message_id"].as_i64().unwrap();
    let question = json!({"session_id": id, "around_message_id": middle, "window": 1});
    let read = call(&["session_search", &question.to_string()]).ok();
    let read: Value = serde_json::from_str(&read.stdout).unwrap();
    let messages = read["messages"].as_array().unwrap();
    assert!(messages.iter().any(|message| message["id"] == middle));
    assert!(messages.len() <= 3);

    let recent: Value = serde_json::from_str(&call(&["session_search"]).ok().stdout).unwrap();
    assert_eq!(recent["mode"], "browse");
}

#[test]
fn a_call_that_fails_prints_what_the_model_would_get_and_exits_with_1() {
    for (arguments, says) in [
        (&["session_serch"][..], "did_you_mean"),
        (&["session_search", "[1]"], "error"),
        (&["session_search", r#"{"query": "#], "error"),
        (
            &["session_search", r#"{"session_id": "nope"}"#],
            "UnknownSession",
        ),
        (
            &[
                "session_search",
                r#"{"around_message_id": 1, "query": "b"}"#,
            ],
            "InvalidArguments",
        ),
        (&["session_search", "{}", "--enable", "web"], "not enabled"),
    ] {
        let failed = call(arguments);
        assert_eq!(failed.code, 1, "{arguments:?}");
        let result: Value = serde_json::from_str(&failed.stdout).expect("JSON for the model");
        assert!(result.to_string().contains(says), "{arguments:?}: {result}");
    }
    let failed = run(["--json", "tools", "call", "nope"]);
    assert_eq!(failed.code, 1);
    assert_eq!(failed.json()["status"], "unknown_tool");
}

#[test]
fn a_call_in_a_home_without_a_store_finds_nothing_and_makes_none() {
    let home = tempfile::tempdir().unwrap();
    let run: Run = hermesctl(home.path())
        .args(["tools", "call", "session_search", r#"{"query": "x"}"#])
        .output()
        .unwrap()
        .into();
    let answer: Value = serde_json::from_str(&run.ok().stdout).unwrap();
    assert_eq!(answer["results"], json!([]));
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn arguments_come_from_standard_input_too() {
    let store = fixture("v11.db");
    let home = tempfile::tempdir().unwrap();
    let mut child = hermesctl(home.path())
        .arg("--db")
        .arg(store.path())
        .args(["tools", "call", "session_search", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(br#"{"query": "docker"}"#).unwrap();
    drop(stdin);
    let run: Run = child.wait_with_output().unwrap().into();
    assert!(run.ok().stdout.contains("\"mode\": \"discover\""));
}
