//! `fts sanitize`: how a query is read.

use serde_json::{Value, json};

use crate::program::{Run, fed, run};

fn run_with_input(arguments: &[&str], input: &[u8]) -> Run {
    let home = tempfile::tempdir().unwrap();
    fed(home.path(), arguments, input)
}

#[test]
fn a_query_is_shown_with_its_plan() {
    let shown = run(["fts", "sanitize", "chat-send", "AND NOT", "draft"]).ok();
    assert_eq!(
        shown.stdout,
        "query     \"chat-send\" NOT draft\nplan      words\n"
    );
    let shown = run(["fts", "sanitize", "大别山的"]).ok();
    assert_eq!(
        shown.stdout,
        "query     大别山的\nplan      trigram\ntrigram   \"大别山的\"\n"
    );
    assert_eq!(
        run(["fts", "sanitize", "--", "--force"])
            .ok()
            .stdout
            .lines()
            .next(),
        Some("query     \"--force\"")
    );
}

#[test]
fn a_query_can_come_from_standard_input() {
    let shown = run_with_input(&["fts", "sanitize", "-", "--json"], "don't\n".as_bytes()).ok();
    assert_eq!(
        shown.json(),
        json!({"input": "don't\n", "query": "\"don't\"", "plan": "words", "truncated": false})
    );
    let failed = run_with_input(&["fts", "sanitize", "-"], b"\xff");
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""));
    assert!(failed.stderr.contains("UTF-8"), "{}", failed.stderr);
}

#[test]
fn the_explanation_tells_what_is_looked_for_and_what_is_not() {
    let told = run([
        "fts",
        "sanitize",
        "--explain",
        "(docker OR podman) error AND",
    ])
    .ok();
    assert_eq!(
        told.stdout,
        "looks for all of:\n  one of:\n    the word docker\n    the word podman\n  the word error\n\
         in the word index, as: (docker OR podman) AND error\nleft out:\n  \
         AND: an operator without something on both sides\n"
    );
    let told = run([
        "fts",
        "sanitize",
        "--explain",
        "--json",
        "a* NOT \"b c\" - OR",
    ])
    .ok();
    assert_eq!(
        told.json(),
        json!({
            "input": "a* NOT \"b c\" - OR",
            "query": "a* NOT \"b c\"",
            "plan": "words",
            "truncated": false,
            "looks_for": {
                "this": {"word": "a", "prefix": true},
                "but_not": {"phrase": "b c", "prefix": false},
            },
            "left_out": [
                {"text": "-", "at": 13, "reason": "noise", "because": "a sign that nearly every text has"},
                {"text": "OR", "at": 15, "reason": "dangling-operator",
                 "because": "an operator without something on both sides"},
            ],
        })
    );
    let nothing = run(["fts", "sanitize", "--explain", "--json", "("]).ok();
    assert_eq!(nothing.json()["looks_for"], Value::Null);
}

#[test]
fn what_steers_a_terminal_does_not_reach_it() {
    for args in [
        &["fts", "sanitize", "\"a\u{1b}[31m\u{202e}b\""][..],
        &["fts", "sanitize", "--explain", "\"a\u{1b}[31m\u{202e}b\""],
    ] {
        let shown = run(args).ok();
        assert!(
            !shown.stdout.contains(['\u{1b}', '\u{202e}']),
            "{:?}",
            shown.stdout
        );
    }
}

#[test]
fn a_long_query_is_cut_and_that_is_said() {
    let long = "word ".repeat(1000);
    let shown = run(["fts", "sanitize", &long]).ok();
    assert!(shown.stderr.contains("2,048"), "{}", shown.stderr);
    let shown = run(["fts", "sanitize", "--json", &long]).ok();
    assert_eq!(shown.json()["truncated"], true);
    assert_eq!(shown.json()["input"], long);
}

#[test]
fn a_batch_is_answered_line_by_line() {
    let input = "\"a AND NOT b\"\n\n\"\u{5927}\u{522b}\u{5c71}\"\n\"\"\n\"a\\u0000\\\"b\"";
    let answered = run_with_input(&["fts", "sanitize", "--batch"], input.as_bytes()).ok();
    let lines: Vec<Value> = answered
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        lines,
        [
            json!({"input": "a AND NOT b", "query": "a NOT b", "plan": "words"}),
            json!({"input": "大别山", "query": "大别山", "plan": "trigram"}),
            json!({"input": "", "query": "", "plan": "nothing"}),
            json!({"input": "a\0\"b", "query": "a  b", "plan": "words"}),
        ]
    );
    let explained = run_with_input(&["fts", "sanitize", "--batch", "--explain"], b"\"a OR\"").ok();
    assert_eq!(explained.json()["left_out"][0]["text"], "OR");
}

#[test]
fn a_bad_line_of_a_batch_is_told_by_its_number_and_the_others_are_answered() {
    let input = b"\"a\"\n\"unclosed\n\n{\"query\": \"a\"}\n\"\xff\"\n\"b\"\n";
    let answered = run_with_input(&["fts", "sanitize", "--batch", "--json"], input);
    let lines: Vec<Value> = answered
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 5, "{}", answered.stdout);
    assert_eq!(
        (&lines[0]["query"], &lines[4]["query"]),
        (&json!("a"), &json!("b"))
    );
    for (line, number) in [(1, 2), (2, 4), (3, 5)] {
        assert_eq!(lines[line]["error"]["code"], "bad_line");
        assert_eq!(lines[line]["error"]["line"], number);
        assert!(lines[line]["error"]["message"].is_string());
    }
    assert_eq!(answered.code, 1);
    assert!(
        answered
            .stderr
            .contains("3 lines were not understood, the first is line 2"),
        "{}",
        answered.stderr
    );
}

#[test]
fn neither_a_query_nor_a_batch_or_both_is_wrong_usage() {
    for args in [
        &["fts"][..],
        &["fts", "sanitize"],
        &["fts", "sanitize", "--batch", "a"],
        &["fts", "sanitize", "--bad"],
    ] {
        let failed = run(args);
        assert_eq!((failed.code, failed.stdout.as_str()), (64, ""), "{args:?}");
    }
}
