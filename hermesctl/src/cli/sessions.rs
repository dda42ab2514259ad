//! What `sessions` can be told.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Page, Sources};
use crate::moment::{days, since};

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List sessions, the latest first
    List(List),
    /// Show a session and its messages
    Show(Show),
    /// Write sessions as JSON lines, or as a document for people
    Export(Export),
    /// Read sessions from JSON lines, as `export` and Hermes write them
    Import(Import),
    /// Give a session another title
    Rename(Rename),
    /// Mark sessions as ended
    End(End),
    /// Open ended sessions again
    Reopen(Named),
    /// Delete sessions with their messages
    Delete(Delete),
    /// Delete the ended sessions that a filter means
    Prune(Box<Prune>),
    /// Clear away what programs left behind that were closed or killed
    Sweep(Sweep),
    /// Archive sessions: lists and prunes pass over them
    Archive(Box<Archive>),
    /// Bring archived sessions back
    Unarchive(Named),
    /// Show what a session came from and what came of it
    Lineage(Lineage),
    /// Tokens, cost and messages by day, model and source
    Stats(Stats),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only sessions with this in their title or id
    pub(crate) query: Option<String>,
    #[command(flatten)]
    pub(crate) sources: Sources,
    #[command(flatten)]
    pub(crate) page: Page,
    /// Which come first: the latest started, the latest used, or those that fit best (those with
    /// exactly this title or id, then those that begin so)
    #[arg(long, value_name = "ORDER", default_value = "started")]
    pub(crate) by: Order,
    /// Only sessions with this in their title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Only sessions with this in their id
    #[arg(long = "id", value_name = "TEXT")]
    pub(crate) id_query: Option<String>,
    /// Only sessions whose id begins with this
    #[arg(long, value_name = "TEXT")]
    pub(crate) id_prefix: Option<String>,
    /// Only sessions that worked in this folder or below it
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Only sessions with at least this many messages
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_messages: i64,
    /// Show how each begins, also where it has a title
    #[arg(long)]
    pub(crate) preview: bool,
    /// Also those that others started, and the parts of compressed ones
    #[arg(long)]
    pub(crate) children: bool,
    /// Only archived sessions
    #[arg(long, conflicts_with = "all")]
    pub(crate) archived: bool,
    /// Also archived sessions, those that others started, and the parts of compressed ones
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    Started,
    Activity,
    Match,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The session: its id, its title, or the beginning of its id
    pub(crate) id: String,
    /// Also messages that were taken back or replaced
    #[arg(long)]
    pub(crate) inactive: bool,
    /// Also the sessions that it came from, the first one first
    #[arg(long)]
    pub(crate) with_ancestors: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Sessions, by id, title, or the beginning of an id; all if none is given
    pub(crate) ids: Vec<String>,
    /// Only sessions of this source (repeatable)
    #[arg(long = "source", value_name = "SOURCE", conflicts_with = "ids")]
    pub(crate) sources: Vec<String>,
    /// How to write them
    #[arg(long, short, value_name = "FORMAT", default_value = "jsonl")]
    pub(crate) format: Format,
    /// Each with what it continues after a compression and what continues it
    #[arg(long, requires = "ids")]
    pub(crate) lineage: bool,
    /// Write to this file instead of standard output (-); an existing one is not touched
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object a line: what `import` reads
    Jsonl,
    /// For people
    Markdown,
    /// For people: one file
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file, or - for standard input
    pub(crate) file: PathBuf,
    /// Only tell what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Import nothing if a line cannot be imported (all is held in memory)
    #[arg(long)]
    pub(crate) all_or_nothing: bool,
    /// What to do with sessions that are there already
    #[arg(long, value_name = "WHAT", default_value = "skip")]
    pub(crate) existing: Existing,
    /// What to do with titles that other sessions have
    #[arg(long, value_name = "WHAT", default_value = "number")]
    pub(crate) titles: Titles,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Existing {
    /// Leave them as they are
    Skip,
    /// Import beside them, under another id
    Copy,
    /// Replace them
    Overwrite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Titles {
    /// Number the imported one: ` #2`, ` #3`, …
    Number,
    /// Do not import the session
    Refuse,
}

#[derive(Debug, Args)]
pub(crate) struct Rename {
    /// The session: its id, its title, or the beginning of its id
    pub(crate) id: String,
    /// The title; several words need not be quoted
    #[arg(required_unless_present = "clear", conflicts_with = "clear")]
    pub(crate) title: Vec<String>,
    /// If another session has it, add the next number: ` #2`, ` #3`, …
    #[arg(long, conflicts_with = "clear")]
    pub(crate) auto_number: bool,
    /// Take its title away
    #[arg(long)]
    pub(crate) clear: bool,
}

/// Sessions that are named.
#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Sessions, by id, title, or the beginning of an id
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct End {
    #[command(flatten)]
    pub(crate) named: Named,
    /// Why
    #[arg(long, value_name = "WORD", default_value = "user_exit")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// Sessions, by id or the beginning of one
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    /// Only tell what would be deleted
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Prune {
    #[command(flatten)]
    pub(crate) filter: Filter,
    #[command(flatten)]
    pub(crate) scope: Scope,
    /// Archived ones: leave them, include them, or mean only them
    #[arg(long, value_name = "WHAT", default_value = "leave")]
    pub(crate) archived: Archived,
    /// Only tell what would be deleted
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Deletes sessions of the terminal interface that ended without a title and a message, and began
/// over a day ago; finishes deletions that were killed; and ends continuations of compressed
/// sessions that nothing went on with for a week.
#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Also delete every other ended session without a message
    #[arg(long)]
    pub(crate) empty: bool,
    /// Only tell what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Archive {
    /// Sessions, by id, title, or the beginning of an id
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) filter: Filter,
    #[command(flatten)]
    pub(crate) scope: Scope,
    /// Only tell what would be archived
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Which ended sessions are meant: those that meet all of it.
#[derive(Debug, PartialEq, Default, Args)]
pub(crate) struct Filter {
    /// Nothing happened in them for this many days (also 12h, 2w)
    #[arg(long, value_name = "DAYS", value_parser = days)]
    pub(crate) older_than: Option<f64>,
    /// They began before this: 2026-01-31, 2026-01-31T12:00, yesterday, 3d, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) before: Option<f64>,
    /// They began at this time or later
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) after: Option<f64>,
    /// Of this source (repeatable)
    #[arg(long = "source", value_name = "SOURCE")]
    pub(crate) only: Vec<String>,
    /// Not of this source (repeatable)
    #[arg(long = "exclude-source", value_name = "SOURCE")]
    pub(crate) except: Vec<String>,
    /// With this in their title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// With this in their model's name
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    /// With this in the name of their git branch
    #[arg(long, value_name = "TEXT")]
    pub(crate) branch: Option<String>,
    /// That worked in this folder or below it
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// That ended for this reason
    #[arg(long, value_name = "WORD")]
    pub(crate) end_reason: Option<String>,
    /// Billed by this provider
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Of this user
    #[arg(long, value_name = "ID")]
    pub(crate) user: Option<String>,
    /// Of this chat
    #[arg(long, value_name = "ID")]
    pub(crate) chat: Option<String>,
    /// Of chats of this type
    #[arg(long, value_name = "TYPE")]
    pub(crate) chat_type: Option<String>,
    /// With at least this many messages
    #[arg(long, value_name = "N")]
    pub(crate) min_messages: Option<u32>,
    /// With at most this many messages
    #[arg(long, value_name = "N")]
    pub(crate) max_messages: Option<u32>,
    /// With at least this many input and output tokens
    #[arg(long, value_name = "N")]
    pub(crate) min_tokens: Option<f64>,
    /// With at most this many input and output tokens
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<f64>,
    /// That cost at least this much
    #[arg(long, value_name = "USD")]
    pub(crate) min_cost: Option<f64>,
    /// That cost at most this much
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<f64>,
    /// With at least this many tool calls
    #[arg(long, value_name = "N")]
    pub(crate) min_tool_calls: Option<u32>,
    /// With at most this many tool calls
    #[arg(long, value_name = "N")]
    pub(crate) max_tool_calls: Option<u32>,
}

/// How the filter is meant.
#[derive(Debug, Args)]
pub(crate) struct Scope {
    /// Count the age from the start alone, as Hermes does
    #[arg(long, requires = "older_than")]
    pub(crate) by_start: bool,
    /// Also sessions that others started, as if they were sessions of their own
    #[arg(long)]
    pub(crate) delegates: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Archived {
    Leave,
    Include,
    Only,
}

#[derive(Debug, Args)]
pub(crate) struct Lineage {
    /// The session: its id, its title, or the beginning of its id
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Only sessions that began in the last this many days (also 12h, 2w)
    #[arg(long, value_name = "DAYS", value_parser = days)]
    pub(crate) days: Option<f64>,
    /// Only sessions of this source
    #[arg(long, value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    /// Only this table; all if not given
    #[arg(long, value_name = "WHAT")]
    pub(crate) by: Option<By>,
    /// What the bars show
    #[arg(long, value_name = "WHAT", default_value = "tokens")]
    pub(crate) bars: Bars,
    /// How many sessions with most tokens to name
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) top: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Day,
    Model,
    Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bars {
    Tokens,
    Cost,
    Messages,
}
