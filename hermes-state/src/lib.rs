//! The session store of Hermes Agent, `state.db`: sessions, messages, full-text search, export and
//! import, on the same file that a running Hermes uses.
//!
//! ```
//! use hermes_state::{NewMessage, NewSession, SearchOptions, Store};
//!
//! # let home = tempfile::tempdir()?;
//! # let path = home.path().join("state.db");
//! let store = Store::open(&path)?; // made if it is not there
//! store.create_session(&NewSession::new("20260101_120000_abc123", "cli").model("hermes-4"))?;
//! store.append_message(
//!     &NewMessage::new("20260101_120000_abc123", "user").content("Why does the container restart?"),
//! )?;
//!
//! let results = store.search(&SearchOptions::new("container*"))?;
//! assert_eq!(results.matches[0].session_id.as_str(), "20260101_120000_abc123");
//! assert!(results.matches[0].snippet.as_deref().unwrap_or("").contains(">>>container<<<"));
//!
//! for summary in store.list_sessions(&Default::default())? {
//!     println!("{} {}", summary.session.id, summary.preview);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What there is
//! * [`Store`]: open, create, read and write. [`StoreOptions`] sets what a commit survives, how long
//!   a write waits, how many connections read, and the clock.
//! * [`NewSession`], [`NewMessage`]: what is stored; [`Session`], [`Message`]: what is read.
//!   [`Store::messages`] pages, [`Store::conversation`] gives a session as a model takes it back.
//! * [`Store::list_sessions`] with preview and last activity, [`Store::search`] with snippet and
//!   context.
//! * [`Store::export`] and [`Store::import`]: one JSON object a line, in the shape of Hermes' own
//!   export. [`Store::export_document`]: Markdown and HTML for people. [`Store::snapshot`] copies the
//!   whole file while others use it.
//! * [`Store::delete_sessions`], [`Store::prune`] with a [`PruneFilter`], [`Store::auto_prune`],
//!   [`Store::archive`], [`Store::vacuum`]: what goes, in batches that leave other writers their turn.
//! * [`Store::lineage`]: what a session came from and what came of it. [`Store::optimize`] and
//!   [`Store::checkpoint`]: upkeep while others use the store.
//! * [`health`]: checks of a store that may not even open, checked backups and the way back, and
//!   repairs that begin with the least harm.
//! * `AsyncStore`, with the feature `tokio`: the same off an executor's threads.
//! * [`Error`]: typed, with a stable code, and in its text what to do next.
//!
//! # Why it is made this way
//! **One file, shared.** A store has schema version 11, object by object as Hermes Agent 0.13.0
//! creates it, and one index more that pages a session's messages. A Python Hermes may write the same
//! file at the same time, so whatever must hold is put into the file (its triggers keep the index) or
//! checked each time (a write looks at the schema version inside its transaction).
//!
//! **One writer, a few readers.** SQLite lets one connection write at a time; more would only wait
//! for each other inside one process. So a handle has one that writes, behind a mutex, and a small
//! pool that reads. In WAL mode they do not hinder each other. Reading connections are opened with
//! SQLite's read-only flag: no fault of a reader can change the file.
//!
//! **Waiting is ours.** SQLite's own busy handler makes waiting writers wake in step. It waits a
//! short second; the rest are tries with a random pause between ([`WriteBudget`]). Appends go on for
//! twenty seconds, because losing a message is worse than waiting. What gives up says how long it
//! waited and who holds the file.
//!
//! **No read transaction outlives a call.** Every read is one call, and what could be long comes in
//! pages. A forgotten iterator cannot keep the log from being moved into the file, and a slow
//! receiver of an export blocks nobody. The price: an export of a store in use is not a picture of
//! one moment.
//!
//! **Structure fails closed, the index fails open.** A file that is no store, is of another version or
//! damaged in its tables is refused with a typed error, and stays as it is byte by byte. The full-text
//! index is derived: where it is missing or damaged, a write takes it away, succeeds, and has it made
//! anew; a search looks through the rows meanwhile and says so ([`SearchResults::degraded`]).
//!
//! **The rows are the truth.** An index is filled from the messages, never from its own copy of the
//! text. What is indexed of structured content is what a person reads in it, without the JSON around,
//! and never a NUL: versions of SQLite disagree about text behind one, and an index that two of them
//! write would break.
//!
//! **Nothing is lost on the way through.** JSON columns are text with all its digits and escapes
//! ([`JsonText`]); a column that this crate does not know is in `extra`; a value that its field cannot
//! hold is in `raw`. So an export restores what was stored, also what no release would have written.
//!
//! **Old stores are migrated, newer ones are not.** A store of versions 1 to 10 that is opened to
//! write becomes one of version 11: its tables in one transaction ([`Store::migration`] tells), its
//! index in steps that let others write ([`Store::complete_index`]). Stores of versions 12 to 22 are
//! written by the rules of those versions, and neither tables nor number change; what version 11 has
//! no column for gives [`Error::Unsupported`]. From 23 on a store is only read
//! ([`Error::SchemaTooNew`]). What is there decides, not the number alone: files exist whose number
//! was raised without the steps behind it.
//!
//! **Upkeep is off the write path.** One thread for all stores of the process moves the log into the
//! file and goes on with an unfinished index. It ends with the last handle.
//!
//! No type of the SQLite library is in the interface.

