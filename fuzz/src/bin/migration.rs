//! Old databases with bytes changed are opened to write: no panic, and whatever opens is a whole
//! store of a version that is written. What does not open is an error with a code.
//!
//! The first byte of the input chooses the database, each next four bytes are one change: page,
//! place in it (two bytes), and the new byte.
#![no_main]

use std::time::Duration;

use hermes_fuzz::{PAGE, changed, stored};
use hermes_state::{Error, ListOptions, MessagePage, NewMessage, Store, StoreOptions, Synchronous};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let change = |page: &mut [u8], place: usize, byte: u8| page[place % PAGE] = byte;
    let Some(bytes) = changed(input, change) else {
        return;
    };
    let (_folder, path) = stored(&bytes);
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
