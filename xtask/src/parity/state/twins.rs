//! Twin files: every result is compared, and at the end every row.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::differences::{self, Reviewed};
use super::world::World;
use super::{Amount, is_newer};
use crate::client::operation::Operation;
use crate::client::{Answer, Client};
use crate::error::{Context, Result};
use crate::parity::environment::Environment;
use crate::workspace::Workspace;

/// An operation and the time it is done at.
type Step = (f64, Operation);

/// The two sides with a file each.
pub(super) struct Twins {
    theirs: Client,
    ours: Client,
    folder: tempfile::TempDir,
}

pub(super) fn compare(
    ws: &Workspace,
    environment: &Environment,
    amount: Amount,
    reviewed: &mut Reviewed,
) -> Result<Vec<String>> {
    let mut world = World::new(amount.seed, is_newer(environment));
    let steps: Vec<Step> = (0..amount.operations)
        .map(|_| {
            let operation = world.operation();
            (world.now, operation)
        })
        .collect();
    let mut twins = Twins::start(ws, environment)?;
    let outcome = twins.run(&steps, reviewed)?;
    println!(
        "   seed {}: {} operations on twin files compared, {} of them refused by both",
        amount.seed, outcome.compared, outcome.refused
    );
    let Some((first, kind)) = outcome.first else {
        let differences = twins.rows(reviewed)?;
        println!("   {} rows of both compared", differences.rows);
        return Ok(differences
            .found
            .into_iter()
            .map(|found| format!("seed {}: at the end: {found}", amount.seed))
            .collect());
    };
    let steps = steps.get(..=first).unwrap_or_default();
    let shortest = shrink(ws, environment, steps, &kind, reviewed)?;
    let mut found = outcome.found;
    found.push(format!("seed {}: the first of them takes:", amount.seed));
    found.extend(
        shortest
            .iter()
            .map(|(now, operation)| format!("  {now} {operation}")),
    );
    Ok(found)
}

/// What came of a sequence.
#[derive(Default)]
struct Outcome {
    compared: usize,
    refused: usize,
    /// Where the first difference is, and of what kind.
    first: Option<(usize, String)>,
    kinds: BTreeSet<String>,
    /// One of each kind.
    found: Vec<String>,
}

/// Kinds of differences after which a run ends.
const ENOUGH: usize = 20;

struct Rows {
    rows: usize,
    found: Vec<String>,
}

impl Twins {
    pub(super) fn start(ws: &Workspace, environment: &Environment) -> Result<Twins> {
        let folder = tempfile::tempdir().context(|| "a folder".to_owned())?;
        let mut twins = Twins {
            theirs: Client::theirs(ws, environment)?,
            ours: Client::ours(ws)?,
            folder,
        };
        let (theirs, ours) = (twins.path("theirs.db"), twins.path("ours.db"));
        twins.theirs.open(&theirs)?;
        if is_newer(environment) {
            // We make no such store: it begins as theirs.
            twins.theirs.call("close", json!({}))?;
            std::fs::copy(&theirs, &ours).context(|| "copying a store".to_owned())?;
            twins.theirs.open(&theirs)?;
        }
        twins.ours.open(&ours)?;
        Ok(twins)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// What both say to one request.
    pub(super) fn ask(&mut self, operation: &Operation) -> Result<(Answer, Answer)> {
        self.theirs.send(operation)?;
        self.ours.send(operation)?;
        Ok((self.theirs.receive()?, self.ours.receive()?))
    }

    fn run(&mut self, steps: &[Step], reviewed: &mut Reviewed) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        for (at, (now, operation)) in steps.iter().enumerate() {
            let clock = Operation::new("clock", json!({"now": now}));
            self.ask(&clock)?;
            let (theirs, ours) = self.ask(operation)?;
            if differences::is_not_installed(&theirs) {
                continue;
            }
            outcome.compared += 1;
            if matches!(theirs, Answer::Raised { .. }) {
                outcome.refused += 1;
            }
            let differences = reviewed.between(operation, &theirs, &ours);
            // One shifted row makes many.
            for found in differences.into_iter().take(3) {
                let kind = differences::kind(operation.method, &found);
                outcome.first.get_or_insert((at, kind.clone()));
                if outcome.kinds.insert(kind) {
                    outcome
                        .found
                        .push(format!("operation {at}, {operation}: {found}"));
                }
            }
            if outcome.found.len() >= ENOUGH {
                break;
            }
        }
        Ok(outcome)
    }

    /// All rows of both files.
    fn rows(&mut self, reviewed: &mut Reviewed) -> Result<Rows> {
        let (theirs, ours) = (self.path("theirs.db"), self.path("ours.db"));
        let theirs_rows = dump(&mut self.theirs, &theirs)?;
        let ours_rows = dump(&mut self.theirs, &ours)?;
        let tables = theirs_rows.as_object().into_iter().flatten();
        let rows = tables
            .filter_map(|(_, rows)| rows.as_array().map(Vec::len))
            .sum();
        let differences = reviewed.between_rows(&theirs_rows, &ours_rows);
        let mut found: Vec<String> = differences.iter().map(ToString::to_string).collect();
        for (whose, path) in [("theirs", theirs), ("ours", ours)] {
            let damage = self.theirs.call("damage", json!({"path": path}))?;
            let damage = damage.as_array().into_iter().flatten();
            found.extend(damage.map(|damage| format!("damage in {whose}: {damage}")));
        }
        Ok(Rows { rows, found })
    }
}

pub(super) fn dump(side: &mut Client, path: &Path) -> Result<Value> {
    side.call("dump", json!({"path": path}))
}

/// The steps without as many as possible that the difference does not need: halves first, then
/// smaller parts.
fn shrink(
    ws: &Workspace,
    environment: &Environment,
    steps: &[Step],
    kind: &str,
    reviewed: &Reviewed,
) -> Result<Vec<Step>> {
    let mut shortest = steps.to_vec();
    let mut part = shortest.len().div_ceil(2);
    // Each try starts two processes.
    let mut tries = 120;
    while part > 0 && tries > 0 {
        let mut from = 0;
        while from < shortest.len().saturating_sub(1) && tries > 0 {
            let to = (from + part).min(shortest.len() - 1);
            let mut fewer = shortest.clone();
            fewer.drain(from..to);
            tries -= 1;
            let outcome = Twins::start(ws, environment)?.run(&fewer, &mut reviewed.clone())?;
            if outcome.kinds.contains(kind) {
                shortest = fewer;
            } else {
                from = to;
            }
        }
        part = if part == 1 { 0 } else { part.div_ceil(2) };
    }
    Ok(shortest)
}
