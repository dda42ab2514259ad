//! Fuzzing: builds the targets in `fuzz/` with coverage, and lets libFuzzer run them.
//!
//! The stable compiler can do it: the passes are LLVM's own. No sanitizer is needed, since the
//! crates have no unsafe code.

use std::path::Path;

use serde_json::Value;

use crate::error::{Context, Error, Result};
use crate::process::Program;
use crate::random::Random;
use crate::workspace::Workspace;

/// What is fuzzed.
struct Target {
    name: &'static str,
    about: &'static str,
    seeds: fn(&Workspace) -> Result<Vec<Vec<u8>>>,
}

const TARGETS: &[Target] = &[
    Target {
        name: "normalise",
        about: "the normaliser of commands, and its map",
        seeds: commands,
    },
    Target {
        name: "analyse",
        about: "the scanner, in all command languages",
        seeds: commands,
    },
    Target {
        name: "judge",
        about: "the rules: data stays data, wrapping lowers nothing",
        seeds: commands,
    },
    Target {
        name: "allowlist",
        about: "the editor of command_allowlist",
        seeds: commands,
    },
    Target {
        name: "fts",
        about: "queries: what SQLite is given, on every layout of the index",
        seeds: queries,
    },
    Target {
        name: "import",
        about: "lines read into a store, and out of it again",
        seeds: lines,
    },
    Target {
        name: "migration",
        about: "old databases with bytes changed, opened to write",
        seeds: choices,
    },
    Target {
        name: "damage",
        about: "sound databases with bytes and pages changed: read, checked, repaired",
        seeds: choices,
    },
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

/// A file system in memory.
const IN_MEMORY: &str = "/dev/shm";

pub(crate) fn command(ws: &Workspace, arguments: &[String]) -> Result<()> {
    if arguments == ["--list"] {
        for target in TARGETS {
            println!("{:<10} {}", target.name, target.about);
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
        } else if let Some(target) = TARGETS.iter().find(|target| target.name == argument) {
            chosen.push(target);
        } else {
            return Err(Error::usage(format!("fuzz has no target {argument:?}")));
        }
    }
    if chosen.is_empty() {
        chosen.extend(TARGETS);
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

fn run(ws: &Workspace, folder: &Path, host: &str, target: &Target, seconds: &str) -> Result<()> {
    println!("\n== fuzz {}, {seconds} s", target.name);
    let corpus = folder.join("corpus").join(target.name);
    let faults = folder.join("artifacts").join(target.name);
    for made in [&corpus, &faults] {
        std::fs::create_dir_all(made).context(|| format!("could not make {}", made.display()))?;
    }
    write_all(&corpus, "seed", (target.seeds)(ws)?)?;
    let databases = folder.join("databases").join(target.name);
    let contents = match target.name {
        "migration" => old_databases(),
        "damage" => sound_databases(),
        _ => Vec::new(),
    };
    std::fs::create_dir_all(&databases)
        .context(|| format!("could not make {}", databases.display()))?;
    write_all(&databases, "database", contents)?;
    let program = folder.join(host).join("release").join(target.name);
    let prefix = format!("-artifact_prefix={}/", faults.display());
    let mut program =
        Program::new(program, &ws.root).env("HERMES_FUZZ_DATABASES", &databases.to_string_lossy());
    // What a power cut leaves is tested elsewhere: here waiting for the disk would be most of the time.
    if Path::new(IN_MEMORY).is_dir() {
        program = program.env("TMPDIR", IN_MEMORY);
    }
    let changes_databases = matches!(target.name, "migration" | "damage");
    program = if changes_databases {
        // Short inputs, with which libFuzzer would begin, change nothing.
        let longest = format!("-max_len={LONGEST_CHOICE}");
        program.arg(&corpus).args([&longest, "-len_control=0"])
    } else {
        program.arg(&corpus).arg("-max_len=4096")
    };
    program
        .args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"])
        .args([prefix, format!("-max_total_time={seconds}")])
        .run()
}

/// The commands of the corpus, to begin with.
fn commands(ws: &Workspace) -> Result<Vec<Vec<u8>>> {
    texts(ws, "testdata/approval.jsonl", "command")
}

/// The queries of the corpus, and those of which answers are recorded.
fn queries(ws: &Workspace) -> Result<Vec<Vec<u8>>> {
    let mut queries = texts(ws, "testdata/queries.jsonl", "query")?;
    let path = ws.root.join("testdata/vectors/sanitize_fts5.json");
    let vectors: Value = serde_json::from_str(&read(&path)?).context(|| shown(&path))?;
    let cases = vectors.get("cases").and_then(Value::as_array);
    let inputs = cases.into_iter().flatten().filter_map(|case| {
        let input = case.get("input").and_then(Value::as_str)?;
        Some(input.into())
    });
    queries.extend(inputs);
    Ok(queries)
}

/// One field of each line of a file of JSON lines.
fn texts(ws: &Workspace, file: &str, field: &str) -> Result<Vec<Vec<u8>>> {
    let path = ws.root.join(file);
    let mut texts = Vec::new();
    for line in read(&path)?.lines() {
        let row: Value = serde_json::from_str(line).context(|| shown(&path))?;
        let text = row.get(field).and_then(Value::as_str);
        texts.extend(text.map(Vec::from));
    }
    Ok(texts)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).context(|| format!("could not read {}", shown(path)))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Lines as an export has them, with what is hard about them.
const LINES: &[&str] = &[
    r#"{"id":"a","source":"cli","started_at":1.5,"title":"T","messages":[{"id":1,"session_id":"a","role":"user","content":"hi","timestamp":2.0}]}"#,
    r#"{"id":"b","source":"cli","parent_session_id":"a","started_at":2,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}],"timestamp":3,"_raw":{"content":{"$bytes":"AAE="}}}]}"#,
    r#"{"id":"c","title":"T","started_at":NaN,"input_tokens":99999999999999999999999,"messages":[{"role":"user","content":[{"type":"text","text":"\ud800"}],"timestamp":1e400}]}"#,
    r#"{"id":"d","_raw":{"started_at":{"$float":"inf"},"title":{"$text":"/w=="}},"extra_column":[1,{"x":null}],"messages":[]}"#,
];

fn lines(_: &Workspace) -> Result<Vec<Vec<u8>>> {
    let all = LINES.join("\n");
    Ok(LINES
        .iter()
        .map(|line| Vec::from(*line))
        .chain([all.into()])
        .collect())
}

/// Bytes of one change to a database, as the targets read it.
const CHANGE: usize = 4;

/// At most so many changes are read, behind the byte that chooses the database.
const LONGEST_CHOICE: usize = 1 + 64 * CHANGE;

/// One for each of the old databases, that changes nothing in it, and some that change a little.
fn choices(_: &Workspace) -> Result<Vec<Vec<u8>>> {
    let count = old_databases().len();
    let unchanged = (0..=u8::MAX).take(count).map(|n| vec![n]);
    let mut random = Random::new(1);
    let changed = (0..256).map(|_| {
        let changes = 1 + random.below(8);
        (0..=changes * CHANGE)
            .map(|_| u8::try_from(random.below(256)).unwrap_or_default())
            .collect()
    });
    Ok(unchanged.chain(changed).collect())
}

/// The databases that are changed, old ones and half-migrated ones.
fn old_databases() -> Vec<Vec<u8>> {
    databases(&[
        "v1.", "v2.", "v3.", "v4.", "v6.", "v7.", "v8.", "v9.", "v10", "partial_", "dup_", "fork_",
    ])
}

/// Those of the versions that are written.
fn sound_databases() -> Vec<Vec<u8>> {
    databases(&["v11.", "v13.", "v16.", "v22."])
}

fn databases(begins: &[&str]) -> Vec<Vec<u8>> {
    testdata::all_fixtures()
        .into_iter()
        .filter(|name| begins.iter().any(|begin| name.starts_with(begin)))
        .map(|name| testdata::fixture(&name).bytes().to_vec())
        .collect()
}

fn write_all(folder: &Path, name: &str, contents: Vec<Vec<u8>>) -> Result<()> {
    for (number, content) in contents.into_iter().enumerate() {
        let file = folder.join(format!("{name}-{number:03}"));
        std::fs::write(&file, content).context(|| format!("could not write {}", file.display()))?;
    }
    Ok(())
}
