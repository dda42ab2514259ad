//! Which profile a home is.

use std::fmt;

use crate::ProfileName;

/// The profile that a home holds, told from where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// The root itself.
    Default,
    /// `<root>/profiles/<name>`.
    Named(ProfileName),
    /// A folder that is no profile of any root: one somewhere inside the default home, or the
    /// folder of a database that was named outright.
    Custom,
}

impl Profile {
    /// `default`, the name, or `custom`.
    ///
    /// A profile may be called `custom`; compare the variants, not the text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Default => "default",
            Self::Named(name) => name.as_str(),
            Self::Custom => "custom",
        }
    }

    /// The name, when it has one of its own.
    pub fn name(&self) -> Option<&ProfileName> {
        match self {
            Self::Named(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
