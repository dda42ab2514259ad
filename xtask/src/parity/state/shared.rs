//! One file that both sides have open.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::differences::{self, Reviewed};
use super::world::World;
use super::{Amount, is_newer};
use crate::client::operation::Operation;
use crate::client::{Answer, Client};
use crate::error::{Context, Error, Result};
use crate::parity::environment::Environment;
use crate::process::Program;
use crate::workspace::Workspace;

/// Operations of ours on a store that a newer release then migrates.
const BEFORE_MIGRATION: usize = 400;

/// Kinds of differences after which a run ends.
const ENOUGH: usize = 20;

/// The two take turns: after each change, both must say the same of the file.
///
/// The store is ours, with rows. A newer release migrates it when it opens it, and we go on with
/// the connection that we have.
pub(super) fn in_turns(
    ws: &Workspace,
    environment: &Environment,
    amount: Amount,
    reviewed: &mut Reviewed,
) -> Result<Vec<String>> {
    let newer = is_newer(environment);
    let folder = tempfile::tempdir().context(|| "a folder".to_owned())?;
    let path = folder.path().join("state.db");
    let (mut theirs, mut ours) = (Client::theirs(ws, environment)?, Client::ours(ws)?);
    let seed = amount.seed.wrapping_add(1_000_000);
    let mut world = World::new(seed, false);
    ours.open(&path)?;
    for _ in 0..BEFORE_MIGRATION {
        let operation = world.write();
        at(&mut ours, world.now)?;
        ours.ask(&operation)?;
    }
    theirs.open(&path)?;
    world.set_newer(newer);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let (mut changes, mut compared) = ([0, 0], 0);
    while changes.iter().sum::<usize>() < amount.operations / 2 && found.len() < ENOUGH {
        let operation = world.write();
        let is_ours = world.random.one_in(2);
        let side = if is_ours { &mut ours } else { &mut theirs };
        at(side, world.now)?;
        side.ask(&operation)?;
        if let Some(n) = changes.get_mut(usize::from(is_ours)) {
            *n += 1;
        }
        let question = world.read();
        at(&mut ours, world.now)?;
        at(&mut theirs, world.now)?;
        let (t, o) = (theirs.ask(&question)?, ours.ask(&question)?);
        if differences::is_not_installed(&t) {
            continue;
        }
        compared += 1;
        for difference in reviewed.between(&question, &t, &o).into_iter().take(3) {
            let said = format!(
                "seed {}, one file, {question} after {operation} of {}: {difference}",
                amount.seed,
                if is_ours { "ours" } else { "theirs" }
            );
            found
                .entry(differences::kind(question.method, &difference))
                .or_insert(said);
        }
    }
    let [by_theirs, by_ours] = changes;
    println!(
        "   one file in turns: {by_theirs} changes of theirs, {by_ours} of ours, {compared} answers of both compared"
    );
    let mut found: Vec<String> = found.into_values().collect();
    found.extend(damage(ws, &mut theirs, &path)?);
    Ok(found)
}

fn at(side: &mut Client, now: f64) -> Result<()> {
    side.call("clock", json!({"now": now})).map(drop)
}

/// What either side finds wrong in a file.
fn damage(ws: &Workspace, theirs: &mut Client, path: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let damage = theirs.call("damage", json!({"path": path}))?;
    for damage in damage.as_array().into_iter().flatten() {
        found.push(format!("damage, says their SQLite: {damage}"));
    }
    let checked = Program::new(ws.binary("debug", "hermesctl"), &ws.root)
        .arg("--db")
        .arg(path)
        .args(["--json", "db", "info", "--check"])
        .output();
    match checked {
        Ok(output) => {
            let info: Value =
                serde_json::from_slice(&output).context(|| "what db info says".to_owned())?;
            let findings = info.get("findings").and_then(Value::as_array);
            let findings = findings.into_iter().flatten();
            found.extend(findings.map(|finding| format!("damage, say we: {finding}")));
        }
        Err(error) => found.push(format!("damage, say we: {error}")),
    }
    Ok(found)
}

/// Messages that each of the two writes while the other does.
const EACH: usize = 1_500;

/// Both write at once: at the end all that was acknowledged is there, and found by both.
pub(super) fn at_the_same_time(ws: &Workspace, environment: &Environment) -> Result<Vec<String>> {
    let folder = tempfile::tempdir().context(|| "a folder".to_owned())?;
    let path = folder.path().join("state.db");
    let (mut theirs, mut ours) = (Client::theirs(ws, environment)?, Client::ours(ws)?);
    ours.open(&path)?;
    ours.call(
        "create_session",
        json!({"session_id": "s", "source": "cli"}),
    )?;
    theirs.open(&path)?;
    let (their_ids, our_ids) = std::thread::scope(|scope| {
        let writers = [(&mut theirs, "theirs"), (&mut ours, "ours")]
            .map(|(side, name)| scope.spawn(move || append(side, name)));
        let [theirs, ours] = writers.map(|writer| {
            let ended = writer.join();
            ended.unwrap_or_else(|_| Err(Error::failed("a writer panicked")))
        });
        (theirs, ours)
    });
    let written: BTreeMap<i64, String> = their_ids?.into_iter().chain(our_ids?).collect();
    let mut found = Vec::new();
    for (name, side) in [("theirs", &mut theirs), ("ours", &mut ours)] {
        let messages = side.call("get_messages", json!({"session_id": "s"}))?;
        let stored: BTreeMap<i64, String> = messages
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| {
                let content = row.get("content")?.as_str()?;
                Some((row.get("id")?.as_i64()?, content.to_owned()))
            })
            .collect();
        if stored != written {
            found.push(format!(
                "at the same time: {} acknowledged, {name} reads {}",
                written.len(),
                stored.len()
            ));
        }
        for (query, expected) in [
            ("theirs", EACH),
            ("ours", EACH),
            ("number77", 2),
            ("漓江的水", 2 * EACH),
        ] {
            let params = json!({"query": query, "limit": -1});
            let matches = side.call("search_messages", params)?;
            let matches = matches.as_array().map_or(0, Vec::len);
            if matches != expected {
                found.push(format!(
                    "at the same time: {name} finds {query:?} {matches} times, not {expected}"
                ));
            }
        }
    }
    println!(
        "   one file at the same time: {} messages acknowledged, read and found by both",
        written.len()
    );
    found.extend(damage(ws, &mut theirs, &path)?);
    Ok(found)
}

/// What was acknowledged: ids and texts.
fn append(side: &mut Client, name: &str) -> Result<Vec<(i64, String)>> {
    (0..EACH)
        .map(|n| {
            let text = format!("{name} number{n} 漓江的水");
            let operation = Operation::of("append_message")
                .with("session_id", "s")
                .with("role", "user")
                .with("content", text.as_str());
            match side.ask(&operation)? {
                Answer::Result(Value::Number(id)) => Ok((id.as_i64().unwrap_or_default(), text)),
                answer => Err(Error::failed(format!("{name}: {answer:?}"))),
            }
        })
        .collect()
}
