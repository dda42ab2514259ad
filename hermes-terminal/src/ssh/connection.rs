//! One connection to a host, shared by all that runs there.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::Settings;
use crate::attend::{Attendance, Cause, is_readable_before};
use crate::child::ChildProcess;
use crate::command_line::CommandLine;
use crate::input::Input;
use crate::process::{Exit, Process, Signal};
use crate::script::quoted_text;
use crate::{Error, Result};

/// What `ssh` exits with when it is the connection that failed.
const FAILED: i32 = 255;
/// What `ssh` says when it is connected.
const CONNECTED: &[u8] = b"hermes-is-connected\n";
/// How long something of ours may take there.
const OWN: Duration = Duration::from_secs(15);
/// And how long while a command's time is over.
const URGENT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Connection {
    settings: Settings,
    master: Mutex<Option<Master>>,
}

/// The process that holds the connection, and the socket for the others.
#[derive(Debug)]
struct Master {
    process: ChildProcess,
    folder: TempDir,
}

/// What came of something of ours.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) code: i32,
    pub(super) output: Vec<u8>,
}

impl Connection {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            master: Mutex::new(None),
        }
    }

    /// Runs something of ours there. When the connection has broken off it is made anew, once: so
    /// it must be something that may be done twice.
    pub(super) fn ask(&self, script: &str, input: &[u8]) -> Result<Answer> {
        self.ask_raw(&in_sh(script), input)
    }

    /// The same of a line for whatever shell a login there has.
    pub(super) fn ask_raw(&self, script: &str, input: &[u8]) -> Result<Answer> {
        let answer = self.ask_once(script, input, OWN)?;
        if answer.code != FAILED {
            return Ok(answer);
        }
        self.close();
        let answer = self.ask_once(script, input, OWN)?;
        if answer.code != FAILED {
            return Ok(answer);
        }
        self.close();
        Err(self.unreachable(&answer.output))
    }

    /// The same where there is no time to try it again.
    pub(super) fn ask_soon(&self, script: &str) -> Result<Answer> {
        let answer = self.ask_once(&in_sh(script), b"", URGENT)?;
        if answer.code == FAILED {
            return Err(self.unreachable(&answer.output));
        }
        Ok(answer)
    }

    fn ask_once(&self, script: &str, input: &[u8], time: Duration) -> Result<Answer> {
        let mut process = self.line(script)?.start_piped(true)?;
        let mut output = Vec::new();
        let input = Input::given(input.to_vec());
        let attended = Attendance::with(&input)
            .until(Instant::now() + time)
            .run(&mut process, |bytes| output.extend_from_slice(bytes))?;
        Ok(Answer {
            code: match attended.cause {
                Cause::Ended => attended.exit.map_or(FAILED, Exit::code),
                Cause::TimedOut | Cause::Interrupted => FAILED,
            },
            output,
        })
    }

    /// Starts a command there.
    pub(super) fn start(&self, command: &str, stdin: bool) -> Result<ChildProcess> {
        self.line(command)?.start_piped(stdin)
    }

    /// `ssh` through the connection, which is made if there is none.
    fn line(&self, command: &str) -> Result<CommandLine> {
        let mut master = self.master();
        if let Some(held) = &mut *master
            && held.process.try_wait()?.is_some()
        {
            *master = None;
        }
        let master = match &mut *master {
            Some(master) => master,
            none => none.insert(self.connect()?),
        };
        let mut line = self.settings.ssh(master.folder.path())?;
        // Never past the connection: that would take longer, and could ask.
        // And nothing but what goes wrong is said into the output of a command.
        for option in ["ControlMaster=no", "ProxyCommand=false", "LogLevel=ERROR"] {
            line.arguments.extend(["-o".into(), option.into()]);
        }
        line.arguments.push("-T".into());
        line.arguments.push(self.settings.host.clone().into());
        line.arguments.push(command.into());
        Ok(line)
    }

    fn connect(&self) -> Result<Master> {
        let folder = tempfile::Builder::new()
            .prefix("hermes-ssh-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(Error::io("making a folder for the socket of ssh"))?;
        let timeout = self.settings.connect_timeout;
        let mut line = self.settings.ssh(folder.path())?;
        for option in [
            "ControlMaster=yes".to_owned(),
            "ControlPersist=no".to_owned(),
            "PermitLocalCommand=yes".to_owned(),
            format!(
                "LocalCommand=echo {}",
                String::from_utf8_lossy(CONNECTED).trim()
            ),
            format!("ConnectTimeout={}", timeout.as_secs().max(1)),
        ] {
            line.arguments.extend(["-o".into(), option.into()]);
        }
        line.arguments.push("-N".into());
        line.arguments.push(self.settings.host.clone().into());
        let mut process = line.start_piped(false)?;
        let said = wait_for(&mut process, CONNECTED, Instant::now() + timeout + timeout)?;
        if said.ends_with(CONNECTED) {
            return Ok(Master { process, folder });
        }
        end(&mut process);
        Err(self.unreachable(&said))
    }

    /// Forgets a connection that does not work.
    pub(super) fn close(&self) {
        drop(self.master().take());
    }

    fn unreachable(&self, said: &[u8]) -> Error {
        let said = String::from_utf8_lossy(said);
        let reason = said.lines().map(str::trim).rfind(|line| !line.is_empty());
        Error::Unreachable {
            host: self.settings.host.clone(),
            reason: reason.unwrap_or("no answer in time").to_owned(),
        }
    }

    fn master(&self) -> MutexGuard<'_, Option<Master>> {
        self.master.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Master {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

fn end(process: &mut ChildProcess) {
    let input = Input::given(Vec::new());
    if let Err(error) = process.signal(Signal::Terminate) {
        tracing::warn!(%error, "ssh could not be ended");
    }
    let attended = Attendance::with(&input)
        .until(Instant::now() + Duration::from_secs(2))
        .run(process, |_| {});
    if let Err(error) = attended {
        tracing::warn!(%error, "ssh could not be waited for");
    }
}

/// What a process says until it says this, ends, or takes too long.
fn wait_for(process: &mut ChildProcess, wanted: &[u8], deadline: Instant) -> Result<Vec<u8>> {
    let Some(output) = process.take_output() else {
        return Ok(Vec::new());
    };
    let mut said = Vec::new();
    let mut buffer = [0; 4096];
    while !said.ends_with(wanted) {
        if !is_readable_before(&output, deadline)? {
            break;
        }
        match rustix::io::read(&output, &mut buffer) {
            Ok(0) => break,
            Ok(count) => said.extend_from_slice(buffer.get(..count).unwrap_or_default()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Error::io("reading what ssh says")(error.into())),
        }
    }
    Ok(said)
}

impl Settings {
    fn ssh(&self, socket_folder: &Path) -> Result<CommandLine> {
        let program = self.program().ok_or_else(|| Error::Spawn {
            program: "ssh".to_owned(),
            source: std::io::ErrorKind::NotFound.into(),
        })?;
        let socket = socket_folder.join("socket");
        let mut control = OsString::from("ControlPath=");
        control.push(&socket);
        let mut arguments: Vec<OsString> = Vec::new();
        // What is said first counts.
        for option in &self.options {
            arguments.extend(["-o".into(), option.into()]);
        }
        for option in [
            OsString::from("BatchMode=yes"),
            "ServerAliveInterval=15".into(),
            "ServerAliveCountMax=3".into(),
            "EscapeChar=none".into(),
            control,
        ] {
            arguments.extend(["-o".into(), option]);
        }
        if let Some(user) = &self.user {
            arguments.extend(["-l".into(), user.into()]);
        }
        if let Some(port) = self.port {
            arguments.extend(["-p".into(), port.to_string().into()]);
        }
        if let Some(key) = self.key() {
            arguments.extend([
                "-i".into(),
                key.into(),
                "-o".into(),
                "IdentitiesOnly=yes".into(),
            ]);
        }
        let variables: Vec<(OsString, OsString)> = self
            .variables
            .for_children()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Ok(CommandLine {
            program: program.into(),
            arguments,
            variables,
            marker: None,
        })
    }
}

/// A script as a line for whatever shell a login there has.
pub(super) fn in_sh(script: &str) -> String {
    format!("exec sh -c {}", quoted_text(script))
}
