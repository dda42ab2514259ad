//! `rpc`: the store for programs in any language, as JSON-RPC 2.0 over standard input and output.

mod arguments;
mod connection;
mod fault;
mod json;
mod methods;
mod protocol;
mod rows;

pub(super) use methods::message_of;

use std::io::{BufRead, Read, Write};

use crate::cli::Global;
use crate::commands::rpc::connection::Connection;
use crate::failure::Failure;
use crate::output::Output;

/// Bytes of the longest line that is taken.
const LONGEST_LINE: usize = 64 << 20;

/// Answers requests, one a line, until the input ends.
pub(crate) fn run(global: &Global, output: &mut Output) -> Result<(), Failure> {
    let mut connection = Connection::new(global.clone());
    let mut input = std::io::stdin().lock();
    output.stream()?;
    let mut line = Vec::new();
    while let Some(complete) = read_line(&mut input, &mut line)? {
        let answer = if complete {
            protocol::answer(&mut connection, &line)
        } else {
            Some(protocol::too_long(LONGEST_LINE))
        };
        if let Some(answer) = answer {
            output.write_all(answer.as_bytes())?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
    }
    Ok(())
}

/// Reads a line, without its end: whether it is complete, or `None` at the end of the input. One
/// that is too long is passed over.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<Option<bool>, Failure> {
    line.clear();
    let limit = u64::try_from(LONGEST_LINE + 1).unwrap_or(u64::MAX);
    let failed = |e: std::io::Error| {
        Failure::new(
            "input",
            format!("standard input cannot be read: {e}"),
            "check where it comes from",
        )
    };
    let mut part = input.take(limit);
    if part.read_until(b'\n', line).map_err(failed)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LONGEST_LINE {
        line.clear();
        input.skip_until(b'\n').map_err(failed)?;
        return Ok(Some(false));
    }
    Ok(Some(true))
}
