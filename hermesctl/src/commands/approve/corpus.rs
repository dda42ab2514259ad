//! `approve test`: how often the verdicts are right on commands whose right verdict is known.

use hermes_kit::approval::corpus::{self, Counts, Report};
use serde_json::{Map, Value, json};

use super::shown;
use crate::cli::{Global, Test};
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::text::one_line;

pub(super) fn run(global: &Global, args: &Test, output: &mut Output) -> Result<(), Failure> {
    let bad = |problem: String| {
        Failure::new(
            "bad_corpus",
            format!("{}: {problem}", args.file.display()),
            "give JSON lines with command, verdict (safe, dangerous, hardline) and class",
        )
    };
    let text = std::fs::read_to_string(&args.file).map_err(|error| bad(error.to_string()))?;
    let rows = corpus::read(&text).map_err(&bad)?;
    if rows.is_empty() {
        return Err(bad("it has no rows".to_owned()));
    }
    let env = super::env(global, &args.reading, output)?;
    let platform = super::platform(args.reading.platform);
    let report = corpus::run(&rows, &env, platform);
    if output.json() {
        return json::object(output, &object(&report, args.wrong));
    }
    if args.wrong {
        for outcome in report.outcomes.iter().filter(|outcome| !outcome.is_right()) {
            let row = outcome.row;
            output.line(format_args!(
                "{} {:?} but {}: {}",
                row.id,
                row.verdict,
                outcome.decision.name(),
                one_line(&shown::text(&row.command))
            ))?;
        }
        output.line("")?;
    }
    Ok(output.line(report.to_string().trim_end())?)
}

fn object(report: &Report<'_>, wrong: bool) -> Value {
    let classes: Map<String, Value> = report
        .classes()
        .into_iter()
        .map(|(class, c)| (class.to_owned(), counts(c)))
        .collect();
    let mut object = json!({
        "rows": report.outcomes.len(),
        "total": counts(report.total()),
        "classes": classes,
    });
    if wrong && let Value::Object(object) = &mut object {
        let wrong = report.outcomes.iter().filter(|outcome| !outcome.is_right());
        let wrong: Vec<Value> = wrong
            .map(|outcome| {
                json!({
                    "id": outcome.row.id,
                    "class": outcome.row.class,
                    "command": outcome.row.command,
                    "verdict": outcome.decision.name(),
                    "rules": outcome.rules,
                })
            })
            .collect();
        object.insert("wrong".to_owned(), Value::Array(wrong));
    }
    object
}

fn counts(counts: Counts) -> Value {
    json!({
        "dangerous": counts.dangerous,
        "found": counts.found,
        "recall": counts.recall(),
        "precision": counts.precision(),
        "safe": counts.safe,
        "safe_flagged": counts.safe_flagged,
        "safe_flagged_share": counts.safe_flagged_share(),
        "safe_blocked": counts.safe_blocked,
        "hardline": counts.hardline,
        "hardline_blocked": counts.blocked,
        "hardline_blocked_share": counts.hardline_blocked_share(),
        "keyed": counts.keyed,
        "key_found": counts.key_found,
        "key_share": counts.key_share(),
    })
}
