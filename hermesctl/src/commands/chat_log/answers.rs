//! What is said while a conversation is recorded.

use std::io;

use hermes_kit::state::MessageId;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::Output;
use crate::text::one_line;

/// Bad lines that are named to a person.
const SHOWN: u64 = 20;

/// Tells of the session, and of each line. A reader who has gone does not end the recording.
pub(super) struct Answers<'o> {
    output: &'o mut Output,
    acknowledge: bool,
    gone: bool,
}

impl<'o> Answers<'o> {
    pub(super) fn new(output: &'o mut Output, acknowledge: bool) -> Result<Self, Failure> {
        if acknowledge {
            output.stream()?;
        }
        Ok(Answers {
            output,
            acknowledge,
            gone: false,
        })
    }

    /// The session is there.
    pub(super) fn session(&mut self, id: &str) -> Result<(), Failure> {
        if self.acknowledge || self.output.json() {
            return Ok(());
        }
        let said = self.output.fact("session", one_line(id));
        self.said(said)
    }

    /// These lines are stored for good.
    pub(super) fn stored(
        &mut self,
        session: &str,
        stored: impl IntoIterator<Item = (u64, MessageId)>,
    ) -> Result<(), Failure> {
        if !self.acknowledge || self.gone {
            return Ok(());
        }
        let said = stored.into_iter().try_for_each(|(line, id)| {
            let answer = json!({"line": line, "session_id": session, "id": id});
            self.output.line(answer)
        });
        self.said(said)
    }

    /// This line is not. `number` counts such lines from 1.
    pub(super) fn refused(&mut self, line: u64, problem: &str, number: u64) -> Result<(), Failure> {
        if self.acknowledge && !self.gone {
            let answer: Value = json!({"line": line, "error": problem});
            let said = self.output.line(answer);
            return self.said(said);
        }
        if number <= SHOWN {
            self.output
                .remark(format_args!("line {line}: {}", one_line(problem)));
        } else if number == SHOWN + 1 {
            self.output.remark("further bad lines are only counted");
        }
        Ok(())
    }

    /// Sends off what was said.
    fn said(&mut self, outcome: io::Result<()>) -> Result<(), Failure> {
        match outcome.and_then(|()| self.output.finish()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(())
            }
            outcome => Ok(outcome?),
        }
    }
}
