//! Starting a program on a terminal of its own.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use filedescriptor::FileDescriptor;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::Pid;

use super::CommandLine;
use crate::child::{ChildProcess, Ends};
use crate::environment::TerminalSize;
use crate::{Error, Result};

impl CommandLine {
    /// Starts it on a terminal of its own, as the leader of the session that the terminal controls.
    ///
    /// # Errors
    ///
    /// [`Error::Spawn`].
    pub fn start_on_terminal(&self, size: TerminalSize) -> Result<ChildProcess> {
        self.on_terminal(size).map_err(|source| Error::Spawn {
            program: self.program.to_string_lossy().into_owned(),
            source,
        })
    }

    /// The same of a program that passes everything on to a terminal elsewhere. When this comes
    /// back it does: what is written before, this terminal here would take for itself.
    pub(crate) fn start_passing_on(
        &self,
        size: TerminalSize,
        time: Duration,
    ) -> Result<ChildProcess> {
        let process = self.start_on_terminal(size)?;
        process.await_passing_on(Instant::now() + time)?;
        Ok(process)
    }

    fn on_terminal(&self, size: TerminalSize) -> io::Result<ChildProcess> {
        let pair = native_pty_system()
            .openpty(PtySize {
                rows: size.rows,
                cols: size.columns,
                pixel_width: 0,
                pixel_height: 0,
            })
            .map_err(as_io)?;
        let master = pair
            .master
            .as_raw_fd()
            .ok_or_else(|| io::Error::other("the terminal has no file descriptor"))?;
        let end = || -> io::Result<OwnedFd> {
            let copy = FileDescriptor::dup(&master).map_err(io::Error::other)?;
            Ok(copy.as_file().map_err(io::Error::other)?.into())
        };
        let ends = Ends {
            output: end()?,
            input: Some(end()?),
            terminal: Some(end()?),
        };
        let child = pair.slave.spawn_command(self.builder()).map_err(as_io)?;
        // With a copy of our own its end would never be seen.
        drop(pair.slave);
        let pid = child.process_id().and_then(|id| i32::try_from(id).ok());
        let pid = pid
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("a child without a process id"))?;
        // It is waited for by its number.
        ChildProcess::new(pid, ends, self.marker.clone())
    }

    fn builder(&self) -> CommandBuilder {
        let mut command = CommandBuilder::new(&self.program);
        command.args(&self.arguments);
        command.env_clear();
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        // It would start in the user's home otherwise.
        command.cwd(std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")));
        command
    }
}

fn as_io(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    let error = error.into();
    match error.downcast::<io::Error>() {
        Ok(error) => *error,
        Err(error) => io::Error::other(error),
    }
}
