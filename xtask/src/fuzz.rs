//! Fuzzing: builds the targets in `fuzz/` with coverage, and lets libFuzzer run them.
//!
//! The stable compiler can do it: the passes are LLVM's own. No sanitizer is needed, since the
//! crates have no unsafe code.

use std::path::Path;

use crate::error::{Context, Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;

const TARGETS: &[(&str, &str)] = &[
    ("normalise", "the normaliser of commands, and its map"),
    ("analyse", "the scanner, in all command languages"),
    (
        "judge",
        "the rules: data stays data, wrapping lowers nothing",
    ),
    ("allowlist", "the editor of command_allowlist"),
];

/// What makes libFuzzer see which branches are taken.
const FLAGS: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
];

const SECONDS: &str = "60";

pub(crate) fn command(ws: &Workspace, arguments: &[String]) -> Result<()> {
    if arguments == ["--list"] {
        for (name, about) in TARGETS {
            println!("{name:<10} {about}");
        }
        return Ok(());
    }
    let mut seconds = SECONDS.to_owned();
    let mut chosen = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            let given = arguments.next().filter(|n| n.parse::<u32>().is_ok());
            seconds = given
                .ok_or_else(|| Error::usage("--seconds wants a number".to_owned()))?
                .clone();
        } else if TARGETS.iter().any(|(name, _)| name == argument) {
            chosen.push(argument.as_str());
        } else {
            return Err(Error::usage(format!("fuzz has no target {argument:?}")));
        }
    }
    if chosen.is_empty() {
        chosen.extend(TARGETS.iter().map(|(name, _)| *name));
    }
    let folder = ws.target_dir.join("fuzz");
    let host = host(ws)?;
    build(ws, &folder, &host)?;
    for target in chosen {
        run(ws, &folder, &host, target, &seconds)?;
    }
    Ok(())
}

fn build(ws: &Workspace, folder: &Path, host: &str) -> Result<()> {
    Program::cargo(&ws.root.join("fuzz"))
        // With a target named, the flags are not those of build scripts, which have no libFuzzer.
        .args([
            "build",
            "--release",
            "--bins",
            "--target",
            host,
            "--target-dir",
        ])
        .arg(folder)
        .env("RUSTFLAGS", &FLAGS.join(" "))
        .run()
}

fn host(ws: &Workspace) -> Result<String> {
    let printed = Program::new("rustc", &ws.root).args(["-vV"]).output()?;
    let printed = String::from_utf8_lossy(&printed);
    let host = printed.lines().find_map(|l| l.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Error::failed("rustc does not tell its host".to_owned()))
}

fn run(ws: &Workspace, folder: &Path, host: &str, target: &str, seconds: &str) -> Result<()> {
    println!("\n== fuzz {target}, {seconds} s");
    let corpus = folder.join("corpus").join(target);
    let faults = folder.join("artifacts").join(target);
    for made in [&corpus, &faults] {
        std::fs::create_dir_all(made).context(|| format!("could not make {}", made.display()))?;
    }
    seed(ws, &corpus)?;
    let program = folder.join(host).join("release").join(target);
    let prefix = format!("-artifact_prefix={}/", faults.display());
    Program::new(program, &ws.root)
        .arg(&corpus)
        .args([
            "-max_len=4096",
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
        ])
        .args([prefix, format!("-max_total_time={seconds}")])
        .run()
}

/// The commands of the corpus, to begin with.
fn seed(ws: &Workspace, corpus: &Path) -> Result<()> {
    let path = ws.root.join("testdata/approval.jsonl");
    let text =
        std::fs::read_to_string(&path).context(|| format!("could not read {}", path.display()))?;
    for (number, line) in text.lines().enumerate() {
        let row: serde_json::Value =
            serde_json::from_str(line).context(|| path.display().to_string())?;
        let Some(command) = row.get("command").and_then(serde_json::Value::as_str) else {
            continue;
        };
        let file = corpus.join(format!("seed-{number}"));
        std::fs::write(&file, command).context(|| format!("could not write {}", file.display()))?;
    }
    Ok(())
}
