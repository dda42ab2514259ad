//! The shell of one task, where its commands run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::process::RemoteProcess;
use super::session::{Session, checked, line, removal, say_nearest};
use super::{Answer, Place};
use crate::environment::{CallId, Launch, Shell, Started, TerminalSize};
use crate::local::{MARKER, next_marker};
use crate::script::{self, Beginning, Dialect, quoted_text};
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct RemoteShell {
    place: Arc<dyn Place>,
    start: Start,
    session: Mutex<Arc<Session>>,
    inner: Mutex<Inner>,
}

/// What a session begins with, besides what a login there says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Start {
    /// Where the first command starts, instead of where a login does.
    pub(crate) directory: Option<PathBuf>,
    /// Files that are read after those of a login; `~/` is the home there.
    pub(crate) init_files: Vec<String>,
    /// Whether `~/.bashrc` is read before them, where there is bash.
    pub(crate) bashrc: bool,
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
    session: Arc<Session>,
    _hold: Arc<()>,
}

/// What the script that prepares a command says when the private folder is gone.
const LOST: i32 = 8;

impl RemoteShell {
    pub(crate) fn open(place: Arc<dyn Place>, start: Start) -> Result<Self> {
        let session = Session::open(&*place)?;
        let directory = match &start.directory {
            Some(directory) => session.named(directory, &session.directory),
            None => session.directory.clone(),
        };
        let session = Arc::new(session);
        let shell = Self {
            place,
            start,
            session: Mutex::new(Arc::clone(&session)),
            inner: Mutex::new(Inner {
                directory,
                state: None,
                running: BTreeMap::new(),
                next: 0,
                done: BTreeSet::new(),
            }),
        };
        shell.read_login(&session)?;
        Ok(shell)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session_slot())
    }

    fn session_slot(&self) -> MutexGuard<'_, Arc<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_call(&self) -> u64 {
        let mut inner = self.inner();
        inner.next += 1;
        inner.next
    }

    /// Login files that fail leave nothing; commands do without. So it is with those that are read
    /// after them.
    fn read_login(&self, session: &Session) -> Result<()> {
        let dialect = session.dialect;
        let variables = self.place.variables();
        let login = script::login(dialect, None, &[], variables);
        let left = self.take_state(session, &login, "-l ")?;
        let bashrc = self.start.bashrc && dialect == Dialect::Bash;
        let bashrc = bashrc.then_some("~/.bashrc").into_iter();
        let files = bashrc.chain(self.start.init_files.iter().map(String::as_str));
        let files: Vec<PathBuf> = files
            .map(|file| session.named(Path::new(file), &session.home))
            .collect();
        let files: Vec<&str> = files.iter().filter_map(|file| file.to_str()).collect();
        if !files.is_empty() || (!left && !variables.is_empty()) {
            let read = script::login(dialect, None, &files, variables);
            self.take_state(session, &read, "")?;
        }
        Ok(())
    }

    /// Runs a command of ours, and takes over the state that it leaves. Says whether it left one.
    fn take_state(&self, session: &Session, command: &str, options: &str) -> Result<bool> {
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
        let directory = session.directory.clone();
        let prepared = self
            .prepare(session, call, before, &launch, &directory, &next_marker())?
            .ok_or_else(|| self.lost())?;
        let answer = self.place.ask(&prepared.run(options, None), b"")?;
        let left = session.read_left(&*self.place, call)?;
        let left = left.is_some() && answer.code == Some(script::READ);
        tracing::debug!(code = answer.code, left, "a login environment was read");
        let mut inner = self.inner();
        let unused = match left {
            true => inner.state.replace(call),
            false => Some(call),
        };
        inner.done.extend(unused);
        Ok(left)
    }

    fn lost(&self) -> Error {
        Error::io(format!("working in {}", self.place.called()))(std::io::Error::other(
            "the private folder of the task vanishes as soon as it is made",
        ))
    }

    /// Begins anew where the private folder has gone with all that was in it.
    fn open_again(&self, lost: &Session, notes: &mut Vec<String>) -> Result<Arc<Session>> {
        let mut slot = self.session_slot();
        if slot.folder == lost.folder {
            let session = Arc::new(Session::open(&*self.place)?);
            {
                let mut inner = self.inner();
                inner.state = None;
                inner.done.clear();
            }
            self.read_login(&session)?;
            *slot = session;
            notes.push(format!(
                "{} was made or started anew: variables, functions and processes of earlier \
                 commands are gone",
                self.place.called()
            ));
        }
        Ok(Arc::clone(&slot))
    }

    /// Puts what a command needs into its folder there, and says what to run. Nothing if the
    /// private folder is gone.
    fn prepare(
        &self,
        session: &Session,
        call: u64,
        state: Option<u64>,
        launch: &Launch<'_>,
        directory: &Path,
        marker: &OsStr,
    ) -> Result<Option<Prepared>> {
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
            "[ -d {session_folder} ] || exit {LOST}\n\
             umask 077; mkdir -p {folder} && cd {folder} && printf %s {end_text} >end &&\n\
             cat >input && head -c {length} input >call && tail -c +{rest} input >command &&\n\
             rm input || exit 1\n\
             {removal}\n\
             {say_nearest}",
            session_folder = quoted_text(&session.folder),
            removal = removal(done.iter().map(|&call| session.call_folder(call))),
            folder = quoted_text(&folder),
            end_text = quoted_text(&end_text),
            length = begin.len(),
            rest = begin.len() + 1,
            say_nearest = say_nearest(directory)?,
        );
        let input = [begin.as_bytes(), launch.command.as_bytes()].concat();
        let answer = self.place.ask(&put, &input)?;
        if answer.code == Some(LOST) {
            return Ok(None);
        }
        self.inner().done.retain(|call| !done.contains(call));
        let nearest = line(self.checked(answer, "preparing a command")?);
        Ok(Some(Prepared {
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
            pump: (self.place.waits_for_output() && launch.terminal.is_none())
                .then(|| format!("{folder}/output")),
            group: format!("{folder}/group"),
            marker: marker.to_string_lossy().into_owned(),
        }))
    }

    fn checked(&self, answer: Answer, doing: &str) -> Result<Vec<u8>> {
        checked(answer, &format!("{doing} in {}", self.place.called()))
    }

    fn directory_there(&self, workdir: &Path) -> Result<PathBuf> {
        let session = self.session();
        let wanted = session.named(workdir, &self.directory());
        let nearest = session.nearest(&*self.place, &wanted)?;
        if nearest == wanted {
            Ok(nearest)
        } else {
            Err(Error::WorkdirMissing { path: wanted })
        }
    }
}

