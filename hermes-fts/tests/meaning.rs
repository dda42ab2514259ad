//! What a query finds is what it asks for.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use hermes_fts::{Plan, Term, TermKind, sanitize};
use proptest::prelude::*;
use support::{assert_finds, matches, trigram_index, word_index};

/// Whether a text of single-letter words holds a term, as the word index sees it.
fn holds(text: &str, term: &Term) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (text, wanted) = (words(text), words(term.text()));
    text.windows(wanted.len()).any(|part| {
        let (last, first) = (part.len() - 1, wanted.len() - 1);
        if term.is_prefix() {
            part[..last] == wanted[..first] && part[last].starts_with(&wanted[first])
        } else {
            part == wanted
        }
    })
}

/// All texts made of some of the words `a`, `b`, `ab`, `c`.
fn small_texts() -> Vec<String> {
    let words = ["a", "b", "ab", "c"];
    let pick = |set: usize| (0..words.len()).filter(move |i| set & (1 << i) != 0);
    (0..16)
        .map(|set| pick(set).map(|i| words[i]).collect::<Vec<_>>().join(" "))
        .collect()
}

proptest! {
    #[test]
    fn the_tree_says_what_fts5_reads_in_the_expression(
        query in "((a|b|c|ab|a-b|\"b c\"|“b c”|a\\*|ｂ|-|\"😀\"|AND|OR|NOT|not|\\(|\\(|\\)|\\)) ?){0,16}"
    ) {
        let texts = small_texts();
        let db = word_index(&texts);
        let query = sanitize(&query);
        if query.as_str().is_empty() {
            return Ok(());
        }
        let tree = query.tree().unwrap();
        let by_tree: Vec<i64> = (0..)
            .zip(&texts)
            .filter(|(_, text)| tree.matches(&mut |term| holds(text, term)))
            .map(|(rowid, _)| rowid)
            .collect();
        prop_assert_eq!(matches(&db, "words", query.as_str()).unwrap(), by_tree, "{}", query);
    }

    #[test]
    fn the_trigram_expression_says_what_the_tree_says(
        query in "((大别山|别山的|山的人|abc|大别山\\*|\"别山的人\"|AND|OR|NOT|and|-|\\(|\\)) ?){1,12}"
    ) {
        let texts: Vec<String> = ["大别山", "大别山的", "大别山的人", "别山的人", "山的人 abc and", "大别山 abc"]
            .map(String::from)
            .to_vec();
        let db = trigram_index(&texts);
        let query = sanitize(&query);
        if let Plan::Trigram(expression) = query.plan() {
            let tree = query.tree().unwrap();
            let by_tree: Vec<i64> = (0..)
                .zip(&texts)
                .filter(|(_, text)| tree.matches(&mut |term| text.contains(term.text())))
                .map(|(rowid, _)| rowid)
                .collect();
            prop_assert_eq!(matches(&db, "trigram", expression).unwrap(), by_tree, "{}", expression);
        }
    }

    #[test]
    fn a_text_with_all_the_words_of_a_query_is_found(
        words in prop::collection::vec("[a-zäößéλж0-9#$@'./_-]{1,6}", 1..6),
        others in prop::collection::vec("[a-z ]{0,12}", 0..3),
    ) {
        let query = sanitize(&words.join(" "));
        let text = words.iter().rev().chain(&others).cloned().collect::<Vec<_>>().join(" ");
        let db = word_index(&[text]);
        if !query.as_str().is_empty() {
            prop_assert_eq!(matches(&db, "words", query.as_str()).unwrap(), [0], "{}", query);
        }
    }

    #[test]
    fn an_excluded_word_is_in_no_hit(
        wanted in "[a-e]( [a-e-]){0,2}",
        op in "NOT|AND NOT|NOT NOT|OR NOT|- NOT",
        unwanted in "[a-e]|[a-e]-[a-e]|\"[a-e] [a-e]\"",
        texts in prop::collection::vec("[a-e]( [a-e]){0,6}", 1..8),
    ) {
        let db = word_index(&texts);
        let query = sanitize(&format!("{wanted} {op} {unwanted}"));
        let excluded = sanitize(&unwanted);
        let hits = matches(&db, "words", query.as_str()).unwrap();
        let bad = matches(&db, "words", excluded.as_str()).unwrap();
        prop_assert!(hits.iter().all(|hit| !bad.contains(hit)), "{}", query);
        let all = matches(&db, "words", sanitize(&wanted).as_str()).unwrap();
        prop_assert_eq!(hits.len(), all.iter().filter(|hit| !bad.contains(hit)).count());
    }

    #[test]
    fn the_trigram_index_finds_every_part_of_a_text(
        before in "\\PC{0,4}", part in "[大别山のア가。]{3,6}", after in "\\PC{0,4}",
    ) {
        let query = sanitize(&part);
        let db = trigram_index(&[format!("{before}{part}{after}")]);
        if let Plan::Trigram(expression) = query.plan() {
            prop_assert_eq!(matches(&db, "trigram", expression).unwrap(), [0], "{}", expression);
        }
    }
}

