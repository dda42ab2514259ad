//! Being there while a command runs: its output is read, its input written, and when its time is
//! over, or somebody says so, it is ended with all that it has started.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use crate::interrupt::Interrupt;
use crate::process::{Exit, Process, Signal};
use crate::{Error, Result};

/// How long after the end of the shell output is waited for that has not come yet.
const QUIET: Duration = Duration::from_millis(100);
/// How long output may go on after the end of the shell.
const DRAIN: Duration = Duration::from_secs(1);
/// How often to look whether what was asked to end has done so.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// How long the kernel may take to end what was killed.
const KILLED: Duration = Duration::from_secs(2);
/// As much as a pipe holds.
const PIECE: usize = 64 * 1024;

/// What to do while a command runs.
#[derive(Debug)]
pub(crate) struct Attendance<'a> {
    deadline: Instant,
    grace: Duration,
    interrupt: Option<&'a Interrupt>,
    stdin: Vec<u8>,
}

/// Why a command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Ended,
    TimedOut,
    Interrupted,
}

/// How a command has ended.
#[derive(Debug)]
pub(crate) struct Attended {
    pub(crate) cause: Cause,
    /// Nothing if not even killing ended it in time.
    pub(crate) exit: Option<Exit>,
    /// Whether something still holds its output.
    pub(crate) left_behind: bool,
}

impl<'a> Attendance<'a> {
    pub(crate) fn until(deadline: Instant) -> Self {
        Self {
            deadline,
            grace: Duration::from_secs(2),
            interrupt: None,
            stdin: Vec::new(),
        }
    }

    pub(crate) fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    pub(crate) fn with_interrupt(mut self, interrupt: Option<&'a Interrupt>) -> Self {
        self.interrupt = interrupt;
        self
    }

    pub(crate) fn with_stdin(mut self, stdin: Vec<u8>) -> Self {
        self.stdin = stdin;
        self
    }

    /// Stays until the end. If it can't, nothing is left running.
    pub(crate) fn run(
        self,
        process: &mut dyn Process,
        on_output: impl FnMut(&[u8]),
    ) -> Result<Attended> {
        let attended = Attending::new(self, process, on_output).and_then(Attending::run);
        if attended.is_err()
            && let Err(error) = process.signal(Signal::Kill)
        {
            tracing::warn!(%error, "a command could be neither attended nor killed");
        }
        attended
    }
}

/// Where in its end a command is.
#[derive(Debug, Clone, Copy)]
enum Phase {
    Running,
    /// Asked to end until then; afterwards it is killed.
    Asked {
        until: Instant,
        cause: Cause,
    },
    Killed {
        until: Instant,
        cause: Cause,
    },
    /// The shell has ended; output that is late is read.
    Draining {
        until: Instant,
        quiet: Instant,
        cause: Cause,
    },
    Over {
        cause: Cause,
    },
}

struct Attending<'a, F> {
    plan: Attendance<'a>,
    process: &'a mut dyn Process,
    output: Option<File>,
    stdin: Option<File>,
    written: usize,
    on_output: F,
    buffer: Vec<u8>,
    has_ended: bool,
    phase: Phase,
}

/// What happened in one wait.
#[derive(Debug, Clone, Copy, Default)]
struct Ready {
    output: bool,
    stdin: bool,
    ended: bool,
    interrupted: bool,
}

impl<'a, F: FnMut(&[u8])> Attending<'a, F> {
    fn new(plan: Attendance<'a>, process: &'a mut dyn Process, on_output: F) -> Result<Self> {
        let stdin = process.take_stdin().filter(|_| !plan.stdin.is_empty());
        let stdin = stdin.map(non_blocking).transpose()?;
        Ok(Self {
            output: process.take_output().map(File::from),
            plan,
            process,
            stdin,
            written: 0,
            on_output,
            buffer: vec![0; PIECE],
            has_ended: false,
            phase: Phase::Running,
        })
    }

    fn run(mut self) -> Result<Attended> {
        loop {
            self.advance(Instant::now())?;
            if let Phase::Over { cause } = self.phase {
                return Ok(Attended {
                    cause,
                    exit: self.process.try_wait()?,
                    left_behind: self.output.is_some(),
                });
            }
            let ready = self.wait()?;
            if ready.output {
                self.read()?;
            }
            if ready.stdin {
                self.write()?;
            }
            self.has_ended |= ready.ended;
            if ready.interrupted && matches!(self.phase, Phase::Running) && !self.has_ended {
                self.ask(Cause::Interrupted, Instant::now())?;
            }
        }
    }

