//! Deleting sessions: what goes, what stays, and the files.

use std::fs;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hermes_state::{
    DeleteOptions, Deleted, NewMessage, NewSession, SessionId, Store, StoreOptions, Synchronous,
};

use crate::support::child::spawn;
use crate::support::{Home, ask, assert_index_whole, messages_of, raw};

pub(crate) fn go_on(_: &Deleted) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn ids(ids: &[&str]) -> Vec<SessionId> {
    ids.iter().map(|id| SessionId::new(*id)).collect()
}

/// A session with so many messages.
pub(crate) fn talk(store: &Store, new: &NewSession, id: &str, messages: usize) {
    store.create_session(new).unwrap();
    for batch in (0..messages).collect::<Vec<_>>().chunks(500) {
        let batch: Vec<NewMessage> = batch
            .iter()
            .map(|n| {
                NewMessage::new(id, "user").content(format!(
                    "message {n} of {id}: why does the container restart after every deployment? 山水画册{n}"
                ))
            })
            .collect();
        store.append_messages(&batch).unwrap();
    }
}

#[test]
fn a_session_goes_with_its_messages_and_its_children_stay() {
    let home = Home::new();
    let store = home.store();
    talk(&store, &NewSession::new("a", "cli"), "a", 30);
    talk(&store, &NewSession::new("b", "cli").parent("a"), "b", 3);
    let done = store.delete_session("a", &DeleteOptions::new()).unwrap();
    assert_eq!(
        (done.ids, done.messages, done.detached),
        (ids(&["a"]), 30, 1)
    );
    assert_eq!(store.session("a").unwrap(), None);
    assert_eq!(store.session("b").unwrap().unwrap().parent_session_id, None);
    assert_eq!(messages_of(&store, "b").len(), 3);
    let nothing = store.delete_session("a", &DeleteOptions::new()).unwrap();
    assert_eq!(nothing.ids, []);
    drop(store);
    assert_index_whole(&home.path());
    assert_eq!(ask::<i64>(&home.path(), "SELECT COUNT(*) FROM messages"), 3);
    assert_eq!(
        ask::<i64>(&home.path(), "SELECT COUNT(*) FROM state_meta"),
        0
    );
}

/// Writes the settings of a session, as a newer Hermes does.
fn configure(home: &std::path::Path, id: &str, config: &str) {
    raw(home)
        .execute(
            "UPDATE sessions SET model_config = ?2 WHERE id = ?1",
            [id, config],
        )
        .unwrap();
}

