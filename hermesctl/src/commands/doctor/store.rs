//! The store: what `db check --fast` finds, and where the file lies.

use hermes_kit::Hermes;
use hermes_kit::state::Error as StateError;
use hermes_kit::state::health::{self, Depth, Repair, Report};
use serde_json::{Value, json};

use super::finding::{Exam, Finding};
use crate::commands::db::{holder_names, size};
use crate::progress::Progress;
use crate::text::counted;

const AREA: &str = "store";

pub(super) fn examine(hermes: &Hermes, exam: &mut Exam) {
    let path = hermes.home().state_db();
    let shown = hermes.home().display_path(path);
    let progress = Progress::spinner("checking the store");
    let report = health::check(path, Depth::Fast, &|what| progress.say(what.to_owned()));
    drop(progress);
    match report {
        Ok(report) => {
            for found in &report.findings {
                let remedy = match found.repair {
                    Repair::Migrate => {
                        "`hermesctl db migrate` brings it up to date, as does the next program that \
                         writes"
                            .to_owned()
                    }
                    Repair::None if found.id.id() == "too_new" => {
                        "it can be read; write to it with the Hermes that it is of, or a newer \
                         hermesctl"
                            .to_owned()
                    }
                    Repair::None => "nothing here repairs that: keep a copy of the file".to_owned(),
                    repair => format!("`hermesctl db repair` would {}", repair.describe()),
                };
                let finding = Finding::new(found.severity, found.id.id(), AREA, &found.message);
                exam.find(finding.remedy(remedy));
            }
            facts(hermes, &shown, &report, exam);
        }
        Err(StateError::NoStore { .. }) => {
            exam.line(AREA, format!("{shown}, not there yet"));
            exam.fact(AREA, Value::Null);
        }
        Err(error) => {
            exam.line(AREA, format!("{shown}, cannot be checked"));
            exam.fact(AREA, json!({"path": path.to_string_lossy()}));
            exam.failed(AREA, error);
        }
    }
}

fn facts(hermes: &Hermes, shown: &str, report: &Report, exam: &mut Exam) {
    // What keeps them from being read is among the findings of the check, or becomes one.
    let info = match hermes.store().and_then(|store| Ok(store.info()?)) {
        Ok(info) => Some(info),
        Err(error) => {
            if report.is_clean() {
                exam.failed(AREA, error);
            }
            None
        }
    };
    let file_system = info.as_ref().and_then(|info| info.file_system.clone());
    let mut about = vec![shown.to_owned(), size(report.bytes)];
    about.extend(report.schema_version.map(|v| format!("version {v}")));
    about.extend(report.sessions.map(|n| counted(n, "session")));
    about.extend(report.messages.map(|n| counted(n, "message")));
    exam.line(AREA, about.join(", "));
    let mut more = Vec::new();
    more.extend(report.journal_mode.iter().map(|m| format!("journal {m}")));
    more.push(format!("log {}", size(report.wal_bytes)));
    if let Some(info) = &info {
        more.push(match info.index.trouble.as_deref() {
            None => "index complete".to_owned(),
            Some(trouble) if trouble.contains("index") => trouble.to_owned(),
            Some(trouble) => format!("index: {trouble}"),
        });
    }
    more.extend(file_system.iter().map(|found| format!("on {}", found.name)));
    if !report.holders.is_empty() {
        more.push(format!("open in {}", holder_names(&report.holders)));
    }
    exam.line("", more.join(", "));
    exam.fact(
        AREA,
        json!({
            "path": report.path.to_string_lossy(),
            "schema_version": report.schema_version,
            "writable_version": info.as_ref().map(|info| info.writable_version),
            "bytes": report.bytes,
            "wal_bytes": report.wal_bytes,
            "journal_mode": report.journal_mode,
            "file_system": file_system,
            "sessions": report.sessions,
            "messages": report.messages,
            "index": info.as_ref().map(|info| &info.index),
            "holders": report.holders,
        }),
    );
    if let Some(found) = file_system.filter(|found| found.shared) {
        let message = format!(
            "the store lies on {}, which other machines may use at the same time",
            found.name
        );
        exam.find(
            Finding::warning("shared_file_system", AREA, message)
                .remedy("use it from one machine at a time, or move the home to a local disk"),
        );
    }
}
