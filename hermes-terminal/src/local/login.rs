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
use crate::script;

impl Settings {
    /// The state that a login shell leaves, without the secrets in it. Nothing if it does not come
    /// to its end; why, is a note then.
    pub(super) fn read_login(
        &self,
        interpreter: &Interpreter,
        directory: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Option<State>> {
        let read = script::login(interpreter.dialect, self.path());
        let mut state = self.state_after(&read, interpreter, None, directory, notes)?;
        if let Some(all) = &state {
            let secrets = all.secrets(&self.variables);
            if !secrets.is_empty() {
                let forget = script::unset(&secrets);
                state = self.state_after(&forget, interpreter, Some(all), directory, notes)?;
            }
        }
        if let Some(state) = &mut state {
            state.forget_names();
        }
        Ok(state)
    }

    /// What a command of ours leaves; without a state to begin with, in a login shell.
    fn state_after(
        &self,
        command: &str,
        interpreter: &Interpreter,
        state: Option<&State>,
        directory: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Option<State>> {
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
            notes.push(format!(
                "the login shell was not ready after {} s; commands run without its environment",
                self.login_timeout.as_secs_f64()
            ));
            return Ok(None);
        }
        let left = Left::of(&scratch);
        if left.is_none() {
            notes.push("the login shell failed; commands run without its environment".to_owned());
        }
        Ok(left.map(|left| left.state))
    }
}
