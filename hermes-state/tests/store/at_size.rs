//! Cases at the size that they tell of: minutes each, and gigabytes of disk. Run by
//! `cargo nextest run --release -p hermes-state --run-ignored only -E 'test(at_size)'`.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};

use hermes_state::{StoreOptions, Synchronous};

use crate::contention::{open_after_a_kill, vacuum_after_half};
use crate::prune::{open_after_single_writes, vacuum_after_a_prune};
use crate::support::Home;

/// LOCK-10: 100 MB.
#[test]
#[ignore = "takes long"]
fn half_of_a_hundred_megabytes_is_given_back() {
    vacuum_after_half(120);
}

/// LOCK-15: 2 GB.
#[test]
#[ignore = "takes long"]
fn two_gigabytes_open_at_once_after_a_kill() {
    open_after_a_kill(600_000, 2 << 30);
}

/// SIZE-13: 50,000 messages in as many transactions.
#[test]
#[ignore = "takes long"]
fn fifty_thousand_single_writes_leave_a_merged_index() {
    open_after_single_writes(50_000);
}

/// SIZE-07: 1 of 1,000 sessions, and 500.
#[test]
#[ignore = "takes long"]
fn a_prune_of_half_of_a_thousand_sessions_is_worth_a_vacuum() {
    vacuum_after_a_prune(1_000);
}

/// The most memory that the process has used so far, in KiB.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

/// 400 MB of lines, one session of which is a quarter of it: that line is in memory once.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes long"]
fn an_import_of_four_hundred_megabytes_takes_little_memory() {
    const MESSAGE: usize = 4_000;
    let home = Home::new();
    let file = home.dir().join("lines.jsonl");
    let mut out = BufWriter::new(File::create(&file).unwrap());
    let text = "words of some length, 大别山, and more ".repeat(MESSAGE / 42);
    let sizes = std::iter::once(25_000).chain(std::iter::repeat_n(100, 750));
    let mut messages = 0;
    for (n, size) in sizes.enumerate() {
        let title = format!("Session {n}");
        write!(out, "{{\"id\":\"s{n}\",\"source\":\"cli\",\"title\":\"{title}\",\"started_at\":{n},\"messages\":[").unwrap();
        for m in 0..size {
            let comma = if m == 0 { "" } else { "," };
            write!(
                out,
                "{comma}{{\"role\":\"user\",\"content\":\"{m} {text}\",\"timestamp\":{m}}}"
            )
            .unwrap();
        }
        writeln!(out, "]}}").unwrap();
        messages += size as u64;
    }
    out.into_inner().unwrap();
    assert!(std::fs::metadata(&file).unwrap().len() > 380 << 20);
    let before = peak();
    let store = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(home.path())
        .unwrap();
    let mut lines = BufReader::new(File::open(&file).unwrap());
    let report = store.import(&mut lines, &mut |_| {}).unwrap();
    let used = peak() - before;
    eprintln!("{} messages, {used} KiB", report.messages);
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert_eq!((report.sessions, report.messages), (751, messages));
    let longest = (25_000 * (text.len() as u64 + 50)) >> 10;
    assert!(
        used < longest + (64 << 10),
        "{used} KiB, line of {longest} KiB"
    );
}
