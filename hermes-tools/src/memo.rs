//! Definitions that were made before and still hold.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::definitions::Definitions;
use crate::selection::Selection;

/// How many selections are remembered. A program has a few; a gateway one for each of its users.
const CAPACITY: usize = 64;

/// What an entry was made from. Of a later generation or epoch it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    /// The snapshot's own.
    pub(crate) generation: u64,
    /// Of the availability, as it was before any check was asked.
    pub(crate) epoch: u64,
}

/// The definitions of the selections that were used last.
#[derive(Default)]
pub(crate) struct Memo {
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    by_selection: HashMap<Selection, Slot>,
    clock: u64,
}

struct Slot {
    version: Version,
    /// When a check or a dynamic schema has to be asked again.
    fresh_until: Option<Instant>,
    definitions: Arc<Definitions>,
    used: u64,
}

impl Memo {
    /// The definitions, if they were made from this version and are still fresh.
    pub(crate) fn get(
        &self,
        selection: &Selection,
        version: Version,
        now: impl FnOnce() -> Instant,
    ) -> Option<Arc<Definitions>> {
        let (definitions, fresh_until) = self.of_version(selection, version)?;
        // The clock may be foreign code: it is asked without the lock.
        fresh_until
            .is_none_or(|until| now() < until)
            .then_some(definitions)
    }

    fn of_version(
        &self,
        selection: &Selection,
        version: Version,
    ) -> Option<(Arc<Definitions>, Option<Instant>)> {
        let mut slots = self.lock();
        slots.clock += 1;
        let used = slots.clock;
        let slot = slots.by_selection.get_mut(selection)?;
        if slot.version != version {
            return None;
        }
        slot.used = used;
        Some((Arc::clone(&slot.definitions), slot.fresh_until))
    }

    /// Remembers definitions, unless those that are there are of a newer generation or epoch: a slow
    /// pass must not push out what a later one found.
    pub(crate) fn put(
        &self,
        selection: &Selection,
        version: Version,
        fresh_until: Option<Instant>,
        definitions: &Arc<Definitions>,
    ) {
        let mut slots = self.lock();
        let newer = |slot: &Slot| {
            slot.version.generation > version.generation || slot.version.epoch > version.epoch
        };
        if slots.by_selection.get(selection).is_some_and(newer) {
            return;
        }
        slots.clock += 1;
        let slot = Slot {
            version,
            fresh_until,
            definitions: Arc::clone(definitions),
            used: slots.clock,
        };
        let replaced = slots.by_selection.insert(selection.clone(), slot);
        let evicted = slots.evict();
        drop(slots);
        // Large lists are freed outside the lock.
        drop((replaced, evicted));
    }

    /// Nothing that could panic runs while the lock is held, so a poisoned one is whole.
    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.lock().by_selection.len()
    }
}

impl Slots {
    fn evict(&mut self) -> Option<Slot> {
        if self.by_selection.len() <= CAPACITY {
            return None;
        }
        let (oldest, _) = self.by_selection.iter().min_by_key(|(_, slot)| slot.used)?;
        let oldest = oldest.clone();
        self.by_selection.remove(&oldest)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: Version = Version {
        generation: 7,
        epoch: 1,
    };

    fn selection(at: usize) -> Selection {
        Selection::of([at.to_string()])
    }

    fn definitions() -> Arc<Definitions> {
        Arc::new(Definitions::default())
    }

    #[test]
    fn an_entry_is_found_only_under_the_version_it_was_made_from() {
        let memo = Memo::default();
        let made = definitions();
        memo.put(&selection(0), NOW, None, &made);
        let found = memo.get(&selection(0), NOW, Instant::now).unwrap();
        assert!(Arc::ptr_eq(&found, &made));
        for other in [
            Version {
                generation: 8,
                ..NOW
            },
            Version { epoch: 2, ..NOW },
        ] {
            assert!(
                memo.get(&selection(0), other, Instant::now).is_none(),
                "{other:?}"
            );
        }
        assert!(memo.get(&selection(1), NOW, Instant::now).is_none());
    }

    #[test]
    fn an_entry_that_is_past_its_time_is_not_found() {
        let memo = Memo::default();
        let now = Instant::now();
        memo.put(&selection(0), NOW, Some(now), &definitions());
        assert!(memo.get(&selection(0), NOW, Instant::now).is_none());
        let later = now + Duration::from_secs(3600);
        memo.put(&selection(0), NOW, Some(later), &definitions());
        assert!(memo.get(&selection(0), NOW, Instant::now).is_some());
    }

    #[test]
    fn a_slow_pass_does_not_push_out_what_a_newer_generation_or_epoch_gave() {
        for older in [
            Version {
                generation: 6,
                ..NOW
            },
            Version { epoch: 0, ..NOW },
            Version {
                generation: 8,
                epoch: 0,
            },
            Version {
                generation: 6,
                epoch: 2,
            },
        ] {
            let memo = Memo::default();
            let newer = definitions();
            memo.put(&selection(0), NOW, None, &newer);
            memo.put(&selection(0), older, None, &definitions());
            assert!(
                memo.get(&selection(0), older, Instant::now).is_none(),
                "{older:?}"
            );
            assert!(Arc::ptr_eq(
                &memo.get(&selection(0), NOW, Instant::now).unwrap(),
                &newer
            ));
        }
    }

    #[test]
    fn the_clock_is_asked_only_when_it_counts_and_never_under_the_lock() {
        let memo = Memo::default();
        let never = || -> Instant { panic!("the time does not count here") };
        assert!(memo.get(&selection(0), NOW, never).is_none());
        memo.put(&selection(0), NOW, None, &definitions());
        assert!(memo.get(&selection(0), NOW, never).is_some());
        let later = Instant::now() + Duration::from_secs(3600);
        memo.put(&selection(0), NOW, Some(later), &definitions());
        let other = Version { epoch: 2, ..NOW };
        assert!(memo.get(&selection(0), other, never).is_none());
        let asked = || {
            assert!(memo.slots.try_lock().is_ok(), "the lock is held");
            Instant::now()
        };
        assert!(memo.get(&selection(0), NOW, asked).is_some());
    }

    #[test]
    fn the_selection_that_was_not_used_for_longest_goes_first() {
        let memo = Memo::default();
        for at in 0..CAPACITY {
            memo.put(&selection(at), NOW, None, &definitions());
        }
        assert!(memo.get(&selection(0), NOW, Instant::now).is_some());
        memo.put(&selection(CAPACITY), NOW, None, &definitions());
        assert_eq!(memo.len(), CAPACITY);
        assert!(memo.get(&selection(0), NOW, Instant::now).is_some());
        assert!(memo.get(&selection(1), NOW, Instant::now).is_none());
        assert!(memo.get(&selection(CAPACITY), NOW, Instant::now).is_some());
    }
}
