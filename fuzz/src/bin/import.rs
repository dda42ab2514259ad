//! Any lines are imported into a store that holds something: no panic, what was there stays, and
//! rows and index are in order afterwards.
#![no_main]

use hermes_state::{ExportOptions, NewMessage, Store, StoreOptions, Synchronous};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|lines: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(folder.path().join("state.db"))
        .expect("a new store");
    store.ensure_session("kept").expect("a session");
    let message = NewMessage::new("kept", "user").content("what was there before");
    store.append_message(&message).expect("a message");
    let before = export(&store, "kept");
    // A refusal is as good as an import.
    let _ = store.import(&mut &*lines, &mut |_| {});
    assert_eq!(store.quick_check().expect("a check"), Vec::<String>::new());
    let after = export(&store, "kept");
    assert_eq!(after, before, "what was there has changed");
    // What came in goes out again, and the second time round nothing changes.
    let all = export_all(&store);
    let again = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(folder.path().join("again.db"))
        .expect("a new store");
    let report = again
        .import(&mut all.as_slice(), &mut |_| {})
        .expect("an export can be imported");
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert_eq!(without_ids(&export_all(&again)), without_ids(&all));
});

fn export(store: &Store, id: &str) -> String {
    let session = store.session(id).expect("a session is read");
    let messages = store.messages(id, Default::default());
    format!("{session:?} {:?}", messages.expect("messages are read"))
}

fn export_all(store: &Store) -> Vec<u8> {
    let mut out = Vec::new();
    store
        .export(&ExportOptions::default(), &mut out, &mut |_| {})
        .expect("an export");
    out
}

/// Messages have other ids in another store.
fn without_ids(lines: &[u8]) -> String {
    let lines = String::from_utf8_lossy(lines);
    let mut parts = lines.split("{\"id\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + "{" + part.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}
