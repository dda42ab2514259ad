//! Shells that are reached by command lines of this machine: what `ssh`, `docker` and `singularity`
//! share. A task has a private folder there; what surrounds a command goes into it over the input
//! of a script, and is read back from it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::attend::{Attendance, Cause};
use crate::child::ChildProcess;
use crate::command_line::CommandLine;
use crate::environment::TerminalSize;
use crate::input::Input;
use crate::process::Exit;
use crate::{Error, Result};

mod process;
mod session;
mod shell;

pub(crate) use session::{SAY, checked, removal};
pub(crate) use shell::{RemoteShell, Start};

/// How long something of ours may take there.
pub(crate) const OWN: Duration = Duration::from_secs(15);
/// And how long while a command's time is over.
pub(crate) const URGENT: Duration = Duration::from_secs(5);

/// A place with an `sh` that command lines of this machine lead to. Scripts are for that `sh`.
pub(crate) trait Place: Send + Sync + fmt::Debug {
    /// How it is called in what people read, such as `the container`.
    fn called(&self) -> &'static str;

    /// Where the private folder of a task is to be, as a script that sets `folder`.
    fn make_folder(&self) -> String {
        "folder=$(mktemp -d \"${TMPDIR:-/tmp}/hermes-terminal-XXXXXXXX\")".to_owned()
    }

    /// Variables that commands there have from the beginning.
    fn variables(&self) -> &[(String, String)] {
        &[]
    }

    /// Whether the way there stays open for as long as anything holds a command's output.
    fn waits_for_output(&self) -> bool {
        false
    }

    /// Runs something of ours there. Where the way to it has broken off it is made anew, and the
    /// script run again: so it must be something that may be done twice.
    fn ask(&self, script: &str, input: &[u8]) -> Result<Answer>;

    /// The same of what has a meaning only if the place is still what it was.
    ///
    /// # Errors
    ///
    /// [`Error::ContainerGone`] if it is not.
    fn ask_again(&self, script: &str) -> Result<Answer> {
        self.ask(script, b"")
    }

    /// The same where there is no time to try it twice.
    fn ask_soon(&self, script: &str) -> Result<Answer>;

    /// Starts a command there.
    fn start(
        &self,
        script: &str,
        stdin: bool,
        terminal: Option<TerminalSize>,
    ) -> Result<ChildProcess>;

    /// Kept for as long as something runs there.
    fn hold(&self) -> Arc<()> {
        Arc::default()
    }

    /// What whoever reads the next result should know. Once.
    fn take_notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The task needs neither its private folder there nor the place any more.
    fn leave(&self, folder: &str) -> Result<()>;
}

/// What came of something of ours.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The exit code; none if it did not end in time.
    pub(crate) code: Option<i32>,
    pub(crate) output: Vec<u8>,
}

impl Answer {
    /// What a command line of ours says, and how it ends.
    pub(crate) fn of(line: &CommandLine, input: &[u8], time: Duration) -> Result<Self> {
        let mut process = line.start_piped(true)?;
        let mut output = Vec::new();
        let input = Input::given(input.to_vec());
        let attended = Attendance::with(&input)
            .until(Instant::now() + time)
            .run(&mut process, |bytes| output.extend_from_slice(bytes))?;
        Ok(Self {
            code: match attended.cause {
                Cause::Ended => attended.exit.map(Exit::code),
                Cause::TimedOut | Cause::Interrupted => None,
            },
            output,
        })
    }

    /// The last line that says something, but for where to read on.
    pub(crate) fn last_line(&self) -> String {
        let said = String::from_utf8_lossy(&self.output);
        let says = |line: &&str| !(line.is_empty() || line.contains("--help'"));
        let line = said.lines().map(str::trim).rfind(says);
        line.unwrap_or("no answer in time").to_owned()
    }

    pub(crate) fn into_error(self, doing: &str) -> Error {
        let said = String::from_utf8_lossy(&self.output).trim().to_owned();
        // What a shell says, in any language: a program that is not there.
        if self.code == Some(127) || said.contains(": not found") {
            return Error::ProgramMissing {
                doing: doing.to_owned(),
                reason: self.last_line(),
            };
        }
        Error::io(doing)(std::io::Error::other(said))
    }
}
