use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn text(json: &str) -> JsonText {
    JsonText::parse(json).unwrap_or_else(|e| panic!("{json}: {e}"))
}

#[test]
fn what_python_reads_is_accepted_and_kept_as_it_is() {
    for json in [
        "null",
        " \t\r\n true \n",
        "-0",
        "12345678901234567890123",
        "1.0000000000000000000001e-999",
        "1E+9",
        "NaN",
        "[NaN, Infinity, -Infinity]",
        r#""\ud83d""#,
        r#""\udc4d\ud83d""#,
        r#"{"\ud83d": "\udBFFx", "a": 1, "a": 2}"#,
        r#""\"\\\/\b\f\n\r\t\u0000""#,
        "\"大别山\u{7f}\u{2028}\"",
        "{ }",
        "[ [ ] , { } ]",
    ] {
        assert_eq!(text(json).as_str(), json);
        assert_eq!(text(json).into_string(), json);
    }
}

#[test]
fn what_python_refuses_is_refused_with_its_place() {
    for (json, at, what) in [
        ("", 0, "expected a value"),
        ("  ", 2, "expected a value"),
        ("nul", 0, "expected a value"),
        ("nullx", 4, "something after the value"),
        ("True", 0, "expected a value"),
        ("nan", 0, "expected a value"),
        ("+1", 0, "expected a value"),
        ("--1", 1, "expected a digit"),
        ("-NaN", 1, "expected a digit"),
        ("01", 1, "something after the value"),
        ("1.", 2, "expected a digit"),
        (".5", 0, "expected a value"),
        ("1e", 2, "expected a digit"),
        ("1e+", 3, "expected a digit"),
        ("\u{feff}1", 0, "expected a value"),
        ("\u{a0}1", 0, "expected a value"),
        ("[1,]", 3, "expected a value"),
        ("[1 2]", 3, "expected ',' or ']'"),
        ("[1}", 2, "expected ',' or ']'"),
        ("[", 1, "expected a value"),
        ("[]]", 2, "something after the value"),
        ("{", 1, "expected a string"),
        ("{1: 2}", 1, "expected a string"),
        ("{'a': 2}", 1, "expected a string"),
        (r#"{"a" 2}"#, 5, "expected ':'"),
        (r#"{"a": 2,}"#, 8, "expected a string"),
        (r#"{"a": 2]"#, 7, "expected ',' or '}'"),
        (r#""a"#, 2, "a string without end"),
        ("\"a\nb\"", 2, "a control character in a string"),
        ("\"a\u{0}b\"", 2, "a control character in a string"),
        (r#""\x""#, 2, "an unknown escape"),
        (r#""\u12g4""#, 5, "expected a hexadecimal digit"),
        (r#""\u12"#, 5, "expected a hexadecimal digit"),
        (r#""\u00é0""#, 5, "expected a hexadecimal digit"),
        (r#""\"#, 2, "an unknown escape"),
    ] {
        assert_eq!(
            JsonText::parse(json),
            Err(JsonTextError { at, what }),
            "{json}"
        );
    }
}

#[test]
fn an_error_says_where_and_what() {
    let error = JsonText::parse("[1 2]").unwrap_err();
    assert_eq!(error.to_string(), "not JSON: expected ',' or ']' at byte 3");
}

#[test]
fn values_are_written_with_pythons_separators_and_raw_utf8() {
    let value = json!({"name": "部署", "args": [1, {"b": null}, []], "tab": "\t\u{1}\u{7f}/"});
    let expected =
        "{\"name\": \"部署\", \"args\": [1, {\"b\": null}, []], \"tab\": \"\\t\\u0001\u{7f}/\"}";
    assert_eq!(JsonText::from_value(&value).as_str(), expected);
    assert_eq!(
        JsonText::from_serialize(&(1, "x", Some(2.5)))
            .unwrap()
            .as_str(),
        "[1, \"x\", 2.5]"
    );
    assert!(JsonText::from_serialize(&std::collections::HashMap::from([((1, 2), 3)])).is_err());
}

#[test]
fn a_value_is_a_view() {
    assert_eq!(
        text("[NaN, -Infinity, 1]").value(),
        Some(json!([null, null, 1]))
    );
    assert_eq!(
        text(r#"{"a": 1, "b": 2, "a": 3}"#).value(),
        Some(json!({"a": 3, "b": 2}))
    );
    assert_eq!(text(r#""a\ud83d b""#).value(), Some(json!("a\u{fffd} b")));
    assert_eq!(text(r#""\ud83d\udc4d\u00e9""#).value(), Some(json!("👍é")));
    let digits = "12345678901234567890123.4500";
    assert_eq!(
        text(digits).value().map(|v| v.to_string()),
        Some(digits.to_owned())
    );
    // To serde_json's own parser this one is the number 5.
    let object = r#"{"$serde_json::private::Number": "5"}"#;
    assert!(text(object).value().is_some_and(|v| v.is_object()));
}

#[test]
fn nesting_beyond_serde_json_has_a_text_and_no_value() {
    let nested = |depth: usize| text(&("[".repeat(depth) + &"]".repeat(depth)));
    assert!(nested(127).value().is_some());
    assert!(nested(128).value().is_none());
    assert_eq!(nested(128).array_len(), Some(1));
    assert_eq!(
        serde_json::to_string(&nested(100_000)).unwrap().len(),
        200_000
    );
}

#[test]
fn a_million_brackets_end_quickly() {
    let start = Instant::now();
    let open = "[".repeat(1_000_000);
    assert_eq!(JsonText::parse(open.clone()).unwrap_err().at, 1_000_000);
    let closed = open + &"]".repeat(1_000_000);
    assert!(JsonText::parse(closed.clone()).is_ok());
    assert!(JsonText::parse("{\"a\":".repeat(1_000_000)).is_err());
    assert_eq!(elements(&closed).unwrap().len(), 1);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn truth_is_pythons() {
    for json in [
        "null", "false", "0", "-0", "0.0", "-0.0e9", "1e-999", "\"\"", "[]", "[ \n]", " {} ",
        "{\t}",
    ] {
        assert!(text(json).is_falsy(), "{json}");
    }
    for json in [
        "true",
        "1",
        "-0.1",
        "NaN",
        "-Infinity",
        "\" \"",
        "\"0\"",
        "[0]",
        "[[]]",
        "{\"\": 0}",
        "1e999",
    ] {
        assert!(!text(json).is_falsy(), "{json}");
    }
}

#[test]
fn only_arrays_have_a_length() {
    assert_eq!(text("[]").array_len(), Some(0));
    assert_eq!(
        text(r#" [1, "],", [2, 3], {"a": [4]}] "#).array_len(),
        Some(4)
    );
    assert_eq!(text("{}").array_len(), None);
    assert_eq!(text("\"[1]\"").array_len(), None);
}

#[test]
fn strict_is_without_nan_and_infinity_outside_strings() {
    assert!(text(r#"["NaN", "a\"Infinity", {"-Infinity": "\\"}]"#).is_strict());
    assert!(text(r#""\ud83d""#).is_strict());
    assert!(!text(r#"["\\", NaN]"#).is_strict());
    assert!(!text(r#"{"a": -Infinity}"#).is_strict());
}

#[test]
fn serialising_embeds_the_text_on_one_strict_line() {
    let embed = |json: &str| serde_json::to_string(&[text(json)]).unwrap();
    assert_eq!(
        embed(r#"{"a" :  1.50, "a": "\ud83d é"}"#),
        r#"[{"a" :  1.50, "a": "\ud83d é"}]"#
    );
    assert_eq!(embed(" [1,\r\n  2\n] "), "[[1,  2]]");
    assert_eq!(
        embed(r#"[NaN, -Infinity,Infinity, "NaN", -1, "\"", NaN]"#),
        r#"[[null, null,null, "NaN", -1, "\"", null]]"#
    );
    assert_eq!(embed("NaN"), "[null]");
}

#[test]
fn members_come_in_order_with_repeats_and_raw_values() {
    let json = "{ \"a\\u0062\" : [1, 2] ,\"\\ud83d\": NaN,\"ab\":\"x\\\"}\" }";
    let found = members(json).unwrap();
    let expected = [("ab", "[1, 2]"), ("\u{fffd}", "NaN"), ("ab", "\"x\\\"}\"")];
    assert_eq!(
        found
            .iter()
            .map(|(k, v)| (k.as_str(), *v))
            .collect::<Vec<_>>(),
        expected
    );
    assert_eq!(members(" {} ").unwrap(), []);
    assert!(members("[]").is_err());
    assert!(members("{} x").is_err());
    assert!(members("{\"a\": 1,}").is_err());
}

#[test]
fn elements_come_as_slices() {
    assert_eq!(
        elements(" [ 1 ,[2, 3],\"a,b\" ] ").unwrap(),
        ["1", "[2, 3]", "\"a,b\""]
    );
    assert_eq!(elements("[]").unwrap(), [""; 0]);
    assert!(elements("{}").is_err());
    assert!(elements("[1] 2").is_err());
    assert!(elements("[1,]").is_err());
}

#[test]
fn strings_are_decoded_and_what_a_string_cannot_hold_is_told() {
    let decode = |raw: &str| decode_string(raw).unwrap();
    assert_eq!(decode(r#""""#), (String::new(), true));
    assert_eq!(
        decode(r#""a\"\\\/\b\f\n\r\té""#),
        ("a\"\\/\u{8}\u{c}\n\r\té".to_owned(), true)
    );
    assert_eq!(
        decode(r#""\u6570\u636e \uD83D\uDC4D""#),
        ("数据 👍".to_owned(), true)
    );
    assert_eq!(
        decode(r#""\ud83d\u0041\udc4d""#),
        ("\u{fffd}A\u{fffd}".to_owned(), false)
    );
    assert_eq!(
        decode(r#""\ud83d\ud83d\udc4d""#),
        ("\u{fffd}👍".to_owned(), false)
    );
    assert_eq!(decode(r#""\ud83d\n""#), ("\u{fffd}\n".to_owned(), false));
    for raw in [
        "",
        "\"",
        "a",
        "\"a",
        "a\"",
        "\"a\"b",
        "\"\\\"",
        " \"a\"",
        "\"\\u12\"",
        "\"\\q\"",
    ] {
        assert_eq!(decode_string(raw), None, "{raw}");
    }
}

/// Texts that are JSON, or nearly.
fn nearly_json() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        " ",
        "\n",
        "\"",
        "\"a\"",
        "\"\\",
        "\\u",
        "\\ud83d",
        "\\udc4d",
        "0",
        "1",
        "-",
        ".",
        "e",
        "E+",
        "12",
        "null",
        "true",
        "false",
        "é",
        "\u{1}",
        "{\"k\":",
        "[[",
        "]]",
        "\"大\":1",
    ]);
    prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat())
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_round_trips(value in any_value()) {
        let written = JsonText::from_value(&value);
        let read = JsonText::parse(written.as_str()).unwrap();
        prop_assert_eq!(read.value(), Some(value.clone()));
        prop_assert!(read.is_strict());
        let embedded = serde_json::to_string(&read).unwrap();
        prop_assert_eq!(embedded.as_str(), written.as_str());
        prop_assert_eq!(read.array_len(), value.as_array().map(Vec::len));
    }

    #[test]
    fn slices_reassemble(value in any_value()) {
        let written = JsonText::from_value(&value);
        if value.is_array() {
            let parts = elements(written.as_str()).unwrap();
            prop_assert_eq!(format!("[{}]", parts.join(", ")), written.as_str());
        }
        if value.is_object() {
            let parts: Vec<String> = members(written.as_str()).unwrap().into_iter()
                .map(|(key, raw)| format!("{}: {raw}", JsonText::from_value(&Value::String(key))))
                .collect();
            prop_assert_eq!(format!("{{{}}}", parts.join(", ")), written.as_str());
        }
    }

    #[test]
    fn serde_json_accepts_and_refuses_the_same(json in nearly_json()) {
        let raw = serde_json::from_str::<&RawValue>(&json).is_ok();
        let ours = JsonText::parse(json.as_str());
        prop_assert_eq!(ours.is_ok(), raw);
        if let (Ok(ours), Ok(value)) = (ours, serde_json::from_str::<Value>(&json)) {
            prop_assert_eq!(ours.value(), Some(value));
        }
    }

    #[test]
    fn no_text_panics(json in prop_oneof![any::<String>(), nearly_json()]) {
        if let Ok(text) = JsonText::parse(json.as_str()) {
            let _ = (text.value(), text.array_len(), text.is_falsy(), text.is_strict());
            prop_assert!(serde_json::to_string(&text).is_ok());
        }
        let _ = (members(&json), elements(&json), decode_string(&json));
    }

    #[test]
    fn strings_decode_as_serde_json_decodes_them(string in any::<String>()) {
        let raw = serde_json::to_string(&string).unwrap();
        prop_assert_eq!(decode_string(&raw), Some((string, true)));
    }
}
