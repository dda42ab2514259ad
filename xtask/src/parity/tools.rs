//! Tools: what a selection gives, what a toolset stands for, what becomes of arguments.
//!
//! The release's own tools and toolsets are handed to the example `answer` of hermes-tools, with the
//! questions that the release was asked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::difference;
use super::environment::Environment;
use super::store_reads::{parsed, taken};
use crate::error::{Context, Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;

/// Any number; the questions are the same in each run.
const SEED: u64 = 20_260_101;
const SELECTIONS: usize = 400;
const COERCIONS: usize = 4_000;

/// What the release said, and what we say to the same questions.
struct Answers {
    /// Each a question and the release's answer, as `ask_tools.py` has them.
    theirs: Value,
    ours: Value,
}

/// Which tools each selection gives, with what is said of them, and what each toolset stands for.
pub(crate) fn definitions(ws: &Workspace, environment: &Environment) -> Result<Vec<String>> {
    let mut answers = ask(ws, environment, SELECTIONS, 0)?;
    let mut found = Vec::new();
    if taken(&mut answers.ours, "refused")? != json!({}) {
        found.push("refused: a tool of the release could not be registered".to_owned());
    }
    let resolve = answers.pairs("resolve")?;
    for (row, ours) in &resolve {
        let differences = difference::all(&part(row, 1), ours);
        let name = part(row, 0);
        found.extend(differences.iter().map(|d| format!("resolve {name}{d}")));
    }
    let definitions = answers.pairs("definitions")?;
    let mut schemas = BTreeMap::new();
    for (row, ours) in &definitions {
        let (enabled, disabled) = (part(row, 0), part(row, 1));
        let (theirs, ours) = (object(&part(row, 2)), object(ours));
        let what = if disables_a_preset(&disabled) {
            "definitions without a preset"
        } else {
            "definitions"
        };
        let offered = offered(&theirs, &ours);
        found.extend(offered.map(|d| format!("{what}: {enabled} without {disabled}: {d}")));
        for (name, theirs) in &theirs {
            let Some(ours) = ours.get(name) else { continue };
            for difference in difference::all(theirs, ours) {
                // The same in every selection: said once, with the first of them.
                let path = difference.split(": ").next().unwrap_or_default().to_owned();
                schemas.entry((name.clone(), path)).or_insert_with(|| {
                    format!("schema {name}{difference} (in {enabled} without {disabled})")
                });
            }
        }
    }
    found.extend(schemas.into_values());
    println!(
        "   {} toolsets and {} selections compared",
        resolve.len(),
        definitions.len()
    );
    Ok(found)
}

/// What becomes of arguments.
pub(crate) fn coercion(ws: &Workspace, environment: &Environment) -> Result<Vec<String>> {
    let pairs = ask(ws, environment, 0, COERCIONS)?.pairs("coerce")?;
    println!("   {} calls compared", pairs.len());
    Ok(coercions(&pairs).into_iter().collect())
}

fn ask(
    ws: &Workspace,
    environment: &Environment,
    selections: usize,
    coercions: usize,
) -> Result<Answers> {
    let request = json!({"seed": SEED, "selections": selections, "coercions": coercions});
    let theirs = environment
        .script(ws, "ask_tools.py")
        .output_given(request.to_string().as_bytes())?;
    let theirs = parsed(&theirs, "the release's answer")?;
    // The same without the answers.
    let mut questions = theirs.clone();
    for key in ["resolve", "definitions", "coerce"] {
        let rows = questions.get_mut(key).and_then(Value::as_array_mut);
        for row in rows.into_iter().flatten() {
            row.as_array_mut().and_then(Vec::pop);
        }
    }
    let ours = Program::cargo(&ws.root)
        .args(["run", "--quiet", "--package", "hermes-tools"])
        .args(["--example", "answer"])
        .output_given(questions.to_string().as_bytes())?;
    Ok(Answers {
        theirs,
        ours: parsed(&ours, "our answer")?,
    })
}

impl Answers {
    /// The rows of the release with our answer to each.
    fn pairs(&mut self, key: &str) -> Result<Vec<(Vec<Value>, Value)>> {
        let rows: Vec<Vec<Value>> = serde_json::from_value(taken(&mut self.theirs, key)?)
            .context(|| format!("the release's answers on {key}"))?;
        let ours: Vec<Value> = serde_json::from_value(taken(&mut self.ours, key)?)
            .context(|| format!("our answers on {key}"))?;
        if rows.len() != ours.len() {
            let (rows, ours) = (rows.len(), ours.len());
            return Err(Error::failed(format!(
                "{ours} answers to {rows} questions on {key}"
            )));
        }
        Ok(rows.into_iter().zip(ours).collect())
    }
}

fn part(row: &[Value], at: usize) -> Value {
    row.get(at).cloned().unwrap_or(Value::Null)
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn disables_a_preset(disabled: &Value) -> bool {
    let mut names = disabled.as_array().into_iter().flatten();
    names.any(|name| {
        name.as_str()
            .is_some_and(|name| name.starts_with("hermes-"))
    })
}

/// Which names only one side offers, if there are any.
fn offered(theirs: &Map<String, Value>, ours: &Map<String, Value>) -> Option<String> {
    let names = |map: &Map<String, Value>| map.keys().cloned().collect::<BTreeSet<_>>();
    let (theirs, ours) = (names(theirs), names(ours));
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        one.difference(other).cloned().collect::<Vec<_>>().join(" ")
    };
    (theirs != ours).then(|| {
        format!(
            "only the release [{}], only ours [{}]",
            only(&theirs, &ours),
            only(&ours, &theirs)
        )
    })
}

/// One line for each pair of a value and a schema that does not become the same: `coerce KIND: VALUE
/// as SCHEMA: …`. Numbers are compared digit by digit.
fn coercions(pairs: &[(Vec<Value>, Value)]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (row, ours) in pairs {
        let (parameters, given) = (part(row, 0), object(&part(row, 1)));
        let (theirs, ours) = (object(&part(row, 2)), object(ours));
        for (name, value) in &given {
            let pair = (theirs.get(name), ours.get(name));
            if let (Some(theirs), Some(ours)) = pair
                && theirs != ours
            {
                let schema = parameters.pointer(&format!("/properties/{name}"));
                let schema = schema.cloned().unwrap_or(Value::Null);
                let kind = kind(&schema);
                found.insert(format!(
                    "coerce {kind}: {value} as {schema}: {theirs}, ours {ours}"
                ));
            }
        }
    }
    found
}

/// What of a schema a release may see otherwise than we do.
fn kind(schema: &Value) -> &str {
    let types = schema.get("type");
    if schema.get("anyOf").or(schema.get("oneOf")).is_some() {
        "union"
    } else if types.is_some_and(Value::is_array) {
        "list of types"
    } else if schema.get("items").is_some() {
        "items"
    } else if schema.get("properties").is_some() {
        "properties"
    } else {
        types.and_then(Value::as_str).unwrap_or("any")
    }
}
