//! The few questions that are asked of the file system. Nothing here writes.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::Platform;

/// What is found at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Dir,
    File,
    /// A pipe, a socket, a device: nothing to be read, since reading may block.
    Other,
}

/// A file system to look at. Tests of the rules of another platform hand in one of their own.
pub(crate) trait Files {
    /// What is at `path`, links followed.
    fn kind(&self, path: &Path) -> io::Result<Kind>;
    /// Where the link at `path` leads; `None` when what is there is no link.
    fn link(&self, path: &Path) -> io::Result<Option<PathBuf>>;
    /// The path without any link in it.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf>;
    /// The beginning of a file.
    fn read_up_to(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;
    /// The names in a directory, in no order.
    fn names(&self, dir: &Path) -> io::Result<Vec<OsString>>;
}

/// The file system that belongs to the rules of `platform`.
pub(crate) fn files_of(platform: Platform) -> &'static dyn Files {
    if platform == Platform::host() {
        &Disk
    } else {
        &Nowhere
    }
}

struct Disk;

impl Files for Disk {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        let found = fs::metadata(path)?.file_type();
        Ok(if found.is_dir() {
            Kind::Dir
        } else if found.is_file() {
            Kind::File
        } else {
            Kind::Other
        })
    }

    fn link(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        if fs::symlink_metadata(path)?.is_symlink() {
            fs::read_link(path).map(Some)
        } else {
            Ok(None)
        }
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn read_up_to(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        open(path)?.take(limit).read_to_end(&mut start)?;
        Ok(start)
    }

    fn names(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(dir)?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect()
    }
}

/// Without waiting for anybody: what was a file a moment ago may be a pipe now.
fn open(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let no_wait = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(no_wait.cast_signed());
    }
    options.open(path)
}

/// The file system of a platform that we do not run on: nothing exists yet.
struct Nowhere;

impl Files for Nowhere {
    fn kind(&self, _: &Path) -> io::Result<Kind> {
        Err(ErrorKind::NotFound.into())
    }

    fn link(&self, _: &Path) -> io::Result<Option<PathBuf>> {
        Err(ErrorKind::NotFound.into())
    }

    fn canonicalize(&self, _: &Path) -> io::Result<PathBuf> {
        Err(ErrorKind::NotFound.into())
    }

    fn read_up_to(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
        Err(ErrorKind::NotFound.into())
    }

    fn names(&self, _: &Path) -> io::Result<Vec<OsString>> {
        Err(ErrorKind::NotFound.into())
    }
}