#![forbid(unsafe_code)]

mod alternation;
mod api_content;
mod append;
mod archive;
mod around;
#[cfg(feature = "tokio")]
mod async_store;
mod auto_prune;
mod calendar;
mod check;
mod checkpoint;
mod content;
mod continuation;
mod conversation;
mod cron_runs;
mod delete;
mod directories;
mod error;
mod export;
mod file_system;
mod handoff;
pub mod health;
mod holders;
mod import;
mod index_rows;
mod index_text;
mod info;
mod journal;
mod json_text;
#[cfg(test)]
mod kill_point;
#[cfg(test)]
mod kill_tests;
mod lineage;
mod list;
mod log_settings;
mod maintenance;
mod message;
mod meta;
mod migrate;
mod new_session;
mod object_sizes;
mod open;
mod open_files;
mod optimize;
mod pace;
mod prune;
mod record;
mod recover;
mod recurring;
mod reindex;
mod render;
mod replace;
mod rewind;
mod schema;
mod scrub;
mod search;
mod session;
mod session_fields;
mod session_files;
mod snapshot;
mod stats;
mod store;
mod sweep;
mod telegram;
mod titles;
mod usage;
mod vacuum;
mod wording;
mod write;

pub use append::NewMessage;
pub use around::{AnchoredView, AnchoredViewOptions, MessageWindow, RecentUserMessage};
#[cfg(feature = "tokio")]
pub use async_store::AsyncStore;
pub use auto_prune::{AutoPrune, AutoPruned, Retention};
pub use checkpoint::{Checkpoint, Checkpointed};
pub use content::Content;
pub use conversation::{ConversationOptions, JsonOrNull, ReplayMessage};
pub use delete::{DeleteOptions, DeleteProgress, Deleted};
pub use directories::DirectoryUse;
pub use error::{Error, Holder, Result, Source};
pub use export::{ExportOptions, ExportOrder, Exported};
pub use file_system::FileSystem;
pub use handoff::Handoff;
pub use import::{
    Copied, Existing, ImportError, ImportLimits, ImportOptions, ImportOutcome, ImportProgress,
    ImportReport, RejectedSession, Retitled, Titles,
};
pub use info::{IndexInfo, StoreInfo, sqlite_version};
pub use journal::{JournalChange, JournalMode};
pub use json_text::{JsonText, JsonTextError};
pub use lineage::{Lineage, LineageNode, Relation};
pub use list::{ActiveSession, ListOptions, SessionSummary};
pub use message::{Message, MessageId, MessagePage};
pub use migrate::{Migration, MigrationBackup};
pub use new_session::NewSession;
pub use object_sizes::ObjectSize;
pub use optimize::Optimized;
pub use prune::{Age, Archived, PruneCandidate, PruneCandidates, PruneFilter};
pub use reindex::{IndexProgress, IndexWork};
pub use render::Format;
pub use rewind::Rewound;
pub use schema::{NATIVE_VERSION, NEWEST_WRITABLE_VERSION};
pub use scrub::sanitize_context;
pub use search::{
    CancelSearch, Collapse, ContextMessage, HIDDEN_SOURCES, OnDamage, SearchCount, SearchFilter,
    SearchGroup, SearchGroups, SearchMatch, SearchOptions, SearchOrder, SearchResults, SearchTime,
    SuggestedQuery, SuggestionKind, Suggestions, WordCount,
};
pub use session::{Session, SessionId};
pub use session_fields::{BillingRoute, WorkingDirectory};
pub use session_files::FileError;
pub use stats::{SessionUsage, StatsOptions, TokenStats, UsageGroup, UsageTotals};
pub use store::{Clock, Store, StoreOptions, Synchronous};
pub use sweep::{SweepCandidates, SweepOptions, Swept};
pub use telegram::{TopicBinding, TopicMode};
pub use titles::{MAX_TITLE_CHARS, sanitize_title, title_from_text};
pub use usage::TokenUsage;
pub use vacuum::Vacuumed;
pub use write::WriteBudget;

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
