//! Tools from typed functions.
#![allow(dead_code, reason = "fields are read through `Debug`")]

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hermes_tools::{
    CallContext, Content, Dispatcher, Handler, Multimodal, Output, Registry, Status, Tool,
    ToolError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

fn dispatcher(tool: Tool) -> Dispatcher {
    let registry = Registry::new();
    registry.register(tool).unwrap();
    Dispatcher::new(registry)
}

/// What a model gets from a tool that gives its arguments back in Rust's own words.
fn debug_of<T>(arguments: Value) -> String
where
    T: serde::de::DeserializeOwned + JsonSchema + std::fmt::Debug + 'static,
{
    let tool = Tool::typed("t", "tests", |args: T| {
        Ok::<_, ToolError>(format!("{args:?}"))
    });
    dispatcher(tool)
        .handle_function_call("t", arguments, &CallContext::new())
        .into_text()
}

fn definition_of<T: serde::de::DeserializeOwned + JsonSchema + 'static>() -> Value {
    let tool = Tool::typed("t", "tests", |_: T| Ok::<_, ToolError>(""));
    let dispatcher = dispatcher(tool);
    let snapshot = dispatcher.registry().snapshot();
    snapshot.get("t").unwrap().definition()["function"].clone()
}

/// Finds text in files.
///
/// Gives the lines.
#[derive(Debug, Deserialize, JsonSchema)]
struct Find {
    /// What to look for.
    pattern: String,
    /// How many lines at most.
    #[serde(default)]
    limit: Option<u32>,
    #[serde(default)]
    inside: Vec<Place>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Place {
    path: String,
    weight: f64,
}

#[test]
fn the_schema_is_what_a_strict_backend_takes() {
    let definition = definition_of::<Find>();
    assert_eq!(
        definition["description"],
        "Finds text in files.\n\nGives the lines."
    );
    let parameters = &definition["parameters"];
    assert_eq!(parameters["type"], "object");
    assert_eq!(parameters["required"], json!(["pattern"]));
    assert_eq!(
        parameters["properties"]["pattern"],
        json!({"type": "string", "description": "What to look for."})
    );
    let item = &parameters["properties"]["inside"]["items"];
    assert_eq!(
        item["properties"]["weight"],
        json!({"type": "number"}),
        "inlined, no format"
    );
    let text = definition.to_string();
    for refused in ["$schema", "title", "format", "$ref", "$defs"] {
        assert!(!text.contains(refused), "{refused}: {text}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Tree {
    title: String,
    #[serde(default)]
    children: Vec<Tree>,
}

#[test]
fn a_recursive_type_keeps_its_references_and_a_field_called_title_stays() {
    let definition = definition_of::<Tree>();
    assert!(definition.to_string().contains("$ref"));
    let properties = &definition["parameters"]["properties"];
    assert!(properties["title"].is_object(), "{definition}");
    assert_eq!(
        debug_of::<Tree>(json!({"title": "a", "children": [{"title": "b"}]})),
        "Tree { title: \"a\", children: [Tree { title: \"b\", children: [] }] }"
    );
}

#[test]
fn a_description_given_by_hand_takes_the_place_of_the_types() {
    let tool = Tool::typed("t", "tests", |_: Find| Ok::<_, ToolError>("")).description("Mine.");
    let dispatcher = dispatcher(tool);
    let snapshot = dispatcher.registry().snapshot();
    assert_eq!(
        snapshot.get("t").unwrap().definition()["function"]["description"],
        "Mine."
    );
}

#[test]
fn arguments_that_do_not_fit_are_an_error_that_names_the_field() {
    for (arguments, problem) in [
        (json!({}), "missing field `pattern`"),
        (
            json!({"pattern": "x", "inside": [{"path": "a", "weight": 1}, {"path": "b"}]}),
            "inside[1]: missing field `weight`",
        ),
        (
            json!({"pattern": "x", "inside": [{"path": ["a"], "weight": 1}]}),
            "inside[0].path: invalid type: an array, expected a string",
        ),
        (
            json!({"pattern": "x", "limit": -1}),
            "limit: the number -1 does not fit: expected an integer from 0 to 4294967295",
        ),
        (
            json!({"pattern": "x", "limit": 1.5}),
            "limit: invalid type: the number 1.5, expected an integer",
        ),
        (
            json!({"pattern": "x", "limit": [1]}),
            "limit: invalid type: an array, expected an integer",
        ),
        (
            json!({"pattern": "x", "inside": null}),
            "inside: invalid type: null, expected an array",
        ),
        (
            json!({"pattern": "x", "inside": ["a"]}),
            "inside[0]: invalid type: the string \"a\", expected an object",
        ),
        (
            json!({"pattern": null}),
            "pattern: invalid type: null, expected a string",
        ),
    ] {
        assert_eq!(
            debug_of::<Find>(arguments),
            json!({"error": format!("Tool execution failed: InvalidArguments: {problem}")})
                .to_string()
                .replace("{\"error\":", "{\"error\": ")
        );
    }
}

#[test]
fn what_a_model_writes_as_text_is_coerced_first() {
    assert_eq!(
        debug_of::<Find>(
            json!({"pattern": "x", "limit": "3", "inside": "[{\"path\": \"a\", \"weight\": \"2\"}]"})
        ),
        "Find { pattern: \"x\", limit: Some(3), inside: [Place { path: \"a\", weight: 2.0 }] }"
    );
    assert_eq!(
        debug_of::<Find>(json!({"pattern": "x", "limit": "null"})),
        "Find { pattern: \"x\", limit: None, inside: [] }"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Flat {
    name: String,
    #[serde(flatten)]
    rest: Rest,
    #[serde(flatten)]
    more: BTreeMap<String, f64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Rest {
    count: i64,
    share: f64,
    big: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Loose {
    Whole(i64),
    Part(f64),
    Text(String),
    Pair { x: f64, y: i32 },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    Circle { radius: f64, id: u64 },
    Square { side: i32 },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Number(f64),
    Both(i64, f64),
    Nothing,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum External {
    Off,
    Level(f64),
    Range { from: i64, to: f64 },
    Pair(i64, f64),
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Numbers {
    loose: Vec<Loose>,
    tagged: Vec<Tagged>,
    adjacent: Vec<Adjacent>,
    external: Vec<External>,
}

#[test]
fn numbers_are_read_behind_every_kind_of_enum_and_flatten() {
    // As text, so that floats have forms that an f64 writes otherwise.
    let arguments: Value = serde_json::from_str(
        r#"{"name": "n", "count": -3, "share": 1.50, "big": 18446744073709551615, "a": 1e3, "b": 2}"#,
    )
    .unwrap();
    assert_eq!(
        debug_of::<Flat>(arguments),
        "Flat { name: \"n\", rest: Rest { count: -3, share: 1.5, big: 18446744073709551615 }, more: {\"a\": 1000.0, \"b\": 2.0} }"
    );
    let arguments: Value = serde_json::from_str(
        r#"{"loose": [1, -1, 1.50, 1e2, "x", {"x": 0.10, "y": 2}, {"x": 1, "y": 2}],
            "tagged": [{"kind": "Circle", "radius": 2.50, "id": 9007199254740993}, {"kind": "Square", "side": -1}],
            "adjacent": [{"t": "Number", "c": 0.10}, {"c": [1, 2.0], "t": "Both"}, {"t": "Nothing"}],
            "external": ["Off", {"Level": 1.50}, {"Range": {"from": 1, "to": 2}}, {"Pair": [1, 2.50]}]}"#,
    )
    .unwrap();
    assert_eq!(
        debug_of::<Numbers>(arguments),
        "Numbers { loose: [Whole(1), Whole(-1), Part(1.5), Part(100.0), Text(\"x\"), Pair { x: 0.1, y: 2 }, Pair { x: 1.0, y: 2 }], \
         tagged: [Circle { radius: 2.5, id: 9007199254740993 }, Square { side: -1 }], \
         adjacent: [Number(0.1), Both(1, 2.0), Nothing], \
         external: [Off, Level(1.5), Range { from: 1, to: 2.0 }, Pair(1, 2.5)] }"
    );
}

#[test]
fn arguments_can_be_an_enum_and_are_coerced_by_its_tag() {
    assert_eq!(definition_of::<Tagged>()["parameters"]["type"], "object");
    assert_eq!(
        debug_of::<Tagged>(json!({"kind": "Circle", "radius": "2.50", "id": "7"})),
        "Circle { radius: 2.5, id: 7 }"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Big {
    wide: i128,
    wider: u128,
    any: Value,
    by_number: HashMap<i32, Option<bool>>,
    pair: (i8, char),
}

#[test]
fn integers_beyond_64_bits_keep_their_digits_or_are_an_error_that_says_so() {
    let arguments = r#"{"wide": -99999999999999999999, "wider": 340282366920938463463374607431768211455,
        "any": [99999999999999999999, 1], "by_number": {"-7": null}, "pair": [1, "x"]}"#;
    assert_eq!(
        debug_of::<Big>(json!(arguments)),
        "Big { wide: -99999999999999999999, wider: 340282366920938463463374607431768211455, \
         any: Array [Number(99999999999999999999), Number(1)], by_number: {-7: None}, pair: (1, 'x') }"
    );
    let text = debug_of::<Find>(json!(
        "{\"pattern\": \"x\", \"limit\": 99999999999999999999}"
    ));
    assert!(
        text.contains("limit: the number 99999999999999999999 does not fit: expected an integer from 0 to 4294967295"),
        "{text}"
    );
    let text = debug_of::<Flat>(json!(
        "{\"name\": \"x\", \"count\": 99999999999999999999, \"share\": 1, \"big\": 1}"
    ));
    assert!(text.contains("InvalidArguments: "), "{text}");
}

/// Any type of serde's own, as a field.
#[derive(Debug, Deserialize, JsonSchema)]
struct Odd {
    #[serde(default)]
    small: Option<u8>,
    #[serde(default)]
    share: f64,
    #[serde(default)]
    yes: bool,
    #[serde(default)]
    by_name: BTreeMap<String, i64>,
    #[serde(default)]
    by_number: BTreeMap<i32, i64>,
    #[serde(default)]
    pair: Option<(i64, i64)>,
    #[serde(default)]
    place: Option<Place>,
    #[serde(default)]
    letter: char,
    #[serde(default)]
    loose: Option<Loose>,
    #[serde(default)]
    tagged: Option<Tagged>,
    #[serde(default)]
    external: Option<External>,
    #[serde(default)]
    text: String,
}

#[test]
fn what_does_not_fit_is_told_in_words_of_json_and_not_of_rust() {
    for (arguments, problem) in [
        (
            json!({"small": 300}),
            "small: the number 300 does not fit: expected an integer from 0 to 255",
        ),
        (
            json!({"small": true}),
            "small: invalid type: the boolean true, expected an integer",
        ),
        (
            json!({"share": {}}),
            "share: invalid type: an object, expected a number",
        ),
        (
            json!({"yes": 1}),
            "yes: invalid type: the integer 1, expected a boolean",
        ),
        (
            json!({"by_name": 1}),
            "by_name: invalid type: the integer 1, expected an object",
        ),
        (
            json!({"by_name": {"a": "x"}}),
            "by_name.a: invalid type: the string \"x\", expected an integer",
        ),
        (
            json!({"by_number": {"a": 1}}),
            "by_number: invalid type: the string \"a\", expected an integer",
        ),
        (
            json!({"pair": [1]}),
            "pair: invalid length 1, expected an array of 2 items",
        ),
        (
            json!({"place": 5}),
            "place: invalid type: the integer 5, expected an object",
        ),
        (
            json!({"letter": "ab"}),
            "letter: invalid value: the string \"ab\", expected a string of one character",
        ),
        (
            json!({"loose": [1]}),
            "loose: it fits none of the forms that it may have",
        ),
        (
            json!({"tagged": 1}),
            "tagged: invalid type: the integer 1, expected an object",
        ),
        (
            json!({"tagged": {"kind": "Square", "side": 1.5}}),
            "tagged: invalid type: the number 1.5, expected an integer",
        ),
        (
            json!({"tagged": {"kind": "Square", "side": 5_000_000_000_i64}}),
            "tagged: invalid value: the integer 5000000000, expected an integer from -2147483648 to 2147483647",
        ),
        (
            json!({"external": 1}),
            "external: invalid type: a number, expected the name of a variant, or an object with that name as its only key",
        ),
        (
            json!({"external": {"Pair": 1}}),
            "external: invalid length 1, expected an array of 2 items",
        ),
        (
            json!({"external": {"Range": 1}}),
            "external: invalid type: the integer 1, expected an object",
        ),
        (
            json!("{\"text\": 99999999999999999999}"),
            "text: the number 99999999999999999999 does not fit: expected a string",
        ),
    ] {
        let text = debug_of::<Odd>(arguments.clone());
        let answer: Value =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments}: {text}"));
        let expected = format!("Tool execution failed: InvalidArguments: {problem}");
        assert_eq!(answer["error"], expected, "{arguments}");
    }
}

#[test]
fn a_tuple_with_too_many_items_is_refused() {
    let text = debug_of::<Big>(
        json!({"wide": 1, "wider": 1, "any": 1, "by_number": {}, "pair": [1, "x", 2]}),
    );
    assert!(text.contains("pair: invalid length 3"), "{text}");
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Nothing {}

#[test]
fn a_tool_without_arguments_is_an_empty_struct_or_unit() {
    let empty = json!({"type": "object", "properties": {}});
    assert_eq!(definition_of::<Nothing>()["parameters"], empty);
    assert_eq!(definition_of::<()>()["parameters"], empty);
    assert_eq!(debug_of::<Nothing>(json!({"x": 1})), "Nothing");
    assert_eq!(debug_of::<()>(json!(null)), "()");
}

#[derive(Serialize)]
struct Sum {
    sum: i64,
    parts: Vec<f64>,
}

#[test]
fn a_result_goes_as_text_as_an_envelope_or_as_json() {
    let call =
        |tool: Tool| dispatcher(tool).handle_function_call("t", Value::Null, &CallContext::new());
    let text = call(Tool::typed("t", "tests", |_: Nothing| {
        Ok::<_, ToolError>("as \"it\" is\n")
    }));
    assert_eq!(text.content(), &Content::Text("as \"it\" is\n".to_owned()));
    let json = call(Tool::typed("t", "tests", |_: Nothing| {
        Ok::<_, ToolError>(Sum {
            sum: 3,
            parts: vec![1.0, 2.5],
        })
    }));
    assert_eq!(json.into_text(), r#"{"sum": 3, "parts": [1.0, 2.5]}"#);
    let unit = call(Tool::typed("t", "tests", |_: Nothing| {
        Ok::<_, ToolError>(())
    }));
    assert_eq!(unit.into_text(), "null");
    let envelope = Multimodal::new(vec![json!({"type": "text", "text": "hi"})]);
    let given = envelope.clone();
    let parts = call(Tool::typed("t", "tests", move |_: Nothing| {
        Ok::<_, ToolError>(given.clone())
    }));
    assert_eq!(parts.content(), &Content::Multimodal(envelope));
    let no_json = call(Tool::typed("t", "tests", |_: Nothing| {
        Ok::<_, ToolError>(BTreeMap::from([((1, 2), 3)]))
    }));
    assert_eq!(no_json.status(), Status::Failed);
    assert!(no_json.into_text().contains("InvalidResult: "));
}

#[test]
fn an_error_of_the_function_keeps_its_kind() {
    let tool = Tool::typed("t", "tests", |_: Nothing| "x".parse::<u8>());
    let text = dispatcher(tool)
        .handle_function_call("t", json!({}), &CallContext::new())
        .into_text();
    assert!(
        text.contains("Tool execution failed: ParseIntError: "),
        "{text}"
    );
}

#[test]
fn the_context_is_there_for_those_who_ask() {
    let tool = Tool::typed_with("t", "tests", |_: Nothing, context: &CallContext| {
        Ok::<_, ToolError>(context.session_id().unwrap_or("none").to_owned())
    });
    let context = CallContext::new().with_session_id("s1");
    let result = dispatcher(tool).handle_function_call("t", json!({}), &context);
    assert_eq!(result.into_text(), "s1");
}

/// Runs a handler whose future is ready at once.
fn ready(tool: Tool, arguments: Value) -> Result<Output, ToolError> {
    let dispatcher = dispatcher(tool);
    let snapshot = dispatcher.registry().snapshot();
    let Handler::Async(handler) = snapshot.get("t").unwrap().handler() else {
        panic!("not an async handler");
    };
    let arguments = arguments.as_object().unwrap().clone();
    let context = CallContext::new().with_session_id("s1");
    let mut future = pin!(handler(arguments, context));
    let mut waiting = Context::from_waker(Waker::noop());
    match future.as_mut().poll(&mut waiting) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("not ready"),
    }
}

#[test]
fn async_functions_read_arguments_and_give_results_the_same_way() {
    let tool = || {
        Tool::typed_async("t", "tests", |find: Find| async move {
            Ok::<_, ToolError>(vec![find.pattern])
        })
    };
    assert_eq!(
        ready(tool(), json!({"pattern": "x"})),
        Ok(Output::Text("[\"x\"]".to_owned()))
    );
    assert_eq!(
        ready(tool(), json!({})),
        Err(ToolError::new(
            "InvalidArguments",
            "missing field `pattern`"
        ))
    );
    let tool = Tool::typed_async_with(
        "t",
        "tests",
        |_: Nothing, context: CallContext| async move {
            Ok::<_, ToolError>(context.session_id().map(str::to_owned))
        },
    );
    assert_eq!(ready(tool, json!({})), Ok(Output::Text("s1".to_owned())));
}
