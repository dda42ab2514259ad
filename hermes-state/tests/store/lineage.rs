//! What a session came from, what came out of it, and which one goes on.

use hermes_state::{Error, NewMessage, NewSession, SessionId, Store};

use crate::support::newer::{Planted, empty_v22};
use crate::support::{Home, ask, messages_of, raw};

fn texts(ids: &[SessionId]) -> Vec<&str> {
    ids.iter().map(SessionId::as_str).collect()
}

fn tip(store: &Store, id: &str) -> String {
    store.compression_tip(id).unwrap().as_str().to_owned()
}

fn resume(store: &Store, id: &str) -> String {
    store.resume_target(id).unwrap().as_str().to_owned()
}

fn root(store: &Store, id: &str) -> String {
    store.conversation_root(id).unwrap().as_str().to_owned()
}

fn lineage(store: &Store, id: &str) -> Vec<String> {
    let ids = store.compression_lineage(id).unwrap();
    ids.iter().map(|id| id.as_str().to_owned()).collect()
}

const COMPRESSED: Option<(f64, &str)> = Some((5.0, "compression"));

#[test]
fn in_version_11_times_tell_a_continuation() {
    let home = Home::new();
    let store = home.store();
    let child = |id, started| Planted {
        id,
        parent: Some("r"),
        started,
        ..Planted::default()
    };
    Planted {
        id: "r",
        started: 1.0,
        ended: COMPRESSED,
        ..Planted::default()
    }
    .into(&store);
    child("helper", 3.0).into(&store);
    assert_eq!(tip(&store, "r"), "r");
    child("early", 5.0).into(&store);
    child("late", 7.0).into(&store);
    assert_eq!(tip(&store, "r"), "late");
    assert_eq!(
        (tip(&store, "helper"), tip(&store, "nobody")),
        ("helper".into(), "nobody".into())
    );
    assert_eq!(lineage(&store, "late"), ["r", "late"]);
    assert_eq!(lineage(&store, "early"), ["early"]);
    assert_eq!(lineage(&store, "nobody"), [""; 0]);
    // Ended for another reason, nothing continues.
    raw(&home.path())
        .execute("UPDATE sessions SET end_reason = 'exit' WHERE id = 'r'", [])
        .unwrap();
    assert_eq!(tip(&store, "r"), "r");
}

