//! What to try when a search finds nothing.
//!
//! Every query that is suggested has been run: it finds something. What is tried is what people most
//! often got wrong, in that order: a filter too many, a word mistyped, a phrase or a whole word where
//! a part would do.

mod filters;
mod typed;
mod vocabulary;

use std::time::{Duration, Instant};

use hermes_fts::{Expr, Term, TermKind, sanitize};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::recurring;
use crate::store::Store;

use super::options::{Collapse, OnDamage, SearchOptions};
use typed::{replaced, words_of};
use vocabulary::Vocabulary;

pub use filters::SearchFilter;

/// What to try instead of a search that finds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Suggestions {
    /// Searches that find something, those most likely meant first.
    pub queries: Vec<SuggestedQuery>,
    /// Where several words are looked for, how many messages each of them alone is in, with the same
    /// filters: 0 shows which one is at fault.
    pub words: Vec<WordCount>,
}

/// A search that finds something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SuggestedQuery {
    /// What to look for.
    pub query: String,
    /// What was changed in the query.
    pub kind: SuggestionKind,
    /// The filters that have to be left out; with the others it finds as many.
    pub without: Vec<SearchFilter>,
    /// In how many messages it is found; never 0.
    pub count: u64,
}

/// How a suggested query differs from the one that found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SuggestionKind {
    /// Not at all: a filter has to go.
    AsTyped,
    /// Words that nobody wrote are replaced by the closest ones that somebody did.
    Spelling,
    /// Words may go on after what was typed.
    Beginning,
    /// The words of a phrase may stand anywhere.
    Unquoted,
    /// A part of a text without blanks.
    Part,
    /// One of the words is enough.
    AnyWord,
}

/// A part of a query and how many messages it alone is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WordCount {
    /// The word, or the phrase in quotes.
    pub word: String,
    /// The messages.
    pub count: u64,
}

/// How long suggestions are looked for: what would come later is left out.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many queries are suggested, and how many of one kind are tried.
const MOST: usize = 5;
const TRIES: usize = 6;

/// How many words of a query are looked at.
const WORDS: usize = 8;

/// The longest text without blanks of which parts are tried, in characters.
const LONGEST: usize = 24;

impl Store {
    /// What to try instead of a search that finds nothing. Costs a few searches, and a look into the
    /// words of the index; what takes longer than two seconds is left out.
    ///
    /// ```
    /// use hermes_state::{NewMessage, NewSession, SearchOptions, Store};
    /// # let folder = tempfile::tempdir()?;
    /// let store = Store::open(folder.path().join("state.db"))?;
    /// store.create_session(&NewSession::new("s", "cli"))?;
    /// store.append_message(&NewMessage::new("s", "user").content("docker compose is up"))?;
    ///
    /// let options = SearchOptions::new("dokcer compose");
    /// assert!(store.search(&options)?.matches.is_empty());
    /// let instead = store.search_suggestions(&options)?;
    /// assert_eq!(instead.queries[0].query, "docker compose");
    /// assert_eq!(instead.queries[0].count, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_suggestions(&self, options: &SearchOptions) -> Result<Suggestions> {
        let query = sanitize(&options.query);
        let Some(tree) = query.tree() else {
            return Ok(Suggestions::default());
        };
        let mut options = options.clone();
        options.collapse = Collapse::Off;
        let mut advice = Advice {
            store: self,
            set: SearchFilter::all_set(
                &options,
                self.message_columns().iter().any(|c| c == "active"),
            ),
            options,
            end: Instant::now() + PATIENCE,
            found: Suggestions::default(),
        };
        match advice.look(tree) {
            // The caller asked for an end of a search, not of advice.
            Err(Error::Interrupted { .. }) if advice.options.cancel.is_none() => {}
            outcome => outcome?,
        }
        advice.found.queries.truncate(MOST);
        Ok(advice.found)
    }
}

