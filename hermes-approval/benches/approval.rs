//! What judging a command costs: over the corpus, at the first call of a process, and on long
//! hostile texts.
//!
//! ```text
//! cargo bench -p hermes-approval --bench approval -- [--figures FILE] [KIND…]
//! ```
//!
//! `--figures` writes the figures of the corpus into a file, as JSON; with the names of hostile texts
//! only those are measured. Exits with 1 when a figure
//! that has a limit is beyond it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench stops where it fails"
)]

use std::hint::black_box;
use std::io::Write;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use hermes_approval::{AnalysisEnv, Platform, assess, corpus};

/// How often each command of the corpus is judged.
const RUNS: usize = 31;
/// How many processes make a first call with each command.
const STARTS: usize = 21;
/// The flag with which this program makes one first call and prints how long it took.
const FIRST: &str = "--first";

/// Commands for a first call: nothing found, something found, and two that are not well formed, for
/// which the plain text is looked at.
const FIRST_CALLS: &[&str] = &[
    "ls -la",
    "rm -rf src",
    "git push --force origin main",
    "echo \"abc",
    "echo \"; rm -rf src",
];

/// Texts that are repeated until they are long.
const HOSTILE: &[(&str, &str)] = &[
    ("words", "word "),
    ("tee", "tee "),
    ("sudo", "sudo x "),
    ("rm", "rm -rf x; "),
    ("substitutions", "$("),
    ("arithmetic", "(("),
    ("parentheses", "("),
    ("braces", "{ "),
    ("brace expansion", "{a,b}"),
    ("single quotes", "'"),
    ("double quotes", "\""),
    ("quoted words", "'a' \"b\" "),
    ("backticks", "`"),
    ("backslashes", "\\"),
    ("heredocs", "cat <<E\n"),
    ("pipes", "a | "),
    ("and", "a && "),
    ("redirects", ">a <b "),
    ("assignments", "A=1 "),
    ("variables", "${a:-"),
    ("if", "if a; then "),
    ("case", "case a in "),
    ("functions", "f() { "),
    ("shells", "sh -c '"),
    ("find", "find . -exec rm {} ; "),
    ("git", "git push --force; "),
    ("base64", "echo cm0gLXJmIC8= | base64 -d | sh; "),
    ("globs", "a*?[b] "),
    ("line ends", "\n"),
    ("wide characters", "ｒｍ\u{200b} "),
    ("escapes", "\u{1b}[31m"),
    ("one word", "a"),
    ("short commands", "a;"),
    ("piped shells", "sh|"),
    ("piped xargs", "xargs rm|"),
    ("sudo with a command", "sudo rm x;"),
    ("eval", "eval "),
    ("find in find", "find -exec "),
    ("homes in assignments", "a=~/b "),
    ("assigned one by one", "x=1;"),
    ("globs of the root", "/e*c/p?s*d "),
    ("echo to a shell", "echo a|sh;"),
    ("download to a shell", "curl x|sh;"),
    ("code", "python -c 'system(\"ls\")';"),
    ("calls of a function", "f(){ :; };f;"),
    ("heredocs of nobody", "<<E\n"),
    ("nul", "\0"),
    ("escapes cut short", "\u{1b}["),
    ("titles cut short", "\u{1b}]"),
    ("invisible characters", "\u{200b}"),
    ("ligatures", "\u{fb01}"),
    ("combining marks", "\u{301}"),
    ("blanks", " "),
];

/// The same with a beginning that is there once.
const BEGUN: &[(&str, &str, &str)] = &[
    ("a variable again and again", "x=ab;", "$x "),
    ("a value that doubles", "x=aaaaaaaaaaaaaaaa;", "x=$x$x;"),
];

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const SIZES: &[usize] = &[KIB, 16 * KIB, 256 * KIB, MIB, 4 * MIB];

struct Report {
    failed: bool,
}

impl Report {
    fn figure(&mut self, name: &str, value: f64, unit: &str, limit: Option<f64>) {
        let beyond = limit.is_some_and(|limit| value > limit);
        let limit = limit.map_or(String::new(), |limit| {
            let mark = if beyond { "  BEYOND" } else { "" };
            format!("limit {limit:.0} {unit}{mark}")
        });
        println!("{name:<58} {value:>10.2} {unit}   {limit}");
        self.failed |= beyond;
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut figures, mut kinds) = (None, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            FIRST => {
                first(&arguments.next().expect("a command"));
                return ExitCode::SUCCESS;
            }
            "--figures" => figures = arguments.next(),
            // Of cargo.
            "--bench" => {}
            _ => kinds.push(argument),
        }
    }
    let mut report = Report { failed: false };
    if kinds.is_empty() {
        first_calls(&mut report);
        over_the_corpus(&mut report, figures.as_deref());
    }
    hostile(&mut report, &kinds);
    ExitCode::from(u8::from(report.failed))
}

