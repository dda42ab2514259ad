//! Archives of profiles: `.tar.gz`, with everything in one folder that is named as the profile.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;

/// How much an import takes, so that a small archive cannot fill the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveLimits {
    /// Files, folders and links.
    pub members: u64,
    /// Bytes of all files together, unpacked.
    pub bytes: u64,
}

impl Default for ArchiveLimits {
    /// 100 000 members, 8 GiB.
    fn default() -> Self {
        Self {
            members: 100_000,
            bytes: 8 << 30,
        }
    }
}

/// Why an archive is refused. Nothing has been made then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveProblem {
    /// It is no `.tar.gz`, or is damaged or cut off; what reading it said.
    Unreadable(String),
    /// It holds nothing.
    Empty,
    /// A member with an absolute name.
    Absolute,
    /// A member with `..` in its name.
    ParentStep,
    /// A member whose name cannot be that of a file on every system (a NUL, a backslash).
    BadName,
    /// A member whose name is longer, or lies deeper, than any of a profile.
    NameTooLong,
    /// A member beside the one folder that everything is in.
    NoTopFolder,
    /// The name of that folder cannot be that of a profile, and no other name was given.
    NoName,
    /// Two members of one name, or a file where a folder is.
    Twice,
    /// A hard link.
    HardLink,
    /// A link that leads out of the profile, or may do so through other links.
    LinkLeadsOut,
    /// A device, a pipe, or another kind that no profile has.
    Special,
    /// More members than the limit.
    TooManyMembers(u64),
    /// More bytes than the limit.
    TooLarge(u64),
}

impl ArchiveProblem {
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::Unreadable(_) | Self::Empty => {
                "name an archive that an export made (.tar.gz), and copy it again if it was cut off"
                    .to_owned()
            }
            Self::NoName | Self::NoTopFolder => {
                "put everything into one folder, and give the profile a name".to_owned()
            }
            Self::TooManyMembers(_) | Self::TooLarge(_) => {
                "look into it first; if it is what you expect, allow more".to_owned()
            }
            _ => "do not trust this archive; it is not as an export makes it".to_owned(),
        }
    }

    pub(super) fn of(self, archive: &Path, member: Option<&Path>) -> Error {
        Error::Archive {
            path: archive.to_path_buf(),
            member: member.map(|member| member.to_string_lossy().into_owned()),
            problem: self,
        }
    }
}

impl fmt::Display for ArchiveProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(cause) => write!(f, "it cannot be read as a .tar.gz: {cause}"),
            Self::Empty => f.write_str("it is empty"),
            Self::Absolute => f.write_str("its name is absolute"),
            Self::ParentStep => f.write_str("its name holds \"..\""),
            Self::BadName => f.write_str("its name cannot be a file's on every system"),
            Self::NameTooLong => f.write_str("its name is too long or too deep"),
            Self::NoTopFolder => f.write_str("it lies beside the one folder of the profile"),
            Self::NoName => f.write_str("its folder is not named as a profile"),
            Self::Twice => f.write_str("something of that name is in it already"),
            Self::HardLink => f.write_str("it is a hard link"),
            Self::LinkLeadsOut => f.write_str("it is a link that may lead out of the profile"),
            Self::Special => f.write_str("it is neither file, folder nor link"),
            Self::TooManyMembers(limit) => write!(f, "it holds more than {limit} members"),
            Self::TooLarge(limit) => write!(f, "it is larger than {limit} bytes"),
        }
    }
}

/// Turns an error of reading the archive into one that names it.
pub(super) fn unreadable(archive: &Path) -> impl Fn(io::Error) -> Error + '_ {
    move |error| ArchiveProblem::Unreadable(error.to_string()).of(archive, None)
}

/// Whether a link of a profile leads somewhere inside of it, whatever other links there are: its
/// steps to the parent stand at the beginning, where they climb real folders, and do not climb out.
pub(super) fn stays_inside(link: &Path, target: &Path) -> bool {
    use std::path::Component;

    let depth = link.components().count().saturating_sub(1);
    let steps = target
        .components()
        .take_while(|step| matches!(step, Component::ParentDir))
        .count();
    let rest_is_plain = target
        .components()
        .skip(steps)
        .all(|step| matches!(step, Component::Normal(_) | Component::CurDir));
    let text = target.as_os_str().as_encoded_bytes();
    rest_is_plain && steps <= depth && !text.is_empty() && !text.contains(&b'\\')
}

/// The path of a member of one kind: what the archive says, checked. The first part is the folder
/// of the profile, the rest a path below it (empty for the folder itself).
pub(super) fn split_top(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut parts = path.components();
    let top = parts.next()?;
    Some((
        PathBuf::from(top.as_os_str()),
        parts.as_path().to_path_buf(),
    ))
}
