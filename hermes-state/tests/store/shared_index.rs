//! One index, written in turns by us and by a Python with an SQLite that stops at a NUL.

use hermes_state::{Content, JsonText, MessageId, NewMessage, Store};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::support::python::Python;
use crate::support::{assert_index_whole, found, messages_of, raw};

/// Texts that the two index differently, and some that they do not.
const TEXTS: [&str; 8] = [
    "\0json:[{\"type\": \"text\", \"text\": \"wombat 大别山区\"}]",
    "before the nul\0wombat behind",
    "ab\0cdefgh wombat",
    "\0",
    "大别山\0大别山 wombat",
    "plain wombat",
    "trailing\0",
    "a\0b\0wombat\0c",
];

const INTEGRITY: [&str; 2] = [
    "INSERT INTO messages_fts(messages_fts) VALUES('integrity-check')",
    "INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES('integrity-check')",
];

fn content(text: &str) -> Content {
    Content::from_stored_text(text.to_owned())
}

fn they_insert(session: &str, text: &str) -> Value {
    json!([
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, 1.0)",
        [session, text]
    ])
}

/// Their SQLite finds nothing wrong with either index.
fn assert_whole_for(python: &Python, path: &std::path::Path) {
    python.sql(path, &json!([[INTEGRITY[0], []], [INTEGRITY[1], []]]));
}

fn store_of_22() -> (testdata::Fixture, Store) {
    let fixture = testdata::fixture("v22.db");
    let store = Store::open(fixture.path()).unwrap();
    for session in ["ours", "theirs"] {
        store.ensure_session(session).unwrap();
    }
    (fixture, store)
}

