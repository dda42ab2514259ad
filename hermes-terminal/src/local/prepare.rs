//! What a shell is started with.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::scratch::Scratch;
use super::state::{self, State};
use super::{Interpreter, Settings};
use crate::Result;
use crate::command_line::CommandLine;
use crate::environment::Launch;
use crate::script::{self, Beginning};

/// What tells the processes of a command from those of any other.
pub(crate) const MARKER: &str = "HERMES_TERMINAL_CALL";

/// A command line, and the texts that it names.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) line: CommandLine,
    pub(super) scratch: Scratch,
}

impl Settings {
    pub(super) fn prepare(
        &self,
        interpreter: &Interpreter,
        state: Option<&State>,
        launch: &Launch<'_>,
        directory: &Path,
    ) -> Result<Prepared> {
        let mut scratch = Scratch::new(self.private_in.as_deref())?;
        let dialect = interpreter.dialect;
        let (home, home_value) = self.home_for_children();
        let marker = next_marker();
        let fixed = [(home, home_value.as_os_str()), (MARKER, marker.as_os_str())];
        let end = if launch.keeps_state {
            let text = script::end(dialect, &state::room(&mut scratch)?);
            Some(scratch.put("end", &text)?)
        } else {
            None
        };
        let command_file = scratch.put("command", launch.command.as_bytes())?;
        let beginning = Beginning {
            command_file: &command_file,
            command: launch.command,
            directory,
            state: state.map(|state| state.put(&mut scratch)).transpose()?,
            fixed: &fixed,
            sudo: launch.sudo,
            end: end.as_deref(),
        };
        let call = scratch.put("call", &script::begin(dialect, &beginning))?;
        let line = script::one_line(dialect, &call, end.as_deref());
        let name = interpreter.path.file_name().unwrap_or_default();
        let mut variables: Vec<(OsString, OsString)> = self
            .variables
            .for_children()
            .filter(|(name, _)| !state.is_some_and(|state| state.has_unset(name)))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        variables.extend(fixed.map(|(name, value)| (name.into(), value.to_owned())));
        if launch.terminal.is_some() && !variables.iter().any(|(name, _)| name == "TERM") {
            variables.push(("TERM".into(), "xterm-256color".into()));
        }
        Ok(Prepared {
            line: CommandLine {
                program: interpreter.path.clone().into(),
                arguments: vec!["-c".into(), OsString::from_vec(line), name.to_owned()],
                variables,
                marker: Some((MARKER.into(), marker)),
            },
            scratch,
        })
    }
}

/// No other command has it, of this process or of an earlier one with the same number.
pub(crate) fn next_marker() -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let started = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    OsString::from(format!(
        "{}-{}-{number}",
        std::process::id(),
        started.as_nanos()
    ))
}
