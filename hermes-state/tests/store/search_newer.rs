//! Queries of words on stores of version 30: their index answers, and what it leaves out is read.

use std::path::Path;

use hermes_fts::{folded, index_words, sanitize};
use hermes_state::{OnDamage, SearchOptions, SearchOrder, Store};
use proptest::prelude::*;
use rusqlite::{Connection, params};
use testdata::{Fixture, fixture};

use crate::support::raw;

const LAYOUTS: [&str; 2] = ["v30_external.db", "v30_inline.db"];

/// A rebuild of the index that has not come to any later message.
const REBUILDING: &str = "INSERT OR REPLACE INTO state_meta (key, value)
    VALUES ('fts_rebuild_high_water', '1000000'), ('fts_rebuild_progress', '0')";

/// More text than is indexed of a tool result.
fn padding() -> String {
    "lorem ipsum ".repeat(800)
}

fn with_session(layout: &str) -> Fixture {
    let store = fixture(layout);
    raw(store.path())
        .execute(
            "INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1.0)",
            [],
        )
        .unwrap();
    store
}

/// Stores a message as the agent does, and gives its id.
fn put(path: &Path, role: &str, content: &str, tool_calls: Option<&str>) -> i64 {
    let conn = raw(path);
    conn.pragma_update(None, "synchronous", "OFF").unwrap();
    put_by(&conn, role, content, tool_calls)
}

fn put_by(conn: &Connection, role: &str, content: &str, tool_calls: Option<&str>) -> i64 {
    conn.execute(
        "INSERT INTO messages (session_id, role, content, tool_calls, timestamp)
         VALUES ('s', ?1, ?2, ?3, 2.0)",
        params![role, content, tool_calls],
    )
    .unwrap();
    conn.last_insert_rowid()
}

fn of_session(query: &str) -> SearchOptions {
    SearchOptions::new(query).session("s").limit(1_000)
}

/// The matches by the index, in ascending order.
fn by_index(store: &Store, query: &str) -> Vec<i64> {
    let options = of_session(query).on_damage(OnDamage::Fail);
    let results = store.search(&options).unwrap();
    assert!(!results.degraded, "{query}");
    let mut ids: Vec<i64> = results.matches.iter().map(|hit| hit.id.0).collect();
    ids.sort_unstable();
    let newest = options.order(SearchOrder::Newest);
    assert_eq!(store.search(&newest).unwrap().matches.len(), ids.len());
    assert_eq!(store.search_count(&newest).unwrap().count, ids.len() as u64);
    ids
}

#[test]
fn the_end_of_a_long_tool_result_is_found_and_excluded() {
    for layout in LAYOUTS {
        let file = with_session(layout);
        let end = format!("headwordx {} the exit-code of Café tailwordx", padding());
        let long = put(file.path(), "tool", &end, None);
        let short = put(file.path(), "tool", "headwordx alone", None);
        let store = Store::open_read_only(file.path()).unwrap();
        for query in [
            "tailwordx",
            "tailw*",
            "cafe tailwordx",
            "\"exit code\" headwordx",
        ] {
            assert_eq!(by_index(&store, query), [long], "{layout}: {query}");
        }
        assert_eq!(by_index(&store, "headwordx"), [long, short], "{layout}");
        assert_eq!(
            by_index(&store, "headwordx NOT tailwordx"),
            [short],
            "{layout}"
        );
        assert_eq!(
            by_index(&store, "alone OR tailwordx"),
            [long, short],
            "{layout}"
        );
        let shown = store.search(&of_session("tailwordx")).unwrap().matches;
        let snippet = shown[0].snippet.as_deref().unwrap();
        assert!(snippet.contains(">>>tailwordx<<<"), "{layout}: {snippet}");
    }
}

#[test]
fn words_of_every_column_are_found_and_shown() {
    for layout in LAYOUTS {
        let file = with_session(layout);
        let calls = r#"[{"function": {"name": "terminal", "arguments": "zebrafish --now"}}]"#;
        let id = put(file.path(), "assistant", "nothing of it here", Some(calls));
        let store = Store::open_read_only(file.path()).unwrap();
        assert_eq!(by_index(&store, "zebrafish here"), [id], "{layout}");
        let shown = store.search(&of_session("zebrafish")).unwrap().matches;
        let snippet = shown[0].snippet.as_deref().unwrap();
        assert!(snippet.contains(">>>zebrafish<<<"), "{layout}: {snippet}");
    }
}

#[test]
fn what_a_rebuild_has_not_come_to_is_found() {
    let file = with_session("v30_external.db");
    let before = put(file.path(), "user", "wombat before", None);
    raw(file.path()).execute_batch(REBUILDING).unwrap();
    let behind = put(file.path(), "user", "wombat behind", None);
    let store = Store::open_read_only(file.path()).unwrap();
    assert_eq!(by_index(&store, "wombat"), [before, behind]);
    assert_eq!(by_index(&store, "wombat NOT behind"), [before]);
}

