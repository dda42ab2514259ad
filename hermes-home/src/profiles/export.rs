//! A profile as an archive.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

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
        // Both are hidden, and known by their names should they lie inside the profile.
        remove_abandoned(archive);
        let mut partial = Partial::beside(archive, EXPORT);
        let mut copy = Partial::beside(archive, STORE);
        // The callback makes it, under a name that nobody else uses.
        copy.ours = options.snapshot.is_some() && fs::symlink_metadata(&copy.path).is_err();
        let sessions = snapshot(options.snapshot.as_mut(), &home, &copy.path)?;
        let failing = |error| failed("write", archive, error);
        let file = partial.create().map_err(failing)?;
        let mut packer = Packer {
            tar: tar::Builder::new(GzEncoder::new(file, Compression::default())),
            top: PathBuf::from(name.as_str()),
            secrets: options.secrets,
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
            let copy = private::open_plain(&copy.path).map_err(failing)?;
            let store = Path::new("state.db");
            packer.pack_file(store, copy).map_err(failing)?;
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
    /// The live store under other names (hard links) would lose its locks as well.
    store: Vec<FileId>,
    done: Exported,
}

impl<W: Write> Packer<W> {
    fn pack_all(&mut self, profile: &Path, is_root: bool) -> Result<()> {
        // A profile that is a link is packed as what it leads to.
        let profile = fs::canonicalize(profile).map_err(|error| failed("read", profile, error))?;
        let failing = |error| failed("read", &profile, error);
        let id = FileId::of(&fs::metadata(&profile).map_err(failing)?);
        self.pack_dir(Path::new("")).map_err(failing)?;
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let at = profile.join(&folder);
            let names = unless_gone(names_in(&at)).map_err(|error| failed("read", &at, error))?;
            let mut names = names.unwrap_or_default();
            // The same profile gives the same archive.
            names.sort();
            for name in names {
                let below = folder.join(&name);
                let path = profile.join(&below);
                let at_top = folder.as_os_str().is_empty();
                if partial_name(&name).is_some() || (at_top && is_ours(&name, is_root)) {
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
        // Single things may go meanwhile. Should the profile itself have gone, most is missing.
        let now = FileId::of(&fs::metadata(&profile).map_err(failing)?);
        if now != id {
            return Err(failing(ErrorKind::NotFound.into()));
        }
        Ok(())
    }

    /// Packs one thing, unless it has gone since it was listed. Tells whether it is a folder to go
    /// into.
    fn pack(&mut self, below: &Path, path: &Path, at_top: bool) -> io::Result<bool> {
        let name = below.file_name().unwrap_or_default();
        // By its name first: side files of the store come and go.
        if !self.secrets && is_secret(name) {
            return Ok(self.leave_out(below, LeftOutReason::Secret));
        }
        if at_top && is_store(name) {
            return Ok(self.leave_out(below, LeftOutReason::Store));
        }
        let Some(found) = unless_gone(fs::symlink_metadata(path))? else {
            return Ok(false);
        };
        if self.store.contains(&FileId::of(&found)) {
            return Ok(self.leave_out(below, LeftOutReason::Store));
        }
        if found.is_symlink() {
            let Some(target) = unless_gone(fs::read_link(path))? else {
                return Ok(false);
            };
            if !stays_inside(below, &target) {
                return Ok(self.leave_out(below, LeftOutReason::LinkLeadsOut));
            }
            let mut header = header(tar::EntryType::Symlink, 0o777, 0, &found);
            let member = self.top.join(below);
            self.tar.append_link(&mut header, member, &target)?;
            return Ok(false);
        }
        if found.is_dir() {
            self.pack_dir(below)?;
            return Ok(true);
        }
        if !found.is_file() {
            return Ok(self.leave_out(below, LeftOutReason::Special));
        }
        if let Some(file) = unless_gone(private::open_plain(path))? {
            self.pack_file(below, file)?;
        }
        Ok(false)
    }

    /// There is nothing to go into, then.
    fn leave_out(&mut self, below: &Path, reason: LeftOutReason) -> bool {
        let path = below.to_path_buf();
        self.done.left_out.push(LeftOut { path, reason });
        false
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

    fn pack_file(&mut self, below: &Path, file: File) -> io::Result<()> {
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

/// `None` when it is no longer there.
fn unless_gone<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
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

/// What a [`Partial`] becomes: the archive, or the snapshot of the store for it.
const EXPORT: &str = "export";
const STORE: &str = "store";
const PARTIAL: &str = ".partial";
/// What SQLite keeps beside a database.
const SIDES: [&str; 3] = ["-journal", "-wal", "-shm"];

/// A file that is being written; removed unless it is published.
struct Partial {
    path: PathBuf,
    /// Nobody else has made it.
    ours: bool,
}

impl Partial {
    fn beside(archive: &Path, what: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let nanos = since.map_or(0, |since| since.as_nanos());
        let pid = std::process::id();
        let mut name = std::ffi::OsString::from(".");
        name.push(short_name(archive));
        name.push(format!(".{what}-{pid}-{nanos:x}-{count:x}{PARTIAL}"));
        Self {
            path: folder_of(archive).join(name),
            ours: false,
        }
    }

    fn create(&mut self) -> io::Result<File> {
        let file = private::new_file(&self.path, false)?;
        self.ours = true;
        Ok(file)
    }

    fn publish(mut self, archive: &Path, replace: bool) -> Result<()> {
        let moved = match replace {
            true => fs::rename(&self.path, archive),
            false => super::moving::move_to_free(&self.path, archive),
        };
        moved.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::FileExists {
                path: archive.to_path_buf(),
            },
            _ => failed("write", archive, error),
        })?;
        self.ours = false;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if self.ours {
            let _ = private::remove(&self.path);
            // Of a snapshot that has failed.
            for side in SIDES {
                let mut path = self.path.clone().into_os_string();
                path.push(side);
                let _ = private::remove(Path::new(&path));
            }
        }
    }
}

fn folder_of(archive: &Path) -> PathBuf {
    let folder = archive
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf())
}

/// The name of the archive in that of a partial file, which is longer but must not be too long.
fn short_name(archive: &Path) -> std::ffi::OsString {
    let name = archive.file_name().unwrap_or_default();
    let bytes = name.as_encoded_bytes();
    if bytes.len() <= 64 {
        return name.to_owned();
    }
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3) // FNV-1a
    });
    let text = name.to_string_lossy();
    let start = text.get(..text.floor_char_boundary(40));
    format!("{}~{hash:016x}", start.unwrap_or_default()).into()
}

