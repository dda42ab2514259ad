//! Sessions: creating, ending, finding, listing.

use hermes_state::{Error, JsonText, ListOptions, NewMessage, NewSession, SessionSummary, Store};
use serde_json::{Value, json};

use crate::support::{Home, raw};

fn listed(store: &Store) -> Vec<SessionSummary> {
    store.list_sessions(&ListOptions::default()).unwrap()
}

fn ids(summaries: &[SessionSummary]) -> Vec<&str> {
    summaries.iter().map(|s| s.session.id.as_str()).collect()
}

#[test]
fn creating_stores_what_is_given_and_an_existing_session_stays_as_it_is() {
    let home = Home::new();
    let store = home.store_at(1000.5);
    store.ensure_session("parent").unwrap();
    let new = NewSession::new("s", "cli")
        .model("hermes-4")
        .model_config(JsonText::from_value(&json!({"effort": "high", "ключ": 1})))
        .system_prompt("Be brief.")
        .user_id("u1")
        .parent("parent");
    assert!(store.create_session(&new).unwrap());
    assert!(
        !store
            .create_session(&NewSession::new("s", "telegram").model("other"))
            .unwrap()
    );
    assert!(!store.ensure_session("s").unwrap());
    let session = store.session("s").unwrap().unwrap();
    assert_eq!(session.source, "cli");
    assert_eq!(session.model.as_deref(), Some("hermes-4"));
    assert_eq!(
        session.model_config.as_deref(),
        Some(r#"{"effort": "high", "ключ": 1}"#)
    );
    assert_eq!(session.system_prompt.as_deref(), Some("Be brief."));
    assert_eq!(session.user_id.as_deref(), Some("u1"));
    assert_eq!(session.parent_session_id.as_deref(), Some("parent"));
    assert_eq!(session.started_at, 1000.5);
    assert_eq!(
        (session.message_count, session.tool_call_count),
        (Some(0), Some(0))
    );
    assert_eq!(store.session("parent").unwrap().unwrap().source, "unknown");
}

#[test]
fn an_empty_model_config_is_stored_as_null() {
    let home = Home::new();
    let store = home.store();
    let empty = JsonText::parse("{}").unwrap();
    store
        .create_session(&NewSession::new("s", "cli").model_config(empty))
        .unwrap();
    assert_eq!(store.session("s").unwrap().unwrap().model_config, None);
}

#[test]
fn what_cannot_be_a_session_is_refused() {
    let home = Home::new();
    let store = home.store();
    let code = |new: &NewSession| store.create_session(new).unwrap_err().code();
    assert_eq!(code(&NewSession::new("", "cli")), "invalid");
    assert_eq!(
        code(&NewSession::new("s", "cli").parent("nobody")),
        "unknown_parent"
    );
    // It would be in no list: it is not a root, and its parent is not one either.
    assert_eq!(
        code(&NewSession::new("s", "cli").parent("s")),
        "unknown_parent"
    );
    for time in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(
            code(&NewSession::new("s", "cli").started_at(time)),
            "invalid"
        );
    }
    assert_eq!(store.session("s").unwrap(), None);
    // One that exists is left alone whatever is asked.
    store.ensure_session("s").unwrap();
    assert!(
        !store
            .create_session(&NewSession::new("s", "cli").parent("nobody"))
            .unwrap()
    );
}

#[test]
fn the_first_end_wins_and_reopening_clears_it() {
    let home = Home::new();
    let store = home.store_at(50.0);
    store.ensure_session("s").unwrap();
    assert!(store.end_session("s", "user_exit").unwrap());
    assert!(!store.end_session("s", "timeout").unwrap());
    let ended = store.session("s").unwrap().unwrap();
    assert_eq!(
        (ended.ended_at, ended.end_reason.as_deref()),
        (Some(50.0), Some("user_exit"))
    );
    store.reopen_session("s").unwrap();
    let open = store.session("s").unwrap().unwrap();
    assert_eq!((open.ended_at, open.end_reason), (None, None));
    for error in [
        store.end_session("no", "x").unwrap_err(),
        store.reopen_session("no").unwrap_err(),
    ] {
        assert!(matches!(error, Error::UnknownSession { .. }), "{error}");
    }
}

