//! What to search for, where, and how the answer is to look.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::interrupt::CancelSearch;
use crate::error::{Error, Result};
use crate::session::check_time;

/// Sources of sessions that no person held: sub-agents, and programs that use Hermes as a tool.
pub const HIDDEN_SOURCES: [&str; 2] = ["subagent", "tool"];

/// In which order matches come. Equal ones come in the order of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SearchOrder {
    /// The best first, by bm25; the newest first where no index ranks them.
    #[default]
    Rank,
    /// The newest message first.
    Newest,
    /// The oldest message first.
    Oldest,
}

/// Which matches stand for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Collapse {
    /// None: each match is shown.
    #[default]
    Off,
    /// The first of each session.
    Session,
    /// The first of each lineage: a session, what it came from and what came of that.
    Lineage,
}

/// What a search does where the full-text index is missing, incomplete or damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnDamage {
    /// Looks at every message instead, and says so ([`SearchResults::degraded`](super::SearchResults::degraded)).
    #[default]
    SearchRows,
    /// Fails with [`Error::IndexDamaged`].
    Fail,
}

/// What to search for, and where. Conditions add up: a match meets all of them.
///
/// ```
/// use hermes_state::{Collapse, SearchOptions, SearchOrder};
/// let options = SearchOptions::new("deploy* \"out of memory\"")
///     .source("telegram")
///     .role("user")
///     .since(1_760_000_000.0)
///     .order(SearchOrder::Newest)
///     .collapse(Collapse::Session)
///     .limit(10);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SearchOptions {
    /// What a person typed: words, `"phrases"`, `prefix*`, OR, NOT.
    pub query: String,
    /// Only sessions of these sources. An empty list matches nothing.
    pub sources: Option<Vec<String>>,
    /// Not sessions of these sources.
    pub exclude_sources: Vec<String>,
    /// Not sessions of [`HIDDEN_SOURCES`], unless `sources` names them.
    pub exclude_hidden: bool,
    /// Sessions of these sources only after all others.
    pub demote_sources: Vec<String>,
    /// Only messages of these roles; all if empty.
    pub roles: Vec<String>,
    /// Only messages of these sessions; of all if empty.
    pub sessions: Vec<String>,
    /// Not messages of these sessions.
    pub exclude_sessions: Vec<String>,
    /// Only messages of the lineages that these sessions are in; of all if empty.
    pub lineages: Vec<String>,
    /// Not messages of the lineages that these sessions are in.
    pub exclude_lineages: Vec<String>,
    /// Only what these tools gave back; everything if empty.
    pub tools: Vec<String>,
    /// Only messages stored at this time or later, seconds since the epoch.
    pub since: Option<f64>,
    /// Only messages stored before this time, seconds since the epoch.
    pub until: Option<f64>,
    /// Only sessions whose model's name contains this (ASCII capitals and small letters are the
    /// same).
    pub model: Option<String>,
    /// Only sessions whose title contains this (likewise).
    pub title: Option<String>,
    /// Also messages that were taken back (newer versions).
    pub include_inactive: bool,
    /// In which order.
    pub order: SearchOrder,
    /// At most this many.
    pub limit: usize,
    /// Skip this many first.
    pub offset: usize,
    /// Messages on each side of a match that its context shows.
    pub context: usize,
    /// What stands before and after what matched, in a snippet.
    pub marks: (String, String),
    /// Which matches stand for others.
    pub collapse: Collapse,
    /// What to do where the index cannot be used.
    pub on_damage: OnDamage,
    /// Gives up with [`Error::Interrupted`] after this long.
    pub timeout: Option<Duration>,
    /// What ends it from another thread.
    pub cancel: Option<CancelSearch>,
}

/// A list of names, set one by one.
macro_rules! lists {
    ($( $(#[$meta:meta])* $method:ident => $field:ident, )*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $method(mut self, name: impl Into<String>) -> SearchOptions {
                self.$field.push(name.into());
                self
            }
        )*
    };
}

impl SearchOptions {
    /// A search for this text, everywhere, for the best 20, each with one message before and after.
    pub fn new(query: impl Into<String>) -> SearchOptions {
        SearchOptions {
            query: query.into(),
            sources: None,
            exclude_sources: Vec::new(),
            exclude_hidden: false,
            demote_sources: Vec::new(),
            roles: Vec::new(),
            sessions: Vec::new(),
            exclude_sessions: Vec::new(),
            lineages: Vec::new(),
            exclude_lineages: Vec::new(),
            tools: Vec::new(),
            since: None,
            until: None,
            model: None,
            title: None,
            include_inactive: false,
            order: SearchOrder::default(),
            limit: 20,
            offset: 0,
            context: 1,
            marks: (">>>".to_owned(), "<<<".to_owned()),
            collapse: Collapse::default(),
            on_damage: OnDamage::default(),
            timeout: None,
            cancel: None,
        }
    }

