//! Whatever the schema and the value: nothing is lost, and once is enough.

use proptest::prelude::*;
use serde_json::{Number, Value, json};

use super::tests::{coerced, coerced_in};

fn any_schema() -> impl Strategy<Value = Value> {
    let name = || {
        proptest::sample::select(vec![
            "integer", "number", "boolean", "string", "array", "object", "null",
        ])
    };
    let leaf = prop_oneof![
        4 => name().prop_map(|name| json!({"type": name})),
        2 => proptest::collection::vec(name(), 1..4).prop_map(|names| json!({"type": names})),
        1 => name().prop_map(|name| json!({"type": name, "nullable": true})),
        1 => Just(json!({"enum": [1, "1", null, true, "null", 2.0]})),
        1 => Just(json!({"const": 7})),
        1 => Just(json!({"$ref": "#/properties/v"})),
        1 => Just(json!({"$ref": "#/$defs/n"})),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!({"type": 5, "anyOf": {}, "items": 3, "properties": [], "$ref": null})),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let many = || proptest::collection::vec(inner.clone(), 1..4);
        let named = || {
            proptest::collection::vec((proptest::sample::select(vec!["a", "b", "c"]), inner.clone()), 0..3)
                .prop_map(|pairs| {
                    Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
                })
        };
        prop_oneof![
            many().prop_map(|all| json!({"anyOf": all})),
            many().prop_map(|all| json!({"oneOf": all})),
            many().prop_map(|all| json!({"allOf": all})),
            inner.clone().prop_map(|item| json!({"type": "array", "items": item})),
            inner.clone().prop_map(|item| json!({"items": item})),
            (many(), inner.clone()).prop_map(|(first, rest)| json!({"type": "array", "prefixItems": first, "items": rest})),
            (named(), inner.clone()).prop_map(|(known, rest)| json!({"type": "object", "properties": known, "additionalProperties": rest})),
            (named(), many()).prop_map(|(known, any)| json!({"properties": known, "anyOf": any, "required": ["a"]})),
            (named(), inner.clone()).prop_map(|(known, all)| json!({"type": ["object", "array"], "patternProperties": {"^a": all}, "properties": known})),
        ]
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let number = "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,5})?(e-?[0-9]{1,3})?"
        .prop_map(|text| text.parse::<Number>().map_or(Value::Null, Value::Number));
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        number,
        " ?[-+]?[0-9]{0,22}\\.?[0-9]{0,4}(e-?[0-9]{1,3})? ?".prop_map(Value::from),
        proptest::sample::select(vec![
            "true",
            "False",
            "null",
            "NULL",
            "",
            "x",
            "inf",
            "nan",
            "[1, \"2\"]",
            "{\"a\": \"1\"}",
            "[[\"null\"]]",
            "[1,",
            "9007199254740993",
            "{\"a\": {\"b\": \"[true]\"}}",
            "0x10",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(
                (proptest::sample::select(vec!["a", "b", "c"]), inner.clone()),
                0..4
            )
            .prop_map(|pairs| Value::Object(
                pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
            inner.prop_map(|value| Value::String(value.to_string())),
        ]
    })
}

/// A decimal text as sign, digits without zeros around them, and exponent: its value, whole.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let text = text.trim();
    let negative = text.starts_with('-');
    let unsigned = text.trim_start_matches(['-', '+']);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.parse::<i64>().ok()? - i64::try_from(fraction.len()).ok()?;
    let significant = digits.trim_start_matches('0');
    let kept = significant.trim_end_matches('0');
    if kept.is_empty() {
        return Some((false, String::new(), 0));
    }
    let zeros = i64::try_from(significant.len() - kept.len()).ok()?;
    Some((negative, kept.to_owned(), exponent + zeros))
}

/// Whether the first value can be told from the second.
fn is_kept(before: &Value, after: &Value) -> bool {
    if before == after {
        return true;
    }
    let same_number = |a: &str, b: &str| decimal(a).is_some() && decimal(a) == decimal(b);
    match (before, after) {
        (Value::String(text), Value::Number(number)) => same_number(text, number.as_str()),
        (Value::Number(a), Value::Number(b)) => same_number(a.as_str(), b.as_str()),
        (Value::String(text), Value::Bool(truth)) => {
            text.trim().to_lowercase() == truth.to_string()
        }
        (Value::String(text), Value::Null) => text.trim().to_lowercase() == "null",
        (Value::String(text), Value::Array(_) | Value::Object(_))
            if serde_json::from_str::<Value>(text).is_ok_and(|inner| is_kept(&inner, after)) =>
        {
            true
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).all(|(a, b)| is_kept(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(k, v)| b.get(k).is_some_and(|w| is_kept(v, w)))
        }
        (_, Value::Array(one)) => one.len() == 1 && one.iter().all(|item| is_kept(before, item)),
        _ => false,
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_and_doing_it_again_changes_nothing(schema in any_schema(), value in any_value()) {
        let once = coerced(schema.clone(), value.clone());
        prop_assert!(is_kept(&value, &once), "{} -> {}", value, once);
        let twice = coerced(schema, once.clone());
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn the_whole_object_is_kept_too(schema in any_schema(), value in any_value()) {
        let parameters = json!({"allOf": [schema], "additionalProperties": {"type": "integer"}});
        let once = coerced_in(parameters.clone(), value.clone());
        prop_assert!(is_kept(&value, &once), "{} -> {}", value, once);
        prop_assert_eq!(coerced_in(parameters, once.clone()), once);
    }
}
