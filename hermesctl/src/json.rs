//! JSON for programs: one object a command, long lists written as they come, a row a line.

use std::io::Write;

use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;

/// Writes `value` and a line break.
pub(crate) fn object(output: &mut Output, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *output, value)?;
    Ok(output.write_all(b"\n")?)
}

/// Writes a list of rows, one a line, inside an object that the caller began.
pub(crate) struct Rows {
    first: bool,
}

impl Rows {
    /// Begins the list under a key; `before` is what precedes it, such as `{`.
    pub(crate) fn begin(output: &mut Output, before: &str, key: &str) -> Result<Rows, Failure> {
        write!(output, "{before}\"{key}\": [")?;
        Ok(Rows { first: true })
    }

    pub(crate) fn push(
        &mut self,
        output: &mut Output,
        row: &impl Serialize,
    ) -> Result<(), Failure> {
        output.write_all(if self.first { b"\n" } else { b",\n" })?;
        self.first = false;
        Ok(serde_json::to_writer(&mut *output, row)?)
    }

    /// Ends the list; `after` is what follows it, such as `}`.
    pub(crate) fn end(self, output: &mut Output, after: &str) -> Result<(), Failure> {
        let close = if self.first { "]" } else { "\n]" };
        Ok(writeln!(output, "{close}{after}")?)
    }
}
