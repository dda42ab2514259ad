//! The copy of a store from before its migration.
//!
//! There is one of each content at most. A migration that fails has changed nothing, so its copy
//! goes away again; one that is killed leaves its copy behind, and the next finds it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::open::side_file;
use crate::snapshot;

/// A copy, and whether it was made just now.
pub(super) struct Backup {
    pub(super) path: PathBuf,
    fresh: bool,
}

impl Backup {
    /// Copies the store beside itself, under a name that says why and when. The caller holds the
    /// write lock, so that only one of several processes does this.
    pub(super) fn make(path: &Path, version: i64) -> Result<Backup> {
        let what = format!("before-migration-v{version}");
        let begin = side_file(path, &format!(".{what}-")).into_os_string();
        let earlier = beginning_with(&begin);
        let to = snapshot::beside(path, &what);
        snapshot::copy_file(path, &to)?;
        let copy = Backup {
            path: to,
            fresh: true,
        };
        for earlier in earlier {
            match same_content(&earlier, &copy.path) {
                Ok(true) => {
                    copy.discard();
                    tracing::info!(backup = %earlier.display(), "copied before, when the migration did not end");
                    return Ok(Backup {
                        path: earlier,
                        fresh: false,
                    });
                }
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(backup = %earlier.display(), %error, "an earlier copy cannot be read");
                }
            }
        }
        tracing::info!(backup = %copy.path.display(), "copied before the migration");
        Ok(copy)
    }

    /// Removes the copy of a migration that has failed, if it was made for that one.
    pub(super) fn discard(self) {
        if self.fresh
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(backup = %self.path.display(), %error, "a needless copy stays behind");
        }
    }
}

/// The files whose full path begins so. A folder that cannot be read has none.
fn beginning_with(begin: &OsString) -> Vec<PathBuf> {
    let begin_bytes = begin.as_encoded_bytes();
    let Some(entries) = Path::new(begin).parent().and_then(|f| fs::read_dir(f).ok()) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.as_os_str().as_encoded_bytes().starts_with(begin_bytes))
        .collect()
}

/// Whether two copies, which nobody has open, hold the same bytes.
fn same_content(one: &Path, other: &Path) -> io::Result<bool> {
    if fs::metadata(one)?.len() != fs::metadata(other)?.len() {
        return Ok(false);
    }
    let mut readers = (File::open(one)?, File::open(other)?);
    let mut blocks = (vec![0; BLOCK], vec![0; BLOCK]);
    loop {
        let read = (
            fill(&mut readers.0, &mut blocks.0)?,
            fill(&mut readers.1, &mut blocks.1)?,
        );
        if blocks.0.get(..read.0) != blocks.1.get(..read.1) {
            return Ok(false);
        }
        if read.0 < BLOCK {
            return Ok(true);
        }
    }
}

const BLOCK: usize = 1 << 20;

/// Reads until the block is full or the file ends.
fn fill(file: &mut File, block: &mut Vec<u8>) -> io::Result<usize> {
    block.clear();
    let read = file.take(BLOCK as u64).read_to_end(block)?;
    Ok(read)
}