    /// Goes on to the next phase, if it is time.
    fn advance(&mut self, now: Instant) -> Result<()> {
        match self.phase {
            Phase::Running if self.has_ended => self.drain(Cause::Ended, now),
            Phase::Running if now >= self.plan.deadline => self.ask(Cause::TimedOut, now)?,
            Phase::Asked { until, cause } => {
                if now >= until {
                    self.kill(cause, now)?;
                } else if self.has_ended && !self.process.is_alive()? {
                    self.drain(cause, now);
                }
            }
            Phase::Killed { until, cause } => {
                if self.has_ended {
                    self.drain(cause, now);
                } else if now >= until {
                    self.phase = Phase::Over { cause };
                }
            }
            _ => {}
        }
        if let Phase::Draining {
            until,
            quiet,
            cause,
        } = self.phase
            && (self.output.is_none() || now >= until.min(quiet))
        {
            self.phase = Phase::Over { cause };
        }
        Ok(())
    }

    fn drain(&mut self, cause: Cause, now: Instant) {
        self.stdin = None;
        self.phase = Phase::Draining {
            until: now + DRAIN,
            quiet: now + QUIET,
            cause,
        };
    }

    fn ask(&mut self, cause: Cause, now: Instant) -> Result<()> {
        self.stdin = None;
        self.process.signal(Signal::Terminate)?;
        self.phase = Phase::Asked {
            until: now + self.plan.grace,
            cause,
        };
        Ok(())
    }

    fn kill(&mut self, cause: Cause, now: Instant) -> Result<()> {
        self.process.signal(Signal::Kill)?;
        self.phase = Phase::Killed {
            until: now + KILLED,
            cause,
        };
        Ok(())
    }

    fn wait(&self) -> Result<Ready> {
        let ended = self.process.ended();
        let mut places = Vec::with_capacity(4);
        let mut what = Vec::with_capacity(4);
        if let Some(output) = &self.output {
            places.push(PollFd::new(output, PollFlags::IN));
            what.push(Place::Output);
        }
        if let Some(stdin) = &self.stdin {
            places.push(PollFd::new(stdin, PollFlags::OUT));
            what.push(Place::Stdin);
        }
        if !self.has_ended {
            places.push(PollFd::from_borrowed_fd(ended, PollFlags::IN));
            what.push(Place::Ended);
        }
        if let (Phase::Running, Some(interrupt)) = (self.phase, self.plan.interrupt) {
            places.push(PollFd::from_borrowed_fd(
                interrupt.descriptor(),
                PollFlags::IN,
            ));
            what.push(Place::Interrupt);
        }
        let timeout = Timespec::try_from(self.time_left()).ok();
        match poll(&mut places, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Error::io("waiting for a command")(error.into())),
        }
        let mut ready = Ready::default();
        for (place, what) in places.iter().zip(what) {
            let happened = !place.revents().is_empty();
            match what {
                Place::Output => ready.output = happened,
                Place::Stdin => ready.stdin = happened,
                Place::Ended => ready.ended = happened,
                Place::Interrupt => ready.interrupted = happened,
            }
        }
        Ok(ready)
    }

    fn time_left(&self) -> Duration {
        let until = match self.phase {
            Phase::Running => self.plan.deadline,
            Phase::Asked { .. } if self.has_ended => Instant::now() + LOOK_AGAIN,
            Phase::Asked { until, .. } | Phase::Killed { until, .. } => until,
            Phase::Draining { until, quiet, .. } => until.min(quiet),
            Phase::Over { .. } => return Duration::ZERO,
        };
        until.saturating_duration_since(Instant::now())
    }

    fn read(&mut self) -> Result<()> {
        let Some(output) = &mut self.output else {
            return Ok(());
        };
        match output.read(&mut self.buffer) {
            Ok(0) => self.output = None,
            Ok(count) => {
                (self.on_output)(self.buffer.get(..count).unwrap_or_default());
                if let Phase::Draining { quiet, .. } = &mut self.phase {
                    *quiet = Instant::now() + QUIET;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("reading the output of a command")(error)),
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Ok(());
        };
        let rest = self.plan.stdin.get(self.written..).unwrap_or_default();
        match stdin.write(rest) {
            Ok(count) => {
                self.written += count;
                if self.written >= self.plan.stdin.len() {
                    self.stdin = None;
                }
            }
            Err(error) => match error.kind() {
                ErrorKind::Interrupted | ErrorKind::WouldBlock => {}
                // It does not want to read it all.
                ErrorKind::BrokenPipe => self.stdin = None,
                _ => return Err(Error::io("writing to a command")(error)),
            },
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Output,
    Stdin,
    Ended,
    Interrupt,
}

/// So that a command that does not read can't hold up whoever writes.
fn non_blocking(stdin: OwnedFd) -> Result<File> {
    let set = || {
        let flags = fcntl_getfl(stdin.as_fd())?;
        fcntl_setfl(stdin.as_fd(), flags | OFlags::NONBLOCK)
    };
    set().map_err(|error| Error::io("preparing the input of a command")(error.into()))?;
    Ok(File::from(stdin))
}
