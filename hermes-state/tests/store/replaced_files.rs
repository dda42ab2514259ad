//! The files of a store are replaced, removed or cut under a program that writes: it notices before it
//! writes again, loses nothing that it had acknowledged, and goes on after opening the store anew.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_state::{Error, NewMessage, Store};

use crate::support::child::spawn;
use crate::support::{Home, ask, assert_index_whole, found, messages_of};

fn side(home: &Home, suffix: &str) -> PathBuf {
    home.dir().join(format!("state.db{suffix}"))
}

fn append(store: &Store, text: &str) -> Result<(), Error> {
    let message = NewMessage::new("s", "user").content(text);
    store.append_message(&message).map(drop)
}

fn texts(path: &Path) -> Vec<String> {
    let store = Store::open_read_only(path).unwrap();
    let mut texts: Vec<String> = messages_of(&store, "s")
        .iter()
        .map(|message| message.content.as_ref().unwrap().plain_text().into_owned())
        .collect();
    texts.sort();
    texts
}

fn others_append(home: &Home, session: &str, count: &str) {
    let path = home.path();
    let mut other = spawn("append", &[path.to_str().unwrap(), session, count]);
    assert_eq!(other.line().as_deref(), Some("ready"));
    let (_, well) = other.finish();
    assert!(well);
}

/// Fails unless the error is the one, and every handle and every way of writing gives it.
fn assert_refused(store: &Store, how: &str) -> Option<PathBuf> {
    let error = append(store, "refused").unwrap_err();
    assert_eq!(error.code(), "wal_replaced", "{error}");
    let Error::WalReplaced {
        saved,
        complete,
        how: said,
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(*said, how);
    assert!(*complete, "{error}");
    for again in [
        append(store, "refused").unwrap_err(),
        store.ensure_session("refused").unwrap_err(),
        store.checkpoint(Default::default()).unwrap_err(),
        store.vacuum().unwrap_err(),
        store.session("s").map(drop).unwrap_err(),
        Store::open(store.path()).map(drop).unwrap_err(),
    ] {
        assert_eq!(again.to_string(), error.to_string());
    }
    saved.clone()
}

/// A store whose first messages are in the file, and later ones only in the log.
fn used(home: &Home) -> Store {
    let store = crate::support::with_messages(home, &["in the file"]);
    store
        .checkpoint(hermes_state::Checkpoint::Truncate)
        .unwrap();
    append(&store, "in the log").unwrap();
    append(&store, "at the end of the log").unwrap();
    store
        .create_session(&hermes_state::NewSession::new("only in the log", "cli"))
        .unwrap();
    store
}

const STORED: [&str; 3] = ["at the end of the log", "in the file", "in the log"];

fn assert_all_there(home: &Home, more: &[&str]) {
    let store = home.store();
    assert!(store.session("only in the log").unwrap().is_some());
    append(&store, "afterwards").unwrap();
    assert_eq!(found(&store, "log").len(), 2);
    drop(store);
    let mut expected: Vec<&str> = STORED.into_iter().chain(["afterwards"]).collect();
    expected.extend(more);
    expected.sort_unstable();
    assert_eq!(texts(&home.path()), expected);
    assert_index_whole(&home.path());
    let count: i64 = ask(
        &home.path(),
        "SELECT message_count FROM sessions WHERE id = 's'",
    );
    assert_eq!(count, expected.len() as i64);
    // Once only.
    drop(home.store());
    assert_eq!(texts(&home.path()), expected);
}

/// CORR-09
#[test]
fn a_log_that_was_removed_is_noticed_and_both_have_all_rows_after_opening_anew() {
    for removed in [&["-wal", "-shm"][..], &["-wal"]] {
        for others in [false, true] {
            if removed == ["-wal"] && others {
                // The other trusts the memory that tells what was in the log, and opens nothing.
                continue;
            }
            let home = Home::new();
            let store = used(&home);
            for suffix in removed {
                fs::remove_file(side(&home, suffix)).unwrap();
            }
            let mut how = "was removed";
            if others {
                // Their log is in the place of ours.
                others_append(&home, "other", "7");
                how = "was replaced";
            }
            let saved = assert_refused(&store, how).unwrap();
            assert!(saved.exists());
            // The handle that is gone touches nothing.
            drop(store);
            assert_all_there(&home, &[]);
            if others {
                let store = home.store();
                assert_eq!(messages_of(&store, "other").len(), 7);
            }
            assert!(!saved.exists());
            let kept = fs::read_dir(home.dir()).unwrap().flatten().any(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .starts_with("state.db.orphaned-")
            });
            assert!(kept);
        }
    }
}

#[test]
fn the_memory_of_a_log_that_was_removed_is_noticed_and_others_go_on_with_the_log() {
    let home = Home::new();
    let store = used(&home);
    fs::remove_file(side(&home, "-shm")).unwrap();
    assert_eq!(assert_refused(&store, "was removed"), None);
    others_append(&home, "other", "7");
    assert_eq!(assert_refused(&store, "was removed"), None);
    drop(store);
    assert_all_there(&home, &[]);
    assert_eq!(messages_of(&home.store(), "other").len(), 7);
}

#[test]
fn what_cannot_be_put_back_keeps_nobody_from_opening_the_store() {
    let home = Home::new();
    drop(used(&home));
    let saved = home.dir().join("state.db.orphaned");
    fs::write(
        &saved,
        "no store at all, but as long as the header of one is".repeat(4),
    )
    .unwrap();
    assert_all_there(&home, &[]);
    assert!(saved.exists());
}

