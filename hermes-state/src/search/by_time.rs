//! Messages in the order of their time.
//!
//! A message's time stands behind its text in the row, so that reading it costs as much as a long
//! text is long. Where the messages are many and few of them are wanted, they are read from the
//! greatest id on, until no other can be newer ([`time_bounds`](super::time_bounds)); or, where the
//! bounds are not known, or only some sessions count, the sessions are gone through from the one last
//! used on: the index on (session_id, timestamp) has the times alone.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

use super::filter::Filter;
use super::time_bounds::{KnownBounds, TimeBounds};
use crate::record::Column;

/// Messages from which on not all are read.
const SOME: usize = 100;

/// Messages from which on the sessions are gone through.
const MANY: usize = 500;

/// A message in the order of time.
#[derive(Debug, Clone, Copy)]
struct Timed {
    time: f64,
    id: i64,
}

impl Timed {
    fn read(row: &Row<'_>) -> rusqlite::Result<Timed> {
        Ok(Timed {
            id: row.get(0)?,
            time: time(row.get_ref(1)?),
        })
    }
}

/// What is no number stands where SQLite sorts it: behind all numbers.
pub(super) fn time(stored: ValueRef<'_>) -> f64 {
    match stored {
        ValueRef::Text(_) | ValueRef::Blob(_) => f64::INFINITY,
        stored => f64::of(stored),
    }
}

impl Ord for Timed {
    fn cmp(&self, other: &Timed) -> Ordering {
        self.time
            .total_cmp(&other.time)
            .then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Timed) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Timed {
    fn eq(&self, other: &Timed) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Timed {}

/// The first of these messages (in ascending order) that meet the filter, the newest or the oldest
/// first.
pub(super) fn order(
    conn: &Connection,
    ids: &[i64],
    filter: &Filter,
    newest: bool,
    wanted: usize,
    known: &KnownBounds,
) -> rusqlite::Result<Vec<i64>> {
    let mut kept = Kept {
        newest,
        wanted,
        messages: BTreeSet::new(),
    };
    if ids.len() < SOME || wanted >= ids.len() {
        one_by_one(conn, ids.iter(), filter, &mut kept, |_, _| true)?;
        return Ok(kept.into_ids());
    }
    let bounds = match filter.session.is_empty() {
        true => known.of(conn, ids)?,
        false => None,
    };
    match bounds {
        Some(bounds) => within(conn, ids, filter, &mut kept, &bounds)?,
        None if ids.len() < MANY => {
            one_by_one(conn, ids.iter(), filter, &mut kept, |_, _| true)?;
        }
        None => by_session(conn, ids, filter, &mut kept)?,
    }
    Ok(kept.into_ids())
}

/// The first messages so far.
struct Kept {
    newest: bool,
    wanted: usize,
    messages: BTreeSet<Timed>,
}

impl Kept {
    /// Whether a message of this time, or one behind it in the order, can still be among the first.
    fn may_hold(&self, time: f64) -> bool {
        if self.messages.len() < self.wanted {
            return true;
        }
        if self.newest {
            self.messages.first().is_some_and(|last| last.time <= time)
        } else {
            self.messages.last().is_some_and(|last| last.time >= time)
        }
    }

    fn put(&mut self, message: Timed) {
        self.messages.insert(message);
        if self.messages.len() > self.wanted {
            if self.newest {
                self.messages.pop_first();
            } else {
                self.messages.pop_last();
            }
        }
    }

    fn into_ids(self) -> Vec<i64> {
        let ids = self.messages.into_iter().map(|message| message.id);
        if self.newest {
            ids.rev().collect()
        } else {
            ids.collect()
        }
    }
}

/// From the end at which the first ones nearly always are.
fn within(
    conn: &Connection,
    ids: &[i64],
    filter: &Filter,
    kept: &mut Kept,
    bounds: &TimeBounds,
) -> rusqlite::Result<()> {
    let (inside, beyond) = ids.split_at(ids.partition_point(|id| *id <= bounds.last()));
    one_by_one(conn, beyond.iter(), filter, kept, |_, _| true)?;
    if kept.newest {
        one_by_one(conn, inside.iter().rev(), filter, kept, |kept, id| {
            kept.may_hold(bounds.newest_up_to(id))
        })
    } else {
        one_by_one(conn, inside.iter(), filter, kept, |kept, id| {
            kept.may_hold(bounds.oldest_from(id))
        })
    }
}

/// `goes_on`: whether a message, or one behind it, can still be among the first.
fn one_by_one<'i>(
    conn: &Connection,
    ids: impl Iterator<Item = &'i i64>,
    filter: &Filter,
    kept: &mut Kept,
    goes_on: impl Fn(&Kept, i64) -> bool,
) -> rusqlite::Result<()> {
    let (conditions, values) = filter.all();
    let values: Vec<Sql> = values.collect();
    let sql = format!(
        "SELECT m.id, m.timestamp FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
         WHERE m.id = ? {conditions}"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    for id in ids {
        if !goes_on(kept, *id) {
            break;
        }
        let parameters = [Sql::Integer(*id)]
            .into_iter()
            .chain(values.iter().cloned());
        let mut rows = statement.query(params_from_iter(parameters))?;
        if let Some(row) = rows.next()? {
            kept.put(Timed::read(row)?);
        }
    }
    Ok(())
}

fn by_session(
    conn: &Connection,
    ids: &[i64],
    filter: &Filter,
    kept: &mut Kept,
) -> rusqlite::Result<()> {
    let order = if kept.newest { "DESC" } else { "ASC" };
    let sessions_sql = format!(
        "SELECT s.id, (SELECT timestamp FROM messages WHERE session_id = s.id
             ORDER BY timestamp {order} LIMIT 1) AS edge
         FROM sessions s WHERE edge IS NOT NULL {} ORDER BY edge {order}",
        filter.session.sql
    );
    let messages_sql = format!(
        "SELECT id, timestamp FROM messages WHERE session_id = ? ORDER BY timestamp {order}, id {order}"
    );
    let meets_sql = format!(
        "SELECT 1 FROM messages m WHERE m.id = ? {}",
        filter.message.sql
    );
    let mut sessions = conn.prepare_cached(&sessions_sql)?;
    let mut messages = conn.prepare_cached(&messages_sql)?;
    let mut meets = conn.prepare_cached(&meets_sql)?;
    let mut rows = sessions.query(params_from_iter(&filter.session.values))?;
    while let Some(session) = rows.next()? {
        if !kept.may_hold(time(session.get_ref(1)?)) {
            break;
        }
        let mut rows = messages.query([session.get::<_, Sql>(0)?])?;
        while let Some(row) = rows.next()? {
            let message = Timed::read(row)?;
            if !kept.may_hold(message.time) {
                break;
            }
            if ids.binary_search(&message.id).is_err() {
                continue;
            }
            let parameters = [Sql::Integer(message.id)]
                .into_iter()
                .chain(filter.message.values.iter().cloned());
            if filter.message.is_empty() || meets.exists(params_from_iter(parameters))? {
                kept.put(message);
            }
        }
    }
    Ok(())
}
