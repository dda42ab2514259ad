//! Appending: what is counted, what is stored, and what goes into the index.

use hermes_state::{Content, Error, JsonText, NewMessage, Session, Store, StoreOptions};
use rusqlite::types::Value as Sql;
use serde_json::json;

use crate::support::{Home, ask, assert_index_whole, found, messages_of, raw};

fn json(text: &str) -> JsonText {
    JsonText::parse(text).unwrap()
}

fn session(store: &Store, id: &str) -> Session {
    store.session(id).unwrap().unwrap()
}

fn counters(store: &Store, id: &str) -> (Option<i64>, Option<i64>) {
    let session = session(store, id);
    (session.message_count, session.tool_call_count)
}

#[test]
fn every_field_is_stored_and_read_back() {
    let home = Home::new();
    let store = home.store_at(7.25);
    store.ensure_session("s").unwrap();
    let id = store
        .append_message(
            &NewMessage::new("s", "assistant")
                .content("said")
                .tool_call_id("call_1")
                .tool_calls(json(r#"[{"id": "call_1"}]"#))
                .tool_name("terminal")
                .token_count(12)
                .finish_reason("stop")
                .reasoning("because")
                .reasoning_content("because, too")
                .reasoning_details(json("[1]"))
                .codex_reasoning_items(json("[2]"))
                .codex_message_items(json("[3]")),
        )
        .unwrap();
    let message = &messages_of(&store, "s")[0];
    assert_eq!(message.id, id);
    assert_eq!(message.timestamp, 7.25);
    let read = serde_json::to_value(message).unwrap();
    let expected = json!({
        "id": id.0, "session_id": "s", "role": "assistant", "content": "said",
        "tool_call_id": "call_1", "tool_calls": [{"id": "call_1"}], "tool_name": "terminal",
        "timestamp": 7.25, "token_count": 12, "finish_reason": "stop", "reasoning": "because",
        "reasoning_content": "because, too", "reasoning_details": "[1]",
        "codex_reasoning_items": "[2]", "codex_message_items": "[3]",
    });
    assert_eq!(read, expected);
}

#[test]
fn messages_and_tool_calls_are_counted() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    // A list counts its items, anything else one, also when it is stored as NULL.
    for (calls, charged) in [
        (None, 0),
        (Some("[]"), 0),
        (Some(r#"[{"id": "a"}, {"id": "b"}]"#), 2),
        (Some(r#"{"id": "a"}"#), 1),
        (Some("{}"), 1),
        (Some("\"\""), 1),
        (Some("null"), 1),
    ] {
        let (messages, tool_calls) = counters(&store, "s");
        let mut message = NewMessage::new("s", "tool");
        if let Some(calls) = calls {
            message = message.tool_calls(json(calls));
        }
        store.append_message(&message).unwrap();
        let expected = (messages.map(|n| n + 1), tool_calls.map(|n| n + charged));
        assert_eq!(counters(&store, "s"), expected, "{calls:?}");
    }
}

#[test]
fn a_counter_that_is_null_counts_from_nothing() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    raw(&home.path())
        .execute(
            "UPDATE sessions SET message_count = NULL, tool_call_count = NULL",
            [],
        )
        .unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content("x"))
        .unwrap();
    assert_eq!(counters(&store, "s"), (Some(1), Some(0)));
}

#[test]
fn empty_json_is_stored_as_null() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    for empty in ["null", "[]", "{}", "\"\"", "0", "false", " [ ] "] {
        let message = NewMessage::new("s", "assistant")
            .tool_calls(json(empty))
            .reasoning_details(json(empty))
            .codex_reasoning_items(json(empty))
            .codex_message_items(json(empty));
        store.append_message(&message).unwrap();
    }
    let stored: i64 = ask(
        &home.path(),
        "SELECT COUNT(*) FROM messages WHERE tool_calls IS NULL AND reasoning_details IS NULL
         AND codex_reasoning_items IS NULL AND codex_message_items IS NULL",
    );
    assert_eq!(stored, 7);
}

#[test]
fn structured_values_are_stored_with_pythons_separators_and_raw_text() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let value = json!([{"type": "text", "text": "山水 é"}, {"n": 1.5}]);
    store
        .append_message(
            &NewMessage::new("s", "user")
                .content(JsonText::from_value(&value))
                .tool_calls(JsonText::from_value(&value)),
        )
        .unwrap();
    let text = r#"[{"type": "text", "text": "山水 é"}, {"n": 1.5}]"#;
    assert_eq!(
        ask::<String>(&home.path(), "SELECT content FROM messages"),
        format!("\0json:{text}")
    );
    assert_eq!(
        ask::<String>(&home.path(), "SELECT tool_calls FROM messages"),
        text
    );
}

#[test]
fn bytes_are_stored_as_a_blob() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    store
        .append_message(&NewMessage::new("s", "tool").content(vec![0, 255, 7]))
        .unwrap();
    assert_eq!(
        ask::<Vec<u8>>(&home.path(), "SELECT content FROM messages"),
        [0, 255, 7]
    );
    assert_eq!(
        messages_of(&store, "s")[0].content,
        Some(Content::Bytes(vec![0, 255, 7]))
    );
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn a_message_for_an_unknown_session_is_refused() {
    let home = Home::new();
    let store = home.store();
    let error = store
        .append_message(&NewMessage::new("nobody", "user").content("x"))
        .unwrap_err();
    assert!(
        matches!(&error, Error::UnknownSession { id } if id == "nobody"),
        "{error}"
    );
    assert_eq!(ask::<i64>(&home.path(), "SELECT COUNT(*) FROM messages"), 0);
}

#[test]
fn a_message_at_no_time_is_refused() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    for time in [f64::NAN, f64::INFINITY] {
        let error = store
            .append_message(&NewMessage::new("s", "user").timestamp(time))
            .unwrap_err();
        assert_eq!(error.code(), "invalid");
    }
    let stopped = StoreOptions::new()
        .clock(|| f64::NAN)
        .open(home.path())
        .unwrap();
    let error = stopped
        .append_message(&NewMessage::new("s", "user"))
        .unwrap_err();
    assert_eq!(error.code(), "invalid", "{error}");
    assert_eq!(stopped.end_session("s", "x").unwrap_err().code(), "invalid");
    assert_eq!(counters(&store, "s").0, Some(0));
}

