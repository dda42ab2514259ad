//! What reading a query costs: the lower quartile of many batches, for what else the machine does is
//! not ours.
//!
//! ```text
//! cargo bench -p hermes-fts --bench sanitize
//! ```
//!
//! Exits with 1 when a figure that has a limit is above it.
#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a bench stops where it fails"
)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use hermes_fts::{MAX_QUERY_CHARS, sanitize, sanitize_uncut};

const BATCHES: usize = 201;

/// Queries of about 100 characters, as people type them, with the limit in microseconds. What is made
/// of groups, phrases and operators is more than words side by side.
const QUERIES: &[(&str, f64, &str)] = &[
    (
        "words",
        3.0,
        "docker compose fails to start the postgres container after the upgrade of the host to the new release",
    ),
    (
        "operators and groups",
        6.0,
        "(docker OR podman) \"exit code\" deploy* NOT (draft OR \"old way\") AND chat-send TODO: don't OR a/b c@d.e f",
    ),
    (
        "an error with punctuation",
        3.0,
        "TypeError: Cannot read properties of undefined (reading 'map') at src/components/UserProfile/index.tsx:42",
    ),
    (
        "Russian",
        4.5,
        "ошибка подключения к базе данных после обновления сервера до новой версии и перезапуска всех контейнеров",
    ),
    (
        "Chinese",
        4.5,
        "部署失败之后数据库连接被拒绝，请检查日志文件里的错误信息然后重新启动容器服务并确认网络配置是否正确无误再联系运维部署失败之后数据库连接被拒绝，请检查日志文件里的错误信息然后重新启动容器服务并",
    ),
];

/// Texts that are repeated until they are long.
const PIECES: &[&str] = &[
    "word ",
    "a-",
    "\"",
    "\"a b\" ",
    "(",
    "(a OR ",
    "f(x) ",
    "OR ",
    "a NOT b ",
    "*",
    "\0",
    "大",
    "😀 ",
    "“a” ",
    "‘a ",
    "’",
    "（",
    "и\u{306} ",
    "ｄ ",
    "\u{302}",
];

const MEGABYTE: usize = 1 << 20;
/// Lengths without the cut, in bytes; sixteen times the length is to take sixteen times the time, not its
/// square.
const SHORT: usize = 16 << 10;
const TIMES: usize = 16;
/// How many times the time it may take, for what memory and its caches take of large texts.
const AT_MOST: f64 = 64.0;

/// The time for one call that a quarter of the batches do not exceed, in nanoseconds.
fn quartile(batches: usize, calls: u32, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..batches)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..calls {
                work();
            }
            start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 4]
}

fn main() -> ExitCode {
    let mut failed = false;
    println!("a query of 100 characters");
    for (name, limit, query) in QUERIES {
        let query: String = query.chars().take(100).collect();
        assert!(query.chars().count() >= 90, "{name}");
        let nanos = quartile(BATCHES, 200, || {
            black_box(sanitize(black_box(&query)));
        });
        println!("  {name:<44} {:>9.2} µs   limit {limit} µs", nanos / 1e3);
        failed |= nanos > limit * 1e3;
    }
    println!(
        "a megabyte, cut at {MAX_QUERY_CHARS} characters; and without the cut, 16 KiB and sixteen times that"
    );
    for piece in PIECES {
        let long = piece.repeat(MEGABYTE / piece.len());
        let cut = quartile(21, 3, || {
            black_box(sanitize(black_box(&long)));
        });
        let uncut = |bytes: usize| {
            let text = &long[..bytes / piece.len() * piece.len()];
            quartile(11, 1, || {
                black_box(sanitize_uncut(black_box(text)));
            })
        };
        let (short, times) = (uncut(SHORT), uncut(SHORT * TIMES));
        println!(
            "  {:<20} {:>9.1} µs   limit 1,000 µs   {:>8.2} ms {:>8.2} ms   {:>5.1} times, at most {AT_MOST:.0}",
            format!("{piece:?}"),
            cut / 1e3,
            short / 1e6,
            times / 1e6,
            times / short,
        );
        failed |= cut > 1e6 || times / short > AT_MOST;
    }
    if failed {
        println!("above a limit");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
