//! The private folder of a task on another machine.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::connection::{Answer, Connection};
use crate::script::{Dialect, EndPaths, StatePaths, quoted_text};
use crate::{Error, Result};

/// What is known of the other machine.
#[derive(Debug, Clone)]
pub(super) struct Session {
    /// The private folder.
    pub(super) folder: String,
    pub(super) home: PathBuf,
    pub(super) dialect: Dialect,
    /// Where a login begins.
    pub(super) directory: PathBuf,
}

/// Comes before what is answered: what login files print is in front of it.
const ANSWER: &[u8] = b"hermes-answers\n";
/// Says that there.
const SAY: &str = "echo hermes-answers";

const OPEN: &str = "umask 077\n\
    folder=$(mktemp -d \"${TMPDIR:-/tmp}/hermes-terminal-XXXXXXXX\") || exit 1\n\
    if command -v bash >/dev/null 2>&1; then shell=bash; else shell=sh; fi";
const FOUND: &str = "printf '%s\\n' \"$folder\" \"$HOME\" \"$shell\" \"$PWD\"";

impl Session {
    pub(super) fn open(connection: &Connection) -> Result<Self> {
        let answer = connection.ask(&format!("{OPEN}\n{SAY}\n{FOUND}"), b"")?;
        let text = checked(answer, "making a private folder on the other machine")?;
        let mut lines = text.split(|&byte| byte == b'\n');
        let mut next = || lines.next().unwrap_or_default().to_vec();
        let (folder, home, shell, directory) = (next(), next(), next(), next());
        Ok(Self {
            folder: String::from_utf8_lossy(&folder).into_owned(),
            home: PathBuf::from(OsString::from_vec(home)),
            dialect: if shell == b"bash" {
                Dialect::Bash
            } else {
                Dialect::Posix
            },
            directory: PathBuf::from(OsString::from_vec(directory)),
        })
    }

    pub(super) fn call_folder(&self, call: u64) -> String {
        format!("{}/{call}", self.folder)
    }

    pub(super) fn end_paths(&self, call: u64) -> EndPaths {
        let file = |name: &str| PathBuf::from(format!("{}/{name}", self.call_folder(call)));
        EndPaths {
            names: file(EndPaths::NAMES),
            definitions: file(EndPaths::DEFINITIONS),
            options: file(EndPaths::OPTIONS),
            directory: file(EndPaths::DIRECTORY),
        }
    }

    pub(super) fn state_paths(&self, call: u64) -> StatePaths {
        let EndPaths {
            definitions,
            options,
            ..
        } = self.end_paths(call);
        StatePaths {
            definitions,
            options,
        }
    }

    /// A directory as somebody names it. Whether it is there is known only there.
    pub(super) fn named(&self, directory: &Path, from: &Path) -> PathBuf {
        match directory.strip_prefix("~") {
            Ok(rest) => self.home.join(rest),
            Err(_) => from.join(directory),
        }
    }

    /// The nearest to a directory that can be entered there: itself, or one of its parents.
    pub(super) fn nearest(&self, connection: &Connection, directory: &Path) -> Result<PathBuf> {
        let script = say_nearest(directory)?;
        let text = checked(connection.ask(&script, b"")?, "looking for a directory")?;
        Ok(line(text))
    }

    /// The directory that a command has left; nothing if it has left none.
    pub(super) fn read_left(&self, connection: &Connection, call: u64) -> Result<Option<PathBuf>> {
        let script = format!(
            "{SAY}; cat {} 2>/dev/null; :",
            quoted_text(&self.end_paths(call).directory.to_string_lossy())
        );
        let text = checked(
            connection.ask(&script, b"")?,
            "reading what a command has left",
        )?;
        Ok(text.ends_with(b"\n").then(|| line(text)))
    }

    pub(super) fn remove(&self, connection: &Connection) -> Result<()> {
        let script = format!("{}; {SAY}", removal(std::iter::once(self.folder.clone())));
        checked(connection.ask(&script, b"")?, "removing a private folder").map(drop)
    }
}

/// The script that says which directory is the nearest.
pub(super) fn say_nearest(directory: &Path) -> Result<String> {
    Ok(format!(
        "wanted={}\n\
         while ! (cd \"$wanted\") 2>/dev/null; do\n\
         wanted=${{wanted%/*}}; [ -n \"$wanted\" ] || wanted=/\n\
         done\n\
         {SAY}; printf '%s\\n' \"$wanted\"",
        lossless(directory)?
    ))
}

pub(super) fn removal(folders: impl Iterator<Item = String>) -> String {
    let folders: Vec<String> = folders.map(|folder| quoted_text(&folder)).collect();
    if folders.is_empty() {
        return ":".to_owned();
    }
    format!("rm -rf -- {}", folders.join(" "))
}

/// A path that ends with a new line.
pub(super) fn line(mut text: Vec<u8>) -> PathBuf {
    text.pop();
    PathBuf::from(OsString::from_vec(text))
}

/// What follows the sign of an answer.
pub(super) fn checked(answer: Answer, doing: &str) -> Result<Vec<u8>> {
    let at = answer
        .output
        .windows(ANSWER.len())
        .position(|window| window == ANSWER);
    match at.and_then(|at| answer.output.get(at + ANSWER.len()..)) {
        Some(text) if answer.code == 0 => Ok(text.to_vec()),
        _ => Err(Error::Io {
            doing: doing.to_owned(),
            source: std::io::Error::other(
                String::from_utf8_lossy(&answer.output).trim().to_owned(),
            ),
        }),
    }
}

/// A path as one word. Scripts go over as text, so a path must be that.
fn lossless(path: &Path) -> Result<String> {
    match path.to_str() {
        Some(text) => Ok(quoted_text(text)),
        None => Err(Error::WorkdirUnusable {
            path: path.to_owned(),
        }),
    }
}