struct Advice<'a> {
    store: &'a Store,
    options: SearchOptions,
    /// The filters that can keep something out.
    set: Vec<SearchFilter>,
    end: Instant,
    found: Suggestions,
}

impl Advice<'_> {
    fn look(&mut self, tree: &Expr) -> Result<()> {
        if self.without_filters()? {
            return Ok(());
        }
        let mut terms: Vec<&Term> = Vec::new();
        for term in tree.wanted() {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        terms.truncate(WORDS);
        let alone: Vec<String> = terms.iter().copied().map(shown).collect();
        if terms.len() > 1 {
            for word in &alone {
                let count = self.count(word, &[])?;
                let word = word.clone();
                self.found.words.push(WordCount { word, count });
            }
        }
        let unknown = self.unknown(&terms)?;
        self.spellings(&terms, &unknown)?;
        self.beginnings(&unknown)?;
        self.unquoted(&terms)?;
        self.parts(&terms)?;
        let found = self.found.words.iter().filter(|word| word.count > 0);
        let found: Vec<&str> = found.map(|word| word.word.as_str()).collect();
        if found.len() > 1 {
            let any = found.join(" OR ");
            self.suggest(&any, SuggestionKind::AnyWord)?;
        }
        Ok(())
    }

    /// Whether the query as it is finds something without the filters.
    fn without_filters(&mut self) -> Result<bool> {
        let (query, set) = (self.options.query.clone(), self.set.clone());
        let without_any = match set.is_empty() {
            true => 0,
            false => self.count(&query, &set)?,
        };
        if without_any == 0 {
            return Ok(false);
        }
        let found = |without, count| SuggestedQuery {
            query: query.clone(),
            kind: SuggestionKind::AsTyped,
            without,
            count,
        };
        if set.len() > 1 {
            for filter in &set {
                let count = self.count(&query, &[*filter])?;
                if count > 0 {
                    self.found.queries.push(found(vec![*filter], count));
                }
            }
        }
        if self.found.queries.is_empty() {
            self.found.queries.push(found(set, without_any));
        }
        Ok(true)
    }

    /// The query with its unknown words replaced by those closest to them; what is close to nothing is
    /// left out.
    fn spellings(&mut self, terms: &[&Term], words: &[String]) -> Result<()> {
        let mut unknown = Vec::new();
        for word in words {
            let near = self
                .store
                .read(|conn, _| Vocabulary::of(conn)?.near(word, self.end));
            let near = match near {
                // The words are only for advice: what the index cannot tell is not told.
                Err(error) if self.store.index_trouble().is_some() || error.is_damage() => {
                    let what = "the words of the index cannot be read";
                    recurring::warn(self.store.path(), what, &error);
                    return Ok(());
                }
                near => near?,
            };
            unknown.push((word, near));
        }
        if unknown.iter().all(|(_, near)| near.is_empty()) {
            return Ok(());
        }
        let before = self.found.queries.len();
        let widest = unknown
            .iter()
            .map(|(_, near)| near.len())
            .max()
            .unwrap_or(0);
        for choice in 0..widest.min(TRIES) {
            let mut query = self.options.query.clone();
            for (word, near) in &unknown {
                let instead = near.get(choice).or(near.last());
                query = replaced(&query, word, instead.map_or("", String::as_str));
            }
            let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
            self.suggest(&query, SuggestionKind::Spelling)?;
        }
        if self.found.queries.len() == before && terms.len() > 1 {
            for (_, near) in &unknown {
                for instead in near.iter().take(1) {
                    self.suggest(instead, SuggestionKind::Spelling)?;
                }
            }
        }
        Ok(())
    }

    /// The query with a star behind its unknown words.
    fn beginnings(&mut self, unknown: &[String]) -> Result<()> {
        let mut query = self.options.query.clone();
        for word in unknown {
            query = replaced(&query, word, &format!("{word}*"));
        }
        self.suggest(&query, SuggestionKind::Beginning)
    }

    /// The phrases without their quotes; the words of all phrases and of words with punctuation, in any
    /// order.
    fn unquoted(&mut self, terms: &[&Term]) -> Result<()> {
        let texts: Vec<&str> = terms.iter().map(|term| term.text()).collect();
        if terms.iter().any(|term| term.kind() == TermKind::Phrase) {
            self.suggest(&texts.join(" "), SuggestionKind::Unquoted)?;
        }
        let words: Vec<&str> = texts.iter().flat_map(|text| words_of(text)).collect();
        if words.len() > terms.len() {
            self.suggest(&words.join(" "), SuggestionKind::Unquoted)?;
        }
        Ok(())
    }

    /// The longest beginning and the longest end of a text without blanks that are found.
    fn parts(&mut self, terms: &[&Term]) -> Result<()> {
        let whole = |term: &&&Term| term.text().chars().any(hermes_fts::script::is_unspaced);
        for term in terms.iter().filter(whole).take(1) {
            let text: Vec<char> = term.text().chars().take(LONGEST).collect();
            let beginnings = (2..text.len()).rev().filter_map(|end| text.get(..end));
            let ends = (1..text.len().saturating_sub(1)).filter_map(|start| text.get(start..));
            self.first_found(beginnings.map(String::from_iter))?;
            self.first_found(ends.map(String::from_iter))?;
        }
        Ok(())
    }

    /// Suggests the first of these parts that is found.
    fn first_found(&mut self, parts: impl Iterator<Item = String>) -> Result<()> {
        for part in parts {
            let before = self.found.queries.len();
            self.suggest(&part, SuggestionKind::Part)?;
            if self.found.queries.len() > before {
                break;
            }
        }
        Ok(())
    }

    /// The words of the query that are in no message.
    fn unknown(&self, terms: &[&Term]) -> Result<Vec<String>> {
        let mut unknown: Vec<String> = Vec::new();
        let words = terms.iter().flat_map(|term| words_of(term.text()));
        for word in words.take(WORDS) {
            if !unknown.iter().any(|other| other == word) && self.lacks(word)? {
                unknown.push(word.to_owned());
            }
        }
        Ok(unknown)
    }

    /// Whether a word is in no message.
    fn lacks(&self, word: &str) -> Result<bool> {
        let by_index = self.store.index_trouble().is_none();
        let look = || self.store.read(|conn, _| vocabulary::lacks(conn, word));
        match by_index.then(look) {
            Some(Err(error)) if !error.is_damage() => Err(error),
            Some(Ok(lacks)) => Ok(lacks),
            _ => Ok(self.count(word, &self.set)? == 0),
        }
    }

    /// Suggests a query if it finds something, with the filters or without them.
    fn suggest(&mut self, query: &str, kind: SuggestionKind) -> Result<()> {
        let known = self.found.queries.iter().any(|other| other.query == query);
        if known || query == self.options.query || self.found.queries.len() >= MOST {
            return Ok(());
        }
        for without in [Vec::new(), self.set.clone()] {
            let count = self.count(query, &without)?;
            if count > 0 {
                let query = query.to_owned();
                self.found.queries.push(SuggestedQuery {
                    query,
                    kind,
                    without,
                    count,
                });
                break;
            }
            if self.set.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// How many messages a query is in; 0 when there is no time left to tell.
    fn count(&self, query: &str, without: &[SearchFilter]) -> Result<u64> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(0);
        }
        let mut options = self.options.clone();
        options.query = query.to_owned();
        options.on_damage = OnDamage::SearchRows;
        options.timeout = Some(options.timeout.map_or(left, |timeout| timeout.min(left)));
        for filter in without {
            filter.drop_from(&mut options);
        }
        Ok(self.store.search_count(&options)?.count)
    }
}

/// A term as it is typed.
fn shown(term: &Term) -> String {
    let star = if term.is_prefix() { "*" } else { "" };
    match term.kind() {
        TermKind::Word => format!("{}{star}", term.text()),
        TermKind::Phrase => format!("\"{}\"{star}", term.text()),
    }
}
