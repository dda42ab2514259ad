//! A process that an earlier run of this program has started. It is no child of this one: it can be
//! watched and ended, but neither read nor written, and its exit code is not to be had.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::local::MARKER;
use crate::process::{Exit, Process, Signal};
use crate::tree::{Tree, start_of, variable_of};
use crate::{Error, Result};

#[derive(Debug)]
pub(super) struct AdoptedProcess {
    pid: u32,
    start: u64,
    ended: OwnedFd,
    tree: Tree,
}

impl AdoptedProcess {
    /// The process of this number, if it is still the one that was started then.
    pub(super) fn find(pid: u32, start: u64) -> Result<Option<Self>> {
        let Some(leader) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
            return Ok(None);
        };
        let ended = match pidfd_open(leader, PidfdFlags::empty()) {
            Ok(ended) => ended,
            Err(rustix::io::Errno::SRCH) => return Ok(None),
            Err(error) => return Err(Error::io("watching a process")(error.into())),
        };
        // Looked at when it is held: what the descriptor stands for is this one from now on.
        if start_of(pid) != Some(start) {
            return Ok(None);
        }
        let marker = variable_of(pid, MARKER).map(|value| (MARKER.into(), value));
        Ok(Some(Self {
            pid,
            start,
            ended,
            tree: Tree::adopted(leader, marker),
        }))
    }

    /// Forgets the number as soon as it is not this process's any more.
    fn look(&self) {
        if start_of(self.pid) != Some(self.start) {
            self.tree.leader_is_gone();
        }
    }
}

impl Process for AdoptedProcess {
    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }

    fn take_output(&mut self) -> Option<OwnedFd> {
        None
    }

    fn take_stdin(&mut self) -> Option<OwnedFd> {
        None
    }

    fn ended(&self) -> BorrowedFd<'_> {
        self.ended.as_fd()
    }

    fn try_wait(&mut self) -> Result<Option<Exit>> {
        self.look();
        Ok(None)
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        self.look();
        self.tree.signal(signal)
    }

    fn is_alive(&self) -> Result<bool> {
        self.look();
        self.tree.is_alive()
    }
}
