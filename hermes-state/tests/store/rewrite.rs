//! Replacing, taking back, restoring and archiving messages.

use hermes_state::{
    Content, Error, JsonText, MessageId, MessagePage, NewMessage, NewSession, Session, Store,
};
use serde_json::{Value, json};

use crate::support::{Home, ask, found, list_all, messages_of, raw};

fn store_of_22() -> (testdata::Fixture, Store) {
    let fixture = testdata::fixture("v22.db");
    let store = Store::open(fixture.path()).unwrap();
    store.ensure_session("s").unwrap();
    (fixture, store)
}

fn said(role: &str, text: &str) -> NewMessage {
    NewMessage::new("s", role).content(text)
}

fn texts(store: &Store) -> Vec<String> {
    messages_of(store, "s")
        .into_iter()
        .map(|m| m.content.unwrap().plain_text().into_owned())
        .collect()
}

fn session(store: &Store) -> Session {
    list_all(store)
        .into_iter()
        .find(|s| s.session.id.as_str() == "s")
        .unwrap()
        .session
}

fn counts(store: &Store) -> (i64, i64) {
    let session = session(store);
    (
        session.message_count.unwrap(),
        session.tool_call_count.unwrap(),
    )
}

fn calls(n: usize) -> JsonText {
    JsonText::from_value(&Value::from(vec![json!({"id": "c"}); n]))
}

#[test]
fn a_newer_store_takes_the_newer_fields_and_says_that_messages_are_active() {
    let (fixture, store) = store_of_22();
    let full = said("user", "hello")
        .platform_message_id("pm")
        .observed(true)
        .effect_disposition("applied")
        .api_content("for the model");
    store
        .append_messages(&[full, said("user", "plain")])
        .unwrap();
    let row = |id: &str| -> String {
        let sql = format!(
            "SELECT active || ',' || compacted || ',' || observed || ',' || COALESCE(platform_message_id, '-')
                 || ',' || COALESCE(effect_disposition, '-') || ',' || COALESCE(api_content, '-')
             FROM messages WHERE session_id = 's' AND content = '{id}'"
        );
        ask(fixture.path(), &sql)
    };
    assert_eq!(row("hello"), "1,0,1,pm,applied,for the model");
    assert_eq!(row("plain"), "1,0,0,-,-,-");
    assert!(store.has_platform_message_id("s", "pm").unwrap());
    assert!(!store.has_platform_message_id("s", "other").unwrap());
    assert!(!store.has_platform_message_id("other", "pm").unwrap());
}

#[test]
fn every_writable_version_takes_an_append() {
    for version in ["v11", "v13", "v14", "v16", "v19", "v22"] {
        let fixture = testdata::fixture(&format!("{version}.db"));
        let store = Store::open(fixture.path()).unwrap();
        store.ensure_session("s").unwrap();
        store.append_message(&said("user", "quokka")).unwrap();
        assert_eq!(texts(&store), ["quokka"], "{version}");
        assert_eq!(found(&store, "quokka").len(), 1, "{version}");
    }
}

#[test]
fn what_version_11_has_no_column_for_is_refused_and_nothing_written() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let refused = [
        said("user", "x").platform_message_id("pm"),
        said("user", "x").observed(true),
        said("user", "x").effect_disposition("applied"),
        said("user", "x").api_content("y"),
    ];
    let needs = refused.map(
        |message| match store.append_message(&message).unwrap_err() {
            Error::Unsupported {
                needs, found: 11, ..
            } => needs,
            other => panic!("{other}"),
        },
    );
    assert_eq!(needs, [13, 13, 22, 22]);
    let unsupported = |outcome: Result<(), Error>| {
        assert!(
            matches!(outcome, Err(Error::Unsupported { .. })),
            "{outcome:?}"
        );
    };
    let id = store
        .append_message(&said("user", "x").observed(false))
        .unwrap();
    unsupported(store.rewind_to_message("s", id).map(drop));
    unsupported(store.restore_rewound("s", id).map(drop));
    unsupported(store.archive_and_compact("s", &[]).map(drop));
    unsupported(
        store
            .set_latest_user_api_content("s", Some(&"x".into()), Some("y"))
            .map(drop),
    );
    assert!(!store.has_archived_messages("s").unwrap());
    assert_eq!(texts(&store), ["x"]);
    assert_eq!(counts(&store), (1, 0));
}

