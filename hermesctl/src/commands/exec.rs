//! `exec`: a program with `HERMES_HOME` set to the home that is used.

use std::io;
use std::process::Command;

use crate::cli::{Exec, Global};
use crate::failure::Failure;
use crate::home;
use crate::output::Output;

/// What shells and `env` exit with when the program did not run.
const EXIT_OURS: u8 = 125;
const EXIT_DENIED: u8 = 126;
const EXIT_NOT_FOUND: u8 = 127;

pub(crate) fn run(global: &Global, args: &Exec, output: &mut Output) -> Result<(), Failure> {
    let hermes = home::resolve(global, output).map_err(|failure| failure.with_exit(EXIT_OURS))?;
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(
            Failure::new("usage", "no program is named", "name one behind --")
                .with_exit(crate::EXIT_USAGE),
        );
    };
    let mut command = Command::new(program);
    command.args(arguments);
    hermes.home().prepare_child(&mut command);
    output.finish()?;
    let error = become_program(&mut command);
    let exit = match error.kind() {
        io::ErrorKind::NotFound => EXIT_NOT_FOUND,
        io::ErrorKind::PermissionDenied => EXIT_DENIED,
        _ => EXIT_OURS,
    };
    Err(Failure::new(
        "exec",
        format!("{} cannot be run: {error}", program.to_string_lossy()),
        "check its name and the PATH",
    )
    .with_exit(exit))
}

/// The program takes the place of this one, with its signals, its terminal and its exit code.
#[cfg(unix)]
fn become_program(command: &mut Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(i32::from(EXIT_OURS))),
        Err(error) => error,
    }
}
