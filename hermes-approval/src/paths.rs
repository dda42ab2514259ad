//! What a path is: a whole tree that nobody can do without, or a file of a kind that matters.
//!
//! All of it is done on the text of a path; nothing is looked up on disk.

mod place;
mod tree;

use std::borrow::Cow;

use crate::environment::AnalysisEnv;
use crate::invocation::{Directory, Invocation};
use crate::look::Look;
use crate::word::{Certainty, PartKind, Unknown, Word};

pub use place::Place;
pub use tree::Tree;

/// A word, taken as a path.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The word.
    pub word: &'a Word,
    /// The part of the word that is the path, if it isn't all of it: `of=x`.
    part: Option<&'a str>,
    env: &'a AnalysisEnv,
    invocation: &'a Invocation,
}

impl<'a> Target<'a> {
    pub(crate) fn new(word: &'a Word, look: &Look<'a>) -> Self {
        Self::of(word, look.invocation, look.scope.env)
    }

    pub(crate) fn of(word: &'a Word, invocation: &'a Invocation, env: &'a AnalysisEnv) -> Self {
        Self {
            word,
            part: None,
            env,
            invocation,
        }
    }

    /// The same place, with this part of the word as the path.
    pub(crate) fn of_text(self, part: &'a str) -> Self {
        Self {
            part: Some(part),
            ..self
        }
    }

    /// The whole tree that the word selects, with all it may stand for; the worst one.
    pub fn tree(&self) -> Option<Tree> {
        let pattern = self.word.has_glob();
        self.values()
            .filter_map(|value| {
                let path = self.absolute(value);
                tree::of(&path, pattern && self.is_pattern(value), self.env)
            })
            .max()
    }

    /// The kind of file that it is, by its name; the most sensitive one of all it may stand for.
    pub fn place(&self) -> Option<Place> {
        let known = self
            .values()
            .filter_map(|value| Place::of(&self.absolute(value), self.env))
            .max();
        if known.is_some() {
            return known;
        }
        // `/etc/$NAME` is below /etc, whatever the name.
        let prefix = self.prefix()?;
        match Place::of(&self.absolute(prefix), self.env) {
            None if prefix.starts_with("/dev/") => Some(Place::Device),
            place => place,
        }
    }

    /// The folder of a path whose end isn't known.
    fn prefix(&self) -> Option<&'a str> {
        if self.word.certainty == Certainty::Known {
            return None;
        }
        let prefix = self.part.unwrap_or(self.word.known_prefix());
        prefix.contains('/').then_some(prefix)
    }

    /// True if it is an absolute path, whatever it is.
    pub fn is_absolute(&self) -> bool {
        let start = self.word.known_prefix();
        start.starts_with('/') || self.values().any(|v| v.starts_with('/'))
    }

    /// True if it leads out of the directory that the command starts in: absolute, or upwards.
    pub fn is_outside(&self) -> bool {
        self.values().any(|value| {
            let path = self.absolute(value);
            if path.starts_with("../") || path == ".." {
                return true;
            }
            match &self.env.cwd {
                Some(cwd) => path.starts_with('/') && !is_below(&path, cwd),
                None => path.starts_with('/'),
            }
        })
    }

    /// True for a variable (or another unknown) that is followed by `/` only, or by `/` and a
    /// pattern for everything: all of the file system, if the variable is empty.
    pub fn is_root_if_empty(&self) -> bool {
        let mut parts = self.word.parts().iter();
        let unknown = parts.next().is_some_and(|p| {
            matches!(
                p.kind,
                PartKind::Unknown(Unknown::Variable(_) | Unknown::Positional | Unknown::Command(_))
            )
        });
        let rest = self.word.text();
        unknown
            && rest.starts_with('/')
            && rest.trim_start_matches(['/', '*', '.']).is_empty()
            && parts.all(|p| !matches!(p.kind, PartKind::Unknown(_)))
    }

    /// True for a pattern whose last part fits every name: `*`, `src/*`.
    pub fn is_everything(&self) -> bool {
        self.word.has_glob()
            && self.values().any(|value| {
                let last = value.rsplit('/').next().unwrap_or(value);
                self.is_pattern(value) && tree::fits_everything(last)
            })
    }

    /// The values that it may have.
    pub fn values(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let part = self.part;
        let whole = self.word.candidates().filter(move |_| part.is_none());
        // A part whose end isn't known has no value.
        let known = self.word.certainty == Certainty::Known;
        part.filter(|_| known).into_iter().chain(whole)
    }

    /// A value as an absolute path where the directory is known, without `.`, `..` and doubled
    /// slashes.
    pub fn absolute<'t>(&self, value: &'t str) -> Cow<'t, str> {
        if value.starts_with('/') || is_windows(value) {
            return normal(value);
        }
        let base = match &self.invocation.directory {
            Directory::Known(path) => path.as_ref(),
            Directory::Start => self.env.cwd.as_deref().unwrap_or(""),
            Directory::Unknown => "",
        };
        if base.is_empty() {
            normal(value)
        } else {
            Cow::Owned(normal(&format!("{base}/{value}")).into_owned())
        }
    }

    /// An alternative is a name that the pattern matched, not a pattern.
    fn is_pattern(&self, value: &str) -> bool {
        value == self.word.text() || self.part.is_some()
    }
}

/// True for a path with a drive letter.
pub(crate) fn is_windows(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next() == Some(b':')
}

/// True if `path` is `folder` or lies in it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The path without empty parts, `.` and `..`, as far as that can be done.
fn normal(path: &str) -> Cow<'_, str> {
    let plain = path
        .split('/')
        .skip(usize::from(path.starts_with('/')))
        .all(|part| !matches!(part, "" | "." | ".."));
    if plain || path == "/" {
        return Cow::Borrowed(path);
    }
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    Cow::Owned(match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_what_says_nothing() {
        for (path, expected) in [
            ("/", "/"),
            ("//", "/"),
            ("/./", "/"),
            ("/..", "/"),
            ("/tmp/../..", "/"),
            ("a/./b//c", "a/b/c"),
            ("./", "."),
            ("a/..", "."),
            ("../a/..", ".."),
            ("../../x", "../../x"),
        ] {
            assert_eq!(normal(path), expected, "{path}");
        }
    }
}
