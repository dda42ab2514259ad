//! The file `active_profile`: one line that names the profile to use when nothing selects one.

use std::io::ErrorKind;

use crate::files::{Files, Kind};
use crate::path_text::PathText;
use crate::{ProfileName, expand::trimmed_str};

/// More than any name with white space around it; a longer file is not read.
const LIMIT: u64 = 1024;

/// What the file says.
pub(crate) enum ActiveProfile {
    /// There is none, or it says `default`.
    NoChoice,
    Named(ProfileName),
    Unusable(ActiveProfileProblem),
}

/// Why `active_profile` was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActiveProfileProblem {
    /// Nothing but white space.
    Empty,
    /// Longer than any name.
    TooLong,
    /// Not UTF-8.
    NotUtf8,
    /// Text that is no profile name.
    NotAName(String),
    /// A directory, a pipe or the like.
    NotAFile,
    /// The system refuses; what it says.
    Unreadable(String),
}

impl std::fmt::Display for ActiveProfileProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::TooLong => f.write_str("it is longer than a profile name can be"),
            Self::NotUtf8 => f.write_str("it is not UTF-8 text"),
            Self::NotAName(text) => write!(f, "{text:?} is not a profile name"),
            Self::NotAFile => f.write_str("it is not a file"),
            Self::Unreadable(cause) => write!(f, "it cannot be read: {cause}"),
        }
    }
}

pub(crate) fn file_of(root: &PathText) -> PathText {
    root.join("active_profile")
}

pub(crate) fn read(files: &dyn Files, root: &PathText) -> ActiveProfile {
    let file = file_of(root).to_path();
    let unusable = ActiveProfile::Unusable;
    // The kind first: opening a pipe would wait for a writer.
    let content = match files.kind(&file) {
        Ok(Kind::File) => files.read_up_to(&file, LIMIT + 1),
        Ok(Kind::Dir | Kind::Other) => return unusable(ActiveProfileProblem::NotAFile),
        Err(error) => Err(error),
    };
    match content {
        Ok(content) => parse(&content),
        Err(error) if absent(error.kind()) => ActiveProfile::NoChoice,
        Err(error) => unusable(ActiveProfileProblem::Unreadable(error.to_string())),
    }
}

fn absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn parse(content: &[u8]) -> ActiveProfile {
    if u64::try_from(content.len()).is_ok_and(|length| length > LIMIT) {
        return ActiveProfile::Unusable(ActiveProfileProblem::TooLong);
    }
    let Ok(text) = std::str::from_utf8(content) else {
        return ActiveProfile::Unusable(ActiveProfileProblem::NotUtf8);
    };
    let text = trimmed_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    if text.is_empty() {
        return ActiveProfile::Unusable(ActiveProfileProblem::Empty);
    }
    match ProfileName::parse(text) {
        Ok(name) if name.is_default() => ActiveProfile::NoChoice,
        Ok(name) => ActiveProfile::Named(name),
        Err(_) => ActiveProfile::Unusable(ActiveProfileProblem::NotAName(text.to_owned())),
    }
}
