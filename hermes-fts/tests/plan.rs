//! Which queries go to which index.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use hermes_fts::{Expr, Lookup, Plan, sanitize};

fn trigram(expression: &str) -> Plan {
    Plan::Trigram(expression.to_owned())
}

#[test]
fn queries_without_cjk_go_to_the_word_index() {
    for query in [
        "a",
        "don't",
        "a OR b",
        "مرحبا",
        "שלום",
        "é",
        "ｆｕｌｌ",
        "a，b",
        "a\u{3000}b",
        "a 。",
        "a。",
    ] {
        assert_eq!(sanitize(query).plan(), &Plan::Words, "{query}");
    }
}

#[test]
fn cjk_of_three_characters_goes_to_the_trigram_index() {
    for (query, expression) in [
        ("大别山", "\"大别山\""),
        ("大别山 docker", "\"大别山\" \"docker\""),
        ("大别山 AND 桂林市", "\"大别山\" AND \"桂林市\""),
        (
            "大别山 NOT 桂林市 OR docker",
            "\"大别山\" NOT \"桂林市\" OR \"docker\"",
        ),
        ("大别山 and 桂林市", "\"大别山\" \"and\" \"桂林市\""),
        ("\"大别山 的项目\" 桂林市", "\"大别山 的项目\" \"桂林市\""),
        ("大别山\"-\"AND 桂林市", "\"大别山\" AND \"桂林市\""),
        ("大别山 AND\"-\"桂林市", "\"大别山\" AND \"桂林市\""),
        ("\" 大别山 \"", "\"大别山\""),
        ("大别山-项目", "\"大别山-项目\""),
        ("대한민국", "\"대한민국\""),
        ("こんにちは", "\"こんにちは\""),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "\"ﾃﾞｰﾀﾍﾞｰｽ\""),
        ("ไทย", "\"ไทย\""),
        ("ລະບົບ NOT error", "\"ລະບົບ\" NOT \"error\""),
        ("ទិន្នន័យ", "\"ទិន្នន័យ\""),
        ("𠀀𪛖𰀀", "\"𠀀𪛖𰀀\""),
    ] {
        assert_eq!(sanitize(query).plan(), &trigram(expression), "{query}");
    }
}

#[test]
fn with_a_term_too_short_for_trigrams_each_is_looked_up_by_itself() {
    for query in [
        "大",
        "项目",
        "项目*",
        "\"项目\"",
        "大别山 项目",
        "大别山 a",
        "大别山 or 桂林市",
        "a大别b",
        "AND 大",
        "ｱ",
        "ㄱ",
        "ไท",
        "0大1",
        "docker容",
    ] {
        assert_eq!(sanitize(query).plan(), &Plan::Combined, "{query}");
    }
}

#[test]
fn a_term_is_looked_up_where_it_can_be_found() {
    let query = sanitize("大理 大别山 docker v2* a大 -> NOT \"of\"");
    let terms = query.tree().unwrap().terms();
    let lookups: Vec<_> = terms
        .iter()
        .map(|term| (term.expression(), term.lookup()))
        .collect();
    let of = |text: &str, lookup| (text.to_owned(), lookup);
    assert_eq!(
        lookups,
        [
            of("\"大理\"", Lookup::Short),
            of("\"大别山\"", Lookup::Trigram),
            of("\"docker\"", Lookup::Trigram),
            of("\"v2\"*", Lookup::Words),
            of("\"a大\"", Lookup::Short),
            of("\"of\"", Lookup::Words),
        ]
    );
    let words = sanitize("a docker");
    let terms = words.tree().unwrap().terms();
    assert!(terms.iter().all(|term| term.lookup() == Lookup::Words));
}

#[test]
fn a_star_means_nothing_to_trigrams() {
    assert_eq!(sanitize("大别山*").plan(), sanitize("大别山").plan());
}

#[test]
fn a_tree_keeps_the_operators() {
    let query = sanitize("大理 AND 洱海 OR 云南 NOT \"note-book\"");
    let tree = query.tree().unwrap();
    let fits = |row: &str| tree.matches(&mut |term| row.contains(term.text()));
    assert!(fits("大理的洱海"));
    assert!(!fits("大理"));
    assert!(fits("云南"));
    assert!(!fits("云南 note-book"));
    assert!(matches!(tree, Expr::Or(_)));
}

#[test]
fn symbols_alone_are_looked_for() {
    for (query, plan) in [
        ("😀", Plan::Combined),
        ("，", Plan::Combined),
        ("。 NOT ->", Plan::Scan),
        ("😀 NOT hello", Plan::Combined),
        ("👩‍💻", trigram("\"👩‍💻\"")),
        // Stored JSON is full of such.
        ("->", Plan::Scan),
        ("&&", Plan::Scan),
        ("→ ->", Plan::Scan),
        ("\"...\"", Plan::Scan),
    ] {
        let query = sanitize(query);
        assert_eq!((query.as_str(), query.plan()), ("", &plan));
        assert!(query.tree().is_some());
    }
    let query = sanitize("😀 NOT hello");
    let fits = |row: &str| {
        query
            .tree()
            .unwrap()
            .matches(&mut |term| row.contains(term.text()))
    };
    assert!(fits("😀") && !fits("😀 hello") && !fits("other"));
}

#[test]
fn symbols_beside_words_are_left_out() {
    for (query, expression) in [("😀 hi", "hi"), ("a -> b", "a b"), ("hi OR 😀", "hi")] {
        let query = sanitize(query);
        assert_eq!((query.as_str(), query.plan()), (expression, &Plan::Words));
    }
}

#[test]
fn single_signs_and_lone_operators_are_nothing() {
    let lone = [
        "", " ", "\0", "\u{3000}", ".", ";", "*", "**", "***", "%", "_", "\"", "\"\"", "\" \"",
        "'", "(", ")", "\\", "-", ":", "::", "^", "~", "+", "++", "`", "{}", "[]", "()", "<>", "|",
        "&", "!", "?", ",", "@", "#", "$", "=", "/", "{ (", "and", "OR", "AND OR", "NOT -",
        "\u{200B}",
    ];
    for query in lone {
        let query = sanitize(query);
        assert!(query.is_empty(), "{query:?}");
        assert_eq!((query.as_str(), query.plan()), ("", &Plan::Nothing));
    }
}
