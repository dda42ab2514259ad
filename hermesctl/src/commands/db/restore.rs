//! `db restore`.

use hermes_kit::state::health::{self, RestoreOptions};

use super::check::store_path;
use super::in_use;
use crate::cli::{DbRestore, Global};
use crate::confirm::confirm;
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::progress::Progress;
use crate::text::{counted, one_line};

pub(crate) fn run(global: &Global, args: &DbRestore, output: &mut Output) -> Result<(), Failure> {
    let path = store_path(global, output)?;
    if !args.yes {
        confirm(&format!(
            "Bring {} back to what {} holds?",
            one_line(&path.display().to_string()),
            one_line(&args.from.display().to_string())
        ))?;
    }
    let mut options = RestoreOptions::default();
    options.while_open = args.while_open;
    let progress = Progress::spinner("restoring");
    let done = health::restore(&path, &args.from, &options, &|done, all| {
        progress.say(format!("restoring: page {done} of {all}"));
    });
    drop(progress);
    let done = done.map_err(|error| in_use("a restore", error))?;
    if output.json() {
        return json::object(output, &done);
    }
    output.line(format_args!(
        "restored: {} and {}",
        counted(done.sessions, "session"),
        counted(done.messages, "message")
    ))?;
    if let Some(previous) = &done.previous {
        output.line(format_args!(
            "what was there before is at {}",
            one_line(&previous.display().to_string())
        ))?;
    }
    Ok(())
}
