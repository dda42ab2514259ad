//! A full disk, on a small file system of its own.

use std::fs;
use std::path::Path;
use std::process::Command;

use hermes_state::{NewMessage, Store};

use crate::support::child::{self, Process, say};
use crate::support::{assert_index_whole, found, messages_of};

#[test]
fn a_full_disk_is_a_typed_error_nothing_is_lost_and_writing_goes_on_when_there_is_room() {
    on_a_small_disk("fill", "5m");
}

/// Has a child play its role in a folder that is a file system of this size.
pub(crate) fn on_a_small_disk(role: &str, size: &str) {
    let folder = tempfile::tempdir().unwrap();
    let inner = child::command(role, &[folder.path().to_str().unwrap()]);
    // The mount is the child's alone and goes with it.
    let script = format!("mount -t tmpfs -o size={size} tmpfs \"$1\" && shift && exec \"$@\"");
    let mut command = Command::new("unshare");
    command
        .args([
            "--mount",
            "--map-root-user",
            "--",
            "sh",
            "-c",
            &script,
            "sh",
        ])
        .arg(folder.path())
        .arg(inner.get_program())
        .args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap());
    }
    let Ok(mut process) = Process::try_start(&mut command) else {
        eprintln!("SKIPPED: no program `unshare` to make a small file system with");
        return;
    };
    let Some(first) = process.line() else {
        eprintln!("SKIPPED: this system lets nobody mount a small file system");
        return;
    };
    assert_eq!(first, "mounted");
    let (lines, well) = process.finish();
    assert!(well, "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("done"), "{lines:?}");
}

/// The child's side.
pub(crate) fn fill(folder: &Path) {
    say("mounted");
    let ballast = folder.join("ballast");
    fs::write(&ballast, vec![1; 2 << 20]).unwrap();
    let path = folder.join("state.db");
    let store = Store::open(&path).unwrap();
    store.ensure_session("s").unwrap();
    let message = |n: usize| {
        NewMessage::new("s", "user").content(format!("planted number{n} {}", "text ".repeat(400)))
    };
    let mut stored = Vec::new();
    let mut failed = 0;
    for n in 0..10_000 {
        match store.append_message(&message(n)) {
            Ok(id) => stored.push(id),
            Err(error) => {
                assert_eq!(error.code(), "disk_full", "{error}");
                failed += 1;
            }
        }
        if failed == 20 {
            break;
        }
    }
    assert_eq!(failed, 20);
    say(format!(
        "{} messages before the disk was full",
        stored.len()
    ));
    let ids = |store: &Store| -> Vec<_> { messages_of(store, "s").iter().map(|m| m.id).collect() };
    assert_eq!(ids(&store), stored);
    assert_eq!(found(&store, "planted").len(), stored.len());

    fs::remove_file(&ballast).unwrap();
    for n in 0..10 {
        stored.push(store.append_message(&message(n)).unwrap());
    }
    assert_eq!(ids(&store), stored);
    let count = store.session("s").unwrap().unwrap().message_count;
    assert_eq!(count, Some(stored.len() as i64));
    drop(store);
    assert_index_whole(&path);
    say("done");
}
