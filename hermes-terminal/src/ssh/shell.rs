//! The shell of one task on another machine.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::connection::{Connection, quoted};
use super::process::RemoteProcess;
use super::session::{Session, checked};
use crate::environment::{CallId, Launch, Shell, Started};
use crate::local::{MARKER, next_marker};
use crate::process::Process;
use crate::script::{self, Beginning};
use crate::{Error, Result};

#[derive(Debug)]
pub(super) struct SshShell {
    connection: Arc<Connection>,
    session: Session,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    directory: PathBuf,
    /// The call whose state holds.
    state: Option<u64>,
    running: BTreeMap<CallId, Running>,
    next: u64,
}

#[derive(Debug)]
struct Running {
    keeps_state: bool,
    /// The call that it has the state of.
    from: Option<u64>,
    /// Where it was started, if that is not where the task is.
    workdir: Option<PathBuf>,
}

impl SshShell {
    pub(super) fn open(connection: Arc<Connection>, directory: Option<&Path>) -> Result<Self> {
        let session = Session::open(&connection)?;
        let directory = match directory {
            Some(directory) => session.named(directory, &session.directory),
            None => session.directory.clone(),
        };
        let shell = Self {
            connection,
            session,
            inner: Mutex::new(Inner {
                directory,
                state: None,
                running: BTreeMap::new(),
                next: 0,
            }),
        };
        shell.read_login()?;
        Ok(shell)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_call(&self) -> u64 {
        let mut inner = self.inner();
        inner.next += 1;
        inner.next
    }

    /// Login files that fail leave nothing; commands do without.
    fn read_login(&self) -> Result<()> {
        let call = self.next_call();
        let command = script::login(self.session.dialect, None);
        let launch = Launch {
            command: &command,
            workdir: None,
            stdin: false,
            sudo: false,
            keeps_state: true,
            terminal: None,
        };
        let text = self.prepare(
            call,
            None,
            &launch,
            &self.session.directory,
            &next_marker(),
            "-l ",
        )?;
        let answer = self.connection.ask(&text, b"")?;
        tracing::debug!(code = answer.code, "the login environment has been read");
        let paths = self.session.end_paths(call);
        let left = self
            .session
            .read(&self.connection, &paths.directory.to_string_lossy())?;
        if !left.is_empty() {
            self.inner().state = Some(call);
        }
        Ok(())
    }

    /// Puts what a command needs into its folder there, and says what to run.
    fn prepare(
        &self,
        call: u64,
        state: Option<u64>,
        launch: &Launch<'_>,
        directory: &Path,
        marker: &OsStr,
        options: &str,
    ) -> Result<String> {
        let session = &self.session;
        let folder = session.call_folder(call);
        let file = |name: &str| PathBuf::from(format!("{folder}/{name}"));
        let end = file("end");
        let beginning = Beginning {
            command_file: &file("command"),
            command: launch.command,
            directory,
            state: state.map(|call| session.state_paths(call)),
            fixed: &[(MARKER, marker)],
            sudo: launch.sudo,
            end: launch.keeps_state.then_some(end.as_path()),
        };
        let begin = text(script::begin(session.dialect, &beginning));
        let end_text = text(script::end(session.dialect, &session.end_paths(call)));
        // What has been put there by a try that broke off is put there again.
        let put = format!(
            "umask 077; mkdir -p {folder} && cd {folder} && printf %s {end_text} >end &&\n\
             cat >input && head -c {length} input >call && tail -c +{rest} input >command &&\n\
             rm input && printf 'hermes-answers\\n'",
            folder = quoted(&folder),
            end_text = quoted(&end_text),
            length = begin.len(),
            rest = begin.len() + 1,
        );
        let input = [begin.as_bytes(), launch.command.as_bytes()].concat();
        checked(
            self.connection.ask(&put, &input)?,
            "preparing a command there",
        )?;
        let line = script::one_line(session.dialect, &file("call"), beginning.end);
        let shell = match session.dialect {
            script::Dialect::Bash => "bash",
            script::Dialect::Posix => "sh",
        };
        Ok(format!(
            "echo $$ >{group}; exec env {MARKER}={marker} {shell} {options}-c {line} {shell}",
            group = quoted(&format!("{folder}/group")),
            marker = marker.to_string_lossy(),
            line = quoted(&text(line)),
        ))
    }

    fn directory_there(&self, workdir: Option<&Path>) -> Result<PathBuf> {
        let current = self.inner().directory.clone();
        let wanted = match workdir {
            Some(workdir) => self.session.named(workdir, &current),
            None => current,
        };
        let nearest = self.session.nearest(&self.connection, &wanted)?;
        if workdir.is_some() && nearest != wanted {
            return Err(Error::WorkdirMissing { path: wanted });
        }
        Ok(nearest)
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Shell for SshShell {
    fn directory(&self) -> PathBuf {
        self.inner().directory.clone()
    }

    fn directory_for(&self, workdir: Option<&Path>) -> Result<PathBuf> {
        self.directory_there(workdir)
    }

    fn set_directory(&self, directory: &Path) -> Result<()> {
        let there = self.directory_there(Some(directory))?;
        self.inner().directory = there;
        Ok(())
    }

    fn start(&self, launch: &Launch<'_>) -> Result<Started> {
        let mut notes = Vec::new();
        let directory = self.directory_there(launch.workdir)?;
        let call = self.next_call();
        let state = {
            let mut inner = self.inner();
            if launch.workdir.is_none() && directory != inner.directory {
                notes.push(format!(
                    "the directory {} has vanished; this ran in {}",
                    inner.directory.display(),
                    directory.display()
                ));
                inner.directory.clone_from(&directory);
            }
            inner.state
        };
        let marker = next_marker();
        let command = self.prepare(call, state, launch, &directory, &marker, "")?;
        let command = format!("exec sh -c {}", quoted(&command));
        let ssh = self
            .connection
            .start(&command, launch.stdin, launch.terminal)?;
        let id = CallId(call);
        let running = Running {
            keeps_state: launch.keeps_state,
            from: state,
            workdir: launch.workdir.map(|_| directory.clone()),
        };
        self.inner().running.insert(id, running);
        let process: Box<dyn Process> = Box::new(RemoteProcess {
            ssh,
            connection: Arc::clone(&self.connection),
            group_file: format!("{}/group", self.session.call_folder(call)),
            marker: format!("{MARKER}={}", marker.to_string_lossy()),
        });
        Ok(Started {
            call: id,
            process,
            directory,
            notes,
        })
    }

    fn settle(&self, call: CallId) -> Result<()> {
        let Some(running) = self.inner().running.remove(&call) else {
            return Ok(());
        };
        let mut unused = Some(call.0);
        if running.keeps_state {
            let paths = self.session.end_paths(call.0);
            let file = paths.directory.to_string_lossy();
            let mut left = self.session.read(&self.connection, &file)?;
            // A shell that was replaced or killed has left nothing: what was before holds.
            if left.pop() == Some(b'\n') {
                let directory = PathBuf::from(OsString::from_vec(left));
                let mut inner = self.inner();
                if running.workdir.as_ref() != Some(&directory) {
                    inner.directory = directory;
                }
                unused = inner.state.replace(call.0);
            }
        }
        let is_used =
            |inner: &Inner, call| inner.running.values().any(|other| other.from == Some(call));
        let unused = unused.filter(|&call| !is_used(&self.inner(), call));
        match unused {
            Some(call) => self
                .session
                .remove(&self.connection, &self.session.call_folder(call)),
            None => Ok(()),
        }
    }
}

impl Drop for SshShell {
    fn drop(&mut self) {
        if let Err(error) = self.session.remove(&self.connection, &self.session.folder) {
            tracing::warn!(%error, "the private folder of a task stays on the other machine");
        }
    }
}
