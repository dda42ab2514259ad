//! Asking before something is destroyed.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::failure::Failure;

/// Asks on the terminal. Without one, only the caller's `--yes` will do.
pub(crate) fn confirm(question: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::new(
            "confirmation_needed",
            format!("{question} There is no terminal to ask on"),
            "run it again with --yes if that is what you want",
        )
        .with_exit(crate::EXIT_USAGE));
    }
    let mut terminal = io::stderr();
    write!(terminal, "{question} [y/N] ")?;
    terminal.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
        return Ok(());
    }
    Err(Failure::new(
        "not_confirmed",
        "nothing was done",
        "answer y to go on",
    ))
}
