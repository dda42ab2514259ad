//! What is asked of a terminal.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::environment::TerminalSize;
use crate::interrupt::Interrupt;
use crate::{Error, Result};

/// A command, and how to run it.
#[derive(Debug, Clone)]
#[must_use]
pub struct Request {
    pub(crate) command: String,
    pub(crate) workdir: Option<PathBuf>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) stdin: Option<Vec<u8>>,
    pub(crate) stdin_from: Option<Arc<OwnedFd>>,
    pub(crate) background: bool,
    pub(crate) terminal: Option<TerminalSize>,
    pub(crate) interrupt: Option<Interrupt>,
}

impl Request {
    /// This text for the shell, in the foreground.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            workdir: None,
            timeout: None,
            stdin: None,
            stdin_from: None,
            background: false,
            terminal: None,
            interrupt: None,
        }
    }

    /// The same of bytes.
    ///
    /// # Errors
    ///
    /// [`Error::CommandNotUtf8`].
    pub fn from_bytes(command: impl Into<Vec<u8>>) -> Result<Self> {
        let command = String::from_utf8(command.into()).map_err(|error| Error::CommandNotUtf8 {
            at: error.utf8_error().valid_up_to(),
        })?;
        Ok(Self::new(command))
    }

    /// The directory for this command alone. Relative to the task's.
    pub fn in_directory(mut self, workdir: impl Into<PathBuf>) -> Self {
        self.workdir = Some(workdir.into());
        self
    }

    /// How long it may take.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same in seconds, as a model writes it.
    ///
    /// # Errors
    ///
    /// [`Error::BadTimeout`] for what is no length of time.
    pub fn with_timeout_seconds(self, seconds: f64) -> Result<Self> {
        match Duration::try_from_secs_f64(seconds) {
            Ok(timeout) if !timeout.is_zero() => Ok(self.with_timeout(timeout)),
            // So many seconds that no clock counts them.
            Err(_) if seconds > 0.0 => Ok(self.with_timeout(Duration::MAX)),
            _ => Err(Error::BadTimeout { given: seconds }),
        }
    }

    /// What it reads. Without, it gets end of file.
    pub fn with_stdin(mut self, stdin: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(stdin.into());
        self
    }

    /// What it reads, passed on from there as it comes: a pipe, a file, a terminal. What the command
    /// does not read may be read from there all the same, and is lost. For the foreground alone.
    pub fn with_stdin_from(mut self, source: impl Into<OwnedFd>) -> Self {
        self.stdin_from = Some(Arc::new(source.into()));
        self
    }

    /// Leave it running; it may be written to later.
    pub fn in_background(mut self) -> Self {
        self.background = true;
        self
    }

    /// On a terminal of this size.
    pub fn on_terminal(mut self, size: TerminalSize) -> Self {
        self.terminal = Some(size);
        self
    }

    /// What can end it from another thread.
    pub fn with_interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.interrupt = Some(interrupt.clone());
        self
    }

    /// The text for the shell.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The directory for it alone, as it was named.
    pub fn workdir(&self) -> Option<&std::path::Path> {
        self.workdir.as_deref()
    }

    /// Whether it is to be left running.
    pub fn is_background(&self) -> bool {
        self.background
    }

    /// The terminal to run it on.
    pub fn terminal(&self) -> Option<TerminalSize> {
        self.terminal
    }

    /// Whether there will be input for it from the start.
    pub(crate) fn has_stdin(&self) -> bool {
        self.stdin.is_some() || self.stdin_from.is_some()
    }

    pub(crate) fn check(&self) -> Result<()> {
        if let Some(at) = self.command.bytes().position(|byte| byte == 0) {
            return Err(Error::CommandHasNul { at });
        }
        if self.command.trim().is_empty() {
            return Err(Error::EmptyCommand);
        }
        if self.background && self.stdin_from.is_some() {
            return Err(Error::Misuse {
                what: "a background command has no input of somebody else's; write to it instead",
            });
        }
        if self.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(Error::BadTimeout { given: 0.0 });
        }
        Ok(())
    }
}
