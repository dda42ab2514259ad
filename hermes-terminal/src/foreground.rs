//! Commands that are waited for.

use std::sync::Arc;
use std::time::Duration;

use crate::attend::{Attendance, Attended, Cause};
use crate::bounded::BoundedOutput;
use crate::decode::StreamDecoder;
use crate::input::Input;
use crate::outcome::{INTERRUPTED, Outcome, TIMED_OUT};
use crate::request::Request;
use crate::terminal::{Running, Start, Terminal};
use crate::{Error, Result, notes, words};

impl Terminal {
    /// Runs a command to its end.
    ///
    /// That it fails, runs out of time, is interrupted or denied is an [`Outcome`].
    ///
    /// # Errors
    ///
    /// Requests that can't be: see [`Error`]. What kept the command from being started or watched.
    pub fn run(&self, task: &str, request: &Request) -> Result<Outcome> {
        self.run_with_output(task, request, |_| {})
    }

    /// The same, with all that the command writes as it comes: raw, unbounded, not cut between
    /// characters. While `on_output` waits, nobody attends to the command.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_with_output(
        &self,
        task: &str,
        request: &Request,
        on_output: impl FnMut(&[u8]),
    ) -> Result<Outcome> {
        if request.is_background() {
            return Err(Error::Misuse {
                what: "a background command is started, not run; use `start`",
            });
        }
        let timeout = self.timeout_of(request)?;
        let running = match self.start(task, request)? {
            Start::Running(running) => running,
            Start::Refused(outcome) => return Ok(*outcome),
        };
        self.attend(running, request, timeout, on_output)
    }

    fn timeout_of(&self, request: &Request) -> Result<Duration> {
        let limits = self.limits();
        match request.timeout {
            Some(asked) if asked > limits.max_timeout => Err(Error::TimeoutTooLong {
                asked,
                limit: limits.max_timeout,
            }),
            Some(asked) => Ok(asked),
            None => Ok(limits.default_timeout),
        }
    }

    fn attend(
        &self,
        mut running: Running,
        request: &Request,
        timeout: Duration,
        mut on_output: impl FnMut(&[u8]),
    ) -> Result<Outcome> {
        let mut decoder = StreamDecoder::new();
        let mut output = BoundedOutput::new(self.limits().output_chars);
        let first = running.take_first_input();
        let input = match &request.stdin_from {
            Some(source) => Input::passed_on(first, Arc::clone(source)),
            None => Input::given(first),
        };
        // Longer than any clock counts is for ever.
        let attendance = match running.started.checked_add(timeout) {
            Some(deadline) => Attendance::with(&input).until(deadline),
            None => Attendance::with(&input),
        };
        let attended = attendance
            .with_grace(self.limits().grace)
            .with_interrupt(request.interrupt.as_ref())
            .run(&mut *running.process, |bytes| {
                on_output(bytes);
                decoder.push(bytes, |part| output.push(part));
            });
        let duration = running.started.elapsed();
        let settled = running.settle();
        let attended = attended?;
        decoder.finish(|part| output.push(part));
        let mut outcome = Outcome {
            truncated: output.is_truncated(),
            output: output.into_text(),
            exit_code: exit_code(&attended),
            error: error(&attended, timeout),
            cwd: running.task_directory(),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            timed_out: attended.cause == Cause::TimedOut,
            notes: std::mem::take(&mut running.notes),
        };
        if attended.cause == Cause::Ended && outcome.exit_code != 0 {
            let commands = words::commands(request.command());
            outcome
                .notes
                .extend(notes::on_exit_code(&commands, outcome.exit_code));
        }
        if let Err(error) = settled {
            outcome.notes.push(format!(
                "what this command has changed for the next one could not be read: {error}"
            ));
        }
        if attended.left_behind {
            outcome.notes.push(
                "a process of this command still runs; what it writes from now on is lost, and it \
                 may end by that: start such processes in the background"
                    .to_owned(),
            );
        }
        Ok(outcome)
    }
}

fn exit_code(attended: &Attended) -> i32 {
    match (attended.cause, attended.exit) {
        (Cause::TimedOut, _) => TIMED_OUT,
        (Cause::Interrupted, _) => INTERRUPTED,
        (Cause::Ended, Some(exit)) => exit.code(),
        (Cause::Ended, None) => crate::outcome::NOT_STARTED,
    }
}

fn error(attended: &Attended, timeout: Duration) -> Option<String> {
    match attended.cause {
        Cause::Ended => None,
        Cause::TimedOut => Some(format!("timed out after {} s", timeout.as_secs_f64())),
        Cause::Interrupted => Some("interrupted".to_owned()),
    }
}
