//! `doctor`: everything at a glance, and what to do about what is wrong. Changes nothing.

mod finding;
mod modes;
mod processes;
mod settings;
mod store;
mod tools;

use hermes_kit::Hermes;
use hermes_kit::state::NATIVE_VERSION;
use serde_json::{Map, Value, json};

use crate::cli::Global;
use crate::commands::db::check::{FOUND, tone};
use crate::commands::doctor::finding::{Exam, Finding};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::text::{counted, indented, one_line};
use crate::{EXIT_USAGE, home, json};

pub(crate) fn run(global: &Global, output: &mut Output) -> Result<(), Failure> {
    let mut exam = Exam::default();
    let selection = home::selection(global);
    match Hermes::builder().selection(selection).read_only().open() {
        Ok(hermes) => examine(&hermes, &mut exam),
        Err(error) => {
            let failure = Failure::from(error);
            if failure.exit() == EXIT_USAGE {
                return Err(failure);
            }
            exam.failed("home", failure);
        }
    }
    versions(&mut exam);
    if output.json() {
        let mut object: Map<String, Value> = exam.facts;
        object.insert("findings".to_owned(), serde_json::to_value(&exam.findings)?);
        json::object(output, &object)?;
    } else {
        tell(&exam, output)?;
    }
    if exam.findings.is_empty() {
        Ok(())
    } else {
        Err(Failure::answer(FOUND))
    }
}

fn examine(hermes: &Hermes, exam: &mut Exam) {
    home_of(hermes, exam);
    store::examine(hermes, exam);
    settings::examine(hermes, exam);
    tools::examine(hermes, exam);
    processes::examine(hermes, exam);
    modes::examine(hermes, exam);
}

fn home_of(hermes: &Hermes, exam: &mut Exam) {
    let (home, resolution) = (hermes.home(), hermes.resolution());
    let there = home.path().is_dir();
    let shown = if there { "" } else { ", not there yet" };
    exam.line(
        "home",
        format!("{} ({}{shown})", home.display(), resolution.source),
    );
    exam.line("profile", home.profile().to_string());
    exam.fact(
        "home",
        json!({
            "path": home.path().to_string_lossy(),
            "source": resolution.source.as_str(),
            "profile": home.profile().as_str(),
            "exists": there,
        }),
    );
    for warning in &resolution.warnings {
        exam.find(
            Finding::warning("home", "home", warning.to_string())
                .remedy("`hermesctl home --explain` shows how the home is found"),
        );
    }
}

fn versions(exam: &mut Exam) {
    let (own, sqlite) = (
        env!("CARGO_PKG_VERSION"),
        hermes_kit::state::sqlite_version(),
    );
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    exam.line(
        "versions",
        format!("hermesctl {own}, SQLite {sqlite}, schema {NATIVE_VERSION}, {system} {machine}"),
    );
    exam.fact(
        "versions",
        json!({
            "hermesctl": own,
            "sqlite": sqlite,
            "native_schema": NATIVE_VERSION,
            "system": system,
            "machine": machine,
        }),
    );
}

fn tell(exam: &Exam, output: &mut Output) -> Result<(), Failure> {
    for (name, text) in &exam.lines {
        output.fact(name, one_line(text))?;
    }
    output.line("")?;
    for finding in &exam.findings {
        let head = output.paint(tone(finding.severity), finding.severity.name());
        let place = match (finding.line, finding.column) {
            // The message names it.
            (_, Some(_)) | (None, _) => String::new(),
            (Some(line), None) => format!(", line {line}"),
        };
        output.line(format_args!(
            "{head} {} ({}{place})",
            finding.id, finding.area
        ))?;
        let message = one_line(&finding.message);
        output.line(indented(&message, "  ", output.width()))?;
        let remedy = format!("remedy: {}", one_line(&finding.remedy));
        output.line(indented(&remedy, "  ", output.width()))?;
    }
    let summary = match exam.findings.len() {
        0 => output.paint(Tone::Good, "nothing is wrong"),
        n => counted(n as u64, "finding"),
    };
    Ok(output.line(summary)?)
}
