//! What can go wrong.

mod wording;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an approval could not be read, kept or recorded.
///
/// `Display` gives the problem and what to do next in one line; [`Error::problem`] and
/// [`Error::hint`] give the halves, and [`Error::code`] a stable name for machines.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file system refused.
    Io {
        /// What was tried, as in "cannot … /path".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder of a file that is to be written is missing.
    NoFolder {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// Where a file belongs there is something that is none.
    NotAFile {
        /// Where.
        path: PathBuf,
        /// What it is: `a pipe`, `a folder`.
        found: &'static str,
    },
    /// Another process holds the lock of a file that is to be changed.
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The file may not be written.
    ReadOnly {
        /// Which.
        path: PathBuf,
    },
    /// The file is a link to something that does not exist.
    DanglingLink {
        /// The link.
        link: PathBuf,
        /// What it holds.
        target: PathBuf,
    },
    /// The file was changed by others each time it was about to be replaced.
    Contended {
        /// Which.
        path: PathBuf,
        /// How often it was tried.
        tries: u32,
    },
    /// The file is larger than anything that a person wrote.
    TooLarge {
        /// Which.
        path: PathBuf,
        /// Its size in bytes.
        found: u64,
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// The file is no text.
    NotUtf8 {
        /// Which.
        path: PathBuf,
    },
    /// The file is no YAML.
    Yaml {
        /// Which.
        path: PathBuf,
        /// The line of the fault, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the parser says.
        problem: String,
    },
    /// The file holds more than one YAML document.
    SeveralDocuments {
        /// Which.
        path: PathBuf,
        /// The line where the second begins.
        line: usize,
    },
    /// The file, or the allowlist in it, is of another kind than it must be.
    WrongShape {
        /// Which.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What was looked at: `the file`, `command_allowlist`.
        what: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// `command_allowlist` stands in the file twice.
    DuplicateAllowlist {
        /// Which.
        path: PathBuf,
        /// The line of the first.
        first: usize,
        /// The line of the second.
        second: usize,
    },
    /// The list is shared with another place of the file, and a change here would change that too,
    /// or lose it.
    SharedAllowlist {
        /// Which.
        path: PathBuf,
        /// The line of the list or of what refers to it.
        line: usize,
        /// How: an alias, a merge, an anchor.
        how: &'static str,
    },
    /// A change of the file would not read back as what was meant, and was not made.
    EditRefused {
        /// Which.
        path: PathBuf,
        /// What differs.
        problem: &'static str,
    },
    /// An entry that the allowlist cannot hold.
    BadEntry {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The file of grants is not one that we understand.
    BadGrants {
        /// Which.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// A setting that must not be guessed is of another kind than it must be.
    BadSetting {
        /// Its name, as in `approvals.deny`.
        setting: String,
        /// What it is.
        found: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// The auxiliary model gave no answer.
    Model {
        /// What happened.
        problem: String,
    },
}

impl Error {
    /// A stable name in `snake_case`, for `--json` and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::NoFolder { .. } => "no_folder",
            Self::NotAFile { .. } => "not_a_file",
            Self::Locked { .. } => "locked",
            Self::ReadOnly { .. } => "read_only",
            Self::DanglingLink { .. } => "dangling_link",
            Self::Contended { .. } => "contended",
            Self::TooLarge { .. } => "too_large",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::Yaml { .. } => "bad_yaml",
            Self::SeveralDocuments { .. } => "several_documents",
            Self::WrongShape { .. } => "wrong_shape",
            Self::DuplicateAllowlist { .. } => "duplicate_allowlist",
            Self::SharedAllowlist { .. } => "shared_allowlist",
            Self::EditRefused { .. } => "edit_refused",
            Self::BadEntry { .. } => "bad_entry",
            Self::BadGrants { .. } => "bad_grants",
            Self::BadSetting { .. } => "bad_setting",
            Self::Model { .. } => "model",
        }
    }

    /// For `map_err` on a call of the file system.
    pub(crate) fn io(
        action: &'static str,
        path: &std::path::Path,
    ) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem(), self.hint())
    }
}