/// The archive in the name of a partial file or of a file beside it, and the process it is from.
fn partial_name(name: &OsStr) -> Option<(&[u8], u32)> {
    let name = name.as_encoded_bytes().strip_prefix(b".")?;
    let main = SIDES.map(|side| name.strip_suffix(side.as_bytes()));
    let main = main.into_iter().flatten().next().unwrap_or(name);
    let main = main.strip_suffix(PARTIAL.as_bytes())?;
    let (archive, rest) = main.split_at(main.iter().rposition(|byte| *byte == b'.')?);
    let mut parts = std::str::from_utf8(rest).ok()?.split('-');
    let what = parts.next()?.strip_prefix('.')?;
    let pid = parts.next()?.parse().ok()?;
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Older versions wrote only the process.
    ((what == EXPORT || what == STORE) && parts.all(is_hex)).then_some((archive, pid))
}

/// Removes what earlier exports to the same archive have left when they were killed.
fn remove_abandoned(archive: &Path) {
    let (folder, short) = (folder_of(archive), short_name(archive));
    for name in names_in(&folder).unwrap_or_default() {
        let path = folder.join(&name);
        if partial_name(&name)
            .is_some_and(|(of, pid)| of == short.as_encoded_bytes() && is_abandoned(&path, pid))
        {
            let _ = fs::remove_file(path);
        }
    }
}

/// Whether the process that wrote the file is known to be gone.
#[cfg(target_os = "linux")]
fn is_abandoned(path: &Path, pid: u32) -> bool {
    use std::os::unix::fs::MetadataExt;
    // The processes of others may be hidden, so only files of our own are judged.
    let (Ok(we), Ok(file)) = (fs::metadata("/proc/self"), fs::symlink_metadata(path)) else {
        return false;
    };
    let process = fs::symlink_metadata(format!("/proc/{pid}"));
    file.is_file()
        && file.uid() == we.uid()
        && process.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

#[cfg(not(target_os = "linux"))]
fn is_abandoned(_: &Path, _: u32) -> bool {
    false
}
