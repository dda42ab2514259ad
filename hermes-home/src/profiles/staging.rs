//! Where a change is prepared: beside the profiles, under names that no profile can have.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{folder, moving, private, rename};
use crate::kill_point::reached;
use crate::ownership::failed;
use crate::path_text::PathText;
use crate::{Error, ProfileName, Result};

/// Everything that begins like this, in the root or in its `profiles`, is a change that has not been
/// finished. A leading dot keeps it out of every listing.
pub(super) const PREFIX: &str = ".hermes-staging-";
/// What single files are prepared as.
const FILE: &str = "file";
const LOCK: &str = ".hermes-lock";

/// The right to change the profiles of a root. One process has it at a time; others wait.
pub(super) struct Workshop {
    pub(super) root: PathText,
    pub(super) folder: PathBuf,
    _lock: File,
}

impl Workshop {
    /// Waits for its turn, then clears away what others have left. Makes the folder of the profiles
    /// if it is missing.
    pub(super) fn open(root: &PathText) -> Result<Self> {
        let folder = folder(root).to_path();
        private::make_dirs(&folder)?;
        stays_in(&root.to_path(), &folder)?;
        let (lock, alone) = lock(&folder.join(LOCK))?;
        let workshop = Self {
            root: root.clone(),
            folder,
            _lock: lock,
        };
        rename::finish_interrupted(&workshop)?;
        // Without a lock, what is there may be the work of somebody who is at it.
        if alone {
            workshop.clear();
        }
        Ok(workshop)
    }

    /// A new folder to prepare a profile in.
    pub(super) fn stage(&self, what: &str) -> Result<Staged> {
        let staged = Staged::new(&self.folder, what);
        private::make_dir(&staged.path)?;
        reached("staging folder made");
        Ok(staged)
    }

    /// A name that is free, in the folder of the profiles.
    pub(super) fn free_name(&self, what: &str) -> PathBuf {
        staging_name(&self.folder, what)
    }

    /// Writes a file of the root or of the folder in one step.
    pub(super) fn write(&self, path: &Path, content: &[u8]) -> Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        let staged = Staged::new(folder, FILE);
        private::write_new(&staged.path, content)?;
        reached("staging file written");
        fs::rename(&staged.path, path).map_err(|error| failed("write", path, error))?;
        staged.keep();
        private::sync_dir(folder);
        Ok(())
    }

    /// What others have left of their changes: nothing of it is in use, for whoever made it is gone,
    /// or would still have the lock. In the root only files are prepared. What cannot be removed
    /// stays for the next time, and is in nobody's way.
    fn clear(&self) {
        for (folder, files_only) in [(self.folder.clone(), false), (self.root.to_path(), true)] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
                let name = entry.file_name();
                let what = name.to_str().and_then(prepared_for);
                if what.is_some_and(|what| !files_only || (what == FILE && is_file())) {
                    let _ = private::remove(&entry.path());
                }
            }
        }
    }
}

/// What a name of ours was prepared for: `PREFIX what-pid-nanos-count`, and nothing else.
pub(super) fn prepared_for(name: &str) -> Option<&str> {
    let mut parts = name.strip_prefix(PREFIX)?.rsplitn(4, '-');
    let is = |part: Option<&str>, digit: fn(&char) -> bool| {
        part.is_some_and(|part| !part.is_empty() && part.chars().all(|c| digit(&c)))
    };
    let count = is(parts.next(), char::is_ascii_digit);
    let nanos = is(parts.next(), char::is_ascii_hexdigit);
    let pid = is(parts.next(), char::is_ascii_digit);
    let what = parts
        .next()
        .filter(|what| what.chars().all(|c| c.is_ascii_lowercase()))?;
    (count && nanos && pid && !what.is_empty()).then_some(what)
}

/// Changes stay in the root, also where somebody has put a link in the place of its folder.
fn stays_in(root: &Path, folder: &Path) -> Result<()> {
    let real = |path: &Path| fs::canonicalize(path).map_err(|error| failed("look at", path, error));
    if real(folder)?.starts_with(real(root)?) {
        return Ok(());
    }
    Err(Error::LinkLeadsOut {
        link: folder.to_path_buf(),
        target: real(folder)?,
    })
}

/// The lock, and whether it keeps others out: some file systems have none.
fn lock(path: &Path) -> Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        options.mode(0o600).custom_flags(flags.cast_signed());
    }
    let file = options
        .open(path)
        .map_err(|error| failed("open", path, error))?;
    let found = file.metadata();
    if !found.is_ok_and(|found| found.is_file()) {
        return Err(Error::NotAFile {
            path: path.to_path_buf(),
        });
    }
    match file.lock() {
        // Where there are no locks, changes do not wait for each other; each is still one step.
        Ok(()) => Ok((file, true)),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok((file, false)),
        Err(error) => Err(failed("lock", path, error)),
    }
}

fn staging_name(folder: &Path, what: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    let pid = std::process::id();
    folder.join(format!("{PREFIX}{what}-{pid}-{nanos:x}-{count}"))
}

/// Something that is being prepared; removed again unless it is moved into place.
pub(super) struct Staged {
    pub(super) path: PathBuf,
    keep: bool,
}

impl Staged {
    pub(super) fn new(folder: &Path, what: &str) -> Self {
        Self {
            path: staging_name(folder, what),
            keep: false,
        }
    }

    /// Moves a prepared profile into its place.
    pub(super) fn publish(self, to: &Path, name: &ProfileName) -> Result<()> {
        reached("staging folder filled");
        if let Err(error) = moving::move_to_free(&self.path, to) {
            return Err(match error.kind() {
                ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty => Error::ProfileExists {
                    name: name.clone(),
                    path: to.to_path_buf(),
                },
                _ => failed("make", to, error),
            });
        }
        self.keep();
        reached("profile in place");
        if let Some(folder) = to.parent() {
            private::sync_dir(folder);
        }
        Ok(())
    }

    /// It has been moved away.
    pub(super) fn keep(mut self) {
        self.keep = true;
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.keep {
            // The next change tries again.
            let _ = private::remove(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_our_making_are_taken_for_leftovers() {
        let name = staging_name(Path::new(""), "import");
        assert_eq!(prepared_for(name.to_str().unwrap()), Some("import"));
        for other in [
            ".hermes-staging-area",
            ".hermes-staging-",
            ".hermes-staging-mine-1-2",
            ".hermes-staging-a-1-zz-3",
            ".hermes-staging-A-1-2-3",
            ".hermes-staging--1-2-3",
            "hermes-staging-a-1-2-3",
        ] {
            assert_eq!(prepared_for(other), None, "{other}");
        }
    }
}
