//! What can go wrong, and what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::display::{one_line, readable};
use crate::{HomeSource, NameProblem, ProfileName};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why no home could be told.
///
/// `Display` gives the problem and what to do next in one line; [`Error::problem`] and
/// [`Error::hint`] give the halves, and [`Error::code`] a stable name for machines.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The user's home directory is wanted, and nothing tells it.
    NoUserHome {
        /// What it is wanted for.
        wanted: String,
    },
    /// A relative path, and no current directory to make it absolute.
    NoCurrentDir {
        /// The path.
        path: PathBuf,
        /// What named it.
        origin: HomeSource,
    },
    /// `~name/…`: only one's own `~` is expanded.
    UnknownUser {
        /// The whole value.
        value: std::ffi::OsString,
        /// What named it.
        origin: HomeSource,
    },
    /// A NUL character, which no path can hold.
    NulInPath {
        /// What named it.
        origin: HomeSource,
    },
    /// A flag with an empty value.
    EmptyFlag {
        /// Which.
        flag: HomeSource,
    },
    /// `--home` and `--profile` together.
    HomeAndProfile,
    /// A file, pipe or device stands where a directory is needed.
    NotADirectory {
        /// Where: the home, or a folder above it.
        path: PathBuf,
        /// Where it leads, if it is a link.
        target: Option<PathBuf>,
        /// What named the home.
        origin: HomeSource,
    },
    /// The home is, or lies below, a link to something that does not exist.
    DanglingLink {
        /// The link.
        link: PathBuf,
        /// What it holds.
        target: PathBuf,
        /// What named the home.
        origin: HomeSource,
    },
    /// The home is, or lies below, a link that leads back to itself.
    LinkLoop {
        /// The link.
        link: PathBuf,
        /// What it holds.
        target: PathBuf,
        /// What named the home.
        origin: HomeSource,
    },
    /// A name that no profile can have.
    InvalidProfileName {
        /// The name, as given.
        name: String,
        /// Which part of the rule it breaks.
        problem: NameProblem,
    },
    /// The profile that was asked for does not exist.
    ProfileNotFound {
        /// The profile.
        name: ProfileName,
        /// The root that was looked in.
        root: PathBuf,
        /// Those that exist there beside `default`.
        available: Vec<ProfileName>,
    },
    /// `active_profile` names a profile that does not exist, and nothing else selects one.
    ActiveProfileMissing {
        /// The profile.
        name: ProfileName,
        /// The file that names it.
        file: PathBuf,
        /// Those that exist beside `default`.
        available: Vec<ProfileName>,
    },
    /// The file system refused.
    Io {
        /// What was tried, as in "cannot … /path".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    /// A stable name in `snake_case`, for `--json` and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoUserHome { .. } => "no_user_home",
            Self::NoCurrentDir { .. } => "no_current_dir",
            Self::UnknownUser { .. } => "unknown_user",
            Self::NulInPath { .. } => "nul_in_path",
            Self::EmptyFlag { .. } => "empty_flag",
            Self::HomeAndProfile => "home_and_profile",
            Self::NotADirectory { .. } => "not_a_directory",
            Self::DanglingLink { .. } => "dangling_link",
            Self::LinkLoop { .. } => "link_loop",
            Self::InvalidProfileName { .. } => "invalid_profile_name",
            Self::ProfileNotFound { .. } => "profile_not_found",
            Self::ActiveProfileMissing { .. } => "active_profile_missing",
            Self::Io { .. } => "io",
        }
    }

    /// What is wrong, in one line.
    pub fn problem(&self) -> String {
        match self {
            Self::NoUserHome { wanted } => {
                format!("your home directory is unknown, and {wanted} depends on it")
            }
            Self::NoCurrentDir { path, origin } => format!(
                "{origin} is the relative path {}, and there is no current directory",
                readable(path)
            ),
            Self::UnknownUser { value, origin } => {
                let value = one_line(&value.to_string_lossy());
                format!("{origin} is {value}, and the home of another user is not looked up")
            }
            Self::NulInPath { origin } => format!("{origin} holds a NUL character"),
            Self::EmptyFlag { flag } => format!("{flag} was given an empty value"),
            Self::HomeAndProfile => "--home and --profile exclude each other".to_owned(),
            Self::NotADirectory {
                path,
                target,
                origin,
            } => {
                let target = target
                    .as_deref()
                    .map(|target| format!(" (a link to {})", readable(target)))
                    .unwrap_or_default();
                format!("{origin}: {}{target} is not a directory", readable(path))
            }
            Self::DanglingLink {
                link,
                target,
                origin,
            } => format!(
                "{origin}: {} is a link to {}, which does not exist",
                readable(link),
                readable(target)
            ),
            Self::LinkLoop {
                link,
                target,
                origin,
            } => format!(
                "{origin}: {} is a link to {} that leads nowhere but back to links",
                readable(link),
                readable(target)
            ),
            Self::InvalidProfileName { name, problem } => {
                format!("{:?} cannot be a profile name: {problem}", beginning(name))
            }
            Self::ProfileNotFound { name, root, .. } => {
                format!("there is no profile \"{name}\" in {}", readable(root))
            }
            Self::ActiveProfileMissing { name, file, .. } => format!(
                "{} names the profile \"{name}\", which does not exist",
                readable(file)
            ),
            Self::Io {
                action,
                path,
                source,
            } => format!("cannot {action} {}: {source}", readable(path)),
        }
    }

    /// What to do next, in one line.
    pub fn hint(&self) -> String {
        match self {
            Self::NoUserHome { .. } => {
                "set HOME (USERPROFILE on Windows), or HERMES_HOME to an absolute path".to_owned()
            }
            Self::NoCurrentDir { .. } => "give an absolute path".to_owned(),
            Self::UnknownUser { .. } => {
                "write the path in full, or ./~name for a folder of that name".to_owned()
            }
            Self::NulInPath { .. } => "give a path without it".to_owned(),
            Self::EmptyFlag { flag } => {
                format!("give {flag} a value, or leave it out (is a variable unset?)")
            }
            Self::HomeAndProfile => "give one of them".to_owned(),
            Self::NotADirectory { origin, .. } => match origin {
                HomeSource::Platform => {
                    "move it out of the way, or set HERMES_HOME to a directory".to_owned()
                }
                HomeSource::DbFlag => "name a file in a directory".to_owned(),
                _ => format!("let {origin} name a directory; it need not exist yet"),
            },
            Self::DanglingLink { .. } => {
                "make the directory that it leads to (is a disk not mounted?), or remove the link"
                    .to_owned()
            }
            Self::LinkLoop { .. } => "remove the link, or let it lead to a directory".to_owned(),
            Self::InvalidProfileName { .. } => format!(
                "use 1 to {} of a-z, 0-9, - and _, beginning with a letter or digit",
                ProfileName::MAX_LENGTH
            ),
            Self::ProfileNotFound {
                name, available, ..
            } => format!(
                "{}; make it with: hermes profile create {name}",
                existing(available)
            ),
            Self::ActiveProfileMissing {
                file, available, ..
            } => format!(
                "{}; write one of them into the file, or delete it to use the default: {}",
                existing(available),
                readable(file)
            ),
            Self::Io { .. } => "check who may read it, or name another home".to_owned(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem(), self.hint())
    }
}

/// How many profiles a message names, and how much of a bad name it repeats.
const NAMES_SHOWN: usize = 20;
const CHARS_SHOWN: usize = 80;

fn existing(available: &[ProfileName]) -> String {
    let mut text = String::from("these exist: default");
    for name in available.iter().take(NAMES_SHOWN) {
        text.push_str(", ");
        text.push_str(name.as_str());
    }
    match available.len().checked_sub(NAMES_SHOWN) {
        None | Some(0) => text,
        Some(more) => format!("{text} and {more} more"),
    }
}

fn beginning(name: &str) -> String {
    match name.char_indices().nth(CHARS_SHOWN) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
    }
}
