//! What a person has allowed, how far it reaches, and for how long.
//!
//! "Once" leaves nothing behind. "Session" leaves a grant in [`SessionGrants`], which ends with the
//! conversation. "Always" for a key goes to `command_allowlist` ([`crate::allowlist`]), where Python
//! finds it too; what that list cannot say, a path or an end, goes to a [`GrantsFile`].

mod file;
mod session;

use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use file::GrantsFile;
pub use session::{SessionGrants, SessionLimits};

use crate::allowlist::has_shell_operator;
use crate::keys::{approves, canonicals};

/// How far a grant reaches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "scope")]
#[non_exhaustive]
pub enum Scope {
    /// Every command that is asked about for this reason.
    Key {
        /// The approval key.
        key: String,
    },
    /// This very command, to the letter.
    Command {
        /// Its text, trimmed.
        command: String,
    },
    /// Commands that begin with these words, and do nothing else besides.
    Prefix {
        /// The words, with single spaces.
        prefix: String,
    },
    /// Commands that are asked about for this reason and touch only what lies in this folder.
    PathUnder {
        /// The approval key.
        key: String,
        /// The folder, absolute.
        folder: PathBuf,
    },
}

/// What is asked about, as plain data.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The raw command.
    pub command: &'a str,
    /// The keys it is asked about for. A grant must cover each of them.
    pub keys: &'a [&'a str],
    /// Every path that the command writes to or removes, absolute. Empty means that they are not
    /// known, and then no path grant covers it.
    pub paths: &'a [&'a Path],
}

impl Scope {
    /// For a key.
    pub fn key(key: impl Into<String>) -> Self {
        Self::Key { key: key.into() }
    }

    /// For one command.
    pub fn command(command: &str) -> Self {
        Self::Command {
            command: command.trim().to_owned(),
        }
    }

    /// For what begins with the words of `prefix`. `None` if that is no word, or if it has quotes or
    /// shell operators, after which a beginning says nothing about the rest.
    pub fn prefix(prefix: &str) -> Option<Self> {
        let prefix = words(prefix);
        let bare = !has_shell_operator(&prefix) && !prefix.contains(['\'', '"', '\\', '$', '#']);
        (!prefix.is_empty() && bare).then_some(Self::Prefix { prefix })
    }

    /// For a key, in a folder. `None` if the folder is not absolute, holds `..`, or is the root,
    /// which would be everything.
    pub fn path_under(key: impl Into<String>, folder: impl Into<PathBuf>) -> Option<Self> {
        let folder = folder.into();
        (is_plain(&folder) && folder.parent().is_some()).then_some(Self::PathUnder {
            key: key.into(),
            folder,
        })
    }

    /// What the grant would cover, in a sentence for the person who is about to give it.
    pub fn covers(&self) -> String {
        match self {
            Self::Key { key } => {
                let rules = canonicals(key);
                match rules.as_slice() {
                    [_] => format!("every command that is asked about as \"{}\"", one_line(key)),
                    _ => format!(
                        "every command that is asked about as one of {}",
                        rules
                            .iter()
                            .map(|rule| format!("\"{}\"", one_line(rule)))
                            .collect::<Vec<_>>()
                            .join(", ")
                    ),
                }
            }
            Self::Command { command } => {
                format!("only this command, to the letter: {}", shown(command))
            }
            Self::Prefix { prefix } => format!(
                "every command that begins with \"{}\" and has no ; & | < > ` or $( in it",
                shown(prefix)
            ),
            Self::PathUnder { key, folder } => format!(
                "every command that is asked about as \"{}\" and touches only what is in {}",
                one_line(key),
                one_line(&folder.to_string_lossy())
            ),
        }
    }

