//! The Hermes crates composed: from a home, a profile or a file to its open store, in one step.
//!
//! Programs that want one thing take one crate: [`hermes-home`](home) to find where state lives,
//! [`hermes-fts`](fts) to read a person's query, [`hermes-state`](state) to open a store they know
//! the path of, [`hermes-approval`](approval) to guard a shell. This crate is for those who want them to work together: it resolves the home once,
//! opens the store of that home, and keeps both, so that no part of a program can come to another
//! answer. It adds nothing else; everything of the crates below is re-exported.
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
//! The store is opened when it is first asked for: a program that only wants to know where the
//! home is touches no database.

mod builder;
mod composition;
mod config;
mod dispatch;
mod dotenv;
mod error;
#[cfg(unix)]
mod gate;
mod hermes;
mod logged;
mod recording;
pub mod tools;

pub use hermes_approval as approval;
pub use hermes_fts as fts;
pub use hermes_home as home;
pub use hermes_state as state;
#[cfg(unix)]
pub use hermes_terminal as terminal;
pub use hermes_tools as toolkit;

pub use builder::Builder;
pub use config::{
    Config, ConfigProblem, ContainerConfig, DockerConfig, Place, Secret, SessionsConfig, SshConfig,
    TerminalConfig, ToolsetsConfig, read_config,
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