#[test]
fn an_ended_session_takes_messages() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    store.end_session("s", "user_exit").unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content("one more"))
        .unwrap();
    assert!(session(&store, "s").ended_at.is_some());
    assert_eq!(messages_of(&store, "s").len(), 1);
}

#[test]
fn a_batch_is_stored_whole_or_not_at_all() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("a").unwrap();
    store.ensure_session("b").unwrap();
    let message = |session: &str| NewMessage::new(session, "user").content("quokka");
    let ids = store
        .append_messages(&[message("a"), message("b"), message("a")])
        .unwrap();
    assert!(ids.is_sorted() && ids.len() == 3);
    assert_eq!(counters(&store, "a").0, Some(2));

    let error = store
        .append_messages(&[message("a"), message("nobody")])
        .unwrap_err();
    assert_eq!(error.code(), "unknown_session");
    let late = message("b").timestamp(f64::NAN);
    assert!(store.append_messages(&[message("a"), late]).is_err());
    assert_eq!(counters(&store, "a").0, Some(2));
    assert_eq!(found(&store, "quokka").len(), 3);
    assert_eq!(store.append_messages(&[]).unwrap(), []);

    // What was rolled back has used no id, and no id is used twice.
    let next = store.append_message(&message("a")).unwrap();
    assert_eq!(next.0, ids[2].0 + 1);
    raw(&home.path())
        .execute("DELETE FROM messages WHERE id = ?1", [next.0])
        .unwrap();
    assert_eq!(store.append_message(&message("a")).unwrap().0, next.0 + 1);
    drop(store);
    assert_index_whole(&home.path());
}

/// What both indexes hold for a message.
fn indexed(home: &Home, content: impl Into<Content>) -> String {
    let store = home.store();
    store.ensure_session("s").unwrap();
    let message = NewMessage::new("s", "tool")
        .content(content)
        .tool_name("vision");
    let id = store.append_message(&message).unwrap();
    let text = |table: &str| {
        let sql = format!("SELECT c0 FROM {table}_content WHERE id = {}", id.0);
        ask::<String>(&home.path(), &sql)
    };
    let words = text("messages_fts");
    assert_eq!(words, text("messages_fts_trigram"));
    drop(store);
    assert_index_whole(&home.path());
    words
}

#[test]
fn text_is_indexed_as_the_triggers_do() {
    assert_eq!(indexed(&Home::new(), "plain 山水"), "plain 山水 vision ");
}