#[test]
fn delegates_of_newer_versions_go_along_however_they_are_linked() {
    let fixture = testdata::fixture("v22.db");
    let store = Store::open(fixture.path()).unwrap();
    for (id, parent) in [
        ("root", None),
        ("d1", Some("root")),
        ("d2", Some("d1")),
        ("child", Some("root")),
        ("loose", None),
        ("branch", Some("d2")),
        ("odd", Some("root")),
    ] {
        let mut new = NewSession::new(id, "cli");
        if let Some(parent) = parent {
            new = new.parent(parent);
        }
        talk(&store, &new, id, 2);
    }
    configure(fixture.path(), "d1", r#"{"_delegate_from": "root"}"#);
    configure(fixture.path(), "d2", r#"{"_delegate_from": "d1"}"#);
    configure(fixture.path(), "loose", r#"{"_delegate_from": "d2"}"#);
    configure(fixture.path(), "branch", r#"{"_branched_from": "d2"}"#);
    // Q26: settings that are no JSON must not stop anything.
    configure(fixture.path(), "odd", "{not json");
    // A cycle: the loose one started the first.
    raw(fixture.path())
        .execute_batch("UPDATE sessions SET parent_session_id = 'loose' WHERE id = 'root'")
        .unwrap();
    configure(fixture.path(), "root", r#"{"_delegate_from": "loose"}"#);
    let done = store.delete_session("root", &DeleteOptions::new()).unwrap();
    let mut gone = done.ids.clone();
    gone.sort();
    assert_eq!(gone, ids(&["d1", "d2", "loose", "root"]));
    assert_eq!(done.ids.last(), Some(&SessionId::new("root")));
    assert_eq!(done.messages, 8);
    for id in ["child", "branch", "odd"] {
        let left = store.session(id).unwrap().unwrap();
        assert_eq!(left.parent_session_id, None, "{id}");
    }
}

#[test]
fn sixty_thousand_ids_are_no_limit() {
    let home = Home::new();
    let store = home.store();
    talk(&store, &NewSession::new("last", "cli"), "last", 1);
    let mut many: Vec<SessionId> = (0..60_000)
        .map(|n| SessionId::new(format!("x{n}")))
        .collect();
    many.push(SessionId::new("last"));
    let done = store
        .delete_sessions(&many, &DeleteOptions::new(), &mut go_on)
        .unwrap();
    assert_eq!(done.ids, ids(&["last"]));
}

#[test]
fn empty_is_what_has_no_rows_whatever_the_counter_says() {
    let home = Home::new();
    let store = home.store();
    talk(&store, &NewSession::new("full", "cli"), "full", 1);
    for id in ["open", "titled", "plain", "parent"] {
        store.ensure_session(id).unwrap();
    }
    store
        .create_session(&NewSession::new("kid", "cli").parent("parent"))
        .unwrap();
    raw(&home.path())
        .execute_batch(
            "UPDATE sessions SET message_count = 0 WHERE id = 'full';
             UPDATE sessions SET message_count = 7 WHERE id = 'plain';
             UPDATE sessions SET title = 'T' WHERE id = 'titled';",
        )
        .unwrap();
    for id in ["full", "plain", "parent", "titled"] {
        store.end_session(id, "user_exit").unwrap();
    }
    let options = DeleteOptions::new();
    assert_eq!(
        store.empty_sessions().unwrap(),
        ids(&["titled", "plain", "parent"])
    );
    for (id, goes) in [
        ("open", true),
        ("titled", false),
        ("parent", false),
        ("full", false),
        ("no", false),
    ] {
        assert_eq!(
            store.delete_session_if_empty(id, &options).unwrap(),
            goes,
            "{id}"
        );
    }
    let done = store.delete_empty_sessions(&options, &mut go_on).unwrap();
    assert_eq!(done.ids, ids(&["titled", "plain", "parent"]));
    assert_eq!(done.detached, 1);
    assert!(store.session("kid").unwrap().is_some());
}

#[test]
fn files_are_removed_within_the_folder_only_and_ids_are_no_patterns() {
    // Q19.
    let home = Home::new();
    let store = home.store();
    let folder = home.dir().join("sessions");
    fs::create_dir(&folder).unwrap();
    let outside = home.dir().join("secret.json");
    let touch = |name: &str| fs::write(folder.join(name), "x").unwrap();
    fs::write(&outside, "x").unwrap();
    for name in [
        "a.json",
        "a.jsonl",
        "request_dump_a_1.json",
        "request_dump_a_20260101_120000_000001.json",
        "request_dump_a_b_1.json",
        "request_dump_ab_1.json",
        "request_dump_a_1.txt",
        "a.json.bak",
        "a_b.json",
    ] {
        touch(name);
    }
    fs::create_dir(folder.join("stuck.json")).unwrap();
    for id in [
        "a",
        "a_b",
        "../secret",
        "*",
        "[a-z]",
        "stuck",
        "..",
        "x/../a",
        "",
    ] {
        raw(&home.path())
            .execute(
                "INSERT INTO sessions (id, source, started_at) VALUES (?1, 'cli', 1)",
                [id],
            )
            .unwrap();
    }
    let options = DeleteOptions::new().files_in(&folder);
    let done = store
        .delete_sessions(
            &ids(&["../secret", "*", "[a-z]", "..", "x/../a", ""]),
            &options,
            &mut go_on,
        )
        .unwrap();
    assert_eq!((done.ids.len(), done.files), (6, 0));
    let refused: Vec<&str> = done
        .file_errors
        .iter()
        .map(|e| e.session_id.as_str())
        .collect();
    assert_eq!(refused, ["../secret", "..", "x/../a", ""]);
    assert!(outside.exists());

    let done = store.delete_session("a", &options).unwrap();
    assert_eq!((done.files, done.file_errors.len()), (4, 0));
    let mut left: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [
            "a.json.bak",
            "a_b.json",
            "request_dump_a_1.txt",
            "request_dump_a_b_1.json",
            "request_dump_ab_1.json",
            "stuck.json"
        ]
    );
    // A failure is told, not hidden.
    let done = store.delete_session("stuck", &options).unwrap();
    assert_eq!((done.ids, done.files), (ids(&["stuck"]), 0));
    assert_eq!(done.file_errors[0].path, folder.join("stuck.json"));

    let nowhere = DeleteOptions::new().files_in(home.dir().join("no such folder"));
    let done = store.delete_session("a_b", &nowhere).unwrap();
    assert_eq!((done.ids, done.file_errors.len()), (ids(&["a_b"]), 0));
}

fn quick(home: &Home) -> Store {
    StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(home.path())
        .unwrap()
}

#[test]
fn a_huge_session_is_deleted_in_batches_and_another_process_writes_meanwhile() {
    let home = Home::new();
    let store = quick(&home);
    talk(&store, &NewSession::new("huge", "cli"), "huge", 6_000);
    let path = home.path();
    let mut other = spawn("append", &[path.to_str().unwrap(), "other", "100000"]);
    assert_eq!(other.line().as_deref(), Some("ready"));
    other.go();
    other.line().unwrap();
    let deleted = AtomicBool::new(false);
    let (done, longest) = std::thread::scope(|threads| {
        let reader = threads.spawn(|| {
            let mut longest = Duration::ZERO;
            let mut last = Instant::now();
            while !deleted.load(Ordering::SeqCst) {
                other.line().unwrap();
                longest = longest.max(last.elapsed());
                last = Instant::now();
            }
            longest
        });
        let done = store.delete_session("huge", &DeleteOptions::new()).unwrap();
        deleted.store(true, Ordering::SeqCst);
        (done, reader.join().unwrap())
    });
    other.kill();
    drop(other);
    assert_eq!((done.ids, done.messages), (ids(&["huge"]), 6_000));
    assert!(done.batches > 3, "{}", done.batches);
    // 0.2 s where nothing else runs; in one transaction it would be several seconds.
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    drop(store);
    assert_index_whole(&path);
}

#[test]
fn a_deletion_that_was_killed_says_so_and_is_gone_on_with() {
    let home = Home::new();
    talk(
        &quick(&home),
        &NewSession::new("huge", "cli"),
        "huge",
        6_000,
    );
    talk(
        &quick(&home),
        &NewSession::new("kid", "cli").parent("huge"),
        "kid",
        1,
    );
    let path = home.path();
    let mut child = spawn("delete", &[path.to_str().unwrap(), "huge"]);
    assert_eq!(child.line().as_deref(), Some("batch 1"));
    child.kill();
    drop(child);
    let store = home.store();
    let half = store.session("huge").unwrap().unwrap();
    assert_eq!(half.end_reason.as_deref(), Some("deleting"));
    let left = messages_of(&store, "huge");
    assert!(!left.is_empty() && left.len() < 6_000, "{}", left.len());
    assert_eq!(half.message_count, Some(left.len() as i64));
    // What is left is the beginning of the conversation.
    assert!(left.windows(2).all(|pair| pair[0].id.0 + 1 == pair[1].id.0));
    assert_eq!(
        store.session("kid").unwrap().unwrap().parent_session_id,
        None
    );
    let done = store
        .delete_session("no such", &DeleteOptions::new())
        .unwrap();
    assert_eq!(done.ids, ids(&["huge"]));
    assert_eq!(store.session("huge").unwrap(), None);
    drop(store);
    assert_index_whole(&path);
    assert_eq!(ask::<i64>(&path, "SELECT COUNT(*) FROM state_meta"), 0);
    assert_eq!(ask::<i64>(&path, "SELECT COUNT(*) FROM messages"), 1);
}

#[test]
fn a_session_that_got_a_message_while_it_was_being_deleted_goes_on() {
    let home = Home::new();
    let store = quick(&home);
    talk(&store, &NewSession::new("huge", "cli"), "huge", 6_000);
    let mut told = 0;
    let done = store
        .delete_sessions(&ids(&["huge"]), &DeleteOptions::new(), &mut |_| {
            told += 1;
            if told == 1 {
                store
                    .append_message(&NewMessage::new("huge", "user").content("still here"))
                    .unwrap();
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((done.ids, done.kept), (vec![], ids(&["huge"])));
    let left = store.session("huge").unwrap().unwrap();
    assert_eq!(
        (left.end_reason, left.ended_at, left.message_count),
        (None, None, Some(1))
    );
    assert_eq!(messages_of(&store, "huge").len(), 1);
}

#[test]
fn a_session_opened_again_while_it_was_being_deleted_keeps_the_rest() {
    let home = Home::new();
    talk(
        &quick(&home),
        &NewSession::new("huge", "cli"),
        "huge",
        6_000,
    );
    let path = home.path();
    let mut child = spawn("delete", &[path.to_str().unwrap(), "huge"]);
    assert_eq!(child.line().as_deref(), Some("batch 1"));
    child.kill();
    drop(child);
    let store = home.store();
    store.reopen_session("huge").unwrap();
    let left = messages_of(&store, "huge").len();
    let done = store
        .delete_session("no such", &DeleteOptions::new())
        .unwrap();
    assert_eq!(done.ids, []);
    assert_eq!(messages_of(&store, "huge").len(), left);
}

#[test]
fn a_deletion_can_be_cancelled_between_two_sessions() {
    let home = Home::new();
    let store = quick(&home);
    let all: Vec<String> = (0..40).map(|n| format!("s{n}")).collect();
    for id in &all {
        talk(&store, &NewSession::new(id.as_str(), "cli"), id, 100);
    }
    let all: Vec<SessionId> = all.iter().map(SessionId::new).collect();
    let done = store
        .delete_sessions(&all, &DeleteOptions::new(), &mut |done| {
            if done.ids.is_empty() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .unwrap();
    assert!(done.cancelled);
    assert!(done.ids.len() < 40, "{}", done.ids.len());
    for id in &all {
        let gone = done.ids.contains(id);
        assert_eq!(store.session(id).unwrap().is_none(), gone);
        assert_eq!(
            messages_of(&store, id.as_str()).len(),
            if gone { 0 } else { 100 }
        );
    }
}

/// The child's side: deletes one session and says each batch.
pub(crate) fn delete(path: &str, id: &str) {
    let store = Store::open(path).unwrap();
    store
        .delete_sessions(&[SessionId::new(id)], &DeleteOptions::new(), &mut |done| {
            crate::support::child::say(format!("batch {}", done.batches));
            ControlFlow::Continue(())
        })
        .unwrap();
}

#[test]
fn what_an_older_sqlite_indexed_up_to_a_nul_is_deleted_without_damage() {
    for file in [
        "v11.db",
        "v13.db",
        "v14.db",
        "v16.db",
        "v19.db",
        "v22.db",
        "null_active_v22.db",
    ] {
        let fixture = testdata::fixture(file);
        let store = Store::open(fixture.path()).unwrap();
        let all: Vec<SessionId> = crate::support::list_all(&store)
            .into_iter()
            .map(|summary| summary.session.id)
            .collect();
        for id in &all {
            store
                .delete_session(id.clone(), &DeleteOptions::new())
                .unwrap();
        }
        let hidden: i64 = ask(fixture.path(), "SELECT COUNT(*) FROM sessions");
        let left: Vec<SessionId> = {
            let conn = raw(fixture.path());
            let mut statement = conn.prepare("SELECT id FROM sessions").unwrap();
            let rows = statement.query_map([], |row| Ok(SessionId::new(row.get::<_, String>(0)?)));
            rows.unwrap().collect::<Result<_, _>>().unwrap()
        };
        assert_eq!(left.len() as i64, hidden);
        store
            .delete_sessions(&left, &DeleteOptions::new(), &mut go_on)
            .unwrap();
        assert_eq!(store.index_trouble(), None, "{file}");
        drop(store);
        assert_eq!(
            ask::<i64>(fixture.path(), "SELECT COUNT(*) FROM messages"),
            0,
            "{file}"
        );
        assert_index_whole(fixture.path());
    }
}