#[test]
fn an_id_is_resolved_by_itself_or_by_the_only_one_that_begins_so() {
    let home = Home::new();
    let store = home.store();
    for id in [
        "20260101_aaa",
        "20260101_aab",
        "wild%card_id",
        "wildXcard_id",
        "Straße",
    ] {
        store.ensure_session(id).unwrap();
    }
    let resolved = |text: &str| {
        let id = store.resolve_session_id(text).unwrap();
        id.map(|id| id.to_string())
    };
    assert_eq!(resolved("20260101_aaa").as_deref(), Some("20260101_aaa"));
    assert_eq!(resolved("20260101_aa"), None);
    assert_eq!(resolved("wild%").as_deref(), Some("wild%card_id"));
    assert_eq!(resolved("wild_"), None);
    assert_eq!(resolved("stra").as_deref(), Some("Straße"));
    assert_eq!(resolved("nobody"), None);
    assert_eq!(resolved("\\"), None);
    // Python resolves it where there is one session (quirk Q17).
    assert_eq!(resolved(""), None);
}

#[test]
fn ids_are_resolved_as_recorded() {
    let fixture = testdata::fixture("v11.db");
    let store = Store::open_read_only(fixture.path()).unwrap();
    let id = store.resolve_session_id("20260101_120000_ab").unwrap();
    assert_eq!(id, None);
    let id = store.resolve_session_id("20260101_120000_abc").unwrap();
    assert_eq!(id.unwrap().as_str(), "20260101_120000_abc111");
    let id = store.resolve_session_id("tg_大").unwrap();
    assert_eq!(id.unwrap().as_str(), "tg_大别山_001");
}

#[test]
fn a_list_has_the_newest_first_and_the_first_stored_among_equals() {
    let home = Home::new();
    let store = home.store();
    for (id, started) in [("b", 2.0), ("a", 2.0), ("new", 3.0), ("old", 1.0)] {
        store
            .create_session(&NewSession::new(id, "cli").started_at(started))
            .unwrap();
    }
    assert_eq!(ids(&listed(&store)), ["new", "b", "a", "old"]);
    let mut options = ListOptions::default();
    options.limit = 2;
    options.offset = 1;
    assert_eq!(ids(&store.list_sessions(&options).unwrap()), ["b", "a"]);
    options.limit = 0;
    assert_eq!(store.list_sessions(&options).unwrap(), []);
}

#[test]
fn a_list_keeps_to_the_sources_asked_for() {
    let home = Home::new();
    let store = home.store();
    for (n, source) in ["cli", "telegram", "cron"].iter().enumerate() {
        let started = 10.0 - n as f64;
        store
            .create_session(&NewSession::new(*source, *source).started_at(started))
            .unwrap();
    }
    let mut options = ListOptions::default();
    options.sources = vec!["cli".to_owned(), "cron".to_owned()];
    assert_eq!(
        ids(&store.list_sessions(&options).unwrap()),
        ["cli", "cron"]
    );
    options.exclude_sources = vec!["cron".to_owned()];
    assert_eq!(ids(&store.list_sessions(&options).unwrap()), ["cli"]);
    options.sources.clear();
    assert_eq!(
        ids(&store.list_sessions(&options).unwrap()),
        ["cli", "telegram"]
    );
}

fn preview_of(content: Value) -> String {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let said = |message: NewMessage| match &content {
        Value::Null => message,
        Value::String(text) => message.content(text.as_str()),
        structured => message.content(JsonText::from_value(structured)),
    };
    store
        .append_messages(&[
            NewMessage::new("s", "assistant")
                .content("not the user")
                .timestamp(1.0),
            NewMessage::new("s", "user").timestamp(2.0),
            said(NewMessage::new("s", "user").timestamp(3.0)),
        ])
        .unwrap();
    listed(&store)[0].preview.clone()
}

