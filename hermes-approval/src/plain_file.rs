//! Opening what has to be a plain file. A pipe would be waited for, and a device would act.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::path::Path;

use crate::{Error, Result};

/// Opens a plain file, through its links, and without waiting for anybody.
pub(crate) fn open(options: &mut OpenOptions, action: &'static str, path: &Path) -> Result<File> {
    // Before it is opened: opening alone does something to a tape or a watchdog.
    refuse_others(path)?;
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path).map_err(Error::io(action, path))?;
    // And after it: somebody may have put another thing there meanwhile.
    let meta = file.metadata().map_err(Error::io("look at", path))?;
    must_be_plain(&meta, path)?;
    Ok(file)
}

/// Refuses what is there and no plain file. What cannot be looked at is left to the opening, which
/// says why.
pub(crate) fn refuse_others(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(meta) => must_be_plain(&meta, path),
        Err(_) => Ok(()),
    }
}

fn must_be_plain(meta: &Metadata, path: &Path) -> Result<()> {
    if meta.is_file() {
        return Ok(());
    }
    Err(Error::NotAFile {
        path: path.to_owned(),
        found: kind(meta.file_type()),
    })
}

fn kind(found: FileType) -> &'static str {
    if found.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
        if found.is_char_device() || found.is_block_device() {
            return "a device";
        }
    }
    "something else"
}