#[test]
fn replacing_counts_anew_keeps_given_times_and_reasoning_of_assistants_only() {
    let home = Home::new();
    let store = home.store_at(1000.0);
    store.ensure_session("s").unwrap();
    store
        .append_messages(&[
            said("assistant", "old").tool_calls(calls(3)),
            said("user", "old"),
        ])
        .unwrap();
    let new = [
        said("user", "one")
            .reasoning("mine")
            .reasoning_details(calls(1)),
        said("assistant", "two")
            .reasoning("why")
            .tool_calls(calls(2))
            .timestamp(5.0),
        said("user", "three"),
    ];
    let ids = store.replace_messages("s", &new).unwrap();
    let messages = messages_of(&store, "s");
    assert_eq!(messages.iter().map(|m| m.id).collect::<Vec<_>>(), ids);
    let times: Vec<f64> = messages.iter().map(|m| m.timestamp).collect();
    assert_eq!(times, [1000.0, 5.0, 1_000.000_002]);
    let reasoning: Vec<_> = messages.iter().map(|m| m.reasoning.as_deref()).collect();
    assert_eq!(reasoning, [None, Some("why"), None]);
    assert_eq!(messages[0].reasoning_details, None);
    assert_eq!(counts(&store), (3, 2));
    assert_eq!(found(&store, "old"), [0_i64; 0]);

    store.clear_messages("s").unwrap();
    assert_eq!(counts(&store), (0, 0));
    assert!(messages_of(&store, "s").is_empty());
}

#[test]
fn replacing_in_an_unknown_session_fails_only_with_messages() {
    let home = Home::new();
    let store = home.store();
    store.replace_messages("s", &[]).unwrap();
    store.clear_messages("s").unwrap();
    let error = store
        .replace_messages("s", &[said("user", "x")])
        .unwrap_err();
    assert!(matches!(error, Error::UnknownSession { .. }), "{error}");
    store.ensure_session("s").unwrap();
    store.ensure_session("other").unwrap();
    let error = store
        .replace_messages("s", &[NewMessage::new("other", "user")])
        .unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
}

#[test]
fn replacing_what_is_active_keeps_what_is_archived() {
    let (_fixture, store) = store_of_22();
    store
        .append_messages(&[said("user", "archived"), said("assistant", "too")])
        .unwrap();
    store
        .archive_and_compact("s", &[said("user", "summary")])
        .unwrap();
    store
        .replace_active_messages("s", &[said("user", "new"), said("assistant", "newer")])
        .unwrap();
    assert_eq!(texts(&store), ["new", "newer"]);
    assert_eq!(counts(&store), (2, 0));
    let all = MessagePage {
        include_inactive: true,
        ..MessagePage::default()
    };
    assert_eq!(store.messages("s", all).unwrap().len(), 4);
}

#[test]
fn pages_can_leave_out_the_first_and_include_what_is_inactive() {
    let (_fixture, store) = store_of_22();
    let ids = store
        .append_messages(&["a", "b", "c", "d"].map(|text| said("user", text)))
        .unwrap();
    store.rewind_to_message("s", ids[2]).unwrap();
    let page = |offset, limit, include_inactive| {
        let page = MessagePage {
            offset,
            limit,
            include_inactive,
            ..MessagePage::default()
        };
        let messages = store.messages("s", page).unwrap();
        messages.into_iter().map(|m| m.id).collect::<Vec<_>>()
    };
    assert_eq!(page(0, 9, false), ids[..2]);
    assert_eq!(page(1, 9, false), ids[1..2]);
    assert_eq!(page(1, 2, true), ids[1..3]);
    assert_eq!(page(0, 0, true), []);
    assert_eq!(store.message(ids[3]).unwrap().unwrap().id, ids[3]);
    assert_eq!(store.message(MessageId(99_999)).unwrap(), None);
}

