//! Searching messages: which match, in which order, and how they are shown.
//!
//! A query has a [`Source`](source::Source) of messages: a table of the index, a set of ids
//! ([`combined`]), or the rows themselves. Where it gives too few, [`further`] ones follow. Everything
//! else is the same for all of them: the [`filter`], the order ([`ranked`],
//! [`by_time`]), which matches stand for others ([`collapse`]), the page, and what is shown of each
//! ([`matches`]).

mod by_time;
mod collapse;
mod combined;
mod context;
mod filter;
mod further;
mod hits;
mod id_sets;
mod indexed;
mod interrupt;
mod left_out;
mod matches;
mod options;
mod ranked;
mod scan;
mod snippet;
mod source;
mod suggest;
mod text;
mod time_bounds;
mod totals;
mod trigrams;

use rusqlite::Connection;
use serde::Serialize;

use hermes_fts::{Plan, SanitizedQuery};

use crate::error::{Error, Result};
use crate::message::MessageId;
use crate::recurring;
use crate::schema::Layout;
use crate::session::SessionId;
use crate::store::Store;

use filter::Filter;
use hits::Hit;
use interrupt::Watch;
use matches::Reader;
use source::{Source, Usable};

pub(crate) use time_bounds::KnownBounds;

pub use context::ContextMessage;
pub use interrupt::CancelSearch;
pub use options::{Collapse, HIDDEN_SOURCES, OnDamage, SearchOptions, SearchOrder, SearchTime};
pub use suggest::{SearchFilter, SuggestedQuery, SuggestionKind, Suggestions, WordCount};

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchResults {
    /// What was asked.
    pub query: String,
    /// The matches in the order asked for.
    pub matches: Vec<SearchMatch>,
    /// The index could not be used, or leaves out a part of the texts that is not known: every row
    /// was looked at instead, words match inside words, and there is no rank: the newest come first.
    /// Of versions 23 and later the index of words is used, and what it leaves out is read; other
    /// queries have every row looked at.
    pub degraded: bool,
    /// Only the first 2,048 characters of the query were used.
    pub truncated_query: bool,
}

/// How many messages match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SearchCount {
    /// The messages; where matches stand for others, the sessions or lineages.
    pub count: u64,
    /// As [`SearchResults::degraded`].
    pub degraded: bool,
    /// As [`SearchResults::truncated_query`].
    pub truncated_query: bool,
}

/// Which sessions, or lineages, the matches are in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SearchGroups {
    /// The one with most matches first, among equals by the id.
    pub groups: Vec<SearchGroup>,
    /// As [`SearchResults::degraded`].
    pub degraded: bool,
    /// As [`SearchResults::truncated_query`].
    pub truncated_query: bool,
}

/// A session or lineage with matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SearchGroup {
    /// The session, or the root of the lineage.
    pub id: SessionId,
    /// How many matches it has.
    pub matches: u64,
}

/// One message that matches. The keys and their order are those of Hermes; behind them stand those
/// that only some matches have.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchMatch {
    /// The message.
    pub id: MessageId,
    /// Its session.
    pub session_id: SessionId,
    /// Its role.
    pub role: String,
    /// The piece of its text around the match, with marks around what matched; without them where only
    /// texts of one or two characters were looked for, one or another, as Hermes does. None if the
    /// message has no text of its own.
    pub snippet: Option<String>,
    /// When it was stored, seconds since the epoch.
    pub timestamp: f64,
    /// The tool it comes from.
    pub tool_name: Option<String>,
    /// Its session's source.
    pub source: String,
    /// Its session's model.
    pub model: Option<String>,
    /// When its session began.
    pub session_started: f64,
    /// The messages before, the message itself and those after, as far as they exist.
    pub context: Vec<ContextMessage>,
    /// Which of `context` is the message itself.
    #[serde(skip)]
    pub context_index: usize,
    /// A compression has replaced it in its session's transcript (newer versions).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compacted: bool,
    /// The root of its lineage, where matches stand for all of their lineage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineage: Option<SessionId>,
    /// How many further matches it stands for, where it may stand for some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<u64>,
}

/// Gives a connection the functions that statements of a search call.
pub(crate) fn define_functions(conn: &Connection) -> rusqlite::Result<()> {
    indexed::define_counter(conn)
}

