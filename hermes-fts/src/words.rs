//! The words that the word index makes of a text, for texts that the index does not hold.

use alloc::string::String;
use alloc::vec::Vec;

use crate::fold::fold;
use crate::spelling::{as_indexed, is_accent};
use crate::term::Term;
use crate::token_chars::is_token_char;

/// The words of a text in their order, as FTS5's tokeniser unicode61 makes them: folded, and without
/// the accents of ASCII letters.
///
/// ```
/// assert_eq!(hermes_fts::index_words("Café_crème, 更新Docker"), ["cafe", "creme", "更新docker"]);
/// ```
#[must_use]
pub fn index_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if is_token_char(c) {
            word.extend(as_indexed(fold(c).encode_utf8(&mut [0; 4])).map(fold));
        } else if !word.is_empty() && !is_accent(c) {
            words.push(core::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

impl Term {
    /// Whether the word index would find the term in a text with these [`index_words`].
    #[must_use]
    pub fn is_in_words(&self, words: &[String]) -> bool {
        let wanted = index_words(self.text());
        let Some((last, before)) = wanted.split_last() else {
            return false;
        };
        words.windows(wanted.len()).any(|found| {
            let Some((end, start)) = found.split_last() else {
                return false;
            };
            let ends = match self.is_prefix() {
                true => end.starts_with(last.as_str()),
                false => end == last,
            };
            ends && start == before
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::index_words;
    use crate::sanitize;

    fn index() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE VIRTUAL TABLE t USING fts5(content);
             CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);",
        )
        .unwrap();
        db
    }

    fn by_sqlite(db: &Connection, text: &str) -> Vec<String> {
        db.execute("DELETE FROM t", []).unwrap();
        db.execute("INSERT INTO t VALUES (?1)", [text]).unwrap();
        let mut query = db.prepare("SELECT term FROM v ORDER BY offset").unwrap();
        let terms = query.query_map([], |row| row.get(0)).unwrap();
        terms.map(Result::unwrap).collect()
    }

    #[test]
    fn every_character_is_what_the_index_makes_of_it() {
        let db = index();
        let all: Vec<char> = ('\u{1}'..=char::MAX).collect();
        for block in all.chunks(4096) {
            // Alone, inside of a word, at its beginning, at its end.
            let text: String = block
                .iter()
                .map(|c| format!("{c} x{c}y {c}z w{c} "))
                .collect();
            let (ours, theirs) = (index_words(&text), by_sqlite(&db, &text));
            let differs = ours.iter().zip(&theirs).find(|(a, b)| a != b);
            assert_eq!(differs, None, "from {:?}", block[0]);
            assert_eq!(ours.len(), theirs.len());
        }
    }

    proptest! {
        #[test]
        fn a_text_is_cut_as_the_index_cuts_it(text in "([a-zA-Zé0-9 ._\\-]|\\PC|[\u{300}-\u{340}]){0,40}") {
            prop_assert_eq!(index_words(&text), by_sqlite(&index(), &text));
        }

        #[test]
        fn a_query_holds_where_the_index_finds_it(
            query in "((a|b|é|E|ab|a-b|\"a b\"|AND|OR|NOT)[*]? ){1,4}",
            text in "((a|b|e|É|ab|abc|x)[ .-]){0,6}",
        ) {
            let query = sanitize(&query);
            let Some(tree) = query.tree() else { return Ok(()) };
            let db = index();
            db.execute("INSERT INTO t VALUES (?1)", [&text]).unwrap();
            let found: bool = db
                .query_row("SELECT COUNT(*) FROM t WHERE t MATCH ?1", [query.as_str()], |row| row.get(0))
                .unwrap();
            let words = index_words(&text);
            prop_assert_eq!(tree.matches(&mut |term| term.is_in_words(&words)), found, "{}", query);
        }
    }
}
