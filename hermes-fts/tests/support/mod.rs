//! Real SQLite for the tests: the index layouts that Hermes files have, and what fills them.
#![allow(dead_code)] // each test file uses its part

mod layouts;

use std::cell::RefCell;

use hermes_fts::{Expr, Lookup, Plan, SanitizedQuery, sanitize};
use proptest::prelude::*;
use rusqlite::Connection;

pub(crate) use layouts::{TRIGRAM, WORDS, all_layouts, matches};

thread_local! {
    /// One database for all the cases of a property, which only read it.
    static LAYOUTS: RefCell<Connection> = RefCell::new(all_layouts());
}

/// A table `words` with one row for each text, numbered from 0.
pub(crate) fn word_index(texts: &[String]) -> Connection {
    index(WORDS, "words", texts)
}

/// A table `trigram` with one row for each text, numbered from 0.
pub(crate) fn trigram_index(texts: &[String]) -> Connection {
    index(TRIGRAM, "trigram", texts)
}

fn index(create: &str, table: &str, texts: &[String]) -> Connection {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch(create).unwrap();
    for (rowid, text) in texts.iter().enumerate() {
        let insert = format!("INSERT INTO {table}(rowid, content) VALUES (?1, ?2)");
        db.execute(&insert, (rowid as i64, text)).unwrap();
    }
    db
}

/// Runs the expressions of a query on every layout.
pub(crate) fn check(db: &Connection, query: &SanitizedQuery) -> Result<(), TestCaseError> {
    let (escaped, further) = (query.escaped(), query.further());
    let run = |table: &str, expression: &str| {
        matches(db, table, expression).map_err(|error| {
            TestCaseError::fail(format!("{table} refuses {expression:?}: {error}"))
        })
    };
    for table in layouts::WORD_TABLES {
        if !query.as_str().is_empty() {
            run(table, query.as_str())?;
        }
        for expression in escaped.iter().chain(&further.words) {
            run(table, expression)?;
        }
    }
    for table in layouts::TRIGRAM_TABLES {
        // Whatever the plan is, the expression for words is no error here either.
        if !query.as_str().is_empty() {
            run(table, query.as_str())?;
        }
        if let Plan::Trigram(expression) = query.plan() {
            run(table, expression)?;
        }
        if let Some(expression) = &further.trigram {
            run(table, expression)?;
        }
    }
    let terms = query.tree().map(Expr::terms).unwrap_or_default();
    for term in terms.iter().take(8) {
        let table = match term.lookup() {
            Lookup::Words => layouts::WORD_TABLES[0],
            _ => layouts::TRIGRAM_TABLES[0],
        };
        run(table, &term.expression())?;
    }
    Ok(())
}

/// The same on a database that is made once a thread.
pub(crate) fn check_layouts(query: &SanitizedQuery) -> Result<(), TestCaseError> {
    LAYOUTS.with_borrow(|db| check(db, query))
}

/// Queries that are hard to read: any characters, and pieces of the query language in disorder.
pub(crate) fn tricky_query() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(PIECES).prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
        1 => "[ -~]{1,4}",
        1 => "[\\u{0}-\\u{20}\\u{7f}-\\u{a0}]",
        1 => "[大别山のアイ가각힣。々〇]{1,4}",
    ];
    let glue = prop::sample::select(&["", " ", " ", "\t", "\u{3000}"][..]);
    let pieces = prop::collection::vec((piece, glue), 0..16).prop_map(|pieces| {
        pieces
            .into_iter()
            .flat_map(|(piece, glue)| [piece, glue.to_owned()])
            .collect::<String>()
    });
    prop_oneof![4 => pieces, 1 => any::<String>(), 1 => "\\PC{0,40}"]
}

const PIECES: &[&str] = &[
    "AND",
    "OR",
    "NOT",
    "and",
    "or",
    "not",
    "And",
    "NEAR",
    "NEAR(",
    "NEAR(a b, 5)",
    "\"",
    "\"\"",
    "*",
    "**",
    "(",
    ")",
    "{",
    "}",
    "(a OR b)",
    "NOT (a",
    "（",
    "）",
    "“",
    "”",
    "„a b“",
    "«大别\"»",
    "‘",
    "’",
    "«",
    "「",
    "」",
    "＊",
    "ＯＲ",
    "ａｂ",
    "и\u{306}",
    "\u{2068}a\u{2069}",
    "^",
    "+",
    ":",
    "-",
    ".",
    ",",
    "'",
    "_",
    "content:",
    "- content :",
    "{content tool_name}:",
    "\0",
    "\0Q0\0",
    "\u{1a}",
    "\u{b}",
    "\u{200b}",
    "\u{feff}",
    "a",
    "b",
    "foo",
    "a-b",
    "a.b",
    "a_b",
    "_a",
    "don't",
    "C:\\x",
    "\"a b\"",
    "\"-\"",
    "\"a AND\"",
    "\"a\0b\"",
    "大",
    "大别",
    "大别山",
    "大别山*",
    "项目",
    "\"大别山 项目\"",
    "。",
    "，",
    "😀",
    "🤔",
    "e\u{301}",
    "\u{301}",
    "->",
    "&&",
    "ไทย",
    "ｱ",
    "مرحبا",
    "\u{10FFFF}",
    "\u{E000}",
    "ß",
    "İ",
];

/// Asserts which of the texts a query finds in the word index.
pub(crate) fn assert_finds(texts: &[&str], query: &str, expected: &[i64]) {
    let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
    let expression = sanitize(query);
    let found = matches(&word_index(&texts), "words", expression.as_str()).unwrap();
    assert_eq!(found, expected, "{query} as {expression}");
}
