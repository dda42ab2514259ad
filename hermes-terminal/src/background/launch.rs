//! Starting a command in the background, and the thread that attends to it.

use std::sync::Arc;
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

/// What no thread attends to yet. Unless one does, it must not run.
pub(super) struct Unattended(Option<Watched>);

impl Unattended {
    pub(super) fn new(watched: Watched) -> Self {
        Self(Some(watched))
    }

    fn take(mut self) -> Option<Watched> {
        self.0.take()
    }
}

impl Drop for Unattended {
    fn drop(&mut self) {
        let Some(watched) = &mut self.0 else { return };
        if let Err(error) = watched.process().signal(Signal::Kill) {
            tracing::warn!(%error, "a background process could be neither attended nor killed");
        }
        if let Err(error) = watched.settle() {
            tracing::warn!(%error, "what a background process needed stays");
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
        let unattended = Unattended::new(Watched::Own(Box::new(running)));
        let chars = self.hub.limits.output_chars;
        let input = Input::open(first)?;
        let entry = Arc::new(Entry::new(facts, input, chars, interests, notes)?);
        place.fill(&entry);
        self.hub.attend(&entry, unattended)?;
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

impl Hub {
    /// Starts the thread of a process.
    pub(super) fn attend(
        self: &Arc<Self>,
        entry: &Arc<Entry>,
        unattended: Unattended,
    ) -> Result<()> {
        let (hub, own) = (Arc::clone(self), Arc::clone(entry));
        let spawned = std::thread::Builder::new()
            .name(entry.facts.id.to_string())
            .spawn(move || {
                if let Some(watched) = unattended.take() {
                    hub.stay(&own, watched);
                }
            });
        let Err(error) = spawned else { return Ok(()) };
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Duration;

    use hermes_home::{Environment, Platform};

    use super::*;
    use crate::{Local, Terminal};

    #[test]
    fn what_nobody_attends_to_is_ended_and_gives_back_what_it_needed() {
        let folder = tempfile::tempdir().unwrap();
        let private = folder.path().join("private");
        std::fs::create_dir(&private).unwrap();
        let env = Environment::new(Platform::Unix).with_hermes_home(folder.path());
        let home = hermes_home::resolve(&env).unwrap().home;
        let local = Local::new(home).unwrap().with_login(false);
        let terminal = Terminal::builder()
            .environment(Arc::new(local.with_private_folders_in(&private)))
            .without_gate()
            .build()
            .unwrap();
        let request = Request::new("sleep 100").in_background();
        let Start::Running(running) = terminal.start("task", &request).unwrap() else {
            panic!("it was refused");
        };
        let pid = running.process.pid().unwrap();
        let is_empty = || std::fs::read_dir(&private).unwrap().next().is_none();
        assert!(checkpoint::start_of(pid).is_some() && !is_empty());
        drop(Unattended::new(Watched::Own(Box::new(running))));
        assert!(is_empty());
        let deadline = Instant::now() + Duration::from_secs(10);
        while checkpoint::start_of(pid).is_some() {
            assert!(Instant::now() < deadline, "it still runs");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
