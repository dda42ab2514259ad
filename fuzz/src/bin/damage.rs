//! Sound databases with bytes and pages changed are checked, read and repaired: no panic, reading
//! and checking leave the file as it is, a clean verdict is true, and what a repair calls done can be
//! read.
//!
//! The first byte of the input chooses the database, each next four bytes are one change: page,
//! place in it (two bytes), and the new byte. A place beyond the page fills the whole page.
#![no_main]

use std::fs;

use hermes_fuzz::{changed, stored};
use hermes_state::health::{self, Depth};
use hermes_state::{Error, ListOptions, MessagePage, Store};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let change = |page: &mut [u8], place: usize, byte: u8| {
        if place < page.len() {
            page[place] = byte;
        } else if place > usize::from(u16::MAX) - 256 {
            page.fill(byte);
        } else {
            page[place % 128] = byte;
        }
    };
    let Some(bytes) = changed(input, change) else {
        return;
    };
    let (_folder, path) = stored(&bytes);
    let read = read(&path);
    let report = health::check(&path, Depth::Deep, &|_| {});
    assert!(
        fs::read(&path).expect("the file") == bytes,
        "reading has changed the file"
    );
    if report.is_ok_and(|report| report.worst().is_none()) {
        read.expect("a clean store is read");
    }
    if let Ok(done) = health::repair(&path, &|_| {})
        && done.after.worst().is_none()
    {
        self::read(&path).expect("a repaired store is read");
    }
});

fn read(path: &std::path::Path) -> Result<(), Error> {
    let store = Store::open_read_only(path)?;
    for listed in store.list_sessions(&ListOptions::default())? {
        store.messages(&listed.session.id, MessagePage::default())?;
    }
    Ok(())
}