impl Store {
    /// Finds the messages that match a person's query.
    ///
    /// Any text is a valid query; a blank one matches nothing. Where the full-text index is
    /// missing or damaged, the rows are searched and [`SearchResults::degraded`] says so, unless
    /// [`SearchOptions::on_damage`] wants an error.
    ///
    /// Letters of a script without blanks between words (Han, kana, Hangul, Thai, …) are found anywhere
    /// in a text, and what stands beside them in the query too. Where there are fewer matches than
    /// [`SearchOptions::limit`], those follow that the index does not know as words: a word that touches
    /// such letters (`更新zephyr模块`), an Arabic word behind a particle, letters that are stored as
    /// escapes of JSON or decomposed; of the newest 2,000 messages that may hold them.
    ///
    /// # Errors
    /// [`Error::Invalid`] for times that are none, and those of every read.
    pub fn search(&self, options: &SearchOptions) -> Result<SearchResults> {
        let query = hermes_fts::sanitize(&options.query);
        let (matches, degraded) = self.find(&query, options, |search| search.page())?;
        Ok(SearchResults {
            query: options.query.clone(),
            matches,
            degraded,
            truncated_query: query.truncated(),
        })
    }

    /// How many matches [`search`](Self::search) has with these options on all pages. The limit says
    /// only whether those count that the index does not know as words.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_count(&self, options: &SearchOptions) -> Result<SearchCount> {
        let query = hermes_fts::sanitize(&options.query);
        let (count, degraded) = self.find(&query, options, |search| search.count())?;
        Ok(SearchCount {
            count,
            degraded,
            truncated_query: query.truncated(),
        })
    }

    /// The sessions that [`search`](Self::search) with these options has matches in, whatever their
    /// limit and offset, and how many in each; the lineages where they are to be collapsed to those.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_groups(&self, options: &SearchOptions) -> Result<SearchGroups> {
        let query = hermes_fts::sanitize(&options.query);
        let (groups, degraded) = self.find(&query, options, |search| {
            totals::groups(search, options.collapse)
        })?;
        Ok(SearchGroups {
            groups,
            degraded,
            truncated_query: query.truncated(),
        })
    }

    /// Runs a search, by the index if it can be used; and whether it could not. Nothing is run for a
    /// query that asks for nothing.
    fn find<T: Default>(
        &self,
        query: &SanitizedQuery,
        options: &SearchOptions,
        run: impl Fn(&Search<'_>) -> rusqlite::Result<T>,
    ) -> Result<(T, bool)> {
        options.check()?;
        let needs_index = Source::needs_index(query);
        let strict = needs_index && options.on_damage == OnDamage::Fail;
        let search = |by_index: bool| {
            self.read(|conn, layout| {
                let trouble = layout.index_trouble.as_ref();
                let usable = match trouble {
                    _ if !by_index => Usable::Nothing,
                    None => Usable::Whole,
                    Some(_) if layout.cut_words && *query.plan() == Plan::Words => Usable::CutWords,
                    Some(_) => Usable::Nothing,
                };
                let trouble = trouble.filter(|_| usable != Usable::CutWords);
                if let Some(trouble) = trouble.filter(|_| strict) {
                    return Ok(Err(trouble.clone()));
                }
                let _watch = Watch::begin(conn, options)?;
                let found = match Source::of(conn, query, usable)? {
                    None => T::default(),
                    Some(source) => run(&Search {
                        conn,
                        layout,
                        query,
                        options,
                        filter: Filter::of(conn, layout, options)?,
                        usable,
                        source,
                        bounds: &self.inner.time_bounds,
                    })?,
                };
                Ok(Ok((found, needs_index && usable == Usable::Nothing)))
            })
        };
        let outcome = match search(true) {
            // Damage that SQLite does not ascribe to the index may still lie in its tables; if it
            // lies in the rows, the scan will meet it again.
            Err(error) if error.is_damage() && needs_index && !strict => {
                let what = "the full-text index is damaged: searching the rows";
                recurring::warn(self.path(), what, &error);
                search(false)
            }
            outcome => outcome,
        };
        outcome?.map_err(|trouble| Error::IndexDamaged {
            path: self.path().to_path_buf(),
            source: trouble.into(),
        })
    }
}

/// Messages from which on more of the same sessions are not looked for.
const MANY: usize = 2_000;

/// Which matches are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The first in their order.
    InOrder,
    /// The same; some of them may be gone when they are read.
    Unchecked,
    /// All, in any order.
    All,
}

/// One search over one state of the store.
struct Search<'a> {
    conn: &'a Connection,
    layout: &'a Layout,
    query: &'a SanitizedQuery,
    options: &'a SearchOptions,
    filter: Filter,
    usable: Usable,
    source: Source,
    bounds: &'a KnownBounds,
}

