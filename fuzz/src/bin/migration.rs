//! Old databases with bytes changed are opened to write: no panic, and whatever opens is a whole
//! store of a version that is written. What does not open is an error with a code.
//!
//! The first byte of the input chooses the database, each next four bytes are one change: page,
//! place in it (two bytes), and the new byte.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use hermes_state::{Error, ListOptions, MessagePage, NewMessage, Store, StoreOptions, Synchronous};
use libfuzzer_sys::fuzz_target;

const PAGE: usize = 4096;

/// At most so many bytes are changed.
const CHANGES: usize = 64;

/// The databases to begin with: those of the folder that `HERMES_FUZZ_DATABASES` names.
static DATABASES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folder = std::env::var_os("HERMES_FUZZ_DATABASES").expect("HERMES_FUZZ_DATABASES is set");
    let mut paths: Vec<PathBuf> = fs::read_dir(PathBuf::from(folder))
        .expect("the folder of databases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let read = paths.iter().map(|path| fs::read(path).expect("a database"));
    read.collect()
});

fuzz_target!(|input: &[u8]| {
    let Some((chosen, changes)) = input.split_first() else {
        return;
    };
    let mut bytes = DATABASES[usize::from(*chosen) % DATABASES.len()].clone();
    for change in changes.chunks_exact(4).take(CHANGES) {
        let page = usize::from(change[0]) % (bytes.len() / PAGE);
        let place = usize::from(u16::from_le_bytes([change[1], change[2]])) % PAGE;
        bytes[page * PAGE + place] = change[3];
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state.db");
    fs::write(&path, &bytes).expect("the file is written");
    let opened = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(&path);
    let store = match opened {
        Ok(store) => store,
        Err(error) => {
            assert!(!error.code().is_empty());
            return;
        }
    };
    // Everything may fail in a damaged file; what was accepted is there.
    let _ = use_it(&store);
});

fn use_it(store: &Store) -> Result<(), Error> {
    store.list_sessions(&ListOptions::default())?;
    store.complete_index(Some(Duration::from_secs(2)), &|_| {})?;
    store.ensure_session("fuzz")?;
    let message = NewMessage::new("fuzz", "user").content("quokka");
    let id = store.append_message(&message)?;
    let there = store.messages("fuzz", MessagePage::default())?;
    assert!(
        there.iter().any(|message| message.id == id),
        "a message was lost"
    );
    Ok(())
}