#[test]
fn a_preview_is_the_first_thing_the_user_said_on_one_line() {
    assert_eq!(preview_of(json!("Why?\nIt fails.\r\n")), "Why? It fails.");
    assert_eq!(preview_of(Value::Null), "");
    assert_eq!(preview_of(json!("x".repeat(60))), "x".repeat(60));
    assert_eq!(
        preview_of(json!("山".repeat(61))),
        format!("{}...", "山".repeat(60))
    );
    // The blanks count before they are cut off, as in Hermes.
    assert_eq!(preview_of(json!(format!("{}y", " ".repeat(63)))), "");
}

#[test]
fn a_preview_shows_what_structured_content_and_text_with_nul_say() {
    let parts = json!([
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "What is this?"},
    ]);
    assert_eq!(preview_of(parts), "What is this?");
    assert_eq!(preview_of(json!("before\0after")), "before after");
}

#[test]
fn the_last_activity_is_the_newest_message_or_the_start() {
    let home = Home::new();
    let store = home.store();
    store
        .create_session(&NewSession::new("s", "cli").started_at(5.0))
        .unwrap();
    assert_eq!(listed(&store)[0].last_active, 5.0);
    for time in [9.0, 7.0] {
        store
            .append_message(&NewMessage::new("s", "user").timestamp(time))
            .unwrap();
    }
    assert_eq!(listed(&store)[0].last_active, 9.0);
    // A word where a time belongs sorts above every number.
    raw(&home.path())
        .execute(
            "UPDATE messages SET timestamp = 'soon' WHERE timestamp = 9.0",
            [],
        )
        .unwrap();
    assert_eq!(listed(&store)[0].last_active, 7.0);
}

/// root → middle → tip, each ended by a compression before the next began, and a sub-agent.
fn compressed(store: &Store, path: &std::path::Path) {
    for (id, started, parent) in [
        ("root", 1.0, None),
        ("middle", 3.0, Some("root")),
        ("tip", 5.0, Some("middle")),
        ("helper", 1.5, Some("root")),
    ] {
        let mut new = NewSession::new(id, "cli")
            .started_at(started)
            .model(format!("model of {id}"));
        if let Some(parent) = parent {
            new = new.parent(parent);
        }
        store.create_session(&new).unwrap();
        let message = NewMessage::new(id, "user").content(format!("said in {id}"));
        store.append_message(&message.timestamp(started)).unwrap();
    }
    let conn = raw(path);
    for (id, ended) in [("root", 2.0), ("middle", 4.0)] {
        conn.execute(
            "UPDATE sessions SET ended_at = ?2, end_reason = 'compression' WHERE id = ?1",
            rusqlite::params![id, ended],
        )
        .unwrap();
    }
}

#[test]
fn a_compressed_session_is_shown_as_its_last_continuation() {
    let home = Home::new();
    let store = home.store();
    compressed(&store, &home.path());
    let list = listed(&store);
    assert_eq!(ids(&list), ["tip"]);
    let shown = &list[0];
    assert_eq!(shown.lineage_root_id.as_ref().unwrap().as_str(), "root");
    assert_eq!(shown.session.started_at, 1.0);
    assert_eq!(shown.session.ended_at, None);
    assert_eq!(shown.session.model.as_deref(), Some("model of tip"));
    assert_eq!(
        (shown.last_active, shown.preview.as_str()),
        (5.0, "said in tip")
    );
    let keys = serde_json::to_value(shown).unwrap();
    let keys: Vec<&String> = keys.as_object().unwrap().keys().rev().take(3).collect();
    assert_eq!(keys, ["_lineage_root_id", "preview", "last_active"]);

    let mut options = ListOptions::default();
    options.project_compression = false;
    assert_eq!(ids(&store.list_sessions(&options).unwrap()), ["root"]);
    options.include_children = true;
    assert_eq!(
        ids(&store.list_sessions(&options).unwrap()),
        ["tip", "middle", "helper", "root"]
    );
}

