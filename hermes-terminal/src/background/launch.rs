//! Starting a command in the background, and the thread that attends to it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::entry::{Entry, Facts, Interests, ProcessId, ProcessInfo};
use super::watch::Watch;
use super::{Hub, Processes, checkpoint, clock};
use crate::attend::Attendance;
use crate::decode::StreamDecoder;
use crate::input::Input;
use crate::outcome::Outcome;
use crate::process::{Process, Signal};
use crate::request::Request;
use crate::terminal::{Running, Start};
use crate::{Error, Result};

/// What is to be told of a background process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Background {
    /// Tell when it has ended.
    pub notify_on_complete: bool,
    /// Tell when one of these texts is in its output: for signals that come seldom, as that a
    /// server is ready. Not together with `notify_on_complete`, which takes its place.
    pub watch_patterns: Vec<String>,
    /// The conversation it belongs to, for the list of processes.
    pub session_key: String,
}

impl Background {
    /// Tells when it has ended.
    #[must_use]
    pub fn notify_on_complete(mut self) -> Self {
        self.notify_on_complete = true;
        self
    }

    /// Tells when one of these texts is in its output.
    #[must_use]
    pub fn watch(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.watch_patterns = patterns.into_iter().map(Into::into).collect();
        self
    }

    /// The conversation it belongs to.
    #[must_use]
    pub fn of_session(mut self, key: impl Into<String>) -> Self {
        self.session_key = key.into();
        self
    }
}

/// What came of starting a process.
#[derive(Debug, Clone, PartialEq)]
pub enum Launched {
    /// It runs.
    Running(ProcessInfo),
    /// It must not be started; the outcome says why.
    Refused(Box<Outcome>),
}

/// What a thread attends to.
pub(super) enum Watched {
    /// A command of this run.
    Own(Box<Running>),
    /// A process of an earlier one.
    #[cfg(target_os = "linux")]
    Adopted(Box<dyn Process>),
}

impl Watched {
    fn process(&mut self) -> &mut dyn Process {
        match self {
            Self::Own(running) => &mut *running.process,
            #[cfg(target_os = "linux")]
            Self::Adopted(process) => &mut **process,
        }
    }

    /// Gives back what a command needed.
    fn settle(&self) -> Result<()> {
        match self {
            Self::Own(running) => running.settle(),
            #[cfg(target_os = "linux")]
            Self::Adopted(_) => Ok(()),
        }
    }
}

/// A place in the table, given back unless it is used.
pub(super) struct Place<'a> {
    hub: &'a Hub,
    used: bool,
}

impl<'a> Place<'a> {
    pub(super) fn reserve(hub: &'a Hub) -> Result<Self> {
        hub.table().reserve(Instant::now())?;
        Ok(Self { hub, used: false })
    }

    pub(super) fn fill(mut self, entry: &Arc<Entry>) {
        self.used = true;
        self.hub.table().insert(Arc::clone(entry));
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if !self.used {
            self.hub.table().give_back();
        }
    }
}

impl Processes {
    /// Starts a command in the background, when the gate lets it. Its time-out and what is to
    /// interrupt it are those of the foreground, and passed over.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyProcesses`], those of [`Terminal::start`](crate::Terminal::start), and what
    /// kept a thread from being started.
    pub fn start(&self, task: &str, request: &Request, options: &Background) -> Result<Launched> {
        let place = Place::reserve(&self.hub)?;
        let request = request.clone().in_background();
        let mut running = match self.hub.terminal.start(task, &request)? {
            Start::Running(running) => running,
            Start::Refused(outcome) => return Ok(Launched::Refused(outcome)),
        };
        let mut notes = std::mem::take(&mut running.notes);
        let interests = interests(options, &mut notes);
        let pid = running.process.pid();
        let facts = Facts {
            id: ProcessId::random(),
            task: task.to_owned(),
            session_key: options.session_key.clone(),
            command: request.command().to_owned(),
            directory: running.directory.clone(),
            pid,
            start: pid.and_then(checkpoint::start_of),
            started_at: clock::seconds_now(),
            detached: false,
            terminal_sign: running.process.end_of_input(),
        };
        let first = running.take_first_input();
        let entry = Input::open(first).and_then(|input| {
            let chars = self.hub.limits.output_chars;
            Entry::new(facts, input, chars, interests, notes)
        });
        let entry = match entry {
            Ok(entry) => Arc::new(entry),
            Err(error) => {
                give_up(&*running.process);
                return Err(error);
            }
        };
        place.fill(&entry);
        self.hub.attend(&entry, Watched::Own(Box::new(running)))?;
        if let Err(error) = self.hub.write_checkpoint() {
            tracing::warn!(%error, "background processes are not written down");
            entry.add_note(format!("a later run will not find this process: {error}"));
        }
        Ok(Launched::Running(entry.info()))
    }
}

fn interests(options: &Background, notes: &mut Vec<String>) -> Interests {
    let watch = Watch::new(&options.watch_patterns);
    if options.notify_on_complete && watch.is_some() {
        notes.push("watch_patterns are passed over: the end is told, not both".to_owned());
    }
    Interests {
        notify_on_complete: options.notify_on_complete,
        watch: watch.filter(|_| !options.notify_on_complete),
    }
}

/// Nobody can attend to it, so it must not run.
fn give_up(process: &dyn Process) {
    if let Err(error) = process.signal(Signal::Kill) {
        tracing::warn!(%error, "a background process could be neither attended nor killed");
    }
}

impl Hub {
    /// Starts the thread of a process.
    pub(super) fn attend(self: &Arc<Self>, entry: &Arc<Entry>, watched: Watched) -> Result<()> {
        // A thread that can't be started does not give back what it was to have.
        let handed = Arc::new(Mutex::new(Some(watched)));
        let take = |handed: &Mutex<Option<Watched>>| {
            handed.lock().unwrap_or_else(PoisonError::into_inner).take()
        };
        let (hub, own, theirs) = (Arc::clone(self), Arc::clone(entry), Arc::clone(&handed));
        let spawned = std::thread::Builder::new()
            .name(entry.facts.id.to_string())
            .spawn(move || {
                if let Some(watched) = take(&theirs) {
                    hub.stay(&own, watched);
                }
            });
        let Err(error) = spawned else { return Ok(()) };
        if let Some(mut watched) = take(&handed) {
            give_up(watched.process());
        }
        let error = Error::io("starting a thread for a background process")(error);
        entry.finish(&Err(Error::io("starting a thread")(std::io::Error::other(
            error.to_string(),
        ))));
        entry.announce(None);
        Err(error)
    }

    /// What the thread does.
    fn stay(&self, entry: &Entry, mut watched: Watched) {
        let mut decoder = StreamDecoder::new();
        let attended = Attendance::with(&entry.input)
            .with_grace(self.terminal.limits().grace)
            .run(watched.process(), |bytes| {
                decoder.push(bytes, |part| entry.take_output(part, self.notify()));
            });
        decoder.finish(|part| entry.take_output(part, self.notify()));
        if let Err(error) = watched.settle() {
            tracing::warn!(%error, id = %entry.facts.id, "what a background process needed stays");
        }
        // Its descriptors are closed before anybody hears of the end.
        drop(watched);
        entry.finish(&attended);
        if let Err(error) = self.write_checkpoint() {
            tracing::warn!(%error, "background processes are not written down");
        }
        entry.announce(self.notify());
    }
}
