//! Paths as text, by the rules of a platform that need not be the one we run on.
//!
//! `std::path` knows the rules of the host only. This is the small part of it that the resolver
//! needs, for any [`Platform`], and without losing names that are not Unicode.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::Platform;
use crate::unit::{Unit, ascii, is, os_string, unit, units};

pub(crate) fn is_separator(platform: Platform, unit: Unit) -> bool {
    is(unit, b'/') || (platform == Platform::Windows && is(unit, b'\\'))
}

/// Whether two names (or prefixes) are the same on `platform`.
pub(crate) fn same_name(platform: Platform, one: &OsStr, other: &OsStr) -> bool {
    if one == other {
        return true;
    }
    platform == Platform::Windows
        && match (one.to_str(), other.to_str()) {
            (Some(one), Some(other)) if !(one.is_ascii() && other.is_ascii()) => {
                one.to_lowercase() == other.to_lowercase()
            }
            _ => one.eq_ignore_ascii_case(other),
        }
}

/// A path cut into its parts: doubled separators and `.` are gone, `..` is kept (what it means
/// depends on links, which text does not know).
#[derive(Clone, Debug)]
pub(crate) struct PathText {
    platform: Platform,
    /// Windows only: `C:`, `\\server\share`, `\\?\C:`.
    prefix: OsString,
    rooted: bool,
    parts: Vec<OsString>,
}

impl PathText {
    pub(crate) fn parse(platform: Platform, text: &OsStr) -> Self {
        let text = units(text);
        let (prefix, rest) = match platform {
            Platform::Unix => (Vec::new(), &*text),
            Platform::Windows => split_prefix(&text),
        };
        let device = prefix.len() > 2;
        Self {
            platform,
            prefix: os_string(&prefix),
            rooted: device || rest.first().is_some_and(|one| is_separator(platform, *one)),
            parts: parts_of(platform, rest),
        }
    }

    pub(crate) fn platform(&self) -> Platform {
        self.platform
    }

    pub(crate) fn is_absolute(&self) -> bool {
        self.rooted && (self.platform == Platform::Unix || !self.prefix.is_empty())
    }

    /// Makes the path absolute against `current`, which must be absolute.
    pub(crate) fn absolute_in(mut self, current: &Self) -> Self {
        if self.is_absolute() {
            return self;
        }
        let other_drive =
            !self.prefix.is_empty() && !same_name(self.platform, &self.prefix, &current.prefix);
        if !self.rooted && !other_drive {
            self.parts.splice(0..0, current.parts.iter().cloned());
        }
        if !other_drive {
            self.prefix.clone_from(&current.prefix);
        }
        self.rooted = true;
        self
    }

    pub(crate) fn join(&self, name: impl AsRef<OsStr>) -> Self {
        self.join_all([name.as_ref().to_os_string()])
    }

    pub(crate) fn join_all(&self, names: impl IntoIterator<Item = OsString>) -> Self {
        let names = names.into_iter();
        let mut joined = self.clone_without_parts();
        let room = self.parts.len().saturating_add(names.size_hint().0);
        joined.parts.reserve_exact(room);
        joined.parts.extend_from_slice(&self.parts);
        joined.parts.extend(names);
        joined
    }

    pub(crate) fn parts(&self) -> &[OsString] {
        &self.parts
    }

    /// The path made of the first `count` parts only.
    pub(crate) fn first(&self, count: usize) -> Self {
        Self {
            parts: self.parts.iter().take(count).cloned().collect(),
            ..self.clone_without_parts()
        }
    }

    /// `None` for a root, which has no parent.
    pub(crate) fn parent(&self) -> Option<Self> {
        let count = self.parts.len().checked_sub(1)?;
        Some(self.first(count))
    }

    pub(crate) fn file_name(&self) -> Option<&OsStr> {
        self.parts.last().map(OsString::as_os_str)
    }

    pub(crate) fn has_parent_steps(&self) -> bool {
        self.parts.iter().any(|part| part == "..")
    }

