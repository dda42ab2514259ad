//! Runs an agent's shell commands: sessions, limits, time-outs, and nothing left behind.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hermes_home::{Environment, Platform};
//! use hermes_terminal::{Local, Request, Terminal};
//!
//! let folder = tempfile::tempdir()?;
//! let env = Environment::new(Platform::host()).with_user_home(folder.path());
//! let home = hermes_home::resolve(&env)?.home;
//! let terminal = Terminal::builder()
//!     .environment(Arc::new(Local::new(home)?.in_directory(folder.path())))
//!     .without_gate()
//!     .build()?;
//!
//! terminal.run("task", &Request::new("mkdir src; cd src; export GREETING=hi"))?;
//! let outcome = terminal.run("task", &Request::new("echo $GREETING from ${PWD##*/}; false"))?;
//! assert_eq!(outcome.output, "hi from src\n");
//! assert_eq!(outcome.exit_code, 1);
//! assert_eq!(outcome.cwd, folder.path().join("src"));
//!
//! // Another task knows nothing of it.
//! let outcome = terminal.run("other", &Request::new("echo ${GREETING-none}"))?;
//! assert_eq!(outcome.output, "none\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What there is
//!
//! | to … | use |
//! |---|---|
//! | run a command to its end | [`Terminal::run`] with a [`Request`], which gives an [`Outcome`] |
//! | leave one running | [`Terminal::start`], which gives its [`Process`] |
//! | end commands from another thread | [`Interrupt`] |
//! | decide what may start | [`Gate`] |
//! | say where commands run | [`Local`], [`Ssh`], [`Docker`], [`Singularity`], or an [`Environment`] of your own; [`select`] by name |
//! | say what children are given | [`Variables`] |
//! | make text of output | [`StreamDecoder`], [`BoundedOutput`] |
//!
//! # Why it is like this
//!
//! **A command is a process of its own.** A shell that is kept running would save the time that a
//! start takes, and would be lost to the first `exit`, `exec` or `set -e`. So each command is a
//! fresh `bash -c`; what it leaves (exported variables, functions, aliases, options, the mask for
//! new files, the directory) is written down by the shell at its end, and read by the next one.
//!
//! **What is left is never read from the output.** It goes through files that on Linux are in the
//! memory of this process alone. No text that a command prints can move a task, and no secret of
//! one lies on a disk. A command that is killed, or replaces its shell, leaves nothing, and what was
//! before holds.
//!
//! **Children get no secrets.** Credentials of model providers and Hermes' own secrets are taken out
//! of what they inherit, and out of what login files set. What a command exports itself is its own.
//!
//! **The end is the end of everything.** A command leads a session of its own, so it has no terminal
//! to wait for. When its time is over, or it is interrupted, its process group gets `TERM`, and so
//! does all else that it has started: on Linux that is found by session, by descent, and by a
//! variable of its own (`HERMES_TERMINAL_CALL`), so that not even a daemon that has forked twice is
//! missed. What is left after the grace gets `KILL`. Numbers of processes are not signalled once
//! they may be somebody else's.
//!
//! **Nothing waits for a fixed time.** Output, input, end, time-out and interruption are one `poll`.
//! A process that still holds the output when the shell has ended is waited for as long as it goes on
//! writing, at most a second; then the outcome says that it is there.
//!
//! **Output is bounded where it is read.** The first 40 % and the last 60 % of 50,000 characters are
//! kept, of gigabytes too. Bytes that are no text are replaced, and terminal codes left out.
//!
//! **Starting does not copy this process.** A `fork` takes 40 ms in a process of 512 MB. Commands
//! are started by `posix_spawn`, which takes the same time in any.
//!
//! **The gate is asked first.** Before any command, on any backend. What is denied does not start,
//! and a terminal cannot be built without saying who approves. Whether `nohup … &` and the like are
//! dangerous is not its matter: they would leave behind what could be neither read nor ended, so
//! they are answered with advice.
//!
//! **`sudo` is handed its password over its input,** once for each use, apart from the input of what
//! it runs. On a terminal it asks whoever sits there.
//!
//! **Over `ssh` it is the same shell.** One connection serves all tasks; what surrounds a command is
//! put into a private folder there, so that commands of any length go over, and neither output nor
//! input carries anything but the command's own. A command that may have started is never started
//! again when the connection breaks off. What runs there is ended there.
//!
//! **In a container it is that shell, too.** Each task has a container, which is made when a command
//! needs it and ended when none has for a while. It has no capabilities but those of package managers,
//! and limits; what the program of this machine cannot limit is left out, and that is said. No variable
//! is on a command line. Whether folders of this machine are in it, the gate is told.
//!
//! # Choices
//!
//! - A `workdir` is for one command. The task moves only if that command goes somewhere else.
//! - `PATH` is what the login files say, followed by what else was in it before.
//! - `set -x` and `set -v` do not last: they would be in the output of every later command.
//! - Functions and aliases are kept by bash alone; another shell can't list them.
//! - Commands of one task may overlap. The next one goes on from the last that ended.
//! - On Linux all of a tree is found; elsewhere its process group is.

#![cfg(unix)]
#![forbid(unsafe_code)]

mod advice;
mod attend;
mod backend;
mod background;
mod bounded;
mod child;
mod command_line;
mod container;
mod decode;
mod docker;
mod environment;
mod error;
mod foreground;
mod gate;
mod input;
mod interrupt;
mod limits;
mod local;
mod notes;
mod outcome;
mod process;
mod programs;
mod remote;
mod request;
mod script;
mod singularity;
mod ssh;
mod sudo;
mod terminal;
mod tree;
mod variables;
mod words;

pub use backend::{KNOWN as BACKENDS, select};
pub use background::{
    Background, BackgroundLimits, Channel, EndReason, Launched, Lines, NewOutput, Notification,
    Notify, PROCESS_PARAMETERS, Poll, ProcessId, ProcessInfo, Processes, ProcessesBuilder,
    Recovered, Status, Waited,
};
pub use bounded::BoundedOutput;
pub use child::ChildProcess;
pub use command_line::CommandLine;
pub use decode::StreamDecoder;
pub use docker::{ContainerLimits, Docker};
pub use environment::{CallId, Environment, Launch, Shell, Started, TerminalSize, Unusable};
pub use error::{Error, Result};
pub use gate::{Approval, Gate, GateRequest};
pub use interrupt::Interrupt;
pub use limits::Limits;
pub use local::Local;
pub use outcome::{INTERRUPTED, NOT_STARTED, Outcome, TIMED_OUT};
pub use process::{Exit, Process, Signal};
pub use request::Request;
pub use singularity::Singularity;
pub use ssh::Ssh;
pub use terminal::{Running, Start, Terminal, TerminalBuilder};
pub use variables::Variables;

/// The README's examples are compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
