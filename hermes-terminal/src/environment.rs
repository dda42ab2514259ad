//! Where commands run: the trait of all backends.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::process::Process;

/// A place where commands can run. The rest of the crate knows only this.
pub trait Environment: Send + Sync + fmt::Debug {
    /// Its name, such as `local`.
    fn name(&self) -> &str;

    /// Whether it can be used here and now.
    ///
    /// # Errors
    ///
    /// Why not, and what to do about it.
    fn usable(&self) -> std::result::Result<(), Unusable>;

    /// True if a command there can change files of this machine. The gate is told: what cannot
    /// reach this machine is judged by other rules.
    fn host_access(&self) -> bool;

    /// A shell for one task, apart from those of all other tasks.
    ///
    /// # Errors
    ///
    /// What kept it from being made.
    fn open(&self, task: &str) -> Result<Box<dyn Shell>>;
}

/// The shell of one task: its directory and its environment, which last from one command to the
/// next. Commands of one task may run at the same time; what the last one to end has set, stays.
pub trait Shell: Send + Sync + fmt::Debug {
    /// Where the next command will start.
    fn directory(&self) -> PathBuf;

    /// Where a command would start that names this directory, or none.
    ///
    /// # Errors
    ///
    /// [`Error::WorkdirMissing`](crate::Error::WorkdirMissing),
    /// [`Error::WorkdirUnusable`](crate::Error::WorkdirUnusable).
    fn directory_for(&self, workdir: Option<&Path>) -> Result<PathBuf>;

    /// Changes where the next command will start.
    ///
    /// # Errors
    ///
    /// [`Error::WorkdirMissing`](crate::Error::WorkdirMissing),
    /// [`Error::WorkdirUnusable`](crate::Error::WorkdirUnusable).
    fn set_directory(&self, directory: &Path) -> Result<()>;

    /// Starts a command.
    ///
    /// # Errors
    ///
    /// What kept it from being started.
    fn start(&self, launch: &Launch<'_>) -> Result<Started>;

    /// To be called once for each command that was started, when it has ended and its output has
    /// been read: takes over what it has changed, if it was to, and removes what it needed.
    ///
    /// # Errors
    ///
    /// What kept its state from being read. The state from before stays.
    fn settle(&self, call: CallId) -> Result<()>;
}

/// A command to start.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The text for the shell.
    pub command: &'a str,
    /// The directory for this command alone. If it does not go elsewhere, the task stays where it
    /// was.
    pub workdir: Option<&'a Path>,
    /// Whether there will be input. Without, a command that reads gets end of file.
    pub stdin: bool,
    /// Whether the first line of the input is a password, which `sudo` in the command is to be
    /// given.
    pub sudo: bool,
    /// Whether directory and environment at its end are those of the next command. Not for the
    /// background.
    pub keeps_state: bool,
    /// The size of a terminal to run it on, or none.
    pub terminal: Option<TerminalSize>,
}

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Default for TerminalSize {
    fn default() -> Self {
        Self {
            rows: 24,
            columns: 80,
        }
    }
}

/// A command that has been started.
#[derive(Debug)]
pub struct Started {
    /// For [`Shell::settle`].
    pub call: CallId,
    /// The process.
    pub process: Box<dyn Process>,
    /// Where it was started.
    pub directory: PathBuf,
    /// What whoever reads the result should know.
    pub notes: Vec<String>,
}

/// One command of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// Why a backend cannot be used, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub struct Unusable {
    /// What is missing.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
}
