//! Developer commands of this workspace: `cargo xtask help` lists them.
//!
//! `cargo xtask ci` is the one gate: a change is ready when it passes, and it is what CI runs. The
//! other commands are single steps of it, or measure things that a gate must not depend on.

mod bench;
mod ci;
mod client;
mod crash;
mod deny;
mod deps;
mod each_alone;
mod error;
mod fuzz;
mod layers;
mod license;
mod outside;
mod packaging;
mod parity;
mod policy;
mod process;
mod random;
mod tidy;
mod workspace;

use std::process::ExitCode;

use error::{Error, Result};
use workspace::Workspace;

/// One developer command: its name, its arguments, what it does, and the function that does it.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&Workspace, &[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "ci",
        arguments: "[--install] [--keep-going] [--list] [STEP…]",
        about: "every check, as CI runs them; or the named steps only",
        run: ci::command,
    },
    Command {
        name: "tidy",
        arguments: "",
        about: "house rules that no compiler checks",
        run: tidy::command,
    },
    Command {
        name: "deps",
        arguments: "[--write]",
        about: "licences, duplicate versions, layers; --write makes deny.toml anew",
        run: deps::command,
    },
    Command {
        name: "bench",
        arguments: "[--list] [--plot] [AREA…]",
        about: "measurements of the release build; --plot draws searches of stores up to a million messages",
        run: bench::command,
    },
    Command {
        name: "crash",
        arguments: "[--kills N] [--seconds N] [--seed N]",
        about: "kills writers of one store at random moments, then lets many work on one at once",
        run: crash::command,
    },
    Command {
        name: "fuzz",
        arguments: "[--list] [--seconds N] [TARGET…]",
        about: "lets libFuzzer look for texts that break the crates; wants a C++ compiler",
        run: fuzz::command,
    },
    Command {
        name: "parity",
        arguments: "[--list] [--seed N] [--ops N] [COMPARISON…]",
        about: "compares with real Hermes Agent releases, where Python can run them",
        run: parity::command,
    },
];

/// Exit code of a command line that is not understood (`EX_USAGE`), as in `hermesctl`.
const USAGE: u8 = 64;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "help".to_owned());
    let rest: Vec<String> = arguments.collect();
    if matches!(name.as_str(), "help" | "--help" | "-h")
        || rest.iter().any(|a| a == "--help" || a == "-h")
    {
        print!("{}", help());
        return ExitCode::SUCCESS;
    }
    let outcome = match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => Workspace::load().and_then(|ws| (command.run)(&ws, &rest)),
        None => Err(Error::usage(format!("there is no command {name:?}"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Usage(what)) => {
            eprintln!("error: {what}\n\n{}", help());
            ExitCode::from(USAGE)
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let mut text = String::from("Developer commands of this workspace\n\n");
    for command in COMMANDS {
        let call = format!("{} {}", command.name, command.arguments);
        text.push_str(&format!("  cargo xtask {call:<48} {}\n", command.about));
    }
    text.push_str("  cargo xtask help\n\nCONTRIBUTING.md says when to use which.\n");
    text
}
