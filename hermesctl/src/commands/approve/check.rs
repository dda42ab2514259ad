//! `approve check`: one verdict, told by the exit code.

use hermes_kit::approval::{Decision, assess};

use super::command_text::joined;
use super::shown;
use crate::cli::{Check, Global};
use crate::failure::Failure;
use crate::json;
use crate::output::Output;

const EXIT_ASK: u8 = 2;
const EXIT_BLOCK: u8 = 3;

pub(super) fn run(global: &Global, args: &Check, output: &mut Output) -> Result<(), Failure> {
    let platform = super::platform(args.reading.platform);
    let env = super::env(global, &args.reading, output)?;
    let command = joined(&args.command, platform);
    let verdict = assess(&command, &env, platform);
    if output.json() {
        json::object(output, &shown::object(&verdict)?)?;
    } else {
        output.line(shown::word(verdict.decision, output))?;
        shown::facts(&verdict, output)?;
    }
    output.finish()?;
    match verdict.decision {
        Decision::Allow => Ok(()),
        Decision::Ask => Err(Failure::answer(EXIT_ASK)),
        Decision::Block => Err(Failure::answer(EXIT_BLOCK)),
    }
}
