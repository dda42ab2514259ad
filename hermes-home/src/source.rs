//! Which step of the order decided.

use std::fmt;

/// What decided where the home is. Doctor-like commands print it; it never decides anything itself.
///
/// `Display` gives the name a person knows it by (`HERMES_HOME`, `--profile`), [`as_str`] the one
/// that machines read.
///
/// [`as_str`]: HomeSource::as_str
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HomeSource {
    /// A database file was named outright (`--db FILE`).
    DbFlag,
    /// The home was named outright (`--home DIR`).
    HomeFlag,
    /// A profile was named (`--profile NAME`).
    ProfileFlag,
    /// The override of the current thread or task.
    Override,
    /// The environment variable `HERMES_HOME`.
    Env,
    /// The file `active_profile` in the root.
    ActiveProfile,
    /// Nothing: the default of the platform.
    Platform,
}

impl HomeSource {
    /// The stable name, as in `hermesctl home --json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DbFlag => "db-flag",
            Self::HomeFlag => "home-flag",
            Self::ProfileFlag => "profile-flag",
            Self::Override => "override",
            Self::Env => "env",
            Self::ActiveProfile => "active-profile",
            Self::Platform => "platform",
        }
    }
}

impl fmt::Display for HomeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DbFlag => "--db",
            Self::HomeFlag => "--home",
            Self::ProfileFlag => "--profile",
            Self::Override => "the override of this task",
            Self::Env => "HERMES_HOME",
            Self::ActiveProfile => "active_profile",
            Self::Platform => "the default Hermes home",
        })
    }
}
