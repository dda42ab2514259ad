//! One batch: the statements of one transaction.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use rusqlite::{Connection, params};

use super::DELETING;
use crate::error::Result;
use crate::index_rows::{Changing, before_change};
use crate::message::MessageId;
use crate::meta;
use crate::pace::Allowance;
use crate::prune::{Condition, delegate_mark};
use crate::record::column;
use crate::schema::{Layout, NATIVE_VERSION};
use crate::session::{EXISTS, SessionId};
use crate::write::Tx;

/// In front of a session's id in `state_meta`, with the id of its newest message at that time as
/// value: the session is being deleted.
const MARK: &str = "hermes_state.deleting:";

/// Messages looked up at once.
const PAGE: i64 = 64;

/// What becomes of the delegates of a deleted session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delegates {
    /// All are deleted along.
    All,
    /// The ended ones are deleted along, the others lose their parent.
    Ended,
    /// They lose their parent.
    Leave,
}

/// Delegates without a parent, by the session that their mark names.
pub(crate) type Loose = HashMap<String, Vec<SessionId>>;

/// What holds for all sessions of a piece of work.
pub(super) struct Job<'a> {
    pub(super) still: Option<&'a Condition>,
    pub(super) delegates: Delegates,
    pub(super) loose: &'a Loose,
    /// Only sessions whose deletion had begun.
    pub(super) marked_only: bool,
}

impl Job<'static> {
    /// Goes on with what was begun.
    pub(super) fn marked() -> Job<'static> {
        static NONE: std::sync::LazyLock<Loose> = std::sync::LazyLock::new(HashMap::new);
        Job {
            still: None,
            delegates: Delegates::Leave,
            loose: &NONE,
            marked_only: true,
        }
    }
}

/// What one batch did.
#[derive(Default)]
pub(super) struct Batch {
    /// So many of the sessions given are dealt with.
    pub(super) roots: usize,
    pub(super) finished: Vec<SessionId>,
    pub(super) messages: u64,
    /// Sessions that lost their parent; some may be deleted themselves later.
    pub(super) detached: Vec<SessionId>,
    pub(super) kept: Vec<SessionId>,
    /// The last session is only half deleted.
    pub(super) unfinished: bool,
}

/// Deletes as many of these sessions as the time allows, at least a part of one.
pub(super) fn run(
    tx: &Tx<'_>,
    roots: &[SessionId],
    job: &Job<'_>,
    allowance: &Allowance,
) -> Result<Batch> {
    let began = Instant::now();
    let mut batch = Batch::default();
    for root in roots {
        let marked = mark_of(tx, root)?;
        let there = tx.exists(EXISTS, root.as_str())?;
        if !there && marked.is_some() {
            unmark(tx, root)?;
        }
        let wanted = there
            && match (marked, job.still) {
                (Some(_), _) => true,
                (None, _) if job.marked_only => false,
                (None, Some(condition)) => condition.holds(tx, root)?,
                (None, None) => true,
            };
        if wanted {
            let mut members =
                tx.sqlite(|conn| delegates_of(conn, tx.layout(), root, job.delegates, job.loose))?;
            // The deepest first: a session is whole until its delegates are gone.
            members.reverse();
            members.push(root.clone());
            for member in &members {
                if !batch.is_idle() && !fits(tx, member, allowance, began)? {
                    return Ok(batch);
                }
                if !batch.delete(tx, member, allowance, began)? {
                    return Ok(batch);
                }
            }
        } else if there && !job.marked_only {
            batch.kept.push(root.clone());
        }
        batch.roots += 1;
        if began.elapsed() >= allowance.time {
            break;
        }
    }
    Ok(batch)
}

fn fits(tx: &Tx<'_>, id: &SessionId, allowance: &Allowance, began: Instant) -> Result<bool> {
    let left = allowance.time.saturating_sub(began.elapsed());
    // One more for the session's own row.
    let room = left.as_nanos() / allowance.per_message.as_nanos().max(1);
    let room = i64::try_from(room).unwrap_or(i64::MAX);
    let messages: i64 = tx.sqlite(|conn| {
        conn.prepare_cached(
            "SELECT COUNT(*) FROM (SELECT 1 FROM messages WHERE session_id = ?1 LIMIT ?2)",
        )?
        .query_row(params![id.as_str(), room], |row| row.get(0))
    })?;
    Ok(messages < room)
}