/// How many seconds output is still read that something has left behind holds.
const LATE: u32 = 1;

/// A command whose texts are there.
struct Prepared {
    /// What can be entered of the directory that it is to start in.
    nearest: PathBuf,
    line: String,
    shell: &'static str,
    /// The pipe that its output goes through, if that is not to be held by what it leaves behind.
    pump: Option<String>,
    group: String,
    marker: String,
}

impl Prepared {
    /// The script that runs it. Output and errors go the same way, so that they come in order.
    fn run(&self, options: &str, terminal: Option<TerminalSize>) -> String {
        let Self {
            line,
            shell,
            marker,
            ..
        } = self;
        let ends = match terminal {
            None => "exec 2>&1".to_owned(),
            Some(TerminalSize { rows, columns }) => format!(
                "stty rows {rows} cols {columns} 2>/dev/null\n\
                 case ${{TERM-}} in ''|dumb|unknown) export TERM=xterm-256color;; esac"
            ),
        };
        let group = quoted_text(&self.group);
        let command = format!(
            "env {MARKER}={marker} {shell} {options}-c {} {shell}",
            quoted_text(line)
        );
        match &self.pump {
            None => format!("{ends}\necho $$ >{group}; exec {command}"),
            Some(pipe) => format!(
                "echo $$ >{group}; mkfifo {pipe} || exit 126\n\
                 exec 2>/dev/null; trap : TERM INT\n\
                 (trap '' TERM INT; exec cat <{pipe}) & pump=$!\n\
                 {command} >{pipe} 2>&1; code=$?\n\
                 (sleep {LATE}; kill -KILL $pump) >/dev/null 2>&1 </dev/null & late=$!\n\
                 wait $pump; kill $late\n\
                 exit $code",
                pipe = quoted_text(pipe),
            ),
        }
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Shell for RemoteShell {
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
        let call = self.next_call();
        let hold = self.place.hold();
        let session = self.session();
        let running = {
            let mut inner = self.inner();
            let running = Running {
                keeps_state: launch.keeps_state,
                from: inner.state,
                workdir: launch
                    .workdir
                    .map(|workdir| session.named(workdir, &inner.directory)),
                session,
                _hold: hold,
            };
            inner.running.insert(CallId(call), running.clone());
            running
        };
        let started = self.start_call(call, running, launch);
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
            running.session.read_left(&*self.place, call.0)
        } else {
            Ok(None)
        };
        let is_current = self.session().folder == running.session.folder;
        let mut inner = self.inner();
        inner.running.remove(&call);
        if !is_current {
            return left.map(drop);
        }
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

impl RemoteShell {
    fn start_call(&self, call: u64, mut running: Running, launch: &Launch<'_>) -> Result<Started> {
        let mut notes = Vec::new();
        let mut directory = running.workdir.clone().unwrap_or_else(|| self.directory());
        let marker = next_marker();
        let mut openings = 0;
        let prepared = loop {
            let Running { session, from, .. } = &running;
            let prepared = self.prepare(session, call, *from, launch, &directory, &marker)?;
            let Some(prepared) = prepared else {
                openings += 1;
                if openings > 2 {
                    return Err(self.lost());
                }
                let session = self.open_again(&running.session, &mut notes)?;
                let mut inner = self.inner();
                running.session = session;
                running.from = inner.state;
                inner.running.insert(CallId(call), running.clone());
                continue;
            };
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
        let script = prepared.run("", launch.terminal);
        let client = self.place.start(&script, launch.stdin, launch.terminal)?;
        notes.extend(self.place.take_notes());
        let process = RemoteProcess {
            client,
            place: Arc::clone(&self.place),
            group_file: prepared.group,
            marker: format!("{MARKER}={}", prepared.marker),
        };
        Ok(Started {
            call: CallId(call),
            process: Box::new(process),
            directory,
            notes,
        })
    }
}

impl Drop for RemoteShell {
    fn drop(&mut self) {
        if let Err(error) = self.place.leave(&self.session().folder) {
            let place = self.place.called();
            tracing::warn!(%error, place, "something of a task stays");
        }
    }
}
