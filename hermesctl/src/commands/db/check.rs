//! `db check`.

use std::path::PathBuf;

use hermes_kit::state::health::{self, Depth, Finding, Repair, Report, Severity};

use super::{holder_names, size};
use crate::cli::{DbCheck, Global};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::text::{counted, indented, one_line};
use crate::{home, json};

/// There are findings.
pub(crate) const FOUND: u8 = 4;

pub(crate) fn run(global: &Global, args: &DbCheck, output: &mut Output) -> Result<(), Failure> {
    let path = store_path(global, output)?;
    let depth = if args.fast { Depth::Fast } else { Depth::Deep };
    let progress = Progress::spinner("checking");
    let report = health::check(&path, depth, &|what| progress.say(what.to_owned()));
    drop(progress);
    let report = report.map_err(super::unrecognisable)?;
    if output.json() {
        json::object(output, &report)?;
    } else {
        tell(&report, output)?;
    }
    if report.is_clean() {
        Ok(())
    } else {
        Err(Failure::answer(FOUND))
    }
}

/// Where the store is that is meant, whatever state it is in.
pub(super) fn store_path(global: &Global, output: &Output) -> Result<PathBuf, Failure> {
    let hermes = home::resolve_to_read(global, output)?;
    Ok(hermes.home().state_db().to_path_buf())
}

fn tell(report: &Report, output: &mut Output) -> Result<(), Failure> {
    output.fact("store", one_line(&report.path.display().to_string()))?;
    let mut about = vec![size(report.bytes)];
    about.extend(report.schema_version.map(|v| format!("version {v}")));
    about.extend(report.sessions.map(|n| counted(n, "session")));
    about.extend(report.messages.map(|n| counted(n, "message")));
    about.extend(
        report
            .journal_mode
            .as_ref()
            .map(|mode| format!("journal {mode}")),
    );
    about.push(format!("log {}", size(report.wal_bytes)));
    output.fact("about", about.join(", "))?;
    output.fact("sqlite", report.sqlite_version)?;
    if !report.holders.is_empty() {
        output.fact("open in", holder_names(&report.holders))?;
    }
    for finding in &report.findings {
        show(finding, output)?;
    }
    if report.is_clean() {
        let what = match report.depth {
            Depth::Fast => "clean, as far as a fast check goes",
            Depth::Deep => "clean",
        };
        output.line(output.paint(Tone::Good, what))?;
        return Ok(());
    }
    let found = counted(report.findings.len() as u64, "finding");
    let next = if report
        .findings
        .iter()
        .any(|finding| finding.repair != Repair::None)
    {
        "; `hermesctl db repair` shows what would put it right"
    } else {
        ""
    };
    output.line(format_args!("{found}{next}"))?;
    Ok(())
}

/// A finding, its examples, and what repairs it.
pub(super) fn show(finding: &Finding, output: &mut Output) -> Result<(), Failure> {
    let severity = output.paint(tone(finding.severity), finding.severity.name());
    let id = finding.id.id();
    output.line(format_args!(
        "{severity} {id} ({})",
        one_line(&finding.object)
    ))?;
    let mut text = one_line(&finding.message);
    let others: Vec<String> = finding
        .examples
        .iter()
        .map(|example| one_line(example))
        .filter(|example| !text.contains(example.as_str()))
        .collect();
    if !others.is_empty() {
        text = format!("{text}: {}", others.join(", "));
    }
    output.line(indented(&text, "  ", output.width()))?;
    if finding.repair != Repair::None {
        let repair = format!("repair: {}", finding.repair.describe());
        output.line(indented(&repair, "  ", output.width()))?;
    }
    Ok(())
}

pub(crate) fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Strong,
        Severity::Note => Tone::Faint,
    }
}
