//! The commands.

mod approve;
mod chat_log;
mod completions;
mod db;
mod doctor;
mod exec;
mod fts;
mod home;
mod profile;
mod quickstart;
mod rpc;
#[cfg(unix)]
mod run;
mod search;
mod sessions;
mod tools;

use crate::cli::{Cli, Command};
use crate::failure::Failure;
use crate::output::Output;

/// Runs what was asked for.
pub(crate) fn run(cli: &Cli, output: &mut Output) -> Result<(), Failure> {
    let global = &cli.global;
    match &cli.command {
        Command::Home(args) => home::run(global, args, output),
        Command::Profile(command) => profile::run(global, command, output),
        Command::Exec(args) => exec::run(global, args, output),
        #[cfg(unix)]
        Command::Run(args) => run::run(global, args, output),
        Command::Sessions(command) => sessions::run(global, command, output),
        Command::ChatLog(args) => chat_log::run(global, args, output),
        Command::Search(args) => search::run(global, args, output),
        Command::Fts(command) => fts::run(command, output),
        Command::Doctor => doctor::run(global, output),
        Command::Db(command) => db::run(global, command, output),
        Command::Tools(command) => tools::run(global, command, output),
        Command::Approve(command) => approve::run(global, command, output),
        Command::Rpc => rpc::run(global, output),
        Command::Quickstart(args) => quickstart::run(args, output),
        Command::Completions { shell } => completions::run(*shell, output),
    }
}