#[test]
fn a_rewind_takes_back_from_a_users_message_on_and_counts_what_is_left() {
    let (_fixture, store) = store_of_22();
    let ids = store
        .append_messages(&[
            said("user", "one"),
            said("assistant", "two").tool_calls(calls(2)),
            said("user", "three"),
            said("assistant", "four").tool_calls(calls(1)),
        ])
        .unwrap();
    let rewound = store.rewind_to_message("s", ids[2]).unwrap();
    assert_eq!(rewound.rewound_count, 2);
    assert_eq!(rewound.new_head_id, Some(ids[1]));
    assert_eq!(rewound.target_message.content, Some(Content::from("three")));
    let keys = serde_json::to_value(&rewound).unwrap();
    let keys: Vec<_> = keys.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["rewound_count", "target_message", "new_head_id"]);
    assert_eq!(counts(&store), (2, 2));
    assert_eq!(session(&store).extra["rewind_count"], json!(1));
    assert!(store.has_archived_messages("s").unwrap());

    let again = store.rewind_to_message("s", ids[2]).unwrap();
    assert_eq!(again.rewound_count, 0);
    assert_eq!(session(&store).extra["rewind_count"], json!(2));

    assert_eq!(store.restore_rewound("s", ids[3]).unwrap(), 1);
    assert_eq!(texts(&store), ["one", "two", "four"]);
    assert_eq!(counts(&store), (3, 3));
    assert_eq!(store.restore_rewound("s", ids[0]).unwrap(), 1);
    assert_eq!(counts(&store), (4, 3));
    let rewound = store.rewind_to_message("s", ids[0]).unwrap();
    assert_eq!(rewound.new_head_id, None);
}

#[test]
fn a_rewind_goes_to_a_users_message_of_the_session_only() {
    let (_fixture, store) = store_of_22();
    store.ensure_session("other").unwrap();
    let ids = store
        .append_messages(&[
            said("assistant", "hello"),
            NewMessage::new("other", "user").content("elsewhere"),
        ])
        .unwrap();
    let say = |target| store.rewind_to_message("s", target).unwrap_err().problem();
    assert_eq!(
        say(ids[0]),
        format!(
            "rewind target must be a 'user' message (got role='assistant', id={})",
            ids[0]
        )
    );
    assert_eq!(
        say(ids[1]),
        format!("message {} not found in session s", ids[1])
    );
    assert_eq!(texts(&store), ["hello"]);
}

