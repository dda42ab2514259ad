//! The shell of one task on another machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Settings;
use super::connection::{Connection, in_sh};
use super::process::RemoteProcess;
use super::session::{Session, checked, line, removal, say_nearest};
use crate::environment::{CallId, Launch, Shell, Started};
use crate::local::{MARKER, next_marker};
use crate::process::Process;
use crate::script::{self, Beginning, Dialect, quoted_text};
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
    /// Calls whose folders nobody needs: the next command removes them.
    done: BTreeSet<u64>,
}

#[derive(Debug, Clone)]
struct Running {
    keeps_state: bool,
    /// The call that it has the state of.
    from: Option<u64>,
    /// Where it was started, if that is not where the task is.
    workdir: Option<PathBuf>,
}

impl SshShell {
    pub(super) fn open(connection: Arc<Connection>, settings: &Settings) -> Result<Self> {
        let session = Session::open(&connection)?;
        let directory = match &settings.directory {
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
                done: BTreeSet::new(),
            }),
        };
        shell.read_login(settings)?;
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

    /// Login files that fail leave nothing; commands do without. So it is with those that are read
    /// after them.
    fn read_login(&self, settings: &Settings) -> Result<()> {
        let dialect = self.session.dialect;
        self.take_state(&script::login(dialect, None, &[]), "-l ")?;
        let bashrc = settings.bashrc && dialect == Dialect::Bash;
        let bashrc = bashrc.then_some("~/.bashrc").into_iter();
        let files = bashrc.chain(settings.init_files.iter().map(String::as_str));
        let files: Vec<PathBuf> = files
            .map(|file| self.session.named(Path::new(file), &self.session.home))
            .collect();
        let files: Vec<&str> = files.iter().filter_map(|file| file.to_str()).collect();
        if files.is_empty() {
            return Ok(());
        }
        self.take_state(&script::login(dialect, None, &files), "")
    }

    /// Runs a command of ours, and takes over the state that it leaves, if it leaves one.
    fn take_state(&self, command: &str, options: &str) -> Result<()> {
        let call = self.next_call();
        let before = self.inner().state;
        let launch = Launch {
            command,
            workdir: None,
            stdin: false,
            sudo: false,
            keeps_state: true,
            terminal: None,
        };
        let directory = self.session.directory.clone();
        let prepared = self.prepare(call, before, &launch, &directory, &next_marker())?;
        let answer = self.connection.ask_raw(&prepared.run(options), b"")?;
        let left = self.session.read_left(&self.connection, call)?;
        let left = left.is_some() && answer.code == script::READ;
        tracing::debug!(code = answer.code, left, "a login environment was read");
        let mut inner = self.inner();
        let unused = match left {
            true => inner.state.replace(call),
            false => Some(call),
        };
        inner.done.extend(unused);
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
    ) -> Result<Prepared> {
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
        let done = self.inner().done.clone();
        // What has been put there by a try that broke off is put there again.
        let put = format!(
            "umask 077; mkdir -p {folder} && cd {folder} && printf %s {end_text} >end &&\n\
             cat >input && head -c {length} input >call && tail -c +{rest} input >command &&\n\
             rm input || exit 1\n\
             {removal}\n\
             {say_nearest}",
            removal = removal(done.iter().map(|&call| session.call_folder(call))),
            folder = quoted_text(&folder),
            end_text = quoted_text(&end_text),
            length = begin.len(),
            rest = begin.len() + 1,
            say_nearest = say_nearest(directory)?,
        );
        let input = [begin.as_bytes(), launch.command.as_bytes()].concat();
        let answer = self.connection.ask(&put, &input)?;
        self.inner().done.retain(|call| !done.contains(call));
        let nearest = line(checked(answer, "preparing a command there")?);
        Ok(Prepared {
            nearest,
            line: text(script::one_line(
                session.dialect,
                &file("call"),
                beginning.end,
            )),
            shell: match session.dialect {
                Dialect::Bash => "bash",
                Dialect::Posix => "sh",
            },
            group: format!("{folder}/group"),
            marker: marker.to_string_lossy().into_owned(),
        })
    }

    fn directory_there(&self, workdir: &Path) -> Result<PathBuf> {
        let wanted = self.session.named(workdir, &self.directory());
        let nearest = self.session.nearest(&self.connection, &wanted)?;
        if nearest == wanted {
            Ok(nearest)
        } else {
            Err(Error::WorkdirMissing { path: wanted })
        }
    }
}

