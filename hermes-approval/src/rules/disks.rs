//! Disks and file systems, short of destroying them outright (that is hardline).

use crate::hardline::{MAKERS, is_dry};
use crate::look::Look;
use crate::paths::Place;
use crate::rule::{Help, Hit, Key, Pack, Rule, Severity, Test};
use crate::word::Word;

pub(super) static PACK: Pack = Pack {
    name: "disk",
    about: "disks, partitions, volumes, swap and mounts",
    rules: &[FORMAT_FILE, COPY, PARTITION, SNAPSHOT, MOUNT, SWAP],
};

const FORMAT_FILE: Rule = Rule {
    id: "disk.format",
    class: "disk",
    severity: Severity::Medium,
    keys: &[Key::both("format filesystem")],
    reason: "This makes a new file system; what was there is lost.",
    alternative: Some("Try it with `mkfs.ext4 -n test.img` first."),
    help: Help::Anywhere,
    test: Test::Program(MAKERS, |look| {
        let image = |w: &Word| {
            w.known().is_some_and(|path| {
                let target = look.scope.env.cwd.as_deref();
                let own = !path.starts_with('/')
                    || target.is_some_and(|cwd| crate::paths::is_below(path, cwd))
                    || path.starts_with("/tmp/");
                own && !path.contains("..") && is_image(path)
            })
        };
        let all = look.operands();
        (!all.is_empty() && !is_dry(look) && !all.iter().any(|w| image(w))).then(|| look.hit())
    }),
    matches: &["mkfs.xfs x", "mkfs.ext4 /srv/disk.img", "mkswap data.db"],
    near_misses: &["mkfs.ext4 -n disk.img", "mkfs.ext4 -F -q disk.img"],
    safe: &[
        "mkfs.ext4 --help",
        "mkfs -V",
        "grep mkfs notes.txt",
        "mkfs_notes",
        "mkfs.ext4 -F -q disk.img",
        "mkfs.vfat -C floppy.img 1440",
        "mkswap swapfile",
    ],
    ..Rule::ASK
};

const COPY: Rule = Rule {
    id: "disk.dd",
    class: "disk",
    severity: Severity::Medium,
    keys: &[Key::both("disk copy")],
    reason: "This reads a raw device or overwrites a file byte by byte.",
    alternative: Some("Copy files with `cp`."),
    test: Test::Program(&["dd", "dcfldd", "dc3dd"], copies),
    matches: &[
        "dd if=/dev/sda of=backup.img",
        "dd if=a of=b",
        "dd if=/dev/zero of=app.db bs=1M count=10",
        "dd if=/dev/sda",
    ],
    near_misses: &["dd of=b", "dd if=a"],
    safe: &[
        "dd if=in.img of=/dev/null bs=1M",
        "dd if=/dev/urandom of=sample.bin bs=1M count=4",
        "dd if=/dev/zero of=/tmp/x bs=1k count=1",
        "dd --help",
    ],
    ..Rule::ASK
};

/// Names that a file made for a test or an image has.
const MADE: &[&str] = &[
    "bin", "dat", "img", "iso", "qcow2", "raw", "swap", "vdi", "vhd", "vmdk",
];

fn copies(look: &Look<'_>) -> Option<Hit> {
    let operand = |prefix: &str| {
        look.words()
            .iter()
            .find(|w| w.text().starts_with(prefix))
            .map(|w| (w, w.text().get(prefix.len()..).unwrap_or("")))
    };
    let (input, from) = operand("if=")?;
    let source = look.target(input).of_text(from).place();
    if source == Some(Place::Device) {
        return Some(
            look.hit_word(input)
                .reason("This reads a raw device, with all that is on it."),
        );
    }
    let (output, to) = operand("of=")?;
    let target = look.target(output).of_text(to);
    if matches!(target.place(), Some(Place::Sink | Place::Temp)) || is_made(to) {
        return None;
    }
    Some(look.hit_word(output))
}

fn is_made(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test") || is_image(path)
}

/// True for a file that stands for a disk or a swap area, by its name.
fn is_image(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
    name.starts_with("swap") || extension.is_some_and(|e| MADE.contains(&e.as_str()))
}

