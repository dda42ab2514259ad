//! Where threads leave answers, and passes wait for them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::availability::records::Records;
use crate::check::Answer;

/// The records behind their lock, which is never held while a check runs. Threads keep the board,
/// not the registry: a check that hangs outlives it.
#[derive(Default)]
pub(super) struct Board {
    records: Mutex<Records>,
    answered: Condvar,
}

impl Board {
    /// Nothing that runs under the lock leaves records half changed, so a poisoned one is good.
    pub(super) fn lock(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves what the run of a check found, at this time by the clock, and wakes who waits.
    pub(super) fn answer(&self, id: usize, answer: Answer, at: Instant) {
        self.lock().answer(id, answer, at);
        self.answered.notify_all();
    }

    /// Waits for an answer, at the longest until `wake`.
    pub(super) fn wait<'a>(
        &self,
        records: MutexGuard<'a, Records>,
        wake: Option<Instant>,
        real: Instant,
    ) -> MutexGuard<'a, Records> {
        let Some(wake) = wake else {
            let waited = self.answered.wait(records);
            return waited.unwrap_or_else(PoisonError::into_inner);
        };
        let patience = wake.saturating_duration_since(real);
        let waited = self.answered.wait_timeout(records, patience);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
