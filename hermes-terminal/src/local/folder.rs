//! Private folders: where a shell is told what to do, and leaves what it has done.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::script::{self, Dialect};
use crate::{Error, Result};

/// The folder of a task. Nobody else can look into it.
#[derive(Debug)]
pub(super) struct TaskFolder {
    folder: TempDir,
    end: PathBuf,
}

impl TaskFolder {
    pub(super) fn make(inside: &Path, dialect: Dialect) -> Result<Self> {
        let failed = || Error::io(format!("making a private folder in {}", inside.display()));
        let folder = tempfile::Builder::new()
            .prefix("hermes-terminal-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(inside)
            .map_err(failed())?;
        let end = folder.path().join("end");
        fs::write(&end, script::end(dialect)).map_err(failed())?;
        Ok(Self { folder, end })
    }

    /// What is run at the end of a command.
    pub(super) fn end(&self) -> &Path {
        &self.end
    }

    /// Whether nobody has tidied it away.
    pub(super) fn is_there(&self) -> bool {
        self.end.is_file()
    }

    pub(super) fn call(&self) -> Result<CallFolder> {
        let folder = tempfile::Builder::new()
            .prefix("call-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(self.folder.path())
            .map_err(Error::io("making a folder for a command"))?;
        Ok(CallFolder { folder })
    }
}

/// The folder of one command; when the state in it is taken over, that of the task's state. It is
/// removed when nobody uses it any more.
#[derive(Debug)]
pub(super) struct CallFolder {
    folder: TempDir,
}

impl CallFolder {
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes what the shell is to run first, and says where it is.
    pub(super) fn write_beginning(&self, text: &[u8]) -> Result<PathBuf> {
        let file = self.path().join("call");
        fs::write(&file, text).map_err(Error::io(format!("writing {}", file.display())))?;
        Ok(file)
    }

    /// The directory that the shell was in at its end; nothing if it did not get there.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        let mut text = fs::read(self.path().join(script::DIRECTORY)).ok()?;
        (text.pop()? == b'\n').then_some(())?;
        let directory = PathBuf::from(OsString::from_vec(text));
        directory.is_absolute().then_some(directory)
    }

    /// The names of the variables that were exported at the end; nothing if the shell can't tell.
    pub(super) fn exported(&self) -> Option<BTreeSet<OsString>> {
        let text = fs::read(self.path().join(script::NAMES)).ok()?;
        let names = text.split(|&byte| byte == b'\n');
        Some(
            names
                .map(|name| OsString::from_vec(name.to_vec()))
                .collect(),
        )
    }
}
