//! No query, however odd, makes SQLite report an error.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use std::time::{Duration, Instant};

use hermes_fts::{Expr, MAX_QUERY_CHARS, Plan, sanitize};
use proptest::prelude::*;
use support::{all_layouts, check, tricky_query};

proptest! {
    #[test]
    fn every_index_layout_accepts_every_query(queries in prop::collection::vec(tricky_query(), 8)) {
        let db = all_layouts();
        for query in queries {
            check(&db, &sanitize(&query))?;
        }
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
            prop_assert!(!unquoted.contains([':', '^', '{', '-', '(']), "{expression}");
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

/// The levels of a tree.
fn depth(expr: &Expr) -> usize {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => 1 + parts.iter().map(depth).max().unwrap(),
        Expr::Not(wanted, unwanted) => 1 + depth(wanted).max(depth(unwanted)),
        _ => 1,
    }
}

#[test]
fn no_tree_is_deeper_than_six_levels() {
    let deepest = "a OR b AND c d NOT e f NOT g h ";
    assert_eq!(depth(sanitize(deepest).tree().unwrap()), 6);
    assert_eq!(depth(sanitize(&deepest.repeat(60)).tree().unwrap()), 6);
    assert_eq!(depth(sanitize(&"a NOT (b ".repeat(200)).tree().unwrap()), 4);
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
fn a_megabyte_of_anything_is_read_at_once() {
    let db = all_layouts();
    for piece in [
        "a-", "\"", "(", "OR ", "NOT a ", "大", "😀", "\0", "a\"b\"", "*", "-", "'",
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
