//! No query, however odd, makes SQLite report an error.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use std::time::{Duration, Instant};

use hermes_fts::{Expr, MAX_QUERY_CHARS, MAX_TREE_DEPTH, Plan, sanitize};
use proptest::prelude::*;
use support::{all_layouts, check, check_layouts, tricky_query};

proptest! {
    #[test]
    fn every_index_layout_accepts_every_query(query in tricky_query()) {
        check_layouts(&sanitize(&query))?;
    }

    #[test]
    fn every_index_layout_accepts_every_string(text in any::<String>()) {
        check_layouts(&sanitize(&text))?;
    }

    #[test]
    fn no_expression_holds_nul_or_an_unquoted_column_filter(query in tricky_query()) {
        let sanitized = sanitize(&query);
        let mut expressions = vec![sanitized.as_str().to_owned()];
        if let Plan::Trigram(expression) = sanitized.plan() {
            expressions.push(expression.clone());
        }
        for expression in expressions {
            prop_assert!(!expression.contains('\0'));
            // What is left of the text when the quoted strings are cut out.
            let unquoted: String = expression.split('"').step_by(2).collect();
            prop_assert!(!unquoted.contains([':', '^', '{', '-', '+']), "{expression}");
            // A parenthesis opens a group and never the list of a function.
            let mut groups = unquoted.match_indices('(');
            prop_assert!(groups.all(|(at, _)| matches!(
                unquoted.as_bytes()[..at].last(), None | Some(b' ' | b'(')
            )), "{expression}");
        }
    }

    #[test]
    fn an_expression_read_as_a_query_is_itself(query in tricky_query()) {
        let once = sanitize(&query);
        prop_assume!(once.as_str().chars().count() <= MAX_QUERY_CHARS);
        let twice = sanitize(once.as_str());
        prop_assert_eq!(twice.as_str(), once.as_str());
        if !once.as_str().is_empty() {
            prop_assert_eq!(twice.plan(), once.plan());
        }
    }

    #[test]
    fn empty_means_no_tree_and_no_plan(query in tricky_query()) {
        let query = sanitize(&query);
        prop_assert_eq!(query.is_empty(), query.tree().is_none());
        prop_assert_eq!(query.is_empty(), *query.plan() == Plan::Nothing);
        if query.is_empty() {
            prop_assert_eq!(query.as_str(), "");
        }
        prop_assert_eq!(query.to_string(), query.as_str());
    }
}

/// How deep groups are read.
const MAX_DEPTH: usize = 8;

/// The levels of a tree.
fn depth(expr: &Expr) -> usize {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => 1 + parts.iter().map(depth).max().unwrap(),
        Expr::Not(wanted, unwanted) => 1 + depth(wanted).max(depth(unwanted)),
        _ => 1,
    }
}

#[test]
fn no_tree_is_deeper_than_is_said() {
    let deepest = "a OR b AND c d NOT e f NOT g h ";
    assert_eq!(depth(sanitize(deepest).tree().unwrap()), 6);
    assert_eq!(depth(sanitize(&deepest.repeat(60)).tree().unwrap()), 6);
    assert_eq!(depth(sanitize(&"a NOT (b ".repeat(200)).tree().unwrap()), 4);
    let level = "a OR b AND c NOT d NOT e ";
    let opened = format!("{level}(").repeat(MAX_DEPTH);
    let closed = ")".repeat(MAX_DEPTH);
    let nested = format!("{opened}{level}и\u{306}{closed}");
    assert_eq!(depth(sanitize(&nested).tree().unwrap()), MAX_TREE_DEPTH);
}

/// Queries of groups in groups, deeper than they are read.
fn nested(inside: &str, levels: usize) -> String {
    let mut query = "a OR b".to_owned();
    for _ in 0..levels {
        query = inside.replace('_', &format!("({query})"));
    }
    query
}

