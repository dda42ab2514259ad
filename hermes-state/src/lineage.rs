//! Lineage: what a session came from and what came out of it.
//!
//! A session may have a parent for three reasons: the parent was compressed and goes on in the
//! child, the child branched off, or the child is a helper that the parent started. Files of
//! version 11 tell these apart by times alone; newer ones have marks in `model_config`. Sessions
//! that are each other's parents do not stop any of these walks.

mod tree;

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension};

use crate::error::Result;
use crate::schema::{Layout, NATIVE_VERSION};
use crate::session::SessionId;
use crate::store::Store;

pub use tree::{Lineage, LineageNode, Relation};

/// Continuations that a compressed session is followed through.
const MAX_CONTINUATIONS: usize = 100;

/// Children that are looked through for a session with messages.
const MAX_RESUME_STEPS: usize = 32;

/// Parents that are followed upwards.
const MAX_ANCESTORS: usize = 10_000;

const HAS_MESSAGES: &str = "SELECT 1 FROM messages WHERE session_id = ?1";

const PARENT: &str = "SELECT p.id FROM sessions s JOIN sessions p ON p.id = s.parent_session_id
    WHERE s.id = ?1";

const DESCENDANTS: &str = "WITH RECURSIVE below(id) AS (
        SELECT id FROM sessions WHERE parent_session_id = ?1
        UNION SELECT s.id FROM sessions s JOIN below b ON s.parent_session_id = b.id)
    SELECT s.id FROM below b JOIN sessions s ON s.id = b.id
    WHERE s.id != ?1 ORDER BY s.started_at, s.rowid";

impl Store {
    /// The session that this one goes on in after its compressions: the last of the chain, the
    /// session itself if it was never compressed, and the id as given if it is unknown.
    ///
    /// # Errors
    /// Those of every read.
    pub fn compression_tip(&self, id: impl AsRef<str>) -> Result<SessionId> {
        self.read(|conn, layout| compression_tip(conn, layout, id.as_ref()))
            .map(SessionId::new)
    }

    /// The session to go on with when this one is resumed: one that has messages.
    ///
    /// In a store of version 11 this is the session itself if it has messages, otherwise the first
    /// that has some when the latest children are followed. In newer ones the walk begins at the
    /// compression tip, leaves out branches and helpers, and takes the last that has some. Where
    /// none has, the start of the walk is returned.
    ///
    /// # Errors
    /// Those of every read.
    pub fn resume_target(&self, id: impl AsRef<str>) -> Result<SessionId> {
        self.read(|conn, layout| {
            let id = id.as_ref();
            if layout.version > NATIVE_VERSION {
                deepest_with_messages(conn, compression_tip(conn, layout, id)?)
            } else {
                first_with_messages(conn, id)
            }
        })
        .map(SessionId::new)
    }

    /// The sessions that this one comes from, of whatever kind: its parent first, then the
    /// parent's parent, up to the root.
    ///
    /// # Errors
    /// Those of every read.
    pub fn ancestors(&self, id: impl AsRef<str>) -> Result<Vec<SessionId>> {
        self.read(|conn, _| ancestors(conn, id.as_ref()))
    }

    /// The sessions that come from this one, of whatever kind and depth, in the order they were
    /// started.
    ///
    /// # Errors
    /// Those of every read.
    pub fn descendants(&self, id: impl AsRef<str>) -> Result<Vec<SessionId>> {
        self.read(|conn, _| {
            let mut statement = conn.prepare_cached(DESCENDANTS)?;
            let rows = statement.query_map([id.as_ref()], session_id)?;
            rows.collect()
        })
    }

    /// The session at the top of this one's line of parents; the id as given if it has none or is
    /// unknown.
    ///
    /// # Errors
    /// Those of every read.
    pub fn conversation_root(&self, id: impl AsRef<str>) -> Result<SessionId> {
        let id = id.as_ref();
        let mut line = self.ancestors(id)?;
        Ok(line.pop().unwrap_or_else(|| SessionId::new(id)))
    }

