//! The store on its worst days: writers that are killed at random moments, and many processes that
//! work on one file at once.
//!
//! The writers are `hermesctl rpc`, and a real Hermes where it can be had. What a writer has
//! acknowledged, the last lines in its pipe included, must be there in the end: read, and found
//! through both indexes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::operation::Operation;
use crate::client::{Answer, Client};
use crate::error::{Context, Error, Result};
use crate::parity::{self, Environment};
use crate::process::Program;
use crate::random::Random;
use crate::workspace::Workspace;

const RELEASE: &str = "0.13.0";

/// Kills of a real Hermes, for each kill of ours: it takes long to start.
const OURS_TO_THEIRS: u64 = 8;

/// What a writer is asked for at once, before it is killed somewhere in it.
const BURST: usize = 24;

/// Processes of ours that work at the same time.
const AT_ONCE: usize = 16;

/// The log may become so long while many work on the store.
const LOG_LIMIT: u64 = 64 << 20;

struct Amount {
    kills: u64,
    seconds: u64,
    seed: u64,
}

/// What writers have acknowledged: ids and texts.
type Acknowledged = Mutex<BTreeMap<i64, String>>;

pub(crate) fn command(ws: &Workspace, arguments: &[String]) -> Result<()> {
    run(ws, &amount(arguments)?)
}

/// As one step of the gate.
pub(crate) fn check(ws: &Workspace) -> Result<()> {
    let short = Amount {
        kills: 24,
        seconds: 5,
        seed: 1,
    };
    run(ws, &short)
}

fn amount(arguments: &[String]) -> Result<Amount> {
    let mut amount = Amount {
        kills: 300,
        seconds: 60,
        seed: 1,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let given = rest.next().and_then(|text| text.parse::<u64>().ok());
        let number = given.ok_or_else(|| Error::usage(format!("{argument} takes a number")))?;
        match argument.as_str() {
            "--kills" => amount.kills = number,
            "--seconds" => amount.seconds = number,
            "--seed" => amount.seed = number,
            other => return Err(Error::usage(format!("crash has no option {other:?}"))),
        }
    }
    Ok(amount)
}

fn run(ws: &Workspace, amount: &Amount) -> Result<()> {
    Program::cargo(&ws.root)
        .args(["build", "--quiet", "--package", "hermesctl"])
        .run()?;
    let environment = match parity::environment(ws, RELEASE) {
        Ok(environment) => Some(environment),
        Err(reason) => {
            println!("   Hermes Agent {RELEASE} does NOT take part: {reason}");
            None
        }
    };
    kills(ws, environment.as_ref(), amount)?;
    many(ws, environment.as_ref(), amount)
}

fn kills(ws: &Workspace, environment: Option<&Environment>, amount: &Amount) -> Result<()> {
    let folder = tempfile::tempdir().context(|| "a folder".to_owned())?;
    let path = folder.path().join("state.db");
    start(ws, &path)?;
    let acknowledged = Acknowledged::default();
    let done = AtomicU64::new(0);
    let theirs = environment.map_or(0, |_| amount.kills / OURS_TO_THEIRS);
    let began = Instant::now();
    let writer = |name: &'static str, count: u64, number: u64| {
        let (acknowledged, done, path) = (&acknowledged, &done, path.as_path());
        move || {
            let mut random = Random::new(amount.seed.wrapping_mul(1_000) + number);
            for round in 0..count {
                let client = match environment.filter(|_| name == "theirs") {
                    Some(environment) => Client::theirs(ws, environment)?,
                    None => Client::ours(ws)?,
                };
                write_and_die(
                    client,
                    path,
                    &format!("{name}{number}round{round}"),
                    &mut random,
                    acknowledged,
                )?;
                let killed = done.fetch_add(1, Ordering::Relaxed) + 1;
                if killed.is_multiple_of(50) {
                    println!("   {killed} killed");
                }
            }
            Ok(())
        }
    };
    let ours = amount.kills - theirs;
    std::thread::scope(|scope| {
        let writers = [
            scope.spawn(writer("ours", ours / 2, 1)),
            scope.spawn(writer("ours", ours - ours / 2, 2)),
            scope.spawn(writer("theirs", theirs, 3)),
        ];
        writers.into_iter().try_for_each(joined)
    })?;
    let acknowledged = acknowledged.into_inner().unwrap_or_default();
    let rows = holds(ws, &path, &acknowledged)?;
    println!(
        "   {} writers killed ({theirs} of {RELEASE}) in {:.0} s: {} messages acknowledged, {rows} stored, none lost",
        done.into_inner(),
        began.elapsed().as_secs_f64(),
        acknowledged.len(),
    );
    Ok(())
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    let ended = thread.join();
    ended.unwrap_or_else(|_| Err(Error::failed("a thread panicked")))
}

