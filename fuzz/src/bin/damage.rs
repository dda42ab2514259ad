//! Sound databases with bytes and pages changed are checked, read and repaired: no panic, reading
//! and checking leave the file as it is, a clean verdict is true, and what a repair calls done can be
//! read.
//!
//! The first byte of the input chooses the database, each next four bytes are one change: page,
//! place in it (two bytes), and the new byte. A place beyond the page fills the whole page.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use hermes_state::health::{self, Depth};
use hermes_state::{Error, ListOptions, MessagePage, Store};
use libfuzzer_sys::fuzz_target;

const PAGE: usize = 4096;

/// At most so many changes.
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
        let page = usize::from(change[0]) % (bytes.len() / PAGE) * PAGE;
        let place = usize::from(u16::from_le_bytes([change[1], change[2]]));
        if place < PAGE {
            bytes[page + place] = change[3];
        } else if place > usize::from(u16::MAX) - 256 {
            bytes[page..page + PAGE].fill(change[3]);
        } else {
            bytes[page + place % 128] = change[3];
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state.db");
    fs::write(&path, &bytes).expect("the file is written");
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
