//! Matches of the index, ranked by bm25.
//!
//! The rank needs nothing but the index. So the best are looked for there, and the rows of those
//! few looked at; only where too many of them fail the filter is every match looked at.
//!
//! With `ORDER BY rank` alone FTS5 sorts every match together with its positions. With `ORDER BY
//! rank, rowid` SQLite does, keeps no more than are asked for, and makes a snippet, if at all, only of
//! what comes among those: of 50,000 matches in any order some 170, in half the time. Where ranks get
//! better from row to row that would be all of them, which is why the snippets are counted.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params_from_iter};

use super::filter::Filter;
use super::hits::{Hit, limit};
use super::indexed;
use super::snippet::Marks;
use crate::record::column;

/// A table of the index, and an expression for it.
pub(super) type Lookup<'a> = (&'a str, &'a str);

/// Candidates beyond those wanted, where a filter may take some away; and how many times more are
/// looked at when they were too few.
const SPARE: usize = 40;
const STEP: usize = 16;

/// Candidates from which on every match is looked at.
const MANY: usize = 4_000;

/// The most matches of which snippets are made while they are looked for.
const PAGE: usize = 200;

/// The best matches that meet the filter; equal ones in the order of their ids.
pub(super) fn hits(
    conn: &Connection,
    lookup: Lookup<'_>,
    filter: &Filter,
    wanted: usize,
    marks: &Marks,
) -> rusqlite::Result<Vec<Hit>> {
    let range = id_range(conn, filter)?;
    let mut most = wanted;
    if !filter.is_empty() {
        most = most.saturating_add(SPARE);
    }
    while most <= MANY {
        let candidates = best(conn, lookup, range, most, marks)?;
        let all = candidates.len() < most;
        let found = passing(conn, candidates, filter, wanted)?;
        if all || found.len() >= wanted {
            return Ok(found);
        }
        most *= STEP;
    }
    joined(conn, lookup, filter, range, Some(wanted))
}

/// All matches that meet the filter, in no order.
pub(super) fn unordered(
    conn: &Connection,
    lookup: Lookup<'_>,
    filter: &Filter,
) -> rusqlite::Result<Vec<Hit>> {
    joined(conn, lookup, filter, id_range(conn, filter)?, None)
}

/// Every match by its id, in ascending order.
pub(super) fn all_ids(conn: &Connection, lookup: Lookup<'_>) -> rusqlite::Result<Vec<i64>> {
    ids_between(conn, lookup, None)
}

/// Every match by its id, whatever the filter says but for the sessions that it names.
pub(super) fn ids(
    conn: &Connection,
    lookup: Lookup<'_>,
    filter: &Filter,
) -> rusqlite::Result<Vec<i64>> {
    ids_between(conn, lookup, id_range(conn, filter)?)
}

fn ids_between(
    conn: &Connection,
    (table, expression): Lookup<'_>,
    range: Option<(i64, i64)>,
) -> rusqlite::Result<Vec<i64>> {
    let (condition, bounds) = between(range);
    let sql = format!("SELECT rowid FROM {table} WHERE {table} MATCH ? {condition} ORDER BY rowid");
    let values = [Sql::Text(expression.to_owned())].into_iter().chain(bounds);
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    rows.collect()
}

fn best(
    conn: &Connection,
    (table, expression): Lookup<'_>,
    range: Option<(i64, i64)>,
    most: usize,
    marks: &Marks,
) -> rusqlite::Result<Vec<Hit>> {
    let (condition, bounds) = between(range);
    let snippet = indexed::short(table);
    let sql = format!(
        "SELECT rowid, {snippet} FROM {table} WHERE {table} MATCH ? {condition}
         ORDER BY rank, rowid LIMIT ?"
    );
    let while_looking = most <= PAGE && !indexed::is_cheap((table, expression));
    indexed::allow(conn, while_looking)?;
    let values = [&marks.0, &marks.1, expression]
        .map(|text| Sql::Text(text.to_owned()))
        .into_iter()
        .chain(bounds)
        .chain([limit(most)]);
    let mut statement = conn.prepare_cached(&sql)?;
    statement
        .query_map(params_from_iter(values), read)?
        .collect()
}

