//! A profile as an archive.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::archive::stays_inside;
use super::copying::{Snapshot, SnapshotResult, snapshot};
use super::secrets::is_secret;
use super::staging::PREFIX;
use super::{Profiles, private};
use crate::ownership::failed;
use crate::{Error, HermesHome, ProfileName, Result};

/// What goes into an archive.
#[derive(Default)]
pub struct ExportOptions<'a> {
    secrets: bool,
    replace: bool,
    snapshot: Option<Snapshot<'a>>,
}

impl<'a> ExportOptions<'a> {
    /// Everything but secrets and the session store.
    pub fn new() -> Self {
        Self::default()
    }

    /// `.env` and other files that hold secrets too.
    #[must_use]
    pub fn with_secrets(mut self) -> Self {
        self.secrets = true;
        self
    }

    /// An archive that is there already is replaced.
    #[must_use]
    pub fn replacing(mut self) -> Self {
        self.replace = true;
        self
    }

    /// The sessions too: the callback is given the `state.db` and the path for a copy of it. It is
    /// not called when there is no store.
    #[must_use]
    pub fn with_snapshot(
        mut self,
        snapshot: impl FnMut(&Path, &Path) -> SnapshotResult + 'a,
    ) -> Self {
        self.snapshot = Some(Box::new(snapshot));
        self
    }
}

impl fmt::Debug for ExportOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportOptions")
            .field("secrets", &self.secrets)
            .field("replace", &self.replace)
            .field("snapshot", &self.snapshot.is_some())
            .finish()
    }
}

/// What an export has done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// The archive.
    pub path: PathBuf,
    /// The files in it.
    pub files: u64,
    /// Their bytes, unpacked.
    pub bytes: u64,
    /// Whether a snapshot of the session store is among them.
    pub sessions: bool,
    /// What is not in it.
    pub left_out: Vec<LeftOut>,
}

/// Something that did not go into an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Its path in the profile.
    pub path: PathBuf,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why something did not go into an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// It may hold secrets.
    Secret,
    /// It is the live session store, or belongs to it.
    Store,
    /// A link that leads, or may lead, out of the profile.
    LinkLeadsOut,
    /// Neither file, folder nor link.
    Special,
}

impl fmt::Display for LeftOutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secret => "it may hold secrets",
            Self::Store => "it is the live session store",
            Self::LinkLeadsOut => "it is a link out of the profile",
            Self::Special => "it is neither file, folder nor link",
        })
    }
}

impl Profiles {
    /// Writes a profile into a `.tar.gz`, which is there as a whole or not at all. The live store
    /// and its side files are never opened. Of `default`, the other profiles are left out.
    ///
    /// # Errors
    /// [`Error::ProfileNotFound`], [`Error::FileExists`], [`Error::Snapshot`], [`Error::NotOurs`],
    /// [`Error::Io`].
    pub fn export(
        &self,
        name: &ProfileName,
        archive: &Path,
        mut options: ExportOptions<'_>,
    ) -> Result<Exported> {
        self.check_platform()?;
        let home = self.get(name)?;
        if !options.replace && fs::symlink_metadata(archive).is_ok() {
            let path = archive.to_path_buf();
            return Err(Error::FileExists { path });
        }
        // Both are hidden, and found again by their path should they lie inside the profile.
        let partial = Partial::beside(archive, "export");
        let copy = Partial::beside(archive, "store");
        let sessions = snapshot(options.snapshot.as_mut(), &home, &copy.path)?;
        let failing = |error| failed("write", archive, error);
        let file = private::new_file(&partial.path, false).map_err(failing)?;
        let mut packer = Packer {
            tar: tar::Builder::new(GzEncoder::new(file, Compression::default())),
            top: PathBuf::from(name.as_str()),
            secrets: options.secrets,
            apart: vec![partial.path.clone(), copy.path.clone()],
            store: store_files(&home),
            done: Exported {
                path: archive.to_path_buf(),
                files: 0,
                bytes: 0,
                sessions,
                left_out: Vec::new(),
            },
        };
        packer.pack_all(home.path(), name.is_default())?;
        if sessions {
            let store = Path::new("state.db");
            packer.pack_file(store, &copy.path).map_err(failing)?;
        }
        let done = packer.done;
        let file = packer.tar.into_inner().and_then(GzEncoder::finish);
        file.and_then(|file| file.sync_all()).map_err(failing)?;
        partial.publish(archive, options.replace)?;
        Ok(done)
    }
}

struct Packer<W: Write> {
    tar: tar::Builder<W>,
    top: PathBuf,
    secrets: bool,
    /// What we are writing ourselves.
    apart: Vec<PathBuf>,
    /// The live store under other names (hard links) would lose its locks as well.
    store: Vec<FileId>,
    done: Exported,
}

