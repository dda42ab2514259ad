//! Appending: one message a transaction, and a hundred.

use std::path::Path;
use std::time::{Duration, Instant};

use hermes_state::{NewMessage, StoreOptions, Synchronous};

use crate::bare::Bare;
use crate::report::{Report, median, ms, percentile};
use crate::workload::{self, Generator, Text};

const RUNS: usize = 5;
const MESSAGES: usize = 2_000;
const SESSION: &str = "append";

pub(crate) fn run(report: &mut Report) {
    let big = workload::big();
    for (durability, synchronous) in [("FULL", Synchronous::Full), ("NORMAL", Synchronous::Normal)]
    {
        for size in ["empty", "big"] {
            let [ours, bare] = ["ours", "bare"].map(|name| {
                if size == "big" {
                    workload::copy(&big, name)
                } else {
                    workload::scratch(name).join("state.db")
                }
            });
            let texts = texts(2, MESSAGES);
            let mut ratios = [const { Vec::new() }; 3];
            let mut rates = [const { Vec::new() }; 2];
            for run in 0..RUNS {
                if size == "empty" {
                    for path in [&ours, &bare] {
                        remove(path);
                    }
                }
                // Who begins changes, so that neither always has the quieter half.
                let mut times = [Vec::new(), Vec::new()];
                for turn in 0..2 {
                    let which = (run + turn) % 2;
                    times[which] = if which == 0 {
                        append_ours(&ours, synchronous, &texts)
                    } else {
                        append_bare(&bare, durability, &texts)
                    };
                }
                let [a, b] = &times;
                let total = |times: &[Duration]| times.iter().sum::<Duration>().as_secs_f64();
                ratios[0].push(total(b) / total(a));
                ratios[1].push(ms(percentile(a, 99)) / ms(percentile(b, 99)));
                ratios[2].push(ms(percentile(a, 100)) / ms(percentile(b, 100)));
                rates[0].push(MESSAGES as f64 / total(a));
                rates[1].push(MESSAGES as f64 / total(b));
            }
            let [throughput, p99, max] = ratios.map(median);
            let [ours, bare] = rates.map(median);
            let what = format!("append, {durability}, {size} store");
            report.note(&format!("{what}: ours"), ours, "/s");
            report.note(&format!("{what}: bare"), bare, "/s");
            report.at_least(&format!("{what}: throughput"), throughput, "×", 0.90);
            report.at_most(&format!("{what}: p99"), p99, "×", 1.2);
            report.at_most(&format!("{what}: maximum"), max, "×", 2.0);
        }
    }
    batches(report);
}

fn batches(report: &mut Report) {
    let texts = texts(3, 5_000);
    let mut ratios = Vec::new();
    for run in 0..RUNS {
        let ours = workload::scratch("ours").join("state.db");
        let bare = workload::scratch("bare").join("state.db");
        let mut took = [Duration::ZERO; 2];
        for turn in 0..2 {
            let which = (run + turn) % 2;
            took[which] = if which == 0 {
                let store = StoreOptions::new().open(&ours).unwrap();
                store.ensure_session(SESSION).unwrap();
                let messages: Vec<NewMessage> = texts
                    .iter()
                    .map(|t| workload::new_message(SESSION, t))
                    .collect();
                let began = Instant::now();
                for batch in messages.chunks(100) {
                    store.append_messages(batch).unwrap();
                }
                began.elapsed()
            } else {
                let conn = Bare::open(&bare, "FULL");
                conn.ensure(SESSION);
                let began = Instant::now();
                for batch in texts.chunks(100) {
                    conn.append(SESSION, batch, 1.7e9).unwrap();
                }
                began.elapsed()
            };
        }
        ratios.push(took[1].as_secs_f64() / took[0].as_secs_f64());
    }
    report.at_least(
        "append, batches of 100: throughput",
        median(ratios),
        "×",
        0.95,
    );
}

pub(crate) fn texts(seed: u64, count: usize) -> Vec<Text> {
    let mut generator = Generator::new(seed);
    (0..count).map(|n| generator.message(n)).collect()
}

fn append_ours(path: &Path, synchronous: Synchronous, texts: &[Text]) -> Vec<Duration> {
    let store = StoreOptions::new()
        .synchronous(synchronous)
        .open(path)
        .unwrap();
    store.ensure_session(SESSION).unwrap();
    texts
        .iter()
        .map(|text| {
            let message = workload::new_message(SESSION, text);
            let began = Instant::now();
            store.append_message(&message).unwrap();
            began.elapsed()
        })
        .collect()
}

fn append_bare(path: &Path, durability: &str, texts: &[Text]) -> Vec<Duration> {
    let bare = Bare::open(path, durability);
    bare.ensure(SESSION);
    texts
        .iter()
        .map(|text| {
            let began = Instant::now();
            bare.append(SESSION, std::slice::from_ref(text), 1.7e9)
                .unwrap();
            began.elapsed()
        })
        .collect()
}

fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = std::fs::remove_file(name);
    }
}
