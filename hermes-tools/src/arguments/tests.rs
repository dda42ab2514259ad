//! Texts of arguments, odd and broken ones.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(text: &str) -> Result<Value, String> {
    read_arguments(json!(text)).map(|read| Value::Object(read.arguments))
}

fn warnings(text: &str) -> Vec<String> {
    read_arguments(json!(text)).unwrap().warnings
}

#[test]
fn an_error_says_what_is_wrong_and_where() {
    for (text, expected) in [
        (r#"{"a": "x"#, "cut short: the text ends inside a string"),
        (r#"{"a": "x\"#, "cut short: the text ends inside a string"),
        (r#"{"a": "\u12"#, "cut short: the text ends inside a string"),
        (r#"{"a": 1"#, "cut short: the text ends inside an object"),
        (r#"{"a": 1,"#, "cut short: the text ends inside an object"),
        (r#"{"a""#, "cut short: the text ends after a key"),
        (r#"{"a":"#, "cut short: the text ends where a value"),
        (r#"{"a":["#, "cut short: the text ends inside an array"),
        (r#"{"a":1."#, "cut short: the text ends inside a number"),
        (r#"{"a":tru"#, "cut short: the text ends inside a value"),
        ("{", "cut short: the text ends inside an object"),
        (r#"{'a': 1}"#, "double quotes at byte 1"),
        (r#"{"a" 1}"#, "expected `:` after a key at byte 5"),
        (
            r#"{"a": 1 "b": 2}"#,
            "expected `,` or `}` after a value at byte 8",
        ),
        (
            r#"{"a": [1 2]}"#,
            "expected `,` or `]` after a value at byte 9",
        ),
        (r#"{"a": "C:\Users"}"#, "a backslash is `\\\\`"),
        (r#"{"a": "\u12zz"}"#, "four hexadecimal digits"),
        (r#"{"a": 01}"#, "a number that JSON does not have"),
        (r#"{"a": True}"#, "expected a value at byte 6"),
        ("hello", "expected a value at byte 0"),
    ] {
        let problem = read(text).unwrap_err();
        assert!(problem.contains(expected), "{text}: {problem}");
        assert!(
            problem.contains("complete JSON object"),
            "{text}: {problem}"
        );
    }
}

#[test]
fn what_can_only_mean_one_thing_is_understood_with_a_warning() {
    for (text, expected, warning) in [
        ("{\"a\":\"x\ny\"}", json!({"a": "x\ny"}), "raw line break"),
        (r#"{"a":[1,],}"#, json!({"a": [1]}), "comma"),
        (r#"{"a":1,"a":2}"#, json!({"a": 2}), "\"a\" was there twice"),
        (
            r#"{"a":-Infinity,"b":[NaN]}"#,
            json!({"a": null, "b": [null]}),
            "became null",
        ),
        ("```json\n{\"a\":1}\n```", json!({"a": 1}), "fence"),
        (r#""{\"a\":1}""#, json!({"a": 1}), "inside a JSON string"),
        (r#"{"a":1}, {"a":1}"#, json!({"a": 1}), "2 times"),
        (r#"{"a":1}}"#, json!({"a": 1}), "left out"),
        (
            r#"{"a":1}garbage"#,
            json!({"a": 1}),
            r#"followed the arguments: "garbage""#,
        ),
        (
            r#"{"a":1},,,,"#,
            json!({"a": 1}),
            r#"followed the arguments: ",,,,""#,
        ),
        (
            r#"{"a":1} ;"#,
            json!({"a": 1}),
            r#"followed the arguments: ";""#,
        ),
        (r#"{"a":1} {see below}"#, json!({"a": 1}), "left out"),
        (r#"{"a":1} or {"docs"} say"#, json!({"a": 1}), "left out"),
        (
            r#"Sure: {"a":1}"#,
            json!({"a": 1}),
            r#"stood before the arguments: "Sure:""#,
        ),
        (r#"- {"a":1}"#, json!({"a": 1}), "before"),
        (
            r#"call({"a":1});"#,
            json!({"a": 1}),
            r#"followed the arguments: ");""#,
        ),
        (
            "Here you are:\n```json\n{\"a\":1}\n```\nDone.",
            json!({"a": 1}),
            r#"before the arguments: "Here you are:\n```json""#,
        ),
        (
            "```json\n{\"a\":1}\n```\nDone.",
            json!({"a": 1}),
            r#"followed the arguments: "```\nDone.""#,
        ),
        (r#""Sure: {\"a\":1}""#, json!({"a": 1}), "before"),
    ] {
        assert_eq!(read(text).unwrap(), expected, "{text}");
        let found = warnings(text);
        assert!(
            found.iter().any(|w| w.contains(warning)),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_second_object_is_another_call_wherever_it_stands_and_however_much_of_it_there_is() {
    for (text, expected) in [
        (r#"{"a":1}{"b":2}"#, "two different objects"),
        (r#"{"a":1} and then {"b":2}"#, "two different objects"),
        (r#"{"a":1}} {"b":2}"#, "two different objects"),
        (r#"First {"a":1}, second {"b":2}"#, "two different objects"),
        (
            "```json\n{\"a\":1}\n```\n```json\n{\"b\":1}\n```",
            "two different objects",
        ),
        (r#"{"a":1}{}"#, "two different objects"),
        (r#"{"n":1}{"n":"#, "two calls"),
        (r#"{"n":1}, {"n"#, "two calls"),
        (r#"{"n":1}{"#, "two calls"),
        (r#"{"n":1}{"n":1"#, "two calls"),
        (r#"{"n":1}{"n":1}{"n":"#, "two calls"),
        (r#"{"n":1} and {"n":"#, "two calls"),
        (r#"Sure: {"n":1} and {"n":"#, "two calls"),
        (r#"{"n":1}{"n": x}"#, "two calls"),
    ] {
        let problem = read(text).unwrap_err();
        assert!(problem.contains(expected), "{text}: {problem}");
        assert!(problem.contains("in each call"), "{text}: {problem}");
    }
}

#[test]
fn a_stutter_gives_one_warning_and_what_else_there_is_another() {
    for (text, expected) in [
        (r#"{"a":1}{"a":1}"#, &["2 times"] as &[&str]),
        (r#"{"a":1}; {"a":1},"#, &["2 times"]),
        (r#"{"a":1}{"a":1} ok"#, &["2 times", "left out"]),
        (r#"{"a":1} or {"a":1}"#, &["2 times", "left out"]),
    ] {
        let found = warnings(text);
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (warning, part) in found.iter().zip(expected) {
            assert!(warning.contains(part), "{text}: {warning}");
        }
    }
}

#[test]
fn text_before_a_broken_object_or_a_part_of_one_is_not_left_out() {
    for (text, expected) in [
        (r#"Sure: {"a": "#, "cut short"),
        (r#"Sure: {"a" 1}"#, "expected `:` after a key at byte 11"),
        (r#"Sure {thing}: {"a":1}"#, "expected a value at byte 0"),
        (r#"args = [{"a":1}]"#, "expected a value at byte 0"),
        (r#"the "args": {"a":1}"#, "expected a value at byte 0"),
        (r#""args": {"a":1}"#, "are text"),
        (r#"[1, {"a":1}"#, "cut short"),
        (r#"[{"a":1}]"#, "an array"),
    ] {
        let problem = read(text).unwrap_err();
        assert!(problem.contains(expected), "{text}: {problem}");
    }
}

#[test]
fn long_text_around_the_object_is_read_once() {
    let started = std::time::Instant::now();
    for part in [
        r#"{"a":"{" "#,
        "{x",
        r#"{":":"#,
        r#"{"a":[{"b":[ x "#,
        "{\"a\":1} ",
    ] {
        let around = part.repeat(200_000 / part.len());
        let _ = read(&format!("{{\"a\":1}} {around}"));
        let _ = read(&format!("x {around} {{\"a\":1}}"));
    }
    // Each part again for each brace would be many minutes.
    assert!(started.elapsed() < std::time::Duration::from_secs(60));
}

#[test]
fn plain_json_gives_no_warning_and_keeps_every_digit_and_the_order() {
    let text = r#" {"z":9007199254740993,"a":99999999999999999999.50,"s":"\ud83d\ude00\n"} "#;
    assert_eq!(warnings(text), Vec::<String>::new());
    assert_eq!(
        read(text).unwrap().to_string(),
        r#"{"z":9007199254740993,"a":99999999999999999999.50,"s":"😀\n"}"#
    );
}

#[test]
fn a_string_in_a_string_in_a_string_is_text() {
    let twice = json!(json!("{\"a\":1}").to_string()).to_string();
    assert!(read(&twice).unwrap_err().contains("are text"));
}

#[test]
fn depth_and_size_have_limits_that_the_error_names() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    assert!(read(&deep).unwrap_err().contains("128 levels"));
    let fits = format!("{{\"a\":{}1{}}}", "[".repeat(127), "]".repeat(127));
    assert!(read(&fits).is_ok());
    let unclosed = "[".repeat(1_000_000);
    assert!(read(&unclosed).is_err());
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_ARGUMENT_BYTES));
    assert!(read(&long).unwrap_err().contains("8388608"));
}

#[test]
fn warnings_stay_few_however_many_oddities_there_are() {
    let members: Vec<String> = (0..1000)
        .map(|i| format!("\"k{i}\":1,\"k{i}\":2"))
        .collect();
    let text = format!("{{{}}}", members.join(","));
    assert!(warnings(&text).len() <= 8);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_with_a_text(text in any::<String>()) {
        if let Err(problem) = read_arguments(Value::String(text.clone())) {
            prop_assert!(!problem.is_empty());
        }
        replay_arguments(&text);
    }

    #[test]
    fn text_made_of_pieces_of_json_is_read_or_refused(
        text in "(\\{|\\}|\\[|\\]|:|,|\"|\\\\u|d800|dc00|\\\\|1|e9|-|NaN|null|tru| |\n|\u{feff}|```){0,40}"
    ) {
        if let Err(problem) = read_arguments(Value::String(text.clone())) {
            prop_assert!(!problem.is_empty());
        }
        replay_arguments(&text);
    }

    #[test]
    fn what_serde_json_reads_is_read_the_same(text in "\\{(\"[ab]\":(1|-0|2\\.50|1e3|\"x\\\\n\"|\\[\\]|\\{\\}|null|true),?){0,4}\\}") {
        if let Ok(Value::Object(expected)) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(read_arguments(json!(text)).map(|r| r.arguments), Ok(expected));
        }
    }
}
