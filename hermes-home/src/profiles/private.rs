//! New folders and files, for their owner only.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::ownership::failed;
use crate::{Error, Result};

/// Makes a folder, and those above it that are missing.
pub(crate) fn make_dirs(path: &Path) -> Result<()> {
    builder()
        .recursive(true)
        .create(path)
        .map_err(|error| failed("make", path, error))
}

/// Makes a folder that must not be there yet.
pub(super) fn make_dir(path: &Path) -> Result<()> {
    builder()
        .create(path)
        .map_err(|error| failed("make", path, error))
}

fn builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Makes a file that must not be there yet.
pub(super) fn new_file(path: &Path, executable: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if executable { 0o700 } else { 0o600 });
    #[cfg(not(unix))]
    let _ = executable;
    options.open(path)
}

/// Opens a file to read it, unless it is a link, and without waiting for anybody.
pub(super) fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.cast_signed());
    }
    options.open(path)
}

/// Takes the rights of others to a file of ours away.
pub(super) fn restrict(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
            .map_err(|error| failed("restrict", path, error))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Writes a file and has it on the disk.
pub(super) fn write_new(path: &Path, content: &[u8]) -> Result<()> {
    let write = || {
        let mut file = new_file(path, false)?;
        file.write_all(content)?;
        file.sync_all()
    };
    write().map_err(|error| failed("write", path, error))
}

/// Has the names in a folder on the disk. Where the system cannot do that, it is not done: the
/// change itself has been made.
pub(super) fn sync_dir(path: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(path) {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Removes what is at the path, whatever it is. A link is removed, and never followed.
pub(super) fn remove(path: &Path) -> Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path).or_else(|error| {
            // On Windows a link to a folder is removed as a folder.
            if cfg!(windows) {
                fs::remove_dir(path)
            } else {
                Err(error)
            }
        }),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path, error)),
        _ => Ok(()),
    }
}

/// Removes a file or a link. A folder of that name is not ours to remove.
pub(super) fn remove_file(path: &Path) -> Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        return Err(Error::NotAFile {
            path: path.to_path_buf(),
        });
    }
    remove(path)
}
