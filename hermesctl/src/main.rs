//! `hermesctl`: search, list, show, export and import the sessions of a Hermes home.

mod cli;
mod commands;
mod confirm;
mod failure;
mod home;
mod interrupt;
mod json;
mod lines;
mod moment;
mod output;
mod progress;
mod query;
mod table;
mod text;
mod when;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output::Output;

/// Usage errors; clap's own 2 is left to commands that give it a meaning.
const EXIT_USAGE: u8 = 64;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    log_to_stderr(cli.global.verbose);
    let mut output = Output::new(cli.global.json, cli.global.color);
    let outcome = commands::run(&cli, &mut output).and_then(|()| Ok(output.finish()?));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough.
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) if failure.is_answer() => match output.finish() {
            Ok(()) => ExitCode::from(failure.exit()),
            Err(error) => report(&Failure::from(error).even_if_closed(), &mut output),
        },
        Err(failure) => report(&failure, &mut output),
    }
}

/// Help and the version are answers; anything else is a usage error.
fn usage(error: &clap::Error) -> ExitCode {
    let asked_for_json = std::env::args_os().any(|arg| arg == "--json");
    let is_error = error.use_stderr();
    if is_error && asked_for_json {
        let problem = error.to_string();
        let problem = problem
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ");
        let failure = Failure::new("usage", problem, "run `hermesctl help`").with_exit(EXIT_USAGE);
        return report(&failure, &mut Output::new(true, cli::Color::Never));
    }
    // Nothing is left to be done if the terminal is gone.
    let _ = error.print();
    ExitCode::from(if is_error { EXIT_USAGE } else { 0 })
}

fn report(failure: &Failure, output: &mut Output) -> ExitCode {
    output.failure(failure);
    ExitCode::from(failure.exit())
}

fn log_to_stderr(verbose: u8) {
    use tracing_subscriber::filter::LevelFilter;
    let level = match verbose {
        // What a person must know is said as a remark; the log is for those who ask.
        0 => LevelFilter::ERROR,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .with_target(verbose > 1)
        .init();
}
