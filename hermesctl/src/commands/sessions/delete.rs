//! `sessions delete`, and what it has in common with `prune`.

use hermes_kit::state::{DeleteOptions, Deleted, Error as StateError, PruneCandidates};
use serde_json::{Value, json};

use super::{each_once, resolve_strictly};
use crate::cli::{Delete, Global};
use crate::confirm::confirm;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::table::Table;
use crate::text::{counted, one_line};
use crate::when::When;
use crate::{home, json};

/// Candidates that are shown to a person.
const SHOWN: usize = 20;

/// Files that could not be removed and are named to a person.
const SHOWN_FILES: usize = 5;

pub(crate) fn run(global: &Global, args: &Delete, output: &mut Output) -> Result<(), Failure> {
    if args.dry_run {
        let store = home::store_to_look_at(global, output)?;
        let ids = each_once(&args.ids, |text| resolve_strictly(&store, text))?;
        return foretell(&store.delete_candidates(&ids)?, output);
    }
    let (store, files) = home::store_to_change(global, output)?;
    let ids = each_once(&args.ids, |text| resolve_strictly(&store, text))?;
    let found = store.delete_candidates(&ids)?;
    if !args.yes {
        ask(&found, output)?;
    }
    let options = DeleteOptions::new().files_in(files);
    finish(&found, output, |work| {
        store.delete_sessions(&ids, &options, work)
    })
}

/// What would be deleted.
pub(crate) fn foretell(found: &PruneCandidates, output: &mut Output) -> Result<(), Failure> {
    if output.json() {
        let mut object = serde_json::to_value(found)?;
        if let Value::Object(object) = &mut object {
            object.insert("dry_run".to_owned(), json!(true));
        }
        return json::object(output, &object);
    }
    foretold(found, output)
}

/// The same for people.
pub(super) fn foretold(found: &PruneCandidates, output: &mut Output) -> Result<(), Failure> {
    if found.sessions.is_empty() {
        return Ok(output.line("nothing to delete")?);
    }
    let table = table(found, output).render(output);
    output.line(table)?;
    if found.sessions.len() > SHOWN {
        let rest = found.sessions.len() - SHOWN;
        let text = format!("and {rest} more (--json lists all)");
        output.line(output.paint(Tone::Faint, text))?;
    }
    output.line(format_args!(
        "would delete {}; nothing was done",
        sum(found)
    ))?;
    Ok(())
}

/// Asks a person, who sees what it is about.
pub(crate) fn ask(found: &PruneCandidates, output: &mut Output) -> Result<(), Failure> {
    let names: Vec<String> = found
        .sessions
        .iter()
        .take(3)
        .map(|session| {
            let id = one_line(session.id.as_str());
            match session.title.as_deref().filter(|title| !title.is_empty()) {
                Some(title) => format!("{id} (\"{}\")", one_line(title)),
                None => id,
            }
        })
        .collect();
    let rest = match found.sessions.len().saturating_sub(names.len()) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    // On a terminal the table comes first; what is asked stands alone as well.
    if !output.json() && found.sessions.len() > 1 {
        let table = table(found, output).render(output);
        output.remark(table);
    }
    confirm(&format!(
        "Delete {}: {}{rest}?",
        sum(found),
        names.join(", ")
    ))
}

fn sum(found: &PruneCandidates) -> String {
    let delegates: usize = found.sessions.iter().map(|s| s.delegates.len()).sum();
    let along = match delegates {
        0 => String::new(),
        n => format!(" and {} of theirs", counted(n as u64, "helper session")),
    };
    format!(
        "{}{along} with {} (about {})",
        counted(found.sessions.len() as u64, "session"),
        counted(found.messages, "message"),
        indicatif::HumanBytes(found.bytes)
    )
}

fn table(found: &PruneCandidates, output: &Output) -> Table {
    let when = When::now();
    let heading: &[&str] = if output.width().is_some_and(|columns| columns < 80) {
        &["ID", "MSGS", "TITLE"]
    } else {
        &["ID", "SOURCE", "LAST ACTIVE", "MSGS", "TITLE"]
    };
    let mut table = Table::new(heading).number(heading.len() - 2);
    for session in found.sessions.iter().take(SHOWN) {
        table.row(heading.iter().map(|column| match *column {
            "ID" => session.id.to_string(),
            "SOURCE" => session.source.clone(),
            "LAST ACTIVE" => when.ago(session.last_active),
            "MSGS" => session.messages.to_string(),
            _ => session.title.clone().unwrap_or_default(),
        }));
    }
    table
}

/// Runs a deletion with a bar, stops it at Ctrl-C, and tells what it did.
pub(crate) fn finish(
    found: &PruneCandidates,
    output: &mut Output,
    work: impl FnOnce(
        &mut dyn FnMut(&Deleted) -> std::ops::ControlFlow<()>,
    ) -> Result<Deleted, StateError>,
) -> Result<(), Failure> {
    let done = delete_with_bar(found, work)?;
    if output.json() {
        json::object(output, &done)?;
    } else {
        tell(&done, output)?;
    }
    stopped(&done)
}

/// Runs a deletion with a bar, and stops it at Ctrl-C.
pub(super) fn delete_with_bar<T>(
    found: &PruneCandidates,
    work: impl FnOnce(&mut dyn FnMut(&Deleted) -> std::ops::ControlFlow<()>) -> Result<T, StateError>,
) -> Result<T, Failure> {
    let interrupt = Interrupt::watch()?;
    let delegates: usize = found.sessions.iter().map(|s| s.delegates.len()).sum();
    let progress = Progress::items("deleting", (found.sessions.len() + delegates) as u64);
    let done = work(&mut |done| {
        progress.set((done.ids.len() + done.kept.len()) as u64);
        interrupt.flow()
    });
    drop(progress);
    Ok(done?)
}

/// Fails if it was stopped: what was done has been told.
pub(super) fn stopped(done: &Deleted) -> Result<(), Failure> {
    if done.cancelled {
        let what = format!(
            "{} deleted, the others are as they were",
            counted(done.ids.len() as u64, "session")
        );
        return Err(Interrupt::failure(&what).already_told());
    }
    Ok(())
}

/// What was deleted, for people.
pub(super) fn tell(done: &Deleted, output: &mut Output) -> Result<(), Failure> {
    let sessions = counted(done.ids.len() as u64, "session");
    let messages = counted(done.messages, "message");
    let files = match done.files {
        0 => String::new(),
        n => format!(" and {}", counted(n, "file")),
    };
    output.line(format_args!("deleted {sessions} with {messages}{files}"))?;
    if done.detached > 0 {
        let others = counted(done.detached, "session");
        let whose = if done.detached == 1 { "its" } else { "their" };
        output.line(format_args!("{others} lost {whose} parent"))?;
    }
    if !done.kept.is_empty() {
        let kept = counted(done.kept.len() as u64, "session");
        output.line(format_args!("kept {kept} that changed meanwhile"))?;
    }
    for error in done.file_errors.iter().take(SHOWN_FILES) {
        let text = format!(
            "warning: {}: {}",
            one_line(error.session_id.as_str()),
            one_line(&error.problem)
        );
        output.remark(text);
    }
    let rest = done.file_errors.len().saturating_sub(SHOWN_FILES);
    if rest > 0 {
        output.remark(format_args!("warning: and {rest} more files"));
    }
    Ok(())
}
