//! A program to start on this machine. Backends of this crate all come down to one.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use process_wrap::std::{CommandWrap, ProcessSession};

use crate::child::ChildProcess;
use crate::{Error, Result};

/// A program, what it is given, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Its path or name.
    pub program: OsString,
    /// What follows its name.
    pub arguments: Vec<OsString>,
    /// Its whole environment: nothing else is passed on.
    pub variables: Vec<(OsString, OsString)>,
    /// The directory to start in.
    pub directory: PathBuf,
    /// A variable among `variables`, with its value, that no other command has. What has left the
    /// session is found by it.
    pub marker: Option<(OsString, OsString)>,
}

impl CommandLine {
    /// Starts it on pipes, as the leader of a session of its own: it has no terminal that it could
    /// wait for.
    ///
    /// # Errors
    ///
    /// [`Error::Spawn`].
    pub fn start_piped(&self, stdin: bool) -> Result<ChildProcess> {
        self.spawn(stdin).map_err(|source| Error::Spawn {
            program: self.program.to_string_lossy().into_owned(),
            source,
        })
    }

    fn spawn(&self, stdin: bool) -> io::Result<ChildProcess> {
        let (output, writer) = io::pipe()?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.directory)
            .stdin(if stdin { Stdio::piped() } else { Stdio::null() })
            .stdout(writer.try_clone()?)
            .stderr(writer);
        let mut wrapped = CommandWrap::from(command);
        wrapped.wrap(ProcessSession);
        let mut child = wrapped.spawn()?;
        // It holds our copies of the pipe: with them the output would never end.
        drop(wrapped);
        let stdin = child.stdin().take().map(OwnedFd::from);
        ChildProcess::new(child, OwnedFd::from(output), stdin, self.marker.clone())
    }
}