    /// Whether it covers this one of the question's keys.
    fn covers_key(&self, key: &str, question: &Question<'_>) -> bool {
        match self {
            Self::Key { key: own } => approves(own, key),
            Self::Command { command } => command == question.command.trim(),
            Self::Prefix { prefix } => begins_with(question.command, prefix),
            Self::PathUnder { key: own, folder } => {
                approves(own, key)
                    && !question.paths.is_empty()
                    && question.paths.iter().all(|path| is_inside(path, folder))
            }
        }
    }
}

/// A scope, and how long it holds.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Grant {
    /// How far it reaches.
    #[serde(rename = "covers")]
    pub scope: Scope,
    /// When it was given, in seconds since 1970.
    pub granted_at: f64,
    /// When it ends, in seconds since 1970; `None` for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<f64>,
}

impl Grant {
    /// A grant from now on.
    pub fn new(scope: Scope, now: SystemTime) -> Self {
        Self {
            scope,
            granted_at: seconds(now),
            expires_at: None,
        }
    }

    /// That ends after a time.
    #[must_use]
    pub fn lasting(mut self, time: Duration) -> Self {
        self.expires_at = Some(self.granted_at + time.as_secs_f64());
        self
    }

    /// Whether it still holds. One that was given in the future does not: the clock was set back,
    /// and its end cannot be trusted.
    pub fn holds(&self, now: SystemTime) -> bool {
        let now = seconds(now);
        self.expires_at
            .is_none_or(|end| now < end && self.granted_at <= now)
    }

    /// Whether it asks which paths are touched.
    pub(crate) fn is_for_paths(&self) -> bool {
        matches!(self.scope, Scope::PathUnder { .. })
    }

    /// What it covers and until when, in a sentence.
    pub fn covers(&self) -> String {
        match self.expires_at {
            Some(end) => format!(
                "{}, for {}",
                self.scope.covers(),
                span_of(end - self.granted_at)
            ),
            None => self.scope.covers(),
        }
    }
}

/// The grants that together cover every key of the question, one for each key; `None` if any key is
/// left over. A question without keys is covered by what covers its text.
pub fn covering<'g>(
    grants: impl IntoIterator<Item = &'g Grant> + Clone,
    question: &Question<'_>,
    now: SystemTime,
) -> Option<Vec<&'g Grant>> {
    let for_key = |key: &str| {
        grants
            .clone()
            .into_iter()
            .find(|grant| grant.holds(now) && grant.scope.covers_key(key, question))
    };
    if question.keys.is_empty() {
        return for_key("").map(|grant| vec![grant]);
    }
    question.keys.iter().map(|key| for_key(key)).collect()
}

pub(crate) fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

fn words(text: &str) -> String {
    text.split([' ', '\t'])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn begins_with(command: &str, prefix: &str) -> bool {
    let command = command.trim();
    if has_shell_operator(command) {
        return false;
    }
    // The prefix has no quotes, so that the beginning that is compared has none either.
    let command = words(command);
    command
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Absolute, and without a `..` that would lead out of it.
fn is_plain(path: &Path) -> bool {
    path.is_absolute()
        && path
            .components()
            .all(|part| !matches!(part, Component::ParentDir))
}

fn is_inside(path: &Path, folder: &Path) -> bool {
    is_plain(path) && path.starts_with(folder) && path != folder
}

fn one_line(text: &str) -> String {
    crate::display::one_line(text)
}

/// Of a long command the beginning tells what it is.
fn shown(command: &str) -> String {
    let text = crate::redact::redact(command).into_text();
    let line = one_line(&text);
    if line.chars().count() <= 200 {
        return line;
    }
    let start: String = line.chars().take(200).collect();
    format!("{start}… ({} characters)", line.chars().count())
}

fn span_of(seconds: f64) -> String {
    let units = [("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0)];
    for (name, size) in units {
        let count = (seconds / size).round();
        if seconds >= size && (count * size - seconds).abs() < 1.0 {
            let plural = if count == 1.0 { "" } else { "s" };
            return format!("{count} {name}{plural}");
        }
    }
    format!("{seconds:.0} seconds")
}
