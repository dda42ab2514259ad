//! What can go wrong.

mod wording;

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::guard::Refusal;
use crate::{ArchiveProblem, HomeSource, NameProblem, ProfileName, RunningProcess};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a home could not be told, or a profile not be changed.
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
    /// A new profile cannot have this name: it means something else already.
    ReservedProfileName {
        /// The name.
        name: ProfileName,
    },
    /// There is one of this name already.
    ProfileExists {
        /// The profile.
        name: ProfileName,
        /// What is there.
        path: PathBuf,
    },
    /// `default` is the root itself, and can be neither renamed nor removed.
    DefaultProfile {
        /// What was to be done: "rename", "delete".
        action: &'static str,
    },
    /// The profile is the active one, and it was not said that this does not matter.
    ProfileActive {
        /// The profile.
        name: ProfileName,
    },
    /// Other processes hold files of the profile, and it was not said that this does not matter.
    ProfileRunning {
        /// The profile.
        name: ProfileName,
        /// What was to be done: "rename", "delete".
        action: &'static str,
        /// They.
        processes: Vec<RunningProcess>,
    },
    /// A link in a profile leads out of it, and what is behind it was to be copied.
    LinkLeadsOut {
        /// The link.
        link: PathBuf,
        /// What it holds.
        target: PathBuf,
    },
    /// Something that was to be copied is no file.
    NotAFile {
        /// What.
        path: PathBuf,
    },
    /// A file that was to be made is there already.
    FileExists {
        /// Which.
        path: PathBuf,
    },
    /// An archive that cannot be imported as a profile.
    Archive {
        /// The archive.
        path: PathBuf,
        /// The member at fault, as far as it can be shown.
        member: Option<String>,
        /// What is wrong.
        problem: ArchiveProblem,
    },
    /// Whoever was asked for a snapshot of the session store could not give one.
    Snapshot {
        /// The store.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A write was refused, and what stands there belongs to another user.
    NotOurs {
        /// What was tried, as in "cannot … /path".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What belongs to the other user: the path, or the folder it lies in.
        owned: PathBuf,
        /// That user.
        owner: String,
        /// What the system said.
        source: io::Error,
    },
    /// Folders of a home are missing and cannot be made.
    HomeIncomplete {
        /// The home.
        home: PathBuf,
        /// What is missing, relative to it (`.` for the home itself).
        missing: Vec<String>,
        /// Why the first of them cannot be made.
        source: Box<Error>,
    },
    /// A change was asked for by the rules of another platform than the one we run on.
    ForeignPlatform,
    /// A test was about to open a production store.
    LiveSystemGuard(Refusal),
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
            Self::ReservedProfileName { .. } => "reserved_profile_name",
            Self::ProfileExists { .. } => "profile_exists",
            Self::DefaultProfile { .. } => "default_profile",
            Self::ProfileActive { .. } => "profile_active",
            Self::ProfileRunning { .. } => "profile_running",
            Self::LinkLeadsOut { .. } => "link_leads_out",
            Self::NotAFile { .. } => "not_a_file",
            Self::FileExists { .. } => "file_exists",
            Self::Archive { .. } => "bad_archive",
            Self::Snapshot { .. } => "snapshot",
            Self::NotOurs { .. } => "not_ours",
            Self::HomeIncomplete { .. } => "home_incomplete",
            Self::ForeignPlatform => "foreign_platform",
            Self::LiveSystemGuard(_) => Refusal::CODE,
            Self::Io { .. } => "io",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.problem(), self.hint())
    }
}
