//! Starting a program without copying this process: what a `fork` costs grows with its memory.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal};
use rustix::process::Pid;

use super::CommandLine;

/// `POSIX_SPAWN_SETSID`: the leader of a new session. It is in POSIX since 2024; the systems below
/// have had it for years.
const NEW_SESSION: Option<i32> = if cfg!(any(target_os = "linux", target_os = "android")) {
    Some(0x80)
} else if cfg!(target_vendor = "apple") {
    Some(0x400)
} else {
    None
};

impl CommandLine {
    /// Starts it with these as its input and its output.
    pub(super) fn spawn(&self, input: &OwnedFd, output: &OwnedFd) -> io::Result<Pid> {
        match NEW_SESSION {
            // A shell complains of a directory that it can't name.
            Some(new_session) if std::env::current_dir().is_ok() => {
                self.spawn_in_session(input, output, new_session)
            }
            _ => self.spawn_in_group(input, output),
        }
    }

    fn spawn_in_session(
        &self,
        input: &OwnedFd,
        output: &OwnedFd,
        new_session: i32,
    ) -> io::Result<Pid> {
        let mut actions = PosixSpawnFileActions::init()?;
        actions.add_dup2(input.as_raw_fd(), 0)?;
        actions.add_dup2(output.as_raw_fd(), 1)?;
        actions.add_dup2(output.as_raw_fd(), 2)?;
        let mut attributes = PosixSpawnAttr::init()?;
        attributes.set_flags(
            PosixSpawnFlags::from_bits_retain(new_session)
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF,
        )?;
        // Programs written in Rust ignore it, and children would inherit that.
        let mut usual = SigSet::empty();
        usual.add(Signal::SIGPIPE);
        attributes.set_sigdefault(&usual)?;
        attributes.set_sigmask(&SigSet::empty())?;
        let program = c_string(&self.program)?;
        let arguments = std::iter::once(&self.program).chain(&self.arguments);
        let arguments: Vec<CString> = arguments
            .map(|argument| c_string(argument))
            .collect::<io::Result<_>>()?;
        let variables: Vec<CString> = self
            .variables
            .iter()
            .map(|(name, value)| c_string(&assignment(name, value)))
            .collect::<io::Result<_>>()?;
        let pid = posix_spawnp(&program, &actions, &attributes, &arguments, &variables)?;
        pid_of(pid.as_raw())
    }

    /// Where there is no better way: in a process group of its own, in the session of this process.
    fn spawn_in_group(&self, input: &OwnedFd, output: &OwnedFd) -> io::Result<Pid> {
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir("/")
            .process_group(0)
            .stdin(input.try_clone()?)
            .stdout(output.try_clone()?)
            .stderr(output.try_clone()?)
            .spawn()?;
        // It is waited for by its number.
        pid_of(i32::try_from(child.id()).unwrap_or_default())
    }
}

fn pid_of(raw: i32) -> io::Result<Pid> {
    Pid::from_raw(raw).ok_or_else(|| io::Error::other("a child without a process id"))
}

pub(crate) fn assignment(name: &OsStr, value: &OsStr) -> OsString {
    let mut assignment = name.to_owned();
    assignment.push("=");
    assignment.push(value);
    assignment
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn both_ways_start_the_same_program_with_the_same_surroundings() {
        let line = CommandLine {
            program: "sh".into(),
            arguments: [
                "-c",
                "cat; echo $A $1; env | grep -c .; echo error >&2",
                "x",
                "y z",
            ]
            .map(OsString::from)
            .to_vec(),
            variables: vec![
                ("A".into(), "a b".into()),
                ("PATH".into(), "/usr/bin:/bin".into()),
            ],
            marker: None,
        };
        type Way = fn(&CommandLine, &OwnedFd, &OwnedFd) -> io::Result<Pid>;
        let ways: [Way; 2] = [CommandLine::spawn, CommandLine::spawn_in_group];
        let outputs = ways.map(|way| {
            let (mut output, written) = io::pipe().unwrap();
            let null = std::fs::File::open("/dev/null").unwrap();
            let pid = way(&line, &null.into(), &OwnedFd::from(written)).unwrap();
            let mut text = String::new();
            output.read_to_string(&mut text).unwrap();
            rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty()).unwrap();
            text
        });
        assert_eq!(outputs[0], "a b y z\n3\nerror\n");
        assert_eq!(outputs[0], outputs[1]);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let line = CommandLine {
            program: "/no/such/program".into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            marker: None,
        };
        let error = line.start_piped(false).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("/no/such/program could not be started")
        );
    }
}
