//! `home`: which home is used, and why.

use hermes_kit::Hermes;
use hermes_kit::home::{Environment, Explanation};
use serde_json::{Value, json};

use crate::cli::{Global, Home};
use crate::failure::Failure;
use crate::home;
use crate::json;
use crate::output::Output;
use crate::table::Table;

pub(crate) fn run(global: &Global, args: &Home, output: &mut Output) -> Result<(), Failure> {
    let explanation = args
        .explain
        .then(|| home::selection(global).explain(&Environment::from_process()));
    if output.json() {
        let hermes = home::resolve(global, output)?;
        let mut facts = facts(&hermes);
        if let (Some(explanation), Value::Object(facts)) = (&explanation, &mut facts) {
            facts.insert("steps".to_owned(), steps(explanation));
        }
        return json::object(output, &facts);
    }
    if let Some(explanation) = &explanation {
        output.line(table(explanation).render(output))?;
        output.line("")?;
        // The steps are shown even where they lead to an error.
        output.finish()?;
    }
    people(&home::resolve(global, output)?, output)
}

fn facts(hermes: &Hermes) -> Value {
    let home = hermes.home();
    let warnings = &hermes.resolution().warnings;
    json!({
        "home": home.path().to_string_lossy(),
        "source": hermes.resolution().source.as_str(),
        "root": home.root().to_string_lossy(),
        "profile": home.profile().as_str(),
        "display": home.display(),
        "state_db": home.state_db().to_string_lossy(),
        "warnings": warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn people(hermes: &Hermes, output: &mut Output) -> Result<(), Failure> {
    let home = hermes.home();
    let there = if home.state_db().exists() {
        ""
    } else {
        " (not there yet)"
    };
    for (name, value) in [
        ("home", home.display()),
        ("chosen by", hermes.resolution().source.to_string()),
        ("profile", home.profile().to_string()),
        ("root", home.display_path(home.root())),
        ("store", home.display_path(home.state_db()) + there),
    ] {
        output.fact(name, value)?;
    }
    Ok(())
}

fn steps(explanation: &Explanation) -> Value {
    explanation
        .steps
        .iter()
        .map(|step| {
            json!({
                "source": step.source.as_str(),
                "found": step.found,
                "verdict": step.verdict.as_str(),
            })
        })
        .collect()
}

fn table(explanation: &Explanation) -> Table {
    let mut table = Table::new(&["STEP", "VERDICT", "FOUND"]);
    for step in &explanation.steps {
        table.row([
            step.source.to_string(),
            step.verdict.to_string(),
            step.found.clone(),
        ]);
    }
    table
}