    /// The sessions that one conversation went through by compression, the oldest first, this one
    /// among them. A session beside that chain is alone; an unknown one has none.
    ///
    /// # Errors
    /// Those of every read.
    pub fn compression_lineage(&self, id: impl AsRef<str>) -> Result<Vec<SessionId>> {
        self.read(|conn, layout| compression_lineage(conn, layout, id.as_ref()))
    }
}

fn session_id(row: &rusqlite::Row<'_>) -> rusqlite::Result<SessionId> {
    crate::record::column(row, 0)
}

/// The SQL condition that `child` carries no mark of a branch or a helper.
fn unmarked(child: &str) -> String {
    format!(
        "NOT {} AND NOT {} AND {child}.source != 'tool'",
        mark(child, "_branched_from"),
        mark(child, "_delegate_from")
    )
}

/// The SQL condition that a session's settings carry a mark of newer versions. Settings that are
/// no JSON carry none.
pub(crate) fn mark(session: &str, name: &str) -> String {
    format!(
        "(CASE WHEN json_valid({session}.model_config)
           THEN COALESCE(json_extract({session}.model_config, '$.{name}'), '') != '' ELSE 0 END)"
    )
}

/// The SQL condition that session `child` continues session `parent` after its compression, given
/// that it is its child.
pub(crate) fn continues(layout: &Layout, parent: &str, child: &str) -> String {
    let rule = if layout.version > NATIVE_VERSION {
        unmarked(child)
    } else {
        format!("{child}.started_at >= {parent}.ended_at")
    };
    format!("{parent}.end_reason = 'compression' AND {child}.id != {parent}.id AND {rule}")
}

/// The SQL expression of a session's last activity: its newest message, or nothing.
///
/// Text sorts above every number; a time that is none must not hide those that are. SQLite takes
/// the greatest number from the end of the index on (session_id, timestamp).
pub(crate) fn last_message_time(session: &str) -> String {
    format!(
        "(SELECT timestamp FROM messages WHERE session_id = {session}.id AND timestamp <= 9e999
          ORDER BY timestamp DESC LIMIT 1)"
    )
}

/// The last of the continuations that a compression started; the session itself if none.
pub(crate) fn compression_tip(
    conn: &Connection,
    layout: &Layout,
    id: &str,
) -> rusqlite::Result<String> {
    let chain = continuations(conn, layout, id)?;
    Ok(chain.last().cloned().unwrap_or_else(|| id.to_owned()))
}

/// The sessions that this one goes on in, one after the other.
fn continuations(conn: &Connection, layout: &Layout, id: &str) -> rusqlite::Result<Vec<String>> {
    let order = if layout.version > NATIVE_VERSION {
        format!(
            "COALESCE(c.end_reason, '') = 'compression' DESC, c.ended_at IS NULL DESC,
             COALESCE({}, c.started_at) DESC, c.started_at DESC, c.id DESC",
            last_message_time("c")
        )
    } else {
        "c.started_at DESC, c.rowid".to_owned()
    };
    let sql = format!(
        "SELECT c.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id
         WHERE p.id = ?1 AND {} ORDER BY {order} LIMIT 1",
        continues(layout, "p", "c")
    );
    follow(conn, &sql, id, MAX_CONTINUATIONS)
}

/// Where a query from one id to the next leads, without the start, until it comes to a session
/// that was there before.
fn follow(conn: &Connection, sql: &str, id: &str, steps: usize) -> rusqlite::Result<Vec<String>> {
    let mut next = conn.prepare_cached(sql)?;
    let mut seen = HashSet::from([id.to_owned()]);
    let mut chain: Vec<String> = Vec::new();
    for _ in 0..steps {
        let from = chain.last().map_or(id, String::as_str);
        let found: Option<SessionId> = next.query_row([from], session_id).optional()?;
        match found {
            Some(found) if seen.insert(found.as_str().to_owned()) => {
                chain.push(found.as_str().to_owned());
            }
            _ => break,
        }
    }
    Ok(chain)
}

/// The session at the top of the line of parents; the session itself if it has none.
pub(crate) fn root_of(conn: &Connection, id: &str) -> rusqlite::Result<SessionId> {
    let top = ancestors(conn, id)?.pop();
    Ok(top.unwrap_or_else(|| SessionId::new(id)))
}

