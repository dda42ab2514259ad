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
    ("import", "lines read into a store, and out of it again"),
    (
        "migration",
        "old databases with bytes changed, opened to write",
    ),
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
    let databases = folder.join("databases");
    match target {
        "import" => seed_lines(&corpus)?,
        "migration" => seed_databases(&corpus, &databases)?,
        _ => seed(ws, &corpus)?,
    }
    let program = folder.join(host).join("release").join(target);
    let prefix = format!("-artifact_prefix={}/", faults.display());
    Program::new(program, &ws.root)
        .env("HERMES_FUZZ_DATABASES", &databases.to_string_lossy())
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

/// Lines as an export has them, with what is hard about them.
const LINES: &[&str] = &[
    r#"{"id":"a","source":"cli","started_at":1.5,"title":"T","messages":[{"id":1,"session_id":"a","role":"user","content":"hi","timestamp":2.0}]}"#,
    r#"{"id":"b","source":"cli","parent_session_id":"a","started_at":2,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}],"timestamp":3,"_raw":{"content":{"$bytes":"AAE="}}}]}"#,
    r#"{"id":"c","title":"T","started_at":NaN,"input_tokens":99999999999999999999999,"messages":[{"role":"user","content":[{"type":"text","text":"\ud800"}],"timestamp":1e400}]}"#,
    r#"{"id":"d","_raw":{"started_at":{"$float":"inf"},"title":{"$text":"/w=="}},"extra_column":[1,{"x":null}],"messages":[]}"#,
];

fn seed_lines(corpus: &Path) -> Result<()> {
    let mut seeds: Vec<Vec<u8>> = LINES.iter().map(|line| line.as_bytes().to_vec()).collect();
    seeds.push(LINES.join("\n").into_bytes());
    write_all(corpus, "seed", seeds)
}

/// The databases that are changed, old ones and half-migrated ones, each with one seed that changes
/// nothing.
fn seed_databases(corpus: &Path, databases: &Path) -> Result<()> {
    std::fs::create_dir_all(databases)
        .context(|| format!("could not make {}", databases.display()))?;
    let old = testdata::all_fixtures().into_iter().filter(|name| {
        let old = [
            "v1.", "v2.", "v3.", "v4.", "v6.", "v7.", "v8.", "v9.", "v10",
        ];
        let begins = |begin: &&str| name.starts_with(*begin);
        old.iter()
            .chain(&["partial_", "dup_", "fork_"])
            .any(|begin| begins(begin))
    });
    let bytes: Vec<Vec<u8>> = old
        .map(|name| testdata::fixture(&name).bytes().to_vec())
        .collect();
    let first_bytes = (0..=u8::MAX).take(bytes.len()).map(|n| vec![n]).collect();
    write_all(databases, "old", bytes)?;
    write_all(corpus, "seed", first_bytes)
}

fn write_all(folder: &Path, name: &str, contents: Vec<Vec<u8>>) -> Result<()> {
    for (number, content) in contents.into_iter().enumerate() {
        let file = folder.join(format!("{name}-{number:03}"));
        std::fs::write(&file, content).context(|| format!("could not write {}", file.display()))?;
    }
    Ok(())
}