/// The best matches among these messages that meet the filter, as [`hits`].
pub(super) fn among(
    conn: &Connection,
    (table, expression): Lookup<'_>,
    ids: &[i64],
    filter: &Filter,
    wanted: usize,
) -> rusqlite::Result<Vec<Hit>> {
    // With the plus the index is asked once for all, and not for each message.
    let sql = format!(
        "SELECT rowid FROM {table}
         WHERE {table} MATCH ? AND +rowid IN (SELECT value FROM json_each(?)) ORDER BY rank, rowid"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let ids = serde_json::Value::from(ids).to_string();
    let candidates = statement
        .query_map([expression, ids.as_str()], |row| Ok(Hit::new(row.get(0)?)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    passing(conn, candidates, filter, wanted)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Hit> {
    Ok(Hit {
        snippet: column(row, 1)?,
        ..Hit::new(row.get(0)?)
    })
}

/// The first of these that are there and meet the filter.
fn passing(
    conn: &Connection,
    mut candidates: Vec<Hit>,
    filter: &Filter,
    wanted: usize,
) -> rusqlite::Result<Vec<Hit>> {
    if filter.unchecked && filter.is_empty() {
        candidates.truncate(wanted);
        return Ok(candidates);
    }
    let (conditions, values) = filter.all();
    let sql = format!(
        "SELECT 1 FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
         WHERE m.id = ? {conditions}"
    );
    let values: Vec<Sql> = values.collect();
    let mut statement = conn.prepare_cached(&sql)?;
    let mut found = Vec::new();
    for hit in candidates {
        if found.len() >= wanted {
            break;
        }
        let id = Sql::Integer(hit.id);
        let parameters = [id].into_iter().chain(values.iter().cloned());
        if statement.exists(params_from_iter(parameters))? {
            found.push(hit);
        }
    }
    Ok(found)
}

fn joined(
    conn: &Connection,
    (table, expression): Lookup<'_>,
    filter: &Filter,
    range: Option<(i64, i64)>,
    best: Option<usize>,
) -> rusqlite::Result<Vec<Hit>> {
    let (condition, bounds) = between(range);
    let (conditions, values) = filter.all();
    // Without an order the index has to rank nothing.
    let order = best.map_or("", |_| "ORDER BY rank, m.id");
    // CROSS JOIN keeps the index first: it cannot be looked up by a message's id at a bearable cost.
    let sql = format!(
        "SELECT m.id FROM {table} CROSS JOIN messages m ON m.id = {table}.rowid
         CROSS JOIN sessions s ON s.id = m.session_id
         WHERE {table} MATCH ? {} {conditions} {order} LIMIT ?",
        condition.replace("rowid", &format!("{table}.rowid"))
    );
    let values = [Sql::Text(expression.to_owned())]
        .into_iter()
        .chain(bounds)
        .chain(values)
        .chain([limit(best.unwrap_or(usize::MAX))]);
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| Ok(Hit::new(row.get(0)?)))?;
    rows.collect()
}

fn between(range: Option<(i64, i64)>) -> (&'static str, Vec<Sql>) {
    match range {
        None => ("", Vec::new()),
        Some((first, last)) => (
            "AND rowid BETWEEN ? AND ?",
            vec![Sql::Integer(first), Sql::Integer(last)],
        ),
    }
}

/// The least and the greatest id of the messages of the sessions that the filter names: the index
/// takes such a range without looking outside of it.
fn id_range(conn: &Connection, filter: &Filter) -> rusqlite::Result<Option<(i64, i64)>> {
    let Some(sessions) = &filter.within else {
        return Ok(None);
    };
    let mut statement =
        conn.prepare_cached("SELECT MIN(id), MAX(id) FROM messages WHERE session_id = ?1")?;
    let mut range = (i64::MAX, i64::MIN);
    for id in sessions {
        let (first, last): (Option<i64>, Option<i64>) =
            statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if let (Some(first), Some(last)) = (first, last) {
            range = (range.0.min(first), range.1.max(last));
        }
    }
    Ok(Some(range))
}
