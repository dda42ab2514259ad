//! Runs an agent's shell commands: sessions, limits, time-outs, and nothing left behind.

#![cfg(unix)]
#![forbid(unsafe_code)]

mod advice;
mod attend;
mod backend;
mod background;
mod bounded;
mod child;
mod command_line;
mod decode;
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
mod request;
mod script;
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
pub use environment::{CallId, Environment, Launch, Shell, Started, TerminalSize, Unusable};
pub use error::{Error, Result};
pub use gate::{Approval, Gate, GateRequest};
pub use interrupt::Interrupt;
pub use limits::Limits;
pub use local::Local;
pub use outcome::{INTERRUPTED, NOT_STARTED, Outcome, TIMED_OUT};
pub use process::{Exit, Process, Signal};
pub use request::Request;
pub use terminal::{Running, Start, Terminal, TerminalBuilder};
pub use variables::Variables;

/// The README's examples are compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
