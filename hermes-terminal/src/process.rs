//! A process that was started, wherever it runs.

use std::fmt;
use std::os::fd::{BorrowedFd, OwnedFd};

use crate::environment::TerminalSize;
use crate::{Error, Result};

/// A running command. Its ends are file descriptors, so that one thread can wait for all of them.
/// A backend that has none makes a pipe and feeds it.
pub trait Process: Send + Sync + fmt::Debug {
    /// Its id on this machine; with a remote backend that of the program that speaks to it. It
    /// leads its own session and process group.
    fn pid(&self) -> Option<u32>;

    /// What it writes, stdout and stderr in the order they came. Once.
    fn take_output(&mut self) -> Option<OwnedFd>;

    /// What it reads; dropping it is end of file. Once, and only if it was started with input.
    fn take_stdin(&mut self) -> Option<OwnedFd>;

    /// The character that tells it of the end of its input, where dropping that does not: on a
    /// terminal.
    fn end_of_input(&self) -> Option<u8> {
        None
    }

    /// Readable when the process has ended.
    fn ended(&self) -> BorrowedFd<'_>;

    /// How it ended; nothing while it runs. It is reaped then, if it is a child of this process.
    ///
    /// # Errors
    ///
    /// What kept it from being asked.
    fn try_wait(&mut self) -> Result<Option<Exit>>;

    /// Signals the whole tree: its process group, its session, and what has left them, as far as
    /// it can be found. That nothing is left is no error.
    ///
    /// # Errors
    ///
    /// What kept it from being signalled.
    fn signal(&self, signal: Signal) -> Result<()>;

    /// Whether anything of the tree still runs.
    ///
    /// # Errors
    ///
    /// What kept it from being looked for.
    fn is_alive(&self) -> Result<bool>;

    /// Changes the size of its terminal.
    ///
    /// # Errors
    ///
    /// [`Error::Misuse`] if it has none.
    fn resize(&self, size: TerminalSize) -> Result<()> {
        let _ = size;
        Err(Error::Misuse {
            what: "this process does not run on a terminal, so it has no size to change",
        })
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Exit {
    /// As a shell reports it: 128 and the number for a signal.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => signal.saturating_add(128),
        }
    }
}

/// A signal that this crate sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Asks it to end.
    Terminate,
    /// Ends it.
    Kill,
    /// What Ctrl-C sends.
    Interrupt,
}
