//! Many processes, signals and long reads at once. The short ones run always; the long ones on
//! demand: `cargo nextest run -p hermes-state --run-ignored only -E 'test(under_load)'`.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hermes_state::{Checkpoint, NewMessage, Store, StoreOptions, Synchronous};

use crate::support::child::{Process, WHOLE, say, spawn, wait_to_go};
use crate::support::{Home, ask, assert_index_whole, list_all, raw};

/// CORR-13: what a stop signal leaves of a writer, round after round on one store.
fn terminated(rounds: usize) {
    const APPENDS: &str = "1000";
    let home = Home::new();
    let path = home.path();
    let mut reported = 0;
    for round in 0..rounds {
        let session = format!("round{round}");
        let mut writer = spawn("append", &[path.to_str().unwrap(), &session, APPENDS]);
        assert_eq!(writer.line().as_deref(), Some("ready"));
        writer.go();
        // Another place in the loop each time.
        let mut told = 0;
        while told < round % 40 {
            writer.line().unwrap();
            told += 1;
        }
        let signalled = Command::new("kill")
            .args(["-TERM", &writer.id().to_string()])
            .status();
        assert!(signalled.unwrap().success());
        let (rest, well) = writer.finish();
        assert!(!well, "it was stopped in its loop");
        told += rest.iter().filter(|line| line.ends_with(WHOLE)).count();
        reported += told;

        let first = std::fs::read(&path).unwrap();
        assert!(first.starts_with(b"SQLite format 3\0"), "round {round}");
        let store = Store::open(&path).unwrap();
        let stored = store.session(&session).unwrap().unwrap().message_count;
        let stored = usize::try_from(stored.unwrap()).unwrap();
        assert!(
            (told..=told + 1).contains(&stored),
            "round {round}: {told} told, {stored} stored"
        );
        assert_eq!(store.index_trouble(), None, "round {round}");
        drop(store);
        if round % 20 == 0 {
            assert_eq!(ask::<String>(&path, "PRAGMA integrity_check"), "ok");
        }
    }
    assert!(reported > rounds, "{reported}");
    assert_index_whole(&path);
}

#[test]
#[cfg(unix)]
fn a_writer_that_is_told_to_stop_has_stored_what_it_had_reported() {
    terminated(40);
}

#[test]
#[cfg(unix)]
#[ignore = "takes long"]
fn two_hundred_writers_that_are_told_to_stop() {
    terminated(200);
}

/// The child's side: opens, lists and closes until it is told to stop; says how often.
pub(crate) fn open_and_list(path: &Path, stop: &Path) {
    say("ready");
    wait_to_go();
    let mut times = 0;
    while !stop.exists() {
        let store = Store::open_read_only(path).unwrap();
        assert!(!list_all(&store).is_empty());
        drop(store);
        times += 1;
    }
    say(times);
}

/// CORR-19: readers that come and go beside a writer that checkpoints without a pause.
fn readers_come_and_go(span: Duration) {
    const READERS: usize = 8;
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let stop = home.dir().join("stop");
    let arguments = [home.path(), stop.clone()];
    let arguments: Vec<&str> = arguments
        .iter()
        .map(|path| path.to_str().unwrap())
        .collect();
    let mut readers: Vec<Process> = (0..READERS)
        .map(|_| spawn("open-and-list", &arguments))
        .collect();
    for reader in &mut readers {
        assert_eq!(reader.line().as_deref(), Some("ready"));
    }
    for reader in &mut readers {
        reader.go();
    }
    let began = Instant::now();
    let mut written: u64 = 0;
    while began.elapsed() < span {
        let message = NewMessage::new("s", "user").content("planted 漓江的水");
        store.append_message(&message).unwrap();
        store.checkpoint(Checkpoint::Passive).unwrap();
        written += 1;
    }
    std::fs::write(&stop, "").unwrap();
    let mut reads = 0;
    for reader in readers {
        let (lines, well) = reader.finish();
        assert!(well, "{lines:?}");
        reads += lines[0].parse::<u64>().unwrap();
    }
    eprintln!("{written} appends, {reads} readers came and went");
    assert!(written > 10 && reads > READERS as u64, "{written} {reads}");
    assert_eq!(store.info().unwrap().messages, written);
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn readers_that_come_and_go_beside_checkpoints_never_fail() {
    readers_come_and_go(Duration::from_secs(3));
}

#[test]
#[ignore = "takes long"]
fn readers_come_and_go_for_a_minute() {
    readers_come_and_go(Duration::from_mins(1));
}

/// CORR-21. A checkpoint that is to begin the log anew waits for readers; while they keep what they
/// see it is in vain, so it may not be tried often: writers wait meanwhile.
fn readers_keep_what_they_see(appends: usize) {
    const LIMIT: u64 = 64 << 20;
    let home = Home::new();
    let store = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(home.path())
        .unwrap();
    store.ensure_session("s").unwrap();
    let log = || {
        std::fs::metadata(home.path().with_extension("db-wal"))
            .unwrap()
            .len()
    };
    let text = "words of a message that is of a usual length ".repeat(8);
    let append = |n: usize| {
        let message = NewMessage::new("s", "user").content(format!("planted {n} {text}"));
        let began = Instant::now();
        store.append_message(&message).unwrap();
        began.elapsed()
    };
    append(0);
    let seen = AtomicBool::new(false);
    let done = AtomicBool::new(false);
    let (mut longest, mut waits) = (Duration::ZERO, 0);
    let path = home.path();
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                let conn = raw(&path);
                conn.execute_batch("BEGIN").unwrap();
                let count = || -> i64 {
                    conn.query_row("SELECT COUNT(*) FROM messages", [], |row| row.get(0))
                        .unwrap()
                };
                let before = count();
                seen.store(true, Ordering::SeqCst);
                while !done.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(20));
                    assert_eq!(count(), before);
                }
                conn.execute_batch("COMMIT").unwrap();
            });
        }
        while !seen.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        for n in 1..=appends {
            let took = append(n);
            longest = longest.max(took);
            waits += u32::from(took > Duration::from_millis(100));
        }
        done.store(true, Ordering::SeqCst);
    });
    let kept = log();
    let mib = kept >> 20;
    eprintln!("log {mib} MiB, {waits} appends waited, the longest {longest:?}");
    assert!(longest < Duration::from_secs(3), "{longest:?}");
    // 60 of 3,000, and 24 s in all, where each 12 MiB of the log it was tried again.
    assert!(waits <= 20, "{waits} appends waited");
    // They have left: the log is moved and cut with the next writes.
    let began = Instant::now();
    let mut n = appends;
    while log() > LIMIT || n < appends + 200 {
        n += 1;
        append(n);
        assert!(began.elapsed() < Duration::from_secs(30), "{}", log());
    }
    assert_eq!(store.info().unwrap().messages, n as u64 + 1);
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn writers_hardly_wait_for_readers_that_keep_what_they_see() {
    readers_keep_what_they_see(3_000);
}

#[test]
#[ignore = "takes long"]
fn twenty_thousand_appends_beside_readers_that_keep_what_they_see() {
    readers_keep_what_they_see(20_000);
}
