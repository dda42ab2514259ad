//! How new and how old messages can be, by their ids.
//!
//! Ids are given in the order of writing and are never given again, so that the newest messages
//! nearly always have the greatest. What is known here makes that "nearly" exact: the newest time
//! among all messages up to an id, and the oldest from an id on, in steps of a thousand ids. It is
//! read once from an index that has nothing but times, and holds for the messages that were there
//! then: a message that is deleted takes away nothing from a bound, and a later one has a greater id.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::by_time::time;

/// Ids that share their bounds.
const STEP: i64 = 1_024;

/// The bounds of one store as of one moment.
#[derive(Debug, Default)]
pub(super) struct TimeBounds {
    /// For each step of ids, in order: the newest time in it and before, the oldest in it and behind.
    steps: Vec<(i64, f64, f64)>,
    /// The greatest id that was there.
    last: i64,
}

impl TimeBounds {
    pub(super) fn read(conn: &Connection) -> rusqlite::Result<TimeBounds> {
        let mut ranges: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
        let mut last = i64::MIN;
        let mut statement = conn.prepare_cached("SELECT id, timestamp FROM messages")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let time = time(row.get_ref(1)?);
            last = last.max(id);
            let range = ranges.entry(id.div_euclid(STEP)).or_insert((time, time));
            *range = (range.0.max(time), range.1.min(time));
        }
        let mut newest = f64::NEG_INFINITY;
        let mut steps: Vec<(i64, f64, f64)> = ranges
            .into_iter()
            .map(|(step, (most, least))| {
                newest = newest.max(most);
                (step, newest, least)
            })
            .collect();
        let mut oldest = f64::INFINITY;
        for (_, _, least) in steps.iter_mut().rev() {
            oldest = oldest.min(*least);
            *least = oldest;
        }
        Ok(TimeBounds { steps, last })
    }

    /// The greatest id that the bounds hold for.
    pub(super) fn last(&self) -> i64 {
        self.last
    }

    /// No message with this id or a smaller one is newer.
    pub(super) fn newest_up_to(&self, id: i64) -> f64 {
        let step = id.div_euclid(STEP);
        let behind = self.steps.partition_point(|(first, ..)| *first <= step);
        behind
            .checked_sub(1)
            .and_then(|at| self.steps.get(at))
            .map_or(f64::INFINITY, |(_, newest, _)| *newest)
    }

    /// No message with this id or a greater one, up to [`last`](Self::last), is older.
    pub(super) fn oldest_from(&self, id: i64) -> f64 {
        let step = id.div_euclid(STEP);
        let at = self.steps.partition_point(|(first, ..)| *first < step);
        self.steps
            .get(at)
            .map_or(f64::NEG_INFINITY, |(_, _, oldest)| *oldest)
    }
}

/// The bounds of a store that is open, as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct KnownBounds(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    bounds: Option<Arc<TimeBounds>>,
    /// How often they were missed.
    missed: u32,
}

impl KnownBounds {
    /// The bounds, if `ids` (in ascending order) are mostly within them. They are read when they are
    /// missed for the second time: to read them pays for who searches again.
    pub(super) fn of(
        &self,
        conn: &Connection,
        ids: &[i64],
    ) -> rusqlite::Result<Option<Arc<TimeBounds>>> {
        const BEYOND: usize = 200;
        let mut known = self.lock();
        if let Some(bounds) = &known.bounds {
            let within = ids.partition_point(|id| *id <= bounds.last());
            if ids.len() - within <= BEYOND {
                return Ok(Some(bounds.clone()));
            }
        }
        known.missed += 1;
        if known.missed < 2 {
            return Ok(None);
        }
        known.missed = 0;
        // Others that search meanwhile go without them.
        drop(known);
        let bounds = Arc::new(TimeBounds::read(conn)?);
        self.lock().bounds = Some(bounds.clone());
        Ok(Some(bounds))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(messages: &[(i64, f64)]) -> TimeBounds {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch("CREATE TABLE messages (id INTEGER PRIMARY KEY, timestamp REAL)")
            .unwrap();
        for message in messages {
            conn.execute("INSERT INTO messages VALUES (?1, ?2)", *message)
                .unwrap();
        }
        TimeBounds::read(&conn).unwrap()
    }

    #[test]
    fn no_message_is_beyond_its_bounds() {
        let messages: Vec<(i64, f64)> = (0..200)
            .map(|n| (n * 397 - 5_000, f64::from((n as i32 * 7_919) % 1_000)))
            .collect();
        let bounds = bounds(&messages);
        assert_eq!(bounds.last(), 199 * 397 - 5_000);
        for (id, _) in &messages {
            for (other, time) in &messages {
                if other <= id {
                    assert!(*time <= bounds.newest_up_to(*id));
                }
                if other >= id {
                    assert!(*time >= bounds.oldest_from(*id));
                }
            }
        }
    }

    #[test]
    fn in_order_the_bounds_are_near() {
        let messages: Vec<(i64, f64)> = (1..10_000).map(|n| (n, n as f64)).collect();
        let bounds = bounds(&messages);
        assert!(bounds.newest_up_to(5_000) < 6_100.0);
        assert!(bounds.oldest_from(5_000) > 3_900.0);
    }

    #[test]
    fn of_nothing_nothing_is_known() {
        let bounds = bounds(&[]);
        assert_eq!(bounds.newest_up_to(1), f64::INFINITY);
        assert_eq!(bounds.oldest_from(1), f64::NEG_INFINITY);
    }
}
