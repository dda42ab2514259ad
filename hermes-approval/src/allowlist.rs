//! `command_allowlist` of `config.yaml`: what a person said "always" to.
//!
//! The list is shared with Python Hermes and with the person's editor. So it is read whenever the
//! file has changed, and written by the smallest edit there is: comments, order, line endings and
//! everything else in the file stay as they are. Each change is merged with what is on disk at that
//! moment, so that nobody's revocation is undone.

mod brackets;
mod edit;
mod end_mark;
mod entry;
mod file;
#[cfg(test)]
mod kill_tests;
mod plain;
mod tag;
mod tokens;
mod yaml;

use std::path::Path;

pub use entry::{has_shell_operator, matches_glob};
pub use file::{AllowlistFile, Change};

use crate::Result;
use crate::keys::approves;

/// The key in `config.yaml`.
pub const KEY: &str = "command_allowlist";

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// A key, a command, or a glob for commands.
    pub text: String,
    /// Where it stands, from 1.
    pub line: usize,
}

/// A line that can approve nothing.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Ignored {
    /// Where it stands, from 1.
    pub line: usize,
    /// What it is instead of text, such as `a number`.
    pub found: &'static str,
}

/// The list as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Allowlist {
    entries: Vec<Entry>,
    ignored: Vec<Ignored>,
}

impl Allowlist {
    /// Reads the list from the text of a `config.yaml`; `path` is for the errors. A text without
    /// the key, or with an empty one, has an empty list.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        yaml::read(text, path).map(|reading| reading.list)
    }

    /// The entries in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The lines that are no text, and so approve nothing.
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// The entry that approves one of these keys, under any name that a release stores it by.
    pub fn entry_for_key<'a>(&self, keys: impl IntoIterator<Item = &'a str>) -> Option<&Entry> {
        let keys: Vec<&str> = keys.into_iter().collect();
        let approves = |entry: &&Entry| keys.iter().any(|key| approves(&entry.text, key));
        self.entries.iter().find(approves)
    }

    /// The entry that approves this command by its text: the same text, or a glob for it. Never one
    /// for a command with shell operators, where the text says too little.
    pub fn entry_for_command(&self, command: &str) -> Option<&Entry> {
        let command = command.trim();
        if command.is_empty() || has_shell_operator(command) {
            return None;
        }
        self.entries
            .iter()
            .find(|entry| entry::covers(entry.text.trim(), command))
    }
}
