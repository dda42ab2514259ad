//! A long session is stored in several transactions, so that others can write in between.
//!
//! Until it is whole, its end reason is [`IMPORTING`] and a key in `state_meta` holds the time until
//! which somebody is at it. When that has passed, whoever comes next deletes what is there.

use std::cell::Cell;
use std::time::Instant;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params};

use super::line::Line;
use super::options::ImportOptions;
use super::place::{
    Done, Earlier, Placed, Plan, insert, insert_messages, place, plan, session_row,
};
use crate::delete::{DeleteOptions, mark, with_mark};
use crate::error::{Error, Result};
use crate::meta;
use crate::pace::Pace;
use crate::session::SessionId;
use crate::store::Store;
use crate::write::{Patience, Tx};

/// The end reason of a session that is being imported.
const IMPORTING: &str = "importing";

/// In front of a session's id in `state_meta`.
const MARK: &str = "hermes_state.importing:";

/// Longer than a write waits for the lock.
const LEASE_SECONDS: f64 = 30.0;

/// What the first transaction came to.
enum Begun {
    Over(Placed),
    Stored(Done, usize),
}

/// What one transaction does, as long as it has time.
type Stage<'a> = &'a dyn Fn(&Tx<'_>, &mut dyn FnMut() -> bool) -> Result<Begun>;

impl Store {
    /// Stores a session with its messages, in batches if it is a new one.
    pub(super) fn place_in_stages(
        &self,
        line: &Line,
        options: &ImportOptions,
        earlier: &Earlier,
        pace: &mut Pace,
    ) -> Result<Placed> {
        let mut stage = |body: Stage<'_>| {
            pace.pause_if_due(self);
            let time = pace.allowance().time;
            let (begun, held) = pace.time(|begun| {
                self.write(Patience::Append, |tx| {
                    begun();
                    let began = Instant::now();
                    body(tx, &mut || began.elapsed() < time)
                })
            })?;
            pace.learn(held, 0);
            Ok::<Begun, Error>(begun)
        };
        let first = stage(&|tx, has_time| match tx
            .sqlite(|conn| plan(conn, line, options, earlier))?
        {
            Plan::Store(done) if !done.overwrites => {
                let mut session = session_row(line, &done);
                session.set("ended_at", Sql::Real(self.now()?));
                session.set("end_reason", Sql::Text(IMPORTING.to_owned()));
                insert(tx, "sessions", &session, false)?;
                self.hold(tx, &done.id)?;
                let stored = insert_messages(tx, line, &done.id, 0, has_time)?;
                self.finish_if_whole(tx, line, &done, stored)?;
                Ok(Begun::Stored(done, stored))
            }
            plan => place(tx, line, plan).map(Begun::Over),
        })?;
        let (done, stored) = match first {
            Begun::Over(placed) => return Ok(placed),
            Begun::Stored(done, stored) => (done, Cell::new(stored)),
        };
        while stored.get() < line.len() {
            let next = stage(&|tx, has_time| {
                if !is_ours(tx, &done.id)? {
                    return Ok(Begun::Over(Placed::Refused(
                        "was changed or deleted while it was being imported".to_owned(),
                    )));
                }
                self.hold(tx, &done.id)?;
                let more = insert_messages(tx, line, &done.id, stored.get(), has_time)?;
                self.finish_if_whole(tx, line, &done, stored.get() + more)?;
                Ok(Begun::Stored(done.clone(), stored.get() + more))
            });
            match next {
                Ok(Begun::Over(placed)) => return Ok(placed),
                Ok(Begun::Stored(_, now)) => stored.set(now),
                Err(e) => {
                    // A row of this line is wrong: the session is there whole or not at all.
                    if matches!(e, Error::Sqlite { .. }) {
                        self.give_up(&done.id)?;
                    }
                    return Err(e);
                }
            }
        }
        Ok(Placed::Stored(done))
    }

    /// Says that somebody is at it for some time to come.
    fn hold(&self, tx: &Tx<'_>, id: &SessionId) -> Result<()> {
        let until = self.now()? + LEASE_SECONDS;
        meta::set_meta(tx, &key(id), &format!("{until:?}"))
    }

    fn finish_if_whole(&self, tx: &Tx<'_>, line: &Line, done: &Done, stored: usize) -> Result<()> {
        if stored < line.len() {
            return Ok(());
        }
        let value = |column| line.session.value(column).cloned().unwrap_or(Sql::Null);
        tx.execute(
            "UPDATE sessions SET ended_at = ?2, end_reason = ?3 WHERE id = ?1",
            params![done.id.as_str(), value("ended_at"), value("end_reason")],
        )?;
        release(tx, &done.id)
    }

    fn give_up(&self, id: &SessionId) -> Result<()> {
        self.write(Patience::Append, |tx| {
            if is_ours(tx, id)? {
                mark(tx, id)?;
            }
            release(tx, id)
        })?;
        self.finish_deletions(&DeleteOptions::new())?;
        Ok(())
    }

    /// Has sessions deleted whose import ended before they were whole.
    pub(crate) fn give_up_stale_imports(&self) -> Result<()> {
        let now = self.now()?;
        let is_stale = |until: Option<&str>| {
            until
                .and_then(|t| t.parse::<f64>().ok())
                .is_none_or(|until| until < now)
        };
        let found = self.read(|conn, _| with_mark(conn, MARK))?;
        for (id, _) in found.iter().filter(|(_, until)| is_stale(until.as_deref())) {
            self.write(Patience::Short, |tx| {
                let until = tx.sqlite(|conn| lease(conn, id))?;
                if let Some(until) = until
                    && is_stale(until.as_deref())
                {
                    if is_ours(tx, id)? {
                        mark(tx, id)?;
                    }
                    release(tx, id)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn key(id: &SessionId) -> String {
    format!("{MARK}{id}")
}

fn release(tx: &Tx<'_>, id: &SessionId) -> Result<()> {
    meta::remove_meta(tx, &key(id))
}

/// Until when somebody imports this session, if anybody does.
fn lease(conn: &Connection, id: &SessionId) -> rusqlite::Result<Option<Option<String>>> {
    meta::entry(conn, &key(id))
}

/// Whether a session is still as an import has left it.
fn is_ours(tx: &Tx<'_>, id: &SessionId) -> Result<bool> {
    tx.sqlite(|conn| {
        conn.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1 AND end_reason = ?2")?
            .exists([id.as_str(), IMPORTING])
    })
}

/// Whether a session is not yet whole.
pub(super) fn is_under_way(conn: &Connection, id: &SessionId) -> rusqlite::Result<bool> {
    let unfinished = conn
        .prepare_cached("SELECT 1 FROM sessions WHERE id = ?1 AND end_reason = ?2")?
        .exists([id.as_str(), IMPORTING])?;
    Ok(unfinished && lease(conn, id)?.is_some())
}
