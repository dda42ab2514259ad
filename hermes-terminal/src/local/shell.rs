//! The shell of one task on this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::scratch::Scratch;
use super::state::{Left, State};
use super::{Interpreter, Settings, places};
use crate::environment::{CallId, Launch, Shell, Started};
use crate::{Error, Result};

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

#[derive(Debug, Clone)]
struct Ready {
    interpreter: Interpreter,
    state: Option<Arc<State>>,
}

#[derive(Debug)]
struct Running {
    scratch: Scratch,
    keeps_state: bool,
    /// Where it was started, if that is not where the task is.
    workdir: Option<PathBuf>,
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

    fn named(&self, directory: &Path, from: &Path) -> Result<PathBuf> {
        places::named(directory, from, self.settings.user_home())
    }

    fn directory_in(&self, inner: &Inner, workdir: Option<&Path>) -> Result<PathBuf> {
        match workdir {
            Some(workdir) => self.named(workdir, &inner.directory),
            None => Ok(places::nearest(&inner.directory)),
        }
    }

    fn ready(&self, inner: &mut Inner, notes: &mut Vec<String>) -> Result<Ready> {
        if let Some(ready) = &inner.ready {
            return Ok(ready.clone());
        }
        let interpreter = self
            .settings
            .interpreter()
            .map_err(|why| Error::BackendUnusable {
                name: "local".to_owned(),
                why,
            })?;
        let state = if self.settings.login {
            let directory = places::nearest(&inner.directory);
            self.settings.read_login(&interpreter, &directory, notes)?
        } else {
            None
        };
        let ready = Ready {
            interpreter,
            state: state.map(Arc::new),
        };
        Ok(inner.ready.insert(ready).clone())
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
        let Ready { interpreter, state } = self.ready(&mut inner, &mut notes)?;
        let call = CallId(inner.next);
        inner.next += 1;
        // Commands of one task do not wait for each other.
        drop(inner);
        let prepared = self
            .settings
            .prepare(&interpreter, state.as_deref(), launch, &directory)?;
        let process = match launch.terminal {
            Some(size) => prepared.line.start_on_terminal(size)?,
            None => prepared.line.start_piped(launch.stdin)?,
        };
        let running = Running {
            scratch: prepared.scratch,
            keeps_state: launch.keeps_state,
            workdir: launch.workdir.map(|_| directory.clone()),
        };
        self.inner().running.insert(call, running);
        Ok(Started {
            call,
            process: Box::new(process),
            directory,
            notes,
        })
    }

    fn settle(&self, call: CallId) -> Result<()> {
        let Some(running) = self.inner().running.remove(&call) else {
            return Ok(());
        };
        // A shell that was replaced or killed has left nothing: what was before holds.
        let left = Some(&running.scratch)
            .filter(|_| running.keeps_state)
            .and_then(Left::of);
        if let Some(Left { state, directory }) = left {
            let has_stayed = |workdir: &PathBuf| places::is_same(workdir, &directory);
            let moves = !running.workdir.as_ref().is_some_and(has_stayed);
            let mut inner = self.inner();
            if moves {
                inner.directory = directory;
            }
            if let Some(ready) = &mut inner.ready {
                ready.state = Some(Arc::new(state));
            }
        }
        Ok(())
    }
}
