//! `db info`: what the store is and how it is.

use hermes_kit::state::{Store, StoreInfo};
use serde_json::{Value, json};

use crate::cli::{Global, Info};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::when::When;
use crate::{home, json};

/// The store is damaged: what `quick_check` found has been printed.
const DAMAGED: &str = "damaged";

pub(crate) fn info(global: &Global, args: &Info, output: &mut Output) -> Result<(), Failure> {
    let Some(store) = home::store_to_read(global, output)? else {
        if output.json() {
            json::object(output, &json!({"exists": false}))?;
        }
        return Ok(());
    };
    let findings = show(&store, args.check, output)?;
    if findings == 0 {
        return Ok(());
    }
    Err(Failure::new(
        DAMAGED,
        format!(
            "SQLite found {findings} faults in {}",
            store.path().display()
        ),
        "copy the file with its -wal and -shm, then restore a backup or export what can be read",
    ))
}

/// Prints the facts; returns how many faults SQLite found, if it was asked.
pub(crate) fn show(store: &Store, check: bool, output: &mut Output) -> Result<usize, Failure> {
    let progress = Progress::spinner("reading the store");
    let info = store.info()?;
    let findings = if check {
        Some(store.quick_check()?)
    } else {
        None
    };
    drop(progress);
    if output.json() {
        let mut object = serde_json::to_value(&info)?;
        if let Value::Object(object) = &mut object {
            object.insert("exists".to_owned(), json!(true));
            if let Some(findings) = &findings {
                object.insert("findings".to_owned(), json!(findings));
            }
        }
        json::object(output, &object)?;
    } else {
        people(&info, findings.as_deref(), output)?;
    }
    Ok(findings.map_or(0, |findings| findings.len()))
}

fn people(
    info: &StoreInfo,
    findings: Option<&[String]>,
    output: &mut Output,
) -> Result<(), Failure> {
    let when = When::now();
    let version = match (
        info.writable_version,
        info.schema_version > info.native_version,
    ) {
        (true, _) => info.schema_version.to_string(),
        (false, true) => format!("{} (newer: read only)", info.schema_version),
        (false, false) => format!("{} (older: read only until migrated)", info.schema_version),
    };
    let span = match (info.oldest_message, info.newest_message) {
        (Some(oldest), Some(newest)) => {
            format!(" ({} to {})", when.minute(oldest), when.minute(newest))
        }
        _ => String::new(),
    };
    let index = match &info.index.trouble {
        None => output.paint(Tone::Good, "complete"),
        Some(trouble) => output.paint(Tone::Bad, trouble),
    };
    let mut lines = vec![
        ("file", info.path.display().to_string()),
        ("schema", version),
        (
            "size",
            format!(
                "{} ({} free, log {})",
                size(info.bytes),
                size(info.free_bytes),
                size(info.wal_bytes)
            ),
        ),
        ("journal", info.journal_mode.clone()),
        ("sessions", info.sessions.to_string()),
        ("messages", format!("{}{span}", info.messages)),
        ("index", index),
        ("sqlite", info.sqlite_version.to_owned()),
    ];
    match findings {
        None => {}
        Some([]) => lines.push(("check", output.paint(Tone::Good, "no fault found"))),
        Some(findings) => lines.extend(
            findings
                .iter()
                .map(|f| ("fault", output.paint(Tone::Bad, f))),
        ),
    }
    for (name, value) in lines {
        output.fact(name, value)?;
    }
    Ok(())
}

/// Bytes in the unit that a person would choose.
fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