#[test]
fn in_newer_versions_marks_and_activity_tell_a_continuation() {
    let fixture = empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    let child = |id, started| Planted {
        id,
        parent: Some("r"),
        started,
        ..Planted::default()
    };
    Planted {
        id: "r",
        started: 1.0,
        ended: COMPRESSED,
        ..Planted::default()
    }
    .into(&store);
    Planted {
        messages: &[100.0],
        ..child("k1", 3.0)
    }
    .into(&store);
    Planted {
        messages: &[50.0],
        ..child("k2", 6.0)
    }
    .into(&store);
    Planted {
        source: Some("tool"),
        messages: &[500.0],
        ..child("tool", 90.0)
    }
    .into(&store);
    Planted {
        model_config: Some(r#"{"_branched_from": "r"}"#),
        messages: &[501.0],
        ..child("branch", 91.0)
    }
    .into(&store);
    Planted {
        model_config: Some(r#"{"_delegate_from": "r"}"#),
        messages: &[502.0],
        ..child("helper", 92.0)
    }
    .into(&store);
    assert_eq!(tip(&store, "r"), "k1");
    Planted {
        ended: Some((9.0, "exit")),
        messages: &[900.0],
        ..child("ended", 8.0)
    }
    .into(&store);
    assert_eq!(tip(&store, "r"), "k1");
    Planted {
        ended: Some((9.0, "compression")),
        messages: &[10.0],
        ..child("k3", 2.0)
    }
    .into(&store);
    assert_eq!(tip(&store, "r"), "k3");
    Planted {
        id: "k3a",
        parent: Some("k3"),
        started: 20.0,
        ..Planted::default()
    }
    .into(&store);
    assert_eq!(tip(&store, "r"), "k3a");
    for id in ["r", "k3", "k3a"] {
        assert_eq!(lineage(&store, id), ["r", "k3", "k3a"], "{id}");
    }
    for id in ["k1", "branch", "helper", "tool"] {
        assert_eq!(lineage(&store, id), [id]);
        assert_eq!(root(&store, id), "r");
    }
    assert_eq!(
        (root(&store, "k3a"), root(&store, "nobody")),
        ("r".into(), "nobody".into())
    );
}

#[test]
fn settings_that_are_no_json_carry_no_mark() {
    let fixture = empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    Planted {
        id: "r",
        started: 1.0,
        ended: COMPRESSED,
        ..Planted::default()
    }
    .into(&store);
    Planted {
        id: "c",
        parent: Some("r"),
        started: 6.0,
        model_config: Some("not json"),
        messages: &[7.0],
        ..Planted::default()
    }
    .into(&store);
    assert_eq!(
        (tip(&store, "r"), resume(&store, "r")),
        ("c".into(), "c".into())
    );
}

/// x1 → x2 → x3 (messages) → x4, and x2b beside x2.
fn chain(store: &Store) {
    for (id, parent, started, messages) in [
        ("x1", None, 1.0, &[][..]),
        ("x2b", Some("x1"), 1.5, &[]),
        ("x2", Some("x1"), 2.0, &[]),
        ("x3", Some("x2"), 3.0, &[7.0]),
        ("x4", Some("x3"), 4.0, &[]),
        ("x5", Some("x4"), 5.0, &[8.0]),
    ] {
        Planted {
            id,
            parent,
            started,
            messages,
            ..Planted::default()
        }
        .into(store);
    }
}

#[test]
fn a_session_without_messages_is_resumed_in_its_children() {
    let home = Home::new();
    let old = home.store();
    chain(&old);
    let fixture = empty_v22();
    let new = Store::open(fixture.path()).unwrap();
    chain(&new);
    for (id, first, deepest) in [
        ("x1", "x3", "x5"),
        ("x2", "x3", "x5"),
        ("x2b", "x2b", "x2b"),
        ("x3", "x3", "x5"),
        ("x4", "x5", "x5"),
        ("nobody", "nobody", "nobody"),
    ] {
        assert_eq!(resume(&old, id), first, "{id}");
        assert_eq!(resume(&new, id), deepest, "{id}");
    }
    Planted {
        id: "b",
        parent: Some("x5"),
        started: 9.0,
        model_config: Some(r#"{"_branched_from": "x5"}"#),
        messages: &[9.0],
        ..Planted::default()
    }
    .into(&new);
    assert_eq!(resume(&new, "x1"), "x5");
}

#[test]
fn ancestors_go_up_and_descendants_down() {
    let home = Home::new();
    let store = home.store();
    chain(&store);
    assert_eq!(
        texts(&store.ancestors("x5").unwrap()),
        ["x4", "x3", "x2", "x1"]
    );
    assert_eq!(
        texts(&store.descendants("x1").unwrap()),
        ["x2b", "x2", "x3", "x4", "x5"]
    );
    assert_eq!(texts(&store.descendants("x3").unwrap()), ["x4", "x5"]);
    for id in ["x1", "nobody"] {
        assert_eq!(store.ancestors(id).unwrap(), []);
    }
    assert_eq!(store.descendants("nobody").unwrap(), []);
}

#[test]
fn lin_21_sessions_that_are_each_others_parents_are_walked_once() {
    let fixture = empty_v22();
    let home = Home::new();
    for store in [home.store(), Store::open(fixture.path()).unwrap()] {
        Planted {
            id: "a",
            started: 1.0,
            ended: COMPRESSED,
            messages: &[1.0],
            ..Planted::default()
        }
        .into(&store);
        Planted {
            id: "b",
            parent: Some("a"),
            started: 6.0,
            ended: Some((6.0, "compression")),
            ..Planted::default()
        }
        .into(&store);
        raw(store.path())
            .execute(
                "UPDATE sessions SET parent_session_id = 'b', started_at = 6.0 WHERE id = 'a'",
                [],
            )
            .unwrap();
        assert_eq!(tip(&store, "a"), "b");
        assert_eq!(root(&store, "a"), "b");
        assert_eq!(lineage(&store, "a"), ["b", "a"]);
        assert_eq!(texts(&store.ancestors("a").unwrap()), ["b"]);
        assert_eq!(texts(&store.descendants("a").unwrap()), ["b"]);
        resume(&store, "b");
        raw(store.path())
            .execute(
                "UPDATE sessions SET parent_session_id = 'a' WHERE id = 'a'",
                [],
            )
            .unwrap();
        assert_eq!(
            (tip(&store, "a"), root(&store, "a")),
            ("b".into(), "a".into())
        );
        assert_eq!(crate::support::list_all(&store).len(), 2);
        store
            .list_sessions(&hermes_state::ListOptions::default())
            .unwrap();
        assert_eq!(crate::support::export(&store).lines().count(), 2);
    }
}

#[test]
fn lin_06_a_compressed_session_without_a_child_is_resumed_itself() {
    let home = Home::new();
    let store = home.store();
    Planted {
        id: "p",
        started: 1.0,
        ended: COMPRESSED,
        messages: &[1.0],
        ..Planted::default()
    }
    .into(&store);
    assert_eq!(resume(&store, "p"), "p");
    store.reopen_session("p").unwrap();
    store
        .append_message(&NewMessage::new("p", "user").content("on"))
        .unwrap();
    assert_eq!(store.session("p").unwrap().unwrap().end_reason, None);
}

#[test]
fn lin_06_the_end_and_the_continuation_are_one_transaction() {
    let home = Home::new();
    let store = home.store_at(5.0);
    store.ensure_session("p").unwrap();
    assert!(
        store
            .continue_session("p", "compression", &NewSession::new("c", "cli"))
            .unwrap()
    );
    assert_eq!(
        (tip(&store, "p"), resume(&store, "p")),
        ("c".into(), "p".into())
    );
    let error = store
        .continue_session("nobody", "x", &NewSession::new("d", "cli"))
        .unwrap_err();
    assert!(matches!(error, Error::UnknownSession { .. }));
    assert_eq!(store.session("d").unwrap(), None);
    // What fails leaves the session open.
    store.ensure_session("open").unwrap();
    assert!(
        store
            .continue_session("open", "x", &NewSession::new("", "cli"))
            .is_err()
    );
    let bad = NewSession::new("e", "cli").cwd("/x");
    assert_eq!(
        store
            .continue_session("open", "x", &bad)
            .unwrap_err()
            .code(),
        "unsupported"
    );
    assert_eq!(store.session("open").unwrap().unwrap().ended_at, None);
}

#[test]
fn lin_10_a_session_continued_after_its_turns_is_one_thread() {
    let home = Home::new();
    let store = home.store_at(5.0);
    store.ensure_session("p").unwrap();
    store
        .continue_session("p", "max turns", &NewSession::new("c", "cli"))
        .unwrap();
    let child = store.session("c").unwrap().unwrap();
    assert_eq!(child.parent_session_id.as_deref(), Some("p"));
    let parent = store.session("p").unwrap().unwrap();
    assert_eq!(parent.end_reason.as_deref(), Some("max turns"));
    assert_eq!(store.list_sessions(&Default::default()).unwrap().len(), 1);
}

#[test]
fn lin_15_an_id_is_resolved_by_a_beginning_that_only_it_has() {
    let home = Home::new();
    let store = home.store();
    for id in ["20260101_abcdef", "20260101_abc999"] {
        store.ensure_session(id).unwrap();
    }
    for (text, found) in [
        ("20260101_abcdef", Some("20260101_abcdef")),
        ("20260101_abcd", Some("20260101_abcdef")),
        ("20260101_abc", None),
        ("", None),
        ("2026%abcdef", None),
        ("20260101X", None),
    ] {
        let id = store.resolve_session_id(text).unwrap();
        assert_eq!(id.as_ref().map(SessionId::as_str), found, "{text}");
    }
    assert_eq!(store.session_ids_like("20260101_abc", 5).unwrap().len(), 2);
}

#[test]
fn lin_22_another_handle_resumes_at_once() {
    let home = Home::new();
    {
        let store = home.store();
        store.ensure_session("s").unwrap();
        store
            .append_message(&NewMessage::new("s", "user").content("hi"))
            .unwrap();
    }
    let store = home.store();
    assert_eq!(resume(&store, "s"), "s");
    assert_eq!(messages_of(&store, "s").len(), 1);
}

#[test]
fn creating_an_existing_session_fills_only_what_newer_stores_fill() {
    let home = Home::new();
    let old = home.store_at(1.0);
    let fixture = empty_v22();
    let new = crate::support::newer::open_at(fixture.path(), 1.0);
    for store in [&old, &new] {
        store.ensure_session("p").unwrap();
        assert!(store.ensure_session("s").unwrap());
        let full = NewSession::new("s", "cli")
            .model("m")
            .user_id("u")
            .system_prompt("")
            .parent("p")
            .started_at(9.0);
        assert!(!store.create_session(&full).unwrap());
        assert!(
            !store
                .create_session(&NewSession::new("s", "x").model("m2").system_prompt("later"))
                .unwrap()
        );
        let session = store.session("s").unwrap().unwrap();
        assert_eq!(
            (session.source.as_str(), session.user_id, session.started_at),
            ("unknown", None, 1.0)
        );
        let filled = store.schema_version() > 11;
        assert_eq!(session.model.as_deref(), filled.then_some("m"));
        assert_eq!(session.system_prompt.as_deref(), filled.then_some(""));
        assert_eq!(session.parent_session_id.as_deref(), filled.then_some("p"));
        // The parent of a session that has one is not looked at.
        let error = store.create_session(&NewSession::new("p", "x").parent("nobody"));
        assert_eq!(error.is_err(), filled);
    }
    let placed = NewSession::new("s", "cli")
        .cwd("/x")
        .session_key("k")
        .chat_id("c")
        .profile_name("p");
    new.create_session(&placed).unwrap();
    assert_eq!(new.session("s").unwrap().unwrap().extra["cwd"], "/x");
    match old.create_session(&placed).unwrap_err() {
        Error::Unsupported { needs, found, .. } => assert_eq!((needs, found), (17, 11)),
        other => panic!("{other}"),
    }
    assert_eq!(ask::<i64>(&home.path(), "SELECT COUNT(*) FROM sessions"), 2);
}

#[test]
fn single_fields_are_changed() {
    use hermes_state::{BillingRoute, WorkingDirectory};
    let home = Home::new();
    let old = home.store();
    let fixture = empty_v22();
    let new = Store::open(fixture.path()).unwrap();
    for store in [&old, &new] {
        store.ensure_session("s").unwrap();
        store.update_system_prompt("s", "prompt").unwrap();
        store.update_session_model("s", "m1").unwrap();
        store.update_session_meta("s", "{\"a\": 1}", None).unwrap();
        let session = store.session("s").unwrap().unwrap();
        assert_eq!(session.model.as_deref(), Some("m1"));
        assert_eq!(session.system_prompt.as_deref(), Some("prompt"));
        store.update_session_meta("s", "{}", Some("m2")).unwrap();
        let route = BillingRoute {
            provider: "p",
            base_url: "u",
            mode: None,
        };
        store.update_session_billing_route("s", route).unwrap();
        let session = store.session("s").unwrap().unwrap();
        assert_eq!(session.model.as_deref(), Some("m2"));
        assert_eq!(session.model_config.as_deref(), Some("{}"));
        assert_eq!(session.billing_provider.as_deref(), Some("p"));
        assert_eq!(session.system_prompt, None);
        assert_eq!(
            store
                .update_session_model("nobody", "m")
                .unwrap_err()
                .code(),
            "unknown_session"
        );
    }
    let place = WorkingDirectory {
        cwd: "/x",
        git_branch: Some("main"),
        git_repo_root: None,
    };
    new.update_session_cwd("s", place).unwrap();
    new.update_session_cwd(
        "s",
        WorkingDirectory {
            cwd: "/y",
            ..Default::default()
        },
    )
    .unwrap();
    let session = new.session("s").unwrap().unwrap();
    assert_eq!(
        (&session.extra["cwd"], &session.extra["git_branch"]),
        (&"/y".into(), &"main".into())
    );
    assert_eq!(
        old.update_session_cwd("s", place).unwrap_err().code(),
        "unsupported"
    );
}
