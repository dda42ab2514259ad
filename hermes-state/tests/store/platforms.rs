//! Meta values, handoffs and Telegram topics.

use hermes_state::{Error, NewMessage, NewSession, Store, TopicBinding, TopicMode};
use serde_json::json;

use crate::support::{Home, ask, raw};

#[test]
fn meta_values_are_stored_and_replaced() {
    let home = Home::new();
    let store = home.store();
    assert_eq!(store.meta("k").unwrap(), None);
    store.set_meta("k", "one").unwrap();
    store.set_meta("k", "two").unwrap();
    assert_eq!(store.meta("k").unwrap().as_deref(), Some("two"));
    let old = testdata::fixture("v1.db");
    let old = Store::open_read_only(old.path()).unwrap();
    assert_eq!(old.meta("k").unwrap(), None);
}

#[test]
fn a_handoff_is_asked_for_taken_up_once_and_ends() {
    let home = Home::new();
    let store = home.store();
    for (id, at) in [("later", 2.0), ("s", 1.0)] {
        store
            .create_session(&NewSession::new(id, "cli").started_at(at))
            .unwrap();
    }
    let state = || serde_json::to_value(store.handoff("s").unwrap()).unwrap();
    let none = json!({"state": null, "platform": null, "error": null});
    assert_eq!(state(), none);
    assert_eq!(state().to_string(), none.to_string());
    assert!(!store.claim_handoff("s").unwrap());
    assert!(store.request_handoff("s", "telegram").unwrap());
    assert!(!store.request_handoff("s", "discord").unwrap());
    assert!(store.request_handoff("later", "discord").unwrap());
    let pending = store.pending_handoffs().unwrap();
    let pending: Vec<_> = pending.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(pending, ["s", "later"]);
    assert!(store.claim_handoff("s").unwrap());
    assert!(!store.claim_handoff("s").unwrap());
    assert!(!store.request_handoff("s", "discord").unwrap());
    store.fail_handoff("s", &"é".repeat(501)).unwrap();
    assert_eq!(
        state(),
        json!({"state": "failed", "platform": "telegram", "error": "é".repeat(500)})
    );
    assert!(store.request_handoff("s", "discord").unwrap());
    store.fail_handoff("s", "no").unwrap();
    store.complete_handoff("s").unwrap();
    assert_eq!(
        state(),
        json!({"state": "completed", "platform": "discord", "error": null})
    );
    assert_eq!(store.handoff("nobody").unwrap(), None);
    assert!(!store.complete_handoff("nobody").unwrap());
}

fn telegram_store(home: &Home, now: f64) -> Store {
    let store = home.store_at(now);
    for id in ["one", "two", "cli"] {
        let source = if id == "cli" { "cli" } else { "telegram" };
        store
            .create_session(&NewSession::new(id, source).user_id("u").started_at(1.0))
            .unwrap();
    }
    store
}

#[test]
fn without_the_tables_nothing_is_bound_and_reading_makes_none() {
    let home = Home::new();
    let store = telegram_store(&home, 10.0);
    assert_eq!(store.telegram_topic_binding("1", "2").unwrap(), None);
    assert_eq!(store.telegram_topic_binding_of("one").unwrap(), None);
    assert_eq!(store.telegram_topic_bindings("1").unwrap(), []);
    assert!(!store.is_telegram_topic_mode_enabled("1", "u").unwrap());
    assert!(!store.delete_telegram_topic_binding("1", "2").unwrap());
    store.disable_telegram_topic_mode("1", true).unwrap();
    assert_eq!(store.unlinked_telegram_sessions("u", 10).unwrap().len(), 2);
    let tables: i64 = ask(
        &home.path(),
        "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'telegram%'",
    );
    assert_eq!(tables, 0);
}

#[test]
fn topic_mode_belongs_to_a_chat_and_its_user() {
    let home = Home::new();
    let store = telegram_store(&home, 10.0);
    store
        .enable_telegram_topic_mode(&TopicMode::new("1", "u").has_topics_enabled(true))
        .unwrap();
    assert!(store.is_telegram_topic_mode_enabled("1", "u").unwrap());
    assert!(!store.is_telegram_topic_mode_enabled("1", "other").unwrap());
    store
        .enable_telegram_topic_mode(
            &TopicMode::new("1", "other").allows_users_to_create_topics(false),
        )
        .unwrap();
    let row: String = ask(
        &home.path(),
        "SELECT user_id || enabled || COALESCE(has_topics_enabled, '-') || allows_users_to_create_topics
         FROM telegram_dm_topic_mode",
    );
    assert_eq!(row, "other1-0");
    assert_eq!(
        store
            .meta("telegram_dm_topic_schema_version")
            .unwrap()
            .as_deref(),
        Some("2")
    );
    store.disable_telegram_topic_mode("1", true).unwrap();
    assert!(!store.is_telegram_topic_mode_enabled("1", "other").unwrap());
}