/// How many copies of the text hold a NUL. None would be left if the index had been made anew.
fn copies_with_nul(path: &std::path::Path) -> i64 {
    let sql = "SELECT COUNT(*) FROM messages_fts_trigram_content WHERE instr(CAST(c0 AS BLOB), x'00') > 0";
    raw(path).query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn deleting_what_an_older_sqlite_indexed_leaves_the_index_whole() {
    let Some(python) = Python::of("0.13.0") else {
        return;
    };
    let home = crate::support::Home::new();
    let store = home.store();
    let path = home.path();
    for session in ["ours", "theirs", "elsewhere"] {
        store.ensure_session(session).unwrap();
    }
    let insert_all = |session| json!(TEXTS.map(|text| they_insert(session, text)));
    python.sql(&path, &insert_all("theirs"));
    python.sql(&path, &insert_all("elsewhere"));
    let before = copies_with_nul(&path);
    let kept = NewMessage::new("ours", "user").content("wombat 大别山区 kept");
    let kept = store.append_message(&kept).unwrap();

    store.clear_messages("theirs").unwrap();
    assert_whole_for(&python, &path);
    assert_eq!(copies_with_nul(&path), before / 2, "made anew");

    store.clear_messages("elsewhere").unwrap();
    assert_index_whole(&path);
    assert_whole_for(&python, &path);
    assert_eq!(found(&store, "wombat"), [kept.0]);
    assert_eq!(found(&store, "大别山"), [kept.0]);
}

#[test]
fn deleting_what_a_newer_sqlite_indexed_leaves_the_index_whole() {
    let home = crate::support::Home::new();
    let store = home.store();
    for session in ["theirs", "elsewhere"] {
        store.ensure_session(session).unwrap();
        // The SQLite of this test reads on behind a NUL.
        for text in TEXTS {
            raw(&home.path())
                .execute(
                    "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?1, 'user', ?2, 1.0)",
                    [session, text],
                )
                .unwrap();
        }
    }
    let before = copies_with_nul(&home.path());
    store.clear_messages("theirs").unwrap();
    assert_index_whole(&home.path());
    assert_eq!(copies_with_nul(&home.path()), before / 2, "made anew");
    store.clear_messages("elsewhere").unwrap();
    assert_eq!(found(&store, "wombat"), [0_i64; 0]);
    assert_eq!(found(&store, "大别山"), [0_i64; 0]);
}

#[test]
fn taking_back_and_restoring_what_an_older_sqlite_indexed_leaves_the_index_whole() {
    let Some(python) = Python::of("0.19.0") else {
        return;
    };
    let (fixture, store) = store_of_22();
    let inserts: Vec<Value> = TEXTS.map(|text| they_insert("theirs", text)).into();
    python.sql(fixture.path(), &json!(inserts));
    let first = messages_of(&store, "theirs")[0].id;

    let rewound = store.rewind_to_message("theirs", first).unwrap();
    assert_eq!(rewound.rewound_count, TEXTS.len() as u64);
    assert_whole_for(&python, fixture.path());
    assert_eq!(
        store.restore_rewound("theirs", first).unwrap(),
        TEXTS.len() as u64
    );
    assert_whole_for(&python, fixture.path());

    // All are ours now: readable text is in the index, and no NUL.
    let mut hits = found(&store, "wombat");
    hits.sort_unstable();
    let having: Vec<i64> = messages_of(&store, "theirs")
        .iter()
        .filter(|m| m.content.as_ref().unwrap().plain_text().contains("wombat"))
        .map(|m| m.id.0)
        .collect();
    assert_eq!(hits, having);
    let with_nul: i64 = raw(fixture.path())
        .query_row(
            "SELECT COUNT(*) FROM messages_fts_trigram_content c JOIN messages m ON m.id = c.id
             WHERE m.session_id = 'theirs' AND instr(c.c0, char(0)) > 0",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(with_nul, 0);
}

#[derive(Debug, Clone)]
enum Step {
    TheyAppend(&'static str, usize),
    WeAppend(&'static str, usize),
    TheyTouch(usize),
    TheyDelete(usize),
    WeRewind(usize),
    WeRestore,
    WeReplaceActive(&'static str, usize),
    WeClear(&'static str),
    WeCompact(&'static str, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let session = || prop_oneof![Just("ours"), Just("theirs")];
    let text = || 0..TEXTS.len();
    prop_oneof![
        4 => (session(), text()).prop_map(|(s, t)| Step::TheyAppend(s, t)),
        4 => (session(), text()).prop_map(|(s, t)| Step::WeAppend(s, t)),
        2 => (0..20_usize).prop_map(Step::TheyTouch),
        1 => (0..20_usize).prop_map(Step::TheyDelete),
        2 => (0..20_usize).prop_map(Step::WeRewind),
        1 => Just(Step::WeRestore),
        1 => (session(), text()).prop_map(|(s, t)| Step::WeReplaceActive(s, t)),
        1 => session().prop_map(Step::WeClear),
        1 => (session(), text()).prop_map(|(s, t)| Step::WeCompact(s, t)),
    ]
}

#[test]
fn in_turns_the_index_stays_whole_for_both() {
    let Some(python) = Python::of("0.19.0") else {
        return;
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(
        Config {
            failure_persistence: None,
            ..Config::with_cases(12)
        },
        rng,
    );
    runner
        .run(&proptest::collection::vec(step(), 1..14), |steps| {
            run(&python, &steps);
            Ok(())
        })
        .unwrap();
}

fn run(python: &Python, steps: &[Step]) {
    let (fixture, store) = store_of_22();
    let path = fixture.path();
    let ids = || -> Vec<i64> {
        let conn = raw(path);
        let mut statement = conn
            .prepare("SELECT id FROM messages WHERE session_id IN ('ours', 'theirs') ORDER BY id")
            .unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    let new =
        |session: &str, text: usize| NewMessage::new(session, "user").content(content(TEXTS[text]));
    for step in steps {
        let all = ids();
        let nth = |n: &usize| (!all.is_empty()).then(|| all[n % all.len()]);
        match step {
            Step::TheyAppend(session, text) => {
                python.sql(path, &json!([they_insert(session, TEXTS[*text])]));
            }
            Step::WeAppend(session, text) => {
                store.append_message(&new(session, *text)).unwrap();
            }
            Step::TheyTouch(n) => {
                if let Some(id) = nth(n) {
                    let sql = "UPDATE messages SET observed = 1 WHERE id = ?";
                    python.sql(path, &json!([[sql, [id]]]));
                }
            }
            Step::TheyDelete(n) => {
                if let Some(id) = nth(n) {
                    let sql = "DELETE FROM messages WHERE id = ?";
                    python.sql(path, &json!([[sql, [id]]]));
                }
            }
            Step::WeRewind(n) => {
                if let Some(id) = nth(n) {
                    let message = store.message(MessageId(id)).unwrap().unwrap();
                    store
                        .rewind_to_message(&message.session_id, message.id)
                        .unwrap();
                }
            }
            Step::WeRestore => {
                for session in ["ours", "theirs"] {
                    store.restore_rewound(session, MessageId(0)).unwrap();
                }
            }
            Step::WeReplaceActive(session, text) => {
                store
                    .replace_active_messages(session, &[new(session, *text)])
                    .unwrap();
            }
            Step::WeClear(session) => store.clear_messages(session).unwrap(),
            Step::WeCompact(session, text) => {
                store
                    .archive_and_compact(session, &[new(session, *text)])
                    .unwrap();
            }
        }
        assert_whole_for(python, path);
    }
    store.clear_messages("ours").unwrap();
    store.clear_messages("theirs").unwrap();
    assert_whole_for(python, path);
    assert_eq!(found(&store, "wombat"), [0_i64; 0]);
}

#[test]
fn json_with_half_a_surrogate_pair_survives() {
    let home = crate::support::Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let half = JsonText::parse(r#"[{"id": "c", "arguments": "\ud83d"}]"#).unwrap();
    let message = NewMessage::new("s", "assistant")
        .content(half.clone())
        .tool_calls(half.clone());
    store.append_message(&message).unwrap();
    let stored = &messages_of(&store, "s")[0];
    assert_eq!(stored.content, Some(Content::Json(half.clone())));
    assert_eq!(stored.tool_calls, Some(half));
}
