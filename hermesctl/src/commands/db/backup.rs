//! `db backup`.

use hermes_kit::state::health::{self, BackupOptions};

use super::check::store_path;
use super::size;
use crate::cli::{DbBackup, Global};
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::progress::Progress;
use crate::text::{counted, one_line};

pub(crate) fn run(global: &Global, args: &DbBackup, output: &mut Output) -> Result<(), Failure> {
    let path = store_path(global, output)?;
    let mut options = BackupOptions::default();
    options.to.clone_from(&args.to);
    options.keep = args.keep.and_then(|n| usize::try_from(n).ok());
    let progress = Progress::spinner("copying");
    let made = health::backup(&path, &options, &|done, all| {
        progress.say(format!("copying: page {done} of {all}"));
    });
    drop(progress);
    let made = made?;
    if !made.findings.is_empty() {
        output.remark("warning: the search index is damaged, in the copy as in the store; no message is missing. `hermesctl db repair` makes it anew");
    }
    if output.json() {
        return json::object(output, &made);
    }
    output.line(format_args!(
        "{} with {} and {} ({}), checked",
        one_line(&made.path.display().to_string()),
        counted(made.sessions, "session"),
        counted(made.messages, "message"),
        size(made.bytes)
    ))?;
    for gone in &made.removed {
        output.line(format_args!(
            "removed {}",
            one_line(&gone.display().to_string())
        ))?;
    }
    Ok(())
}
