//! How many matches there are, and in which sessions: without a rank, without an order, and without
//! a look at the messages where that can be avoided.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::options::Collapse;
use super::source::Source;
use super::{Search, SearchGroup, Wanted, hits, ranked};
use crate::lineage::root_of;
use crate::record::column;
use crate::session::SessionId;

/// Messages from which on the index on (session_id, timestamp) is gone through, instead of looking
/// each of them up in the table, where its session stands between long texts.
const MANY: usize = 2_000;

/// The groups that the matches are in, the one with most of them first.
pub(super) fn groups(search: &Search<'_>, by: Collapse) -> rusqlite::Result<Vec<SearchGroup>> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (session, count) in by_session(search)? {
        let id = match by {
            Collapse::Lineage => root_of(search.conn, session.as_str())?,
            _ => session,
        };
        *counts.entry(id.as_str().to_owned()).or_default() += count;
    }
    let mut groups: Vec<SearchGroup> = counts
        .into_iter()
        .map(|(id, matches)| SearchGroup {
            id: SessionId::new(id),
            matches,
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.matches));
    Ok(groups)
}

/// How many matches each session has.
fn by_session(search: &Search<'_>) -> rusqlite::Result<HashMap<SessionId, u64>> {
    let (conn, filter) = (search.conn, &search.filter);
    if let Source::Index {
        table,
        expression,
        among: None,
    } = &search.source
        && filter.message.is_empty()
    {
        let mut counts = counted(conn, &ranked::ids(conn, (table, expression), filter)?)?;
        let allowed = allowed(search)?;
        counts.retain(|session, _| allowed.contains(session));
        // Of fewer, more may be looked for.
        let few = u64::try_from(search.few()).unwrap_or(u64::MAX);
        if counts.values().sum::<u64>() >= few {
            return Ok(counts);
        }
    }
    let all = search.hits(usize::MAX, Wanted::All)?;
    counted(conn, &hits::ids_of(&all))
}

fn counted(conn: &Connection, ids: &[i64]) -> rusqlite::Result<HashMap<SessionId, u64>> {
    let mut counts: HashMap<SessionId, u64> = HashMap::new();
    each_session(conn, ids, |_, session| match counts.get_mut(session) {
        Some(count) => *count += 1,
        None => {
            counts.insert(session.clone(), 1);
        }
    })?;
    Ok(counts)
}

/// The sessions that are there and meet the filter.
fn allowed(search: &Search<'_>) -> rusqlite::Result<HashSet<SessionId>> {
    let conditions = &search.filter.session;
    let sql = format!("SELECT s.id FROM sessions s WHERE 1 {}", conditions.sql);
    let mut statement = search.conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(&conditions.values), |row| column(row, 0))?;
    rows.collect()
}

/// Tells the session of each of these messages, in any order; nothing of those that are gone.
pub(super) fn each_session(
    conn: &Connection,
    ids: &[i64],
    mut tell: impl FnMut(i64, &SessionId),
) -> rusqlite::Result<()> {
    if ids.len() < MANY {
        let mut session_of =
            conn.prepare_cached("SELECT session_id FROM messages WHERE id = ?1")?;
        for id in ids {
            let session = session_of
                .query_row([id], |row| column(row, 0))
                .optional()?;
            if let Some(session) = session {
                tell(*id, &session);
            }
        }
        return Ok(());
    }
    let wanted: HashSet<i64> = ids.iter().copied().collect();
    let sql = "SELECT id, session_id FROM messages ORDER BY session_id, timestamp";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut session: Option<SessionId> = None;
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        if !wanted.contains(&id) {
            continue;
        }
        let stored = row.get_ref(1)?.as_bytes_or_null().ok().flatten();
        let same = session.as_ref().map(|session| session.as_str().as_bytes());
        if stored.is_none() || same != stored {
            session = Some(column(row, 1)?);
        }
        if let Some(session) = &session {
            tell(id, session);
        }
    }
    Ok(())
}
