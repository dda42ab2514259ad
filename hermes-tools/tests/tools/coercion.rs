//! Arguments made to fit, as a handler gets them.

use hermes_tools::{CallContext, Dispatcher, Registry, Tool};
use serde_json::{Value, json};

/// What a handler gets for this value under this schema, as JSON text.
fn arrives(schema: Value, value: Value) -> String {
    let registry = Registry::new();
    registry
        .register(
            Tool::new("t", "tests")
                .parameters(json!({"type": "object", "properties": {"v": schema}}))
                .handler(|arguments, _| Ok(arguments["v"].to_string())),
        )
        .unwrap();
    Dispatcher::new(registry)
        .handle_function_call("t", json!({"v": value}), &CallContext::new())
        .into_text()
}

// TOOL-18
#[test]
fn texts_become_numbers_booleans_and_null_only_where_nothing_is_lost() {
    let integer = json!({"type": "integer"});
    for (given, expected) in [
        ("42", "42"),
        ("3.14", "\"3.14\""),
        ("3.0", "3"),
        ("1e3", "1000"),
        (" 7 ", "7"),
        ("", "\"\""),
        ("0x10", "\"0x10\""),
    ] {
        assert_eq!(
            arrives(integer.clone(), json!(given)),
            expected,
            "{given:?}"
        );
    }
    for given in ["inf", "nan"] {
        assert_eq!(
            arrives(json!({"type": "number"}), json!(given)),
            format!("{given:?}")
        );
    }
    let boolean = json!({"type": "boolean"});
    for (given, expected) in [
        (json!("true"), "true"),
        (json!("False"), "false"),
        (json!("yes"), "\"yes\""),
        (json!(1), "1"),
    ] {
        assert_eq!(arrives(boolean.clone(), given.clone()), expected, "{given}");
    }
    assert_eq!(
        arrives(json!({"type": ["integer", "string"]}), json!("42")),
        "42"
    );
    assert_eq!(
        arrives(json!({"type": "integer", "nullable": true}), json!("null")),
        "null"
    );
    assert_eq!(
        arrives(json!({"type": ["string", "null"]}), json!("null")),
        "null"
    );
}

// TOOL-19
#[test]
fn integers_beyond_every_machine_type_keep_their_digits() {
    for digits in ["99999999999999999999", "9007199254740993"] {
        assert_eq!(arrives(json!({"type": "integer"}), json!(digits)), digits);
    }
}

#[test]
fn json_text_becomes_a_list_or_object_unless_text_is_wanted_too() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    assert_eq!(arrives(list.clone(), json!("[1, \"2\"]")), "[1,2]");
    assert_eq!(arrives(list, json!("3")), "[3]");
    let file = json!({"type": ["object", "string"]});
    assert_eq!(arrives(file, json!("{ \"a\": 1 }")), "\"{ \\\"a\\\": 1 }\"");
}

#[test]
fn a_tool_without_parameters_gets_what_was_sent() {
    let registry = Registry::new();
    registry
        .register(Tool::new("t", "tests").handler(|arguments, _| Ok(arguments["v"].to_string())))
        .unwrap();
    let result = Dispatcher::new(registry).handle_function_call(
        "t",
        json!("{\"v\": \"42\"}"),
        &CallContext::new(),
    );
    assert_eq!(result.into_text(), "\"42\"");
}

#[test]
fn an_argument_that_is_too_large_to_be_made_to_fit_is_told_of() {
    let registry = Registry::new();
    registry
        .register(
            Tool::new("t", "tests")
                .parameters(json!({"type": "object", "properties": {
                    "a": {"type": "array", "items": {"type": "integer"}},
                    "b": {"type": "integer"},
                }}))
                .handler(|arguments, _| {
                    let first = arguments.get("a").map(|a| a[0].to_string());
                    Ok(format!("{first:?} {}", arguments["b"]))
                }),
        )
        .unwrap();
    let tools = Dispatcher::new(registry);
    let context = CallContext::new();
    let large = json!({"a": vec!["1"; 250_000], "b": "2"});
    let result = tools.handle_function_call("t", large, &context);
    assert_eq!(
        result.warnings(),
        ["argument `a` is too large to be made to fit its schema; it was left as it is"]
    );
    assert_eq!(result.into_text(), "Some(\"\\\"1\\\"\") 2");
    // What was odd about the text is told of too.
    let result = tools.handle_function_call("t", json!("Sure: {\"b\": \"2\"}"), &context);
    assert_eq!(result.warnings().len(), 1);
    assert_eq!(result.into_text(), "None 2");
}
