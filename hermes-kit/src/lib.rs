//! The Hermes crates composed: from a home, a profile or a file to its open store, in one step.
//!
//! Programs that want one thing take one crate: [`hermes-home`](home) to find where state lives,
//! [`hermes-fts`](fts) to read a person's query, [`hermes-state`](state) to open a store they know
//! the path of, [`hermes-tools`](toolkit) for a tool layer, [`hermes-approval`](approval) to guard a
//! shell, and on Unix `hermes-terminal` to run its commands. This crate is for those who want them
//! to work together: it resolves the home once, reads its config, opens its store, and runs a
//! model's calls with all of it, so that no part of a program can come to another answer. Everything
//! of the crates below is re-exported.
//!
//! ```
//! use hermes_kit::state::{NewMessage, NewSession, SearchOptions};
//! use hermes_kit::Hermes;
//!
//! let folder = tempfile::tempdir()?;
//! let hermes = Hermes::builder().home(folder.path()).open()?;
//! let store = hermes.store()?;
//! store.create_session(&NewSession::new("first", "cli"))?;
//! store.append_message(&NewMessage::new("first", "user").content("why does the build fail?"))?;
//! assert_eq!(store.search(&SearchOptions::new("build"))?.matches.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The store is opened when it is first asked for, and the config read when a command is first run: a
//! program that only wants to know where the home is touches neither.
//!
//! The [`cookbook`] has recipes to copy.
//!
//! # Why it is like this
//!
//! **A wrong setting is never its default.** Who has set `backend: dcoker` wants no command on this
//! machine. A part of the config that has something wrong in it cannot be had; the error names line
//! and column, and the next call reads the file again.
//!
//! **The file is right, then `.env`, then the environment.** So it is in the Python Hermes, and one
//! home means the same to both.
//!
//! **The record is raw, the log is not.** A session holds what was said and done, secrets included,
//! and its file is its owner's alone. What goes to a log has gone through the redactor.
//!
//! **What ran has run.** A turn that could not be recorded gives its results all the same, and the
//! error beside them.

#[cfg(unix)]
mod backends;
mod builder;
mod composition;
mod config;
pub mod cookbook;
mod cut;
mod dispatch;
mod dotenv;
mod error;
#[cfg(unix)]
mod gate;
mod hermes;
mod logged;
mod recording;
mod retention;
pub mod tools;

pub use hermes_approval as approval;
pub use hermes_fts as fts;
pub use hermes_home as home;
pub use hermes_state as state;
#[cfg(unix)]
pub use hermes_terminal as terminal;
pub use hermes_tools as toolkit;

#[cfg(unix)]
pub use backends::Backend;
pub use builder::Builder;
pub use config::{
    Config, ConfigProblem, ContainerConfig, DockerConfig, HomeMode, Place, Secret, SessionsConfig,
    SshConfig, TerminalConfig, ToolsetsConfig, UnusedSetting, read_config,
};
pub use dispatch::Turn;
pub use dotenv::DotEnv;
pub use error::{Error, Result};
#[cfg(unix)]
pub use gate::ApprovalGate;
pub use hermes::Hermes;
pub use logged::LoggedArguments;

/// The README's example is compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
