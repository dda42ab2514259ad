//! Whether a path is a production store.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::physical::resolved;
use crate::ProfileName;

const STORE: &str = "state.db";

/// The production store that `path` is, if it is one of these roots'.
pub(super) fn store_at(path: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let real = resolved(path)?;
    for root in roots {
        if let Some(store) = of_root(&real, root) {
            return Some(store);
        }
    }
    None
}

fn of_root(real: &Path, root: &Path) -> Option<PathBuf> {
    let of_default = root.join(STORE);
    if is_same(real, &of_default) {
        return Some(of_default);
    }
    let profiles = root.join("profiles");
    if let Some(store) = of_named_profile(real, &profiles) {
        return Some(store);
    }
    // A profile, or a store, may be a link to another place.
    fs::read_dir(&profiles)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| ProfileName::from_dir_name(&entry.file_name()).is_some())
        .map(|entry| entry.path().join(STORE))
        .find(|store| is_same(real, store))
}

/// By position alone: the profile need not exist yet.
fn of_named_profile(real: &Path, profiles: &Path) -> Option<PathBuf> {
    let home = real.parent()?;
    let name = ProfileName::from_dir_name(&home.file_name()?.to_ascii_lowercase())?;
    let is_store = real
        .file_name()
        .is_some_and(|file| same_name(file, OsStr::new(STORE)));
    let among_them = is_same_place(home.parent()?, &resolved(profiles)?);
    (is_store && among_them).then(|| profiles.join(name.as_str()).join(STORE))
}

/// Whether `real` is, or would be made as, this store.
fn is_same(real: &Path, store: &Path) -> bool {
    resolved(store).is_some_and(|store| is_same_place(real, &store)) || are_one_file(real, store)
}

/// By name, or by the folder that both would be made in.
fn is_same_place(one: &Path, other: &Path) -> bool {
    if same_name(one.as_os_str(), other.as_os_str()) {
        return true;
    }
    let names = one.file_name().zip(other.file_name());
    let folders = one.parent().zip(other.parent());
    names.is_some_and(|(one, other)| same_name(one, other))
        && folders.is_some_and(|(one, other)| are_one_file(one, other))
}

fn same_name(one: &OsStr, other: &OsStr) -> bool {
    if cfg!(any(windows, target_os = "macos")) {
        one.eq_ignore_ascii_case(other)
    } else {
        one == other
    }
}

/// Two names of one file or folder: a hard link, a folder that is mounted twice.
#[cfg(unix)]
fn are_one_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let identity = |path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
fn are_one_file(_: &Path, _: &Path) -> bool {
    false
}