#[test]
fn what_a_rebuild_has_not_come_to_is_excluded_by_its_words() {
    let file = with_session("v30_external.db");
    raw(file.path()).execute_batch(REBUILDING).unwrap();
    put(file.path(), "user", "café", Some("alpha_ beta-gamma"));
    let store = Store::open_read_only(file.path()).unwrap();
    for excluded in ["cafe", "\"beta gamma\"", "alpha", "gam*"] {
        let query = format!("gamma NOT {excluded}");
        assert_eq!(by_index(&store, &query), [0; 0], "{query}");
    }
    assert_eq!(by_index(&store, "gamma NOT caf").len(), 1);
}

#[test]
fn a_word_that_touches_chinese_is_found() {
    for layout in LAYOUTS {
        let file = with_session(layout);
        let glued = put(file.path(), "tool", "更新zephyr模块", None);
        let word = put(file.path(), "user", "a zephyr", None);
        put(file.path(), "user", "zephyrs", None);
        let store = Store::open_read_only(file.path()).unwrap();
        assert_eq!(by_index(&store, "zephyr"), [glued, word], "{layout}");
    }
}

#[test]
fn an_index_that_may_leave_out_more_is_not_used() {
    for layout in LAYOUTS {
        for harm in [
            "INSERT OR REPLACE INTO state_meta (key, value) VALUES ('fts_stale', '1')",
            "DROP TRIGGER messages_fts_update",
            "DROP TRIGGER messages_fts_insert",
            "DROP TABLE messages_fts_docsize",
        ] {
            let file = with_session(layout);
            let id = put(file.path(), "user", "a wombat", None);
            let conn = raw(file.path());
            conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)
                .unwrap();
            conn.execute_batch(harm).unwrap();
            drop(conn);
            let store = Store::open_read_only(file.path()).unwrap();
            let results = store.search(&of_session("wombat")).unwrap();
            assert!(results.degraded, "{layout}: {harm}");
            assert_eq!(results.matches[0].id.0, id, "{layout}: {harm}");
            let strict = of_session("wombat").on_damage(OnDamage::Fail);
            assert!(store.search(&strict).is_err(), "{layout}: {harm}");
        }
    }
}

fn text_of<'a>(query: &'a serde_json::Value, key: &str) -> &'a str {
    query[key].as_str().unwrap()
}

#[test]
fn realistic_queries_find_the_message_that_they_have_to() {
    for layout in LAYOUTS {
        let file = with_session(layout);
        let queries = testdata::queries();
        let conn = raw(file.path());
        conn.execute_batch("BEGIN").unwrap();
        let ids: Vec<i64> = queries
            .iter()
            .map(|query| put_by(&conn, "user", text_of(query, "text"), None))
            .collect();
        conn.execute_batch("COMMIT").unwrap();
        let store = Store::open_read_only(file.path()).unwrap();
        // All of them are asked of our own layout elsewhere.
        for (query, id) in queries.iter().zip(ids).step_by(5) {
            let found = store
                .search(&of_session(text_of(query, "query")))
                .unwrap()
                .matches;
            assert!(
                found.iter().any(|hit| hit.id.0 == id),
                "{layout}: {}",
                query["query"]
            );
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "alpha",
        "Beta",
        "café",
        "beta-gamma",
        "gamma",
        "alphas",
        "大",
        " ",
        " ",
        " ",
        ", ",
        "_",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12)
        .prop_map(|pieces| pieces.concat())
}

/// Role, text, whether there is more than is indexed before it, calls of tools.
fn row() -> impl Strategy<Value = (&'static str, String, bool, Option<String>)> {
    let role = prop::sample::select(vec!["user", "assistant", "tool", "tool"]);
    (role, text(), any::<bool>(), prop::option::of(text()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn words_are_found_as_by_a_naive_scan(
        rows in prop::collection::vec(row(), 1..8),
        later in prop::collection::vec(row(), 0..4),
        queries in prop::collection::vec(
            "((alpha|beta|gamma|cafe|\"beta gamma\"|alp[*]|AND|OR|NOT) ){1,4}", 1..8),
    ) {
        for layout in LAYOUTS {
            let file = with_session(layout);
            let mut texts = Vec::new();
            let mut store_rows = |rows: &[(&str, String, bool, Option<String>)]| {
                for (role, text, long, calls) in rows {
                    let content = if *long { padding() + text } else { text.clone() };
                    let id = put(file.path(), role, &content, calls.as_deref());
                    let all = format!("{content}  {}", calls.as_deref().unwrap_or_default());
                    texts.push((id, index_words(&all), folded(&all)));
                }
            };
            store_rows(&rows);
            if layout == LAYOUTS[0] {
                raw(file.path()).execute_batch(REBUILDING).unwrap();
            }
            store_rows(&later);
            let store = Store::open_read_only(file.path()).unwrap();
            for query in &queries {
                let sanitized = sanitize(query);
                let Some(tree) = sanitized.tree() else { continue };
                let holds = |words: &[String], text: &str| {
                    tree.matches(&mut |term| term.is_in_words(words) || term.stands_in(text))
                };
                let is_word = |words: &[String]| tree.matches(&mut |term| term.is_in_words(words));
                let expected: Vec<i64> = texts
                    .iter()
                    .filter(|(_, words, text)| is_word(words) || holds(words, text))
                    .map(|(id, ..)| *id)
                    .collect();
                prop_assert_eq!(by_index(&store, query), expected, "{}: {}", layout, query);
            }
        }
    }
}
