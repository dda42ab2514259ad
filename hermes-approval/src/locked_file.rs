//! A file that several processes change: locked, replaced as a whole, never half written.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::kill_point::reached;
use crate::{Error, Result, plain_file};

/// How long a lock is waited for. A change takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);
/// What no file that a person keeps is larger than.
pub(crate) const SIZE_LIMIT: u64 = 16 << 20;

/// What tells one state of a file from the next without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    inode: u64,
    device: u64,
    /// In nanoseconds; unlike the time of change, a program cannot set it back.
    changed: i128,
}

impl Stamp {
    pub(crate) fn of(meta: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let (inode, device, changed) = {
            use std::os::unix::fs::MetadataExt;
            let changed = i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec());
            (meta.ino(), meta.dev(), changed)
        };
        #[cfg(not(unix))]
        let (inode, device, changed) = (0, 0, 0);
        Self {
            len: meta.len(),
            modified: meta.modified().ok(),
            inode,
            device,
            changed,
        }
    }

    /// Whether the file may change once more without a new stamp: the clocks of file systems tick
    /// slowly, some in steps of two seconds.
    pub(crate) fn may_hide_a_change(&self, now: SystemTime) -> bool {
        self.modified.is_none_or(|modified| {
            now.duration_since(modified)
                .map_or(true, |age| age < Duration::from_secs(3))
        })
    }
}

/// The bytes of a file, and the state they belong to.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) bytes: Vec<u8>,
    pub(crate) stamp: Stamp,
    meta: fs::Metadata,
}

/// Reads a file through its links; `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Contents>> {
    let file = match plain_file::open(OpenOptions::new().read(true), "open", path) {
        Ok(file) => file,
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let meta = file.metadata().map_err(Error::io("look at", path))?;
    if meta.len() > SIZE_LIMIT {
        return Err(Error::TooLarge {
            path: path.to_owned(),
            found: meta.len(),
            limit: SIZE_LIMIT,
        });
    }
    let mut bytes = Vec::new();
    file.take(SIZE_LIMIT)
        .read_to_end(&mut bytes)
        .map_err(Error::io("read", path))?;
    Ok(Some(Contents {
        bytes,
        stamp: Stamp::of(&meta),
        meta,
    }))
}

/// A file under its lock, which ends with this value.
#[derive(Debug)]
pub(crate) struct LockedFile {
    /// Behind all links.
    target: PathBuf,
    _lock: File,
}

impl LockedFile {
    /// Locks the file at `path`, which need not exist; its directory must.
    pub(crate) fn lock(path: &Path) -> Result<Self> {
        // No lock is left beside a device.
        plain_file::refuse_others(path)?;
        let target = behind_links(path)?;
        let lock = lock(&target)?;
        Ok(Self {
            target,
            _lock: lock,
        })
    }

    /// What the file holds now; `None` when there is none.
    pub(crate) fn read(&self) -> Result<Option<Contents>> {
        read(&self.target)
    }

    /// Puts `bytes` in the place of `old`, keeping mode and owner. Gives `false` and changes
    /// nothing if the file is no longer as `old` says: not every program that writes it locks it.
    pub(crate) fn replace(&self, old: Option<&Contents>, bytes: &[u8]) -> Result<bool> {
        if old.is_some_and(|old| old.meta.permissions().readonly()) {
            return Err(Error::ReadOnly {
                path: self.target.clone(),
            });
        }
        // One name is enough under the lock, and what a killed process left is found again.
        let fresh = beside(&self.target, ".hermes-new");
        let written = self.write_fresh(&fresh, old, bytes).and_then(|()| {
            reached("written");
            if self.stamp_now()? != old.map(|old| old.stamp) {
                return Ok(false);
            }
            fs::rename(&fresh, &self.target).map_err(Error::io("replace", &self.target))?;
            reached("replaced");
            self.sync_directory()?;
            Ok(true)
        });
        if !matches!(written, Ok(true)) && fs::remove_file(&fresh).is_err() {
            tracing::warn!(path = %fresh.display(), "cannot remove an unused file; the next change will");
        }
        written
    }

    fn write_fresh(&self, fresh: &Path, old: Option<&Contents>, bytes: &[u8]) -> Result<()> {
        match fs::remove_file(fresh) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io("remove", fresh)(error));
            }
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = options.open(fresh).map_err(Error::io("create", fresh))?;
        reached("created");
        file.write_all(bytes).map_err(Error::io("write", fresh))?;
        reached("unsynced");
        if let Some(old) = old {
            keep_owner_and_mode(&file, &old.meta).map_err(Error::io("set the mode of", fresh))?;
        }
        file.sync_all().map_err(Error::io("sync", fresh))
    }

    fn stamp_now(&self) -> Result<Option<Stamp>> {
        match fs::metadata(&self.target) {
            Ok(meta) => Ok(Some(Stamp::of(&meta))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("look at", &self.target)(error)),
        }
    }

    /// So that the new name survives a loss of power, too.
    fn sync_directory(&self) -> Result<()> {
        #[cfg(unix)]
        if let Some(directory) = self.target.parent() {
            let directory = if directory.as_os_str().is_empty() {
                Path::new(".")
            } else {
                directory
            };
            File::open(directory)
                .and_then(|directory| directory.sync_all())
                .map_err(Error::io("sync", directory))?;
        }
        Ok(())
    }
}

/// The lock of a file: on another one that is made for it, 0600. That is never removed: whoever
/// waits for it holds it open.
pub(crate) fn lock(target: &Path) -> Result<File> {
    has_folder(target)?;
    let path = beside(target, ".lock");
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let lock = plain_file::open(&mut options, "create", &path)?;
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                // There is no lock with a time-out to wait for.
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Locked {
                    path,
                    waited: begun.elapsed(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
        }
    }
}

/// `name` + `suffix`, in the same directory.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// Said here, since a lock that cannot be made says nothing to a person.
fn has_folder(path: &Path) -> Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(Error::NoFolder {
                path: path.to_owned(),
                folder: folder.to_owned(),
            })
        }
        _ => Ok(()),
    }
}

fn behind_links(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(target) => return Ok(target),
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Error::io("find", path)(error));
        }
        Err(_) => {}
    }
    match fs::read_link(path) {
        Ok(target) => Err(Error::DanglingLink {
            link: path.to_owned(),
            target,
        }),
        Err(_) => Ok(path.to_owned()),
    }
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_owner_and_mode(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}
