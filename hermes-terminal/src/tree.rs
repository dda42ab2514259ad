//! Everything that a command has started, as far as it can be found.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, kill_process_group};

use crate::command_line::assignment;
use crate::process::Signal;
use crate::{Error, Result};

#[cfg(target_os = "linux")]
mod proc;

#[cfg(target_os = "linux")]
pub(crate) use proc::{start_of, variable_of};

/// A leader, its process group and session, their descendants, and whoever has its marker.
///
/// On Linux all of these are found in `/proc`; elsewhere only the process group is.
#[derive(Debug)]
pub(crate) struct Tree {
    leader: Pid,
    /// Once the leader has been reaped, its number means nothing.
    leader_is_gone: AtomicBool,
    /// Whether the leader is no child of this process: then its number can become somebody else's
    /// at any time, and each process is looked at before it is signalled.
    one_by_one: bool,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    marker: Option<Vec<u8>>,
}

impl Tree {
    pub(crate) fn of(leader: Pid, marker: Option<(OsString, OsString)>) -> Self {
        Self {
            leader,
            leader_is_gone: AtomicBool::new(false),
            one_by_one: false,
            marker: marker.map(|(name, value)| assignment(&name, &value).into_encoded_bytes()),
        }
    }

    /// The same of a process that somebody else has started.
    #[cfg(target_os = "linux")]
    pub(crate) fn adopted(leader: Pid, marker: Option<(OsString, OsString)>) -> Self {
        Self {
            one_by_one: true,
            ..Self::of(leader, marker)
        }
    }

    pub(crate) fn leader_is_gone(&self) {
        self.leader_is_gone.store(true, Ordering::Release);
    }

    fn leader(&self) -> Option<Pid> {
        (!self.leader_is_gone.load(Ordering::Acquire)).then_some(self.leader)
    }

    pub(crate) fn signal(&self, signal: Signal) -> Result<()> {
        let number = match signal {
            Signal::Terminate => rustix::process::Signal::TERM,
            Signal::Kill => rustix::process::Signal::KILL,
            Signal::Interrupt => rustix::process::Signal::INT,
        };
        // Looked for first: who loses its parent can't be found as a descendant any more.
        #[cfg(target_os = "linux")]
        let found = self.members()?;
        if let Some(leader) = self.leader().filter(|_| !self.one_by_one) {
            self.signal_group(leader, number)?;
        }
        #[cfg(target_os = "linux")]
        self.signal_members(found, number)?;
        Ok(())
    }

    fn signal_group(&self, leader: Pid, number: rustix::process::Signal) -> Result<()> {
        match kill_process_group(leader, number) {
            // Nothing is left, or nothing but what has another owner.
            Ok(()) | Err(Errno::SRCH | Errno::PERM) => {}
            Err(error) => return Err(failed(error)),
        }
        // What is stopped would not hear of it.
        if number != rustix::process::Signal::KILL {
            kill_process_group(leader, rustix::process::Signal::CONT).ok();
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn is_alive(&self) -> Result<bool> {
        match self.leader().map(rustix::process::test_kill_process_group) {
            Some(Ok(()) | Err(Errno::PERM)) => Ok(true),
            Some(Err(Errno::SRCH)) | None => Ok(false),
            Some(Err(error)) => Err(failed(error)),
        }
    }
}

fn failed(error: Errno) -> Error {
    Error::io("signalling the processes of a command")(error.into())
}
