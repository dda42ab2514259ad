//! The approval keys of the Python Hermes, in its order, each with a pattern for plain text.
//!
//! The verdict doesn't come from these: it comes from the rules, which look at resolved commands.
//! The patterns say in short what a key is about, they are what is left to look at when a text is
//! not well formed, and their order decides which of several keys is named.

mod table;

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use crate::platform::Platform;
use crate::rule::{Key, Releases};
use crate::span::At;

pub use table::DANGEROUS_PATTERNS;

/// One approval key of the Python Hermes and the text that it is about.
#[derive(Debug)]
pub struct Pattern {
    /// Its name.
    pub id: &'static str,
    /// The approval key, which is its description, too.
    pub description: &'static str,
    /// Which releases have it.
    pub releases: Releases,
    /// A regular expression (syntax of the `regex` crate) for text in small letters; `.` fits line
    /// ends. None where no expression can tell.
    pub regex: Option<&'static str>,
    /// What must not stand between the match and the end of its line.
    pub unless: Option<&'static str>,
    /// The command languages that it is about.
    pub platforms: &'static [Platform],
    /// A command that fits.
    pub matches: Option<&'static str>,
    /// A command that doesn't.
    pub near_miss: Option<&'static str>,
    /// One of these is in every text that fits.
    pub(crate) needles: &'static [&'static str],
    pub(crate) keys: &'static [Key],
    pub(crate) compiled: OnceLock<Option<Regex>>,
}

/// Longest text that is searched; of a longer one, both ends.
const LIMIT: usize = 32 * 1024;

impl Pattern {
    /// True if the pattern fits somewhere in a command.
    pub fn is_match(&self, command: &str) -> bool {
        self.find(&command.to_lowercase()).is_some()
    }

    /// Where it fits in a text in small letters.
    fn find(&self, lower: &str) -> Option<At> {
        if !self.needles.iter().any(|needle| lower.contains(needle)) {
            return None;
        }
        let found = self.compiled()?.find(lower)?;
        if let Some(unless) = self.unless {
            let rest = lower.get(found.end()..).unwrap_or("");
            if rest
                .lines()
                .next()
                .is_some_and(|line| line.contains(unless))
            {
                return None;
            }
        }
        Some(At::new(found.start(), found.end()))
    }

    /// Compiled when first needed: most never are.
    fn compiled(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| {
                let mut builder = RegexBuilder::new(self.regex?);
                builder.dot_matches_new_line(true);
                builder.build().ok()
            })
            .as_ref()
    }
}

/// The patterns that fit a text, with their places.
pub(crate) fn find(text: &str) -> impl Iterator<Item = (&'static Pattern, At)> {
    // Small letters of ASCII only, so that places stay what they are.
    let lower = ends(text).to_ascii_lowercase();
    DANGEROUS_PATTERNS
        .iter()
        .filter_map(move |pattern| Some((pattern, pattern.find(&lower)?)))
}

/// The text, or both ends of a long one. A place in the tail would be wrong, so the tail stands
/// for itself only if the head is short; what is found there still counts.
fn ends(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * LIMIT {
        return Cow::Borrowed(text);
    }
    let boundary = |at: usize| (at..text.len()).find(|&i| text.is_char_boundary(i));
    let head = boundary(LIMIT).unwrap_or(text.len());
    let tail = boundary(text.len() - LIMIT).unwrap_or(text.len());
    let (head, tail) = (text.get(..head), text.get(tail..));
    Cow::Owned(format!("{}\n{}", head.unwrap_or(""), tail.unwrap_or("")))
}

/// The place of a key in the order of the Python Hermes; the greatest number for others.
///
/// What a script stands in comes after everything else, as in 0.19.
pub(crate) fn rank(key: &str) -> usize {
    let place = DANGEROUS_PATTERNS
        .iter()
        .position(|pattern| pattern.description == key);
    match place {
        None => usize::MAX,
        Some(place) if CARRIERS.contains(&key) => place + DANGEROUS_PATTERNS.len(),
        Some(place) => place,
    }
}

const CARRIERS: &[&str] = &[
    "shell command via -c/-lc flag",
    "script execution via -e/-c flag",
    "script execution via heredoc",
    "shell execution via heredoc",
];
