//! The container of a task: made when a command needs it, ended when none has for a while.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::child::ChildProcess;
use crate::command_line::CommandLine;
use crate::environment::TerminalSize;
use crate::remote::{Answer, OWN, Place, SAY, URGENT, checked, removal};
use crate::script::quoted_text;
use crate::{Error, Result};

pub(crate) mod client;
pub(crate) mod names;
pub(crate) mod owner;

/// Where tasks begin, unless they are told otherwise.
pub(crate) const WORKSPACE: &str = "/workspace";

/// What makes containers: the command lines of one program.
pub(crate) trait Engine: Send + Sync + fmt::Debug {
    /// A container that runs: one that was kept, or a new one. What should be known of it is added
    /// to the notes.
    fn bring_up(&self, notes: &mut Vec<String>) -> Result<String>;

    /// Whether it runs.
    fn is_running(&self, name: &str) -> Result<bool>;

    /// What runs a script in it.
    fn exec(
        &self,
        name: &str,
        script: &str,
        stdin: bool,
        terminal: Option<TerminalSize>,
    ) -> Result<CommandLine>;

    /// Whether the program passes on what a terminal gets, instead of giving the terminal to what
    /// runs in the container.
    fn passes_on(&self) -> bool;

    /// Whether containers outlive their task, and so may be used by others meanwhile.
    fn keeps(&self) -> bool;

    /// Ends it: it is stopped if it is to be kept, and else removed.
    fn end(&self, name: &str) -> Result<()>;

    /// The directory where tasks begin. It is made if it is not there.
    fn directory(&self) -> &str;

    /// Variables that commands have from the beginning.
    fn variables(&self) -> &[(String, String)];
}

#[derive(Debug)]
pub(crate) struct Container {
    engine: Box<dyn Engine>,
    lifetime: Duration,
    state: Mutex<State>,
    /// Held by each command that runs there.
    users: Arc<()>,
    /// Dropping it ends the thread that looks for idleness.
    _over: Sender<()>,
}

#[derive(Debug)]
struct State {
    name: Option<String>,
    used: Instant,
    notes: Vec<String>,
}

impl Container {
    pub(crate) fn new(engine: Box<dyn Engine>, lifetime: Duration) -> Result<Arc<Self>> {
        let (over, is_over) = channel();
        let container = Arc::new(Self {
            engine,
            lifetime,
            state: Mutex::new(State {
                name: None,
                used: Instant::now(),
                notes: Vec::new(),
            }),
            users: Arc::default(),
            _over: over,
        });
        let watched = Arc::downgrade(&container);
        std::thread::Builder::new()
            .name("hermes-terminal-idle".to_owned())
            .spawn(move || watch(&watched, &is_over, lifetime))
            .map_err(Error::io("starting a thread for a container"))?;
        Ok(container)
    }

    /// Its name. It runs then, as far as anybody knows.
    fn up(&self) -> Result<String> {
        let mut state = self.state();
        state.used = Instant::now();
        if let Some(name) = &state.name {
            return Ok(name.clone());
        }
        let mut notes = Vec::new();
        let name = self.engine.bring_up(&mut notes)?;
        state.notes.extend(notes);
        state.used = Instant::now();
        Ok(state.name.insert(name).clone())
    }

    fn forget(&self, name: &str) {
        let mut state = self.state();
        if state.name.as_deref() == Some(name) {
            state.name = None;
        }
    }

    fn run(&self, name: &str, script: &str, input: &[u8], time: Duration) -> Result<Answer> {
        let line = self.engine.exec(name, script, true, None)?;
        Answer::of(&line, input, time)
    }

    /// The same of a container that is there already; one that is not is not made.
    fn run_there(&self, script: &str, time: Duration) -> Result<Answer> {
        let gone = |name: &str, reason: String| Error::ContainerGone {
            name: name.to_owned(),
            reason,
        };
        let name = {
            let mut state = self.state();
            state.used = Instant::now();
            state.name.clone()
        };
        let Some(name) = name else {
            return Err(gone("of this task", "it does not run any more".to_owned()));
        };
        let answer = self.run(&name, script, b"", time)?;
        if answer.code != Some(0) && !self.engine.is_running(&name)? {
            self.forget(&name);
            return Err(gone(&name, answer.last_line()));
        }
        Ok(answer)
    }

