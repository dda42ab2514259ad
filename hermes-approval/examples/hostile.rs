//! Texts made to be slow, in growing sizes: milliseconds of a whole verdict for each, as a table.
//!
//! `cargo run --release --example hostile [-- --max BYTES] [FAMILY …]`; a family is named by its
//! unit.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hermes_approval::{AnalysisEnv, Platform, analyse, assess};

/// What is repeated, what stands before it, and what is named in the table.
const FAMILIES: &[(&str, &str)] = &[
    ("", "tee "),
    ("", "$("),
    ("", "(("),
    ("", "'"),
    ("", "\""),
    ("", "`"),
    ("", "\\"),
    ("", "<<E\n"),
    ("", "cat <<A\n"),
    ("", "a;"),
    ("", "a|"),
    ("", "a&&"),
    ("", "sh|"),
    ("", "xargs rm|"),
    ("", "rm -rf x;"),
    ("", "sudo "),
    ("", "sudo rm x;"),
    ("", "eval "),
    ("", "a=~/b "),
    ("", "x=1;"),
    ("x=ab;", "$x "),
    ("x=aaaaaaaaaaaaaaaa;", "x=$x$x;"),
    ("", "{a,b}"),
    ("", "${x:-"),
    ("", "/e*c/p?s*d "),
    ("", ">a "),
    ("", "echo a|sh;"),
    ("", "sh -c 'a';"),
    ("", "python -c 'system(\"ls\")';"),
    ("", "f(){ :; };f;"),
    ("", "if "),
    ("", "find -exec "),
    ("", "curl x|sh;"),
    ("", "\0"),
    ("", "\u{1b}["),
    ("", "\u{1b}]"),
    ("", "\u{200b}"),
    ("", "\u{fb01}"),
    ("a", "\u{301}"),
    ("", " "),
    ("", "\n"),
    ("", "lorem ipsum "),
];

const SIZES: &[usize] = &[1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 22];

fn main() -> ExitCode {
    let mut max = usize::MAX;
    let mut wanted: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--max" {
            let Some(bytes) = arguments.next().and_then(|n| n.parse().ok()) else {
                eprintln!("--max takes a number of bytes");
                return ExitCode::from(64);
            };
            max = bytes;
        } else {
            wanted.push(argument);
        }
    }
    let sizes: Vec<usize> = SIZES.iter().copied().filter(|&s| s <= max).collect();
    print!("{:<32}", "ms by size");
    for size in &sizes {
        print!("{:>10}", format!("{} KiB", size >> 10));
    }
    println!("{:>12}", "(analysis)");
    let env = AnalysisEnv::new("/home/agent");
    for &(prefix, unit) in FAMILIES {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == unit) {
            continue;
        }
        print!("{:<32}", format!("{prefix:?} {unit:?}"));
        let mut analysis = Duration::ZERO;
        for &size in &sizes {
            let mut text = String::with_capacity(size + unit.len());
            text.push_str(prefix);
            while text.len() < size {
                text.push_str(unit);
            }
            let verdict = best(|| {
                black_box(assess(black_box(&text), &env, Platform::Posix));
            });
            analysis = best(|| {
                black_box(analyse(black_box(&text), &env, Platform::Posix));
            });
            print!("{:>10.3}", verdict.as_secs_f64() * 1e3);
        }
        println!("{:>12.3}", analysis.as_secs_f64() * 1e3);
    }
    ExitCode::SUCCESS
}

/// The best of a few runs; of one that takes long, fewer.
fn best(mut run: impl FnMut()) -> Duration {
    let all = Instant::now();
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
        if all.elapsed() > Duration::from_millis(300) {
            break;
        }
    }
    best
}