#[test]
fn a_branch_stands_for_itself() {
    let home = Home::new();
    let store = home.store_at(2.0);
    store
        .create_session(&NewSession::new("root", "cli").started_at(1.0))
        .unwrap();
    store.end_session("root", "branched").unwrap();
    store
        .create_session(
            &NewSession::new("branch", "cli")
                .started_at(2.0)
                .parent("root"),
        )
        .unwrap();
    store
        .create_session(
            &NewSession::new("helper", "cli")
                .started_at(1.5)
                .parent("root"),
        )
        .unwrap();
    assert_eq!(ids(&listed(&store)), ["branch", "root"]);
}

#[test]
fn sessions_that_are_each_others_parents_do_not_stop_a_list() {
    let fixture = testdata::fixture("orphans_and_cycle_v11.db");
    raw(fixture.path())
        .execute(
            "UPDATE sessions SET ended_at = 0.0, end_reason = 'compression'",
            [],
        )
        .unwrap();
    let store = Store::open_read_only(fixture.path()).unwrap();
    let mut options = ListOptions::default();
    options.limit = usize::MAX;
    assert!(store.list_sessions(&options).unwrap().len() > 3);
    options.include_children = true;
    assert_eq!(store.list_sessions(&options).unwrap().len(), 26);
}

#[test]
fn a_session_is_serialised_with_the_columns_as_keys() {
    let home = Home::new();
    let store = home.store_at(1.0);
    store.ensure_session("s").unwrap();
    let session = serde_json::to_value(store.session("s").unwrap().unwrap()).unwrap();
    let keys: Vec<&String> = session.as_object().unwrap().keys().collect();
    let columns: Vec<String> = {
        let conn = raw(&home.path());
        let mut statement = conn
            .prepare("SELECT name FROM pragma_table_info('sessions')")
            .unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    assert_eq!(keys, columns.iter().collect::<Vec<_>>());
}

/// EXP-06: a program without foreign keys has deleted the parent.
#[test]
fn a_session_whose_parent_is_gone_goes_on_without_one() {
    for name in ["v11.db", "v22.db"] {
        let fixture = testdata::fixture(name);
        let store = Store::open(fixture.path()).unwrap();
        store.ensure_session("p").unwrap();
        let child = NewSession::new("s", "cli").parent("p");
        store.create_session(&child).unwrap();
        let conn = raw(fixture.path());
        conn.pragma_update(None, "foreign_keys", false).unwrap();
        conn.execute("DELETE FROM sessions WHERE id = 'p'", [])
            .unwrap();
        drop(conn);
        let message = NewMessage::new("s", "user").content("still here");
        store.append_message(&message).unwrap();
        assert!(!store.create_session(&child).unwrap(), "{name}");
        store.append_message(&message).unwrap();
        let session = store.session("s").unwrap().unwrap();
        assert_eq!(session.parent_session_id, None, "{name}");
        assert_eq!(session.message_count, Some(2), "{name}");
    }
}

/// EXP-07: not to be lost for want of a parent, if the caller wants it so.
#[test]
fn a_session_of_an_unknown_parent_is_refused_or_created_without_it_as_the_caller_says() {
    for name in ["v11.db", "v22.db"] {
        let fixture = testdata::fixture(name);
        let store = Store::open(fixture.path()).unwrap();
        let new = || NewSession::new("c9", "cli");
        let error = store.create_session(&new().parent("ghost")).unwrap_err();
        assert!(
            matches!(&error, Error::UnknownParent { id } if id == "ghost"),
            "{error}"
        );
        assert!(store.session("c9").unwrap().is_none());
        assert!(
            store
                .create_session(&new().parent_if_there("ghost"))
                .unwrap()
        );
        let stored = || store.session("c9").unwrap().unwrap().parent_session_id;
        assert_eq!(stored(), None, "{name}");
        store.ensure_session("root").unwrap();
        let other = NewSession::new("c10", "cli").parent_if_there("root");
        assert!(store.create_session(&other).unwrap());
        let other = store.session("c10").unwrap().unwrap();
        assert_eq!(other.parent_session_id.as_deref(), Some("root"));
        // None is its own parent.
        let own = NewSession::new("c11", "cli").parent_if_there("c11");
        assert!(store.create_session(&own).unwrap());
        let own = store.session("c11").unwrap().unwrap();
        assert_eq!(own.parent_session_id, None);
    }
}

#[test]
fn where_an_existing_store_is_wanted_none_is_created() {
    let home = Home::new();
    let open = || {
        hermes_state::StoreOptions::new()
            .existing_only()
            .open(home.path())
    };
    assert_eq!(open().unwrap_err().code(), "no_store");
    assert!(!home.path().exists());
    std::fs::write(home.path(), "").unwrap();
    assert_eq!(open().unwrap_err().code(), "no_store");
    assert_eq!(std::fs::read(home.path()).unwrap(), b"");
    // A database without tables.
    raw(&home.path()).execute_batch("VACUUM").unwrap();
    let before = std::fs::read(home.path()).unwrap();
    assert!(!before.is_empty());
    assert_eq!(open().unwrap_err().code(), "no_store");
    assert_eq!(std::fs::read(home.path()).unwrap(), before);
    home.store().ensure_session("s").unwrap();
    assert!(open().unwrap().session("s").unwrap().is_some());
}

#[test]
fn the_runs_of_a_job_are_the_cron_sessions_that_its_id_begins() {
    let home = Home::new();
    let store = home.store();
    for (n, (id, source)) in [
        ("cron_j_1", "cron"),
        ("cron_j_2", "cron"),
        ("cron_j2_1", "cron"),
        ("cron_jx_1", "cron"),
        ("CRON_J_1", "cron"),
        ("cron_j_3", "cli"),
        ("cron_j", "cron"),
        ("cron_%_1", "cron"),
        ("cron_大_1", "cron"),
    ]
    .into_iter()
    .enumerate()
    {
        let new = NewSession::new(id, source).started_at(n as f64);
        store.create_session(&new).unwrap();
    }
    let message = NewMessage::new("cron_j_1", "user").content("do it");
    store.append_message(&message.timestamp(50.0)).unwrap();
    let runs = |job: &str, limit, offset| {
        let found = store.cron_job_runs(job, limit, offset).unwrap();
        found
            .iter()
            .map(|s| s.session.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(runs("j", 20, 0), ["cron_j_2", "cron_j_1"]);
    assert_eq!(runs("j", 1, 1), ["cron_j_1"]);
    assert_eq!(runs("%", usize::MAX, 0), ["cron_%_1"]);
    assert_eq!(runs("大", 20, 0), ["cron_大_1"]);
    assert!(runs("", 20, 0).is_empty() && runs("j", 0, 0).is_empty());
    let first = &store.cron_job_runs("j", 20, 1).unwrap()[0];
    assert_eq!((first.preview.as_str(), first.last_active), ("do it", 50.0));
}

#[test]
fn the_directories_of_sessions_are_told_with_how_many_worked_there() {
    let fixture = testdata::fixture("v22.db");
    let store = Store::open(fixture.path()).unwrap();
    raw(fixture.path())
        .execute("UPDATE sessions SET cwd = NULL", [])
        .unwrap();
    for (n, (id, cwd)) in [("a1", "/a"), ("a2", "/a"), ("b", "/b/"), ("none", "  ")]
        .into_iter()
        .enumerate()
    {
        let new = NewSession::new(id, "cli").cwd(cwd).started_at(n as f64);
        store.create_session(&new).unwrap();
    }
    store.set_session_archived("a2", true).unwrap();
    let told = |archived| {
        let found = store.session_directories(archived).unwrap();
        found
            .into_iter()
            .map(|of| (of.cwd, of.sessions, of.last_active))
            .collect::<Vec<_>>()
    };
    let b = ("/b/".to_owned(), 1, 2.0);
    assert_eq!(told(false), [("/a".to_owned(), 1, 0.0), b.clone()]);
    assert_eq!(told(true), [("/a".to_owned(), 2, 1.0), b]);
    let home = Home::new();
    let error = home.store().session_directories(true).unwrap_err();
    assert_eq!(error.code(), "unsupported");
}
