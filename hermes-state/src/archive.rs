//! Archiving: sessions that lists and prunes pass over.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Result;
use crate::prune::{PruneFilter, unsupported};
use crate::schema::Layout;
use crate::session::SessionId;
use crate::store::Store;
use crate::write::{Patience, Tx};

/// Sessions changed in one transaction.
const BATCH: usize = 500;

/// The version that has a column for it.
const SINCE: i64 = 14;

impl Store {
    /// Archives a session, or brings it back, with all that it continues and that continues it
    /// after a compression. Returns these sessions; none if there is no such session.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) below version 14, and those of every write.
    pub fn set_session_archived(
        &self,
        id: impl AsRef<str>,
        archived: bool,
    ) -> Result<Vec<SessionId>> {
        self.write(Patience::Short, |tx| {
            let lineage = tx.sqlite(|conn| compression_family(conn, tx.layout(), id.as_ref()))?;
            set_archived(tx, &lineage, archived)?;
            Ok(lineage)
        })
    }

    /// A session with all that it continues and that continues it after a compression, however often
    /// one was continued: what [`set_session_archived`](Self::set_session_archived) and
    /// [`export_session_lineage`](Self::export_session_lineage) take. The first one first; none if
    /// there is no such session.
    ///
    /// # Errors
    /// Those of every read.
    pub fn compression_family(&self, id: impl AsRef<str>) -> Result<Vec<SessionId>> {
        self.read(|conn, layout| compression_family(conn, layout, id.as_ref()))
    }

    /// Archives the sessions that a filter means, each with its compression lineage. Returns those
    /// that were not archived before.
    ///
    /// # Errors
    /// As [`set_session_archived`](Self::set_session_archived), and those of
    /// [`prune_candidates`](Self::prune_candidates).
    pub fn archive(&self, filter: &PruneFilter) -> Result<Vec<SessionId>> {
        let condition = filter.condition(&self.current_layout()?, self.now()?)?;
        let ids = self.matching(&condition)?;
        let mut done = BTreeSet::new();
        let mut archived = Vec::new();
        for batch in ids.chunks(BATCH) {
            let members = self.write(Patience::Short, |tx| {
                let mut members = Vec::new();
                for id in batch.iter().filter(|id| !done.contains(*id)) {
                    if condition.holds(tx, id)? {
                        members.extend(
                            tx.sqlite(|conn| compression_family(conn, tx.layout(), id.as_str()))?,
                        );
                    }
                }
                let mut fresh = Vec::new();
                for id in members {
                    if set_archived(tx, std::slice::from_ref(&id), true)? > 0 {
                        fresh.push(id);
                    }
                }
                Ok(fresh)
            })?;
            done.extend(members.iter().cloned());
            archived.extend(members);
        }
        Ok(archived)
    }
}

/// Sets the mark, and returns how many rows did not have it so.
fn set_archived(tx: &Tx<'_>, ids: &[SessionId], archived: bool) -> Result<usize> {
    if !tx.layout().sessions.has("archived") {
        return Err(unsupported("archiving", SINCE, tx.layout()));
    }
    let list = serde_json::Value::from_iter(ids.iter().map(SessionId::as_str)).to_string();
    tx.execute(
        "UPDATE sessions SET archived = ?2
         WHERE id IN (SELECT value FROM json_each(?1)) AND COALESCE(archived, 0) != ?2",
        params![list, archived],
    )
}

/// A session, what it continues and what continues it after a compression, the first one first.
/// Branches and delegates are sessions of their own.
pub(crate) fn compression_family(
    conn: &Connection,
    layout: &Layout,
    id: &str,
) -> rusqlite::Result<Vec<SessionId>> {
    let mut known = conn.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?;
    if !known.exists([id])? {
        return Ok(Vec::new());
    }
    let continues = continues(layout);
    let mut above = conn.prepare_cached(&format!(
        "SELECT p.id FROM sessions s JOIN sessions p ON p.id = s.parent_session_id
         WHERE s.id = ?1 AND {continues}"
    ))?;
    let mut below = conn.prepare_cached(&format!(
        "SELECT s.id FROM sessions p JOIN sessions s ON s.parent_session_id = p.id
         WHERE p.id = ?1 AND {continues} ORDER BY s.started_at, s.rowid"
    ))?;
    let mut root = id.to_owned();
    let mut seen = BTreeSet::from([root.clone()]);
    while let Some(parent) = above
        .query_row([&root], |row| row.get::<_, String>(0))
        .optional()?
    {
        if !seen.insert(parent.clone()) {
            break;
        }
        root = parent;
    }
    let mut seen = BTreeSet::from([root.clone()]);
    let mut family = vec![root.clone()];
    let mut next = 0;
    while let Some(of) = family.get(next).cloned() {
        let children = below.query_map([&of], |row| row.get::<_, String>(0))?;
        for child in children {
            let child = child?;
            if seen.insert(child.clone()) {
                family.push(child);
            }
        }
        next += 1;
    }
    Ok(family.into_iter().map(SessionId::new).collect())
}

/// Whether `s` continues its parent `p` after a compression, by the rule of the file's version.
fn continues(layout: &Layout) -> &'static str {
    if layout.version > crate::schema::NATIVE_VERSION {
        "p.end_reason = 'compression' AND s.source != 'tool'
         AND (CASE WHEN json_valid(s.model_config) THEN
            COALESCE(json_extract(s.model_config, '$._branched_from'),
                json_extract(s.model_config, '$._delegate_from')) END) IS NULL"
    } else {
        "p.end_reason = 'compression' AND s.started_at >= p.ended_at"
    }
}
