//! `db`: looking after the database itself.

mod backup;
pub(super) mod check;
mod checkpoint;
pub(crate) mod info;
mod journal;
mod migrate;
mod optimize;
mod repair;
mod restore;
mod vacuum;

use hermes_kit::state::{Error as StateError, Holder};

use crate::cli::{Db, Global};
use crate::failure::Failure;
use crate::output::Output;
use crate::text::one_line;

pub(crate) fn run(global: &Global, command: &Db, output: &mut Output) -> Result<(), Failure> {
    match command {
        Db::Info(args) => info::run(global, args, output),
        Db::Check(args) => check::run(global, args, output),
        Db::Backup(args) => backup::run(global, args, output),
        Db::Repair(args) => repair::run(global, args, output),
        Db::Restore(args) => restore::run(global, args, output),
        Db::Migrate(args) => migrate::run(global, args, output),
        Db::Vacuum(args) => vacuum::run(global, args, output),
        Db::Optimize(args) => optimize::run(global, args, output),
        Db::Checkpoint(args) => checkpoint::run(global, args, output),
        Db::Journal(args) => journal::run(global, args, output),
    }
}

/// Bytes in the unit that a person would choose.
pub(super) fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

pub(super) fn holder_names(holders: &[Holder]) -> String {
    let names: Vec<String> = holders
        .iter()
        .map(|holder| format!("{} (pid {})", one_line(&holder.command), holder.pid))
        .collect();
    names.join(", ")
}

/// What needs the store for itself, and was refused because others have it open.
fn in_use(what: &str, error: StateError) -> Failure {
    let StateError::Locked { path, holders, .. } = &error else {
        return error.into();
    };
    let names = holder_names(holders);
    let by = if names.is_empty() {
        "another program".to_owned()
    } else {
        names
    };
    Failure::new(
        "in_use",
        format!(
            "{what} needs {} for itself, and it is open in {by}",
            path.display()
        ),
        "close that program and run it again (nothing was changed)",
    )
}

/// What was looked at page by page, and holds nothing of a store.
fn unrecognisable(error: StateError) -> Failure {
    let StateError::NotADatabase { .. } = &error else {
        return error.into();
    };
    Failure::new(
        error.code(),
        format!("{}, and nothing in it looks like one", error.problem()),
        "check the path; `hermesctl db restore` brings a backup back (nothing was changed)",
    )
}
