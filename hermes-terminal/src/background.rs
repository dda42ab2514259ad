//! Commands that are left running: started, looked at, written to and ended later, found again after
//! a restart.

mod actions;
#[cfg(target_os = "linux")]
mod adopted;
mod checkpoint;
mod clock;
mod entry;
mod launch;
mod notification;
mod recovery;
mod rolling;
mod table;
mod tool;
mod watch;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use checkpoint::{Attendant, Checkpoint, Record};
use hermes_home::HermesHome;
use table::Table;

use crate::Result;
use crate::terminal::Terminal;

pub use actions::{Poll, Waited};
pub use entry::{EndReason, ProcessId, ProcessInfo, Status};
pub use launch::{Background, Launched};
pub use notification::{Channel, Notification, Notify};
pub use recovery::Recovered;
pub use rolling::{Lines, NewOutput};
pub use tool::PROCESS_PARAMETERS;

/// What bounds background processes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackgroundLimits {
    /// How many are known at a time, running and ended: 64.
    pub processes: usize,
    /// How long one that has ended is kept: 30 minutes. One that makes room for another goes
    /// earlier.
    pub kept: Duration,
    /// How many characters of its output are kept, the last ones: 200,000.
    pub output_chars: usize,
}

impl Default for BackgroundLimits {
    fn default() -> Self {
        Self {
            processes: 64,
            kept: Duration::from_secs(30 * 60),
            output_chars: 200_000,
        }
    }
}

/// The background processes of a program. Clones are one.
///
/// Each running process has one thread, which ends with it. Processes outlive this; end them with
/// [`kill_all`](Self::kill_all), if they should not.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use hermes_home::{Environment, Platform};
/// use hermes_terminal::{Background, Launched, Local, Processes, Request, Terminal};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let env = Environment::new(Platform::Unix).with_hermes_home(folder.path());
/// # let home = hermes_home::resolve(&env)?.home;
/// let terminal = Terminal::builder()
///     .environment(Arc::new(Local::new(home)?))
///     .without_gate()
///     .build()?;
/// let processes = Processes::builder(terminal).build();
/// let request = Request::new("read name; echo hello $name");
/// let Launched::Running(process) = processes.start("task", &request, &Background::default())? else {
///     return Err("refused".into());
/// };
/// processes.submit(&process.id, "Ann")?;
/// let ended = processes.wait(&process.id, Duration::from_secs(10), None)?;
/// assert_eq!(ended.info.output_preview, "hello Ann\n");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Processes {
    hub: Arc<Hub>,
}

/// Makes [`Processes`].
#[derive(Debug)]
#[must_use]
pub struct ProcessesBuilder {
    terminal: Terminal,
    limits: BackgroundLimits,
    notify: Option<Arc<dyn Notify>>,
    checkpoint: Option<PathBuf>,
}

/// What all threads share.
struct Hub {
    terminal: Terminal,
    limits: BackgroundLimits,
    notify: Option<Arc<dyn Notify>>,
    checkpoint: Option<Mutex<Checkpoint>>,
    table: Mutex<Table>,
}

impl ProcessesBuilder {
    /// What bounds them.
    pub fn limits(mut self, limits: BackgroundLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Who is told of what happens.
    pub fn notify(mut self, notify: Arc<dyn Notify>) -> Self {
        self.notify = Some(notify);
        self
    }

    /// Writes down in this home (`processes.json`) which processes run, so that
    /// [`recover`](Processes::recover) finds them in a later run.
    pub fn home(self, home: &HermesHome) -> Self {
        self.checkpoint_file(home.path().join("processes.json"))
    }

    /// The same in this file.
    pub fn checkpoint_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.checkpoint = Some(path.into());
        self
    }

    /// None run yet.
    pub fn build(self) -> Processes {
        Processes {
            hub: Arc::new(Hub {
                table: Mutex::new(Table::new(self.limits.processes, self.limits.kept)),
                terminal: self.terminal,
                limits: self.limits,
                notify: self.notify,
                checkpoint: self
                    .checkpoint
                    .map(|path| Mutex::new(Checkpoint::new(path))),
            }),
        }
    }
}

impl Processes {
    /// Of commands that this terminal runs.
    pub fn builder(terminal: Terminal) -> ProcessesBuilder {
        ProcessesBuilder {
            terminal,
            limits: BackgroundLimits::default(),
            notify: None,
            checkpoint: None,
        }
    }

    /// What bounds them.
    pub fn limits(&self) -> &BackgroundLimits {
        &self.hub.limits
    }

    /// The terminal.
    pub fn terminal(&self) -> &Terminal {
        &self.hub.terminal
    }
}

impl Hub {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self) -> Option<&dyn Notify> {
        self.notify.as_deref()
    }

    /// Writes down what runs now.
    fn write_checkpoint(&self) -> Result<()> {
        let Some(checkpoint) = &self.checkpoint else {
            return Ok(());
        };
        // Held from here on: what is written last is what is true last.
        let checkpoint = checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.table().all(Instant::now());
        let attendant = Attendant::this_process();
        let running: Vec<Record> = all
            .iter()
            .filter(|entry| entry.is_running())
            .map(|entry| Record::of(entry, &attendant))
            .collect();
        checkpoint.write(running, &attendant, |id| self.table().has(id))
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub")
            .field("terminal", &self.terminal)
            .field("limits", &self.limits)
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}
