//! Whose path rules apply.

/// The family of rules for paths and for the default home.
///
/// A value, not a `cfg`: the rules of Windows can be asked for, and tested, on Linux. File system
/// access happens only when the rules are those of the machine ([`Platform::host`]); with any other
/// platform everything counts as not existing yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Platform {
    /// Linux and macOS: `~/.hermes`, `/` separates, names differ by case.
    Unix,
    /// Windows: `%LOCALAPPDATA%\hermes`, `\` and `/` separate, case is ignored.
    Windows,
}

impl Platform {
    /// The platform this program was built for.
    pub const fn host() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else {
            Self::Unix
        }
    }

    pub(crate) const fn separator(self) -> &'static str {
        match self {
            Self::Unix => "/",
            Self::Windows => "\\",
        }
    }
}
