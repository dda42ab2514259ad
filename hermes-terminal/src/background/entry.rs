//! One background process: what is known of it, shared by those who ask and the thread that attends.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::notification::{Notification, Notify};
use super::rolling::RollingOutput;
use super::watch::{Sighting, Watch};
use crate::Result;
use crate::attend::{Attended, Cause};
use crate::input::Input;
use crate::interrupt::Interrupt;

/// Characters of output in a list or a poll.
const PREVIEW: usize = 1_000;
/// Characters of output in a notification.
const TOLD: usize = 2_000;

/// What a background process is known by: `proc_` and twelve hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(String);

impl ProcessId {
    /// One that was given before.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub(super) fn random() -> Self {
        let number = rand::random::<u64>() >> 16;
        Self(format!("proc_{number:012x}"))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProcessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It does.
    Running,
    /// It has ended.
    Ended {
        /// Its exit code, 128 and the number of a signal; nothing if it can't be known, as with a
        /// process of an earlier run of this program.
        exit_code: Option<i32>,
        /// Why.
        reason: EndReason,
    },
}

/// Why a process has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndReason {
    /// By itself, or by a signal of somebody else.
    Exited,
    /// It was killed from here.
    Killed,
    /// It could not be attended to any more, and was killed therefore.
    Failed,
}

impl EndReason {
    /// A stable word for logs and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exited => "exited",
            Self::Killed => "killed",
            Self::Failed => "failed",
        }
    }
}

/// What is known of a process.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProcessInfo {
    /// Its id.
    pub id: ProcessId,
    /// The task it was started for.
    pub task: String,
    /// The command.
    pub command: String,
    /// Where it was started.
    pub directory: PathBuf,
    /// Its number on this machine.
    pub pid: Option<u32>,
    /// When it was started, in seconds since the epoch.
    pub started_at: f64,
    /// How long it has run, or did.
    pub uptime: Duration,
    /// Whether it runs.
    pub status: Status,
    /// Whether it was started by an earlier run of this program: its output can't be read, and it
    /// takes no input.
    pub detached: bool,
    /// Whether it runs on a terminal.
    pub on_terminal: bool,
    /// The last 1,000 characters of its output.
    pub output_preview: String,
    /// What whoever reads this should know.
    pub notes: Vec<String>,
}

/// What never changes.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) id: ProcessId,
    pub(super) task: String,
    pub(super) session_key: String,
    pub(super) command: String,
    pub(super) directory: PathBuf,
    pub(super) pid: Option<u32>,
    pub(super) start: Option<u64>,
    pub(super) started_at: f64,
    pub(super) detached: bool,
    /// The sign of the end of input, if it runs on a terminal.
    pub(super) terminal_sign: Option<u8>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) facts: Facts,
    pub(super) input: Input,
    /// Hangs up at the end.
    pub(super) done: Interrupt,
    started: Instant,
    state: Mutex<State>,
    /// Told of each part of the output, and of the end.
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    output: RollingOutput,
    watch: Option<Watch>,
    notify_on_complete: bool,
    end: Option<End>,
    notes: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct End {
    at: Instant,
    exit_code: Option<i32>,
    reason: EndReason,
}

/// What is to be told of a process.
#[derive(Debug, Default)]
pub(super) struct Interests {
    pub(super) notify_on_complete: bool,
    pub(super) watch: Option<Watch>,
}

impl Entry {
    pub(super) fn new(
        facts: Facts,
        input: Input,
        output_chars: usize,
        interests: Interests,
        notes: Vec<String>,
    ) -> Result<Self> {
        let age = super::clock::seconds_now() - facts.started_at;
        let age = Duration::try_from_secs_f64(age).unwrap_or_default();
        let now = Instant::now();
        Ok(Self {
            started: now.checked_sub(age).unwrap_or(now),
            state: Mutex::new(State {
                output: RollingOutput::new(output_chars, facts.terminal_sign.is_some()),
                watch: interests.watch,
                notify_on_complete: interests.notify_on_complete,
                end: None,
                notes,
            }),
            changed: Condvar::new(),
            facts,
            input,
            done: Interrupt::new()?,
        })
    }

    pub(super) fn info(&self) -> ProcessInfo {
        let state = self.state();
        ProcessInfo {
            id: self.facts.id.clone(),
            task: self.facts.task.clone(),
            command: self.facts.command.clone(),
            directory: self.facts.directory.clone(),
            pid: self.facts.pid,
            started_at: self.facts.started_at,
            uptime: match state.end {
                Some(end) => end.at.saturating_duration_since(self.started),
                None => self.started.elapsed(),
            },
            status: match state.end {
                None => Status::Running,
                Some(End {
                    exit_code, reason, ..
                }) => Status::Ended { exit_code, reason },
            },
            detached: self.facts.detached,
            on_terminal: self.facts.terminal_sign.is_some(),
            output_preview: state.output.tail(PREVIEW).to_owned(),
            notes: state.notes.clone(),
        }
    }

