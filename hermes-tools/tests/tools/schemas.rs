//! Schemas at registration, and definitions as strict backends take them.

use hermes_tools::{Error, Registry, Tool};
use serde_json::{Value, json};

fn register(schema: Value) -> Result<Value, Error> {
    let registry = Registry::new();
    registry.register(
        Tool::new("own_name", "tests")
            .schema(schema)
            .handler(|_, _| Ok("")),
    )?;
    let snapshot = registry.snapshot();
    Ok(snapshot.get("own_name").unwrap().definition()["function"].clone())
}

fn problem(schema: Value) -> String {
    match register(schema) {
        Err(Error::InvalidSchema { tool, problem }) => {
            assert_eq!(tool, "own_name");
            problem
        }
        other => panic!("{other:?}"),
    }
}

fn properties(properties: Value) -> Value {
    let parameters = json!({"type": "object", "properties": properties});
    register(json!({"parameters": parameters})).unwrap()["parameters"]["properties"].clone()
}

// TOOL-36
#[test]
fn a_schema_that_is_no_object_is_refused_and_a_wrapped_one_is_unwrapped() {
    for no_object in [json!("nope"), json!([]), json!(null), json!(5)] {
        assert!(problem(no_object).contains("has to be an object"));
    }
    assert!(problem(json!({"parameters": "nope"})).contains("`parameters`"));
    assert!(problem(json!({"parameters": {"type": "string"}})).contains("`parameters`"));
    assert!(problem(json!({"description": 5})).contains("`description`"));
    assert!(problem(json!({"type": "function", "function": "nope"})).contains("`function`"));

    let no_arguments = register(json!({"description": "d"})).unwrap();
    assert_eq!(
        no_arguments,
        json!({"description": "d", "name": "own_name",
            "parameters": {"type": "object", "properties": {}}})
    );
    let wrapped = json!({"type": "function", "function": {"name": "other", "description": "d",
        "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    assert_eq!(
        register(wrapped).unwrap(),
        json!({"name": "own_name", "description": "d",
            "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}})
    );
    assert_eq!(
        register(json!({"name": "other"})).unwrap()["name"],
        "own_name"
    );
}

// TOOL-37
#[test]
fn arrays_without_items_get_items_wherever_they_stand_and_nothing_else_changes() {
    assert_eq!(
        properties(json!({
            "plain": {"type": "array", "minItems": 1},
            "list": {"type": ["array", "null"]},
            "union": {"anyOf": [{"type": "array"}, {"type": "null"}]},
            "map": {"type": "object", "additionalProperties": {"type": "array"}},
            "tuple": {"type": "array", "prefixItems": [{"type": "array"}, {"type": "integer"}]},
            "fine": {"type": "array", "items": {"type": "string"}},
            "items": {"type": "string"},
        })),
        json!({
            "plain": {"type": "array", "minItems": 1, "items": {}},
            "list": {"type": ["array", "null"], "items": {}},
            "union": {"anyOf": [{"type": "array", "items": {}}, {"type": "null"}]},
            "map": {"type": "object", "additionalProperties": {"type": "array", "items": {}}, "properties": {}},
            "tuple": {"type": "array", "prefixItems": [{"type": "array", "items": {}}, {"type": "integer"}], "items": {}},
            "fine": {"type": "array", "items": {"type": "string"}},
            "items": {"type": "string"},
        })
    );
}

#[test]
fn nodes_that_are_no_object_become_one_that_means_the_same() {
    assert_eq!(
        properties(
            json!({"a": true, "b": false, "c": "string", "d": null, "e": 5, "f": [],
            "g": {"type": "object", "additionalProperties": false},
            "h": {"type": "array", "items": true}, "i": {"type": "array", "items": false}})
        ),
        json!({"a": {}, "b": {"not": {}}, "c": {"type": "string"}, "d": {}, "e": {}, "f": {},
            "g": {"type": "object", "additionalProperties": false, "properties": {}},
            "h": {"type": "array", "items": {}}, "i": {"type": "array", "items": {"not": {}}}})
    );
}

#[test]
fn parameters_always_describe_an_object_with_properties() {
    let empty = json!({"type": "object", "properties": {}});
    for parameters in [
        json!({}),
        json!({"type": "object"}),
        json!({"type": ["object", "null"]}),
        json!({"properties": null}),
    ] {
        assert_eq!(
            register(json!({"parameters": parameters})).unwrap()["parameters"]["type"],
            empty["type"]
        );
        assert_eq!(
            register(json!({"parameters": parameters})).unwrap()["parameters"]["properties"],
            empty["properties"]
        );
    }
}

#[test]
fn references_in_a_circle_are_kept_and_do_not_hang() {
    let parameters = json!({"type": "object",
        "properties": {"a": {"$ref": "#/$defs/node"}, "b": {"$ref": "#/$defs/b"}},
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}},
            "b": {"$ref": "#/$defs/b"}}});
    let definition = register(json!({"parameters": parameters.clone()})).unwrap();
    assert_eq!(definition["parameters"], parameters);
}

#[test]
fn the_registered_schema_itself_stays_as_it_was_given() {
    let registry = Registry::new();
    let parameters = json!({"properties": {"a": {"type": "array"}}});
    registry
        .register(
            Tool::new("t", "tests")
                .parameters(parameters.clone())
                .handler(|_, _| Ok("")),
        )
        .unwrap();
    let snapshot = registry.snapshot();
    assert_eq!(json!(snapshot.get("t").unwrap().parameters()), parameters);
}

#[test]
fn a_schema_that_is_too_long_or_too_deep_is_refused_with_the_limit() {
    let long = json!({"description": "x".repeat(256 * 1024)});
    assert!(problem(long).contains("256 KiB"));
    let mut deep = json!({});
    for _ in 0..64 {
        deep = json!({"not": deep});
    }
    assert!(problem(json!({"parameters": deep})).contains("64 levels"));
    let mut fits = json!({});
    for _ in 0..61 {
        fits = json!({"not": fits});
    }
    register(json!({"parameters": fits})).unwrap();
}
