//! Which messages match, in the order asked for.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};

use super::filter::Filter;
use super::options::{SearchOptions, SearchOrder};
use super::source::Source;
use super::time_bounds::KnownBounds;
use super::{by_time, id_sets, ranked, scan};

/// A message that matches.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub(super) id: i64,
    /// Its snippet, where looking for it has given one.
    pub(super) snippet: Option<String>,
}

impl Hit {
    pub(super) fn new(id: i64) -> Hit {
        Hit { id, snippet: None }
    }
}

/// What all sources are looked at with.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) conn: &'a Connection,
    pub(super) options: &'a SearchOptions,
    /// What is known of the times of the store.
    pub(super) bounds: &'a KnownBounds,
    /// All are wanted and their order does not matter.
    pub(super) unordered: bool,
}

/// The first messages of a source that meet the filter, in their order.
pub(super) fn hits(
    look: Look<'_>,
    source: &Source,
    filter: &Filter,
    wanted: usize,
) -> rusqlite::Result<Vec<Hit>> {
    let Look { conn, options, .. } = look;
    if wanted == 0 || filter.within.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    if look.unordered {
        return unordered(conn, source, filter);
    }
    let newest = options.order != SearchOrder::Oldest;
    let by_rank = options.order == SearchOrder::Rank;
    match source {
        Source::Ranked { ids, table, by } if by_rank => {
            among(look, (table, by), ids, filter, wanted)
        }
        Source::Index {
            table,
            expression,
            among: Some(ids),
        } if by_rank => among(look, (table, expression), ids, filter, wanted),
        Source::Index {
            table, expression, ..
        } if by_rank => ranked::hits(conn, (table, expression), filter, wanted, &options.marks),
        Source::Ids(ids)
        | Source::Ranked { ids, .. }
        | Source::Index {
            among: Some(ids), ..
        } => by_time::order(conn, ids, filter, newest, wanted, look.bounds).map(hits_of),
        Source::Index {
            table, expression, ..
        } => {
            let ids = ranked::ids(conn, (table, expression), filter)?;
            hits(look, &Source::Ids(ids), filter, wanted)
        }
        Source::Rows { tree, loosely } => {
            scan::define_matcher(conn, tree.clone(), *loosely)?;
            of_rows(conn, filter, newest, wanted).map(hits_of)
        }
    }
}

fn unordered(conn: &Connection, source: &Source, filter: &Filter) -> rusqlite::Result<Vec<Hit>> {
    match source {
        Source::Ids(ids)
        | Source::Ranked { ids, .. }
        | Source::Index {
            among: Some(ids), ..
        } => {
            let (conditions, values) = filter.all();
            let sql = format!(
                "SELECT m.id FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value
                 CROSS JOIN sessions s ON s.id = m.session_id WHERE 1 {conditions}"
            );
            let ids = Sql::Text(serde_json::Value::from(ids.as_slice()).to_string());
            conn.prepare_cached(&sql)?
                .query_map(params_from_iter([ids].into_iter().chain(values)), |row| {
                    Ok(Hit::new(row.get(0)?))
                })?
                .collect()
        }
        Source::Index {
            table, expression, ..
        } => ranked::unordered(conn, (table, expression), filter),
        Source::Rows { tree, loosely } => {
            scan::define_matcher(conn, tree.clone(), *loosely)?;
            of_rows(conn, filter, true, usize::MAX).map(hits_of)
        }
    }
}

/// The first of these messages by the rank that the index gives them, then the others by time.
fn among(
    look: Look<'_>,
    lookup: ranked::Lookup<'_>,
    ids: &[i64],
    filter: &Filter,
    wanted: usize,
) -> rusqlite::Result<Vec<Hit>> {
    let mut found = ranked::among(look.conn, lookup, ids, filter, wanted)?;
    if found.len() < wanted {
        let rest = id_sets::without(ids.to_vec(), &ids_of(&found));
        let room = wanted - found.len();
        let rest = by_time::order(look.conn, &rest, filter, true, room, look.bounds)?;
        found.extend(hits_of(rest));
    }
    Ok(found)
}

fn hits_of(ids: Vec<i64>) -> Vec<Hit> {
    ids.into_iter().map(Hit::new).collect()
}

/// The ids of these, in ascending order.
pub(super) fn ids_of(hits: &[Hit]) -> Vec<i64> {
    let mut ids: Vec<i64> = hits.iter().map(|hit| hit.id).collect();
    ids.sort_unstable();
    ids
}

fn of_rows(
    conn: &Connection,
    filter: &Filter,
    newest: bool,
    wanted: usize,
) -> rusqlite::Result<Vec<i64>> {
    let (conditions, values) = filter.all();
    let order = if newest { "DESC" } else { "ASC" };
    let sql = format!(
        "SELECT m.id FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
         WHERE 1 {conditions} AND {}
         ORDER BY m.timestamp {order}, m.id {order} LIMIT ?",
        scan::MATCHES
    );
    // Prepared anew each time: the function in it is another one for each query.
    let mut statement = conn.prepare(&sql)?;
    let values = values.chain([limit(wanted)]);
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    rows.collect()
}

pub(super) fn limit(wanted: usize) -> Sql {
    Sql::Integer(i64::try_from(wanted).unwrap_or(i64::MAX))
}