fn env() -> AnalysisEnv {
    AnalysisEnv::new("/home/agent")
}

/// The nearest rank that `percent` of the sorted numbers do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1]
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn first(command: &str) {
    let env = env();
    let start = Instant::now();
    let verdict = assess(black_box(command), &env, Platform::Posix);
    let time = start.elapsed();
    black_box(verdict);
    println!("{}", time.as_nanos());
}

fn first_calls(report: &mut Report) {
    let this = std::env::current_exe().expect("its own path");
    for command in FIRST_CALLS {
        let times = (0..STARTS).map(|_| {
            let output = Command::new(&this)
                .args([FIRST, command])
                .output()
                .expect("runs");
            let text = String::from_utf8(output.stdout).expect("a number");
            text.trim().parse::<f64>().expect("a number") / 1e3
        });
        let times = sorted(times.collect());
        let name = format!("first call of a process, {command:?}");
        report.figure(&name, percentile(&times, 50), "µs", Some(2_000.0));
    }
}

fn over_the_corpus(report: &mut Report, figures: Option<&str>) {
    let rows = corpus::read(&testdata::approval()).expect("the corpus");
    let env = env();
    let of_one = |command: &str| {
        let times = (0..RUNS).map(|_| {
            let start = Instant::now();
            black_box(assess(black_box(command), &env, Platform::Posix));
            micros(start.elapsed())
        });
        percentile(&sorted(times.collect()), 50)
    };
    let times = sorted(rows.iter().map(|row| of_one(&row.command)).collect());
    let (p50, p99) = (percentile(&times, 50), percentile(&times, 99));
    let name = format!("{} commands of the corpus, p50", rows.len());
    report.figure(&name, p50, "µs", Some(5.0));
    report.figure("the same, p99", p99, "µs", Some(50.0));
    report.figure("the same, the slowest", percentile(&times, 100), "µs", None);
    if let Some(file) = figures {
        let figures = serde_json::json!({"p50_us": p50, "p99_us": p99, "commands": rows.len()});
        std::fs::write(file, figures.to_string()).expect("writes the figures");
    }
}

/// The best of a few times, in milliseconds: what else the machine does only adds.
fn best(text: &str, env: &AnalysisEnv) -> f64 {
    let runs = if text.len() > 2 * MIB { 2 } else { 3 };
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            black_box(assess(black_box(text), env, Platform::Posix));
            micros(start.elapsed()) / 1e3
        })
        .fold(f64::INFINITY, f64::min)
}

fn hostile(report: &mut Report, kinds: &[String]) {
    let env = env();
    println!("\nhostile texts, in ms at 1 KiB, 16 KiB, 256 KiB, 1 MiB, 4 MiB");
    let (mut slowest, mut steepest) = (("", 0.0), ("", 0.0));
    let wanted = |name: &str| kinds.is_empty() || kinds.iter().any(|kind| kind == name);
    let repeated = HOSTILE.iter().map(|(name, unit)| (name, &"", unit));
    let begun = BEGUN.iter().map(|(name, begin, unit)| (name, begin, unit));
    for (name, begin, unit) in repeated.chain(begun).filter(|(name, ..)| wanted(name)) {
        print!("{name:<28}");
        let times: Vec<f64> = SIZES
            .iter()
            .map(|size| {
                let text = format!("{begin}{}", unit.repeat(size / unit.len()));
                let ms = best(&text, &env);
                print!("{ms:>9.3}");
                let _shown = std::io::stdout().flush();
                ms
            })
            .collect();
        println!();
        let [.., at_256, at_1, at_4] = times.as_slice() else {
            continue;
        };
        if *at_1 > slowest.1 {
            slowest = (name, *at_1);
        }
        // Sixteen times the text; what takes no time says nothing.
        let growth = at_4.max(*at_1) / at_256.max(0.5) / 16.0;
        if growth > steepest.1 {
            steepest = (name, growth);
        }
    }
    println!();
    let name = format!("1 MiB of the slowest ({})", slowest.0);
    report.figure(&name, slowest.1, "ms", Some(100.0));
    let name = format!("4 MiB over 16 × 256 KiB, the steepest ({})", steepest.0);
    report.figure(&name, steepest.1, "×", Some(2.0));
}
