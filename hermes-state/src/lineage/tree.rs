//! The tree of sessions that one belongs to: what it came from and all that came of that.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;

use super::{
    ancestors, compression_tip, continues, deepest_with_messages, first_with_messages, mark,
};
use crate::error::{Error, Result};
use crate::record::column;
use crate::schema::{Layout, NATIVE_VERSION};
use crate::session::SessionId;
use crate::store::Store;

/// Why a session has a parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Relation {
    /// It goes on where the parent was compressed.
    Compression,
    /// It branched off.
    Branch,
    /// The parent started it as a helper.
    Delegate,
    /// For another reason, or none that the file tells.
    Child,
}

/// One session of a lineage.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LineageNode {
    /// The session.
    pub id: SessionId,
    /// Its parent, where that is part of the tree.
    pub parent: Option<SessionId>,
    /// What it is to its parent; `None` for the root.
    pub relation: Option<Relation>,
    /// How many parents are above it in the tree.
    pub depth: usize,
    /// Where it was held.
    pub source: String,
    /// Its title.
    pub title: Option<String>,
    /// When it began, seconds since the epoch.
    pub started_at: f64,
    /// When it ended.
    pub ended_at: Option<f64>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// Its messages, those not in the transcript included.
    pub messages: u64,
}

/// The sessions that one belongs to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Lineage {
    /// The session that was asked for.
    pub id: SessionId,
    /// The session to go on with when it is resumed.
    pub resume_target: SessionId,
    /// The last of the sessions that it went through by compression.
    pub compression_tip: SessionId,
    /// All of them: each one behind its parent, the children of one parent in the order they were
    /// started. The root comes first.
    pub sessions: Vec<LineageNode>,
}

impl Store {
    /// The whole tree that a session is in: its root and all that comes from it, however deep.
    /// Sessions that are each other's parents are each there once.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], and those of every read.
    pub fn lineage(&self, id: impl AsRef<str>) -> Result<Lineage> {
        let id = id.as_ref();
        let found = self.read(|conn, layout| {
            if !conn.prepare_cached(crate::session::EXISTS)?.exists([id])? {
                return Ok(None);
            }
            let resume = if layout.version > NATIVE_VERSION {
                deepest_with_messages(conn, compression_tip(conn, layout, id)?)?
            } else {
                first_with_messages(conn, id)?
            };
            let root = ancestors(conn, id)?
                .pop()
                .unwrap_or_else(|| SessionId::new(id));
            Ok(Some(Lineage {
                id: SessionId::new(id),
                resume_target: SessionId::new(resume),
                compression_tip: SessionId::new(compression_tip(conn, layout, id)?),
                sessions: tree(conn, layout, root)?,
            }))
        })?;
        found.ok_or_else(|| Error::UnknownSession { id: id.to_owned() })
    }
}

/// The root and all below it, depth first.
fn tree(conn: &Connection, layout: &Layout, root: SessionId) -> rusqlite::Result<Vec<LineageNode>> {
    const CHILDREN: &str =
        "SELECT id FROM sessions WHERE parent_session_id = ?1 ORDER BY started_at, rowid";
    let mut children = conn.prepare_cached(CHILDREN)?;
    let one = node_sql(layout);
    let mut one = conn.prepare_cached(&one)?;
    let mut nodes: Vec<LineageNode> = Vec::new();
    let mut depths: HashMap<SessionId, usize> = HashMap::new();
    let mut seen: HashSet<SessionId> = HashSet::from([root.clone()]);
    let mut waiting = vec![(root, None::<SessionId>)];
    while let Some((id, parent)) = waiting.pop() {
        let above = parent.as_ref().and_then(|parent| depths.get(parent));
        let depth = above.map_or(0, |depth| depth + 1);
        let Some(mut node) = one.query_row([id.as_str()], node).optional()? else {
            continue;
        };
        node.depth = depth;
        node.relation = node.relation.filter(|_| parent.is_some());
        node.parent = parent;
        nodes.push(node);
        let below = children
            .query_map([id.as_str()], |row| column::<SessionId>(row, 0))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        // The last in is the first out.
        for child in below.into_iter().rev() {
            if seen.insert(child.clone()) {
                waiting.push((child, Some(id.clone())));
            }
        }
        depths.insert(id, depth);
    }
    Ok(nodes)
}

fn node_sql(layout: &Layout) -> String {
    let newer = layout.version > NATIVE_VERSION;
    let branch = if newer {
        format!(
            "{} OR (p.end_reason = 'branched' AND s.started_at >= p.ended_at)",
            mark("s", "_branched_from")
        )
    } else {
        "p.end_reason = 'branched' AND s.started_at >= p.ended_at".to_owned()
    };
    // Version 11 has no mark: a child that began while its parent was open is a helper's.
    let delegate = if newer {
        format!("{} OR s.source = 'tool'", mark("s", "_delegate_from"))
    } else {
        "p.ended_at IS NULL OR s.started_at < p.ended_at".to_owned()
    };
    let title = if layout.sessions.has("title") {
        "s.title"
    } else {
        "NULL"
    };
    format!(
        "SELECT s.id, s.source, {title}, s.started_at, s.ended_at, s.end_reason,
            (SELECT COUNT(*) FROM messages m WHERE m.session_id = s.id),
            CASE WHEN p.id IS NULL THEN NULL
                WHEN {} THEN 'compression' WHEN {branch} THEN 'branch'
                WHEN {delegate} THEN 'delegate' ELSE 'child' END
         FROM sessions s LEFT JOIN sessions p ON p.id = s.parent_session_id WHERE s.id = ?1",
        continues(layout, "p", "s")
    )
}

fn node(row: &Row<'_>) -> rusqlite::Result<LineageNode> {
    let relation: Option<String> = row.get(7)?;
    Ok(LineageNode {
        id: column(row, 0)?,
        parent: None,
        relation: relation.map(|relation| match relation.as_str() {
            "compression" => Relation::Compression,
            "branch" => Relation::Branch,
            "delegate" => Relation::Delegate,
            _ => Relation::Child,
        }),
        depth: 0,
        source: column(row, 1)?,
        title: column(row, 2)?,
        started_at: column(row, 3)?,
        ended_at: column(row, 4)?,
        end_reason: column(row, 5)?,
        messages: row
            .get::<_, i64>(6)
            .map(|n| u64::try_from(n).unwrap_or(0))?,
    })
}
