//! Runs a corpus of commands and prints a table and what came out wrong:
//! `cargo run --example corpus -- FILE [CLASS…]`; `--keys` lists missing approval keys, too;
//! `--time` says how long the verdicts take.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hermes_approval::{AnalysisEnv, Platform, assess, corpus};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let before = arguments.len();
        arguments.retain(|a| a != name);
        arguments.len() < before
    };
    let (keys, time) = (flag("--keys"), flag("--time"));
    let Some((file, classes)) = arguments.split_first() else {
        eprintln!("usage: corpus FILE [CLASS…] [--keys] [--time]");
        return ExitCode::from(64);
    };
    let rows = match std::fs::read_to_string(file)
        .map_err(|e| e.to_string())
        .and_then(|text| corpus::read(&text))
    {
        Ok(rows) => rows,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let env = AnalysisEnv::new("/home/agent");
    if time {
        print_times(&rows, &env);
        return ExitCode::SUCCESS;
    }
    let report = corpus::run(&rows, &env, Platform::Posix);
    let wanted = |class: &str| classes.is_empty() || classes.iter().any(|c| c == class);
    for outcome in report.outcomes.iter().filter(|o| wanted(&o.row.class)) {
        let row = outcome.row;
        let command: String = row.command.chars().take(160).collect();
        if !outcome.is_right() {
            let (verdict, decision) = (row.verdict, outcome.decision.name());
            println!(
                "{verdict:?} but {decision:<5} [{}] {command:?}  {}  {:?}",
                row.class, row.why, outcome.rules
            );
        } else if keys && outcome.misses_key() {
            println!(
                "key [{}] {command:?}  expected {:?}, has {:?}",
                row.class,
                row.expected_key().unwrap_or(""),
                outcome.keys
            );
        }
    }
    println!("{report}");
    ExitCode::SUCCESS
}

/// The best of twenty runs of each row, and the very first call.
fn print_times(rows: &[corpus::Row], env: &AnalysisEnv) {
    let timed = |command: &str| {
        let start = Instant::now();
        black_box(assess(black_box(command), env, Platform::Posix));
        start.elapsed()
    };
    let first = rows.first().map(|row| timed(&row.command));
    let best = |row: &corpus::Row| {
        let runs = (0..20).map(|_| timed(&row.command));
        runs.min().unwrap_or(Duration::ZERO)
    };
    let mut times: Vec<Duration> = rows.iter().map(best).collect();
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len().saturating_sub(1) * percent / 100);
    println!(
        "{} rows: p50 {:?}, p90 {:?}, p99 {:?}, worst {:?}, first call {first:?}",
        times.len(),
        at(50),
        at(90),
        at(99),
        times.last(),
    );
}
