//! A child of this process, with everything that it has started.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::attend::is_readable_before;
use crate::environment::TerminalSize;
use crate::process::{Exit, Process, Signal};
use crate::tree::Tree;
use crate::{Error, Result};

/// A child that leads a session of its own.
#[derive(Debug)]
pub struct ChildProcess {
    pid: Pid,
    /// How it has ended, once it has been reaped.
    exit: Option<Exit>,
    tree: Tree,
    ended: OwnedFd,
    output: Option<OwnedFd>,
    input: Option<OwnedFd>,
    terminal: Option<OwnedFd>,
}

/// What a terminal takes for the end of the input: Ctrl-D.
const END_OF_INPUT: u8 = 4;

/// Our ends of a child's pipes, or of its terminal.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) output: OwnedFd,
    pub(crate) input: Option<OwnedFd>,
    /// The near end of the terminal that it runs on.
    pub(crate) terminal: Option<OwnedFd>,
}

impl ChildProcess {
    pub(crate) fn new(
        pid: Pid,
        ends: Ends,
        marker: Option<(OsString, OsString)>,
    ) -> io::Result<Self> {
        let ended = match end_of(pid) {
            Ok(ended) => ended,
            Err(error) => {
                // It can't be watched, so it must not run.
                rustix::process::kill_process_group(pid, rustix::process::Signal::KILL)?;
                rustix::process::waitpid(Some(pid), WaitOptions::empty())?;
                return Err(error);
            }
        };
        Ok(Self {
            pid,
            exit: None,
            tree: Tree::of(pid, marker),
            ended,
            output: Some(ends.output),
            input: ends.input,
            terminal: ends.terminal,
        })
    }
}

/// How often to look whether a program passes on what its terminal gets.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

impl ChildProcess {
    /// Waits until it has told its terminal to keep nothing to itself, or has ended.
    pub(crate) fn await_passing_on(&self, deadline: Instant) -> Result<()> {
        let failed = || Error::io("looking at the modes of a terminal");
        let Some(terminal) = &self.terminal else {
            return Ok(());
        };
        loop {
            let modes = tcgetattr(terminal).map_err(|error| failed()(error.into()))?;
            let passes_on = !modes.local_modes.contains(LocalModes::ICANON);
            let now = Instant::now();
            let until = deadline.min(now + LOOK_AGAIN);
            if passes_on || now >= deadline || is_readable_before(&self.ended, until)? {
                return Ok(());
            }
        }
    }
}

/// Nobody else will: it would stay a zombie.
impl Drop for ChildProcess {
    fn drop(&mut self) {
        if let Err(error) = self.try_wait() {
            tracing::warn!(%error, "a command could not be waited for");
        }
    }
}

impl Process for ChildProcess {
    fn pid(&self) -> Option<u32> {
        u32::try_from(self.pid.as_raw_nonzero().get()).ok()
    }

    fn take_output(&mut self) -> Option<OwnedFd> {
        self.output.take()
    }

    fn take_stdin(&mut self) -> Option<OwnedFd> {
        self.input.take()
    }

    fn ended(&self) -> BorrowedFd<'_> {
        self.ended.as_fd()
    }

    fn try_wait(&mut self) -> Result<Option<Exit>> {
        if self.exit.is_some() {
            return Ok(self.exit);
        }
        let waited = rustix::process::waitpid(Some(self.pid), WaitOptions::NOHANG)
            .map_err(|error| Error::io("waiting for a command")(error.into()))?;
        let Some((_, status)) = waited else {
            return Ok(None);
        };
        self.exit = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Some(Exit::Code(code)),
            (None, Some(signal)) => Some(Exit::Signal(signal)),
            (None, None) => None,
        };
        if self.exit.is_some() {
            self.tree.leader_is_gone();
        }
        Ok(self.exit)
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        // The leader can't be reaped meanwhile, which would free its number for somebody else: that
        // takes `&mut self`.
        self.tree.signal(signal)
    }

    fn is_alive(&self) -> Result<bool> {
        self.tree.is_alive()
    }

    fn end_of_input(&self) -> Option<u8> {
        self.terminal.as_ref().map(|_| END_OF_INPUT)
    }

    fn resize(&self, size: TerminalSize) -> Result<()> {
        let Some(terminal) = &self.terminal else {
            return Err(Error::Misuse {
                what: "this command does not run on a terminal, so it has no size to change",
            });
        };
        let size = Winsize {
            ws_row: size.rows,
            ws_col: size.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(terminal, size)
            .map_err(|error| Error::io("changing the size of a terminal")(error.into()))
    }
}

/// Readable when the child has ended; it stays a zombie until it is waited for.
#[cfg(target_os = "linux")]
fn end_of(pid: Pid) -> io::Result<OwnedFd> {
    match rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => watched(pid),
        ended => Ok(ended?),
    }
}

#[cfg(not(target_os = "linux"))]
fn end_of(pid: Pid) -> io::Result<OwnedFd> {
    watched(pid)
}

/// The same by a thread that waits.
fn watched(pid: Pid) -> io::Result<OwnedFd> {
    let (reader, writer) = io::pipe()?;
    std::thread::Builder::new()
        .name("hermes-terminal-wait".to_owned())
        .spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) =
                rustix::process::waitid(WaitId::Pid(pid), options)
            {}
            drop(writer);
        })?;
    Ok(reader.into())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_thread_tells_of_the_end_where_the_system_cannot() {
        let mut child = Command::new("sleep").arg("0.05").spawn().unwrap();
        let pid = Pid::from_child(&child);
        let ended = watched(pid).unwrap();
        let mut byte = [0];
        assert_eq!(rustix::io::read(&ended, &mut byte), Ok(0));
        assert!(child.try_wait().unwrap().unwrap().success());
    }
}