#[test]
fn the_queries_of_the_guide_mean_what_it_says() {
    let texts = [
        "docker deployment",
        "kubernetes deployed",
        "python java",
        "python",
        "deployment of docker",
    ];
    assert_finds(&texts, "docker deployment", &[0, 4]);
    assert_finds(&texts, "\"docker deployment\"", &[0]);
    assert_finds(&texts, "docker OR kubernetes", &[0, 1, 4]);
    assert_finds(&texts, "python NOT java", &[3]);
    assert_finds(&texts, "deploy*", &[0, 1, 4]);
    assert_finds(&texts, "docker AND", &[0, 4]);
}

#[test]
fn words_with_punctuation_are_found() {
    let texts = [
        "it's in gateway/run.py for user@host, 50% done; don't use --force in .env",
        "TODO: see C:\\path\\file.txt, issue #123 costs $5, why? a,b e=mc2 $HOME",
    ];
    for query in [
        "it's",
        "gateway/run.py",
        "user@host",
        "50%",
        "don't",
        "--force",
        ".env",
        "run.py",
    ] {
        assert_finds(&texts, query, &[0]);
    }
    for query in [
        "TODO: see",
        "C:\\path\\file.txt",
        "#123",
        "$5",
        "why?",
        "a,b",
        "e=mc2",
        "$HOME",
        "[why]",
    ] {
        assert_finds(&texts, query, &[1]);
    }
    for query in [
        "`don't`",
        "<force>",
        "“force”",
        "force!",
        "force;",
        "use|force",
        "use&force",
    ] {
        assert_finds(&["we don't use force"], query, &[0]);
    }
}

#[test]
fn operators_are_upper_case_and_near_is_a_word() {
    let texts = [
        "near the lake",
        "docker near kubernetes",
        "to be or not to be",
        "docker",
    ];
    assert_finds(&texts, "near", &[0, 1]);
    assert_finds(&texts, "docker NEAR kubernetes", &[1]);
    assert_finds(&texts, "NEAR(docker kubernetes)", &[1]);
    assert_finds(&texts, "to or be", &[2]);
    assert_finds(&texts, "be AND or", &[2]);
    assert_finds(&texts, "\"or not\"", &[2]);
    assert_finds(&texts, "docker AND NOT kubernetes", &[3]);
    assert_finds(
        &["my android", "my order", "my"],
        "my AND* OR my OR*",
        &[0, 1],
    );
}

#[test]
fn a_column_filter_is_two_words() {
    assert_finds(&["foo", "the content is foo"], "content:foo", &[1]);
    assert_finds(&["foo", "the content is foo"], "- content : foo", &[1]);
}

#[test]
fn control_characters_and_invisible_marks_are_blanks() {
    for query in [
        "docker\0deployment",
        "docker\ndeployment",
        "\u{200B}docker",
        "\u{200F}docker",
        "docker\u{1a}deployment",
        "\"docker\0deployment\"",
        "docker\u{A0}deployment",
    ] {
        assert_finds(&["docker deployment"], query, &[0]);
    }
    assert_finds(&["docker", "Q0 docker"], "\0Q0\0 \"docker\"", &[1]);
}

#[test]
fn a_term_keeps_what_was_typed() {
    let terms = |query: &str| {
        let mut terms = Vec::new();
        sanitize(query).tree().unwrap().matches(&mut |term| {
            terms.push((term.text().to_owned(), term.kind(), term.is_prefix()));
            true
        });
        terms
    };
    let expected = [
        ("a-b".to_owned(), TermKind::Word, true),
        ("c  d".to_owned(), TermKind::Phrase, false),
        ("e f".to_owned(), TermKind::Phrase, false),
    ];
    assert_eq!(terms("a-b* \" c  d \" AND \"e\0f\""), expected);
}
