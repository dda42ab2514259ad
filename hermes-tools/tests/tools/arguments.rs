//! Arguments as models send them.

use hermes_tools::{
    CallContext, Dispatcher, Registry, Status, Tool, read_arguments, replay_arguments,
};
use serde_json::{Value, json};

fn read(text: &str) -> Result<Value, String> {
    read_arguments(json!(text)).map(|read| Value::Object(read.arguments))
}

fn warned(text: &str) -> bool {
    !read_arguments(json!(text)).unwrap().warnings.is_empty()
}

/// A dispatcher with one tool that gives its arguments back.
fn echo() -> Dispatcher {
    let registry = Registry::new();
    registry
        .register(
            Tool::new("memory", "memory")
                .handler(|arguments, _| Ok(serde_json::to_string(&arguments)?)),
        )
        .unwrap();
    Dispatcher::new(registry)
}

// TOOL-21
#[test]
fn an_object_said_twice_is_one_and_two_different_ones_are_an_error_that_names_it() {
    assert_eq!(read(r#"{"a":1}{"a":1}"#), Ok(json!({"a": 1})));
    assert!(warned(r#"{"a":1}{"a":1}"#));
    let problem = read(r#"{"a":1}{"b":2}"#).unwrap_err();
    assert!(problem.contains(r#"{\"b\":2}"#), "{problem}");
}

// TOOL-21
#[test]
fn a_tool_name_said_twice_gets_the_name_as_a_hint() {
    let result = echo().handle_function_call("memorymemory", json!({}), &CallContext::new());
    assert_eq!(
        result.into_text(),
        r#"{"error": "Unknown tool: memorymemory", "did_you_mean": ["memory"]}"#
    );
}

// TOOL-22
#[test]
fn every_odd_text_is_an_object_or_one_structured_error() {
    assert_eq!(read(r#"{"a":1}garbage"#), Ok(json!({"a": 1})));
    assert!(warned(r#"{"a":1}garbage"#));
    assert_eq!(read("\u{feff}{\"a\":1}"), Ok(json!({"a": 1})));
    assert_eq!(read(r#"{"a":NaN}"#), Ok(json!({"a": null})));
    assert!(warned(r#"{"a":NaN}"#));
    assert_eq!(read(""), Ok(json!({})));
    assert_eq!(read("null"), Ok(json!({})));
    assert_eq!(read_arguments(json!(null)).unwrap().arguments.len(), 0);
    let dispatcher = echo();
    for bad in [
        json!("[]"),
        json!("\"x\""),
        json!([]),
        json!(5),
        json!(true),
        json!("{\"a\":1}{\"b\":2}"),
    ] {
        let result = dispatcher.handle_function_call("memory", bad.clone(), &CallContext::new());
        assert_eq!(result.status(), Status::BadArguments, "{bad}");
        let text: Value = serde_json::from_str(&result.into_text()).unwrap();
        let error = text["error"].as_str().unwrap();
        assert!(
            error.starts_with("Error executing memory: the arguments "),
            "{error}"
        );
    }
}

// TOOL-24
#[test]
fn what_was_stored_is_an_object_when_it_is_replayed() {
    for (stored, replayed) in [
        (r#"[{"a": 1}]"#, json!({"a": 1})),
        (r#"{"a": 1}"#, json!({"a": 1})),
        (r#""{\"a\": 1}""#, json!({"a": 1})),
        (r#"[{"a": 1}, {"b": 2}]"#, json!({})),
        (r#"[{"a": 1}] x"#, json!({})),
        ("[[]]", json!({})),
        ("[]", json!({})),
        ("", json!({})),
        ("5", json!({})),
        (r#"{"a": "#, json!({})),
    ] {
        assert_eq!(
            Value::Object(replay_arguments(stored)),
            replayed,
            "{stored}"
        );
    }
}

// TOOL-25
#[test]
fn half_a_surrogate_pair_becomes_the_replacement_character() {
    let read = read(
        r#"{"id":"x\ud800","low":"\udc00y","pair":"\ud83d\ude00","two":"\ud800\ud83d\ude00"}"#,
    );
    let expected =
        json!({"id": "x\u{fffd}", "low": "\u{fffd}y", "pair": "😀", "two": "\u{fffd}😀"});
    assert_eq!(read, Ok(expected.clone()));
    assert_eq!(
        Value::Object(replay_arguments(&expected.to_string())),
        expected
    );
}
