//! What `search` can be told.

use clap::{Args, ValueEnum};

use super::{Page, Sources};
use crate::moment::{since, until};

#[derive(Debug, Args)]
#[command(
    after_help = "A query that begins with a dash goes behind `--`. Times are dates (2026-01-31, 2026-01, 2026), \
                  dates with a time (2026-01-31T12:00), today, yesterday, how long ago (90min, 2h, 3d, 2w, 6mo), \
                  or seconds since 1970."
)]
pub(crate) struct Search {
    /// What to look for; several words need not be quoted, - reads it from standard input
    #[arg(required = true, num_args = 1..)]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) sources: Sources,
    /// Only messages of this role: user, assistant, tool or system (repeatable)
    #[arg(long = "role", value_name = "ROLE")]
    pub(crate) roles: Vec<String>,
    /// Only what this tool gave back (repeatable)
    #[arg(long = "tool", value_name = "NAME")]
    pub(crate) tools: Vec<String>,
    /// Only messages of this session, by its id, its title, or the beginning of its id (repeatable)
    #[arg(long = "session", value_name = "ID")]
    pub(crate) sessions: Vec<String>,
    /// Only messages of the lineage that this session is in (repeatable)
    #[arg(long = "lineage", value_name = "ID")]
    pub(crate) lineages: Vec<String>,
    /// No messages of this session (repeatable)
    #[arg(long = "exclude-session", value_name = "ID")]
    pub(crate) except_sessions: Vec<String>,
    /// No messages of the lineage that this session is in (repeatable)
    #[arg(long = "exclude-lineage", value_name = "ID")]
    pub(crate) except_lineages: Vec<String>,
    /// No sessions that a program held with itself: those of sub-agents and tools
    #[arg(long)]
    pub(crate) exclude_hidden: bool,
    /// Only sessions with this in their model's name
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    /// Only sessions with this in their title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Only messages from this time on
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<f64>,
    /// Only messages up to this time; of a day, a month or a year, up to its end
    #[arg(long, value_name = "TIME", value_parser = until)]
    pub(crate) until: Option<f64>,
    /// Also messages that were taken back (newer versions of Hermes keep them)
    #[arg(long)]
    pub(crate) inactive: bool,
    /// Which come first: the best, the newest or the oldest
    #[arg(long, value_name = "ORDER", default_value = "rank")]
    pub(crate) sort: Sort,
    #[command(flatten)]
    pub(crate) page: Page,
    /// Show this many messages before and after each match (at most 1,000)
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub(crate) context: u16,
    /// Only the first match of each session, and how many more it has
    #[arg(long, conflicts_with = "by_lineage")]
    pub(crate) by_session: bool,
    /// Only the first match of each lineage: of a session, what it continues and what continues it
    #[arg(long)]
    pub(crate) by_lineage: bool,
    /// Only tell how many messages match (sessions or lineages, with --by-session or --by-lineage)
    #[arg(long, conflicts_with = "open")]
    pub(crate) count: bool,
    /// Show the messages whole
    #[arg(long)]
    pub(crate) open: bool,
    /// Tell first how the query is read: what is looked for, and what is left out and why
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    Rank,
    Newest,
    Oldest,
}