impl Search<'_> {
    fn page(&self) -> rusqlite::Result<Vec<SearchMatch>> {
        let words = self
            .query
            .tree()
            .map(scan::wanted_terms)
            .unwrap_or_default();
        let reader = Reader {
            conn: self.conn,
            layout: self.layout,
            options: self.options,
            words: &words,
            source: &self.source,
            plain: source::is_plain(self.query),
        };
        let (skip, limit) = (self.options.offset, self.options.limit);
        let by = self.options.collapse;
        if by == Collapse::Off {
            let page = |wanted| -> rusqlite::Result<Vec<_>> {
                let hits = self.hits(limit.saturating_add(skip), wanted)?;
                reader.read(hits.iter().skip(skip).take(limit))
            };
            // Of what is skipped nobody sees whether it is there.
            let first = match skip {
                0 => Wanted::Unchecked,
                _ => Wanted::InOrder,
            };
            let read = match page(first)? {
                // Nearly never: rows that are gone, or whose session is, take up room.
                read if read.iter().any(Option::is_none) => page(Wanted::InOrder)?,
                read => read,
            };
            return Ok(read.into_iter().flatten().collect());
        }
        let groups = collapse::collapse(self.conn, self.hits(usize::MAX, Wanted::InOrder)?, by)?;
        let page: Vec<_> = groups.into_iter().skip(skip).take(limit).collect();
        let firsts = reader.read(page.iter().map(|group| &group.first))?;
        let matches = firsts.into_iter().zip(page).filter_map(|(first, group)| {
            let mut first = first?;
            first.further = Some(group.further);
            first.lineage = (by == Collapse::Lineage).then_some(group.id);
            Some(first)
        });
        Ok(matches.collect())
    }

    fn count(&self) -> rusqlite::Result<u64> {
        let by = self.options.collapse;
        let groups = totals::groups(self, by)?;
        Ok(match by {
            Collapse::Off => groups.iter().map(|group| group.matches).sum(),
            _ => u64::try_from(groups.len()).unwrap_or(u64::MAX),
        })
    }

    /// The first so many matches.
    fn hits(&self, wanted: usize, how: Wanted) -> rusqlite::Result<Vec<Hit>> {
        let demoted = &self.options.demote_sources;
        let filter = Filter {
            unchecked: how == Wanted::Unchecked,
            ..self.filter.clone()
        };
        let classes = if demoted.is_empty() {
            vec![filter]
        } else {
            ["NOT IN", "IN"]
                .map(|word| filter.and_sources(word, demoted))
                .into()
        };
        let look = self.look(how);
        let mut found: Vec<Vec<Hit>> = Vec::new();
        let mut room = wanted;
        for filter in &classes {
            let hits = hits::hits(look, &self.source, filter, room)?;
            room = room.saturating_sub(hits.len());
            found.push(hits);
        }
        let count = wanted - room;
        // At least a page is wanted: if there are fewer, these are all.
        if count < self.few() {
            let known: Vec<Hit> = found.iter().flatten().cloned().collect();
            let ids = hits::ids_of(&known);
            let count = match self.options.collapse {
                Collapse::Off => count,
                by => collapse::collapse(self.conn, known, by)?.len(),
            };
            let further = match count < self.options.limit {
                true => self.further(&ids)?,
                false => Vec::new(),
            };
            if !further.is_empty() {
                return with_further(look, &classes, found, further, wanted);
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn look(&self, how: Wanted) -> hits::Look<'_> {
        hits::Look {
            conn: self.conn,
            options: self.options,
            bounds: self.bounds,
            unordered: how == Wanted::All,
        }
    }

    /// Matches from which on no further ones are looked for.
    fn few(&self) -> usize {
        match self.options.collapse {
            Collapse::Off => self.options.limit,
            _ => MANY,
        }
    }

    fn further(&self, known: &[i64]) -> rusqlite::Result<Vec<i64>> {
        match self.source {
            Source::Rows { .. } => Ok(Vec::new()),
            _ => {
                let words_alone = self.usable == Usable::CutWords;
                further::ids(self.conn, self.query, known, words_alone)
            }
        }
    }
}

/// The matches of each class followed by its further ones; by time, all of a class together.
fn with_further(
    look: hits::Look<'_>,
    classes: &[Filter],
    found: Vec<Vec<Hit>>,
    further: Vec<i64>,
    wanted: usize,
) -> rusqlite::Result<Vec<Hit>> {
    let further = Source::Ids(further);
    let mut all = Vec::new();
    for (filter, mut hits) in classes.iter().zip(found) {
        hits.extend(hits::hits(look, &further, filter, wanted)?);
        if look.options.order != SearchOrder::Rank {
            let ids = Source::Ids(hits::ids_of(&hits));
            hits = hits::hits(look, &ids, filter, wanted)?;
        }
        all.append(&mut hits);
    }
    all.truncate(wanted);
    Ok(all)
}
