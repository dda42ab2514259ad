//! The order of a list: looked up for all sessions in a few columns, before the page's rows are
//! read whole.
//!
//! The last activity of a session is one step into an index. To aggregate all messages instead
//! would cost ten times as much on a store of 200,000.

use std::cmp::Ordering;
use std::collections::HashMap;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};

use crate::lineage::{all_continuations, last_message_time};
use crate::record::column;
use crate::schema::Layout;

use super::{ListOptions, filter};

/// A session that may be in a list.
pub(super) struct Candidate {
    pub(super) rowid: i64,
    id: String,
    title: Option<String>,
    started: f64,
    compressed: bool,
    /// The last activity of the session and, where it was compressed, of its continuations.
    pub(super) active: f64,
    /// How well an id fits a query: 0 exactly, 1 at its beginning, 2 somewhere.
    pub(super) match_rank: u8,
    /// How well a title fits a query, likewise.
    pub(super) title_rank: u8,
}

/// Whether a compressed session counts with its continuations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chains {
    Whole,
    Single,
}

/// All sessions that a list has, unordered.
pub(super) fn find(
    conn: &Connection,
    layout: &Layout,
    options: &ListOptions,
    chains: Chains,
) -> rusqlite::Result<Vec<Candidate>> {
    let (condition, values) = filter::conditions(options, layout);
    let title = if options.search_query.is_some() && layout.sessions.has("title") {
        "s.title"
    } else {
        "NULL"
    };
    let columns = format!("s.rowid, s.id, s.started_at, s.end_reason = 'compression', {title}");
    let sql = format!("SELECT {columns} FROM sessions s WHERE {condition}");
    let query = Query::new(options);
    let one = format!("SELECT {columns} FROM sessions s WHERE s.id = ?");
    let look_up = |mut candidates: Vec<Candidate>| {
        if options.order_by_last_active {
            set_activity(conn, &mut candidates)?;
        }
        Ok::<_, rusqlite::Error>(candidates)
    };
    let mut found = Vec::new();
    for mut candidate in look_up(read(conn, &sql, values)?)? {
        query.look_at(&mut candidate);
        if candidate.compressed && chains == Chains::Whole {
            let mut ids = Vec::new();
            all_continuations(conn, layout, &candidate.id, &mut ids)?;
            for id in ids {
                for mut continuation in look_up(read(conn, &one, vec![Sql::Text(id)])?)? {
                    query.look_at(&mut continuation);
                    candidate.active = candidate.active.max(continuation.active);
                    candidate.match_rank = candidate.match_rank.min(continuation.match_rank);
                    candidate.title_rank = candidate.title_rank.min(continuation.title_rank);
                }
            }
        }
        if candidate.match_rank < NO_MATCH {
            found.push(candidate);
        }
    }
    Ok(found)
}

fn read(conn: &Connection, sql: &str, values: Vec<Sql>) -> rusqlite::Result<Vec<Candidate>> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| {
        let started = column(row, 2)?;
        Ok(Candidate {
            rowid: row.get(0)?,
            id: column(row, 1)?,
            started,
            compressed: column::<Option<i64>>(row, 3)? == Some(1),
            title: column(row, 4)?,
            active: started,
            match_rank: 0,
            title_rank: NO_MATCH,
        })
    })?;
    rows.collect()
}

/// Looks up when something was last said in each; where nothing was, its start counts.
///
/// For most of the sessions it is done for all of them in one pass in the order of their ids, which
/// is the order of both indexes that it needs: half the time of the order in the table.
fn set_activity(conn: &Connection, candidates: &mut [Candidate]) -> rusqlite::Result<()> {
    let last = last_message_time("s");
    let sessions: i64 = conn
        .prepare_cached("SELECT COUNT(*) FROM sessions")?
        .query_row([], |row| row.get(0))?;
    if i64::try_from(candidates.len()).is_ok_and(|count| count > sessions / 2) {
        let mut statement = conn.prepare_cached(&format!(
            "SELECT s.rowid, {last} FROM sessions s ORDER BY s.id"
        ))?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, column(row, 1)?)))?;
        let times: HashMap<i64, Option<f64>> = rows.collect::<rusqlite::Result<_>>()?;
        for candidate in candidates {
            if let Some(Some(time)) = times.get(&candidate.rowid) {
                candidate.active = *time;
            }
        }
        return Ok(());
    }
    let mut statement =
        conn.prepare_cached(&format!("SELECT {last} FROM sessions s WHERE s.rowid = ?1"))?;
    for candidate in candidates {
        let time = statement.query_row([candidate.rowid], |row| column::<Option<f64>>(row, 0))?;
        candidate.active = time.unwrap_or(candidate.active);
    }
    Ok(())
}

/// Orders a list: by last activity, or by start.
pub(super) fn sort(found: &mut [Candidate], by_activity: bool) {
    let later = |a: f64, b: f64| b.partial_cmp(&a).unwrap_or(Ordering::Equal);
    if by_activity {
        found.sort_by(|a, b| {
            later(a.active, b.active)
                .then_with(|| later(a.started, b.started))
                .then_with(|| b.id.cmp(&a.id))
        });
    } else {
        found.sort_by(|a, b| later(a.started, b.started).then(a.rowid.cmp(&b.rowid)));
    }
}

pub(super) fn page(found: Vec<Candidate>, offset: usize, limit: usize) -> Vec<Candidate> {
    found.into_iter().skip(offset).take(limit).collect()
}

pub(super) const NO_MATCH: u8 = 3;

/// What a person looks for, in small letters.
struct Query {
    id: Option<String>,
    text: Option<String>,
    /// `text` without what does not count in titles.
    compact: String,
}

impl Query {
    fn new(options: &ListOptions) -> Query {
        let small = |query: &Option<String>| {
            let query = query.as_deref().map(str::trim)?;
            (!query.is_empty()).then(|| query.to_ascii_lowercase())
        };
        let text = small(&options.search_query);
        Query {
            id: small(&options.id_query),
            compact: text.as_deref().map(compact).unwrap_or_default(),
            text,
        }
    }

    fn look_at(&self, candidate: &mut Candidate) {
        let id = candidate.id.to_ascii_lowercase();
        let id_rank = self.id.as_deref().map_or(0, |query| rank(&id, query));
        candidate.title_rank = self.title_rank(candidate.title.as_deref());
        let fits = self
            .text
            .as_deref()
            .is_none_or(|text| id.contains(text) || candidate.title_rank < NO_MATCH);
        candidate.match_rank = if fits { id_rank } else { NO_MATCH };
    }

    fn title_rank(&self, title: Option<&str>) -> u8 {
        let (Some(text), Some(title)) = (&self.text, title) else {
            return NO_MATCH;
        };
        let title = title.to_ascii_lowercase();
        match rank(&title, text) {
            NO_MATCH if !self.compact.is_empty() && compact(&title).contains(&self.compact) => 2,
            rank => rank,
        }
    }
}

fn rank(text: &str, query: &str) -> u8 {
    if text == query {
        0
    } else if text.starts_with(query) {
        1
    } else if text.contains(query) {
        2
    } else {
        NO_MATCH
    }
}

fn compact(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_' | '.' | '/'))
        .collect()
}
