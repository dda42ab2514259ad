//! Programs and directories on this machine.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, access};

use crate::{Error, Result};

/// Where programs are looked for when there is no `PATH`.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A program by its path, or by its name in `PATH`.
pub(crate) fn program(name: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    let is_program =
        |file: &PathBuf| file.is_file() && access(file.as_path(), Access::EXEC_OK).is_ok();
    if Path::new(name).components().count() > 1 {
        return Some(PathBuf::from(name)).filter(is_program);
    }
    let path = path.unwrap_or(OsStr::new(USUAL_PATH));
    env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(is_program)
}

/// Whether a command can start there.
pub(super) fn can_be_entered(directory: &Path) -> bool {
    directory.is_dir() && access(directory, Access::EXEC_OK).is_ok()
}

/// The directory itself, or the nearest of its parents that can be entered.
pub(super) fn nearest(directory: &Path) -> PathBuf {
    directory
        .ancestors()
        .find(|ancestor| can_be_entered(ancestor))
        .unwrap_or(Path::new("/"))
        .to_owned()
}

/// Whether two names are of one directory.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    one == other
        || identity(one)
            .ok()
            .zip(identity(other).ok())
            .is_some_and(|(one, other)| one == other)
}

/// A directory as somebody names it: absolute, from the user's home, or from where the task is.
pub(super) fn named(directory: &Path, from: &Path, user_home: Option<&Path>) -> Result<PathBuf> {
    let absolute = match directory.strip_prefix("~").ok().zip(user_home) {
        Some((rest, home)) => home.join(rest),
        None => from.join(directory),
    };
    let absolute: PathBuf = absolute
        .components()
        .filter(|component| *component != Component::CurDir)
        .collect();
    if can_be_entered(&absolute) {
        Ok(absolute)
    } else if absolute.exists() {
        Err(Error::WorkdirUnusable { path: absolute })
    } else {
        Err(Error::WorkdirMissing { path: absolute })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_named_in_three_ways() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        std::fs::create_dir_all(home.join("a/b")).unwrap();
        std::fs::write(home.join("file"), "").unwrap();
        let named = |text: &str| named(Path::new(text), &home.join("a"), Some(home));
        assert_eq!(named("b").unwrap(), home.join("a/b"));
        assert_eq!(named("./b/").unwrap(), home.join("a/b"));
        assert_eq!(named("~").unwrap(), home);
        assert_eq!(named("~/a").unwrap(), home.join("a"));
        assert_eq!(named("/").unwrap(), Path::new("/"));
        assert!(matches!(named("c"), Err(Error::WorkdirMissing { .. })));
        assert!(matches!(
            named("~/file"),
            Err(Error::WorkdirUnusable { .. })
        ));
    }

    #[test]
    fn what_has_vanished_falls_back_to_the_nearest_parent() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert_eq!(nearest(&root.join("a/b/c")), root);
        assert_eq!(nearest(root), root);
        assert_eq!(nearest(Path::new("")), Path::new("/"));
    }

    #[test]
    fn programs_are_found_in_the_path_that_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("bash"), "").unwrap();
        assert_eq!(program(OsStr::new("bash"), Some(folder.as_os_str())), None);
        assert!(program(OsStr::new("sh"), None).is_some());
        assert_eq!(program(OsStr::new("/no/such/shell"), None), None);
    }
}
