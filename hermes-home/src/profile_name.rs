//! The name of a profile: parsed once, valid from then on.

use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;

use crate::expand::trimmed_str;
use crate::{Error, Result};

/// The name of a profile: 1 to 64 of `a`–`z`, `0`–`9`, `-` and `_`, the first a letter or digit.
///
/// Such a name is one path component on every system: it cannot hold a separator, `..`, a NUL or a
/// letter that only looks like an ASCII one.
///
/// ```
/// use hermes_home::ProfileName;
///
/// assert_eq!(ProfileName::parse(" Coder ")?.as_str(), "coder");
/// assert!(ProfileName::parse("../coder").is_err());
/// # Ok::<(), hermes_home::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileName(String);

/// Which part of the rule for profile names was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameProblem {
    /// Nothing but white space.
    Empty,
    /// More than [`ProfileName::MAX_LENGTH`] characters.
    TooLong,
    /// The first character is neither a letter nor a digit.
    Start(char),
    /// A character that no profile name holds.
    Character(char),
}

impl ProfileName {
    /// The longest name, in characters (which are all ASCII).
    pub const MAX_LENGTH: usize = 64;

    /// Names that no new profile may take: they mean the root, the product, a system program or a
    /// folder that gets cleaned, or are devices on Windows.
    const RESERVED: [&str; 7] = ["default", "main", "hermes", "test", "tmp", "root", "sudo"];

    /// Reads a name that a person typed: blanks around it go, ASCII capitals become small. A line
    /// break is no blank: whatever brings one along is more than a name.
    ///
    /// # Errors
    /// [`Error::InvalidProfileName`], which says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self> {
        let name = match text.contains(['\n', '\r']) {
            true => text.to_ascii_lowercase(),
            false => trimmed_str(text).to_ascii_lowercase(),
        };
        match problem(&name) {
            None => Ok(Self(name)),
            Some(problem) => Err(Error::InvalidProfileName {
                name: text.to_owned(),
                problem,
            }),
        }
    }

    /// Reads the name of an existing directory, as it is: `None` for one that is no profile's.
    pub fn from_dir_name(name: &OsStr) -> Option<Self> {
        let name = name.to_str()?;
        problem(name).is_none().then(|| Self(name.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is `default`, the profile that lives in the root itself.
    pub fn is_default(&self) -> bool {
        self.0 == "default"
    }

    /// Whether no new profile may be called so. Old ones of that name stay usable.
    pub fn is_reserved(&self) -> bool {
        Self::RESERVED.contains(&self.as_str()) || is_device(&self.0)
    }
}

impl Default for ProfileName {
    /// `default`, the profile that lives in the root itself.
    fn default() -> Self {
        Self("default".to_owned())
    }
}

fn problem(name: &str) -> Option<NameProblem> {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let dash = |c: char| matches!(c, '-' | '_');
    let Some(first) = name.chars().next() else {
        return Some(NameProblem::Empty);
    };
    if dash(first) {
        return Some(NameProblem::Start(first));
    }
    if let Some(found) = name.chars().find(|c| !alphanumeric(*c) && !dash(*c)) {
        return Some(NameProblem::Character(found));
    }
    (name.len() > ProfileName::MAX_LENGTH).then_some(NameProblem::TooLong)
}

/// Names that Windows gives to devices, in any folder.
fn is_device(name: &str) -> bool {
    let numbered = |stem| {
        name.strip_prefix(stem)
            .is_some_and(|number| matches!(number.as_bytes(), [digit] if digit.is_ascii_digit()))
    };
    matches!(name, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::TooLong => write!(
                f,
                "it is longer than {} characters",
                ProfileName::MAX_LENGTH
            ),
            Self::Start(found) => write!(f, "it begins with {found:?}"),
            Self::Character(found) => write!(f, "it holds {found:?}"),
        }
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ProfileName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl AsRef<OsStr> for ProfileName {
    fn as_ref(&self) -> &OsStr {
        OsStr::new(&self.0)
    }
}

impl AsRef<str> for ProfileName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
