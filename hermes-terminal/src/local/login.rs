//! The login environment, read once.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use super::prepare::Prepared;
use super::state::{Left, State};
use super::{Interpreter, Settings};
use crate::Result;
use crate::attend::{Attendance, Cause};
use crate::environment::Launch;
use crate::input::Input;
use crate::script::{self, Dialect};

impl Settings {
    /// The state that a login shell leaves, and what the files that are read after it make of it,
    /// without the secrets in it. Nothing if the login shell does not come to its end; why, is a
    /// note then.
    pub(super) fn read_login(
        &self,
        interpreter: &Interpreter,
        directory: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Option<State>> {
        let dialect = interpreter.dialect;
        let read = script::login(dialect, self.path(), &[], &[]);
        let after = |command: &str, state: Option<&State>| {
            self.state_after(command, interpreter, state, directory)
        };
        let mut state = match after(&read, None)? {
            Ended::With(state) => Some(state),
            Ended::Without(why) => {
                notes.push(format!(
                    "the login shell {why}; commands run without its environment"
                ));
                None
            }
        };
        let files = self.files_after_login(interpreter, notes);
        if let (Some(login), false) = (&state, files.is_empty()) {
            match after(
                &script::login(dialect, self.path(), &files, &[]),
                Some(login),
            )? {
                Ended::With(more) => state = Some(more),
                Ended::Without(why) => notes.push(format!(
                    "a shell that read {} {why}; commands run without what is said there",
                    files.join(", ")
                )),
            }
        }
        if let Some(all) = &state {
            let secrets = all.secrets(&self.variables);
            if !secrets.is_empty() {
                state = match after(&script::unset(&secrets), Some(all))? {
                    Ended::With(state) => Some(state),
                    Ended::Without(why) => {
                        notes.push(format!(
                            "a shell that was to forget secrets {why}; commands run without the \
                             login environment"
                        ));
                        None
                    }
                };
            }
        }
        if let Some(state) = &mut state {
            state.forget_names();
        }
        Ok(state)
    }

    /// Those that are there. What is no text cannot be said to a shell.
    fn files_after_login(&self, interpreter: &Interpreter, notes: &mut Vec<String>) -> Vec<&str> {
        let bashrc = self.bashrc.iter();
        let bashrc = bashrc.filter(|_| interpreter.dialect == Dialect::Bash);
        let there = bashrc.chain(&self.init_files).filter(|file| file.exists());
        let mut files = Vec::new();
        for file in there {
            match file.to_str() {
                Some(file) => files.push(file),
                None => notes.push(format!(
                    "{} was not read: its path is not UTF-8",
                    file.display()
                )),
            }
        }
        files
    }

    /// What a command of ours leaves; without a state to begin with, in a login shell.
    fn state_after(
        &self,
        command: &str,
        interpreter: &Interpreter,
        state: Option<&State>,
        directory: &Path,
    ) -> Result<Ended> {
        let launch = Launch {
            command,
            workdir: None,
            stdin: false,
            sudo: false,
            keeps_state: true,
            terminal: None,
        };
        let prepared = self.prepare(interpreter, state, &launch, directory)?;
        let Prepared { mut line, scratch } = prepared;
        if state.is_none() {
            line.arguments.insert(0, OsString::from("-l"));
        }
        let mut process = line.start_piped(false)?;
        let deadline = Instant::now() + self.login_timeout;
        let input = Input::given(Vec::new());
        let attended = Attendance::with(&input)
            .until(deadline)
            .run(&mut process, |_| {})?;
        if attended.cause != Cause::Ended {
            return Ok(Ended::Without(format!(
                "was not ready after {} s",
                self.login_timeout.as_secs_f64()
            )));
        }
        let is_through = attended
            .exit
            .is_some_and(|exit| exit.code() == script::READ);
        Ok(match Left::of(&scratch).filter(|_| is_through) {
            Some(left) => Ended::With(left.state),
            None => Ended::Without("failed".to_owned()),
        })
    }
}

/// How a shell of ours has ended: with a state, or why without.
enum Ended {
    With(State),
    Without(String),
}
