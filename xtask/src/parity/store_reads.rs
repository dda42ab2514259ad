//! Reading one store: `hermesctl` against `SessionDB`.

use std::path::Path;

use serde_json::{Value, json};

use super::difference;
use super::environment::Environment;
use crate::error::{Context, Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;

const STORE: &str = "v11.db";

/// Above the number of rows that the store has, so that nothing is cut off.
const LIMIT: usize = 100;

/// What one side says of the store.
struct Answers {
    /// For each query, its rows.
    search: Vec<Value>,
    list: Value,
    /// Every session with its messages, by id.
    export: Value,
}

/// Rows of the searches, of the list and of an export, with all their keys and values.
pub(crate) fn rows(ws: &Workspace, environment: &Environment) -> Result<Vec<String>> {
    let queries = queries()?;
    let theirs = theirs(ws, environment, &queries)?;
    let ours = ours(ws, &queries)?;
    let mut found = searches(&queries, &theirs, &ours, |rows| Ok(rows.clone()))?;
    for (what, theirs, ours) in [
        ("sessions list", &theirs.list, &ours.list),
        ("sessions export", &theirs.export, &ours.export),
    ] {
        let differences = difference::all(theirs, ours);
        found.extend(
            differences
                .iter()
                .map(|difference| format!("{what}{difference}")),
        );
    }
    Ok(found)
}

/// Ids of the searches alone.
pub(crate) fn search_order(ws: &Workspace, environment: &Environment) -> Result<Vec<String>> {
    let queries = queries()?;
    let theirs = theirs(ws, environment, &queries)?;
    searches(&queries, &theirs, &ours(ws, &queries)?, ids)
}

fn searches(
    queries: &[String],
    theirs: &Answers,
    ours: &Answers,
    part: fn(&Value) -> Result<Value>,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (query, (theirs, ours)) in queries.iter().zip(theirs.search.iter().zip(&ours.search)) {
        let differences = difference::all(&part(theirs)?, &part(ours)?);
        found.extend(
            differences
                .iter()
                .map(|difference| format!("search {query:?}{difference}")),
        );
    }
    println!("   {} queries compared", queries.len());
    Ok(found)
}

fn ids(rows: &Value) -> Result<Value> {
    let rows = rows
        .as_array()
        .context(|| format!("not a list of rows: {rows}"))?;
    Ok(rows
        .iter()
        .map(|row| row.get("id").cloned().unwrap_or(Value::Null))
        .collect())
}

/// The queries that the fixtures were recorded with.
fn queries() -> Result<Vec<String>> {
    let manifest = testdata::manifest();
    let queries: Vec<String> = manifest
        .get("probe_queries")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|query| query.as_str().map(str::to_owned))
        .collect();
    if queries.is_empty() {
        return Err(Error::failed("the manifest of the fixtures has no queries"));
    }
    Ok(queries)
}

fn theirs(ws: &Workspace, environment: &Environment, queries: &[String]) -> Result<Answers> {
    let copy = testdata::fixture(STORE);
    let request = json!({"queries": queries, "limit": LIMIT}).to_string();
    let answer = environment
        .script(ws, "store.py")
        .arg(copy.path())
        .output_given(request.as_bytes())?;
    let mut answer = parsed(&answer, "the release's answer")?;
    let search = taken(&mut answer, "search")?;
    let Value::Array(search) = search else {
        return Err(Error::failed(format!("not a list of answers: {search}")));
    };
    if search.len() != queries.len() {
        return Err(Error::failed(format!(
            "{} answers to {} queries",
            search.len(),
            queries.len()
        )));
    }
    Ok(Answers {
        search,
        list: taken(&mut answer, "list")?,
        export: without_last_active(taken(&mut answer, "export")?),
    })
}

fn ours(ws: &Workspace, queries: &[String]) -> Result<Answers> {
    let copy = testdata::fixture(STORE);
    let search = queries
        .iter()
        .map(|query| {
            let mut answer = hermesctl(ws, copy.path(), &["search"], &["--", query])?;
            taken(&mut answer, "matches")
        })
        .collect::<Result<_>>()?;
    let mut list = hermesctl(ws, copy.path(), &["sessions", "list"], &[])?;
    Ok(Answers {
        search,
        list: taken(&mut list, "sessions")?,
        export: exported(ws, copy.path())?,
    })
}

/// The lines of our export, by id, without `_raw`: there stands what the release has no key for.
fn exported(ws: &Workspace, store: &Path) -> Result<Value> {
    let output = Program::new(ws.binary("debug", "hermesctl"), &ws.root)
        .arg("--db")
        .arg(store)
        .args(["sessions", "export"])
        .output()?;
    let mut sessions = output
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| parsed(line, "a line of an export"))
        .collect::<Result<Vec<Value>>>()?;
    for session in &mut sessions {
        for message in session
            .get_mut("messages")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            without(message, "_raw");
        }
        without(session, "_raw");
    }
    sessions.sort_by_key(|session| session.get("id").map(ToString::to_string));
    Ok(Value::Array(sessions))
}

/// The release adds what follows from the messages; ours has what is stored.
fn without_last_active(mut export: Value) -> Value {
    for session in export.as_array_mut().into_iter().flatten() {
        without(session, "last_active");
    }
    export
}

fn without(object: &mut Value, key: &str) {
    if let Some(object) = object.as_object_mut() {
        object.shift_remove(key);
    }
}

fn hermesctl(ws: &Workspace, store: &Path, command: &[&str], operands: &[&str]) -> Result<Value> {
    let output = Program::new(ws.binary("debug", "hermesctl"), &ws.root)
        .arg("--db")
        .arg(store)
        .arg("--json")
        .args(command)
        .args(["--limit", &LIMIT.to_string()])
        .args(operands)
        .output()?;
    parsed(&output, "the output of hermesctl")
}

pub(super) fn parsed(bytes: &[u8], what: &str) -> Result<Value> {
    serde_json::from_slice(bytes).context(|| what.to_owned())
}

pub(super) fn taken(value: &mut Value, key: &str) -> Result<Value> {
    value
        .get_mut(key)
        .map(Value::take)
        .context(|| format!("{key:?} is missing in an answer"))
}