#[test]
fn a_session_has_one_topic_and_a_topic_one_session() {
    let home = Home::new();
    let store = telegram_store(&home, 10.0);
    let topic = |thread: &str, session: &str| TopicBinding::new("1", thread, "u", "key", session);
    store.bind_telegram_topic(&topic("2", "one")).unwrap();
    let error = store.bind_telegram_topic(&topic("3", "one")).unwrap_err();
    assert_eq!(
        error.problem(),
        "session is already linked to another Telegram topic"
    );
    let later = home.store_at(20.0);
    later
        .bind_telegram_topic(&topic("2", "two").managed_mode("manual"))
        .unwrap();
    let bound = store.telegram_topic_binding("1", "2").unwrap().unwrap();
    assert_eq!(
        serde_json::to_value(&bound).unwrap().to_string(),
        json!({
            "chat_id": "1", "thread_id": "2", "user_id": "u", "session_key": "key",
            "session_id": "two", "managed_mode": "manual", "linked_at": 10.0, "updated_at": 20.0
        })
        .to_string()
    );
    assert_eq!(
        store.telegram_topic_binding_of("two").unwrap(),
        Some(bound.clone())
    );
    assert_eq!(store.telegram_topic_bindings("1").unwrap(), [bound]);
    let unlinked = store.unlinked_telegram_sessions("u", 10).unwrap();
    assert_eq!(unlinked.len(), 1);
    assert_eq!(unlinked[0].session.id.as_str(), "one");
    assert!(store.delete_telegram_topic_binding("1", "2").unwrap());
    assert_eq!(store.unlinked_telegram_sessions("u", 10).unwrap().len(), 2);
}

#[test]
fn unlinked_sessions_come_by_activity_with_a_preview() {
    let home = Home::new();
    let store = telegram_store(&home, 10.0);
    store
        .append_message(&NewMessage::new("one", "user").content("preview this\nplease"))
        .unwrap();
    let unlinked = store.unlinked_telegram_sessions("u", 1).unwrap();
    assert_eq!(unlinked[0].session.id.as_str(), "one");
    assert_eq!(unlinked[0].preview, "preview this please");
    assert!((unlinked[0].last_active - 10.0).abs() < f64::EPSILON);
}

#[test]
fn a_binding_that_fails_leaves_no_tables_behind() {
    let home = Home::new();
    let store = telegram_store(&home, 10.0);
    let error = store
        .bind_telegram_topic(&TopicBinding::new("1", "2", "u", "key", "nobody"))
        .unwrap_err();
    assert!(matches!(error, Error::UnknownSession { .. }), "{error}");
    assert_eq!(
        store.meta("telegram_dm_topic_schema_version").unwrap(),
        None
    );
    assert_eq!(store.telegram_topic_bindings("1").unwrap(), []);
}

/// The table as it was before its sessions' deletion took the bindings along.
const OLD_BINDINGS: &str = "CREATE TABLE telegram_dm_topic_bindings (
        chat_id TEXT NOT NULL, thread_id TEXT NOT NULL, user_id TEXT NOT NULL,
        session_key TEXT NOT NULL, session_id TEXT NOT NULL REFERENCES sessions(id),
        managed_mode TEXT NOT NULL DEFAULT 'auto', linked_at REAL NOT NULL,
        updated_at REAL NOT NULL, PRIMARY KEY (chat_id, thread_id));
    INSERT INTO telegram_dm_topic_bindings VALUES ('1', '2', 'u', 'k', 'one', 'auto', 1, 1);
    INSERT INTO telegram_dm_topic_bindings VALUES ('1', '3', 'u', 'k', 'gone', 'auto', 1, 1);
    INSERT INTO state_meta VALUES ('telegram_dm_topic_schema_version', '1');";

#[test]
fn bindings_of_an_older_release_are_brought_to_the_present_form_whole() {
    let home = Home::new();
    let store = telegram_store(&home, 10.0);
    let conn = raw(&home.path());
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.execute_batch(OLD_BINDINGS).unwrap();
    store.apply_telegram_topic_migration().unwrap();
    let bindings = store.telegram_topic_bindings("1").unwrap();
    assert_eq!(bindings.len(), 1, "no binding of a session that is gone");
    assert_eq!(bindings[0].session_id.as_str(), "one");
    conn.pragma_update(None, "foreign_keys", true).unwrap();
    conn.execute("DELETE FROM sessions WHERE id = 'one'", [])
        .unwrap();
    assert_eq!(store.telegram_topic_bindings("1").unwrap(), []);
    let left: i64 = ask(
        &home.path(),
        "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE '%bindings_old%' OR sql LIKE '%bindings_old%'",
    );
    assert_eq!(left, 0);
    assert_eq!(
        store
            .meta("telegram_dm_topic_schema_version")
            .unwrap()
            .as_deref(),
        Some("2")
    );
}