/// The ids of all sessions of a lineage: the root's and those of all that came from it. Only the
/// id itself where there is no such session.
pub(crate) fn lineage_ids(conn: &Connection, id: &str) -> rusqlite::Result<Vec<String>> {
    let root = root_of(conn, id)?;
    let mut ids = vec![root.as_str().to_owned()];
    let mut below = conn.prepare_cached(DESCENDANTS)?;
    for row in below.query_map([root.as_str()], session_id)? {
        ids.push(row?.as_str().to_owned());
    }
    Ok(ids)
}

fn ancestors(conn: &Connection, id: &str) -> rusqlite::Result<Vec<SessionId>> {
    let line = follow(conn, PARENT, id, MAX_ANCESTORS)?;
    Ok(line.into_iter().map(SessionId::new).collect())
}

/// The ids of the sessions that were compressed and, step by step, go on in this one: the nearest
/// first.
pub(crate) fn compressed_ancestors(
    conn: &Connection,
    layout: &Layout,
    id: &str,
) -> rusqlite::Result<Vec<String>> {
    let sql = format!(
        "SELECT p.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id
         WHERE c.id = ?1 AND {}",
        continues(layout, "p", "c")
    );
    follow(conn, &sql, id, MAX_CONTINUATIONS)
}

/// The continuations of a session and theirs, whichever of them is the tip, without the session
/// itself: what any of them is called or when it was last used counts for the whole chain.
pub(crate) fn all_continuations(
    conn: &Connection,
    layout: &Layout,
    id: &str,
    found: &mut Vec<String>,
) -> rusqlite::Result<()> {
    let sql = format!(
        "WITH RECURSIVE chain(id) AS (
             SELECT ?1 UNION SELECT c.id FROM chain
             JOIN sessions p ON p.id = chain.id
             JOIN sessions c ON c.parent_session_id = p.id WHERE {})
         SELECT id FROM chain WHERE id != ?1",
        continues(layout, "p", "c")
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([id], session_id)?;
    for row in rows {
        found.push(row?.as_str().to_owned());
    }
    Ok(())
}

fn compression_lineage(
    conn: &Connection,
    layout: &Layout,
    id: &str,
) -> rusqlite::Result<Vec<SessionId>> {
    if !conn.prepare_cached(crate::session::EXISTS)?.exists([id])? {
        return Ok(Vec::new());
    }
    let above = compressed_ancestors(conn, layout, id)?;
    let root = above.last().map_or(id, String::as_str);
    let mut chain = vec![root.to_owned()];
    chain.extend(continuations(conn, layout, root)?);
    if !chain.iter().any(|link| link == id) {
        chain = vec![id.to_owned()];
    }
    Ok(chain.into_iter().map(SessionId::new).collect())
}

/// The rule of version 11: the session itself, or the first of its latest children with messages.
fn first_with_messages(conn: &Connection, id: &str) -> rusqlite::Result<String> {
    const LATEST_CHILD: &str = "SELECT id FROM sessions WHERE parent_session_id = ?1
        ORDER BY started_at DESC, id DESC LIMIT 1";
    let mut has_messages = conn.prepare_cached(HAS_MESSAGES)?;
    if has_messages.exists([id])? {
        return Ok(id.to_owned());
    }
    for child in follow(conn, LATEST_CHILD, id, MAX_RESUME_STEPS)? {
        if has_messages.exists([&child])? {
            return Ok(child);
        }
    }
    Ok(id.to_owned())
}

/// The rule of newer versions: the last with messages among a session and its latest children,
/// branches and helpers left out.
fn deepest_with_messages(conn: &Connection, tip: String) -> rusqlite::Result<String> {
    let sql = format!(
        "SELECT c.id FROM sessions c WHERE c.parent_session_id = ?1 AND {}
         ORDER BY c.started_at DESC, c.id DESC LIMIT 1",
        unmarked("c")
    );
    let mut has_messages = conn.prepare_cached(HAS_MESSAGES)?;
    let mut deepest = None;
    for child in follow(conn, &sql, &tip, MAX_RESUME_STEPS)? {
        if has_messages.exists([&child])? {
            deepest = Some(child);
        }
    }
    Ok(deepest.unwrap_or(tip))
}
