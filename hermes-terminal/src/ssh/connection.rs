//! One connection to a host, shared by all that runs there.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::Settings;
use crate::attend::{Attendance, is_readable_before};
use crate::child::ChildProcess;
use crate::command_line::CommandLine;
use crate::environment::TerminalSize;
use crate::input::Input;
use crate::process::{Process, Signal};
use crate::remote::{Answer, Place, SAY, checked, removal};
use crate::script::quoted_text;
use crate::{Error, Result};

/// How much less time there is while a command's own is over.
const URGENCY: u32 = 3;
/// What `ssh` exits with when it is the connection that failed.
const FAILED: i32 = 255;
/// What `ssh` says when it is connected.
const CONNECTED: &[u8] = b"hermes-is-connected\n";
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

impl Connection {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            master: Mutex::new(None),
        }
    }

    fn ask_once(&self, script: &str, input: &[u8], time: Duration) -> Result<Answer> {
        Answer::of(&self.line(&in_sh(script), false)?, input, time)
    }

    /// `ssh` through the connection, which is made if there is none.
    fn line(&self, command: &str, terminal: bool) -> Result<CommandLine> {
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
        if terminal && !line.variables.iter().any(|(name, _)| name == "TERM") {
            line.variables
                .push(("TERM".into(), "xterm-256color".into()));
        }
        let terminal = if terminal { "-tt" } else { "-T" };
        line.arguments.push(terminal.into());
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
        let answer = Answer {
            code: None,
            output: said,
        };
        Err(self.unreachable(&answer))
    }

    /// Forgets a connection that does not work.
    pub(super) fn close(&self) {
        drop(self.master().take());
    }

    fn unreachable(&self, answer: &Answer) -> Error {
        Error::Unreachable {
            host: self.settings.host.clone(),
            command: self.settings.by_hand(),
            reason: answer.last_line(),
        }
    }

    fn master(&self) -> MutexGuard<'_, Option<Master>> {
        self.master.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether it was the connection that failed, and not the script.
fn has_failed(answer: &Answer) -> bool {
    answer.code.is_none_or(|code| code == FAILED)
}

impl Place for Connection {
    fn called(&self) -> &'static str {
        "the other machine"
    }

    fn waits_for_output(&self) -> bool {
        true
    }

    fn ask(&self, script: &str, input: &[u8]) -> Result<Answer> {
        let answer = self.ask_once(script, input, self.settings.answer_timeout)?;
        if !has_failed(&answer) {
            return Ok(answer);
        }
        self.close();
        let answer = self.ask_once(script, input, self.settings.answer_timeout)?;
        if !has_failed(&answer) {
            return Ok(answer);
        }
        self.close();
        Err(self.unreachable(&answer))
    }

    fn ask_soon(&self, script: &str) -> Result<Answer> {
        let answer = self.ask_once(script, b"", self.settings.answer_timeout / URGENCY)?;
        if has_failed(&answer) {
            return Err(self.unreachable(&answer));
        }
        Ok(answer)
    }

    fn start(
        &self,
        script: &str,
        stdin: bool,
        terminal: Option<TerminalSize>,
    ) -> Result<ChildProcess> {
        let line = self.line(&in_sh(script), terminal.is_some())?;
        match terminal {
            Some(size) => line.start_passing_on(size, self.settings.answer_timeout),
            None => line.start_piped(stdin),
        }
    }

    fn leave(&self, folder: &str) -> Result<()> {
        let script = format!("{}; {SAY}", removal(std::iter::once(folder.to_owned())));
        checked(self.ask(&script, b"")?, "removing a private folder").map(drop)
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
    /// What a person types to see what is wrong.
    fn by_hand(&self) -> String {
        let mut line = "ssh -o BatchMode=yes ".to_owned();
        if let Some(port) = self.port {
            line.push_str(&format!("-p {port} "));
        }
        if let Some(key) = self.key() {
            line.push_str(&format!("-i {} ", quoted_text(&key.to_string_lossy())));
        }
        if let Some(user) = &self.user {
            line.push_str(&format!("{user}@"));
        }
        line + &self.host + " true"
    }

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
fn in_sh(script: &str) -> String {
    format!("exec sh -c {}", quoted_text(script))
}
