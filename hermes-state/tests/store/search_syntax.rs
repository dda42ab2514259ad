//! The cases from users about the syntax of queries, each by its id.

use std::collections::BTreeSet;

use hermes_state::{JsonText, NewMessage, SearchMatch, SearchOptions, Store, StoreOptions};
use serde_json::json;

use crate::support::child::{WHOLE, spawn};
use crate::support::{Home, found, with_messages};

const NONE: [i64; 0] = [];

/// Asserts which of the texts each query finds, in any order.
fn assert_finds(texts: &[&str], expected: &[(&str, &[i64])]) {
    let home = Home::new();
    let store = with_messages(&home, texts);
    for (query, ids) in expected {
        let results = store.search(&SearchOptions::new(*query)).unwrap();
        assert!(!results.degraded, "{query}");
        let mut hits: Vec<i64> = results.matches.iter().map(|hit| hit.id.0).collect();
        hits.sort_unstable();
        assert_eq!(hits, *ids, "{query:?}");
    }
}

#[test]
fn each_case_of_the_area_has_its_test_here() {
    let cases: BTreeSet<String> = testdata::cases("fts-syntax")
        .iter()
        .map(|case| case["id"].as_str().unwrap().to_owned())
        .collect();
    let source = include_str!("search_syntax.rs");
    let tested: BTreeSet<String> = source
        .lines()
        .filter_map(|line| line.strip_prefix("/// "))
        .filter(|line| line.starts_with("FTS-"))
        .map(|line| line.trim_end_matches('.').to_owned())
        .collect();
    assert_eq!(tested, cases);
}

/// FTS-01.
#[test]
fn a_colon_is_no_column_filter() {
    assert_finds(&["TODO: fix the timeout"], &[("TODO: fix", &[1])]);
}

/// FTS-03.
#[test]
fn apostrophes_slashes_at_signs_and_percents_are_text() {
    let text = "it's in gateway/run.py for user@host, 50% done";
    let queries = ["it's", "gateway/run.py", "user@host", "50%"];
    assert_finds(&[text], &queries.map(|query| (query, &[1_i64][..])));
}

/// FTS-04.
#[test]
fn number_signs_prices_commas_and_brackets_are_text() {
    assert_finds(
        &["issue #123 costs $5, why? a,b", "a bracket, e=mc2"],
        &[
            ("#123", &[1]),
            ("$5", &[1]),
            ("why?", &[1]),
            ("a,b", &[1]),
            ("[bracket]", &[2]),
            ("e=mc2", &[2]),
            ("[nothing]", &[]),
        ],
    );
}

/// FTS-06.
#[test]
fn stacked_and_leading_operators_do_no_harm() {
    assert_finds(
        &["docker deployment and kubernetes"],
        &[
            ("docker AND OR kubernetes", &[1]),
            ("docker AND AND kubernetes", &[1]),
            ("AND NOT docker", &[1]),
            ("AND OR NOT docker", &[1]),
        ],
    );
}

/// FTS-07.
#[test]
fn and_not_excludes() {
    assert_finds(
        &["docker compose", "docker kubernetes"],
        &[("docker AND NOT kubernetes", &[1])],
    );
}

/// FTS-09.
#[test]
fn a_hyphenated_word_beside_chinese_is_found() {
    assert_finds(
        &["note-book list", "errata today", "笔记本 汇总"],
        &[("笔记 OR note-book OR errata", &[1, 2, 3])],
    );
}

/// FTS-10.
#[test]
fn a_single_sign_finds_nothing() {
    let home = Home::new();
    let text = ". ; * % _ \" ' ( ) \\ - : ^ ~ + ` {} [] <> | & ! ? , @ # $ = word";
    let store = with_messages(&home, &[text, "other"]);
    for query in [
        ".", ";", "*", "%", "_", "\"", "'", "(", ")", "\\", "-", ":", "^", "~", "+", "`", "{}",
        "[]", "<>", "|", "&", "!", "?", ",", "@", "#", "$", "=",
    ] {
        assert_eq!(found(&store, query), NONE, "{query}");
    }
}

/// FTS-12.
#[test]
fn a_read_only_store_finds_the_same() {
    let home = Home::new();
    let writer = with_messages(&home, &["needle in a haystack", "a second needle", "hay"]);
    let search = |store: &Store| -> Vec<SearchMatch> {
        store.search(&SearchOptions::new("needle")).unwrap().matches
    };
    let by_writer = search(&writer);
    assert_eq!(by_writer.len(), 2);
    drop(writer);
    let reader = StoreOptions::new().read_only().open(home.path()).unwrap();
    assert_eq!(search(&reader), by_writer);
    assert!(
        by_writer[0]
            .snippet
            .as_deref()
            .unwrap()
            .contains(">>>needle<<<")
    );
}