/// A command whose texts are there.
struct Prepared {
    /// What can be entered of the directory that it is to start in.
    nearest: PathBuf,
    line: String,
    shell: &'static str,
    group: String,
    marker: String,
}

impl Prepared {
    /// What to run there, for any shell that a login may have.
    fn run(&self, options: &str) -> String {
        let Self {
            line,
            shell,
            marker,
            ..
        } = self;
        in_sh(&format!(
            "echo $$ >{}; exec env {MARKER}={marker} {shell} {options}-c {} {shell}",
            quoted_text(&self.group),
            quoted_text(line),
        ))
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
        match workdir {
            Some(workdir) => self.directory_there(workdir),
            // Whether it is still there is seen when the command starts.
            None => Ok(self.directory()),
        }
    }

    fn set_directory(&self, directory: &Path) -> Result<()> {
        let there = self.directory_there(directory)?;
        self.inner().directory = there;
        Ok(())
    }

    fn start(&self, launch: &Launch<'_>) -> Result<Started> {
        if launch.terminal.is_some() {
            return Err(Error::Misuse {
                what: "the backend ssh runs no programs on terminals; run it without one",
            });
        }
        let call = self.next_call();
        let running = {
            let mut inner = self.inner();
            let running = Running {
                keeps_state: launch.keeps_state,
                from: inner.state,
                workdir: launch
                    .workdir
                    .map(|workdir| self.session.named(workdir, &inner.directory)),
            };
            inner.running.insert(CallId(call), running.clone());
            running
        };
        let started = self.start_call(call, &running, launch);
        if started.is_err() {
            let mut inner = self.inner();
            inner.running.remove(&CallId(call));
            inner.done.insert(call);
        }
        started
    }

    fn settle(&self, call: CallId) -> Result<()> {
        let Some(running) = self.inner().running.get(&call).cloned() else {
            return Ok(());
        };
        let left = if running.keeps_state {
            self.session.read_left(&self.connection, call.0)
        } else {
            Ok(None)
        };
        let mut inner = self.inner();
        inner.running.remove(&call);
        let mut maybe_done = vec![call.0];
        maybe_done.extend(running.from);
        // A shell that was replaced or killed has left nothing: what was before holds.
        if let Ok(Some(directory)) = &left {
            maybe_done.extend(inner.state.replace(call.0));
            if running.workdir.as_ref() != Some(directory) {
                inner.directory.clone_from(directory);
            }
        }
        for call in maybe_done {
            let is_used = inner.running.values().any(|other| other.from == Some(call));
            if !is_used && inner.state != Some(call) {
                inner.done.insert(call);
            }
        }
        left.map(drop)
    }
}

impl SshShell {
    fn start_call(&self, call: u64, running: &Running, launch: &Launch<'_>) -> Result<Started> {
        let mut notes = Vec::new();
        let mut directory = running.workdir.clone().unwrap_or_else(|| self.directory());
        let marker = next_marker();
        let prepared = loop {
            let prepared = self.prepare(call, running.from, launch, &directory, &marker)?;
            if prepared.nearest == directory {
                break prepared;
            }
            if running.workdir.is_some() {
                return Err(Error::WorkdirMissing { path: directory });
            }
            notes.push(format!(
                "the directory {} has vanished; this ran in {}",
                directory.display(),
                prepared.nearest.display()
            ));
            directory = prepared.nearest;
            self.inner().directory.clone_from(&directory);
        };
        let ssh = self.connection.start(&prepared.run(""), launch.stdin)?;
        let process: Box<dyn Process> = Box::new(RemoteProcess {
            ssh,
            connection: Arc::clone(&self.connection),
            group_file: prepared.group,
            marker: format!("{MARKER}={}", prepared.marker),
        });
        Ok(Started {
            call: CallId(call),
            process,
            directory,
            notes,
        })
    }
}

impl Drop for SshShell {
    fn drop(&mut self) {
        if let Err(error) = self.session.remove(&self.connection) {
            tracing::warn!(%error, "the private folder of a task stays on the other machine");
        }
    }
}
