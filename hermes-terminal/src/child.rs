//! A child of this process, with everything that it has started.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::sync::{Mutex, PoisonError};

use process_wrap::std::ChildWrapper;
use rustix::process::{Pid, WaitId, WaitIdOptions};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::environment::TerminalSize;
use crate::process::{Exit, Process, Signal};
use crate::tree::Tree;
use crate::{Error, Result};

/// A child that leads a session of its own.
#[derive(Debug)]
pub struct ChildProcess {
    child: Mutex<Child>,
    tree: Tree,
    pid: u32,
    ended: OwnedFd,
    output: Option<OwnedFd>,
    stdin: Option<OwnedFd>,
    terminal: Option<OwnedFd>,
}

/// What a terminal takes for the end of the input: Ctrl-D.
const END_OF_INPUT: u8 = 4;

#[derive(Debug)]
struct Child {
    inner: Box<dyn ChildWrapper>,
    exit: Option<Exit>,
}

impl ChildProcess {
    pub(crate) fn new(
        child: Box<dyn ChildWrapper>,
        output: OwnedFd,
        stdin: Option<OwnedFd>,
        marker: Option<(OsString, OsString)>,
    ) -> io::Result<Self> {
        let mut child = child.into_inner();
        let id = child.id();
        let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("a child without a process id"))?;
        let ended = match end_of(pid) {
            Ok(ended) => ended,
            Err(error) => {
                // It can't be watched, so it must not run.
                child.kill()?;
                child.wait()?;
                return Err(error);
            }
        };
        Ok(Self {
            child: Mutex::new(Child {
                inner: child,
                exit: None,
            }),
            tree: Tree::of(pid, marker),
            pid: id,
            ended,
            output: Some(output),
            stdin,
            terminal: None,
        })
    }

    /// With the near end of the terminal it runs on.
    pub(crate) fn on_terminal(mut self, terminal: OwnedFd) -> Self {
        self.terminal = Some(terminal);
        self
    }
}

impl Process for ChildProcess {
    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }

    fn take_output(&mut self) -> Option<OwnedFd> {
        self.output.take()
    }

    fn take_stdin(&mut self) -> Option<OwnedFd> {
        self.stdin.take()
    }

    fn ended(&self) -> BorrowedFd<'_> {
        self.ended.as_fd()
    }

    fn try_wait(&mut self) -> Result<Option<Exit>> {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        if child.exit.is_none() {
            let status = child
                .inner
                .try_wait()
                .map_err(Error::io("waiting for a command"))?;
            child.exit = status.map(|status| match (status.code(), status.signal()) {
                (Some(code), _) => Exit::Code(code),
                (None, signal) => Exit::Signal(signal.unwrap_or(0)),
            });
            if child.exit.is_some() {
                self.tree.leader_is_gone();
            }
        }
        Ok(child.exit)
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        // The leader must not be reaped in between: its number could be somebody else's then.
        let _held = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        self.tree.signal(signal)
    }

    fn is_alive(&self) -> Result<bool> {
        let _held = self.child.lock().unwrap_or_else(PoisonError::into_inner);
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