#[test]
fn structured_content_is_indexed_as_its_texts() {
    let parts = JsonText::from_value(&json!([
        {"type": "text", "text": "look at 山水"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ]));
    assert_eq!(indexed(&Home::new(), parts), "look at 山水 vision ");
}

#[test]
fn a_nul_is_indexed_as_a_blank_wherever_it_comes_from() {
    let home = Home::new();
    assert_eq!(indexed(&home, "before\0after"), "before after vision ");
    // Looks like structured content, but is none.
    assert_eq!(indexed(&home, "\0json:{broken"), " json:{broken vision ");
    assert_eq!(indexed(&home, json(r#"["a\u0000b"]"#)), "a b vision ");
    assert_eq!(
        indexed(&home, b"bytes\0within".to_vec()),
        "bytes within vision "
    );
    let store = home.store();
    for message in [
        NewMessage::new("s", "tool").tool_name("na\0me"),
        NewMessage::new("s", "tool")
            .content("x")
            .tool_name("a\0b\0\0c"),
    ] {
        store.append_message(&message).unwrap();
    }
    let conn = raw(&home.path());
    for table in ["messages_fts", "messages_fts_trigram"] {
        let held: i64 = conn
            .query_row(
                &format!("SELECT COUNT(*) FROM {table}_content WHERE instr(c0, char(0)) > 0"),
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(held, 0, "{table}");
    }
    assert_eq!(found(&store, "after"), [1]);
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn what_is_indexed_otherwise_can_be_deleted_and_changed_by_the_triggers() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let parts = json(r#"[{"type": "text", "text": "quokka 山水画"}]"#);
    for content in [
        Content::from(parts),
        Content::from("nul\0quokka"),
        Content::from("quokka"),
    ] {
        store
            .append_message(&NewMessage::new("s", "user").content(content))
            .unwrap();
    }
    let conn = raw(&home.path());
    conn.execute("DELETE FROM messages WHERE id = 1", [])
        .unwrap();
    conn.execute("UPDATE messages SET content = 'numbat' WHERE id = 2", [])
        .unwrap();
    assert_eq!(found(&store, "quokka"), [3]);
    assert_eq!(found(&store, "山水画"), [] as [i64; 0]);
    assert_eq!(found(&store, "numbat"), [2]);
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn a_rowid_in_the_index_is_the_messages_id_also_after_gaps() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    raw(&home.path())
        .execute("INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (5000000000, 's', 'user', 'x', 1.0)", [])
        .unwrap();
    let parts = json(r#"[{"type": "text", "text": "quokka"}]"#);
    let id = store
        .append_message(&NewMessage::new("s", "user").content(parts))
        .unwrap();
    assert_eq!(id.0, 5_000_000_001);
    assert_eq!(found(&store, "quokka"), [id.0]);
}

#[test]
fn a_write_after_the_file_was_raised_to_a_newer_version_is_refused() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let other = raw(&home.path());
    other
        .execute_batch(
            "ALTER TABLE messages ADD COLUMN later TEXT; UPDATE messages SET later = 'x'",
        )
        .unwrap();
    // A column more is no reason to stop.
    store
        .append_message(&NewMessage::new("s", "user").content("quokka"))
        .unwrap();
    assert_eq!(messages_of(&store, "s")[0].extra["later"], json!(null));
    other
        .execute_batch("ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1; UPDATE schema_version SET version = 23")
        .unwrap();
    let error = store
        .append_message(&NewMessage::new("s", "user").content("x"))
        .unwrap_err();
    assert!(
        matches!(error, Error::SchemaTooNew { found: 23, .. }),
        "{error}"
    );
    assert_eq!(store.schema_version(), 23);
    assert_eq!(found(&store, "quokka"), [1]);
}

#[test]
fn a_version_that_is_raised_without_a_change_of_tables_is_noticed() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    raw(&home.path())
        .execute("UPDATE schema_version SET version = 23", [])
        .unwrap();
    let error = store
        .append_message(&NewMessage::new("s", "user").content("x"))
        .unwrap_err();
    assert_eq!(error.code(), "schema_too_new", "{error}");
    assert_eq!(ask::<i64>(&home.path(), "SELECT COUNT(*) FROM messages"), 0);
}

#[test]
fn text_in_a_number_column_is_read_as_it_stands() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let conn = raw(&home.path());
    conn.execute(
        "UPDATE sessions SET message_count = 'many', title = x'00ff'",
        [],
    )
    .unwrap();
    let session = session(&store, "s");
    assert_eq!(session.message_count, None);
    assert_eq!(session.raw["message_count"], json!("many"));
    assert_eq!(session.raw["title"], json!({"$bytes": "AP8="}));
    let stored: Sql = conn
        .query_row("SELECT message_count FROM sessions", [], |row| row.get(0))
        .unwrap();
    assert_eq!(stored, Sql::Text("many".to_owned()));
}
