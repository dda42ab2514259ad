//! The journal that a store has, and the one that somebody wants it to have.

use std::path::Path;

use hermes_state::health::{self, Depth, Fault};
use hermes_state::{Checkpoint, Error, JournalMode, NewMessage, Store, StoreOptions};

use crate::support::child::spawn;
use crate::support::logged::logged;
use crate::support::{Home, ask, found, raw, with_messages};

fn mode(path: &Path) -> String {
    ask(path, "PRAGMA journal_mode")
}

fn set_by_hand(path: &Path, mode: &str) {
    raw(path)
        .query_row(&format!("PRAGMA journal_mode = {mode}"), [], |_| Ok(()))
        .unwrap();
}

fn write(store: &Store, text: &str) {
    store
        .append_message(&NewMessage::new("s", "user").content(text))
        .unwrap();
}

/// CORR-39
#[test]
fn a_rollback_journal_that_is_to_be_kept_stays() {
    let home = Home::new();
    drop(with_messages(&home, &["quokka one"]));
    set_by_hand(&home.path(), "DELETE");
    for text in ["quokka two", "quokka three"] {
        let store = StoreOptions::new()
            .keep_journal()
            .open(home.path())
            .unwrap();
        write(&store, text);
        drop(store);
        assert_eq!(mode(&home.path()), "delete");
    }
    assert_eq!(found(&home.store(), "quokka").len(), 3);
    // Without a word the store gets a log again; a new one gets it in any case.
    assert_eq!(mode(&home.path()), "wal");
    let new = Home::new();
    drop(StoreOptions::new().keep_journal().open(new.path()).unwrap());
    assert_eq!(mode(&new.path()), "wal");
}

/// CORR-16
#[test]
fn a_log_stays_where_a_rollback_journal_is_asked_for_and_that_is_told_once() {
    let home = Home::new();
    drop(with_messages(&home, &["quokka one"]));
    let open = || {
        let options = StoreOptions::new().journal(JournalMode::Delete);
        options.open(home.path()).unwrap()
    };
    let (store, told) = logged(|| {
        drop(open());
        open()
    });
    assert_eq!(told.len(), 1, "{told:#?}");
    for part in [
        "configured=\"delete\"",
        "effective=\"wal\"",
        "hermesctl db journal delete",
    ] {
        assert!(told[0].contains(part), "{}", told[0]);
    }
    write(&store, "quokka two");
    assert_eq!(mode(&home.path()), "wal");
    let report = health::check(home.path(), Depth::Fast, &|_| {}).unwrap();
    assert_eq!(report.journal_mode.as_deref(), Some("wal"));

    // This handle has it open.
    let refused = health::set_journal(home.path(), JournalMode::Delete).unwrap_err();
    assert!(matches!(refused, Error::Locked { .. }), "{refused}");
    drop(store);
    let done = health::set_journal(home.path(), JournalMode::Delete).unwrap();
    assert_eq!((&*done.before, &*done.after), ("wal", "delete"));
    assert!(!home.path().with_extension("db-wal").exists());
    assert!(logged(open).1.is_empty());
    // The choice holds for whoever opens it.
    let store = home.store();
    assert_eq!(found(&store, "quokka").len(), 2);
    write(&store, "quokka three");
    drop(store);
    assert_eq!(mode(&home.path()), "delete");
    let again = health::set_journal(home.path(), JournalMode::Wal).unwrap();
    assert_eq!((&*again.before, &*again.after), ("delete", "wal"));
    let new = Home::new();
    let options = StoreOptions::new().journal(JournalMode::Delete);
    drop(options.open(new.path()).unwrap());
    assert_eq!(mode(&new.path()), "delete");
}

#[test]
fn a_change_of_the_journal_names_those_who_have_the_store_open() {
    let home = Home::new();
    drop(with_messages(&home, &["one"]));
    let mut other = spawn("keep", &[home.path().to_str().unwrap()]);
    assert_eq!(other.line().as_deref(), Some("kept"));
    let error = health::set_journal(home.path(), JournalMode::Delete).unwrap_err();
    let Error::Locked { holders, .. } = &error else {
        panic!("{error}");
    };
    #[cfg(target_os = "linux")]
    assert_eq!(holders[0].pid, other.id());
    let _ = holders;
    other.finish();
    assert_eq!(mode(&home.path()), "wal");
}

#[test]
fn a_log_that_another_program_has_made_against_the_choice_is_a_finding() {
    let home = Home::new();
    drop(with_messages(&home, &["one"]));
    health::set_journal(home.path(), JournalMode::Delete).unwrap();
    for depth in [Depth::Fast, Depth::Deep] {
        let report = health::check(home.path(), depth, &|_| {}).unwrap();
        assert!(report.is_clean(), "{:?}", report.findings);
    }
    set_by_hand(&home.path(), "WAL");
    for depth in [Depth::Fast, Depth::Deep] {
        let report = health::check(home.path(), depth, &|_| {}).unwrap();
        assert!(report.has(Fault::JournalDiffers), "{:?}", report.findings);
    }
    health::set_journal(home.path(), JournalMode::Wal).unwrap();
    let report = health::check(home.path(), Depth::Fast, &|_| {}).unwrap();
    assert!(report.is_clean(), "{:?}", report.findings);
}

#[test]
fn a_store_that_cannot_be_written_keeps_its_journal() {
    for (file, code) in [
        ("v9.db", "migration_needed"),
        ("v30_external.db", "schema_too_new"),
        ("truncated_v11.db", "corrupt"),
    ] {
        let fixture = testdata::fixture(file);
        let error = health::set_journal(fixture.path(), JournalMode::Delete).unwrap_err();
        assert_eq!(error.code(), code, "{file}: {error}");
    }
}

/// CORR-15
#[test]
fn a_log_where_machines_share_the_files_is_warned_about_once() {
    let home = Home::new();
    drop(with_messages(&home, &["one"]));
    let ((), told) = logged(|| {
        for n in 0..5 {
            let options = StoreOptions::new().shared_file_system(true);
            let store = options.open(home.path()).unwrap();
            write(&store, &format!("quokka {n}"));
        }
    });
    assert_eq!(told.len(), 1, "{told:#?}");
    for part in [
        home.path().to_str().unwrap(),
        "mode=\"wal\"",
        "file system that machines share",
    ] {
        assert!(told[0].contains(part), "{}", told[0]);
    }
    assert_eq!(mode(&home.path()), "wal");
    assert_eq!(found(&home.store(), "quokka").len(), 5);
}

#[test]
fn a_log_that_is_empty_has_nothing_left_whoever_writes() {
    let home = Home::new();
    drop(with_messages(&home, &["one"]));
    let mut other = spawn("hold", &[home.path().to_str().unwrap()]);
    assert_eq!(other.line().as_deref(), Some("held"));
    let store = home.store();
    for how in [Checkpoint::Passive, Checkpoint::Truncate] {
        let done = store.checkpoint(how).unwrap();
        assert!(done.complete, "{done:?}");
    }
    other.finish();
    write(&store, "two");
    let mut other = spawn("hold", &[home.path().to_str().unwrap()]);
    assert_eq!(other.line().as_deref(), Some("held"));
    assert!(!store.checkpoint(Checkpoint::Truncate).unwrap().complete);
    other.finish();
    assert!(store.checkpoint(Checkpoint::Truncate).unwrap().complete);
}
