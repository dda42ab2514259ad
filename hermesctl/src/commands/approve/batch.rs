//! `approve check --batch`: a verdict for each line, as soon as the line has come.

use hermes_kit::approval::{AnalysisEnv, Platform, assess};
use serde_json::{Map, Value, json};

use super::shown;
use crate::cli::{Global, Reading};
use crate::failure::Failure;
use crate::lines;
use crate::output::Output;

pub(super) fn run(global: &Global, reading: &Reading, output: &mut Output) -> Result<(), Failure> {
    let platform = super::platform(reading.platform);
    let env = super::env(global, reading, output)?;
    lines::answer(output, |number, line| match line {
        Ok(line) => answer(line, number, &env, platform),
        Err(problem) => Ok(error_line(&Value::Null, number, problem)),
    })
}

/// The answer to a line; to one that is not understood, an error that says why.
fn answer(
    line: &[u8],
    number: u64,
    env: &AnalysisEnv,
    platform: Platform,
) -> Result<Map<String, Value>, Failure> {
    let question: Value = match serde_json::from_slice(line) {
        Ok(question) => question,
        Err(error) => {
            let problem = format!("it is no JSON: {error}");
            return Ok(error_line(&Value::Null, number, &problem));
        }
    };
    let id = question.get("id").cloned().unwrap_or(Value::Null);
    let command = match &question {
        Value::String(text) => Some(text.as_str()),
        Value::Object(fields) => fields.get("command").and_then(Value::as_str),
        _ => None,
    };
    let Some(command) = command else {
        let problem = "it is neither a string nor an object with a command";
        return Ok(error_line(&id, number, problem));
    };
    let platform = match question.get("platform").map(|name| name.as_str()) {
        None => platform,
        Some(Some("posix")) => Platform::Posix,
        Some(Some("cmd")) => Platform::Cmd,
        Some(Some("powershell")) => Platform::PowerShell,
        Some(_) => {
            let problem = "its platform is none of posix, cmd and powershell";
            return Ok(error_line(&id, number, problem));
        }
    };
    let mut answer = Map::new();
    answer.insert("id".to_owned(), id);
    let verdict = shown::object(&assess(command, env, platform))?;
    // What was found one by one is for `check` and `explain`.
    answer.extend(
        verdict
            .into_iter()
            .filter(|(name, _)| !matches!(name.as_str(), "findings" | "message")),
    );
    Ok(answer)
}

fn error_line(id: &Value, number: u64, problem: &str) -> Map<String, Value> {
    let mut answer = Map::new();
    answer.insert("id".to_owned(), id.clone());
    let error = json!({"code": "bad_line", "line": number, "message": problem});
    answer.insert("error".to_owned(), error);
    answer
}