const PARTITION: Rule = Rule {
    id: "disk.partition",
    class: "disk",
    severity: Severity::High,
    keys: &[Key::ours("change partitions or volumes")],
    reason: "This changes the partitions or volumes of a disk.",
    alternative: Some("Show them with `lsblk` or `fdisk -l`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "fdisk",
            "cfdisk",
            "sfdisk",
            "gdisk",
            "sgdisk",
            "parted",
            "partprobe",
            "pvcreate",
            "vgcreate",
            "lvcreate",
            "lvresize",
            "lvreduce",
            "lvextend",
            "vgreduce",
            "pvmove",
            "resize2fs",
            "e2fsck",
            "fsck.*",
            "fsck",
            "xfs_repair",
            "tune2fs",
            "mdadm",
            "cryptsetup",
            "zpool",
            "losetup",
            "hdparm",
            "btrfstune",
            "debugfs",
            "diskutil",
            "dosfsck",
            "e2label",
            "fatlabel",
            "fsarchiver",
            "gparted",
            "growpart",
            "iscsiadm",
            "kpartx",
            "lvchange",
            "lvrename",
            "ntfsclone",
            "ntfsfix",
            "ntfslabel",
            "ntfsresize",
            "partclone.*",
            "partimage",
            "pvresize",
            "vgchange",
            "vgrename",
            "xfs_admin",
            "xfs_db",
            "xfs_growfs",
        ],
        changes,
    ),
    matches: &[
        "fdisk /dev/sda",
        "parted /dev/sda mkpart primary 0% 50%",
        "lvreduce -L 5G vg/lv",
        "mdadm --stop /dev/md0",
        "zpool create tank /dev/sdb",
        "resize2fs /dev/sda1 10G",
        "fsck -y /dev/sda1",
        "gparted /dev/sda",
        "vgchange -an vg0",
        "xfs_growfs /srv",
        "e2label /dev/sda1 data",
        "debugfs -w /dev/sda1",
        "diskutil apfs deleteContainer disk2",
        "partclone.restore -s a.img -o /dev/sda1",
        "cfdisk /dev/sda",
    ],
    near_misses: &["fdisk -l /dev/sda"],
    safe: &[
        "fdisk -l",
        "parted -l",
        "parted /dev/sda print",
        "zpool list",
        "mdadm --detail /dev/md0",
        "fsck -N /dev/sda1",
        "tune2fs -l /dev/sda1",
        "losetup -a",
        "cryptsetup status x",
        "hdparm -I /dev/sda",
        "diskutil list",
        "debugfs -R 'stat x' /dev/sda1",
        "e2label /dev/sda1",
        "xfs_db -r /dev/sda1",
    ],
    ..Rule::ASK
};

/// What the words of a tool must be for it to only read, or to change something.
enum Reads {
    /// It changes something unless one of these options is there.
    Unless(&'static [char], &'static [&'static str]),
    /// It changes something if one of these words is there.
    If(&'static [&'static str]),
}

fn changes(look: &Look<'_>) -> Option<Hit> {
    use Reads::{If, Unless};
    let reads = match look.name {
        "fdisk" | "gdisk" | "cfdisk" => Unless(&['l', 's', 'x'], &["list"]),
        "sfdisk" => Unless(
            &['l', 'd', 's', 'n', 'V', 'J'],
            &["list", "dump", "no-act", "json"],
        ),
        "sgdisk" => Unless(
            &['p', 'i', 'v', 'E', 'f'],
            &["print", "info", "verify", "backup"],
        ),
        "parted" => If(&[
            "mklabel",
            "mktable",
            "mkpart",
            "rm",
            "resizepart",
            "set",
            "name",
            "rescue",
        ]),
        "zpool" => If(&[
            "create",
            "destroy",
            "add",
            "remove",
            "detach",
            "attach",
            "replace",
            "labelclear",
            "export",
            "offline",
            "split",
            "clear",
            "upgrade",
        ]),
        "cryptsetup" => If(&[
            "luksFormat",
            "luksErase",
            "erase",
            "luksRemoveKey",
            "luksKillSlot",
            "luksAddKey",
            "luksChangeKey",
            "close",
            "luksClose",
            "reencrypt",
            "format",
            "resize",
        ]),
        "mdadm" => If(&[
            "--stop",
            "-S",
            "--create",
            "-C",
            "--remove",
            "-r",
            "--fail",
            "-f",
            "--grow",
            "-G",
            "--zero-superblock",
        ]),
        "losetup" => If(&["-d", "-D", "--detach", "--detach-all"]),
        "hdparm" => If(&[
            "--security-erase",
            "--security-set-pass",
            "--make-bad-sector",
            "--write-sector",
            "-Y",
        ]),
        "tune2fs" => Unless(&['l'], &[]),
        "debugfs" => If(&["-w"]),
        "xfs_db" => If(&["-x"]),
        "xfs_admin" => Unless(&['j', 'l', 'u'], &[]),
        "kpartx" => If(&["-d"]),
        "iscsiadm" => If(&["--logout", "-u", "delete"]),
        "fsarchiver" => If(&["restfs", "restdir"]),
        "diskutil" => If(&[
            "addPartition",
            "addVolume",
            "appleRAID",
            "deleteContainer",
            "deleteSnapshot",
            "deleteVolume",
            "eraseVolume",
            "mergePartitions",
            "resizeContainer",
            "resizeVolume",
            "splitPartition",
            "unmountDisk",
        ]),
        // A label is shown unless there is a new one.
        "e2label" | "fatlabel" | "ntfslabel" if look.operands().len() < 2 => return None,
        "fsck" | "e2fsck" | "xfs_repair" => Unless(&['n', 'N', 'V'], &[]),
        _ => Unless(&['t'], &["test"]),
    };
    let changes = match reads {
        Unless(letters, long) => {
            !look.operands().is_empty()
                && !letters.iter().any(|l| look.has(*l, ""))
                && !long.iter().any(|l| look.has('\0', l))
        }
        If(words) => look
            .words()
            .iter()
            .any(|w| w.candidates().any(|c| words.contains(&c))),
    };
    changes.then(|| look.hit())
}

const SNAPSHOT: Rule = Rule {
    id: "disk.destroy-dataset",
    class: "disk",
    severity: Severity::High,
    keys: &[Key::ours("destroy dataset, subvolume or snapshot")],
    reason: "This destroys a dataset, a subvolume or snapshots with all that is in them.",
    alternative: Some("See what would go with `zfs destroy -nv tank/x`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "zfs",
            "btrfs",
            "lvconvert",
            "snapper",
            "timeshift",
            "tmutil",
            "bcachefs",
            "stratis",
        ],
        |look| {
            let destroys = match look.name {
                "zfs" => {
                    matches!(look.operand(0), Some("destroy" | "rollback")) && !look.has('n', "")
                        || matches!(look.operand(0), Some("receive" | "recv")) && look.has('F', "")
                }
                "btrfs" => {
                    matches!(look.operand(0), Some("subvolume" | "sub" | "su" | "subvol"))
                        && matches!(look.operand(1), Some("delete" | "del"))
                        || look.verbs(&["device", "remove"])
                        || look.verbs(&["device", "delete"])
                        || look.verbs(&["replace", "start"])
                        || look.verbs(&["rescue"])
                        || look.verbs(&["filesystem", "resize"])
                        || look.verbs(&["check"]) && look.has('\0', "repair")
                }
                "bcachefs" => matches!(look.operand(0), Some("format")),
                "stratis" => matches!(look.operand(1), Some("destroy" | "remove-cache")),
                "lvconvert" => look.has('\0', "merge"),
                "snapper" => look.operand(0) == Some("delete"),
                "timeshift" => look.has('\0', "delete") || look.has('\0', "delete-all"),
                _ => matches!(
                    look.operand(0),
                    Some("deletelocalsnapshots" | "delete" | "disable")
                ),
            };
            destroys.then(|| look.hit())
        },
    ),
    matches: &[
        "zfs destroy tank/home@snap1",
        "zfs destroy -r tank/home",
        "zfs rollback -r tank/home@a",
        "btrfs subvolume delete /mnt/snap",
        "btrfs device delete /dev/sdc /mnt/pool",
        "zfs receive -F tank/x",
        "stratis pool destroy p",
        "tmutil deletelocalsnapshots /",
    ],
    near_misses: &["zfs destroy -nv tank/home@snap1"],
    safe: &[
        "zfs list",
        "zfs snapshot tank/home@a",
        "btrfs subvolume list /",
    ],
    ..Rule::ASK
};

