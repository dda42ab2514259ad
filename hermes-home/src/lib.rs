//! Decides where a Hermes home, root and profile live, and says why.
//!
//! A *Hermes home* is the directory that holds one profile's state: `state.db`, `config.yaml`,
//! `.env`, `logs/`, … The *root* is the home of the profile `default`; it also holds
//! `profiles/<name>/`, where the named profiles live, and the file `active_profile`.
//!
//! ```
//! use hermes_home::{Environment, HomeSource, Platform, resolve};
//!
//! let env = Environment::new(Platform::Unix)
//!     .with_user_home("/home/ann")
//!     .with_hermes_home("~/.hermes/profiles/coder");
//! let found = resolve(&env)?;
//! assert_eq!(found.home.state_db().to_str(), Some("/home/ann/.hermes/profiles/coder/state.db"));
//! assert_eq!(found.home.profile().as_str(), "coder");
//! assert_eq!(found.home.display(), "~/.hermes/profiles/coder");
//! assert_eq!(found.source, HomeSource::Env);
//! # Ok::<(), hermes_home::Error>(())
//! ```
//!
//! # What it is used for
//!
//! | to … | use |
//! |---|---|
//! | find the home, in a library | [`resolve`]; [`process_home`] for what belongs to the process |
//! | decide at the start of a program | [`Selection`] of its flags, or [`Arguments`] before they are parsed |
//! | say why | [`Resolution::source`], [`Selection::explain`] |
//! | give a thread or a task its own home | [`HermesHome::enter`], [`HermesHome::scope`], [`Context`] |
//! | start a child in the same home | [`HermesHome::prepare_child`] |
//! | list, make and change profiles | [`HermesHome::profiles`] |
//! | make a home ready for writing | [`HermesHome::prepare`] |
//! | keep tests away from real stores | [`guard`] |
//!
//! A program reads the process once, with [`Environment::from_process`], decides, has
//! [`Resolution::announce`] print what a person should know, and hands the [`HermesHome`] on. A
//! library is handed one, or calls [`resolve`].
//!
//! # Why it is like this
//!
//! **The environment is a value.** Resolution is a function of the [`Environment`] and the files it
//! speaks of. Tests never set variables, the rules of Windows are tested on Linux, and nothing is
//! cached that could go stale. The process environment is never changed.
//!
//! **Every answer says why.** Data in the wrong profile is the fault that this crate is there to
//! prevent, so a [`Resolution`] carries its [`HomeSource`] and what a person should be told. A home
//! that cannot be is an [`Error`], never the default in its place: an empty `--home`, a dangling
//! link, `~bob/…`, a profile that is gone.
//!
//! **Nothing is created by looking.** A home that does not exist yet is fine; whoever first writes
//! makes it.
//!
//! **An override is never written to the environment.** It belongs to a thread, or to a future,
//! which enters it whenever it is polled. So tasks on one thread do not see each other's home, and
//! a task may move. What belongs to the process asks [`process_home`].
//!
//! **A change of profiles is one step.** It is prepared under a name that no profile can have, and
//! renamed into place. Whoever is killed on the way leaves the old or the new state; the next
//! change clears away the rest. Stores are never opened: a callback makes a snapshot where one is
//! wanted.
//!
//! **Paths stay as they were given**, made absolute once, so that a later change of directory does
//! not split the state. Links are followed only to compare. Doubled separators and `.` go; `..`
//! stays, because what it means depends on links. White space is trimmed from the text of a home,
//! so one whose own name ends in white space needs a separator behind it.
//!
//! # How the root is found
//!
//! From the position of the home alone, never from what is in it, so that the answer is the same
//! before and after the first write:
//!
//! | home | root | profile |
//! |---|---|---|
//! | the default home | itself | `default` |
//! | `<default home>/profiles/<valid name>` | the default home | the name |
//! | any other folder inside the default home | itself | `custom` |
//! | elsewhere: `…/profiles/<valid name>` | `…` | the name |
//! | elsewhere: anything else (Docker: `/opt/data`) | itself | `default` |
//!
//! Only an exact profile name counts as one, so a root such as `/home/profiles/.hermes` or
//! `/mnt/profiles/My Data` is its own. What remains is ambiguous: a root at `/mnt/profiles/data`
//! looks like the profile `data` of the root `/mnt`, and **is taken for that profile**, as a running
//! Python Hermes takes it. Give such a root a name that no profile can have, or another parent.
//! `<root>/profiles/default` is not the default profile (that is the root); it counts as `custom`.
//!
//! A `HOME` at `<root>/profiles/<name>/home` that is not the account's is what a profile gives to its
//! children, not where a person lives: the default home is then `<root>`.
//!
//! # Choices
//!
//! - `sudo` changes what `--profile NAME` means and nothing else: the profile of the user who called
//!   it comes first, also when `HERMES_HOME` is set.
//! - Of several selectors in a command line the first counts; the others stay where they are.
//! - Wherever other processes are looked at (who holds a profile, who started us), that is done on
//!   Linux from `/proc`. On other Unix systems `ps` tells who started us, and nothing tells who holds
//!   a profile; on Windows neither is known.
//!
//! # Where the reference differs
//!
//! The recorded answers of the Python package are replayed in the tests of this crate, which fail
//! when a difference is not in this table, or is in it for nothing:
//!
#![doc = include_str!("../DIFFERENCES.md")]

mod accounts;
mod active_profile;
mod announce;
mod argv;
mod children;
mod display;
mod environment;
mod error;
mod expand;
mod explain;
mod files;
pub mod guard;
mod hermes_home;
mod in_scope;
mod kill_point;
mod ownership;
mod path_text;
mod platform;
mod prepare;
mod profile;
mod profile_name;
mod profiles;
mod resolution;
mod resolve;
mod root;
mod scope;
mod selection;
mod source;
mod unit;
mod usable;
mod warning;

pub use active_profile::ActiveProfileProblem;
pub use argv::{Arguments, ReadArguments, Selector, StartUp};
pub use children::ChildCommand;
pub use environment::Environment;
pub use error::{Error, Result};
pub use explain::{Explanation, Step, Verdict};
pub use guard::GuardBypass;
pub use hermes_home::HermesHome;
pub use in_scope::InScope;
pub use platform::Platform;
pub use profile::Profile;
pub use profile_name::{NameProblem, ProfileName};
pub use profiles::{
    ActiveChoice, ArchiveLimits, ArchiveProblem, CreateOptions, DeleteOptions, ExportOptions,
    Exported, ImportOptions, Imported, LeftOut, LeftOutReason, ProfileEntry, Profiles,
    RenameOptions, RunningProcess, SnapshotResult,
};
pub use resolution::Resolution;
pub use resolve::{process_home, resolve};
pub use scope::{Context, Scope, current_override};
pub use selection::Selection;
pub use source::HomeSource;
pub use warning::Warning;

#[cfg(test)]
mod kill_tests;
#[cfg(test)]
mod windows_tests;
