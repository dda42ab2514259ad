//! Being there while a command runs: its output is read, its input written, and when its time is
//! over, or somebody says so, it is ended with all that it has started.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::input::{Input, set_non_blocking};
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
const WAITING: &str = "waiting for a command";
/// As much as a pipe holds.
const PIECE: usize = 64 * 1024;

/// What to do while a command runs.
#[derive(Debug)]
pub(crate) struct Attendance<'a> {
    deadline: Option<Instant>,
    grace: Duration,
    interrupt: Option<&'a Interrupt>,
    input: &'a Input,
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
    /// For as long as it runs. What is written to it, and asked of it meanwhile, comes from `input`.
    pub(crate) fn with(input: &'a Input) -> Self {
        Self {
            deadline: None,
            grace: Duration::from_secs(2),
            interrupt: None,
            input,
        }
    }

    pub(crate) fn until(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    pub(crate) fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    pub(crate) fn with_interrupt(mut self, interrupt: Option<&'a Interrupt>) -> Self {
        self.interrupt = interrupt;
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
    /// Asked to end until then; afterwards it is killed. When its shell has ended, what is left is
    /// looked for again and again.
    Asked {
        until: Instant,
        look: Instant,
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
    source: bool,
    ended: bool,
    interrupted: bool,
    asked: bool,
}

impl<'a, F: FnMut(&[u8])> Attending<'a, F> {
    fn new(plan: Attendance<'a>, process: &'a mut dyn Process, on_output: F) -> Result<Self> {
        plan.input.signed(process.end_of_input());
        let stdin = process.take_stdin().filter(|_| !plan.input.is_over());
        let stdin = stdin.map(non_blocking).transpose()?;
        if stdin.is_none() {
            plan.input.refuse();
        }
        Ok(Self {
            output: process.take_output().map(File::from),
            plan,
            process,
            stdin,
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
            if ready.source {
                self.plan.input.take_from_source(&mut self.buffer);
                self.close_if_over();
            }
            self.has_ended |= ready.ended;
            let end = ready.asked && self.obey()?;
            let may_be_asked = matches!(self.phase, Phase::Running) && !self.has_ended;
            if (ready.interrupted || end) && may_be_asked {
                self.ask(Cause::Interrupted, Instant::now())?;
            }
        }
    }

    /// Goes on to the next phase, if it is time.
    fn advance(&mut self, now: Instant) -> Result<()> {
        match self.phase {
            Phase::Running if self.has_ended => self.drain(Cause::Ended, now),
            Phase::Running if self.plan.deadline.is_some_and(|deadline| now >= deadline) => {
                self.ask(Cause::TimedOut, now)?;
            }
            Phase::Asked { until, cause, .. } if now >= until => self.kill(cause, now)?,
            Phase::Asked { until, look, cause } if self.has_ended && now >= look => {
                if self.process.is_alive()? {
                    let look = Instant::now() + LOOK_AGAIN;
                    self.phase = Phase::Asked { until, look, cause };
                } else {
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

    /// Whether its end is asked for.
    fn obey(&mut self) -> Result<bool> {
        let orders = self.plan.input.orders();
        if let Some(size) = orders.resize
            && let Err(error) = self.process.resize(size)
        {
            tracing::warn!(%error, "a terminal keeps its size");
        }
        self.close_if_over();
        Ok(orders.end)
    }

    fn close_if_over(&mut self) {
        if self.plan.input.is_over() {
            self.stdin = None;
        }
    }

    fn no_more_input(&mut self) {
        self.stdin = None;
        self.plan.input.refuse();
    }

    fn drain(&mut self, cause: Cause, now: Instant) {
        self.no_more_input();
        self.phase = Phase::Draining {
            until: now + DRAIN,
            quiet: now + QUIET,
            cause,
        };
    }

    fn ask(&mut self, cause: Cause, now: Instant) -> Result<()> {
        self.no_more_input();
        self.process.signal(Signal::Terminate)?;
        self.phase = Phase::Asked {
            until: now + self.plan.grace,
            look: now,
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
        if let Some(stdin) = self.stdin.as_ref().filter(|_| self.plan.input.has_bytes()) {
            places.push(PollFd::new(stdin, PollFlags::OUT));
            what.push(Place::Stdin);
        }
        if let Some(source) = self.plan.input.source().filter(|_| self.stdin.is_some()) {
            places.push(PollFd::from_borrowed_fd(source, PollFlags::IN));
            what.push(Place::Source);
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
        if let Some(asked) = self.plan.input.descriptor() {
            places.push(PollFd::from_borrowed_fd(asked, PollFlags::IN));
            what.push(Place::Input);
        }
        poll_once(&mut places, self.time_left(), WAITING)?;
        let mut ready = Ready::default();
        for (place, what) in places.iter().zip(what) {
            let happened = !place.revents().is_empty();
            match what {
                Place::Output => ready.output = happened,
                Place::Stdin => ready.stdin = happened,
                Place::Source => ready.source = happened,
                Place::Ended => ready.ended = happened,
                Place::Interrupt => ready.interrupted = happened,
                Place::Input => ready.asked = happened,
            }
        }
        Ok(ready)
    }

    /// Nothing if only an event ends the wait.
    fn time_left(&self) -> Option<Duration> {
        let until = match self.phase {
            Phase::Running => self.plan.deadline?,
            Phase::Asked { until, look, .. } if self.has_ended => until.min(look),
            Phase::Asked { until, .. } | Phase::Killed { until, .. } => until,
            Phase::Draining { until, quiet, .. } => until.min(quiet),
            Phase::Over { .. } => return Some(Duration::ZERO),
        };
        Some(until.saturating_duration_since(Instant::now()))
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
            // Of a terminal: nobody has its other end any more.
            Err(error) if is_hang_up(&error) => self.output = None,
            Err(error) => return Err(Error::io("reading the output of a command")(error)),
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Ok(());
        };
        match self.plan.input.write_to(stdin) {
            Ok(()) => self.close_if_over(),
            Err(error) => match error.kind() {
                ErrorKind::Interrupted | ErrorKind::WouldBlock => {}
                // It does not want to read it all; a terminal says so in its own way.
                ErrorKind::BrokenPipe => self.no_more_input(),
                _ if is_hang_up(&error) => self.no_more_input(),
                _ => return Err(Error::io("writing to a command")(error)),
            },
        }
        Ok(())
    }
}

/// Whether something comes, or the end of it, before then.
pub(crate) fn is_readable_before(output: &OwnedFd, deadline: Instant) -> Result<bool> {
    let mut places = [PollFd::new(output, PollFlags::IN)];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        if poll_once(&mut places, Some(left), WAITING)? > 0 {
            return Ok(true);
        }
    }
}

/// At how many of these places something has happened; none if time, or a signal, ended the wait.
pub(crate) fn poll_once(
    places: &mut [PollFd<'_>],
    time: Option<Duration>,
    doing: &str,
) -> Result<usize> {
    // More than can be told is for ever.
    let timeout = time.and_then(|time| Timespec::try_from(time).ok());
    match poll(places, timeout.as_ref()) {
        Ok(count) => Ok(count),
        Err(Errno::INTR) => Ok(0),
        Err(error) => Err(Error::io(doing)(error.into())),
    }
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Output,
    Stdin,
    Source,
    Ended,
    Interrupt,
    Input,
}

fn is_hang_up(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(Errno::IO.raw_os_error())
}

/// So that a command that does not read can't hold up whoever writes.
fn non_blocking(stdin: OwnedFd) -> Result<File> {
    set_non_blocking(&stdin)
        .map_err(|error| Error::io("preparing the input of a command")(error.into()))?;
    Ok(File::from(stdin))
}
