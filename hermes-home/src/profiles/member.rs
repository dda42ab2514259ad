//! One member of an archive, checked before anything is made of it.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use tar::EntryType;

use super::archive::{ArchiveProblem, split_top, stays_inside};

/// What a member is to become, below the folder of the profile.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Member {
    Dir(PathBuf),
    File {
        path: PathBuf,
        size: u64,
        executable: bool,
    },
    Link {
        path: PathBuf,
        target: PathBuf,
    },
    /// Notes on the archive itself.
    Nothing,
}

/// The top folder and what the member is.
pub(super) type Checked = Result<(Option<PathBuf>, Member), ArchiveProblem>;

pub(super) fn checked<R: Read>(entry: &tar::Entry<'_, R>) -> Checked {
    let header = entry.header();
    let unreadable = |error: std::io::Error| ArchiveProblem::Unreadable(error.to_string());
    let kind = header.entry_type();
    if matches!(kind, EntryType::XGlobalHeader) {
        return Ok((None, Member::Nothing));
    }
    let path = entry.path().map_err(|_| ArchiveProblem::BadName)?;
    let path = plain(&path, &entry.path_bytes())?;
    let Some((top, below)) = split_top(&path) else {
        // `./`, which some programs put first.
        return match kind {
            EntryType::Directory => Ok((None, Member::Nothing)),
            _ => Err(ArchiveProblem::BadName),
        };
    };
    let is_top = below.as_os_str().is_empty();
    let member = match kind {
        EntryType::Directory => Member::Dir(below),
        _ if is_top => return Err(ArchiveProblem::NoTopFolder),
        EntryType::Regular | EntryType::Continuous => Member::File {
            path: below,
            size: entry.size(),
            executable: header.mode().map_err(unreadable)? & 0o100 != 0,
        },
        EntryType::Symlink => {
            let target = entry.link_name().map_err(|_| ArchiveProblem::BadName)?;
            let target = target.ok_or(ArchiveProblem::BadName)?.into_owned();
            if !stays_inside(&below, &target) {
                return Err(ArchiveProblem::LinkLeadsOut);
            }
            Member::Link {
                path: below,
                target,
            }
        }
        EntryType::Link => return Err(ArchiveProblem::HardLink),
        _ => return Err(ArchiveProblem::Special),
    };
    Ok((Some(top), member))
}

/// No file system takes longer names, and none of a profile is as deep.
const LONGEST_PATH: usize = 4096;
const LONGEST_NAME: usize = 255;
const DEEPEST: usize = 128;

/// A relative path of plain names.
fn plain(path: &Path, bytes: &[u8]) -> Result<PathBuf, ArchiveProblem> {
    if bytes.contains(&0) || bytes.contains(&b'\\') || (cfg!(windows) && bytes.contains(&b':')) {
        return Err(ArchiveProblem::BadName);
    }
    // Before anything is done with it: names of megabytes fit into an archive of no size.
    if bytes.len() > LONGEST_PATH {
        return Err(ArchiveProblem::NameTooLong);
    }
    let mut plain = PathBuf::new();
    for (depth, component) in path.components().enumerate() {
        match component {
            Component::Normal(name) if name.len() > LONGEST_NAME || depth > DEEPEST => {
                return Err(ArchiveProblem::NameTooLong);
            }
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => return Err(ArchiveProblem::ParentStep),
            Component::RootDir | Component::Prefix(_) => return Err(ArchiveProblem::Absolute),
        }
    }
    Ok(plain)
}
