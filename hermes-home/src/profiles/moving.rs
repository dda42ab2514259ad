//! Moving into place, and never onto something.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Gives `from` the name `to`, unless that is taken: an empty folder there would be replaced by the
/// plain call, and a file by some systems.
pub(super) fn move_to_free(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // The file system does not know the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            done => return Ok(done?),
        }
    }
    match fs::symlink_metadata(to) {
        Err(error) if error.kind() == ErrorKind::NotFound => fs::rename(from, to),
        Err(error) => Err(error),
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
    }
}