    lists! {
        /// Not sessions of this source (repeatable).
        exclude_source => exclude_sources,
        /// Sessions of this source only after all others (repeatable).
        demote_source => demote_sources,
        /// Only messages of this role, or of another one named so (repeatable).
        role => roles,
        /// Only messages of this session, or of another one named so (repeatable).
        session => sessions,
        /// Not messages of this session (repeatable).
        exclude_session => exclude_sessions,
        /// Only messages of the lineage that this session is in: its root and all that came of
        /// it (repeatable).
        lineage => lineages,
        /// Not messages of the lineage that this session is in (repeatable).
        exclude_lineage => exclude_lineages,
        /// Only what this tool gave back, or another one named so (repeatable).
        tool => tools,
    }

    /// Not sessions that a program held with itself: those of [`HIDDEN_SOURCES`], unless they are
    /// named as [`source`](Self::source).
    #[must_use]
    pub fn exclude_hidden(mut self) -> SearchOptions {
        self.exclude_hidden = true;
        self
    }

    /// Only sessions of this source, or of another one named so (repeatable).
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> SearchOptions {
        self.sources
            .get_or_insert_with(Vec::new)
            .push(source.into());
        self
    }

    /// Only messages stored at this time or later: seconds since the epoch, or a [`SystemTime`].
    #[must_use]
    pub fn since(mut self, time: impl Into<SearchTime>) -> SearchOptions {
        self.since = Some(time.into().0);
        self
    }

    /// Only messages stored before this time.
    #[must_use]
    pub fn until(mut self, time: impl Into<SearchTime>) -> SearchOptions {
        self.until = Some(time.into().0);
        self
    }

    /// Only sessions whose model's name contains this.
    #[must_use]
    pub fn model(mut self, part: impl Into<String>) -> SearchOptions {
        self.model = Some(part.into());
        self
    }

    /// Only sessions whose title contains this.
    #[must_use]
    pub fn title(mut self, part: impl Into<String>) -> SearchOptions {
        self.title = Some(part.into());
        self
    }

    /// Also messages that were taken back.
    #[must_use]
    pub fn include_inactive(mut self) -> SearchOptions {
        self.include_inactive = true;
        self
    }

    /// Sets the order.
    #[must_use]
    pub fn order(mut self, order: SearchOrder) -> SearchOptions {
        self.order = order;
        self
    }

    /// Sets how many matches there are at most.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> SearchOptions {
        self.limit = limit;
        self
    }

    /// Sets how many matches are skipped.
    #[must_use]
    pub fn offset(mut self, offset: usize) -> SearchOptions {
        self.offset = offset;
        self
    }

    /// Sets how many messages on each side the context of a match shows.
    #[must_use]
    pub fn context(mut self, messages: usize) -> SearchOptions {
        self.context = messages;
        self
    }

    /// Sets what stands before and after what matched.
    #[must_use]
    pub fn marks(mut self, before: impl Into<String>, after: impl Into<String>) -> SearchOptions {
        self.marks = (before.into(), after.into());
        self
    }

    /// Lets a match stand for the others of its session or lineage.
    #[must_use]
    pub fn collapse(mut self, collapse: Collapse) -> SearchOptions {
        self.collapse = collapse;
        self
    }

    /// Sets what to do where the index cannot be used.
    #[must_use]
    pub fn on_damage(mut self, on_damage: OnDamage) -> SearchOptions {
        self.on_damage = on_damage;
        self
    }

    /// Gives up after this long.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> SearchOptions {
        self.timeout = Some(timeout);
        self
    }

    /// Gives up with [`Error::Interrupted`] when this says so.
    #[must_use]
    pub fn cancel(mut self, cancel: &CancelSearch) -> SearchOptions {
        self.cancel = Some(cancel.clone());
        self
    }

    /// The sources that are left out.
    pub(super) fn excluded(&self) -> Vec<String> {
        let mut sources = self.exclude_sources.clone();
        if self.exclude_hidden {
            let named = self.sources.as_deref().unwrap_or_default();
            let hidden = HIDDEN_SOURCES.map(str::to_owned);
            sources.extend(hidden.into_iter().filter(|source| !named.contains(source)));
        }
        sources
    }

    pub(super) fn check(&self) -> Result<()> {
        for (what, time) in [("since", self.since), ("until", self.until)] {
            if let Some(time) = time {
                check_time(what, time)?;
            }
        }
        if let (Some(since), Some(until)) = (self.since, self.until)
            && since > until
        {
            return Err(Error::Invalid {
                what: "since",
                problem: format!("is later than until: {since} > {until}"),
            });
        }
        Ok(())
    }
}

/// A moment: made of seconds since the epoch, or of a [`SystemTime`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchTime(f64);

impl From<f64> for SearchTime {
    fn from(seconds: f64) -> SearchTime {
        SearchTime(seconds)
    }
}

impl From<SystemTime> for SearchTime {
    fn from(time: SystemTime) -> SearchTime {
        SearchTime(match time.duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_secs_f64(),
            Err(before) => -before.duration().as_secs_f64(),
        })
    }
}