impl Batch {
    fn is_idle(&self) -> bool {
        self.finished.is_empty() && self.messages == 0
    }

    /// Deletes one session; false if the time was over before its last message.
    fn delete(
        &mut self,
        tx: &Tx<'_>,
        id: &SessionId,
        allowance: &Allowance,
        began: Instant,
    ) -> Result<bool> {
        let marked = mark_of(tx, id)?;
        if marked.is_none() && !tx.exists(EXISTS, id.as_str())? {
            return Ok(true);
        }
        loop {
            let page = page(tx, id, marked)?;
            if page.is_empty() {
                break;
            }
            before_change(tx, Changing::Ids(&page))?;
            for message in &page {
                if !self.is_idle() && began.elapsed() >= allowance.time {
                    if marked.is_none() {
                        mark(tx, id)?;
                        self.detached.extend(detach(tx, id)?);
                    }
                    recount(tx, id)?;
                    self.unfinished = true;
                    return Ok(false);
                }
                tx.execute("DELETE FROM messages WHERE id = ?1", [message.0])?;
                self.messages += 1;
            }
        }
        if marked.is_some() {
            unmark(tx, id)?;
            // Somebody was told that these are stored.
            if tx.exists("SELECT 1 FROM messages WHERE session_id = ?1", id.as_str())? {
                revive(tx, id)?;
                self.kept.push(id.clone());
                return Ok(true);
            }
        }
        self.detached.extend(detach(tx, id)?);
        tx.execute("DELETE FROM sessions WHERE id = ?1", [id.as_str()])?;
        self.finished.push(id.clone());
        Ok(true)
    }
}

/// The newest messages of a session; of one that is being deleted not those that came since.
fn page(tx: &Tx<'_>, id: &SessionId, marked: Option<MessageId>) -> Result<Vec<MessageId>> {
    // In the order of the index that every release has.
    const NEWEST: &str = "SELECT id FROM messages WHERE session_id = ?1 AND id <= ?2
        ORDER BY timestamp DESC, id DESC LIMIT ?3";
    let newest = marked.map_or(i64::MAX, |id| id.0);
    tx.sqlite(|conn| {
        conn.prepare_cached(NEWEST)?
            .query_map(params![id.as_str(), newest, PAGE], |row| {
                Ok(MessageId(row.get(0)?))
            })?
            .collect()
    })
}

/// Takes their parent from the children of a session.
fn detach(tx: &Tx<'_>, id: &SessionId) -> Result<Vec<SessionId>> {
    const DETACH: &str = "UPDATE sessions SET parent_session_id = NULL
        WHERE parent_session_id = ?1 RETURNING id";
    tx.sqlite(|conn| {
        conn.prepare_cached(DETACH)?
            .query_map([id.as_str()], |row| column(row, 0))?
            .collect()
    })
}

fn mark_key(id: &SessionId) -> String {
    format!("{MARK}{id}")
}

fn mark_of(tx: &Tx<'_>, id: &SessionId) -> Result<Option<MessageId>> {
    let Some(newest) = tx.sqlite(|conn| meta::entry(conn, &mark_key(id)))? else {
        return Ok(None);
    };
    // Whoever has opened the session again since wants to keep it.
    let still = tx.sqlite(|conn| {
        conn.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1 AND end_reason = ?2")?
            .exists([id.as_str(), DELETING])
    })?;
    if !still && tx.exists(EXISTS, id.as_str())? {
        unmark(tx, id)?;
        return Ok(None);
    }
    // What is no number was not written by a deletion: it means no message.
    let newest = newest.and_then(|newest| newest.parse().ok());
    Ok(Some(MessageId(newest.unwrap_or(0))))
}

/// Marks a session as one that is being deleted.
pub(crate) fn mark(tx: &Tx<'_>, id: &SessionId) -> Result<MessageId> {
    // What was deleted already was newer than what is left, and ids are never used again.
    let newest: i64 = tx.sqlite(|conn| {
        conn.prepare_cached("SELECT COALESCE(MAX(id), 0) FROM messages")?
            .query_row([], |row| row.get(0))
    })?;
    meta::set_meta(tx, &mark_key(id), &newest.to_string())?;
    tx.execute(
        "UPDATE sessions SET end_reason = ?2, ended_at = COALESCE(ended_at, started_at) WHERE id = ?1",
        [id.as_str(), DELETING],
    )?;
    Ok(MessageId(newest))
}

