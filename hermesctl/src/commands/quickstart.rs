//! `quickstart`: the whole of it on sample conversations, in a home of its own.

use std::fs;
use std::io;
use std::path::Path;

use hermes_kit::Hermes;
use hermes_kit::home::Environment;
use hermes_kit::state::{ImportOptions, ListOptions, SearchOptions, SessionId, Store};

use super::{db, search, sessions};
use crate::cli::Quickstart;
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// A real export of Hermes, of conversations that were invented for it.
const SAMPLE: &str = include_str!("../../data/sample.jsonl");
const SAMPLE_FILE: &str = "sample.jsonl";

const ENGLISH: &str = "connection refused";
const CHINESE: &str = "数据库";
/// Matches shown of each search.
const MATCHES: usize = 3;

pub(crate) fn run(args: &Quickstart, output: &mut Output) -> Result<(), Failure> {
    if output.json() {
        let failure = Failure::new(
            "usage",
            "quickstart is for people: it has no JSON form",
            "run it without --json",
        );
        return Err(failure.with_exit(crate::EXIT_USAGE));
    }
    let folder = tempfile::Builder::new()
        .prefix("hermes-quickstart-")
        .tempdir()
        .map_err(|e| cannot("a temporary folder", &e))?;
    output.line(output.paint(Tone::Strong, "hermesctl on sample conversations"))?;
    output.line("Nothing of yours is read or changed: the home below is made for this run.")?;

    let outcome = tour(folder.path(), output);
    if args.keep {
        let path = folder.keep();
        heading(output, "The home is kept")?;
        output.line(format_args!(
            "Look around: hermesctl --home {} sessions list",
            path.display()
        ))?;
        output.line(format_args!("Remove it:   rm -r {}", path.display()))?;
    } else {
        folder
            .close()
            .map_err(|e| cannot("the temporary home, to remove it,", &e))?;
        heading(output, "The home is removed again (--keep keeps it)")?;
    }
    outcome?;
    own(output)
}

/// The steps, each with the command that does the same.
fn tour(home: &Path, output: &mut Output) -> Result<(), Failure> {
    let hermes = Hermes::builder().home(home).open()?;
    step(
        output,
        1,
        "A private Hermes home",
        &format!("hermesctl --home {} home", home.display()),
    )?;
    output.line(format_args!("home   {}", home.display()))?;
    output.line(format_args!(
        "store  {}",
        hermes.home().state_db().display()
    ))?;

    let sample = home.join(SAMPLE_FILE);
    fs::write(&sample, SAMPLE).map_err(|e| cannot(SAMPLE_FILE, &e))?;
    step(
        output,
        2,
        "Import an export file",
        &format!("hermesctl sessions import {SAMPLE_FILE}"),
    )?;
    let store = hermes.store()?;
    let report = sessions::import::import(
        &store,
        &ImportOptions::default(),
        &mut SAMPLE.as_bytes(),
        None,
    )?;
    sessions::import::tell(&report, false, output)?;

    step(output, 3, "List the sessions", "hermesctl sessions list")?;
    sessions::list::people(&store, ListOptions::default(), false, output)?;

    step(
        output,
        4,
        "Search in English",
        &format!("hermesctl search {ENGLISH} --limit {MATCHES}"),
    )?;
    let found = find(&store, ENGLISH, output)?;

    step(
        output,
        5,
        "Search in Chinese",
        &format!("hermesctl search {CHINESE} --limit {MATCHES}"),
    )?;
    find(&store, CHINESE, output)?;

    if let Some(id) = found {
        step(
            output,
            6,
            "Show a conversation",
            &format!("hermesctl sessions show {id}"),
        )?;
        sessions::show::show(&store, &id, &[], false, output)?;
    }

    step(
        output,
        7,
        "Ask how the database is",
        "hermesctl db info --check",
    )?;
    db::info::show(&store, true, output)?;
    Ok(())
}

/// Prints what a search finds, and gives the session of the last of it.
fn find(store: &Store, query: &str, output: &mut Output) -> Result<Option<SessionId>, Failure> {
    let options = search::for_people(SearchOptions::new(query).limit(MATCHES).context(0));
    let results = store.search(&options)?;
    search::page(store, &results, &[], search::View::default(), output)?;
    Ok(results.matches.last().map(|found| found.session_id.clone()))
}

/// What to do with one's own history.
fn own(output: &mut Output) -> Result<(), Failure> {
    heading(
        output,
        "Now on your own history (none of these changes anything)",
    )?;
    let home = Hermes::builder()
        .environment(Environment::from_process())
        .open()
        .map_or_else(|_| "~/.hermes".to_owned(), |hermes| hermes.home().display());
    for (command, what) in [
        ("hermesctl home", format!("which home is used: {home}")),
        ("hermesctl sessions list", "the latest sessions".to_owned()),
        (
            "hermesctl search WORDS",
            "find messages, in any language".to_owned(),
        ),
        ("hermesctl sessions show ID", "read one".to_owned()),
        (
            "hermesctl sessions export -o FILE",
            "all of it, as JSON lines".to_owned(),
        ),
        (
            "hermesctl db info",
            "versions, sizes, the state of the index".to_owned(),
        ),
    ] {
        let what = output.paint(Tone::Faint, what);
        output.line(format_args!("  {command:<35}{what}"))?;
    }
    output.line("\nhermesctl lies in target/release; `cargo install --path hermesctl` puts it on your PATH.")?;
    Ok(())
}

fn heading(output: &mut Output, text: &str) -> io::Result<()> {
    output.line(format_args!("\n{}", output.paint(Tone::Strong, text)))
}

fn step(output: &mut Output, number: u8, what: &str, command: &str) -> io::Result<()> {
    heading(output, &format!("{number}. {what}"))?;
    output.line(output.paint(Tone::Faint, format_args!("$ {command}")))
}

fn cannot(what: &str, error: &io::Error) -> Failure {
    Failure::new(
        "output",
        format!("{what} cannot be made: {error}"),
        "check the temporary folder (TMPDIR) and its free space",
    )
}
