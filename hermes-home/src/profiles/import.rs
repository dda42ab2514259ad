//! A profile out of an archive.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::archive::{ArchiveLimits, ArchiveProblem, unreadable};
use super::member::{Member, checked};
use super::staging::Workshop;
use super::{Profiles, private};
use crate::kill_point::reached;
use crate::ownership::failed;
use crate::{Error, HermesHome, ProfileName, Result};

/// How an archive is imported.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    name: Option<ProfileName>,
    limits: ArchiveLimits,
}

impl ImportOptions {
    /// Under the name that the archive says.
    pub fn new() -> Self {
        Self::default()
    }

    /// Under this name.
    #[must_use]
    pub fn with_name(mut self, name: &ProfileName) -> Self {
        self.name = Some(name.clone());
        self
    }

    /// With other limits than the usual.
    #[must_use]
    pub fn with_limits(mut self, limits: ArchiveLimits) -> Self {
        self.limits = limits;
        self
    }
}

/// What an import has done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// The new profile.
    pub name: ProfileName,
    /// Its home.
    pub home: HermesHome,
    /// The files in it.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Profiles {
    /// Makes a profile of an archive that [`Profiles::export`] has written. The archive is read to
    /// its end before anything is made, and the profile is there as a whole or not at all.
    ///
    /// # Errors
    /// [`Error::Archive`] for an archive that is refused, [`Error::ReservedProfileName`],
    /// [`Error::ProfileExists`], [`Error::NotAFile`], [`Error::NotOurs`], [`Error::Io`].
    pub fn import(&self, archive: &Path, options: ImportOptions) -> Result<Imported> {
        self.check_platform()?;
        let mut file = open(archive)?;
        let seen = read_archive(archive, &file, options.limits, None)?;
        let name = match (
            options.name,
            ProfileName::from_dir_name(seen.top.as_os_str()),
        ) {
            (Some(name), _) | (None, Some(name)) => name,
            (None, None) => return Err(ArchiveProblem::NoName.of(archive, Some(&seen.top))),
        };
        self.check_new(&name)?;
        let workshop = Workshop::open(&self.root())?;
        self.check_new(&name)?;
        let staged = workshop.stage("import")?;
        file.rewind()
            .map_err(|error| failed("read", archive, error))?;
        let made = read_archive(archive, &file, options.limits, Some(&staged.path))?;
        for (path, target) in &made.links {
            make_link(&staged.path.join(path), target)?;
        }
        private::sync_dir(&staged.path);
        staged.publish(&self.dir(&name), &name)?;
        Ok(Imported {
            home: self.home(&name),
            name,
            files: made.files,
            bytes: made.bytes,
        })
    }
}

fn open(archive: &Path) -> Result<File> {
    // The kind first: opening a pipe would wait for a writer.
    let found = fs::metadata(archive).map_err(|error| failed("read", archive, error))?;
    if !found.is_file() {
        return Err(Error::NotAFile {
            path: archive.to_path_buf(),
        });
    }
    File::open(archive).map_err(|error| failed("read", archive, error))
}

/// What an archive holds.
#[derive(Default)]
struct Contents {
    top: PathBuf,
    files: u64,
    bytes: u64,
    /// Made last, so that nothing is written through one.
    links: Vec<(PathBuf, PathBuf)>,
}

/// Reads an archive to its end and checks every member; makes the folders and files too, if there
/// is a place for them.
fn read_archive(
    archive: &Path,
    file: &File,
    limits: ArchiveLimits,
    place: Option<&Path>,
) -> Result<Contents> {
    let allowance = Allowance::default();
    let reader = Rationed {
        inner: MultiGzDecoder::new(io::BufReader::new(file)),
        allowance: &allowance,
    };
    let mut tar = tar::Archive::new(reader);
    let mut contents = Contents::default();
    let mut taken = HashSet::new();
    let mut members = 0_u64;
    {
        let mut entries = tar.entries().map_err(unreadable(archive))?;
        loop {
            allowance.grant(HEADERS);
            let Some(entry) = entries.next() else {
                break;
            };
            let mut entry = entry.map_err(unreadable(archive))?;
            let shown = PathBuf::from(String::from_utf8_lossy(&entry.path_bytes()).into_owned());
            let refused = |problem: ArchiveProblem| problem.of(archive, Some(&shown));
            if is_sparse(&mut entry).map_err(unreadable(archive))? {
                return Err(refused(ArchiveProblem::Special));
            }
            let (top, member) = checked(&entry).map_err(refused)?;
            members += 1;
            if members > limits.members {
                return Err(ArchiveProblem::TooManyMembers(limits.members).of(archive, None));
            }
            if let Some(top) = top {
                if contents.top.as_os_str().is_empty() {
                    contents.top = top;
                } else if contents.top != top {
                    return Err(refused(ArchiveProblem::NoTopFolder));
                }
            }
            match member {
                Member::Nothing => {}
                Member::Dir(path) => {
                    if taken.contains(&path) {
                        return Err(refused(ArchiveProblem::Twice));
                    }
                    if let Some(place) = place {
                        private::make_dirs(&place.join(path))?;
                    }
                }
                Member::Link { path, target } => {
                    claim(&mut taken, &path).map_err(refused)?;
                    contents.links.push((path, target));
                }
                Member::File {
                    path,
                    size,
                    executable,
                } => {
                    claim(&mut taken, &path).map_err(refused)?;
                    contents.files += 1;
                    contents.bytes = contents.bytes.saturating_add(size);
                    if contents.bytes > limits.bytes {
                        return Err(ArchiveProblem::TooLarge(limits.bytes).of(archive, None));
                    }
                    allowance.grant(size.saturating_add(HEADERS));
                    match place {
                        Some(place) => unpack(&mut entry, archive, &place.join(path), executable)?,
                        None => read_through(&mut entry, archive)?,
                    }
                }
            }
        }
    }
    // To the end, where the check sum is.
    allowance.grant(TRAILER);
    let mut rest = tar.into_inner();
    io::copy(&mut rest, &mut io::sink()).map_err(unreadable(archive))?;
    if allowance.zeros.get() < END_BYTES {
        return Err(ArchiveProblem::Unreadable("it is cut off".to_owned()).of(archive, None));
    }
    if contents.top.as_os_str().is_empty() {
        return Err(ArchiveProblem::Empty.of(archive, None));
    }
    Ok(contents)
}

