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
    /// How well it fits the query that it fits best.
    pub(super) best_rank: u8,
}

/// Whether a compressed session counts with its continuations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chains {
    Whole,
    Single,
}

/// Sessions up to which each is looked up by itself.
const FEW: i64 = 32;

/// All sessions that a list has, unordered.
pub(super) fn find(
    conn: &Connection,
    layout: &Layout,
    options: &ListOptions,
    chains: Chains,
) -> rusqlite::Result<Vec<Candidate>> {
    let (condition, values) = filter::conditions(options, layout);
    let by_title = options.search_query.is_some() || options.title_query.is_some();
    let title = if by_title && layout.sessions.has("title") {
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
                    candidate.best_rank = candidate.best_rank.min(continuation.best_rank);
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
            best_rank: NO_MATCH,
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
    if is_most(conn, candidates.len())? {
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

/// Whether so many are more than half of all sessions. A few are not worth counting the others.
fn is_most(conn: &Connection, candidates: usize) -> rusqlite::Result<bool> {
    let Ok(candidates @ FEW..) = i64::try_from(candidates) else {
        return Ok(false);
    };
    let all: i64 = conn
        .prepare_cached("SELECT COUNT(*) FROM sessions")?
        .query_row([], |row| row.get(0))?;
    Ok(candidates > all / 2)
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
    id_prefix: Option<String>,
    text: Option<Text>,
    title: Option<Text>,
}

/// A text that is looked for in titles.
struct Text {
    text: String,
    /// The same without what does not count there.
    compact: String,
}

impl Query {
    fn new(options: &ListOptions) -> Query {
        let small = |query: &Option<String>| {
            let query = query.as_deref().map(str::trim)?;
            (!query.is_empty()).then(|| query.to_ascii_lowercase())
        };
        let text = |query| {
            small(query).map(|text| Text {
                compact: compact(&text),
                text,
            })
        };
        Query {
            id: small(&options.id_query),
            id_prefix: small(&options.id_prefix),
            text: text(&options.search_query),
            title: text(&options.title_query),
        }
    }

    fn look_at(&self, candidate: &mut Candidate) {
        let id = candidate.id.to_ascii_lowercase();
        let title = candidate.title.as_deref().map(str::to_ascii_lowercase);
        let of_id = |query: &Option<String>| query.as_deref().map(|query| rank(&id, query));
        let of_title = |query: &Option<Text>| {
            let query = query.as_ref()?;
            Some(title.as_deref().map_or(NO_MATCH, |title| query.rank(title)))
        };
        let by_text = of_title(&self.text);
        candidate.title_rank = by_text.unwrap_or(NO_MATCH);
        let in_id = self.text.as_ref().map(|query| rank(&id, &query.text));
        let ranks = [
            of_id(&self.id),
            // What does not begin so is no match.
            of_id(&self.id_prefix).map(|rank| if rank > 1 { NO_MATCH } else { rank }),
            by_text.min(in_id),
            of_title(&self.title),
        ];
        let fits = ranks.into_iter().flatten().all(|rank| rank < NO_MATCH);
        candidate.match_rank = match fits {
            true => of_id(&self.id).unwrap_or(0),
            false => NO_MATCH,
        };
        candidate.best_rank = match fits {
            true => ranks.into_iter().flatten().min().unwrap_or(0),
            false => NO_MATCH,
        };
    }
}

impl Text {
    fn rank(&self, title: &str) -> u8 {
        match rank(title, &self.text) {
            NO_MATCH if !self.compact.is_empty() && compact(title).contains(&self.compact) => 2,
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