    /// Takes `..` out by text alone. Only right where no link is in the way.
    pub(crate) fn folded(&self) -> Self {
        let mut folded = self.clone_without_parts();
        for part in &self.parts {
            if part == ".." {
                folded.parts.pop();
            } else {
                folded.parts.push(part.clone());
            }
        }
        folded
    }

    /// What is left of `self` below `base`: empty when they are the same path.
    pub(crate) fn below(&self, base: &Self) -> Option<&[OsString]> {
        if self.rooted != base.rooted || !same_name(self.platform, &self.prefix, &base.prefix) {
            return None;
        }
        let (start, rest) = self.parts.split_at_checked(base.parts.len())?;
        start
            .iter()
            .zip(&base.parts)
            .all(|(one, other)| same_name(self.platform, one, other))
            .then_some(rest)
    }

    /// `\\?\C:\x` as `C:\x`: the file system of Windows answers in the long form.
    pub(crate) fn without_verbatim(mut self) -> Self {
        let prefix = units(&self.prefix);
        if let Some(drive) = prefix.strip_prefix(&*text_units(r"\\?\"))
            && is_drive(drive)
        {
            self.prefix = os_string(drive);
        }
        self
    }

    pub(crate) fn to_path(&self) -> PathBuf {
        self.path_of_first(self.parts.len())
    }

    /// The path made of the first `count` parts only.
    pub(crate) fn path_of_first(&self, count: usize) -> PathBuf {
        let separator = self.platform.separator();
        let length: usize = self
            .parts
            .iter()
            .take(count)
            .map(|part| part.len() + 1)
            .sum();
        let mut text = OsString::with_capacity(self.prefix.len() + 1 + length);
        text.push(&self.prefix);
        if self.rooted {
            text.push(separator);
        }
        for (index, part) in self.parts.iter().take(count).enumerate() {
            if index > 0 {
                text.push(separator);
            }
            text.push(part);
        }
        PathBuf::from(text)
    }

    fn clone_without_parts(&self) -> Self {
        Self {
            platform: self.platform,
            prefix: self.prefix.clone(),
            rooted: self.rooted,
            parts: Vec::new(),
        }
    }
}

/// The names between separators, without the empty ones and `.`.
pub(crate) fn parts_of(platform: Platform, text: &[Unit]) -> Vec<OsString> {
    text.split(|one| is_separator(platform, *one))
        .filter(|part| !part.is_empty() && !matches!(part, [dot] if is(*dot, b'.')))
        .map(os_string)
        .collect()
}

/// Cuts `C:`, `\\server\share`, `\\?\C:` or `\\?\UNC\server\share` off the front.
fn split_prefix(text: &[Unit]) -> (Vec<Unit>, &[Unit]) {
    let separator = |unit: &Unit| is_separator(Platform::Windows, *unit);
    match text {
        [one, two, rest @ ..] if separator(one) && separator(two) => {
            let device = rest
                .split(separator)
                .next()
                .is_some_and(|name| matches!(name, [unit] if is(*unit, b'?') || is(*unit, b'.')));
            let unc = rest.split(separator).nth(1).is_some_and(|name| {
                same_name(Platform::Windows, &os_string(name), OsStr::new("UNC"))
            });
            let names = if device && unc { 4 } else { 2 };
            let taken: Vec<&[Unit]> = rest.split(separator).take(names).collect();
            let mut prefix = text_units(r"\\").into_owned();
            prefix.extend(taken.join(&unit(b'\\')));
            let rest = text.get(prefix.len()..).unwrap_or_default();
            (prefix, rest)
        }
        [letter, colon, rest @ ..] if is_drive(&[*letter, *colon]) => (vec![*letter, *colon], rest),
        _ => (Vec::new(), text),
    }
}

fn is_drive(text: &[Unit]) -> bool {
    matches!(text, [letter, colon]
        if is(*colon, b':') && ascii(*letter).is_some_and(|letter| letter.is_ascii_alphabetic()))
}

fn text_units(text: &str) -> Cow<'_, [Unit]> {
    units(OsStr::new(text))
}