#[test]
fn groups_in_groups_stay_within_the_limits_of_sqlite() {
    let db = all_layouts();
    let many = " NOT x".repeat(12);
    for inside in [
        "_ c",
        "c NOT _",
        "c NOT d _",
        "_ NOT c NOT d",
        "c OR d AND e NOT _",
        "c OR d AND e NOT f _",
        "大别山 OR _ 的项目",
        "e NOT i\u{302}\u{301} NOT _",
        &format!("c OR d AND _{many}"),
        &format!("c{many} NOT _"),
        &format!("c{many} NOT e _"),
    ] {
        for levels in [1, 3, 8, 9, 20, 60] {
            let query = sanitize(&nested(inside, levels));
            assert!(!query.is_empty());
            check(&db, &query).unwrap();
        }
    }
}

proptest! {
    #[test]
    fn groups_in_any_disorder_are_accepted(
        query in "((a|b|大别山|-|😀|AND|OR|NOT|\\(|\\(|\\(|\\)|（|）|“|”) ?){0,300}"
    ) {
        check_layouts(&sanitize(&query))?;
    }
}

#[test]
fn long_chains_of_every_operator_stay_within_the_limits_of_sqlite() {
    let db = all_layouts();
    for op in ["AND", "OR", "NOT", "AND NOT", "", "\"-\" OR", "*"] {
        for word in ["a", "大别山", "a-b"] {
            let query = sanitize(&format!("{word} {op} ").repeat(1000));
            check(&db, &query).unwrap();
        }
    }
    check(&db, &sanitize(&"a NOT b AND c OR ".repeat(200))).unwrap();
}

#[test]
fn more_exclusions_than_sqlite_nests_are_all_kept() {
    let letter = |i| char::from(b'a' + i as u8);
    let words: Vec<String> = (0..300)
        .map(|i| format!("{}{}", letter(i / 20), letter(i % 20)))
        .collect();
    let texts: Vec<String> = words.iter().map(|word| format!("x y {word}")).collect();
    let db = support::word_index(&texts);
    let query = sanitize(&format!("x y NOT {}", words[..290].join(" NOT ")));
    assert!(!query.truncated());
    let found = support::matches(&db, "words", query.as_str()).unwrap();
    assert_eq!(found, (290..300).collect::<Vec<i64>>());
    assert_eq!(sanitize(query.as_str()).as_str(), query.as_str());
}

#[test]
fn many_exclusions_of_groups_mean_what_few_do() {
    let texts: Vec<String> = (0..30).map(|i| format!("x w{i} {}", i % 3)).collect();
    let db = support::word_index(&texts);
    let groups = |from: usize, to: usize| -> String {
        let group = |i: usize| format!(" NOT (w{i} AND (0 OR 1)) NOT (w{} OR none)", i + 1);
        (from..to).step_by(2).map(group).collect()
    };
    let query = sanitize(&format!("x{}", groups(0, 28)));
    let found = support::matches(&db, "words", query.as_str()).unwrap();
    // Of the even ones those stay that are neither 0 nor 1 by three.
    assert_eq!(found, [2, 8, 14, 20, 26, 28, 29]);
    assert_eq!(sanitize(query.as_str()).as_str(), query.as_str());
}

#[test]
fn a_megabyte_of_anything_is_read_at_once() {
    let db = all_layouts();
    for piece in [
        "a-",
        "\"",
        "(",
        "OR ",
        "NOT a ",
        "大",
        "😀",
        "\0",
        "a\"b\"",
        "*",
        "-",
        "'",
        "(a OR ",
        ")(",
        "a)",
        "“",
        "‘a ",
        "’",
        "（",
        "（a）",
        "f（",
        "и\u{306} ",
        "\u{302}\u{301}",
        "«‹「『〝＂",
    ] {
        let input = piece.repeat(1_000_000 / piece.len());
        let start = Instant::now();
        let query = sanitize(&input);
        assert!(start.elapsed() < Duration::from_millis(500), "{piece}");
        assert!(query.truncated());
        check(&db, &query).unwrap();
    }
}

#[test]
fn a_query_is_cut_at_2048_characters_and_says_so() {
    let fits = "大".repeat(MAX_QUERY_CHARS);
    assert!(!sanitize(&fits).truncated());
    let query = sanitize(&format!("{fits}小"));
    assert!(query.truncated());
    assert_eq!(query.as_str(), fits);
}
