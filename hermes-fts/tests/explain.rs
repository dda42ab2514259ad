//! What a person is told of how a query was read.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use hermes_fts::{MAX_QUERY_CHARS, Reason, sanitize};
use proptest::prelude::*;
use support::tricky_query;

fn left_out(query: &str) -> Vec<(String, Reason)> {
    let explanation = sanitize(query).explain();
    let pieces = explanation.left_out.into_iter();
    pieces.map(|piece| (piece.text, piece.reason)).collect()
}

#[test]
fn what_is_left_out_is_named_with_its_reason() {
    use Reason::*;
    let nothing: &[(&str, Reason)] = &[];
    for (query, expected) in [
        ("docker error", nothing),
        ("(a OR b) c NOT \"d e\" f*", nothing),
        ("docker AND", &[("AND", DanglingOperator)]),
        (
            "AND OR docker",
            &[("AND", DanglingOperator), ("OR", DanglingOperator)],
        ),
        ("not found", &[("not", SmallWord)]),
        ("a AND NOT b", &[("AND", StackedOperator)]),
        ("a OR OR b", &[("OR", StackedOperator)]),
        ("a AND (OR b OR c)", &[("OR", DanglingOperator)]),
        ("a AND (b OR c OR)", &[("OR", DanglingOperator)]),
        ("a \u{1F600}", &[("\u{1F600}", NoToken)]),
        ("a - b", &[("-", Noise)]),
        (
            "a OR \u{1F600} NOT b",
            &[
                ("OR", DanglingOperator),
                ("\u{1F600}", NoToken),
                ("NOT", DanglingOperator),
                ("b", ExcludedFromNothing),
            ],
        ),
        ("say \"hi", &[("\"", LoneQuote)]),
        ("“hi", &[("“", LoneQuote)]),
        ("f(x)", &[("(", Parenthesis), (")", Parenthesis)]),
        ("((a", &[("((", Parenthesis)]),
        ("a * b", &[("*", LoneStar)]),
        ("content:foo", &[(":", Special)]),
        ("a\0b", &[("\0", Invisible)]),
        ("\u{200B}a", &[("\u{200B}", Invisible)]),
        ("", nothing),
        ("OR", &[("OR", DanglingOperator)]),
    ] {
        let expected: Vec<_> = expected.iter().map(|(t, r)| (t.to_string(), *r)).collect();
        assert_eq!(left_out(query), expected, "{query:?}");
    }
}

#[test]
fn places_are_counted_in_characters() {
    let explanation = sanitize("größe – AND").explain();
    let places: Vec<_> = explanation
        .left_out
        .iter()
        .map(|p| (p.at, p.text.as_str()))
        .collect();
    assert_eq!(places, [(6, "–"), (8, "AND")]);
}

#[test]
fn the_text_tells_what_where_and_what_not() {
    for (query, text) in [
        (
            "docker-compose OR (k8s* error) NOT \"old way\" AND",
            "looks for one of:\n  the word docker-compose (in a row: docker compose)\n  all of:\n    \
             words that begin with k8s\n    the word error\n  but not the phrase \"old way\"\n\
             in the word index, as: \"docker-compose\" OR  k8s* error  NOT \"old way\"\n\
             left out:\n  (: it groups nothing: a blank\n  ): it groups nothing: a blank\n  \
             AND: an operator without something on both sides\n",
        ),
        (
            "大别山的",
            "looks for the text 大别山的\nin the index of three characters, as: \"大别山的\"\n",
        ),
        (
            "\u{1b}[31m (",
            "looks for the word [31m\nin the word index, as: \"[31m\"\n\
             left out:\n  \\u{1b}: it can't be seen: a blank\n  (: it groups nothing: a blank\n",
        ),
        (
            ".",
            "looks for nothing\nleft out:\n  .: a sign that nearly every text has\n",
        ),
        ("", "looks for nothing\n"),
    ] {
        assert_eq!(sanitize(query).explain().to_string(), text, "{query}");
    }
}

#[test]
fn a_cut_is_told() {
    let long = sanitize(&"a ".repeat(MAX_QUERY_CHARS)).explain();
    assert!(long.truncated);
    assert_eq!(long.input.chars().count(), MAX_QUERY_CHARS);
    let text = long.to_string();
    assert!(text.ends_with("only the first 2048 characters were read; the rest was cut off\n"));
}

#[test]
fn every_reason_has_a_name_and_a_sentence_of_its_own() {
    let all = [
        Reason::DanglingOperator,
        Reason::StackedOperator,
        Reason::SmallWord,
        Reason::NoToken,
        Reason::Noise,
        Reason::ExcludedFromNothing,
        Reason::LoneQuote,
        Reason::Parenthesis,
        Reason::LoneStar,
        Reason::Special,
        Reason::Invisible,
    ];
    let names: std::collections::BTreeSet<_> = all.iter().map(|r| r.name()).collect();
    let sentences: std::collections::BTreeSet<_> = all.iter().map(ToString::to_string).collect();
    assert_eq!((names.len(), sentences.len()), (all.len(), all.len()));
}

proptest! {
    #[test]
    fn pieces_left_out_stand_in_the_input_in_order(query in tricky_query()) {
        let explanation = sanitize(&query).explain();
        let input: Vec<char> = explanation.input.chars().collect();
        let mut end = 0;
        for piece in &explanation.left_out {
            prop_assert!(piece.at >= end, "{piece:?} overlaps in {query:?}");
            let text: Vec<char> = piece.text.chars().collect();
            end = piece.at + text.len();
            prop_assert_eq!(&input[piece.at..end], &text[..]);
        }
        let query = sanitize(&query);
        prop_assert_eq!(&explanation.expression, query.as_str());
        prop_assert_eq!(&explanation.plan, query.plan());
        prop_assert_eq!(explanation.tree.as_ref(), query.tree());
        prop_assert!(!explanation.to_string().is_empty());
    }

    #[test]
    fn of_a_query_without_faults_nothing_is_left_out(
        words in prop::collection::vec("[a-z]{1,5}|[a-z]{2}\\*|\"[a-z ]{3}x\"|[a-z]-[a-z]", 1..8),
        op in "AND|OR|NOT",
    ) {
        // A small word at an end would be.
        let query = format!("x {} {op} x", words.join(" "));
        prop_assert_eq!(left_out(&query), []);
    }
}
