//! `sessions import`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use hermes_kit::state::{Existing as Present, ImportOptions, ImportReport, Store, Titles as Taken};

use serde_json::{Value, json};

use crate::cli::{Existing, Global, Import, Titles};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::text::{counted, one_line};
use crate::{home, json};

/// Lines that could not be imported and are named to a person.
const SHOWN_ERRORS: usize = 20;

/// Copies that are named to a person.
const SHOWN_COPIES: usize = 10;

/// The code of a failure to find a store.
const NO_STORE: &str = "no_store";

pub(crate) fn run(global: &Global, args: &Import, output: &mut Output) -> Result<(), Failure> {
    // The input first: a file that is not there must not bring a store into being.
    let (mut input, length) = open(&args.file)?;
    let options = options(args);
    let (report, complete) = if args.dry_run {
        let (store, _empty) = store_for_dry_run(global, output)?;
        let report = import(&store, &options, &mut *input, length)?;
        (report, "nothing was imported: this was a dry run")
    } else {
        let store = home::store_to_write(global, output)?;
        let report = import(&store, &options, &mut *input, length)?;
        let rest = if args.all_or_nothing {
            "nothing was"
        } else {
            "everything else was"
        };
        (report, rest)
    };
    if output.json() {
        let mut object = serde_json::to_value(&report)?;
        if let (Value::Object(object), true) = (&mut object, args.dry_run) {
            object.insert("dry_run".to_owned(), json!(true));
        }
        json::object(output, &object)?;
    } else {
        tell(&report, args.dry_run, output)?;
    }
    if report.errors.is_empty() {
        return Ok(());
    }
    let failed = counted(report.errors.len() as u64, "line");
    let failure = Failure::new(
        "import_errors",
        format!("{failed} could not be imported; {complete}"),
        "correct them and import the file again: sessions that are there are skipped",
    );
    Err(failure.already_told())
}

fn options(args: &Import) -> ImportOptions {
    let mut options = ImportOptions::default();
    options.existing = match args.existing {
        Existing::Skip => Present::Skip,
        Existing::Copy => Present::Copy,
        Existing::Overwrite => Present::Overwrite,
    };
    options.titles = match args.titles {
        Titles::Number => Taken::Number,
        Titles::Refuse => Taken::Refuse,
    };
    options.dry_run = args.dry_run;
    options.all_or_nothing = args.all_or_nothing;
    options
}

/// The store to look at. Where there is none, an empty one elsewhere stands in for it, for as long
/// as its folder is held.
fn store_for_dry_run(
    global: &Global,
    output: &Output,
) -> Result<(Store, Option<tempfile::TempDir>), Failure> {
    match home::store_to_look_at(global, output) {
        Err(failure) if failure.code() == NO_STORE => {
            let folder = tempfile::tempdir()?;
            let store = Store::open(folder.path().join("state.db"))?;
            Ok((store, Some(folder)))
        }
        outcome => outcome.map(|store| (store, None)),
    }
}

pub(crate) fn import(
    store: &Store,
    options: &ImportOptions,
    input: &mut dyn BufRead,
    length: Option<u64>,
) -> Result<ImportReport, Failure> {
    let progress = match length {
        Some(length) => Progress::bytes("importing", length),
        None => Progress::spinner("importing"),
    };
    Ok(store.import_with(options, input, &mut |done| progress.set(done.bytes))?)
}

pub(crate) fn open(path: &Path) -> Result<(Box<dyn BufRead>, Option<u64>), Failure> {
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

pub(crate) fn tell(
    report: &ImportReport,
    dry_run: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let done = if dry_run { "would import" } else { "imported" };
    output.line(format_args!(
        "{done} {} with {}",
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
    for copy in report.copied.iter().take(SHOWN_COPIES) {
        let (from, to) = (one_line(copy.from.as_str()), one_line(copy.to.as_str()));
        output.line(format_args!("{from} is there already: its copy is {to}"))?;
    }
    let rest = report.copied.len().saturating_sub(SHOWN_COPIES);
    if rest > 0 {
        output.line(format_args!("and {rest} more copies (--json lists all)"))?;
    }
    let replaced = report.overwritten.len() as u64;
    if replaced > 0 {
        output.line(format_args!("replaced {}", counted(replaced, "session")))?;
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
