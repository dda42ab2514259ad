//! A program to start on this machine. Backends of this crate all come down to one.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use filedescriptor::FileDescriptor;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use process_wrap::std::{CommandWrap, ProcessSession};

use crate::child::ChildProcess;
use crate::environment::TerminalSize;
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

    /// Starts it on a terminal of its own, as the leader of the session that the terminal controls.
    ///
    /// # Errors
    ///
    /// [`Error::Spawn`].
    pub fn start_on_terminal(&self, size: TerminalSize) -> Result<ChildProcess> {
        self.spawn_on_terminal(size).map_err(|source| Error::Spawn {
            program: self.program.to_string_lossy().into_owned(),
            source,
        })
    }

    fn spawn_on_terminal(&self, size: TerminalSize) -> io::Result<ChildProcess> {
        let pair = native_pty_system()
            .openpty(PtySize {
                rows: size.rows,
                cols: size.columns,
                pixel_width: 0,
                pixel_height: 0,
            })
            .map_err(as_io)?;
        let mut command = CommandBuilder::new(&self.program);
        command.args(&self.arguments);
        command.env_clear();
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command.cwd(&self.directory);
        let child: Box<dyn portable_pty::Child> =
            pair.slave.spawn_command(command).map_err(as_io)?;
        // With a copy of our own its end would never be seen.
        drop(pair.slave);
        let child = child
            .downcast::<Child>()
            .map_err(|_| io::Error::other("the terminal gave no child of this process"))?;
        let master = pair
            .master
            .as_raw_fd()
            .ok_or_else(|| io::Error::other("the terminal has no file descriptor"))?;
        let end = || -> io::Result<OwnedFd> {
            let copy = FileDescriptor::dup(&master).map_err(io::Error::other)?;
            Ok(copy.as_file().map_err(io::Error::other)?.into())
        };
        let (output, stdin, terminal) = (end()?, end()?, end()?);
        let process = ChildProcess::new(child, output, Some(stdin), self.marker.clone())?;
        Ok(process.on_terminal(terminal))
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

fn as_io(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    let error = error.into();
    match error.downcast::<io::Error>() {
        Ok(error) => *error,
        Err(error) => io::Error::other(error),
    }
}
