//! The shell of one task on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::folder::{CallFolder, TaskFolder};
use super::{Interpreter, Settings, places, snapshot};
use crate::command_line::CommandLine;
use crate::environment::{CallId, Launch, Shell, Started};
use crate::script::{self, Beginning};
use crate::{Error, Result};

/// What tells the processes of a command from those of any other.
pub(crate) const MARKER: &str = "HERMES_TERMINAL_CALL";

#[derive(Debug)]
pub(super) struct LocalShell {
    settings: Arc<Settings>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    directory: PathBuf,
    /// Made at the first command.
    ready: Option<Ready>,
    running: BTreeMap<CallId, Running>,
    next: u64,
}

#[derive(Debug)]
struct Ready {
    folder: TaskFolder,
    interpreter: Interpreter,
    state: Option<State>,
}

/// What the last command has left. A running command keeps the folder it was started from.
#[derive(Debug, Clone)]
struct State {
    folder: Arc<CallFolder>,
    exported: Option<Arc<BTreeSet<OsString>>>,
}

#[derive(Debug)]
struct Running {
    folder: CallFolder,
    keeps_state: bool,
    /// Where it was started, if that is not where the task is.
    workdir: Option<PathBuf>,
    _from: Option<State>,
}

impl LocalShell {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        let directory = settings.directory.clone();
        Self {
            settings,
            inner: Mutex::new(Inner {
                directory,
                ready: None,
                running: BTreeMap::new(),
                next: 0,
            }),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shell for LocalShell {
    fn directory(&self) -> PathBuf {
        self.inner().directory.clone()
    }

    fn directory_for(&self, workdir: Option<&Path>) -> Result<PathBuf> {
        self.directory_in(&self.inner(), workdir)
    }

    fn set_directory(&self, directory: &Path) -> Result<()> {
        let mut inner = self.inner();
        inner.directory = self.named(directory, &inner.directory)?;
        Ok(())
    }

    fn start(&self, launch: &Launch<'_>) -> Result<Started> {
        let mut inner = self.inner();
        let mut notes = Vec::new();
        let directory = self.directory_in(&inner, launch.workdir)?;
        if launch.workdir.is_none() && directory != inner.directory {
            notes.push(format!(
                "the directory {} has vanished; this ran in {}",
                inner.directory.display(),
                directory.display()
            ));
            inner.directory.clone_from(&directory);
        }
        self.make_ready(&mut inner, &mut notes)?;
        let Some(ready) = &inner.ready else {
            // It has just been made.
            return Err(Error::Misuse {
                what: "the shell of this task is not ready",
            });
        };
        let call = CallId(inner.next);
        let prepared = self.prepare(ready, ready.state.as_ref(), launch, &directory)?;
        let process = match launch.terminal {
            Some(size) => prepared.line.start_on_terminal(size)?,
            None => prepared.line.start_piped(launch.stdin)?,
        };
        let running = Running {
            folder: prepared.folder,
            keeps_state: launch.keeps_state,
            workdir: launch.workdir.map(|_| directory.clone()),
            _from: ready.state.clone(),
        };
        inner.running.insert(call, running);
        inner.next += 1;
        Ok(Started {
            call,
            process: Box::new(process),
            directory,
            notes,
        })
    }

    fn settle(&self, call: CallId) -> Result<()> {
        let mut inner = self.inner();
        let Some(running) = inner.running.remove(&call) else {
            return Ok(());
        };
        if !running.keeps_state {
            return Ok(());
        }
        // A shell that was replaced or killed has left nothing: what was before holds.
        if let Some(directory) = running.folder.directory() {
            let has_stayed = |workdir: &PathBuf| places::is_same(workdir, &directory);
            if !running.workdir.as_ref().is_some_and(has_stayed) {
                inner.directory = directory;
            }
            if let Some(ready) = &mut inner.ready {
                ready.state = Some(State::left_in(running.folder));
            }
        }
        Ok(())
    }
}

/// A command line, and the folder it needs.
struct Prepared {
    line: CommandLine,
    folder: CallFolder,
}

impl LocalShell {
    fn named(&self, directory: &Path, from: &Path) -> Result<PathBuf> {
        places::named(directory, from, self.settings.user_home())
    }

    fn directory_in(&self, inner: &Inner, workdir: Option<&Path>) -> Result<PathBuf> {
        match workdir {
            Some(workdir) => self.named(workdir, &inner.directory),
            None => Ok(places::nearest(&inner.directory)),
        }
    }

    fn make_ready(&self, inner: &mut Inner, notes: &mut Vec<String>) -> Result<()> {
        if let Some(ready) = &inner.ready {
            if ready.folder.is_there() {
                return Ok(());
            }
            notes.push(
                "the private folder of this task was removed; variables, functions and aliases of \
                 earlier commands are gone"
                    .to_owned(),
            );
        }
        let interpreter = self
            .settings
            .interpreter()
            .map_err(|why| Error::BackendUnusable {
                name: "local".to_owned(),
                why,
            })?;
        let mut ready = Ready {
            folder: TaskFolder::make(&self.settings.private_in, interpreter.dialect)?,
            interpreter,
            state: None,
        };
        if self.settings.login {
            ready.state = self.read_login(&ready, &inner.directory, notes)?;
        }
        inner.ready = Some(ready);
        Ok(())
    }

    fn read_login(
        &self,
        ready: &Ready,
        directory: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Option<State>> {
        let path = self.settings.path();
        let read = script::login(ready.interpreter.dialect, path);
        let mut state = self.state_after(&read, ready, None, directory, notes)?;
        if let Some(with_all) = &state {
            let secrets = snapshot::secrets_in(&with_all.folder, &self.settings.variables);
            if !secrets.is_empty() {
                // They must not even be in a file.
                let forget = script::unset(&secrets);
                state = self.state_after(&forget, ready, state.as_ref(), directory, notes)?;
            }
        }
        Ok(state.map(|state| State {
            // Nothing has been unset by anybody.
            exported: None,
            ..state
        }))
    }

    /// What a command of ours leaves; without a state to begin with, in a login shell.
    fn state_after(
        &self,
        command: &str,
        ready: &Ready,
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
        let Prepared { line, folder } = self.prepare(ready, state, &launch, directory)?;
        let mut line = line;
        if state.is_none() {
            line.arguments.insert(0, OsString::from("-l"));
        }
        let mut process = line.start_piped(false)?;
        if let Some(note) = snapshot::wait(&mut process, self.settings.login_timeout)? {
            notes.push(note);
            return Ok(None);
        }
        if folder.directory().is_none() {
            notes.push("the login shell failed; commands run without its environment".to_owned());
            return Ok(None);
        }
        Ok(Some(State::left_in(folder)))
    }

    fn prepare(
        &self,
        ready: &Ready,
        state: Option<&State>,
        launch: &Launch<'_>,
        directory: &Path,
    ) -> Result<Prepared> {
        let folder = ready.folder.call()?;
        let (home, home_value) = self.settings.home_for_children();
        // The name of the folder is random, and so is this.
        let marker = folder.path().file_name().unwrap_or_default().to_owned();
        let fixed = [(home, home_value.as_os_str()), (MARKER, marker.as_os_str())];
        let end = launch.keeps_state.then(|| ready.folder.end());
        let dialect = ready.interpreter.dialect;
        let beginning = script::begin(
            dialect,
            &Beginning {
                command: launch.command,
                state: state.map(|state| state.folder.path()),
                leave: end.map(|end| (folder.path(), end)),
                directory,
                fixed: &fixed,
                sudo: launch.sudo,
            },
        );
        let call = folder.write_beginning(&beginning)?;
        let line = OsString::from_vec(script::one_line(dialect, &call, end));
        let name = ready.interpreter.path.file_name().unwrap_or_default();
        let arguments = vec![OsString::from("-c"), line, name.to_owned()];
        let mut variables: Vec<(OsString, OsString)> = self
            .settings
            .variables
            .for_children()
            .filter(|(name, _)| !was_unset(name, state))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        for (name, value) in fixed {
            variables.push((name.into(), value.to_owned()));
        }
        variables.push(("PWD".into(), directory.into()));
        if launch.terminal.is_some() && !variables.iter().any(|(name, _)| name == "TERM") {
            variables.push(("TERM".into(), "xterm-256color".into()));
        }
        Ok(Prepared {
            line: CommandLine {
                program: ready.interpreter.path.clone().into(),
                arguments,
                variables,
                directory: directory.to_owned(),
                marker: Some((MARKER.into(), marker)),
            },
            folder,
        })
    }
}

impl State {
    fn left_in(folder: CallFolder) -> Self {
        Self {
            exported: folder.exported().map(Arc::new),
            folder: Arc::new(folder),
        }
    }
}

/// Whether an earlier command has unset a variable that children are given. Only a shell's own
/// kind of name can be.
fn was_unset(name: &OsStr, state: Option<&State>) -> bool {
    let is_name = name
        .as_encoded_bytes()
        .iter()
        .all(|&byte| byte == b'_' || byte.is_ascii_alphanumeric());
    is_name
        && state
            .and_then(|state| state.exported.as_ref())
            .is_some_and(|exported| !exported.contains(name))
}