#[test]
fn a_log_in_whose_place_is_another_is_noticed() {
    let home = Home::new();
    let store = used(&home);
    let other = Home::new();
    let strange = used(&other);
    fs::copy(side(&other, "-wal"), home.dir().join("new")).unwrap();
    drop(strange);
    fs::rename(home.dir().join("new"), side(&home, "-wal")).unwrap();
    assert_refused(&store, "was replaced").unwrap();
    drop(store);
    // What others have put there is for nobody.
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(side(&home, suffix));
    }
    assert_all_there(&home, &[]);
}

#[test]
fn a_store_in_whose_place_is_another_is_noticed_and_left_alone() {
    let home = Home::new();
    let store = used(&home);
    let other = Home::new();
    drop(crate::support::with_messages(&other, &["of another store"]));
    fs::rename(other.path(), home.path()).unwrap();
    let saved = assert_refused(&store, "was replaced").unwrap();
    drop(store);
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(side(&home, suffix));
    }
    assert_eq!(texts(&home.path()), ["of another store"]);
    drop(home.store());
    assert_eq!(texts(&home.path()), ["of another store"]);
    assert_eq!(texts(&saved), STORED);
}

#[test]
fn a_store_that_was_removed_is_noticed_and_what_it_held_is_kept() {
    let home = Home::new();
    let store = used(&home);
    for suffix in ["", "-wal", "-shm"] {
        fs::remove_file(side(&home, suffix)).unwrap();
    }
    let saved = assert_refused(&store, "was removed").unwrap();
    drop(store);
    assert_eq!(texts(&saved), STORED);
    assert!(!home.path().exists());
}

#[test]
fn a_store_that_was_removed_on_purpose_is_not_brought_back_by_a_handle_that_closes() {
    let home = Home::new();
    let store = used(&home);
    for suffix in ["", "-wal", "-shm"] {
        fs::remove_file(side(&home, suffix)).unwrap();
    }
    drop(store);
    assert_eq!(fs::read_dir(home.dir()).unwrap().count(), 0);
}

#[test]
fn a_handle_that_closes_on_a_log_that_was_removed_saves_what_it_had_acknowledged() {
    for others in [false, true] {
        let home = Home::new();
        let store = used(&home);
        for suffix in ["-wal", "-shm"] {
            fs::remove_file(side(&home, suffix)).unwrap();
        }
        if others {
            others_append(&home, "other", "7");
        }
        drop(store);
        assert_all_there(&home, &[]);
        if others {
            assert_eq!(messages_of(&home.store(), "other").len(), 7);
        }
    }
}

#[test]
fn a_log_that_others_cut_in_order_is_no_reason_to_stop() {
    let home = Home::new();
    let store = used(&home);
    for n in 0..20 {
        let _: i64 = ask(&home.path(), "PRAGMA wal_checkpoint(TRUNCATE)");
        append(&store, &format!("number {n}")).unwrap();
    }
    others_append(&home, "other", "5");
    append(&store, "at last").unwrap();
    assert_eq!(messages_of(&store, "s").len(), 24);
}

#[test]
fn the_handles_of_a_process_agree_and_all_of_them_must_go() {
    let home = Home::new();
    let first = used(&home);
    let second = home.store();
    let reader = Store::open_read_only(home.path()).unwrap();
    fs::remove_file(side(&home, "-wal")).unwrap();
    let saved = assert_refused(&second, "was removed").unwrap();
    assert_eq!(assert_refused(&first, "was removed").unwrap(), saved);
    assert_eq!(reader.session("s").unwrap_err().code(), "wal_replaced");
    drop((first, second));
    assert_eq!(Store::open(home.path()).unwrap_err().code(), "wal_replaced");
    drop(reader);
    assert_all_there(&home, &[]);
}

#[test]
fn rows_that_are_in_the_file_already_are_not_saved_again() {
    let home = Home::new();
    let store = used(&home);
    store.checkpoint(hermes_state::Checkpoint::Passive).unwrap();
    fs::remove_file(side(&home, "-wal")).unwrap();
    assert_eq!(assert_refused(&store, "was removed"), None);
    drop(store);
    assert_all_there(&home, &[]);
}

#[test]
fn ids_that_others_have_given_meanwhile_go_to_no_second_message() {
    let home = Home::new();
    let store = used(&home);
    let ids_before: Vec<i64> = messages_of(&store, "s").iter().map(|m| m.id.0).collect();
    for suffix in ["-wal", "-shm"] {
        fs::remove_file(side(&home, suffix)).unwrap();
    }
    others_append(&home, "other", "3");
    append(&store, "refused").unwrap_err();
    drop(store);
    let store = home.store();
    let step = &store.migration().unwrap().steps[0];
    assert!(
        step.contains("1 session") && step.contains("2 messages"),
        "{step}"
    );
    let ids: Vec<i64> = messages_of(&store, "s").iter().map(|m| m.id.0).collect();
    assert_eq!(ids[0], ids_before[0]);
    let others: Vec<i64> = messages_of(&store, "other")
        .iter()
        .map(|m| m.id.0)
        .collect();
    assert!(
        ids.iter().all(|id| !others.contains(id)),
        "{ids:?} {others:?}"
    );
}
