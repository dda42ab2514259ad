//! Matches that the expression of a query does not find: words that touch a script without blanks,
//! Arabic words behind a particle, letters that are stored as escapes or decomposed.
//!
//! They are looked for only where there are fewer matches than a page has, and come after those.
//! Whether that is so depends on neither the page nor its offset, so that pages fit together.

use std::cell::LazyCell;

use hermes_fts::{Expr, Lookup, Plan, SanitizedQuery, Term, index_words};
use rusqlite::Connection;

use super::source::{TRIGRAMS, WORDS};
use super::{combined, id_sets, ranked, text, trigrams};

/// How many messages, the newest, are read at most to see whether they match.
const MOST: usize = 2_000;

/// The messages that match beside those that were found (in ascending order). `words_alone`: the
/// trigram index says nothing, so that any message may hold the query.
pub(super) fn ids(
    conn: &Connection,
    query: &SanitizedQuery,
    found: &[i64],
    words_alone: bool,
) -> rusqlite::Result<Vec<i64>> {
    let Some(tree) = query.tree() else {
        return Ok(Vec::new());
    };
    let candidates = match words_alone {
        true => newest(conn, found.len().saturating_add(MOST))?,
        false => candidates(conn, query, tree)?,
    };
    let mut candidates = id_sets::without(candidates, found);
    let surplus = candidates.len().saturating_sub(MOST);
    candidates.drain(..surplus);
    let alone = matches!(tree, Expr::Term(_));
    text::those_that_fit(conn, &candidates, |id, text| {
        let mut failed = None;
        let words = LazyCell::new(|| index_words(text));
        let holds = tree.matches(&mut |term| {
            // The index folds accents, the comparison does not.
            term.stands_in(text)
                || !alone
                    && match words_alone {
                        // It may not hold all of the text.
                        true => term.is_in_words(&words),
                        false => is_indexed(conn, term, id).unwrap_or_else(|error| {
                            failed = Some(error);
                            false
                        }),
                    }
        });
        failed.map_or(Ok(holds), Err)
    })
}

/// So many messages with the greatest ids, in ascending order.
fn newest(conn: &Connection, most: usize) -> rusqlite::Result<Vec<i64>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut ids = conn
        .prepare_cached("SELECT id FROM messages ORDER BY id DESC LIMIT ?1")?
        .query_map([most], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    ids.reverse();
    Ok(ids)
}

fn candidates(
    conn: &Connection,
    query: &SanitizedQuery,
    tree: &Expr,
) -> rusqlite::Result<Vec<i64>> {
    let further = query.further();
    let mut found = match query.plan() {
        Plan::Combined if tree.terms().iter().any(|term| is_word(term)) => match anywhere(tree) {
            Some(wider) => combined::lookup(conn, &wider)?,
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    if let Some(expression) = &further.words {
        found = id_sets::either(found, ranked::all_ids(conn, (WORDS, expression))?);
    }
    if further.trigram.is_none() && further.terms.is_empty() {
        return Ok(found);
    }
    if further.needs_unspaced && !trigrams::has_unspaced(conn)? {
        return Ok(found);
    }
    if let Some(expression) = &further.trigram {
        found = id_sets::either(found, ranked::all_ids(conn, (TRIGRAMS, expression))?);
    }
    for (from, to) in &further.terms {
        found = id_sets::either(found, trigrams::between(conn, from, Some(to))?);
    }
    Ok(found)
}

fn is_word(term: &Term) -> bool {
    term.lookup() == Lookup::Words
}

/// What of a query is looked for anywhere, without the words that are demanded beside it and without
/// what is excluded.
fn anywhere(tree: &Expr) -> Option<Expr> {
    let parts = |parts: &[Expr]| parts.iter().filter_map(anywhere).collect();
    match tree {
        Expr::Term(term) => (!is_word(term)).then(|| tree.clone()),
        Expr::And(all) => Some(Expr::And(parts(all))),
        Expr::Or(any) => Some(Expr::Or(parts(any))),
        Expr::Not(wanted, _) => anywhere(wanted),
        _ => None,
    }
}

fn is_indexed(conn: &Connection, term: &Term, id: i64) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM messages_fts WHERE messages_fts MATCH ?1 AND rowid = ?2")?
        .exists((term.expression(), id))
}
