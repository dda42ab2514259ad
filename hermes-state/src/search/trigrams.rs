//! The terms of the trigram index, and the messages that have them.
//!
//! The trigram index takes no text of fewer than three characters for a query. But its terms are in
//! order, so that those which begin with one or two characters stand side by side; an `fts5vocab`
//! table lists the message of each. It is made in the temporary schema of the connection and is
//! nothing but a view: neither the file nor anybody else sees it.
//!
//! A text that ends with the character has no term for it. What is indexed of a message ends with
//! blanks, or with the syntax of JSON; [`index_text`](crate::index_text) sees to the rest.

use hermes_fts::script::UNSPACED_BLOCKS;
use hermes_fts::{Term, folded};
use rusqlite::{Connection, params};

/// Makes the table, if the connection does not have it yet.
fn open(conn: &Connection) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.hermes_trigrams
         USING fts5vocab(main, messages_fts_trigram, instance)",
    )?
    .execute([])
    .map(drop)
}

/// The messages that hold a text of one or two characters, in ascending order.
pub(super) fn holding(conn: &Connection, term: &Term) -> rusqlite::Result<Vec<i64>> {
    let from = folded(term.text());
    between(conn, &from, successor(&from).as_deref())
}

/// The messages with terms from one on and before another, in ascending order.
pub(super) fn between(
    conn: &Connection,
    from: &str,
    to: Option<&str>,
) -> rusqlite::Result<Vec<i64>> {
    open(conn)?;
    let mut ids = match to {
        Some(to) => conn
            .prepare_cached("SELECT doc FROM temp.hermes_trigrams WHERE term >= ?1 AND term < ?2")?
            .query_map([from, to], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<i64>>>()?,
        None => conn
            .prepare_cached("SELECT doc FROM temp.hermes_trigrams WHERE term >= ?1")?
            .query_map([from], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<i64>>>()?,
    };
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Whether any message has a letter of a script without blanks.
pub(super) fn has_unspaced(conn: &Connection) -> rusqlite::Result<bool> {
    open(conn)?;
    let mut statement =
        conn.prepare_cached("SELECT 1 FROM temp.hermes_trigrams WHERE term >= ?1 AND term < ?2")?;
    for (first, end) in UNSPACED_BLOCKS {
        if statement.exists(params![first.to_string(), end.to_string()])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The least text that is greater than all that begin with this one, by bytes; none if there is
/// no such text.
fn successor(text: &str) -> Option<String> {
    let mut characters: Vec<char> = text.chars().collect();
    while let Some(last) = characters.pop() {
        // The range of characters leaves out what is none.
        if let Some(next) = (last..=char::MAX).nth(1) {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::successor;

    #[test]
    fn the_successor_is_behind_all_that_begin_so() {
        for (text, next) in [
            ("大", Some("夨")),
            ("ab", Some("ac")),
            ("\u{7f}", Some("\u{80}")),
            ("\u{d7ff}", Some("\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}", None),
        ] {
            assert_eq!(successor(text).as_deref(), next, "{text:?}");
            if let Some(next) = next {
                assert!(format!("{text}\u{10ffff}\u{10ffff}").as_str() < next);
            }
        }
    }
}
