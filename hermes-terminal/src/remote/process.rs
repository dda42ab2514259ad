//! A command that runs elsewhere: the program that speaks to it, and the way to its processes there.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use super::Place;
use crate::child::ChildProcess;
use crate::environment::TerminalSize;
use crate::process::{Exit, Process, Signal};
use crate::script::quoted_text;
use crate::{Error, Result};

#[derive(Debug)]
pub(super) struct RemoteProcess {
    /// The `ssh`, or what else leads there.
    pub(super) client: ChildProcess,
    pub(super) place: Arc<dyn Place>,
    /// The file with the number of its process group there.
    pub(super) group_file: String,
    /// `NAME=value`, in the environment of all that it has started.
    pub(super) marker: String,
}

/// What the script for the processes says when there is none.
const NONE: i32 = 9;

impl RemoteProcess {
    /// Signals all of its processes there; 0 only looks for them. Not every `grep` can look into an
    /// environment.
    fn script(&self, signal: &str) -> String {
        // What was started meanwhile is found in the next round.
        let rounds = if signal == "KILL" { 10 } else { 1 };
        format!(
            "all=; marker={marker}\n\
             for group in $(cat {group} 2>/dev/null); do\n\
             kill -{signal} -- -$group 2>/dev/null && all=1\n\
             done\n\
             marked() {{ for file in /proc/[0-9]*/environ; do\n\
             {{ tr '\\0' '\\n' <\"$file\"; }} 2>/dev/null | grep -qx -- \"$marker\" && echo \"$file\"\n\
             done; }}\n\
             if printf 'a\\0b' | grep -qzx b 2>/dev/null; then\n\
             marked() {{ grep -lzsx -- \"$marker\" /proc/[0-9]*/environ; }}\n\
             fi\n\
             round=0\n\
             while [ $round -lt {rounds} ]; do\n\
             round=$((round + 1)); found=\n\
             for file in $(marked); do\n\
             process=${{file#/proc/}}; process=${{process%/environ}}\n\
             kill -{signal} \"$process\" 2>/dev/null && found=1 && all=1\n\
             done\n\
             [ -n \"$found\" ] || break\n\
             done\n\
             [ -n \"$all\" ] || exit {NONE}",
            group = quoted_text(&self.group_file),
            marker = quoted_text(&self.marker),
        )
    }

    fn reach(&self, signal: &str) -> Result<bool> {
        let answer = match self.place.ask_soon(&self.script(signal)) {
            // It has taken all that ran there with it.
            Err(Error::ContainerGone { .. }) => return Ok(false),
            answer => answer?,
        };
        match answer.code {
            Some(0) => Ok(true),
            Some(NONE) => Ok(false),
            _ => {
                Err(answer.into_error(&format!("signalling a command in {}", self.place.called())))
            }
        }
    }
}

impl Process for RemoteProcess {
    fn pid(&self) -> Option<u32> {
        self.client.pid()
    }

    fn take_output(&mut self) -> Option<OwnedFd> {
        self.client.take_output()
    }

    fn take_stdin(&mut self) -> Option<OwnedFd> {
        self.client.take_stdin()
    }

    fn ended(&self) -> BorrowedFd<'_> {
        self.client.ended()
    }

    fn try_wait(&mut self) -> Result<Option<Exit>> {
        self.client.try_wait()
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        let name = match signal {
            Signal::Terminate => "TERM",
            Signal::Kill => "KILL",
            Signal::Interrupt => "INT",
        };
        match self.reach(name) {
            // Without it there is nothing left to wait for here.
            Ok(_) if signal == Signal::Kill => self.client.signal(signal),
            Ok(_) => Ok(()),
            Err(error) => {
                let place = self.place.called();
                tracing::warn!(%error, place, "a command may go on");
                self.client.signal(signal)
            }
        }
    }

    fn is_alive(&self) -> Result<bool> {
        self.reach("0").or_else(|_| self.client.is_alive())
    }

    fn end_of_input(&self) -> Option<u8> {
        self.client.end_of_input()
    }

    /// The client passes it on.
    fn resize(&self, size: TerminalSize) -> Result<()> {
        self.client.resize(size)
    }
}
