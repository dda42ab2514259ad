//! Which messages match, in the order asked for.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};

use super::filter::Filter;
use super::options::{SearchOptions, SearchOrder};
use super::source::Source;
use super::{by_time, ranked, scan};

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

/// The first messages of a source that meet the filter, in their order.
pub(super) fn hits(
    conn: &Connection,
    source: &Source,
    filter: &Filter,
    wanted: usize,
    options: &SearchOptions,
) -> rusqlite::Result<Vec<Hit>> {
    if wanted == 0 || filter.within.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let newest = options.order != SearchOrder::Oldest;
    let hits_of = |ids: Vec<i64>| ids.into_iter().map(Hit::new).collect();
    match source {
        Source::Index { table, expression } if options.order == SearchOrder::Rank => {
            ranked::hits(conn, (table, expression), filter, wanted, &options.marks)
        }
        Source::Index { table, expression } => {
            let ids = ranked::ids(conn, (table, expression), filter)?;
            hits(conn, &Source::Ids(ids), filter, wanted, options)
        }
        Source::Ids(ids) => by_time::order(conn, ids, filter, newest, wanted).map(hits_of),
        Source::Rows(tree) => {
            scan::define_matcher(conn, tree.clone())?;
            of_rows(conn, filter, newest, wanted).map(hits_of)
        }
    }
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
