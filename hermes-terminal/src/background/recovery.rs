//! Processes of earlier runs.

use super::Processes;
use super::entry::{ProcessId, ProcessInfo};
use crate::Result;

/// What became of the processes of earlier runs.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Recovered {
    /// Those that still run. They can be watched and ended; their output can't be read, they take
    /// no input, and their exit codes are not to be had.
    pub running: Vec<ProcessInfo>,
    /// Those that have ended.
    pub ended: Vec<ProcessId>,
    /// Those that another program attends to.
    pub of_others: Vec<ProcessId>,
    /// Those of which nothing tells whether they are what runs under their number now. They are
    /// left alone.
    pub unknown: Vec<ProcessId>,
    /// Those for which there is no place.
    pub too_many: Vec<ProcessId>,
}

impl Processes {
    /// Looks for processes of earlier runs that still run, and takes them over. Asked to be told of
    /// their end, one is.
    ///
    /// On systems other than Linux nothing tells whether a number is still the same process's, so
    /// none is taken over.
    ///
    /// # Errors
    ///
    /// [`Error::BadCheckpoint`](crate::Error::BadCheckpoint); what kept a process from being
    /// watched.
    #[cfg(target_os = "linux")]
    pub fn recover(&self) -> Result<Recovered> {
        use std::sync::PoisonError;

        use super::checkpoint::{Attendant, Found};

        let mut recovered = Recovered::default();
        let Some(checkpoint) = &self.hub.checkpoint else {
            return Ok(recovered);
        };
        let records = {
            let checkpoint = checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
            checkpoint.read()?
        };
        let this_process = Attendant::this_process();
        for record in records {
            let id = ProcessId::new(record.session_id.clone());
            if self.hub.table().has(&id) {
                continue;
            }
            let is_other = |by: &Attendant| *by != this_process && by.is_running();
            if record.attended_by.as_ref().is_some_and(is_other) {
                recovered.of_others.push(id);
                continue;
            }
            match record.found() {
                Found::Gone => recovered.ended.push(id),
                Found::Unknown => recovered.unknown.push(id),
                Found::Running => self.adopt(record, id, &mut recovered)?,
            }
        }
        self.hub.write_checkpoint()?;
        Ok(recovered)
    }

    /// See above.
    ///
    /// # Errors
    ///
    /// None.
    #[cfg(not(target_os = "linux"))]
    pub fn recover(&self) -> Result<Recovered> {
        Ok(Recovered::default())
    }

    #[cfg(target_os = "linux")]
    fn adopt(
        &self,
        record: super::checkpoint::Record,
        id: ProcessId,
        recovered: &mut Recovered,
    ) -> Result<()> {
        use std::sync::Arc;

        use super::adopted::AdoptedProcess;
        use super::entry::{Entry, Facts, Interests};
        use super::launch::{Place, Unattended, Watched};
        use super::watch::Watch;
        use crate::Error;
        use crate::input::Input;

        let (Some(pid), Some(start)) = (record.pid, record.host_start_time) else {
            recovered.unknown.push(id);
            return Ok(());
        };
        let Some(process) = AdoptedProcess::find(pid, start)? else {
            recovered.ended.push(id);
            return Ok(());
        };
        let place = match Place::reserve(&self.hub) {
            Ok(place) => place,
            Err(Error::TooManyProcesses { .. }) => {
                recovered.too_many.push(id);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let facts = Facts {
            id,
            task: record.task_id,
            session_key: record.session_key,
            command: record.command,
            directory: record.cwd.unwrap_or_default(),
            pid: Some(pid),
            start: Some(start),
            started_at: record.started_at,
            detached: true,
            terminal_sign: None,
        };
        // Its output can't be read, so nothing can be found in it: the end is told instead.
        let watched = Watch::new(&record.watch_patterns).is_some();
        let interests = Interests {
            notify_on_complete: record.notify_on_complete || watched,
            watch: None,
        };
        let notes = vec![
            "started by an earlier run: its output can't be read, and it takes no input".to_owned(),
        ];
        let input = Input::open(Vec::new())?;
        let chars = self.hub.limits.output_chars;
        let entry = Arc::new(Entry::new(facts, input, chars, interests, notes)?);
        place.fill(&entry);
        self.hub
            .attend(&entry, Unattended::new(Watched::Adopted(Box::new(process))))?;
        recovered.running.push(entry.info());
        Ok(())
    }
}
