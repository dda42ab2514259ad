//! A command on another machine: the `ssh` that speaks to it, and the way to its processes there.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use super::connection::{Answer, Connection};
use crate::child::ChildProcess;
use crate::process::{Exit, Process, Signal};
use crate::script::quoted_text;
use crate::{Error, Result};

#[derive(Debug)]
pub(super) struct RemoteProcess {
    pub(super) ssh: ChildProcess,
    pub(super) connection: Arc<Connection>,
    /// The file with the number of its process group there.
    pub(super) group_file: String,
    /// `NAME=value`, in the environment of all that it has started.
    pub(super) marker: String,
}

/// What the script for the processes says when there is none.
const NONE: i32 = 9;

impl RemoteProcess {
    /// Signals all of its processes there; 0 only looks for them.
    fn script(&self, signal: &str) -> String {
        format!(
            "found=\n\
             for group in $(cat {group} 2>/dev/null); do\n\
             kill -{signal} -- -$group 2>/dev/null && found=1\n\
             done\n\
             for file in $(grep -lzsx -- {marker} /proc/[0-9]*/environ); do\n\
             process=${{file#/proc/}}; process=${{process%/environ}}\n\
             kill -{signal} \"$process\" 2>/dev/null && found=1\n\
             done\n\
             [ -n \"$found\" ] || exit {NONE}",
            group = quoted_text(&self.group_file),
            marker = quoted_text(&self.marker),
        )
    }

    fn reach(&self, signal: &str) -> Result<bool> {
        let answer = self.connection.ask_soon(&self.script(signal))?;
        match answer.code {
            0 => Ok(true),
            NONE => Ok(false),
            _ => Err(failed(
                "signalling the processes of a command there",
                &answer,
            )),
        }
    }
}

impl Process for RemoteProcess {
    fn pid(&self) -> Option<u32> {
        self.ssh.pid()
    }

    fn take_output(&mut self) -> Option<OwnedFd> {
        self.ssh.take_output()
    }

    fn take_stdin(&mut self) -> Option<OwnedFd> {
        self.ssh.take_stdin()
    }

    fn ended(&self) -> BorrowedFd<'_> {
        self.ssh.ended()
    }

    fn try_wait(&mut self) -> Result<Option<Exit>> {
        self.ssh.try_wait()
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        let name = match signal {
            Signal::Terminate => "TERM",
            Signal::Kill => "KILL",
            Signal::Interrupt => "INT",
        };
        match self.reach(name) {
            // Without it there is nothing left to wait for here.
            Ok(_) if signal == Signal::Kill => self.ssh.signal(signal),
            Ok(_) => Ok(()),
            Err(error) => {
                tracing::warn!(%error, "a command on another machine may go on");
                self.ssh.signal(signal)
            }
        }
    }

    fn is_alive(&self) -> Result<bool> {
        self.reach("0").or_else(|_| self.ssh.is_alive())
    }
}

fn failed(doing: &str, answer: &Answer) -> Error {
    let said = String::from_utf8_lossy(&answer.output).trim().to_owned();
    Error::io(doing)(std::io::Error::other(said))
}
