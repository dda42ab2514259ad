//! Queries that no index answers alone: each term is looked up in its index, and the sets of
//! messages are combined as the query says.
//!
//! What Python has written may hold a term as the escapes of JSON, which the trigram index does not
//! take for it. The word index knows them as words (`\u90e8` is `u90e8` to it); so it says which
//! messages may be concerned, and of those the text decides.

use hermes_fts::script::is_unspaced;
use hermes_fts::{Expr, Lookup, SanitizedQuery, Term};
use rusqlite::Connection;

use super::source::{TRIGRAMS, WORDS};
use super::{id_sets, ranked, text, trigrams};

/// Messages up to which their texts are read rather than a term looked up that is in very many.
const FEW: usize = 200;

/// Messages with escapes of a term; none where nothing can be escaped.
pub(super) fn with_escapes(
    conn: &Connection,
    query: &SanitizedQuery,
) -> rusqlite::Result<Vec<i64>> {
    match query.escaped() {
        Some(expression) => ranked::all_ids(conn, (WORDS, &expression)),
        None => Ok(Vec::new()),
    }
}

/// The messages that a query holds for. `odd`: those with escapes.
pub(super) fn ids(
    conn: &Connection,
    tree: &Expr,
    found: Vec<i64>,
    odd: &[i64],
) -> rusqlite::Result<Vec<i64>> {
    corrected(tree, found, odd, |doubtful| {
        text::those_that_fit(conn, doubtful, |_, text| {
            Ok(tree.matches(&mut |term| term.stands_in(text)))
        })
    })
}

/// What was found, with those of the odd ones, and only those, that fit.
pub(super) fn corrected(
    tree: &Expr,
    found: Vec<i64>,
    odd: &[i64],
    fitting: impl FnOnce(&[i64]) -> rusqlite::Result<Vec<i64>>,
) -> rusqlite::Result<Vec<i64>> {
    if odd.is_empty() {
        return Ok(found);
    }
    let excludes = has_exclusion(tree);
    let doubtful: Vec<i64> = odd
        .iter()
        .copied()
        // More text takes away nothing but where something is excluded.
        .filter(|id| excludes || found.binary_search(id).is_err())
        .collect();
    let fitting = fitting(&doubtful)?;
    Ok(id_sets::either(id_sets::without(found, &doubtful), fitting))
}

fn has_exclusion(tree: &Expr) -> bool {
    match tree {
        Expr::Term(_) => false,
        Expr::And(parts) | Expr::Or(parts) => parts.iter().any(has_exclusion),
        _ => true,
    }
}

/// The messages that the indexes find for a query.
pub(super) fn lookup(conn: &Connection, tree: &Expr) -> rusqlite::Result<Vec<i64>> {
    match tree {
        Expr::Term(term) => of_term(conn, term),
        Expr::And(parts) => of_all(conn, parts),
        Expr::Or(parts) => {
            let mut found = Vec::new();
            for part in parts {
                found = id_sets::either(found, lookup(conn, part)?);
            }
            Ok(found)
        }
        Expr::Not(wanted, unwanted) => {
            let found = lookup(conn, wanted)?;
            narrowed(conn, found, unwanted, false)
        }
        // There are no others.
        _ => Ok(Vec::new()),
    }
}

fn of_term(conn: &Connection, term: &Term) -> rusqlite::Result<Vec<i64>> {
    match term.lookup() {
        Lookup::Short => trigrams::holding(conn, term),
        Lookup::Words => ranked::all_ids(conn, (WORDS, &term.expression())),
        _ => ranked::all_ids(conn, (TRIGRAMS, &term.expression())),
    }
}

fn of_all(conn: &Connection, parts: &[Expr]) -> rusqlite::Result<Vec<i64>> {
    let mut parts: Vec<&Expr> = parts.iter().collect();
    parts.sort_by_key(|part| cost(part));
    let Some((first, rest)) = parts.split_first() else {
        return Ok(Vec::new());
    };
    let mut found = lookup(conn, first)?;
    for part in rest {
        found = narrowed(conn, found, part, true)?;
    }
    Ok(found)
}

/// Those that a part holds for, or does not.
fn narrowed(
    conn: &Connection,
    found: Vec<i64>,
    part: &Expr,
    holds: bool,
) -> rusqlite::Result<Vec<i64>> {
    if found.is_empty() {
        return Ok(found);
    }
    let by_text = matches!(part, Expr::Term(term) if is_common(term));
    if by_text && found.len() <= FEW {
        return text::those_that_fit(conn, &found, |_, text| {
            Ok(part.matches(&mut |term| term.stands_in(text)) == holds)
        });
    }
    let others = lookup(conn, part)?;
    Ok(match holds {
        true => id_sets::both(&found, &others),
        false => id_sets::without(found, &others),
    })
}

/// How much it costs to look a part up, beside others.
fn cost(part: &Expr) -> u8 {
    match part {
        Expr::Term(term) if is_common(term) => 3,
        Expr::Term(term) if term.lookup() == Lookup::Short => 1,
        Expr::Term(_) => 0,
        _ => 2,
    }
}

/// Whether the trigrams of a term are in very many messages: those of an alphabet are.
fn is_common(term: &Term) -> bool {
    term.lookup() == Lookup::Trigram && !term.text().chars().any(is_unspaced)
}

/// What the trigram index can rank the matches by: the terms that all of them have to hold.
pub(super) fn ranking(tree: &Expr) -> Option<String> {
    match tree {
        Expr::And(parts) => {
            let terms: Vec<String> = parts
                .iter()
                .filter_map(|part| match part {
                    Expr::Term(term) if term.lookup() == Lookup::Trigram => Some(term.expression()),
                    _ => None,
                })
                .collect();
            (!terms.is_empty()).then(|| terms.join(" AND "))
        }
        Expr::Not(wanted, _) => match wanted.as_ref() {
            Expr::Term(term) => (term.lookup() == Lookup::Trigram).then(|| term.expression()),
            wanted => ranking(wanted),
        },
        _ => None,
    }
}
