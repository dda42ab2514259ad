//! Any text is a query that every index layout accepts; what it is read as, read again, is itself;
//! and the explanation quotes the text.
#![no_main]

// What the tests of the crate run against, too.
#[path = "../../../hermes-fts/tests/support/layouts.rs"]
mod layouts;

use hermes_fts::{MAX_QUERY_CHARS, Plan, sanitize};
use layouts::{TRIGRAM_TABLES, WORD_TABLES, all_layouts, matches};
use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;

thread_local! {
    static DB: Connection = all_layouts();
}

fn accepted(tables: &[&str], expression: &str) {
    DB.with(|db| {
        for table in tables {
            if let Err(error) = matches(db, table, expression) {
                panic!("{table} refuses {expression:?}: {error}");
            }
        }
    });
}

fuzz_target!(|text: &str| {
    let query = sanitize(text);
    if !query.as_str().is_empty() {
        accepted(&WORD_TABLES, query.as_str());
        accepted(&TRIGRAM_TABLES, query.as_str());
    }
    if let Plan::Trigram(expression) = query.plan() {
        accepted(&TRIGRAM_TABLES, expression);
    }
    let (escaped, further) = (query.escaped(), query.further());
    for expression in escaped.iter().chain(&further.words) {
        accepted(&WORD_TABLES, expression);
    }
    if let Some(expression) = &further.trigram {
        accepted(&TRIGRAM_TABLES, expression);
    }
    let again = sanitize(query.as_str());
    // A term in groups eight deep may bring one more with its second spelling.
    let depth = query.as_str().matches('(').count();
    if !again.truncated() && depth < 8 {
        assert_eq!(again.as_str(), query.as_str());
    }
    let explanation = query.explain();
    assert!(explanation.input.chars().count() <= MAX_QUERY_CHARS);
    let input: Vec<char> = explanation.input.chars().collect();
    let mut end = 0;
    for piece in &explanation.left_out {
        assert!(piece.at >= end, "{piece:?} overlaps");
        end = piece.at + piece.text.chars().count();
        assert!(input[piece.at..end].iter().copied().eq(piece.text.chars()));
    }
    assert!(!explanation.to_string().is_empty());
});
