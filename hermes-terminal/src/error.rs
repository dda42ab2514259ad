//! What can go wrong before a command runs, or around it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::backend::KNOWN;
use crate::environment::Unusable;

/// A command that exits with a failure is not an error: it is an [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No backend has this name.
    #[error("unknown terminal backend {name:?}; use one of: {}", KNOWN.join(", "))]
    UnknownBackend {
        /// The name as given.
        name: String,
    },

    /// The backend is known, and not offered here.
    #[error(
        "the terminal backend {name} is not built into this program; use one of: {}",
        offered.join(", ")
    )]
    BackendNotBuilt {
        /// Its name.
        name: String,
        /// Those that are.
        offered: Vec<String>,
    },

    /// The backend can't be used on this machine as it is now.
    #[error("the terminal backend {name} cannot be used: {why}")]
    BackendUnusable {
        /// Its name.
        name: String,
        /// Why not, and what to do.
        why: Unusable,
    },

    /// A terminal was built without saying who approves its commands.
    #[error("no gate: give the terminal one with `gate`, or say `without_gate`")]
    NoGate,

    /// A terminal was built without saying where its commands run.
    #[error("no environment: give the terminal one with `environment`")]
    NoEnvironment,

    /// There is nothing to run.
    #[error("the command is empty; give one")]
    EmptyCommand,

    /// A shell cannot be given a NUL.
    #[error("the command has a NUL at byte {at}; write it as $'\\0' or take it out")]
    CommandHasNul {
        /// Offset in bytes.
        at: usize,
    },

    /// What is judged must be what is run, so a command is text.
    #[error("the command is not UTF-8 at byte {at}; convert it, or write the bytes as $'\\xNN'")]
    CommandNotUtf8 {
        /// Offset in bytes.
        at: usize,
    },

    /// The directory asked for is not there.
    #[error("the working directory {} does not exist; make it or name another", path.display())]
    WorkdirMissing {
        /// As given, made absolute.
        path: PathBuf,
    },

    /// The directory asked for is something else.
    #[error("{} is not a directory that can be entered; name another", path.display())]
    WorkdirUnusable {
        /// As given, made absolute.
        path: PathBuf,
    },

    /// A time-out that is no time.
    #[error("a time-out of {given} seconds cannot be kept; give a number above 0")]
    BadTimeout {
        /// As given.
        given: f64,
    },

    /// A time-out above what the foreground may take.
    #[error(
        "a time-out of {} s is above the limit of {} s; run the command in the background",
        asked.as_secs_f64(),
        limit.as_secs_f64()
    )]
    TimeoutTooLong {
        /// As given.
        asked: Duration,
        /// The longest that is kept.
        limit: Duration,
    },

    /// What was asked is for another kind of request.
    #[error("{what}")]
    Misuse {
        /// What to do instead.
        what: &'static str,
    },

    /// No background process has this id.
    #[error("no background process has the id {id:?}; list those there are")]
    UnknownProcess {
        /// As given.
        id: String,
    },

    /// As many run in the background as may.
    #[error("{limit} background processes run already; end one of them first")]
    TooManyProcesses {
        /// How many may.
        limit: usize,
    },

    /// A background process takes no input.
    #[error("the process {id} takes no input: {why}")]
    NoInput {
        /// Its id.
        id: String,
        /// Why, and what to do.
        why: &'static str,
    },

    /// A background process is still there although it was killed.
    #[error("the process {id} has not ended although it was killed; it may wait for a device")]
    NotKilled {
        /// Its id.
        id: String,
    },

    /// The list of background processes can't be read.
    #[error("{} {problem}; move it away, and processes of earlier runs are not found again", path.display())]
    BadCheckpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },

    /// Another machine does not answer.
    #[error("the host {host} cannot be reached: {reason}; try `{command}`")]
    Unreachable {
        /// Its name.
        host: String,
        /// What tries it by hand.
        command: String,
        /// What `ssh` says.
        reason: String,
    },

    /// Where commands are to run there is no program that takes them in.
    #[error(
        "{doing}: {reason}; sh, cat, env, grep, head, kill, mkdir, mktemp, rm, sleep, tail and tr must \
         be there: install them, or use an image that has them"
    )]
    ProgramMissing {
        /// What was being done.
        doing: String,
        /// What the shell there says.
        reason: String,
    },

    /// The image of a container is not here and could not be had.
    #[error(
        "the image {image} is not here and could not be had: {reason}; try `{program} pull {image}`, \
         or name another image"
    )]
    ImageMissing {
        /// Its name.
        image: String,
        /// The program that keeps images.
        program: String,
        /// What that says.
        reason: String,
    },

    /// A container could not be made or started, or does not answer.
    #[error("{doing}: {reason}; {remedy}")]
    Container {
        /// What was being done.
        doing: String,
        /// What its program says.
        reason: String,
        /// What to do about it.
        remedy: String,
    },

    /// A container has ended while it was used, with all that ran in it.
    #[error("the container {name} has ended ({reason}); the next command has a new one")]
    ContainerGone {
        /// Its name.
        name: String,
        /// What its program says.
        reason: String,
    },

    /// A program could not be started.
    #[error("{program} could not be started: {source}")]
    Spawn {
        /// Its name.
        program: String,
        /// Why not.
        source: io::Error,
    },

    /// The operating system refused something.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// Why it failed.
        source: io::Error,
    },
}

/// What this crate gives back.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}
