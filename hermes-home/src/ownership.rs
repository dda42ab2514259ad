//! Whose file it is that we may not write.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::Error;

/// The error of a write that failed: when the system refuses it and the file, or the folder it lies
/// in, belongs to somebody else, it says so. Nothing is done about it: a mode of another's file is
/// not ours to change.
pub(crate) fn failed(action: &'static str, path: &Path, source: io::Error) -> Error {
    if source.kind() == ErrorKind::PermissionDenied
        && let Some((owned, owner)) = foreign_owner(path)
    {
        return Error::NotOurs {
            action,
            path: path.to_path_buf(),
            owned,
            owner,
            source,
        };
    }
    Error::Io {
        action,
        path: path.to_path_buf(),
        source,
    }
}

#[cfg(unix)]
fn foreign_owner(path: &Path) -> Option<(std::path::PathBuf, String)> {
    use std::os::unix::fs::MetadataExt;

    let me = crate::accounts::effective_uid()?;
    let mut found = path.ancestors().filter_map(|path| {
        let metadata = std::fs::symlink_metadata(path).ok()?;
        Some((path, metadata.uid()))
    });
    // What is there, and the folder in which it would be made or replaced.
    let (there, folder) = (found.next()?, found.next());
    [Some(there), folder]
        .into_iter()
        .flatten()
        .find(|(_, uid)| *uid != me)
        .map(|(path, uid)| {
            let name = crate::accounts::user_name(uid);
            let owner = name.unwrap_or_else(|| format!("user {uid}"));
            (path.to_path_buf(), owner)
        })
}

#[cfg(not(unix))]
fn foreign_owner(_: &Path) -> Option<(std::path::PathBuf, String)> {
    None
}
