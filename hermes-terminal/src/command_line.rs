//! A program to start on this machine. Backends of this crate all come down to one.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;

use crate::child::{ChildProcess, Ends};
use crate::{Error, Result};

mod on_terminal;
mod spawn;

pub(crate) use spawn::assignment;

/// A program and what it is given. It starts in the directory of this process; a shell goes to
/// where it is to work by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Its path, or its name in the `PATH` of this process.
    pub program: OsString,
    /// What follows its name.
    pub arguments: Vec<OsString>,
    /// Its whole environment: nothing else is passed on.
    pub variables: Vec<(OsString, OsString)>,
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
        self.on_pipes(stdin).map_err(|source| Error::Spawn {
            program: self.program.to_string_lossy().into_owned(),
            source,
        })
    }

    fn on_pipes(&self, stdin: bool) -> io::Result<ChildProcess> {
        let (output, written) = io::pipe()?;
        let (read, input) = if stdin {
            let (read, input) = io::pipe()?;
            (OwnedFd::from(read), Some(OwnedFd::from(input)))
        } else {
            (OwnedFd::from(std::fs::File::open("/dev/null")?), None)
        };
        let pid = self.spawn(&read, &OwnedFd::from(written))?;
        let ends = Ends {
            output: output.into(),
            input,
            terminal: None,
        };
        ChildProcess::new(pid, ends, self.marker.clone())
    }
}
