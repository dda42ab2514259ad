//! `db journal`.

use hermes_kit::state::{JournalMode, health};

use super::check::store_path;
use super::in_use;
use crate::cli::{Global, Journal, JournalMode as Chosen};
use crate::failure::Failure;
use crate::json;
use crate::output::Output;

pub(crate) fn run(global: &Global, args: &Journal, output: &mut Output) -> Result<(), Failure> {
    let path = store_path(global, output)?;
    let mode = match args.mode {
        Chosen::Wal => JournalMode::Wal,
        Chosen::Delete => JournalMode::Delete,
    };
    let done = health::set_journal(&path, mode);
    let done = done.map_err(|error| in_use("a change of its journal", error))?;
    if output.json() {
        return json::object(output, &done);
    }
    let text = if done.before == done.after {
        format!("journal {}, as before", done.after)
    } else {
        format!("journal {}, and not {} any more", done.after, done.before)
    };
    Ok(output.line(text)?)
}