/// Whether the member's content is a map of holes and what lies between, which is not unpacked here.
fn is_sparse<R: Read>(entry: &mut tar::Entry<'_, R>) -> io::Result<bool> {
    for extension in entry.pax_extensions()?.into_iter().flatten() {
        if extension?.key_bytes().starts_with(b"GNU.sparse.") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// No two members may be of one name, and none may lie below a file or link.
fn claim(taken: &mut HashSet<PathBuf>, path: &Path) -> Result<(), ArchiveProblem> {
    if path.ancestors().any(|above| taken.contains(above)) {
        return Err(ArchiveProblem::Twice);
    }
    taken.insert(path.to_path_buf());
    Ok(())
}

fn read_through(entry: &mut impl Read, archive: &Path) -> Result<()> {
    io::copy(entry, &mut io::sink())
        .map(drop)
        .map_err(unreadable(archive))
}

fn unpack(entry: &mut impl Read, archive: &Path, to: &Path, executable: bool) -> Result<()> {
    if let Some(folder) = to.parent() {
        private::make_dirs(folder)?;
    }
    let mut file = private::new_file(to, executable).map_err(|error| match error.kind() {
        // A file system that does not tell the case of letters finds more names equal than we do.
        ErrorKind::AlreadyExists => ArchiveProblem::Twice.of(archive, Some(to)),
        _ => failed("write", to, error),
    })?;
    reached("file unpacked");
    // Reading it through was no problem, so what fails now is the disk.
    io::copy(entry, &mut file)
        .and_then(|_| file.sync_data())
        .map_err(|error| failed("write", to, error))
}

#[cfg(unix)]
fn make_link(path: &Path, target: &Path) -> Result<()> {
    if let Some(folder) = path.parent() {
        private::make_dirs(folder)?;
    }
    std::os::unix::fs::symlink(target, path).map_err(|error| failed("write", path, error))
}

/// Making a link is a privilege on Windows.
#[cfg(not(unix))]
fn make_link(path: &Path, _: &Path) -> Result<()> {
    Err(failed("write", path, ErrorKind::Unsupported.into()))
}

/// Bytes that the headers of one member may take: long names are kept in memory whole.
const HEADERS: u64 = 1 << 20;
/// Bytes behind the last member, most of them padding.
const TRAILER: u64 = 1 << 20;

/// Zeros that an archive ends with.
const END_BYTES: u64 = 1024;

/// How much may still be unpacked before the next check.
#[derive(Default)]
struct Allowance {
    left: Cell<u64>,
    /// How many zeros the last bytes were.
    zeros: Cell<u64>,
}

impl Allowance {
    fn grant(&self, bytes: u64) {
        self.left.set(bytes);
    }

    fn take(&self, bytes: &[u8]) {
        let count = bytes.len() as u64;
        self.left.set(self.left.get().saturating_sub(count));
        let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count() as u64;
        let before = if zeros == count { self.zeros.get() } else { 0 };
        self.zeros.set(before + zeros);
    }
}

/// A reader that ends with an error where the allowance does.
struct Rationed<'a, R> {
    inner: R,
    allowance: &'a Allowance,
}

impl<R: Read> Read for Rationed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.allowance.left.get();
        let most = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        if most == 0 && !buffer.is_empty() {
            // Only more content is too much; the end is welcome.
            let mut one = [0];
            return match self.inner.read(&mut one)? {
                0 => Ok(0),
                _ => Err(io::Error::other("there is far more in it than it says")),
            };
        }
        let count = self
            .inner
            .read(buffer.get_mut(..most).unwrap_or_default())?;
        self.allowance.take(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}
