//! Runs the commands that it is given, one after the other, as one task:
//!
//! ```text
//! cargo run -p hermes-terminal --example session -- 'cd /tmp' 'export A=1' 'echo $A in $PWD'
//! ```

use std::process::ExitCode;
use std::sync::Arc;

use hermes_home::Environment;
use hermes_terminal::{Approval, Gate, GateRequest, Local, Request, Terminal};

/// Lets nothing pass that removes.
#[derive(Debug)]
struct NothingIsRemoved;

impl Gate for NothingIsRemoved {
    fn approve(&self, asked: &GateRequest<'_>) -> Approval {
        if asked.command.split_whitespace().any(|word| word == "rm") {
            return Approval::Denied {
                message: format!(
                    "not in {}: nothing is removed here",
                    asked.directory.display()
                ),
            };
        }
        Approval::Allowed { note: None }
    }
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let home = hermes_home::resolve(&Environment::from_process())?.home;
    let terminal = Terminal::builder()
        .environment(Arc::new(Local::new(home)?))
        .gate(Arc::new(NothingIsRemoved))
        .build()?;
    let mut exit = ExitCode::SUCCESS;
    for command in std::env::args().skip(1) {
        println!("$ {command}");
        let outcome = terminal.run("example", &Request::new(command))?;
        print!("{}", outcome.output);
        for line in outcome.error.iter().chain(&outcome.notes) {
            println!("# {line}");
        }
        println!(
            "# exit code {} in {} ms",
            outcome.exit_code, outcome.duration_ms
        );
        if outcome.exit_code != 0 {
            exit = ExitCode::FAILURE;
        }
    }
    Ok(exit)
}