    pub(super) fn with_output<T>(&self, look: impl FnOnce(&mut RollingOutput) -> T) -> T {
        look(&mut self.state().output)
    }

    pub(super) fn add_note(&self, note: String) {
        self.state().notes.push(note);
    }

    pub(super) fn is_running(&self) -> bool {
        self.state().end.is_none()
    }

    /// When it ended, if it has.
    pub(super) fn ended_at(&self) -> Option<Instant> {
        self.state().end.map(|end| end.at)
    }

    /// What is to be told of it, for the list of processes.
    pub(super) fn interests(&self) -> (bool, Vec<String>) {
        let state = self.state();
        let watch = state.watch.as_ref().filter(|watch| !watch.is_off());
        let patterns = watch.map_or_else(Vec::new, |watch| watch.patterns().to_vec());
        (state.notify_on_complete, patterns)
    }

    /// Takes a part of its output.
    pub(super) fn take_output(&self, part: &str, notify: Option<&dyn Notify>) {
        let mut state = self.state();
        state.output.push(part);
        let sightings = match &mut state.watch {
            Some(watch) => watch.look(part, Instant::now()),
            None => Vec::new(),
        };
        let given_up = |sighting: &Sighting| matches!(sighting, Sighting::GivenUp { .. });
        if sightings.iter().any(given_up) {
            state.notify_on_complete = true;
        }
        // Whoever is told may ask for the process.
        drop(state);
        self.changed.notify_all();
        for sighting in sightings {
            self.tell(notify, self.notification_of(sighting));
        }
    }

    fn notification_of(&self, sighting: Sighting) -> Notification {
        let facts = &self.facts;
        let (id, task, command) = (facts.id.clone(), facts.task.clone(), facts.command.clone());
        match sighting {
            Sighting::Match {
                pattern,
                line,
                dropped,
            } => Notification::Matched {
                id,
                task,
                command,
                pattern,
                line,
                dropped,
            },
            Sighting::GivenUp { dropped } => Notification::WatchEnded {
                id,
                task,
                command,
                dropped,
            },
        }
    }

    /// Its end. Those who wait for it are woken later, by [`Entry::announce`].
    pub(super) fn finish(&self, attended: &Result<Attended>) {
        let (exit_code, reason) = match attended {
            Ok(attended) => {
                let code = attended.exit.map(crate::process::Exit::code);
                match attended.cause {
                    Cause::Ended => (code, EndReason::Exited),
                    Cause::Interrupted | Cause::TimedOut => (code, EndReason::Killed),
                }
            }
            Err(_) => (None, EndReason::Failed),
        };
        let mut state = self.state();
        state.watch = None;
        state.end = Some(End {
            at: Instant::now(),
            exit_code,
            reason,
        });
        match attended {
            Ok(attended) if attended.left_behind => state.notes.push(
                "something that it has started still runs; what that writes is not read any more"
                    .to_owned(),
            ),
            Ok(_) => {}
            Err(error) => state.notes.push(error.to_string()),
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until it has written something that nobody has asked for, or has ended.
    pub(super) fn await_output(&self, timeout: Duration) {
        let quiet = |state: &mut State| state.end.is_none() && !state.output.has_new();
        let waited = self
            .changed
            .wait_timeout_while(self.state(), timeout, quiet);
        drop(waited);
    }

    /// Wakes those who wait for the end, and tells those who wanted to be told.
    pub(super) fn announce(&self, notify: Option<&dyn Notify>) {
        let told = {
            let state = self.state();
            state.end.filter(|_| state.notify_on_complete).map(|end| {
                let facts = &self.facts;
                Notification::Ended {
                    id: facts.id.clone(),
                    task: facts.task.clone(),
                    command: facts.command.clone(),
                    exit_code: end.exit_code,
                    reason: end.reason,
                    output: state.output.tail(TOLD).to_owned(),
                }
            })
        };
        self.done.interrupt();
        if let Some(told) = told {
            self.tell(notify, told);
        }
    }

    fn tell(&self, notify: Option<&dyn Notify>, notification: Notification) {
        match notify {
            // A panic there must not end the thread that attends to the process.
            Some(notify) => {
                let told = catch_unwind(AssertUnwindSafe(|| notify.notify(notification)));
                if told.is_err() {
                    tracing::error!(id = %self.facts.id, "who is told of processes has panicked");
                }
            }
            None => {
                tracing::debug!(id = %self.facts.id, "nobody is told of background processes");
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
