//! Messages of which the word index of versions 23 and later does not hold all of the text: long tool
//! results, which are cut, and what a rebuild has not come to. They are read, and cut into words as
//! the index would.

use hermes_fts::{Expr, SanitizedQuery, index_words};
use rusqlite::Connection;

use super::source::WORDS;
use super::{combined, ranked, text};

/// The messages that the index finds for a query of words, and those that it should have found.
pub(super) fn with_those(
    conn: &Connection,
    query: &SanitizedQuery,
    tree: &Expr,
) -> rusqlite::Result<Vec<i64>> {
    let found = ranked::all_ids(conn, (WORDS, query.as_str()))?;
    combined::corrected(tree, found, &ids(conn)?, |doubtful| {
        text::those_that_fit(conn, doubtful, |_, text| {
            let words = index_words(text);
            Ok(tree.matches(&mut |term| term.is_in_words(&words)))
        })
    })
}

/// Of a text with more characters than are indexed there are more bytes, too; so no text is read.
fn ids(conn: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut statement = conn.prepare_cached(
        "SELECT m.id FROM messages m
         WHERE (m.role = 'tool' AND octet_length(m.content) > 8192)
             OR NOT EXISTS (SELECT 1 FROM messages_fts_docsize d WHERE d.id = m.id)
         ORDER BY m.id",
    )?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}
