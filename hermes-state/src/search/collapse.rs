//! One match that stands for all of its session or lineage.

use std::collections::HashMap;

use rusqlite::Connection;

use super::hits::Hit;
use super::options::Collapse;
use super::totals;
use crate::lineage::root_of;
use crate::session::SessionId;

/// The first match of a group, and how many more there are.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) first: Hit,
    /// The root of the lineage, or the session.
    pub(super) id: SessionId,
    pub(super) further: u64,
}

/// Groups matches by their session or lineage, each where its first match stands.
pub(super) fn collapse(
    conn: &Connection,
    hits: Vec<Hit>,
    by: Collapse,
) -> rusqlite::Result<Vec<Group>> {
    let ids: Vec<i64> = hits.iter().map(|hit| hit.id).collect();
    let mut sessions: HashMap<i64, SessionId> = HashMap::with_capacity(ids.len());
    totals::each_session(conn, &ids, |id, session| {
        sessions.insert(id, session.clone());
    })?;
    let mut roots: HashMap<SessionId, SessionId> = HashMap::new();
    let mut places: HashMap<SessionId, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for hit in hits {
        let Some(session) = sessions.remove(&hit.id) else {
            continue;
        };
        let id = match (by, roots.get(&session)) {
            (Collapse::Lineage, Some(root)) => root.clone(),
            (Collapse::Lineage, None) => {
                let root = root_of(conn, session.as_str())?;
                roots.insert(session, root.clone());
                root
            }
            _ => session,
        };
        match places.get(&id).and_then(|place| groups.get_mut(*place)) {
            Some(group) => group.further += 1,
            None => {
                places.insert(id.clone(), groups.len());
                groups.push(Group {
                    first: hit,
                    id,
                    further: 0,
                });
            }
        }
    }
    Ok(groups)
}