impl<W: Write> Packer<W> {
    fn pack_all(&mut self, profile: &Path, is_root: bool) -> Result<()> {
        // A profile that is a link is packed as what it leads to.
        let profile = fs::canonicalize(profile).map_err(|error| failed("read", profile, error))?;
        self.pack_dir(Path::new(""))
            .map_err(|error| failed("read", &profile, error))?;
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let at = profile.join(&folder);
            let mut names = names_in(&at).map_err(|error| failed("read", &at, error))?;
            // The same profile gives the same archive.
            names.sort();
            for name in names {
                let below = folder.join(&name);
                let path = profile.join(&below);
                let at_top = folder.as_os_str().is_empty();
                if self.apart.contains(&path) || (at_top && is_ours(&name, is_root)) {
                    continue;
                }
                let is_dir = self
                    .pack(&below, &path, at_top)
                    .map_err(|error| failed("read", &path, error))?;
                if is_dir {
                    folders.push(below);
                }
            }
        }
        Ok(())
    }

    /// Packs one thing. Tells whether it is a folder to go into.
    fn pack(&mut self, below: &Path, path: &Path, at_top: bool) -> io::Result<bool> {
        let found = fs::symlink_metadata(path)?;
        let name = below.file_name().unwrap_or_default();
        let reason = if !self.secrets && is_secret(name) {
            Some(LeftOutReason::Secret)
        } else if (at_top && is_store(name)) || self.store.contains(&FileId::of(&found)) {
            Some(LeftOutReason::Store)
        } else if found.is_symlink() {
            let target = fs::read_link(path)?;
            if stays_inside(below, &target) {
                let mut header = header(tar::EntryType::Symlink, 0o777, 0, &found);
                let member = self.top.join(below);
                self.tar.append_link(&mut header, member, &target)?;
                return Ok(false);
            }
            Some(LeftOutReason::LinkLeadsOut)
        } else if found.is_dir() {
            self.pack_dir(below)?;
            return Ok(true);
        } else if found.is_file() {
            self.pack_file(below, path)?;
            return Ok(false);
        } else {
            Some(LeftOutReason::Special)
        };
        self.done.left_out.extend(reason.map(|reason| LeftOut {
            path: below.to_path_buf(),
            reason,
        }));
        Ok(false)
    }

    fn pack_dir(&mut self, below: &Path) -> io::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Directory);
        header.set_mode(0o700);
        header.set_size(0);
        // With a separator at the end, as others write folders too.
        let member = self.top.join(below).join("");
        self.tar.append_data(&mut header, member, io::empty())
    }

    fn pack_file(&mut self, below: &Path, path: &Path) -> io::Result<()> {
        let file = private::open_plain(path)?;
        let found = file.metadata()?;
        let size = found.len();
        let mode = if is_executable(&found) { 0o700 } else { 0o600 };
        let mut header = header(tar::EntryType::Regular, mode, size, &found);
        // A log may grow or shrink meanwhile; the archive has the size that it says.
        let content = file.take(size).chain(io::repeat(0)).take(size);
        let member = self.top.join(below);
        self.tar.append_data(&mut header, member, content)?;
        self.done.files += 1;
        self.done.bytes = self.done.bytes.saturating_add(size);
        Ok(())
    }
}

/// What belongs to the root and not to the profile `default`, and what is being changed.
fn is_ours(name: &OsStr, is_root: bool) -> bool {
    let staging = name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
    staging || (is_root && (name == "profiles" || name == "active_profile"))
}

/// The store, its side files, and copies that others keep beside it.
fn is_store(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"state.db")
}

fn names_in(folder: &Path) -> io::Result<Vec<std::ffi::OsString>> {
    fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect()
}

fn header(kind: tar::EntryType, mode: u32, size: u64, found: &Metadata) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    let since = found.modified().ok().and_then(|time| {
        let since = time.duration_since(std::time::UNIX_EPOCH);
        since.ok()
    });
    header.set_mtime(since.map_or(0, |since| since.as_secs()));
    header
}

/// What tells one file from another, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(Option<(u64, u64)>);

impl FileId {
    #[cfg(unix)]
    fn of(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(Some((found.dev(), found.ino())))
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        Self(None)
    }
}

/// The live store and its side files, without opening one.
fn store_files(home: &HermesHome) -> Vec<FileId> {
    ["", "-wal", "-shm", "-journal"]
        .into_iter()
        .filter_map(|suffix| {
            let mut path = home.state_db().as_os_str().to_owned();
            path.push(suffix);
            fs::metadata(path).ok()
        })
        .map(|found| FileId::of(&found))
        .filter(|id| id.0.is_some())
        .collect()
}

#[cfg(unix)]
fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

/// A file that is being written; removed unless it is published.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn beside(archive: &Path, what: &str) -> Self {
        let folder = archive
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // The real folder, so that it is recognised when it lies in the profile.
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        let mut name = std::ffi::OsString::from(".");
        name.push(archive.file_name().unwrap_or_default());
        name.push(format!(".{what}-{}.partial", std::process::id()));
        Self {
            path: folder.join(name),
        }
    }

    fn publish(self, archive: &Path, replace: bool) -> Result<()> {
        let moved = match replace {
            true => fs::rename(&self.path, archive),
            false => super::moving::move_to_free(&self.path, archive),
        };
        moved.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::FileExists {
                path: archive.to_path_buf(),
            },
            _ => failed("write", archive, error),
        })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already when it was published.
        let _ = private::remove(&self.path);
    }
}
