//! The thread that works in the background: when it is there, and what it leaves.
//!
//! What a process has open is counted, so each of these runs in a process of its own.

use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hermes_state::{NewMessage, SearchOptions, Store, StoreOptions, Synchronous};

use crate::support::child::{say, spawn};
use crate::support::{Home, raw};

fn play(role: &str) {
    let home = Home::new();
    let path = home.path();
    let child = spawn("maintenance", &[role, path.to_str().unwrap()]);
    let (lines, well) = child.finish();
    assert!(well, "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("done"), "{lines:?}");
}

/// The child's side.
pub(crate) fn run(role: &str, path: &Path) {
    match role {
        "thread" => thread_ends(path),
        "cycles" => cycles(path),
        "stores" => stores(path),
        "log" => log_stays_small(path),
        "drops" => drops_at_once(path),
        other => panic!("no such part: {other}"),
    }
    say("done");
}

fn quick(path: &Path) -> Store {
    StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(path)
        .unwrap()
}

fn append(store: &Store, count: usize) {
    store.ensure_session("s").unwrap();
    let message = NewMessage::new("s", "user").content("wombat");
    for _ in 0..count {
        store.append_message(&message).unwrap();
    }
}

/// Threads of the store in this process.
fn threads() -> usize {
    fs::read_dir("/proc/self/task")
        .unwrap()
        .flatten()
        .filter(|task| {
            fs::read_to_string(task.path().join("comm"))
                .is_ok_and(|name| name.trim_end() == "hermes-state")
        })
        .count()
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Descriptors of the store and its side files.
fn open_files(path: &Path) -> usize {
    let path = fs::canonicalize(path).unwrap();
    let path = path.to_str().unwrap();
    fs::read_dir("/proc/self/fd")
        .unwrap()
        .flatten()
        .filter(|fd| {
            fs::read_link(fd.path())
                .is_ok_and(|to| to.to_str().is_some_and(|to| to.starts_with(path)))
        })
        .count()
}

fn log_of(path: &Path) -> std::path::PathBuf {
    path.with_extension("db-wal")
}

fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn one_thread_serves_all_stores_and_ends_with_the_last() {
    play("thread");
}

fn thread_ends(path: &Path) {
    let other = path.with_extension("other");
    let stores = [quick(path), quick(&other)];
    assert_eq!(threads(), 0, "nothing to be done yet");
    for store in &stores {
        append(store, 60);
    }
    wait_for("a thread", || threads() == 1);
    let [first, second] = stores;
    let again = first.clone();
    drop(first);
    append(&again, 60);
    append(&second, 60);
    assert_eq!(threads(), 1);
    drop(again);
    assert_eq!(open_files(path), 0);
    append(&second, 60);
    assert_eq!(threads(), 1);
    drop(second);
    wait_for("its end", || threads() == 0);
    // And again.
    let store = quick(path);
    append(&store, 60);
    wait_for("a new thread", || threads() == 1);
    drop(store);
    wait_for("its end", || threads() == 0);
}

/// LOCK-18
#[test]
#[cfg(target_os = "linux")]
fn opening_and_closing_leaves_no_descriptor_thread_or_log() {
    play("cycles");
}

fn cycles(path: &Path) {
    drop(quick(path));
    let before = descriptors();
    for n in 0..200 {
        let store = quick(path);
        append(&store, if n % 10 == 0 { 60 } else { 1 });
        assert_eq!(
            store
                .search(&SearchOptions::new("wombat"))
                .unwrap()
                .matches
                .len(),
            20.min(store.info().unwrap().messages as usize)
        );
        drop(store);
        assert_eq!(open_files(path), 0, "round {n}");
        assert!(!log_of(path).exists(), "round {n}");
    }
    wait_for("the thread's end", || threads() == 0);
    assert_eq!(descriptors(), before);
}

/// LOCK-12
#[test]
#[cfg(target_os = "linux")]
fn a_thousand_stores_that_are_dropped_leave_no_descriptor() {
    play("stores");
}

fn stores(path: &Path) {
    drop(quick(path));
    let before = descriptors();
    for n in 0..1000 {
        let path = path.with_extension(format!("{}", n / 100));
        let store = quick(&path);
        store.ensure_session(format!("s{n}")).unwrap();
        drop(store);
    }
    assert_eq!(descriptors(), before);
    assert_eq!(threads(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn the_log_stays_small_beside_a_reader_and_moves_into_the_file_meanwhile() {
    play("log");
}

fn log_stays_small(path: &Path) {
    let store = quick(path);
    store.ensure_session("s").unwrap();
    let done = AtomicBool::new(false);
    let mut greatest = 0;
    std::thread::scope(|threads| {
        // Reads that overlap: there is always one under way.
        for _ in 0..2 {
            threads.spawn(|| {
                let reader = Store::open_read_only(path).unwrap();
                while !done.load(Ordering::SeqCst) {
                    reader.messages("s", Default::default()).unwrap();
                }
            });
        }
        let text = "words of a message that is of a usual length ".repeat(8);
        for n in 0..5_000 {
            let message = NewMessage::new("s", "user").content(format!("{n} {text}"));
            store.append_message(&message).unwrap();
            if n % 50 == 0 {
                greatest = greatest.max(fs::metadata(log_of(path)).unwrap().len());
            }
        }
        done.store(true, Ordering::SeqCst);
    });
    let file = fs::metadata(path).unwrap().len();
    say(format!("log {greatest}, file {file}"));
    assert!(greatest < 64 << 20, "{greatest}");
    // Though nobody has closed it.
    assert!(file > 5 << 20, "{file}");
    drop(store);
    assert!(!log_of(path).exists());
}

#[test]
#[cfg(target_os = "linux")]
fn many_threads_that_drop_their_handles_at_once_wait_for_nobody() {
    play("drops");
}

fn drops_at_once(path: &Path) {
    for round in 0..40 {
        let store = quick(path);
        append(&store, 60);
        // Work for the thread, of both kinds.
        raw(path)
            .execute_batch("DROP TRIGGER IF EXISTS messages_fts_insert")
            .unwrap();
        append(&store, 1);
        let barrier = Barrier::new(8);
        std::thread::scope(|threads| {
            for _ in 0..8 {
                let store = store.clone();
                let barrier = &barrier;
                threads.spawn(move || {
                    barrier.wait();
                    drop(store);
                });
            }
            drop(store);
        });
        assert_eq!(open_files(path), 0, "round {round}");
    }
    wait_for("the thread's end", || threads() == 0);
}
