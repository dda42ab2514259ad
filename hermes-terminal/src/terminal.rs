//! The terminal: sessions of tasks, and what happens to a request.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use crate::environment::{CallId, Environment, Launch, Shell};
use crate::gate::{Approval, Gate, GateRequest, Open};
use crate::limits::Limits;
use crate::outcome::Outcome;
use crate::process::Process;
use crate::request::Request;
use crate::sudo::{self, Password};
use crate::{Error, Result, advice, words};

/// Runs commands for tasks. Clones are one terminal.
#[derive(Clone, Debug)]
pub struct Terminal {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    environment: Arc<dyn Environment>,
    gate: Arc<dyn Gate>,
    limits: Limits,
    sudo_password: Option<Password>,
    tasks: Mutex<HashMap<String, Task>>,
}

#[derive(Debug, Default)]
struct Task {
    environment: Option<Arc<dyn Environment>>,
    slot: Arc<Slot>,
}

/// The shell of a task, once it is open. Opening may take long: other tasks do not wait for it.
#[derive(Debug, Default)]
struct Slot {
    shell: OnceLock<Arc<dyn Shell>>,
    opening: Mutex<()>,
}

/// Makes a [`Terminal`].
#[derive(Debug, Default)]
#[must_use]
pub struct TerminalBuilder {
    environment: Option<Arc<dyn Environment>>,
    gate: Option<Arc<dyn Gate>>,
    limits: Limits,
    sudo_password: Option<Password>,
}

impl TerminalBuilder {
    /// Where commands run.
    pub fn environment(mut self, environment: Arc<dyn Environment>) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Who approves commands.
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Nobody approves commands. For programs whose commands have been judged before.
    pub fn without_gate(self) -> Self {
        self.gate(Arc::new(Open))
    }

    /// What bounds commands.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The password that `sudo` is given over its input (`SUDO_PASSWORD`).
    pub fn sudo_password(mut self, password: impl Into<String>) -> Self {
        self.sudo_password = Some(Password::new(password));
        self
    }

    /// The terminal.
    ///
    /// # Errors
    ///
    /// [`Error::NoEnvironment`], [`Error::NoGate`].
    pub fn build(self) -> Result<Terminal> {
        Ok(Terminal {
            inner: Arc::new(Inner {
                environment: self.environment.ok_or(Error::NoEnvironment)?,
                gate: self.gate.ok_or(Error::NoGate)?,
                limits: self.limits,
                sudo_password: self.sudo_password,
                tasks: Mutex::default(),
            }),
        })
    }
}

/// What came of starting a command.
#[derive(Debug)]
pub enum Start {
    /// It runs.
    Running(Running),
    /// It must not be started; the outcome says why.
    Refused(Box<Outcome>),
}

/// A command that runs.
#[derive(Debug)]
pub struct Running {
    /// Its process.
    pub process: Box<dyn Process>,
    /// Where it was started.
    pub directory: PathBuf,
    /// When.
    pub started: Instant,
    /// What whoever reads the result should know.
    pub notes: Vec<String>,
    input: FirstInput,
    call: CallId,
    shell: Arc<dyn Shell>,
}

impl Running {
    /// What is to be written to it before anything else: a password that its `sudo` waits for, and
    /// what the request says. Once.
    pub fn take_first_input(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.input.0)
    }

    /// To be called when it has ended: takes over its directory and environment, if it was in the
    /// foreground, and removes what it needed.
    ///
    /// # Errors
    ///
    /// What kept its state from being read.
    pub fn settle(&self) -> Result<()> {
        self.shell.settle(self.call)
    }

    /// Where the next command of the task will start.
    pub fn task_directory(&self) -> PathBuf {
        self.shell.directory()
    }
}

/// Not shown: there may be a password in it.
#[derive(Default)]
struct FirstInput(Vec<u8>);

impl fmt::Debug for FirstInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FirstInput({} bytes)", self.0.len())
    }
}

impl Terminal {
    /// Says what the terminal consists of.
    pub fn builder() -> TerminalBuilder {
        TerminalBuilder::default()
    }

    /// What bounds commands.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// Where commands of a task run.
    pub fn environment_of(&self, task: &str) -> Arc<dyn Environment> {
        let tasks = self.tasks();
        let own = tasks.get(task).and_then(|task| task.environment.as_ref());
        Arc::clone(own.unwrap_or(&self.inner.environment))
    }

    /// Gives a task an environment of its own, such as another container image. Its session so far
    /// ends.
    pub fn set_environment(&self, task: &str, environment: Arc<dyn Environment>) {
        let before = self.tasks().insert(
            task.to_owned(),
            Task {
                environment: Some(environment),
                slot: Arc::default(),
            },
        );
        // Its end may take time: nobody else waits for it.
        drop(before);
    }

