//! Parentheses: what they group, and where they are punctuation.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use hermes_fts::sanitize;
use support::{matches, word_index};

const TEXTS: &[&str] = &[
    "docker error",
    "podman error",
    "docker",
    "error",
    "docker podman error",
    "kubernetes error",
];

fn found(query: &str) -> Vec<i64> {
    let texts: Vec<String> = TEXTS.iter().map(ToString::to_string).collect();
    matches(&word_index(&texts), "words", sanitize(query).as_str()).unwrap()
}

#[test]
fn a_group_holds_alternatives_together() {
    for query in [
        "(docker OR podman) error",
        "error (docker OR podman)",
        "(docker OR podman) AND error",
        "error AND (podman OR docker)",
        "((docker OR podman)) (error)",
        "（docker OR podman） error",
        "(docker ＯＲ podman) error",
        "(docker OR OR podman AND) error",
        "(docker OR 😀 OR podman) error",
        "(docker OR podman)error",
        "AND (docker OR podman) error NOT",
    ] {
        assert_eq!(found(query), [0, 1, 4], "{query}");
    }
}

#[test]
fn a_group_is_excluded_as_one() {
    for query in [
        "error NOT (docker OR podman)",
        "error NOT(docker OR podman)",
        "error AND NOT (docker OR podman)",
        "error NOT ((docker OR podman) error)",
        "(error NOT docker) NOT podman",
        "error NOT docker NOT podman",
    ] {
        assert_eq!(found(query), [3, 5], "{query}");
    }
    assert_eq!(found("error NOT (docker AND podman)"), [0, 1, 3, 5]);
    assert_eq!(found("error NOT (docker NOT podman)"), [1, 3, 4, 5]);
}

#[test]
fn without_an_operator_inside_parentheses_are_blanks() {
    for (query, expression) in [
        ("foo(bar)", "foo bar"),
        ("print(x) error", "print x  error"),
        ("(docker) (error)", "docker   error"),
        ("docker (the small one)", "docker  the small one"),
        ("f(a OR b)", "f a OR b"),
        ("NEAR(docker error, 5)", "NEAR docker \"error,\" 5"),
    ] {
        assert_eq!(sanitize(query).as_str(), expression, "{query}");
    }
}

#[test]
fn empty_and_unbalanced_parentheses_are_harmless() {
    for query in [
        "docker ()",
        "(docker",
        "docker)",
        ")docker(",
        "((docker)",
        "(OR) docker",
        "docker (AND OR NOT)",
        "docker NOT ()",
        "docker NOT (- OR -)",
        "((((docker OR))))",
    ] {
        assert_eq!(found(query), [0, 2, 4], "{query}");
    }
    for query in ["()", "( OR )", "(((", "(AND) (OR)", "（）", "(- OR .)"] {
        assert!(sanitize(query).is_empty(), "{query}");
    }
}

#[test]
fn words_side_by_side_with_a_group_bind_tightest() {
    for (query, expression) in [
        ("(a OR b) c d", "(a OR b) AND c d"),
        ("c (a OR b) d", "c AND (a OR b) AND d"),
        ("(a OR b)(c OR d)", "(a OR b) AND (c OR d)"),
        ("x NOT (a OR b) c", "x NOT ((a OR b) AND c)"),
        ("x y (a OR b) NOT z", "x y AND (a OR b) NOT z"),
        ("(a OR b)* c", "(a OR b) AND c"),
    ] {
        assert_eq!(sanitize(query).as_str(), expression, "{query}");
    }
}

#[test]
fn side_by_side_with_a_group_is_read_as_and_is() {
    for (typed, same) in [
        ("x (a NOT b)", "x AND (a NOT b)"),
        ("(a AND b) x (c AND d)", "a AND b AND x AND c AND d"),
        ("y NOT x (a AND b)", "y NOT (x AND a AND b)"),
        ("y NOT x (a OR b) z", "y NOT (x AND (a OR b) AND z)"),
    ] {
        let (typed, same) = (sanitize(typed), sanitize(same));
        assert_eq!(typed.as_str(), same.as_str());
        assert_eq!(typed.tree(), same.tree());
    }
}

#[test]
fn a_group_that_changes_nothing_is_not_written() {
    for (query, expression) in [
        ("(a OR b)", "a OR b"),
        ("(a AND b) OR c", "a AND b OR c"),
        ("a AND (b NOT c)", "a AND b NOT c"),
        ("(a OR (b OR c)) d", "(a OR b OR c) AND d"),
    ] {
        assert_eq!(sanitize(query).as_str(), expression, "{query}");
    }
}
