//! What can be done with background processes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use super::Processes;
use super::entry::{Entry, ProcessId, ProcessInfo};
use super::rolling::{Lines, NewOutput};
use crate::attend::poll_once;
use crate::environment::TerminalSize;
use crate::input::Refused;
use crate::interrupt::Interrupt;
use crate::{Error, Result};

/// The most characters of new output at once.
const NEW: usize = 20_000;
/// How much longer than its grace the end of a killed process may take.
const KILLED: Duration = Duration::from_secs(10);

/// How a process is doing.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Poll {
    /// What is known of it.
    pub info: ProcessInfo,
    /// What it has written since the last poll: at most 20,000 characters, the last ones.
    pub new_output: NewOutput,
}

/// What came of waiting.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Waited {
    /// What is known of it now.
    pub info: ProcessInfo,
    /// Whether the wait was ended by the interrupt.
    pub interrupted: bool,
}

impl Processes {
    /// All processes that are known, of one task or of all, the latest first.
    pub fn list(&self, task: Option<&str>) -> Vec<ProcessInfo> {
        let all = self.hub.table().all(Instant::now());
        all.iter()
            .filter(|entry| task.is_none_or(|task| entry.facts.task == task))
            .map(|entry| entry.info())
            .collect()
    }

    /// How a process is doing, and what it has written since the last poll.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`], here and below.
    pub fn poll(&self, id: &ProcessId) -> Result<Poll> {
        let entry = self.entry(id)?;
        let new_output = entry.with_output(|output| output.take_new(NEW));
        Ok(Poll {
            info: entry.info(),
            new_output,
        })
    }

    /// The same, as soon as it has written something since the last poll, or has ended; at the
    /// latest after this time. For programs that are talked to.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`].
    pub fn poll_within(&self, id: &ProcessId, timeout: Duration) -> Result<Poll> {
        self.entry(id)?.await_output(timeout);
        self.poll(id)
    }

    /// Lines of its output: so many from this one on, counted from 0 at the very beginning, or the
    /// last ones.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`].
    pub fn log(&self, id: &ProcessId, offset: Option<u64>, limit: u64) -> Result<Lines> {
        Ok(self
            .entry(id)?
            .with_output(|output| output.lines(offset, limit)))
    }

    /// The last characters of its output.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`].
    pub fn tail(&self, id: &ProcessId, chars: usize) -> Result<String> {
        Ok(self
            .entry(id)?
            .with_output(|output| output.tail(chars).to_owned()))
    }

    /// Waits for its end, at most this long.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`]; what kept it from being waited for.
    pub fn wait(
        &self,
        id: &ProcessId,
        timeout: Duration,
        interrupt: Option<&Interrupt>,
    ) -> Result<Waited> {
        let entry = self.entry(id)?;
        let interrupted = await_end(&entry, timeout, interrupt)?;
        Ok(Waited {
            info: entry.info(),
            interrupted,
        })
    }

    /// Ends it and all that it has started, and waits until that is done. One that has ended is
    /// left as it is.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`], [`Error::NotKilled`].
    pub fn kill(&self, id: &ProcessId) -> Result<ProcessInfo> {
        let entry = self.entry(id)?;
        entry.input.end();
        self.await_killed(&entry)?;
        Ok(entry.info())
    }

    /// Ends all processes, of one task or of all. Says which ran.
    ///
    /// # Errors
    ///
    /// [`Error::NotKilled`]; the others have been ended then all the same.
    pub fn kill_all(&self, task: Option<&str>) -> Result<Vec<ProcessId>> {
        let mut running = self.hub.table().all(Instant::now());
        running
            .retain(|entry| entry.is_running() && task.is_none_or(|task| entry.facts.task == task));
        for entry in &running {
            entry.input.end();
        }
        let ended: Result<Vec<()>> = running
            .iter()
            .map(|entry| self.await_killed(entry))
            .collect();
        ended?;
        Ok(running.iter().map(|entry| entry.facts.id.clone()).collect())
    }

    /// Writes to its input. Returns at once; what it does not read yet waits.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`], [`Error::NoInput`].
    pub fn write(&self, id: &ProcessId, text: &[u8]) -> Result<()> {
        let entry = self.entry(id)?;
        let taken = entry.input.write(text);
        taken.map_err(|refused| no_input(&entry, refused))
    }

    /// Writes a line to its input, as the Enter key sends it off.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`], [`Error::NoInput`].
    pub fn submit(&self, id: &ProcessId, line: &str) -> Result<()> {
        let entry = self.entry(id)?;
        let mut text = line.as_bytes().to_vec();
        // The key sends the one; a pipe has no key.
        text.push(match entry.facts.terminal_sign {
            Some(_) => b'\r',
            None => b'\n',
        });
        let taken = entry.input.write(&text);
        taken.map_err(|refused| no_input(&entry, refused))
    }

    /// Ends its input.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`], [`Error::NoInput`].
    pub fn close(&self, id: &ProcessId) -> Result<()> {
        let entry = self.entry(id)?;
        let taken = match entry.facts.detached {
            true => Err(Refused::NotRead),
            false => entry.input.close(entry.facts.terminal_sign),
        };
        taken.map_err(|refused| no_input(&entry, refused))
    }

    /// Changes the size of its terminal.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProcess`], [`Error::Misuse`] if it has none.
    pub fn resize(&self, id: &ProcessId, size: TerminalSize) -> Result<()> {
        let entry = self.entry(id)?;
        if entry.facts.terminal_sign.is_none() {
            return Err(Error::Misuse {
                what: "this process does not run on a terminal, so it has no size to change",
            });
        }
        entry.input.resize(size);
        Ok(())
    }

    pub(super) fn entry(&self, id: &ProcessId) -> Result<Arc<Entry>> {
        self.hub.table().get(id, Instant::now())
    }

    fn await_killed(&self, entry: &Entry) -> Result<()> {
        let grace = self.hub.terminal.limits().grace;
        await_end(entry, grace.saturating_add(KILLED), None)?;
        match entry.is_running() {
            true => Err(Error::NotKilled {
                id: entry.facts.id.to_string(),
            }),
            false => Ok(()),
        }
    }
}

fn no_input(entry: &Entry, refused: Refused) -> Error {
    let why = match refused {
        _ if !entry.is_running() => "it has ended",
        _ if entry.facts.detached => "it was started by an earlier run",
        Refused::Closed => "its input has been closed",
        Refused::NotRead => "it has closed its input",
        Refused::Full => "it does not read what it was given; give it time, or end it",
    };
    Error::NoInput {
        id: entry.facts.id.to_string(),
        why,
    }
}

/// Whether the interrupt ended the wait.
fn await_end(entry: &Entry, timeout: Duration, interrupt: Option<&Interrupt>) -> Result<bool> {
    let deadline = Instant::now().checked_add(timeout);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let mut places = vec![PollFd::from_borrowed_fd(
            entry.done.descriptor(),
            PollFlags::IN,
        )];
        places.extend(
            interrupt
                .map(|interrupt| PollFd::from_borrowed_fd(interrupt.descriptor(), PollFlags::IN)),
        );
        poll_once(&mut places, left, "waiting for a background process")?;
        let mut happened = places.iter().map(|place| !place.revents().is_empty());
        if happened.next() == Some(true) {
            return Ok(false);
        }
        if happened.next() == Some(true) {
            return Ok(true);
        }
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(false);
        }
    }
}
