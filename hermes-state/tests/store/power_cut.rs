//! The power goes: of what was written since the last sync, any part may be on the disk.

use std::fs;
use std::path::Path;

use faults::{Fault, Operation, Plan};
use hermes_state::{Checkpoint, NewMessage, Store};

use crate::support::{Home, ask, assert_index_whole, messages_of};

/// The head of a write-ahead log, and of each of its frames.
const LOG_HEAD: usize = 32;
const FRAME_HEAD: usize = 24;

fn log_of(path: &Path) -> Vec<u8> {
    fs::read(path.with_extension("db-wal")).unwrap_or_default()
}

/// Appends messages one by one; how long the log was as each was acknowledged.
fn appended(store: &Store, path: &Path, count: usize) -> Vec<(String, usize)> {
    store.ensure_session("s").unwrap();
    (0..count)
        .map(|n| {
            let text = format!(
                "acknowledged zebra 部署 number{n} {}",
                "text ".repeat(n * 7)
            );
            let message = NewMessage::new("s", "user").content(text.as_str());
            store.append_message(&message).unwrap();
            (text, log_of(path).len())
        })
        .collect()
}

/// Opens what a power cut has left, and sees that these are its first messages.
fn assert_holds<'a>(
    file: &[u8],
    log: &[u8],
    acknowledged: impl Iterator<Item = &'a String>,
    what: &str,
) {
    let home = Home::new();
    fs::write(home.path(), file).unwrap();
    fs::write(home.path().with_extension("db-wal"), log).unwrap();
    let store = Store::open(home.path()).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(store.index_trouble(), None, "{what}");
    let there = messages_of(&store, "s");
    store.ensure_session("s").unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content("afterwards"))
        .unwrap();
    drop(store);
    let mut count = 0;
    for (text, message) in acknowledged.zip(&there) {
        assert_eq!(message.content, Some(text.as_str().into()), "{what}");
        count += 1;
    }
    // One more may have been on its way.
    assert!(
        (count..=count + 1).contains(&there.len()),
        "{what}: {} of {count}",
        there.len()
    );
    let checked: String = ask(&home.path(), "PRAGMA integrity_check");
    assert_eq!(checked, "ok", "{what}");
    assert_index_whole(&home.path());
}

#[test]
fn a_log_that_ends_at_any_frame_has_every_message_that_was_acknowledged_by_then() {
    let home = Home::new();
    let path = home.path();
    let store = home.store();
    store.checkpoint(Checkpoint::Truncate).unwrap();
    let acknowledged = appended(&store, &path, 12);
    let (file, log) = (fs::read(&path).unwrap(), log_of(&path));
    let page: i64 = ask(&path, "PRAGMA page_size");
    let frame = FRAME_HEAD + usize::try_from(page).unwrap();
    let frames = (log.len() - LOG_HEAD) / frame;
    assert!(frames > 60, "{frames}");
    drop(store);
    for count in 0..=frames {
        let end = LOG_HEAD + count * frame;
        let then = || {
            let by_then = acknowledged.iter().filter(|(_, length)| *length <= end);
            by_then.map(|(text, _)| text)
        };
        assert_holds(
            &file,
            &log[..end],
            then(),
            &format!("{count} of {frames} frames"),
        );
        // A frame that is half there, and one with something else in it.
        let mut torn = log[..(end + frame / 2).min(log.len())].to_vec();
        assert_holds(
            &file,
            &torn,
            then(),
            &format!("{count} and a half of {frames} frames"),
        );
        torn.resize(end + frame, 0);
        let text = torn.len() - frame / 4;
        torn[text..].fill(0xA5);
        if count < frames {
            assert_holds(
                &file,
                &torn,
                then(),
                &format!("{count} frames and a torn one"),
            );
        }
    }
}

#[test]
fn a_checkpoint_that_ends_at_any_page_has_every_message() {
    let calls = {
        let home = Home::new();
        let disk = faults::arm(
            home.dir(),
            Plan::new(Operation::Write, Fault::Half).after(u64::MAX),
        );
        let store = home.store();
        appended(&store, &home.path(), 12);
        let before = disk.counter().seen();
        store.checkpoint(Checkpoint::Truncate).unwrap();
        disk.counter().seen() - before
    };
    assert!(calls > 20, "{calls}");
    for fault in [Fault::Half, Fault::Broken] {
        for call in 0..calls {
            let home = Home::new();
            let path = home.path();
            faults::install();
            let store = home.store();
            let acknowledged = appended(&store, &path, 12);
            let disk = faults::arm(home.dir(), Plan::new(Operation::Write, fault).after(call));
            let error = store.checkpoint(Checkpoint::Truncate).unwrap_err();
            assert_eq!(error.code(), "io");
            let (file, log) = (fs::read(&path).unwrap(), log_of(&path));
            drop(disk);
            drop(store);
            let texts = acknowledged.iter().map(|(text, _)| text);
            assert_holds(
                &file,
                &log,
                texts,
                &format!("{fault:?} at call {call} of {calls}"),
            );
        }
    }
}
