//! Hints for names that no tool has.

use hermes_tools::{CallContext, Dispatcher, Registry, Tool};
use serde_json::{Value, json};

fn unknown(name: &str) -> Value {
    let registry = Registry::new();
    for tool in ["terminal", "read_file", "search_files"] {
        registry
            .register(Tool::new(tool, "tests").handler(|_, _| Ok("")))
            .unwrap();
    }
    let result =
        Dispatcher::new(registry).handle_function_call(name, json!({}), &CallContext::new());
    serde_json::from_str(&result.into_text()).unwrap()
}

// TOOL-42
#[test]
fn a_name_from_elsewhere_gets_the_tool_and_a_strange_one_gets_nothing() {
    assert_eq!(
        unknown("shell"),
        json!({"error": "Unknown tool: shell", "did_you_mean": ["terminal"]})
    );
    assert_eq!(unknown("zzz"), json!({"error": "Unknown tool: zzz"}));
    assert_eq!(unknown(""), json!({"error": "Unknown tool: "}));
    assert_eq!(unknown("null"), json!({"error": "Unknown tool: null"}));
    let long = unknown(&"x".repeat(10_240)).to_string();
    assert!(long.len() < 400, "{long}");
}

#[test]
fn a_slip_of_the_pen_gets_the_name() {
    assert_eq!(unknown("raed_file")["did_you_mean"], json!(["read_file"]));
    assert_eq!(
        unknown("functions.ReadFile")["did_you_mean"][0],
        "read_file"
    );
}

// A hint is no way to tools that the model was not given.
#[test]
fn a_hint_names_only_tools_that_the_model_was_given() {
    let registry = Registry::new();
    for name in ["terminal", "read_file"] {
        let tool = Tool::new(name, "x").handler(|_, _| Ok(""));
        registry.register(tool).unwrap();
    }
    let tools = Dispatcher::new(registry);
    let hint = |context: CallContext| {
        let result = tools.handle_function_call("shell", json!({}), &context);
        result.into_text().contains("terminal")
    };
    assert!(hint(CallContext::new()));
    assert!(!hint(CallContext::new().with_enabled_tools(["read_file"])));
}