/// FTS-13.
#[test]
fn two_chinese_characters_are_found_plain_with_a_star_and_in_quotes() {
    let queries = ["落枕", "落枕*", "\"落枕\"", "“落枕”", "「落枕」"];
    assert_finds(
        &["今天落枕严重"],
        &queries.map(|query| (query, &[1_i64][..])),
    );
}

/// FTS-15.
#[test]
fn a_percent_sign_is_no_wildcard() {
    let home = Home::new();
    let store = with_messages(&home, &["100% sure", "100 apples", "完成100%了"]);
    let hits = found(&store, "100%");
    assert!(hits.contains(&1) && hits.contains(&2), "{hits:?}");
    assert_eq!(found(&store, "完成100%"), [3]);
}

/// FTS-16.
#[test]
fn marks_around_and_between_words_do_not_hide_them() {
    let queries = [
        "“docker”",
        "`docker`",
        "<docker>",
        "docker!",
        "docker;",
        "docker|deployment",
        "docker&deployment",
    ];
    assert_finds(
        &["docker deployment"],
        &queries.map(|query| (query, &[1_i64][..])),
    );
}

/// FTS-18.
///
/// A star counts at the end of a word; at its beginning it is left out, so that `*ploy`
/// is the word; inside it separates two words, the first of which may go on.
#[test]
fn a_star_is_a_wildcard_at_the_end_only() {
    assert_finds(
        &["deploy.sh ran"],
        &[
            ("deploy.*", &[1]),
            ("dep*", &[1]),
            ("*ploy", &[]),
            ("de*oy", &[]),
            ("***", &[]),
        ],
    );
}

/// FTS-19.
#[test]
fn near_is_a_word_and_lone_operators_find_nothing() {
    assert_finds(
        &[
            "near the lake",
            "docker near kubernetes",
            "to be or not to be",
        ],
        &[
            ("near", &[1, 2]),
            ("docker near kubernetes", &[2]),
            ("docker NEAR kubernetes", &[2]),
            ("NEAR(docker kubernetes)", &[2]),
            ("\"or not\"", &[3]),
            ("and", &[]),
            ("OR", &[]),
        ],
    );
}

/// FTS-21.
#[test]
fn a_megabyte_of_a_query_is_answered() {
    let home = Home::new();
    let store = with_messages(&home, &["a quiet text"]);
    for (query, hits) in [
        ("a-".repeat(500_000), &NONE[..]),
        ("\"".repeat(1_000_000), &NONE),
        ("(".repeat(1_000_000), &NONE),
        ("OR ".repeat(100_000), &NONE),
        ("(a OR ".repeat(160_000), &[1]),
        ("“a” ".repeat(120_000), &[1]),
    ] {
        let results = store.search(&SearchOptions::new(query)).unwrap();
        assert!(results.truncated_query && !results.degraded);
        let ids: Vec<i64> = results.matches.iter().map(|hit| hit.id.0).collect();
        assert_eq!(ids, hits);
    }
}

/// FTS-22.
#[test]
fn nul_line_breaks_and_invisible_marks_are_blanks() {
    assert_finds(
        &["docker deployment", "Q0 docker"],
        &[
            ("docker\0deployment", &[1]),
            ("docker\ndeployment", &[1]),
            ("\u{200B}docker", &[1, 2]),
            // The forged placeholder is the word it looks like.
            ("\0Q0\0 \"docker\"", &[2]),
        ],
    );
}

/// FTS-24.
#[test]
fn a_message_of_another_process_is_found_at_once() {
    let home = Home::new();
    let store = with_messages(&home, &[]);
    let path = home.path();
    let mut child = spawn("append", &[path.to_str().unwrap(), "other", "1"]);
    assert_eq!(child.line().as_deref(), Some("ready"));
    child.go();
    let line = child.line().expect("the child says what it stored");
    let (id, text) = line.trim_end_matches(WHOLE).split_once(' ').unwrap();
    let ids = found(&store, &format!("\"{text}\""));
    assert_eq!(ids, [id.parse::<i64>().unwrap()], "{line}");
    child.finish();
    let other = Store::open(&path).unwrap();
    let message = NewMessage::new("s", "user").content("a quokka at last");
    let id = other.append_message(&message).unwrap();
    assert_eq!(found(&store, "quokka"), [id.0]);
}

/// FTS-25.
#[test]
fn tool_calls_tool_names_and_results_are_found() {
    let home = Home::new();
    let store = with_messages(&home, &[]);
    let call = json!([{"id": "c1", "type": "function", "function": {
        "name": "terminal", "arguments": "{\"command\":\"ls quokka\"}",
    }}]);
    store
        .append_messages(&[
            NewMessage::new("s", "assistant").tool_calls(JsonText::from_value(&call)),
            NewMessage::new("s", "tool")
                .content("result wombat")
                .tool_name("web_search"),
        ])
        .unwrap();
    for (query, id) in [
        ("quokka", 1),
        ("terminal", 1),
        ("wombat", 2),
        ("web_search", 2),
    ] {
        assert_eq!(found(&store, query), [id], "{query}");
    }
}