/// A new store with one session.
fn start(ws: &Workspace, path: &Path) -> Result<()> {
    let mut client = Client::ours(ws)?;
    client.open(path)?;
    let session = json!({"session_id": "s", "source": "cli"});
    client.call("create_session", session).map(drop)
}

fn append(text: &str) -> Operation {
    Operation::of("append_message")
        .with("session_id", "s")
        .with("role", "user")
        .with("content", text)
}

/// Asks for many messages at once, kills the writer while it is at it, and takes what it has said.
fn write_and_die(
    mut client: Client,
    path: &Path,
    name: &str,
    random: &mut Random,
    acknowledged: &Acknowledged,
) -> Result<()> {
    client.open(path)?;
    let texts: Vec<String> = (0..BURST)
        .map(|n| {
            format!(
                "{name}number{n} planted 漓江的水 {}",
                "text ".repeat(random.below(300))
            )
        })
        .collect();
    for text in &texts {
        client.send(&append(text))?;
    }
    let read = random.below(BURST);
    let take = |client: &mut Client, text: &String| match client.receive() {
        Ok(Answer::Result(Value::Number(id))) => {
            let id = id.as_i64().unwrap_or_default();
            let mut all = acknowledged
                .lock()
                .map_err(|_| Error::failed("a thread panicked"))?;
            all.insert(id, text.clone());
            Ok(true)
        }
        Ok(answer) => Err(Error::failed(format!("{name}: {answer:?}"))),
        Err(_) => Ok(false),
    };
    let (first, rest) = texts.split_at(read);
    for text in first {
        if !take(&mut client, text)? {
            return Err(Error::failed(format!("{name} ended by itself")));
        }
    }
    std::thread::sleep(Duration::from_micros(
        u64::try_from(random.below(4_000)).unwrap_or_default(),
    ));
    client.kill()?;
    // An answer that was cut is none.
    for text in rest {
        if !take(&mut client, text)? {
            break;
        }
    }
    Ok(())
}

/// Fails unless a store opens, is in order, and has these messages; how many it has.
fn holds(ws: &Workspace, path: &Path, acknowledged: &BTreeMap<i64, String>) -> Result<usize> {
    let mut client = Client::ours(ws)?;
    client.open(path)?;
    let messages = client.call("get_messages", json!({"session_id": "s"}))?;
    let stored: BTreeMap<i64, &str> = messages
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| Some((row.get("id")?.as_i64()?, row.get("content")?.as_str()?)))
        .collect();
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|(id, text)| stored.get(id) != Some(&text.as_str()))
        .collect();
    if let Some((id, text)) = lost.first() {
        return Err(Error::failed(format!(
            "{} of {} acknowledged messages are lost, first {id}: {text}",
            lost.len(),
            acknowledged.len()
        )));
    }
    for query in ["planted", "漓江的水"] {
        let found = client.call("search_messages", json!({"query": query, "limit": -1}))?;
        let found = found.as_array().map_or(0, Vec::len);
        if found != stored.len() {
            return Err(Error::failed(format!(
                "{query:?} finds {found} of {} messages",
                stored.len()
            )));
        }
    }
    Program::new(ws.binary("debug", "hermesctl"), &ws.root)
        .arg("--db")
        .arg(path)
        .args(["db", "check"])
        .output()?;
    Ok(stored.len())
}

/// What many processes did to one store.
#[derive(Default)]
struct Traffic {
    operations: u64,
    slowest: Duration,
    failed: Vec<String>,
}

