//! `fts`: how queries are read.

mod shown;

use hermes_kit::fts::{SanitizedQuery, sanitize};
use serde_json::{Map, Value, json};

use crate::cli::{Fts, Sanitize};
use crate::failure::Failure;
use crate::output::Output;
use crate::text::{counted, harmless, one_line};
use crate::{json, lines, query};

/// A query as JSON, with all that is known of how it is read.
pub(crate) fn object(input: &str, query: &SanitizedQuery) -> Map<String, Value> {
    shown::object(input, query, true)
}

pub(crate) fn run(command: &Fts, output: &mut Output) -> Result<(), Failure> {
    match command {
        Fts::Sanitize(args) if args.batch => batch(args.explain, output),
        Fts::Sanitize(args) => one(args, output),
    }
}

fn one(args: &Sanitize, output: &mut Output) -> Result<(), Failure> {
    let input = query::typed(&args.query)?;
    let query = sanitize(&input);
    if output.json() {
        return json::object(output, &shown::object(&input, &query, args.explain));
    }
    if args.explain {
        let text = harmless(&query.explain().to_string());
        return Ok(output.line(text.trim_end())?);
    }
    output.fact("query", one_line(query.as_str()))?;
    output.fact("plan", query.plan().name())?;
    if let Some(expression) = shown::trigram(&query) {
        output.fact("trigram", one_line(expression))?;
    }
    if query.truncated() {
        output.remark("warning: the query is long: only its first 2,048 characters were used");
    }
    Ok(())
}

/// An answer for each line; a line that is not understood gets one that says why.
fn batch(explain: bool, output: &mut Output) -> Result<(), Failure> {
    let mut bad: Vec<u64> = Vec::new();
    lines::answer(output, |number, line| {
        let problem = match line.map(serde_json::from_slice::<Value>) {
            Ok(Ok(Value::String(input))) => return Ok(answer(&input, explain)),
            Ok(Ok(_)) => "it is no JSON string".to_owned(),
            Ok(Err(error)) => format!("it is no JSON: {error}"),
            Err(problem) => problem.to_owned(),
        };
        bad.push(number);
        let mut answer = Map::new();
        let error = json!({"code": "bad_line", "line": number, "message": problem});
        answer.insert("error".to_owned(), error);
        Ok(answer)
    })?;
    match bad.first() {
        None => Ok(()),
        Some(first) => Err(Failure::new(
            "bad_line",
            format!(
                "{} not understood, the first is line {first}",
                match bad.len() {
                    1 => "1 line was".to_owned(),
                    more => format!("{} were", counted(more as u64, "line")),
                }
            ),
            "give one JSON string a line, such as \"docker error\"",
        )
        .already_told()),
    }
}

fn answer(input: &str, explain: bool) -> Map<String, Value> {
    let query = sanitize(input);
    if explain {
        shown::object(input, &query, true)
    } else {
        shown::plan(input, &query)
    }
}
