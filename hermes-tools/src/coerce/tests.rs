//! Values and what becomes of them under a schema.

use serde_json::json;

use super::*;

pub(super) fn coerced_in(parameters: Value, value: Value) -> Value {
    let mut arguments = Arguments::new();
    arguments.insert("v".to_owned(), value);
    if let Value::Object(parameters) = parameters {
        coerce(&mut arguments, &parameters);
    }
    arguments.remove("v").unwrap_or_default()
}

pub(super) fn coerced(schema: Value, value: Value) -> Value {
    let definitions = json!({"n": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}});
    coerced_in(
        json!({"type": "object", "properties": {"v": schema}, "$defs": definitions}),
        value,
    )
}

/// A value with its text spelled out, which `json!` could not hold.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// `(schema, [(before, after)])`, all as JSON text.
const TABLE: &[(&str, &[(&str, &str)])] = &[
    (
        r#"{"type": "integer"}"#,
        &[
            (r#""42""#, "42"),
            (r#""-7""#, "-7"),
            (r#""+5""#, "5"),
            (r#""007""#, "7"),
            (r#""5.""#, "5"),
            (r#""1.5e1""#, "15"),
            (r#""100e-2""#, "1"),
            (r#""-0""#, "0"),
            (r#""0.0""#, "0"),
            (r#""0e5""#, "0"),
            (r#"".5e1""#, "5"),
            (r#""0.05e2""#, "5"),
            (r#""1e-2""#, r#""1e-2""#),
            (r#""1_000""#, r#""1_000""#),
            (r#""- 5""#, r#""- 5""#),
            (r#""0.5""#, r#""0.5""#),
            (r#""0.05e1""#, r#""0.05e1""#),
            (r#"".""#, r#"".""#),
            (r#""e5""#, r#""e5""#),
            (r#""1e""#, r#""1e""#),
            (r#""--1""#, r#""--1""#),
            (r#""٣""#, r#""٣""#),
            (r#""1e999999999""#, r#""1e999999999""#),
            (r#""1e99999999999999""#, r#""1e99999999999999""#),
            (r#""1e400""#, r#""1e400""#),
            ("3.0", "3"),
            ("1e2", "100"),
            ("3.5", "3.5"),
            ("true", "true"),
            ("null", "null"),
            (r#""true""#, r#""true""#),
            (r#""null""#, r#""null""#),
            (r#""[1]""#, r#""[1]""#),
        ],
    ),
    (
        r#"{"type": "number"}"#,
        &[
            (r#""1.5""#, "1.5"),
            (r#""3""#, "3"),
            (r#""3.0""#, "3"),
            (r#""1e3""#, "1000"),
            (r#"" 2.5 ""#, "2.5"),
            (r#""-0""#, "-0.0"),
            (r#""007.50""#, "7.5"),
            (r#""0.1000000000000000055""#, "0.1000000000000000055"),
            (
                r#""123456789012345678901234567890.5""#,
                "123456789012345678901234567890.5",
            ),
            (r#""1e400""#, r#""1e400""#),
            (r#""1e-400""#, r#""1e-400""#),
            (r#""Infinity""#, r#""Infinity""#),
            ("7", "7"),
            ("7.0", "7.0"),
        ],
    ),
    (
        r#"{"type": "boolean"}"#,
        &[(r#"" TRUE ""#, "true"), (r#""0""#, r#""0""#), ("0", "0")],
    ),
    (
        r#"{"type": "string"}"#,
        &[
            ("5", "5"),
            ("true", "true"),
            (r#""null""#, r#""null""#),
            (r#""42""#, r#""42""#),
            (r#""[1]""#, r#""[1]""#),
            (r#"["a"]"#, r#"["a"]"#),
        ],
    ),
    (
        r#"{"type": ["integer", "string"]}"#,
        &[
            (r#""42""#, "42"),
            (r#""042""#, r#""042""#),
            (r#"" 42 ""#, r#"" 42 ""#),
            (r#""1e3""#, r#""1e3""#),
            (r#""x""#, r#""x""#),
        ],
    ),
    (
        r#"{"type": ["string", "integer"]}"#,
        &[(r#""42""#, r#""42""#)],
    ),
    (
        r#"{"type": ["string", "null"]}"#,
        &[(r#""null""#, "null"), (r#""x""#, r#""x""#)],
    ),
    (
        r#"{"type": ["string", "null"], "enum": ["null", null]}"#,
        &[(r#""null""#, r#""null""#)],
    ),
    (
        r#"{"type": "string", "nullable": true}"#,
        &[(r#""NULL""#, "null")],
    ),
    (
        r#"{"anyOf": [{"type": "integer"}, {"type": "null"}]}"#,
        &[
            (r#""42""#, "42"),
            (r#""null""#, "null"),
            (r#""x""#, r#""x""#),
            ("null", "null"),
        ],
    ),
    (
        r#"{"anyOf": [{"type": "integer"}, {"type": "string"}]}"#,
        &[(r#""42""#, r#""42""#)],
    ),
    (
        r#"{"oneOf": [{"type": "boolean"}, {"type": "integer"}]}"#,
        &[(r#""42""#, "42"), (r#""true""#, "true")],
    ),
    (
        r#"{"oneOf": [
            {"type": "object", "properties": {"k": {"const": "a"}, "n": {"type": "integer"}}},
            {"type": "object", "properties": {"k": {"const": "b"}, "n": {"type": "string"}}}]}"#,
        &[
            (r#"{"k": "b", "n": "1"}"#, r#"{"k": "b", "n": "1"}"#),
            (r#"{"k": "a", "n": "1"}"#, r#"{"k": "a", "n": 1}"#),
        ],
    ),
    (
        r#"{"allOf": [{"type": "integer"}, {"minimum": 0}]}"#,
        &[(r#""42""#, "42")],
    ),
    (r##"{"$ref": "#/$defs/n"}"##, &[(r#""42""#, "42")]),
    (r##"{"$ref": "#/$defs/loop"}"##, &[(r#""42""#, r#""42""#)]),
    (
        r##"{"$ref": "#/nowhere/at/all"}"##,
        &[(r#""42""#, r#""42""#)],
    ),
    (
        r#"{"enum": [1, 2.0, true]}"#,
        &[
            (r#""1""#, "1"),
            (r#""2""#, "2"),
            (r#""true""#, "true"),
            (r#""3""#, r#""3""#),
        ],
    ),
    (r#"{"enum": ["1", 1]}"#, &[(r#""1""#, r#""1""#)]),
    (r#"{"const": 1}"#, &[(r#""1""#, "1")]),
    ("{}", &[(r#""42""#, r#""42""#)]),
    (
        r#"{"type": "array", "items": {"type": "integer"}}"#,
        &[
            (r#"["1", 2]"#, "[1, 2]"),
            (r#""[\"1\", 2]""#, "[1, 2]"),
            (r#"" [1] ""#, "[1]"),
            (r#""5""#, "[5]"),
            ("5", "[5]"),
            (r#""x""#, r#"["x"]"#),
            ("null", "null"),
            (r#""[]""#, "[]"),
            (r#""[NaN]""#, r#"["[NaN]"]"#),
            (r#""[1,""#, r#"["[1,"]"#),
        ],
    ),
    (
        r#"{"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}"#,
        &[("5", "5"), ("[5]", "[[5]]"), (r#""[[\"5\"]]""#, "[[5]]")],
    ),
    (
        r#"{"type": ["array", "string"]}"#,
        &[(r#""[1]""#, r#""[1]""#), (r#""x""#, r#""x""#), ("5", "5")],
    ),
    (
        r#"{"type": ["array", "integer"]}"#,
        &[(r#""7""#, "7"), (r#""x""#, r#""x""#), (r#""[1]""#, "[1]")],
    ),
    (
        r#"{"type": ["array", "null"]}"#,
        &[(r#""[1]""#, "[1]"), (r#""null""#, "null")],
    ),
    (
        r#"{"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {"type": "boolean"}}"#,
        &[(r#"["1", "2", "true", "x"]"#, r#"[1, "2", true, "x"]"#)],
    ),
    (
        r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#,
        &[
            (r#"{"a": "1", "b": "2"}"#, r#"{"a": 1, "b": "2"}"#),
            (r#""{\"a\": \"1\"}""#, r#"{"a": 1}"#),
            (r#""{\"a\": 1, \"a\": 2}""#, r#""{\"a\": 1, \"a\": 2}""#),
            (r#""[1]""#, r#""[1]""#),
        ],
    ),
    (
        r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
        &[(r#"{"a": "1", "b": "x"}"#, r#"{"a": 1, "b": "x"}"#)],
    ),
    (
        r#"{"type": "object", "patternProperties": {"^n_": {"type": "integer"}, "_b$": {"type": "boolean"}, "[0-9]": {"type": "integer"}}}"#,
        &[(
            r#"{"n_a": "1", "x_b": "true", "y": "1", "7": "1"}"#,
            r#"{"n_a": 1, "x_b": true, "y": "1", "7": "1"}"#,
        )],
    ),
    (
        r#"{"type": "object", "patternProperties": {"^[a-z]+$": {"type": "integer"}}, "additionalProperties": false}"#,
        &[(r#"{"a": "1"}"#, r#"{"a": 1}"#)],
    ),
];

#[test]
fn values_change_as_the_table_says_and_only_so() {
    for (schema, values) in TABLE {
        for (before, after) in *values {
            assert_eq!(
                coerced(parsed(schema), parsed(before)).to_string(),
                parsed(after).to_string(),
                "{schema}: {before}"
            );
        }
    }
}

#[test]
fn an_integer_of_any_size_keeps_every_digit() {
    for digits in [
        "9007199254740993",
        "99999999999999999999",
        &"7".repeat(4300),
    ] {
        let after = coerced(json!({"type": "integer"}), json!(digits));
        assert_eq!(after.to_string(), digits);
        let after = coerced(json!({"type": "number"}), json!(format!("-{digits}")));
        assert_eq!(after.to_string(), format!("-{digits}"));
    }
    let too_long = "7".repeat(4301);
    assert_eq!(
        coerced(json!({"type": "integer"}), json!(too_long)),
        json!(too_long)
    );
}

#[test]
fn the_whole_object_follows_what_is_said_beside_its_properties() {
    for parameters in [
        json!({"allOf": [{"properties": {"v": {"type": "integer"}}}]}),
        json!({"anyOf": [{"properties": {"v": {"type": "integer"}}, "required": ["v"]}, {"required": ["w"]}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"v": {"type": "integer"}}}}}),
        json!({"additionalProperties": {"type": "integer"}}),
    ] {
        assert_eq!(
            coerced_in(parameters.clone(), json!("42")),
            json!(42),
            "{parameters}"
        );
    }
    // Arguments stay an object whatever the schema says of them.
    assert_eq!(
        coerced_in(json!({"allOf": [{"type": "array"}]}), json!("42")),
        json!("42")
    );
}

#[test]
fn a_schema_that_branches_into_itself_ends() {
    let branching = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#/properties/v"}], "type": "array"});
    let parameters = json!({"properties": {"v": branching, "w": {"type": "array", "items": {"$ref": "#/properties/w"}}},
        "allOf": [{"$ref": "#"}, {"$ref": "#"}]});
    assert_eq!(coerced_in(parameters, json!("x")), json!("x"));
}

#[test]
fn a_list_of_itself_does_not_wrap_for_ever() {
    let schema = json!({"type": "array", "items": {"$ref": "#/properties/v"}});
    assert_eq!(coerced(schema, json!(5)), json!(5));
    let hidden = json!({"type": "array", "items": {"allOf": [{"$ref": "#/properties/v"}]}});
    assert_eq!(coerced(hidden, json!(5)), json!(5));
}

/// What is left of these arguments, and what is said about them.
fn warned(parameters: &Value, arguments: &Value) -> (Value, Vec<String>) {
    let mut given = arguments.as_object().unwrap().clone();
    let warnings = coerce(&mut given, parameters.as_object().unwrap());
    (Value::Object(given), warnings)
}

#[test]
fn an_argument_that_takes_too_many_steps_stays_whole_and_is_named_and_no_other() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let properties = json!({"a": list, "b": list, "c": {"type": "integer"}});
    let many = json!(vec!["1"; 250_000]);
    let arguments = json!({"a": many, "b": ["2"], "c": "3", "d": "4"});
    let (left, warnings) = warned(&json!({"properties": properties}), &arguments);
    assert_eq!(
        warnings,
        ["argument `a` is too large to be made to fit its schema; it was left as it is"]
    );
    assert_eq!(left, json!({"a": many, "b": [2], "c": 3, "d": "4"}));

    // Where the schema speaks of the whole object, the whole object stays.
    let whole = json!({"allOf": [{"properties": properties}]});
    let (left, warnings) = warned(&whole, &arguments);
    assert_eq!(
        warnings,
        ["the arguments are too large to be made to fit their schema; they were left as they are"]
    );
    assert_eq!(left, arguments);

    // Nothing would have changed, but nobody can know.
    let fits = json!({"a": vec![1; 250_000]});
    let (left, warnings) = warned(&json!({"properties": properties}), &fits);
    assert_eq!((left, warnings.len()), (fits, 1));
}

#[test]
fn arguments_of_any_usual_size_are_made_to_fit_without_a_word() {
    let parameters = json!({"properties": {"a": {"type": "array", "items": {"type": "integer"}}}});
    let (left, warnings) = warned(&parameters, &json!({"a": vec!["1"; 50_000]}));
    assert_eq!(left, json!({"a": vec![1; 50_000]}));
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn a_name_is_repeated_only_by_its_beginning() {
    let name = "n".repeat(100_000);
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let (_, warnings) = warned(
        &json!({"properties": {name.as_str(): list}}),
        &json!({name.as_str(): vec![1; 250_000]}),
    );
    assert!(warnings[0].len() < 200, "{}", warnings[0].len());
}
