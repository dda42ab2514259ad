//! JSON lines, read one by one and answered.

use std::io::{self, BufRead, BufReader, Read};

use serde::Serialize;

use crate::failure::Failure;
use crate::json;
use crate::output::Output;

/// The longest line that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// A line that is not blank, without the blanks around it; or what is wrong with it.
pub(crate) type Line<'l> = Result<&'l [u8], &'static str>;

/// Bytes that are read at a time, if that many are there.
const AT_A_TIME: usize = 256 << 10;

/// Lines as they come, counted from 1; blank ones are passed over.
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    number: u64,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines {
            input: BufReader::with_capacity(AT_A_TIME, input),
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line with its number, or `None` at the end of the input.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Line<'_>)>, Failure> {
        loop {
            self.line.clear();
            self.number += 1;
            let mut part = self.input.by_ref().take(LONGEST);
            let read = part.read_until(b'\n', &mut self.line).map_err(|error| {
                Failure::new(
                    "input",
                    format!("the input cannot be read: {error}"),
                    "give one JSON value a line",
                )
            })?;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 == LONGEST && self.line.last() != Some(&b'\n') {
                self.input.skip_until(b'\n')?;
                return Ok(Some((self.number, Err("it is longer than 64 MiB"))));
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some((self.number, Ok(self.line.trim_ascii()))));
            }
        }
    }

    /// Whether a whole line has come already.
    pub(crate) fn more_is_there(&self) -> bool {
        self.input.buffer().contains(&b'\n')
    }
}

/// Writes an answer for each line of standard input, as soon as the line has come.
pub(crate) fn answer<A: Serialize>(
    output: &mut Output,
    mut answer: impl FnMut(u64, Line<'_>) -> Result<A, Failure>,
) -> Result<(), Failure> {
    output.stream()?;
    let mut lines = Lines::new(io::stdin().lock());
    while let Some((number, line)) = lines.next()? {
        let answer = answer(number, line)?;
        json::object(output, &answer)?;
        // Whoever waits for this answer before they send the next line gets it.
        output.finish()?;
    }
    Ok(())
}
