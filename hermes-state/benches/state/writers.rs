//! Four processes that write to one store, and the child processes of all sections.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hermes_state::Store;
use rand::RngExt;

use crate::append::texts;
use crate::bare::Bare;
use crate::report::{Report, median, ms, percentile};
use crate::workload;

const WRITERS: usize = 4;
const EACH: usize = 10_000;
const RUNS: usize = 3;

pub(crate) fn run(report: &mut Report) {
    let mut ratios = [const { Vec::new() }; 2];
    for run in 0..RUNS {
        let mut outcomes = [Outcome::default(); 2];
        for turn in 0..2 {
            let which = (run + turn) % 2;
            let role = ["child-append-ours", "child-append-bare"][which];
            let path = workload::scratch(role).join("state.db");
            drop(Store::open(&path).unwrap());
            outcomes[which] = write_at_once(role, &path);
        }
        let [ours, bare] = outcomes;
        ratios[0].push(ours.total / bare.total);
        ratios[1].push(ms(ours.p99) / ms(bare.p99));
        println!(
            "   run {run}: ours {:.0}/s p99 {:.0} ms max {:.0} ms, bare {:.0}/s p99 {:.0} ms max {:.0} ms",
            ours.total,
            ms(ours.p99),
            ms(ours.max),
            bare.total,
            ms(bare.p99),
            ms(bare.max),
        );
    }
    let [total, p99] = ratios.map(median);
    report.at_least("4 writers, 10,000 messages each: total", total, "×", 0.9);
    report.at_most("4 writers, 10,000 messages each: p99", p99, "×", 2.0);
}

#[derive(Clone, Copy, Default)]
struct Outcome {
    /// Messages a second of all together.
    total: f64,
    /// What an append took.
    p99: Duration,
    max: Duration,
}

fn write_at_once(role: &str, path: &Path) -> Outcome {
    let path = path.to_str().unwrap();
    let began = Instant::now();
    let children: Vec<_> = (0..WRITERS)
        .map(|n| spawn(role, &[path, &n.to_string(), &EACH.to_string()]))
        .collect();
    let mut times: Vec<Duration> = Vec::new();
    for child in children {
        let lines = finish(child).expect("a writer failed");
        times.extend(
            lines
                .iter()
                .map(|l| Duration::from_micros(l.parse().unwrap())),
        );
    }
    let took = began.elapsed();
    assert_eq!(times.len(), WRITERS * EACH);
    let store = Store::open_read_only(path).unwrap();
    let info = store.info().unwrap();
    assert_eq!(
        info.messages,
        (WRITERS * EACH) as u64,
        "{role} lost messages"
    );
    assert!(info.index.complete, "{:?}", info.index);
    Outcome {
        total: times.len() as f64 / took.as_secs_f64(),
        p99: percentile(&times, 99),
        max: percentile(&times, 100),
    }
}

/// This program again, in a role.
pub(crate) fn spawn(role: &str, arguments: &[&str]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .arg(role)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets a writer end, and gives how long each of its messages took.
pub(crate) fn waits_of(writer: Child) -> Vec<Duration> {
    let lines = finish(writer).expect("the other writer failed");
    lines
        .iter()
        .map(|line| Duration::from_micros(line.parse().unwrap()))
        .collect()
}

/// The lines of a child that ended well.
pub(crate) fn finish(mut child: Child) -> Option<Vec<String>> {
    drop(child.stdin.take());
    let out = BufReader::new(child.stdout.take()?);
    let lines: Vec<String> = out.lines().map_while(Result::ok).collect();
    child.wait().is_ok_and(|s| s.success()).then_some(lines)
}

/// The child's side; `false` if this is no child.
pub(crate) fn play(role: &str, arguments: &[String]) -> bool {
    let argument = |n: usize| arguments[n].as_str();
    match role {
        "child-open" => drop(Store::open(argument(0)).unwrap()),
        "child-append-ours" => {
            let store = Store::open(argument(0)).unwrap();
            let session = format!("writer{}", argument(1));
            store.ensure_session(session.as_str()).unwrap();
            say(&timed(arguments, |text| {
                store
                    .append_message(&workload::new_message(&session, text))
                    .unwrap();
            }));
        }
        "child-append-bare" => {
            let bare = Bare::open(Path::new(argument(0)), "FULL");
            let session = format!("writer{}", argument(1));
            patiently(|| {
                bare.0.execute(
                    "INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES (?1, 'cli', 1.7e9)",
                    [&session],
                )
            });
            say(&timed(arguments, |text| {
                patiently(|| bare.append(&session, std::slice::from_ref(text), 1.7e9));
            }));
        }
        "child-export" => crate::stream::export(argument(0), argument(1)),
        "child-import" => crate::stream::import(argument(0), argument(1)),
        "child-append-until" => crate::searching::append_until_told(argument(0)),
        "child-write-until" => crate::reindexing::write_until_told(argument(0)),
        _ => return false,
    }
    true
}

fn timed(arguments: &[String], mut append: impl FnMut(&workload::Text)) -> Vec<Duration> {
    let seed: u64 = arguments[1].parse().unwrap();
    let count: usize = arguments[2].parse().unwrap();
    // Many different texts, made once.
    let texts = texts(10 + seed, 500);
    (0..count)
        .map(|n| {
            let began = Instant::now();
            append(&texts[n % texts.len()]);
            began.elapsed()
        })
        .collect()
}

pub(crate) fn say(times: &[Duration]) {
    let mut out = std::io::stdout().lock();
    for time in times {
        writeln!(out, "{}", time.as_micros()).unwrap();
    }
}

/// The same retry policy as the store's: SQLite waits a second, then a random pause.
fn patiently<T>(mut step: impl FnMut() -> rusqlite::Result<T>) -> T {
    let began = Instant::now();
    loop {
        match step() {
            Ok(value) => return value,
            Err(e) => {
                let busy = e.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy);
                assert!(busy && began.elapsed().as_secs() < 60, "{e}");
            }
        }
        std::thread::sleep(Duration::from_millis(rand::rng().random_range(20..150)));
    }
}