/// Many processes read and write one store at once, and one reads without a pause.
fn many(ws: &Workspace, environment: Option<&Environment>, amount: &Amount) -> Result<()> {
    let folder = tempfile::tempdir().context(|| "a folder".to_owned())?;
    let path = folder.path().join("state.db");
    start(ws, &path)?;
    let until = Instant::now() + Duration::from_secs(amount.seconds);
    let acknowledged = Acknowledged::default();
    let (path, taken) = (path.as_path(), &acknowledged);
    let mut all = Traffic::default();
    let mut theirs_failed = Vec::new();
    let longest_log = std::thread::scope(|scope| {
        let ours: Vec<_> = (0..AT_ONCE)
            .map(|number| {
                let seed = amount.seed.wrapping_mul(100) + number as u64;
                scope.spawn(move || {
                    let greedy = number == 0;
                    let name = format!("ours{number}");
                    traffic(Client::ours(ws)?, path, &name, greedy, seed, until, taken)
                })
            })
            .collect();
        let theirs = environment.map(|environment| {
            scope.spawn(move || {
                let client = Client::theirs(ws, environment)?;
                traffic(client, path, "theirs", false, amount.seed, until, taken)
            })
        });
        let mut longest_log = 0;
        while Instant::now() < until {
            // By its path: a descriptor of ours would take the locks of nobody, but none is needed.
            let log = std::fs::metadata(path.with_extension("db-wal"));
            longest_log = longest_log.max(log.map_or(0, |log| log.len()));
            std::thread::sleep(Duration::from_millis(20));
        }
        for thread in ours {
            let traffic = joined(thread)?;
            all.operations += traffic.operations;
            all.slowest = all.slowest.max(traffic.slowest);
            all.failed.extend(traffic.failed);
        }
        if let Some(thread) = theirs {
            theirs_failed = joined(thread)?.failed;
        }
        Ok::<_, Error>(longest_log)
    })?;
    if let Some(first) = all.failed.first() {
        return Err(Error::failed(format!(
            "{} operations failed, first: {first}",
            all.failed.len()
        )));
    }
    let acknowledged = acknowledged.into_inner().unwrap_or_default();
    holds(ws, path, &acknowledged)?;
    println!(
        "   {AT_ONCE} processes for {} s: {} operations, none failed, the slowest {:.0} ms; {} messages acknowledged, none lost; the log had {} KiB at most",
        amount.seconds,
        all.operations,
        all.slowest.as_secs_f64() * 1e3,
        acknowledged.len(),
        longest_log / 1024,
    );
    if environment.is_some() {
        println!(
            "   {RELEASE} beside them: {} of its operations failed",
            theirs_failed.len()
        );
    }
    if longest_log > LOG_LIMIT {
        return Err(Error::failed("the write-ahead log has grown without bound"));
    }
    Ok(())
}

/// `greedy`: reads all the time.
fn traffic(
    mut client: Client,
    path: &Path,
    name: &str,
    greedy: bool,
    seed: u64,
    until: Instant,
    acknowledged: &Acknowledged,
) -> Result<Traffic> {
    client.open(path)?;
    let mut random = Random::new(seed);
    let mut traffic = Traffic::default();
    while Instant::now() < until {
        let text = format!("{name}number{} planted 漓江的水", traffic.operations);
        let operation = match random.below(if greedy { 3 } else { 6 }) {
            0 => Operation::new("search_messages", json!({"query": "planted", "limit": 5})),
            1 => Operation::new("get_messages", json!({"session_id": "s", "limit": 200})),
            2 => Operation::new("list_sessions_rich", json!({"limit": 5})),
            _ => append(&text),
        };
        let began = Instant::now();
        match client.ask(&operation)? {
            Answer::Result(Value::Number(id)) => {
                let id = id.as_i64().unwrap_or_default();
                let all = acknowledged.lock();
                all.map_err(|_| Error::failed("a thread panicked"))?
                    .insert(id, text);
            }
            Answer::Result(_) => {}
            Answer::Raised { exception, message } => {
                traffic
                    .failed
                    .push(format!("{name}: {operation}: {exception}: {message}"));
            }
        }
        traffic.slowest = traffic.slowest.max(began.elapsed());
        traffic.operations += 1;
    }
    Ok(traffic)
}
