//! The commands.

mod approve;
mod completions;
mod db;
mod exec;
mod home;
mod profile;
mod quickstart;
mod rpc;
mod search;
mod sessions;
mod tools;

use crate::cli::{Cli, Command, Db, Sessions};
use crate::failure::Failure;
use crate::output::Output;

/// Runs what was asked for.
pub(crate) fn run(cli: &Cli, output: &mut Output) -> Result<(), Failure> {
    let global = &cli.global;
    match &cli.command {
        Command::Home(args) => home::run(global, args, output),
        Command::Profile(command) => profile::run(global, command, output),
        Command::Exec(args) => exec::run(global, args, output),
        Command::Sessions(Sessions::List(args)) => sessions::list::run(global, args, output),
        Command::Sessions(Sessions::Show(args)) => sessions::show::run(global, args, output),
        Command::Sessions(Sessions::Export(args)) => sessions::export::run(global, args, output),
        Command::Sessions(Sessions::Import(args)) => sessions::import::run(global, args, output),
        Command::Search(args) => search::run(global, args, output),
        Command::Db(Db::Info(args)) => db::info(global, args, output),
        Command::Tools(command) => tools::run(global, command, output),
        Command::Approve(command) => approve::run(global, command, output),
        Command::Rpc => rpc::run(global, output),
        Command::Quickstart(args) => quickstart::run(args, output),
        Command::Completions { shell } => completions::run(*shell, output),
    }
}
