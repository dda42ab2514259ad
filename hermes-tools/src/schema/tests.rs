//! Repair of schemas, keyword by keyword.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn repaired(parameters: Value) -> Value {
    let Value::Object(schema) = json!({"parameters": parameters}) else {
        return Value::Null;
    };
    definition("t", &schema)
        .pointer("/function/parameters")
        .cloned()
        .unwrap_or_default()
}

#[test]
fn every_known_type_name_stays_and_foreign_ones_are_translated_or_dropped() {
    let before = json!({"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": "int"}, "c": {"type": "any"},
        "d": {"type": ["str", "str", "null", 5]}, "e": {"type": []}, "f": {"type": {"x": 1}},
    }});
    assert_eq!(
        repaired(before).get("properties"),
        Some(&json!({
            "a": {"type": "string"}, "b": {"type": "integer"}, "c": {},
            "d": {"type": ["string", "null"]}, "e": {}, "f": {},
        }))
    );
}

#[test]
fn a_property_named_like_a_keyword_is_only_a_property() {
    let schema = json!({"type": "object", "properties": {
        "items": {"type": "string"}, "type": {"type": "string"}, "properties": {"type": "integer"},
        "required": {"type": "boolean"}, "anyOf": {"type": "string"}, "$ref": {"type": "string"},
    }, "required": ["items", "type"]});
    assert_eq!(repaired(schema.clone()), schema);
}

#[test]
fn data_in_a_schema_is_never_taken_for_schema() {
    let schema = json!({"type": "object", "properties": {"a": {
        "default": {"type": "array"}, "enum": [{"type": "object"}, true], "const": {"items": false},
        "examples": [{"type": "array"}],
    }}});
    assert_eq!(repaired(schema.clone()), schema);
}

#[test]
fn a_required_name_stays_where_its_property_may_be_elsewhere() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {}, "b": {}},
        "anyOf": [{"required": ["a"]}, {"type": "object", "properties": {}, "required": ["b"]}],
    });
    assert_eq!(repaired(schema.clone()), schema);
    let gone = json!({"type": "object", "properties": {"a": {}}, "required": ["a", "zz"]});
    assert_eq!(repaired(gone).get("required"), Some(&json!(["a"])));
}

#[test]
fn a_required_name_stands_there_once_wherever_it_was_said_more_often() {
    let schema = |required: Value| {
        json!({
            "type": "object",
            "properties": {"a": {"type": "object", "properties": {"b": {}}, "required": required}, "b": {}},
            "anyOf": [{"required": required}],
            "required": required,
        })
    };
    assert_eq!(
        repaired(schema(json!(["b", "b", 5, "b"]))),
        schema(json!(["b"]))
    );
    let several =
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b", "a", "b"]});
    assert_eq!(repaired(several).get("required"), Some(&json!(["b", "a"])));
}

#[test]
fn parameters_that_came_at_run_time_and_are_no_object_become_an_empty_schema() {
    for odd in [json!("nope"), json!(5), json!([]), json!(null)] {
        assert_eq!(repaired(odd), json!({"type": "object", "properties": {}}));
    }
}

/// JSON that looks like a schema often enough.
fn schema_like() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        Just(json!("string")),
        Just(json!("array")),
        Just(json!("object")),
        Just(json!("int")),
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "#/$defs/a"})),
        Just(json!(["array", "null"])),
        any::<i32>().prop_map(Value::from),
    ];
    let key = proptest::sample::select(vec![
        "type",
        "items",
        "properties",
        "anyOf",
        "allOf",
        "required",
        "additionalProperties",
        "prefixItems",
        "$defs",
        "a",
        "not",
        "enum",
        "patternProperties",
    ]);
    leaf.prop_recursive(6, 60, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..5).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn repairing_again_changes_nothing(schema in schema_like()) {
        let once = repaired(schema);
        prop_assert_eq!(once.get("type"), Some(&json!("object")));
        prop_assert!(once.get("properties").is_some_and(Value::is_object));
        prop_assert_eq!(repaired(once.clone()), once);
    }

    #[test]
    fn any_json_is_accepted_or_refused_with_a_text(schema in schema_like()) {
        match accept(schema) {
            Ok(accepted) => {
                let definition = definition("own", &accepted);
                prop_assert_eq!(&definition["function"]["name"], "own");
            }
            Err(problem) => prop_assert!(!problem.is_empty()),
        }
    }
}
