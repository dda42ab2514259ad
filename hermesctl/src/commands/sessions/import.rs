//! `sessions import`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use hermes_kit::state::{ImportReport, Store};

use crate::cli::{Global, Import};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::text::{counted, one_line};
use crate::{home, json};

/// Lines that could not be imported and are named to a person.
const SHOWN_ERRORS: usize = 20;

pub(crate) fn run(global: &Global, args: &Import, output: &mut Output) -> Result<(), Failure> {
    // The input first: a file that is not there must not bring a store into being.
    let (mut input, length) = open(&args.file)?;
    let store = home::store_to_write(global, output)?;
    let report = import(&store, &mut *input, length)?;
    if output.json() {
        json::object(output, &report)?;
    } else {
        tell(&report, output)?;
    }
    if report.errors.is_empty() {
        return Ok(());
    }
    let failed = counted(report.errors.len() as u64, "line");
    let failure = Failure::new(
        "import_errors",
        format!("{failed} could not be imported; everything else was"),
        "correct them and import the file again: sessions that are there are skipped",
    );
    Err(failure.already_told())
}

pub(crate) fn import(
    store: &Store,
    input: &mut dyn BufRead,
    length: Option<u64>,
) -> Result<ImportReport, Failure> {
    let progress = match length {
        Some(length) => Progress::bytes("importing", length),
        None => Progress::spinner("importing"),
    };
    Ok(store.import(input, &mut |done| progress.set(done.bytes))?)
}

fn open(path: &Path) -> Result<(Box<dyn BufRead>, Option<u64>), Failure> {
    if path == Path::new("-") {
        return Ok((Box::new(io::stdin().lock()), None));
    }
    let cannot = |e: io::Error| {
        Failure::new(
            "input",
            format!("{} cannot be read: {e}", path.display()),
            "name a file of JSON lines, or - for standard input",
        )
    };
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(cannot(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let length = metadata.is_file().then_some(metadata.len());
    Ok((Box::new(BufReader::new(file)), length))
}

pub(crate) fn tell(report: &ImportReport, output: &mut Output) -> Result<(), Failure> {
    output.line(format_args!(
        "imported {} with {}",
        counted(report.sessions, "session"),
        counted(report.messages, "message")
    ))?;
    let skipped = report.skipped.len() as u64;
    if skipped > 0 {
        output.line(format_args!(
            "skipped {} that {} there already",
            counted(skipped, "session"),
            if skipped == 1 { "is" } else { "are" }
        ))?;
    }
    for change in &report.retitled {
        let (from, to) = (one_line(&change.from), one_line(&change.to));
        output.line(format_args!(
            "the title \"{from}\" was taken: {} is now \"{to}\"",
            change.id
        ))?;
    }
    for id in &report.detached {
        output.line(format_args!(
            "{id} has no parent now: its parent is not here"
        ))?;
    }
    for (column, rows) in &report.dropped_columns {
        output.line(format_args!(
            "no place for column {column}: left out {}",
            counted(*rows, "value")
        ))?;
    }
    if report.inactive > 0 {
        output.line(format_args!(
            "left out {} that had been taken back or replaced",
            counted(report.inactive, "message")
        ))?;
    }
    for error in report.errors.iter().take(SHOWN_ERRORS) {
        let problem = one_line(&error.problem);
        let text = format!("line {}: {problem}", error.line);
        output.line(output.paint(Tone::Bad, text))?;
    }
    let rest = report.errors.len().saturating_sub(SHOWN_ERRORS);
    if rest > 0 {
        output.line(format_args!(
            "and {} more (--json lists all)",
            counted(rest as u64, "line")
        ))?;
    }
    Ok(())
}
