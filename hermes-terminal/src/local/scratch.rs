//! Texts that a shell reads and writes by name, apart from what a command reads and writes.
//!
//! On Linux they are in the memory of this process, and the shell opens them through its `/proc`:
//! nothing is on a disk, nothing is left after a crash, and no descriptor is inherited. Elsewhere
//! they are files in a private folder.

#[cfg(target_os = "linux")]
use std::fs::File;
use std::fs::{self, Permissions};
use std::io;
#[cfg(target_os = "linux")]
use std::io::Write;
#[cfg(target_os = "linux")]
use std::os::unix::fs::FileExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{Error, Result};

/// The texts of one command.
#[derive(Debug)]
pub(super) enum Scratch {
    #[cfg(target_os = "linux")]
    Memory(Vec<(&'static str, File)>),
    Folder(TempDir),
}

impl Scratch {
    /// In a folder inside of this one; without one, in memory where that is possible.
    pub(super) fn new(inside: Option<&Path>) -> Result<Self> {
        #[cfg(target_os = "linux")]
        if inside.is_none() && memory::can_be_opened() {
            return Ok(Self::Memory(Vec::new()));
        }
        let inside = inside.map_or_else(std::env::temp_dir, Path::to_owned);
        let folder = tempfile::Builder::new()
            .prefix("hermes-terminal-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&inside)
            .map_err(Error::io(format!(
                "making a private folder in {}",
                inside.display()
            )))?;
        Ok(Self::Folder(folder))
    }

    /// A text for the shell to read, or with nothing in it, to write. Its path for the shell.
    pub(super) fn put(&mut self, name: &'static str, text: &[u8]) -> Result<PathBuf> {
        self.try_put(name, text)
            .map_err(Error::io("preparing a command"))
    }

    fn try_put(&mut self, name: &'static str, text: &[u8]) -> io::Result<PathBuf> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Memory(files) => {
                let mut file = memory::file(name)?;
                file.write_all(text)?;
                let path = memory::path(&file);
                files.push((name, file));
                Ok(path)
            }
            Self::Folder(folder) => {
                let path = folder.path().join(name);
                if !text.is_empty() {
                    fs::write(&path, text)?;
                }
                Ok(path)
            }
        }
    }

    /// What is in a text now; nothing if it can't be read.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Memory(files) => {
                let (_, file) = files.iter().find(|(known, _)| *known == name)?;
                let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
                let mut text = vec![0; length];
                file.read_exact_at(&mut text, 0).ok()?;
                Some(text)
            }
            Self::Folder(folder) => fs::read(folder.path().join(name)).ok(),
        }
    }
}

#[cfg(target_os = "linux")]
mod memory {
    //! Files that are nowhere but in memory.

    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::PathBuf;
    use std::sync::OnceLock;

    use rustix::fs::{MemfdFlags, memfd_create};
    use rustix::process::{DumpableBehavior, dumpable_behavior};

    pub(super) fn file(name: &str) -> io::Result<File> {
        Ok(File::from(memfd_create(name, MemfdFlags::CLOEXEC)?))
    }

    pub(super) fn path(file: &File) -> PathBuf {
        PathBuf::from(format!(
            "/proc/{}/fd/{}",
            std::process::id(),
            file.as_raw_fd()
        ))
    }

    /// Not where `/proc` is missing or hidden, and not while this process keeps its own closed.
    pub(super) fn can_be_opened() -> bool {
        static CAN: OnceLock<bool> = OnceLock::new();
        *CAN.get_or_init(|| file("try").is_ok_and(|file| File::open(path(&file)).is_ok()))
            && dumpable_behavior().is_ok_and(|behaviour| behaviour == DumpableBehavior::Dumpable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written_by_their_paths() {
        let folder = tempfile::tempdir().unwrap();
        for inside in [None, Some(folder.path())] {
            let mut scratch = Scratch::new(inside).unwrap();
            let read = scratch.put("read", b"text").unwrap();
            let written = scratch.put("written", b"").unwrap();
            assert_eq!(fs::read(&read).unwrap(), b"text");
            fs::write(&written, b"something long").unwrap();
            fs::write(&written, b"short\n").unwrap();
            assert_eq!(scratch.read("written").unwrap(), b"short\n");
            assert_eq!(scratch.read("none"), None);
            drop(scratch);
            assert!(!read.exists());
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let error = Scratch::new(Some(Path::new("/no/such/folder"))).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder"));
    }
}
