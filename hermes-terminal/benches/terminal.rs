//! What a command costs beside the same command without a terminal, and how fast output is read.
//!
//! ```text
//! cargo bench -p hermes-terminal --bench terminal
//! ```
//!
//! Exits with 1 when a figure that has a limit is beyond it.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a bench stops where it fails"
)]

use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_home::{Environment, HermesHome, Platform};
use hermes_terminal::{Local, Request, Terminal};

const RUNS: usize = 401;
/// What the foreground may cost over a bare shell.
const LIMIT_MS: f64 = 3.0;
const OUTPUT_BYTES: u64 = 1_000_000_000;
/// What an embedding program may hold while it starts commands.
const BALLAST: usize = 512 * 1024 * 1024;

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    let home = home(&folder);
    let mut failed = false;

    let plain = terminal(Local::new(home.clone()).expect("local").with_login(false));
    let (bare, over) = beside(&plain, "true");
    show("a bare `bash -c true`", bare, "ms", "");
    let limit = format!("limit {LIMIT_MS:.0} ms");
    show("`true` in the foreground, over that", over, "ms", &limit);
    failed |= over > LIMIT_MS;

    let local = Local::new(home.clone()).expect("local");
    let login = terminal(local);
    let start = Instant::now();
    run(&login, "true");
    show(
        "the first command of a task: it reads the login",
        ms(start.elapsed()),
        "ms",
        "",
    );
    let (_, over) = beside(&login, "true");
    show(
        "`true` with a login environment, over bare",
        over,
        "ms",
        &limit,
    );
    failed |= over > LIMIT_MS;

    let functions =
        "for n in $(seq 200); do eval \"f$n() { for i in 1 2 3; do echo \\$i $n; done; }\"; done";
    run(&plain, functions);
    let (_, over) = beside(&plain, "true");
    show("`true` with 200 functions, over bare", over, "ms", "");
    plain.end_task("bench");

    let ballast = vec![1u8; BALLAST];
    let (bare, over) = beside(&plain, "true");
    black_box(&ballast);
    drop(ballast);
    show(
        "a bare shell, started by a process of 512 MB",
        bare,
        "ms",
        "",
    );
    show(
        "`true` started by a process of 512 MB, over that",
        over,
        "ms",
        "",
    );

    let start = Instant::now();
    run(
        &plain,
        &format!("head -c {OUTPUT_BYTES} /dev/zero | tr '\\0' x"),
    );
    let speed = OUTPUT_BYTES as f64 / 1e6 / start.elapsed().as_secs_f64();
    show("output read, cut and kept", speed, "MB/s", "");

    if failed {
        println!("a figure is beyond its limit");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn home(folder: &tempfile::TempDir) -> HermesHome {
    let env = Environment::new(Platform::Unix)
        .with_user_home(folder.path())
        .with_hermes_home(folder.path().join("hermes"));
    hermes_home::resolve(&env).expect("a home").home
}

fn terminal(local: Local) -> Terminal {
    Terminal::builder()
        .environment(Arc::new(local))
        .without_gate()
        .build()
        .expect("a terminal")
}

fn run(terminal: &Terminal, command: &str) {
    let request = Request::new(command)
        .with_timeout_seconds(600.0)
        .expect("a time-out");
    let outcome = terminal.run("bench", &request).expect("an outcome");
    assert_eq!(outcome.exit_code, 0, "{outcome:?}");
}

/// The medians of a command in a bare shell, and of what it costs more here, in milliseconds. They
/// take turns, so that what else the machine does is in both.
fn beside(terminal: &Terminal, command: &str) -> (f64, f64) {
    let mut bare = Vec::new();
    let mut ours = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let output = Command::new("bash")
            .args(["-c", command])
            .stdin(Stdio::null())
            .output()
            .expect("bash");
        assert!(output.status.success());
        bare.push(ms(start.elapsed()));
        let start = Instant::now();
        run(terminal, command);
        ours.push(ms(start.elapsed()));
    }
    let bare = middle(bare);
    (bare, middle(ours) - bare)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn show(name: &str, value: f64, unit: &str, limit: &str) {
    println!("{name:<58} {value:>10.2} {unit}   {limit}");
}
