//! What the targets share: databases to begin with, and what an input makes of them.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use tempfile::TempDir;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// At most so many changes.
const CHANGES: usize = 64;

/// The databases to begin with: those of the folder that `HERMES_FUZZ_DATABASES` names.
static DATABASES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folder = std::env::var_os("HERMES_FUZZ_DATABASES").expect("HERMES_FUZZ_DATABASES is set");
    let mut paths: Vec<PathBuf> = fs::read_dir(PathBuf::from(folder))
        .expect("the folder of databases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let read = paths.iter().map(|path| fs::read(path).expect("a database"));
    read.collect()
});

/// A database with the changes of an input: its first byte chooses the database, each next four are
/// one change: page, place (two bytes, as `change` reads it), and the new byte. `change` is given the
/// page, the place and the byte. Nothing for an empty input.
pub fn changed(input: &[u8], change: impl Fn(&mut [u8], usize, u8)) -> Option<Vec<u8>> {
    let (chosen, changes) = input.split_first()?;
    let mut bytes = DATABASES[usize::from(*chosen) % DATABASES.len()].clone();
    for four in changes.chunks_exact(4).take(CHANGES) {
        let page = usize::from(four[0]) % (bytes.len() / PAGE) * PAGE;
        let place = usize::from(u16::from_le_bytes([four[1], four[2]]));
        change(&mut bytes[page..page + PAGE], place, four[3]);
    }
    Some(bytes)
}

/// A folder with these bytes as its store, and the path of that.
pub fn stored(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state.db");
    fs::write(&path, bytes).expect("the file is written");
    (folder, path)
}
