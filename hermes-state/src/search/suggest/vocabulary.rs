//! The words of the index that are close to a word that is in no message.
//!
//! FTS5 gives its words in order, each with the number of its messages; to give that it goes through
//! all of them, so that a range of words costs as much as what is written with them. Looked at are
//! therefore narrow ranges: the words that begin like the one looked for, and those that begin so
//! with one letter mistyped.

use std::collections::BTreeSet;
use std::time::Instant;

use rusqlite::{Connection, params};

use crate::record::column;

/// Words that are given.
const MOST: usize = 3;

/// The longest word that is compared, in characters: longer ones are ids and hashes.
const LONGEST: usize = 32;

/// Words and places of words that are looked at, at most.
const WORDS: usize = 100_000;
const PLACES: i64 = 4_000_000;

/// Whether the index has this word nowhere.
pub(super) fn lacks(conn: &Connection, word: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM messages_fts WHERE messages_fts MATCH ?1 LIMIT 1";
    let known = conn.prepare_cached(sql)?.exists([format!("\"{word}\"")])?;
    Ok(!known)
}

pub(super) struct Vocabulary<'c> {
    conn: &'c Connection,
}

/// A word of the index.
struct Near {
    word: String,
    distance: usize,
    other_start: bool,
    messages: i64,
}

impl<'c> Vocabulary<'c> {
    pub(super) fn of(conn: &'c Connection) -> rusqlite::Result<Vocabulary<'c>> {
        conn.execute_batch(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.hermes_words
             USING fts5vocab('main', 'messages_fts', 'row')",
        )?;
        Ok(Vocabulary { conn })
    }

    /// The closest words, the one in most messages first among equals; none for a word too short or
    /// too long to tell.
    pub(super) fn near(&self, word: &str, end: Instant) -> rusqlite::Result<Vec<String>> {
        let word = word.to_lowercase();
        let letters: Vec<char> = word.chars().collect();
        let farthest = match letters.len() {
            0..=2 => return Ok(Vec::new()),
            3 | 4 => 1,
            5..=LONGEST => 2,
            _ => return Ok(Vec::new()),
        };
        let mut search = Search {
            conn: self.conn,
            word: &word,
            letters: letters.len(),
            first: letters.first().copied(),
            farthest,
            end,
            words: WORDS,
            places: PLACES,
            near: Vec::new(),
        };
        let start = |length: usize| letters.iter().take(length).collect::<String>();
        // Three letters in common, and so the end mistyped.
        let whole = start(3.min(letters.len() - 1));
        search.range(&whole)?;
        for prefix in mistyped_starts(&letters, 4.min(letters.len() - 1)) {
            if !prefix.starts_with(&whole) && !search.range(&prefix)? {
                break;
            }
        }
        Ok(search.best())
    }
}

struct Search<'a> {
    conn: &'a Connection,
    word: &'a str,
    letters: usize,
    first: Option<char>,
    farthest: usize,
    end: Instant,
    words: usize,
    places: i64,
    near: Vec<Near>,
}

impl Search<'_> {
    /// Compares the words that begin so; whether there is room for more.
    fn range(&mut self, prefix: &str) -> rusqlite::Result<bool> {
        let sql = "SELECT term, doc, cnt FROM temp.hermes_words WHERE term >= ?1 AND term < ?2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params![prefix, format!("{prefix}\u{10ffff}")])?;
        while let Some(row) = rows.next()? {
            let word: String = column(row, 0)?;
            self.words = self.words.saturating_sub(1);
            self.places = self.places.saturating_sub(column(row, 2)?);
            let length = word.chars().count();
            if length.abs_diff(self.letters) <= self.farthest {
                let distance = strsim::osa_distance(&word, self.word);
                if distance <= self.farthest && word != self.word {
                    self.near.push(Near {
                        other_start: word.chars().next() != self.first,
                        distance,
                        messages: column(row, 1)?,
                        word,
                    });
                }
            }
            if self.words == 0 || self.places <= 0 || Instant::now() >= self.end {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn best(mut self) -> Vec<String> {
        self.near.sort_by(|a, b| {
            let close = |near: &Near| (near.distance, near.other_start);
            close(a)
                .cmp(&close(b))
                .then(b.messages.cmp(&a.messages))
                .then_with(|| a.word.cmp(&b.word))
        });
        let best = self.near.iter().take(MOST).map(|near| near.word.clone());
        best.collect()
    }
}

/// Beginnings of words that may have been meant: one letter of the typed one is wrong, missing, too
/// much, or has changed places with the next one.
fn mistyped_starts(letters: &[char], length: usize) -> BTreeSet<String> {
    let mut starts = BTreeSet::new();
    let mut add = |letters: &[char]| {
        starts.insert(letters.iter().take(length).collect::<String>());
    };
    let other = alphabet(letters);
    for at in 0..length {
        let mut changed = letters.to_vec();
        changed.remove(at);
        add(&changed);
        if at + 1 < letters.len() {
            let mut changed = letters.to_vec();
            changed.swap(at, at + 1);
            add(&changed);
        }
        for letter in &other {
            let mut changed = letters.to_vec();
            changed.insert(at, *letter);
            add(&changed);
            changed.remove(at + 1);
            add(&changed);
        }
    }
    starts
}

/// The letters that a word of these may have besides.
fn alphabet(letters: &[char]) -> Vec<char> {
    let scripts = [
        'a'..='z',
        '0'..='9',
        'а'..='я',
        'α'..='ω',
        'א'..='ת',
        'ء'..='ي',
    ];
    scripts
        .into_iter()
        .filter(|script| letters.iter().any(|letter| script.contains(letter)))
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::mistyped_starts;

    #[test]
    fn a_slip_in_the_beginning_is_undone() {
        for (typed, meant) in [
            ("odcker", "docker"),
            ("ocker", "docker"),
            ("ddocker", "docker"),
            ("socker", "docker"),
            ("dokcer", "docker"),
            ("докре", "докер"),
        ] {
            let letters: Vec<char> = typed.chars().collect();
            let starts = mistyped_starts(&letters, 4);
            let meant: String = meant.chars().take(4).collect();
            assert!(starts.contains(&meant), "{typed}: {starts:?}");
            assert!(starts.len() < 400);
        }
    }
}
