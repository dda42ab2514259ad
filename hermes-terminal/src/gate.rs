//! Who decides whether a command may start.

use std::fmt;
use std::path::Path;

/// Asked before any command starts: foreground or background, on every backend.
pub trait Gate: Send + Sync + fmt::Debug {
    /// Decides. May take as long as a person takes to answer.
    fn approve(&self, asked: &GateRequest<'_>) -> Approval;
}

/// What the gate is told.
#[derive(Debug)]
#[non_exhaustive]
pub struct GateRequest<'a> {
    /// The task.
    pub task: &'a str,
    /// The text for the shell.
    pub command: &'a str,
    /// What will be written to its input, if that is known before.
    pub stdin: Option<&'a [u8]>,
    /// The name of the backend.
    pub backend: &'a str,
    /// False if nothing that a command does there reaches this machine.
    pub host_access: bool,
    /// Where it will start.
    pub directory: &'a Path,
    /// Whether it will run in the background.
    pub background: bool,
    /// Whether it will run on a terminal.
    pub pty: bool,
    /// Whether `sudo` will be given a password.
    pub sudo_password: bool,
}

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// It may start; with what whoever reads the result should know.
    Allowed {
        /// Such as who has allowed it.
        note: Option<String>,
    },
    /// It must not start.
    Denied {
        /// For whoever reads the result.
        message: String,
    },
}

/// Lets everything pass. Only for programs whose commands have been judged before.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Open;

impl Gate for Open {
    fn approve(&self, _: &GateRequest<'_>) -> Approval {
        Approval::Allowed { note: None }
    }
}