const MOUNT: Rule = Rule {
    id: "disk.mount",
    class: "disk",
    severity: Severity::Medium,
    keys: &[Key::ours("mount or unmount")],
    reason: "This changes what is mounted, so that files go missing or can no longer be written.",
    alternative: Some("Show what is mounted with `findmnt`."),
    test: Test::Program(
        &["mount", "umount", "pivot_root", "fusermount", "fusermount3"],
        mounts,
    ),
    matches: &[
        "mount -o remount,ro /",
        "mount --bind /tmp /etc",
        "umount -a",
        "umount -l /home",
        "sudo mount /dev/sdb1 /usr",
    ],
    near_misses: &["umount ./mnt"],
    safe: &[
        "mount",
        "mount -l",
        "mount --help",
        "mount -t tmpfs",
        "findmnt",
    ],
    ..Rule::ASK
};

fn mounts(look: &Look<'_>) -> Option<Hit> {
    let operands = look.operands();
    let hit = match look.name {
        "mount" => {
            let remounts = look
                .value('o', "options")
                .is_some_and(|o| o.contains("remount"));
            let over = operands.last().filter(|_| operands.len() > 1);
            remounts || over.is_some_and(|w| is_system(look, w))
        }
        "umount" => look.has('a', "all") || operands.iter().any(|w| is_system(look, w)),
        "pivot_root" => true,
        _ => false,
    };
    hit.then(|| look.hit())
}

fn is_system<'a>(look: &Look<'a>, word: &'a Word) -> bool {
    let target = look.target(word);
    target.tree().is_some_and(|t| t.is_vital()) || target.place().is_some_and(Place::is_system)
}

const SWAP: Rule = Rule {
    id: "disk.swap",
    class: "disk",
    severity: Severity::Medium,
    keys: &[Key::ours("turn swap off")],
    reason: "Without swap, programs are killed as soon as the memory is full.",
    alternative: Some("Show the swap areas with `swapon --show`."),
    test: Test::Program(&["swapoff"], |look| {
        (!look.words().is_empty()).then(|| look.hit())
    }),
    matches: &["swapoff -a", "sudo swapoff /dev/sda2"],
    near_misses: &["swapoff --help"],
    safe: &["swapon --show", "free -h"],
    ..Rule::ASK
};
