//! The private folder of a task, where its commands run.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::{Answer, Place};
use crate::script::{Dialect, EndPaths, StatePaths, quoted_text};
use crate::{Error, Result};

/// What is known of the place.
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
pub(crate) const SAY: &str = "echo hermes-answers";

const FIND_SHELL: &str = "\
    if command -v bash >/dev/null 2>&1; then shell=bash; else shell=sh; fi";
const FOUND: &str = "printf '%s\\n' \"$folder\" \"$HOME\" \"$shell\" \"$PWD\"";

impl Session {
    pub(super) fn open(place: &dyn Place) -> Result<Self> {
        let make_folder = place.make_folder();
        let script = format!("umask 077\n{make_folder} || exit 1\n{FIND_SHELL}\n{SAY}\n{FOUND}");
        let answer = place.ask(&script, b"")?;
        let doing = format!("making a private folder in {}", place.called());
        let text = checked(answer, &doing)?;
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
    pub(super) fn nearest(&self, place: &dyn Place, directory: &Path) -> Result<PathBuf> {
        let script = say_nearest(directory)?;
        let text = checked(place.ask(&script, b"")?, "looking for a directory")?;
        Ok(line(text))
    }

    /// The directory that a command has left; nothing if it has left none.
    pub(super) fn read_left(&self, place: &dyn Place, call: u64) -> Result<Option<PathBuf>> {
        let script = format!(
            "{SAY}; cat {} 2>/dev/null; :",
            quoted_text(&self.end_paths(call).directory.to_string_lossy())
        );
        let text = checked(place.ask_again(&script)?, "reading what a command has left")?;
        Ok(text.ends_with(b"\n").then(|| line(text)))
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

/// The script that removes folders.
pub(crate) fn removal(folders: impl Iterator<Item = String>) -> String {
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
pub(crate) fn checked(answer: Answer, doing: &str) -> Result<Vec<u8>> {
    let at = answer
        .output
        .windows(ANSWER.len())
        .position(|window| window == ANSWER);
    match at.and_then(|at| answer.output.get(at + ANSWER.len()..)) {
        Some(text) if answer.code == Some(0) => Ok(text.to_vec()),
        _ => Err(answer.into_error(doing)),
    }
}

/// A path as one word. Scripts go over as text, so a path must be that.
fn lossless(path: &Path) -> Result<String> {
    match path.to_str() {
        Some(text) if !text.contains('\0') => Ok(quoted_text(text)),
        _ => Err(Error::WorkdirUnusable {
            path: path.to_owned(),
        }),
    }
}
