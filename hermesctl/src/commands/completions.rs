//! `completions`: the script that makes a shell complete hermesctl's commands.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn run(shell: Shell, output: &mut Output) -> Result<(), Failure> {
    // Written to memory first: the generator panics when its output cannot be written.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hermesctl", &mut script);
    std::io::Write::write_all(output, &script)?;
    Ok(())
}