    /// Where the next command of a task will start.
    ///
    /// # Errors
    ///
    /// What kept its session from being opened.
    pub fn directory_of(&self, task: &str) -> Result<PathBuf> {
        Ok(self.shell_of(task)?.0.directory())
    }

    /// Changes that.
    ///
    /// # Errors
    ///
    /// [`Error::WorkdirMissing`], [`Error::WorkdirUnusable`], and what kept its session from being
    /// opened.
    pub fn set_directory(&self, task: &str, directory: impl AsRef<Path>) -> Result<()> {
        self.shell_of(task)?.0.set_directory(directory.as_ref())
    }

    /// Forgets a task: its session ends, its private folders go when its last command has ended.
    pub fn end_task(&self, task: &str) {
        let ended = self.tasks().remove(task);
        drop(ended);
    }

    /// The tasks that have a session or an environment of their own, sorted.
    pub fn task_ids(&self) -> Vec<String> {
        let tasks = self.tasks();
        let is_used = |task: &Task| task.environment.is_some() || task.slot.shell.get().is_some();
        let used = tasks.iter().filter(|(_, task)| is_used(task));
        let mut ids: Vec<String> = used.map(|(id, _)| id.clone()).collect();
        ids.sort_unstable();
        ids
    }

    /// Starts a command, when the gate lets it. Whoever calls this attends to the process; see
    /// [`Terminal::run`] for the foreground.
    ///
    /// # Errors
    ///
    /// Requests that can't be: see [`Error`]. What kept the command from being started.
    pub fn start(&self, task: &str, request: &Request) -> Result<Start> {
        request.check()?;
        let commands = words::commands(&request.command);
        let (shell, environment) = self.shell_of(task)?;
        let directory = shell.directory_for(request.workdir.as_deref())?;
        let asked = GateRequest {
            task,
            command: &request.command,
            stdin: request.stdin.as_deref(),
            backend: environment.name(),
            host_access: environment.host_access(),
            directory: &directory,
            background: request.background,
            pty: request.terminal.is_some(),
            sudo_password: self.inner.sudo_password.is_some(),
        };
        let sudo = self.inner.sudo_password.as_ref();
        let refusal = match sudo {
            None => sudo::refusal(&commands),
            Some(_) => None,
        };
        let advice = || match request.background {
            false => advice::on_backgrounding(&commands),
            true => None,
        };
        if let Some(error) = refusal.or_else(advice) {
            let refused = Outcome::not_started(shell.directory(), error);
            return Ok(Start::Refused(Box::new(refused)));
        }
        let note = match self.inner.gate.approve(&asked) {
            Approval::Allowed { note } => note,
            Approval::Denied { message } => {
                let refused = Outcome::not_started(shell.directory(), message);
                return Ok(Start::Refused(Box::new(refused)));
            }
        };
        let password = sudo::password_for(request, sudo);
        // The one that was approved, wherever the task has gone since.
        let approved = Some(directory.as_path()).filter(|directory| directory.is_absolute());
        let workdir = request
            .workdir
            .as_deref()
            .map(|named| approved.unwrap_or(named));
        let input = sudo::first_input(password, request.stdin.as_deref());
        let started = shell.start(&Launch {
            command: &request.command,
            workdir,
            stdin: request.background || password.is_some() || request.has_stdin(),
            sudo: password.is_some(),
            keeps_state: !request.background,
            terminal: request.terminal,
        })?;
        let mut notes = started.notes;
        notes.extend(note);
        Ok(Start::Running(Running {
            process: started.process,
            directory: started.directory,
            started: Instant::now(),
            notes,
            input: FirstInput(input),
            call: started.call,
            shell,
        }))
    }

    /// The shell of a task, and the environment that it is in.
    fn shell_of(&self, task: &str) -> Result<(Arc<dyn Shell>, Arc<dyn Environment>)> {
        let (slot, environment) = {
            let mut tasks = self.tasks();
            let entry = tasks.entry(task.to_owned()).or_default();
            let environment = entry.environment.as_ref();
            (
                Arc::clone(&entry.slot),
                Arc::clone(environment.unwrap_or(&self.inner.environment)),
            )
        };
        if let Some(shell) = slot.shell.get() {
            return Ok((Arc::clone(shell), environment));
        }
        let _opening = slot.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shell) = slot.shell.get() {
            return Ok((Arc::clone(shell), environment));
        }
        environment.usable().map_err(|why| Error::BackendUnusable {
            name: environment.name().to_owned(),
            why,
        })?;
        let shell: Arc<dyn Shell> = Arc::from(environment.open(task)?);
        let shell = Arc::clone(slot.shell.get_or_init(|| shell));
        Ok((shell, environment))
    }

    fn tasks(&self) -> MutexGuard<'_, HashMap<String, Task>> {
        self.inner
            .tasks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