fn unmark(tx: &Tx<'_>, id: &SessionId) -> Result<()> {
    meta::remove_meta(tx, &mark_key(id))
}

/// A session that is half deleted does not count what has gone.
fn recount(tx: &Tx<'_>, id: &SessionId) -> Result<()> {
    tx.execute(
        "UPDATE sessions SET message_count = MIN(message_count, (
            SELECT COUNT(*) FROM messages m WHERE m.session_id = sessions.id))
         WHERE id = ?1",
        [id.as_str()],
    )?;
    Ok(())
}

/// A session that got messages while its old ones were being deleted goes on with these.
fn revive(tx: &Tx<'_>, id: &SessionId) -> Result<()> {
    tx.execute(
        "UPDATE sessions SET ended_at = NULL, end_reason = NULL,
            (message_count, tool_call_count) = (
                SELECT COUNT(*), COALESCE(SUM(CASE
                    WHEN m.tool_calls IS NULL THEN 0
                    WHEN NOT json_valid(m.tool_calls) OR json_type(m.tool_calls) != 'array' THEN 1
                    ELSE json_array_length(m.tool_calls) END), 0)
                FROM messages m WHERE m.session_id = sessions.id)
         WHERE id = ?1",
        [id.as_str()],
    )?;
    Ok(())
}

/// The sessions whose deletion had begun.
pub(super) fn marked(conn: &Connection) -> rusqlite::Result<Vec<SessionId>> {
    Ok(with_mark(conn, MARK)?
        .into_iter()
        .map(|(id, _)| id)
        .collect())
}

/// The sessions that `state_meta` has a key for that begins so, and the key's value.
pub(crate) fn with_mark(
    conn: &Connection,
    mark: &str,
) -> rusqlite::Result<Vec<(SessionId, Option<String>)>> {
    let entries = meta::entries(conn, mark)?.into_iter();
    Ok(entries
        .map(|(id, value)| (SessionId::new(id), value))
        .collect())
}

/// The delegates of a session, and theirs, from the top down; each once, whatever the rows say.
pub(crate) fn delegates_of(
    conn: &Connection,
    layout: &Layout,
    id: &SessionId,
    wanted: Delegates,
    loose: &Loose,
) -> rusqlite::Result<Vec<SessionId>> {
    if wanted == Delegates::Leave || layout.version <= NATIVE_VERSION {
        return Ok(Vec::new());
    }
    let ended = if wanted == Delegates::Ended {
        "AND s.ended_at IS NOT NULL"
    } else {
        ""
    };
    let mark = delegate_mark();
    let mut children = conn.prepare_cached(&format!(
        "SELECT s.id FROM sessions s WHERE s.parent_session_id = ?1 AND {mark} {ended}"
    ))?;
    let mut is_ended =
        conn.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1 AND ended_at IS NOT NULL")?;
    let mut seen = HashSet::from([id.clone()]);
    let mut found: Vec<SessionId> = Vec::new();
    let mut next = 0;
    let mut of = id.clone();
    loop {
        let rows = children.query_map([of.as_str()], |row| {
            Ok(SessionId::new(row.get::<_, String>(0)?))
        })?;
        let mut members = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        for id in loose.get(of.as_str()).into_iter().flatten() {
            if wanted == Delegates::All || is_ended.exists([id.as_str()])? {
                members.push(id.clone());
            }
        }
        found.extend(members.into_iter().filter(|id| seen.insert(id.clone())));
        let Some(id) = found.get(next) else {
            return Ok(found);
        };
        of = id.clone();
        next += 1;
    }
}

/// Delegates that have no parent, by the session that their mark names.
pub(crate) fn loose_delegates(conn: &Connection, layout: &Layout) -> rusqlite::Result<Loose> {
    let mut loose = Loose::new();
    if layout.version <= NATIVE_VERSION {
        return Ok(loose);
    }
    let sql = format!(
        "SELECT json_extract(s.model_config, '$._delegate_from'), s.id FROM sessions s
         WHERE s.parent_session_id IS NULL AND {}",
        delegate_mark()
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Ok(of) = row.get::<_, String>(0) {
            loose
                .entry(of)
                .or_default()
                .push(SessionId::new(row.get::<_, String>(1)?));
        }
    }
    Ok(loose)
}
