//! JSON lines on standard input, answered one by one.

use std::io::{self, BufRead, Read};

use serde::Serialize;

use crate::failure::Failure;
use crate::json;
use crate::output::Output;

/// The longest line that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// A line that is not blank, without the blanks around it; or what is wrong with it.
pub(crate) type Line<'l> = Result<&'l [u8], &'static str>;

/// Writes an answer for each line, as soon as the line has come. Lines are counted from 1.
pub(crate) fn answer<A: Serialize>(
    output: &mut Output,
    mut answer: impl FnMut(u64, Line<'_>) -> Result<A, Failure>,
) -> Result<(), Failure> {
    output.stream()?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    let mut number = 0_u64;
    loop {
        line.clear();
        number += 1;
        let read = input
            .by_ref()
            .take(LONGEST)
            .read_until(b'\n', &mut line)
            .map_err(|error| {
                Failure::new(
                    "input",
                    format!("standard input cannot be read: {error}"),
                    "give one JSON value a line",
                )
            })?;
        if read == 0 {
            return Ok(());
        }
        let answer = if read as u64 == LONGEST && line.last() != Some(&b'\n') {
            skip_rest(&mut input)?;
            answer(number, Err("it is longer than 64 MiB"))?
        } else if line.trim_ascii().is_empty() {
            continue;
        } else {
            answer(number, Ok(line.trim_ascii()))?
        };
        json::object(output, &answer)?;
        // Whoever waits for this answer before they send the next line gets it.
        output.finish()?;
    }
}

fn skip_rest(input: &mut impl BufRead) -> Result<(), Failure> {
    loop {
        let buffer = input.fill_buf()?;
        let (end, length) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (true, at + 1),
            None => (buffer.is_empty(), buffer.len()),
        };
        input.consume(length);
        if end {
            return Ok(());
        }
    }
}
