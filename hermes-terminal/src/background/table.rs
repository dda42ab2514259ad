//! Which processes are known: all that run, and those that have ended not long ago.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::entry::{Entry, ProcessId};
use crate::{Error, Result};

#[derive(Debug)]
pub(super) struct Table {
    entries: BTreeMap<ProcessId, Arc<Entry>>,
    /// Places that are kept for processes that are being started.
    reserved: usize,
    most: usize,
    kept: Duration,
}

impl Table {
    pub(super) fn new(most: usize, kept: Duration) -> Self {
        Self {
            entries: BTreeMap::new(),
            reserved: 0,
            most,
            kept,
        }
    }

    /// Keeps a place for one more. The one that ended first makes room.
    pub(super) fn reserve(&mut self, now: Instant) -> Result<()> {
        self.forget_old(now);
        while self.entries.len() + self.reserved >= self.most {
            let Some(oldest) = self.ended_first() else {
                return Err(Error::TooManyProcesses { limit: self.most });
            };
            self.entries.remove(&oldest);
        }
        self.reserved += 1;
        Ok(())
    }

    pub(super) fn give_back(&mut self) {
        self.reserved = self.reserved.saturating_sub(1);
    }

    /// In the place that was kept for it.
    pub(super) fn insert(&mut self, entry: Arc<Entry>) {
        self.give_back();
        self.entries.insert(entry.facts.id.clone(), entry);
    }

    pub(super) fn get(&mut self, id: &ProcessId, now: Instant) -> Result<Arc<Entry>> {
        self.forget_old(now);
        let found = self.entries.get(id).cloned();
        found.ok_or_else(|| Error::UnknownProcess { id: id.to_string() })
    }

    pub(super) fn has(&self, id: &ProcessId) -> bool {
        self.entries.contains_key(id)
    }

    /// All of them, the latest first.
    pub(super) fn all(&mut self, now: Instant) -> Vec<Arc<Entry>> {
        self.forget_old(now);
        let mut all: Vec<Arc<Entry>> = self.entries.values().cloned().collect();
        all.sort_by(|a, b| b.facts.started_at.total_cmp(&a.facts.started_at));
        all
    }

    fn forget_old(&mut self, now: Instant) {
        let kept = self.kept;
        self.entries.retain(|_, entry| {
            entry
                .ended_at()
                .is_none_or(|end| now.saturating_duration_since(end) < kept)
        });
    }

    fn ended_first(&self) -> Option<ProcessId> {
        let ended = self
            .entries
            .iter()
            .filter_map(|(id, entry)| Some((entry.ended_at()?, id)));
        ended.min().map(|(_, id)| id.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attend::{Attended, Cause};
    use crate::background::entry::{Facts, Interests};
    use crate::input::Input;

    fn entry(id: &str) -> Arc<Entry> {
        let facts = Facts {
            id: ProcessId::new(id),
            task: String::new(),
            session_key: String::new(),
            command: String::new(),
            directory: "/".into(),
            pid: None,
            start: None,
            started_at: 0.0,
            detached: false,
            terminal_sign: None,
        };
        let input = Input::given(Vec::new());
        Arc::new(Entry::new(facts, input, 10, Interests::default(), Vec::new()).unwrap())
    }

    fn end(entry: &Entry) {
        entry.finish(&Ok(Attended {
            cause: Cause::Ended,
            exit: None,
            left_behind: false,
        }));
    }

    #[test]
    fn what_ended_first_makes_room_and_what_runs_stays() {
        let mut table = Table::new(3, Duration::from_secs(1800));
        let entries: Vec<Arc<Entry>> = ["a", "b", "c"].map(entry).into();
        for entry in &entries {
            table.reserve(Instant::now()).unwrap();
            table.insert(Arc::clone(entry));
        }
        assert!(matches!(
            table.reserve(Instant::now()),
            Err(Error::TooManyProcesses { limit: 3 })
        ));
        end(&entries[1]);
        end(&entries[0]);
        table.reserve(Instant::now()).unwrap();
        assert!(!table.has(&ProcessId::new("b")) && table.has(&ProcessId::new("a")));
        // The place is taken, although nothing stands there yet.
        table.reserve(Instant::now()).unwrap();
        assert!(table.reserve(Instant::now()).is_err());
        table.give_back();
        table.reserve(Instant::now()).unwrap();
        assert!(table.has(&ProcessId::new("c")));
    }

    #[test]
    fn what_has_ended_is_kept_for_its_time() {
        let mut table = Table::new(64, Duration::from_secs(1800));
        table.reserve(Instant::now()).unwrap();
        let one = entry("a");
        table.insert(Arc::clone(&one));
        end(&one);
        let id = ProcessId::new("a");
        let later = |seconds| Instant::now() + Duration::from_secs(seconds);
        assert!(table.get(&id, later(1790)).is_ok());
        assert!(matches!(
            table.get(&id, later(1801)),
            Err(Error::UnknownProcess { .. })
        ));
    }
}
