//! Calls and results in a session: found by search, read back as they were.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]

use hermes_kit::Hermes;
use hermes_kit::state::{MessagePage, NewSession, SearchOptions};
use hermes_kit::toolkit::{CallContext, Multimodal, Output, Registry, Tool, ToolCall, ToolResult};
use serde_json::{Value, json};

fn hermes() -> (tempfile::TempDir, Hermes) {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new();
    let ls = Tool::new("ls", "file").handler(|_, _| Ok("wombat.txt".to_owned()));
    registry.register(ls).unwrap();
    let look = Tool::new("look", "vision").handler(|_, _| {
        let parts = vec![json!({"type": "text", "text": "a numbat"})];
        Ok(Output::Multimodal(Multimodal::new(parts)))
    });
    registry.register(look).unwrap();
    let hermes = Hermes::builder()
        .home(folder.path())
        .registry(registry)
        .open()
        .unwrap();
    let store = hermes.store().unwrap();
    store.create_session(&NewSession::new("s", "cli")).unwrap();
    (folder, hermes)
}

fn run(hermes: &Hermes, call: &ToolCall) -> ToolResult {
    let arguments = call.arguments.clone();
    let context = CallContext::new();
    hermes
        .dispatcher()
        .handle_function_call(&call.name, arguments, &context)
}

fn found(hermes: &Hermes, query: &str) -> usize {
    let results = hermes.store().unwrap().search(&SearchOptions::new(query));
    results.unwrap().matches.len()
}

#[test]
fn a_dispatch_is_found_by_its_tool_its_arguments_and_its_result() {
    let (_folder, hermes) = hermes();
    let call = ToolCall::new("ls", json!({"path": "quokka"})).with_id("call_1");
    let result = run(&hermes, &call);
    let ids = hermes
        .record_calls("s", Some("I look"), &[(&call, &result)])
        .unwrap();
    assert_eq!(ids.len(), 2);
    for query in ["quokka", "wombat", "look"] {
        assert_eq!(found(&hermes, query), 1, "{query}");
    }
    let store = hermes.store().unwrap();
    let messages = store.messages("s", MessagePage::default()).unwrap();
    let roles: Vec<&str> = messages.iter().map(|m| m.role.as_str()).collect();
    assert_eq!(roles, ["assistant", "tool"]);
    assert_eq!(
        messages[0].tool_calls.as_ref().unwrap().value().unwrap(),
        json!([{
            "id": "call_1", "type": "function",
            "function": {"name": "ls", "arguments": "{\"path\":\"quokka\"}"},
        }])
    );
    assert_eq!(messages[0].finish_reason.as_deref(), Some("tool_calls"));
    assert_eq!(messages[1].tool_call_id.as_deref(), Some("call_1"));
    assert_eq!(messages[1].tool_name.as_deref(), Some("ls"));
    assert_eq!(
        store.session("s").unwrap().unwrap().tool_call_count,
        Some(1)
    );
}

#[test]
fn several_calls_are_one_turn_and_each_answer_names_its_call() {
    let (_folder, hermes) = hermes();
    let calls = [
        ToolCall::new("ls", Value::Null),
        ToolCall::new("nothing", json!("{\"a\": 1}")),
        ToolCall::new("look", json!({})),
    ];
    let results: Vec<ToolResult> = calls.iter().map(|call| run(&hermes, call)).collect();
    let both: Vec<(&ToolCall, &ToolResult)> = calls.iter().zip(&results).collect();
    hermes.record_calls("s", None, &both).unwrap();
    let store = hermes.store().unwrap();
    let messages = store.messages("s", MessagePage::default()).unwrap();
    assert_eq!(messages.len(), 4);
    let asked = messages[0].tool_calls.as_ref().unwrap().value().unwrap();
    let asked: Vec<&str> = asked
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["id"].as_str().unwrap())
        .collect();
    let answered: Vec<&str> = messages[1..]
        .iter()
        .map(|message| message.tool_call_id.as_deref().unwrap())
        .collect();
    assert_eq!(asked, answered);
    assert!(
        messages[2]
            .content
            .as_ref()
            .unwrap()
            .plain_text()
            .contains("error")
    );
    assert_eq!(found(&hermes, "numbat"), 1);
    assert_eq!(
        messages[3].content.as_ref().unwrap().plain_text(),
        "a numbat"
    );
}

#[test]
fn a_session_that_is_not_there_is_an_error_and_nothing_is_kept() {
    let (_folder, hermes) = hermes();
    let call = ToolCall::new("ls", json!({"path": "quokka"}));
    let result = run(&hermes, &call);
    let error = hermes.record_calls("other", None, &[(&call, &result)]);
    assert!(error.unwrap_err().to_string().contains("other"));
    assert_eq!(found(&hermes, "quokka"), 0);
    assert!(hermes.record_calls("other", None, &[]).unwrap().is_empty());
}