#[test]
fn an_active_flag_that_is_null_reads_as_active() {
    let fixture = testdata::fixture("null_active_v22.db");
    let store = Store::open(fixture.path()).unwrap();
    let (session, id): (String, i64) = raw(fixture.path())
        .query_row(
            "SELECT session_id, id FROM messages WHERE active IS NULL AND role = 'user' ORDER BY id LIMIT 1",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    let has = |store: &Store| messages_of(store, &session).iter().any(|m| m.id.0 == id);
    assert!(has(&store));
    assert!(
        store
            .rewind_to_message(&session, MessageId(id))
            .unwrap()
            .rewound_count
            > 0
    );
    assert!(!has(&store));
    store.restore_rewound(&session, MessageId(id)).unwrap();
    assert!(has(&store));
}

#[test]
fn lin_01_a_compaction_keeps_the_old_messages_findable_and_counts_the_new_ones() {
    let (_fixture, store) = store_of_22();
    let turns: Vec<NewMessage> = (0..20)
        .map(|n| said(["user", "assistant"][n % 2], &format!("quokka {n}")))
        .collect();
    store.append_messages(&turns).unwrap();
    let mut kept = vec![said("user", "summary")];
    kept.extend(turns[16..].iter().cloned());
    assert_eq!(store.archive_and_compact("s", &kept).unwrap().len(), 5);
    assert_eq!(
        texts(&store),
        [
            "summary",
            "quokka 16",
            "quokka 17",
            "quokka 18",
            "quokka 19"
        ]
    );
    assert_eq!(counts(&store), (5, 0));
    assert!(found(&store, "quokka").len() >= 20);
    let exported = crate::support::export(&store);
    let line = exported
        .lines()
        .find(|line| line.contains("quokka 0"))
        .unwrap();
    assert!(line.contains("summary"));
}

#[test]
fn lin_18_what_was_taken_back_comes_again_once_and_nothing_archived_with_it() {
    let (_fixture, store) = store_of_22();
    store
        .append_messages(&[said("user", "old"), said("assistant", "older")])
        .unwrap();
    let ids = store
        .archive_and_compact("s", &[said("user", "summary")])
        .unwrap();
    let turn = store.append_message(&said("user", "turn")).unwrap();
    store.append_message(&said("assistant", "answer")).unwrap();
    store.rewind_to_message("s", turn).unwrap();
    assert_eq!(store.restore_rewound("s", MessageId(0)).unwrap(), 2);
    assert_eq!(store.restore_rewound("s", ids[0]).unwrap(), 0);
    assert_eq!(texts(&store), ["summary", "turn", "answer"]);
    assert_eq!(counts(&store), (3, 0));
}

#[test]
fn lin_19_a_compaction_that_fails_in_the_middle_changes_nothing() {
    let (fixture, store) = store_of_22();
    store
        .append_messages(&[
            said("user", "one"),
            said("assistant", "two").tool_calls(calls(1)),
        ])
        .unwrap();
    let new = [said("user", "summary"), said("user", "kept")];
    for (at, compacts) in [
        ("BEFORE UPDATE ON messages WHEN old.content = 'two'", true),
        ("AFTER INSERT ON messages WHEN new.content = 'kept'", true),
        ("BEFORE UPDATE ON sessions WHEN old.id = 's'", true),
        ("BEFORE DELETE ON messages WHEN old.content = 'two'", false),
        ("AFTER INSERT ON messages WHEN new.content = 'kept'", false),
        ("BEFORE UPDATE ON sessions WHEN old.id = 's'", false),
    ] {
        raw(fixture.path())
            .execute_batch(&format!(
                "DROP TRIGGER IF EXISTS stop;
                 CREATE TRIGGER stop {at} BEGIN SELECT RAISE(ABORT, 'stopped'); END;"
            ))
            .unwrap();
        let outcome = if compacts {
            store.archive_and_compact("s", &new)
        } else {
            store.replace_messages("s", &new)
        };
        assert!(outcome.is_err(), "{at}");
        assert_eq!(texts(&store), ["one", "two"], "{at}");
        assert_eq!(counts(&store), (2, 1), "{at}");
    }
}

#[test]
fn the_text_for_the_api_goes_to_the_last_active_message_of_a_user_if_it_is_that() {
    let (fixture, store) = store_of_22();
    let parts = |text: &str| JsonText::parse(text).unwrap();
    store.append_message(&said("user", "first")).unwrap();
    let second = store
        .append_message(
            &NewMessage::new("s", "user").content(parts(r#"[{"type": "text", "text": "é"}]"#)),
        )
        .unwrap();
    let set = |content: &str, api| {
        let content = Content::from_stored_text(content.to_owned());
        store
            .set_latest_user_api_content("s", Some(&content), api)
            .unwrap()
    };
    assert!(!set("first", Some("no")));
    // Python escapes what we do not.
    assert!(set(
        "\0json:[{\"type\": \"text\", \"text\": \"\\u00e9\"}]",
        Some("yes")
    ));
    let of = |id: MessageId| -> Option<String> {
        ask(
            fixture.path(),
            &format!("SELECT api_content FROM messages WHERE id = {id}"),
        )
    };
    assert_eq!(of(second).as_deref(), Some("yes"));
    store.rewind_to_message("s", second).unwrap();
    assert!(set("first", Some("now")));
    assert!(set("first", None));
    assert!(
        !store
            .set_latest_user_api_content("nobody", None, None)
            .unwrap()
    );
}

#[test]
fn lin_07_an_append_stays_unless_it_is_told_to_follow() {
    let at = |id: &str, parent: Option<&str>, started: f64| {
        let new = NewSession::new(id, "cli").started_at(started);
        match parent {
            Some(parent) => new.parent(parent),
            None => new,
        }
    };
    let home = Home::new();
    let (_fixture, newer) = store_of_22();
    for (name, store) in [("11", home.store()), ("22", newer)] {
        store.create_session(&at("p", None, 1.0)).unwrap();
        store.end_session("p", "compression").unwrap();
        let later = 4e9;
        store.create_session(&at("c", Some("p"), later)).unwrap();
        let message = NewMessage::new("p", "user").content("on");
        let stayed = store.append_message(&message).unwrap();
        assert_eq!(
            store.message(stayed).unwrap().unwrap().session_id.as_str(),
            "p"
        );
        let (session, followed) = store.append_following(&message).unwrap();
        assert_eq!(session.as_str(), "c", "{name}");
        assert_eq!(
            store
                .message(followed)
                .unwrap()
                .unwrap()
                .session_id
                .as_str(),
            "c"
        );

        store.create_session(&at("d", Some("p"), later)).unwrap();
        match store.append_following(&message).unwrap_err() {
            Error::AmbiguousContinuation { id, continuations } => {
                assert_eq!(id, "p");
                assert_eq!(continuations, ["c", "d"]);
            }
            other => panic!("{other}"),
        }
    }
}