    /// Ends it if nothing has used it for its lifetime; says when to look again.
    fn end_if_idle(&self) -> Duration {
        let mut state = self.state();
        if Arc::strong_count(&self.users) > 1 {
            state.used = Instant::now();
            return self.lifetime;
        }
        if let Some(left) = self.lifetime.checked_sub(state.used.elapsed())
            && !left.is_zero()
        {
            return left;
        }
        if let Some(name) = state.name.take()
            && let Err(error) = self.end(&name, None)
        {
            tracing::warn!(%error, name, "an idle container could not be ended");
        }
        self.lifetime
    }

    /// Ends it, unless somebody else uses it.
    fn end(&self, name: &str, folder: Option<&str>) -> Result<()> {
        if self.engine.keeps() {
            let remove = removal(folder.map(str::to_owned).into_iter());
            let script = format!(
                "{remove}; {SAY}\n\
                 for file in /dev/shm/hermes-terminal-*/owner /tmp/hermes-terminal-*/owner; do\n\
                 [ -r \"$file\" ] && cat \"$file\"\n\
                 done; :"
            );
            let answer = self.run(name, &script, b"", OWN)?;
            if answer.code != Some(0) && !self.engine.is_running(name)? {
                return Ok(());
            }
            let owners = checked(answer, "leaving a container")?;
            let owners = String::from_utf8_lossy(&owners);
            let this = owner::this();
            let mut others = owners.lines().filter(|owner| **owner != *this);
            if others.any(|owner| owner::is_alive(owner) != Some(false)) {
                return Ok(());
            }
            // Another task of this process with the same container: the last one ends it.
            if folder.is_some() && owners.lines().any(|owner| *owner == *this) {
                return Ok(());
            }
        }
        self.engine.end(name)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn watch(container: &Weak<Container>, is_over: &Receiver<()>, lifetime: Duration) {
    let mut wait = lifetime;
    while let Err(RecvTimeoutError::Timeout) = is_over.recv_timeout(wait) {
        let Some(container) = container.upgrade() else {
            return;
        };
        wait = container.end_if_idle();
    }
}

impl Place for Container {
    fn called(&self) -> &'static str {
        "the container"
    }

    /// In memory if there is such a folder: variables of commands are in it.
    fn make_folder(&self) -> String {
        format!(
            "folder=\n\
             for place in /dev/shm \"${{TMPDIR:-/tmp}}\"; do\n\
             folder=$(mktemp -d \"$place/hermes-terminal-XXXXXXXX\" 2>/dev/null) && break\n\
             done\n\
             (umask 022; mkdir -p {directory} && cd {directory}) 2>/dev/null && cd {directory}\n\
             [ -n \"$folder\" ] && printf '%s\\n' {owner} >\"$folder/owner\"",
            directory = quoted_text(self.engine.directory()),
            owner = quoted_text(&owner::this()),
        )
    }

    fn variables(&self) -> &[(String, String)] {
        self.engine.variables()
    }

    fn ask(&self, script: &str, input: &[u8]) -> Result<Answer> {
        let name = self.up()?;
        let answer = self.run(&name, script, input, OWN)?;
        if answer.code == Some(0) || self.engine.is_running(&name)? {
            return Ok(answer);
        }
        self.forget(&name);
        self.run(&self.up()?, script, input, OWN)
    }

    fn ask_again(&self, script: &str) -> Result<Answer> {
        self.run_there(script, OWN)
    }

    fn ask_soon(&self, script: &str) -> Result<Answer> {
        self.run_there(script, URGENT)
    }

    fn start(
        &self,
        script: &str,
        stdin: bool,
        terminal: Option<TerminalSize>,
    ) -> Result<ChildProcess> {
        let line = self.engine.exec(&self.up()?, script, stdin, terminal)?;
        match terminal {
            Some(size) if self.engine.passes_on() => line.start_passing_on(size, OWN),
            Some(size) => line.start_on_terminal(size),
            None => line.start_piped(stdin),
        }
    }

    fn hold(&self) -> Arc<()> {
        Arc::clone(&self.users)
    }

    fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.state().notes)
    }

    fn leave(&self, folder: &str) -> Result<()> {
        let name = self.state().name.take();
        name.map_or(Ok(()), |name| self.end(&name, Some(folder)))
    }
}

/// One that nobody has left, such as when its shell could not be opened.
impl Drop for Container {
    fn drop(&mut self) {
        let name = self.state().name.take();
        if let Some(name) = name
            && let Err(error) = self.end(&name, None)
        {
            tracing::warn!(%error, name, "a container could not be ended");
        }
    }
}
