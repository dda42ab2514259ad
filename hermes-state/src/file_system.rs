//! On what kind of file system a store lies: one that several machines share cannot do the shared
//! memory of a write-ahead log, and often no locks either.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// The file system of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FileSystem {
    /// Its name as the system has it: `ext4`, `nfs4`, `fuse.sshfs`, …
    pub name: String,
    /// Whether other machines, or the host of a virtual one, may have the same files open.
    pub shared: bool,
}

/// Names of file systems that are shared over a network or with a host.
const SHARED: &[&str] = &[
    "9p",
    "afs",
    "ceph",
    "cifs",
    "drvfs",
    "glusterfs",
    "gfs2",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "prl_fs",
    "smb",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
];

/// The same in user space: what stands behind `fuse.`.
const SHARED_FUSE: &[&str] = &[
    "ceph",
    "cephfs",
    "curlftpfs",
    "davfs2",
    "gcsfuse",
    "glusterfs",
    "goofys",
    "rclone",
    "s3fs",
    "sshfs",
    "vmhgfs-fuse",
];

impl FileSystem {
    fn named(name: &str) -> FileSystem {
        let shared = match name.strip_prefix("fuse.") {
            Some(program) => SHARED_FUSE.contains(&program),
            None => SHARED.contains(&name),
        };
        FileSystem {
            name: name.to_owned(),
            shared,
        }
    }
}

/// Whether other machines may have the files of a folder open. Every opening asks: of the file
/// systems that most people have, no more than the number is looked at.
#[cfg(target_os = "linux")]
pub(crate) fn is_shared(folder: &Path) -> bool {
    /// ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs.
    const OF_ONE_MACHINE: [i128; 7] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0x0102_1994,
        0x794C_7630,
        0xF2F5_2010,
        0x2FC1_2FC1,
    ];
    let known = rustix::fs::statfs(folder)
        .is_ok_and(|found| OF_ONE_MACHINE.contains(&i128::from(found.f_type)));
    !known && of(folder).is_some_and(|found| found.shared)
}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_shared(_: &Path) -> bool {
    false
}

/// The file system of a folder, where the system tells (Linux).
#[cfg(target_os = "linux")]
pub(crate) fn of(folder: &Path) -> Option<FileSystem> {
    let folder = std::fs::canonicalize(folder).ok()?;
    let device = rustix::fs::stat(&folder).ok()?.st_dev;
    let device = format!(
        "{}:{}",
        rustix::fs::major(device),
        rustix::fs::minor(device)
    );
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let name = name_in(&mounts, &device, &folder)?;
    Some(FileSystem::named(name))
}

/// Other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of(_: &Path) -> Option<FileSystem> {
    None
}

/// The name of the file system in `mountinfo`: that of its device, and where some (btrfs) give their
/// parts devices that stand nowhere, that of the last mount point above the folder.
#[cfg(any(target_os = "linux", test))]
fn name_in<'a>(mounts: &'a str, device: &str, folder: &Path) -> Option<&'a str> {
    let mut by_path = None;
    for line in mounts.lines() {
        // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw
        let (mount, kind) = line.split_once(" - ")?;
        let name = kind.split(' ').next()?;
        let mut fields = mount.split(' ').skip(2);
        if fields.next() == Some(device) {
            return Some(name);
        }
        let point = fields.nth(1)?.replace("\\040", " ");
        let depth = Path::new(&point).components().count();
        if folder.starts_with(&point) && by_path.is_none_or(|(most, _)| depth >= most) {
            by_path = Some((depth, name));
        }
    }
    by_path.map(|(_, name)| name)
}

static WARNED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Says once for a store, in this process, that it lies where others may have it open.
pub(crate) fn warn_once(path: &Path, mode: &str) {
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if warned.insert(path.to_path_buf()) {
        tracing::warn!(
            path = %path.display(),
            mode,
            "the store lies on a file system that machines share: use it from one machine at a time"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:41 / /home/user/my\\040files rw - fuse.sshfs host: rw
31 22 0:42 / /srv/nfs rw,relatime - nfs4 server:/export rw
32 22 0:43 / /mnt/host rw - virtiofs host rw
33 22 0:44 /sub /data rw - btrfs /dev/vdb rw
34 22 0:45 / /media/usb rw - fuseblk /dev/sdb1 rw";

    #[test]
    fn a_file_system_is_known_by_its_device_or_by_the_mount_point_above() {
        let name = |device: &str, folder: &str| name_in(MOUNTS, device, Path::new(folder));
        assert_eq!(name("0:42", "/srv/nfs/home"), Some("nfs4"));
        assert_eq!(name("9:9", "/srv/nfs/home"), Some("nfs4"));
        assert_eq!(name("9:9", "/data/volume"), Some("btrfs"));
        assert_eq!(name("9:9", "/home/user/my files/x"), Some("fuse.sshfs"));
        assert_eq!(name("254:0", "/home/user"), Some("ext4"));
        assert_eq!(name_in("", "254:0", Path::new("/")), None);
        assert_eq!(name_in("nonsense", "254:0", Path::new("/")), None);
    }

    #[test]
    fn what_machines_share_is_told_from_what_one_has() {
        for name in [
            "nfs",
            "nfs4",
            "cifs",
            "smb3",
            "9p",
            "virtiofs",
            "fuse.sshfs",
            "fuse.rclone",
        ] {
            assert!(FileSystem::named(name).shared, "{name}");
        }
        for name in [
            "ext4",
            "xfs",
            "btrfs",
            "tmpfs",
            "overlay",
            "zfs",
            "fuseblk",
            "fuse.ntfs-3g",
        ] {
            assert!(!FileSystem::named(name).shared, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_system_tells() {
        let folder = tempfile::tempdir().unwrap();
        let found = of(folder.path()).unwrap();
        assert!(!found.name.is_empty());
        assert_eq!(is_shared(folder.path()), found.shared);
    }
}
