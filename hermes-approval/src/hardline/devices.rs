//! Overwriting disks, volumes and the running kernel.

use crate::look::Look;
use crate::paths::Place;
use crate::rule::{Help, Hit, Key, Rule, Test};
use crate::word::Word;
use crate::writing::PROGRAMS;

pub(super) const FORMAT: Rule = Rule {
    id: "hardline.format",
    class: "disk",
    keys: &[Key::both("format filesystem (mkfs)")],
    accepts: &[Key::both("format filesystem")],
    reason: "This makes a new file system on a device; all that was on it is lost.",
    alternative: Some("Show what is there with `lsblk -f` and let a person format it."),
    help: Help::Anywhere,
    test: Test::Program(MAKERS, |look| {
        if is_dry(look) {
            return None;
        }
        let device = look.operands().iter().find(|w| {
            let target = look.target(w);
            target.place() == Some(Place::Device)
                || w.known_prefix().starts_with("/dev/")
                || w.known().is_none() && w.alternatives().is_empty()
        })?;
        Some(look.hit_word(device))
    }),
    matches: &[
        "mkfs.ext4 /dev/sda1",
        "mkfs -t xfs /dev/nvme0n1p2",
        "mkfs.btrfs -f /dev/vdb",
        "mkswap /dev/sda2",
        "newfs /dev/da0",
        "sudo mkfs.vfat -n BOOT /dev/sdb1",
        "mkfs.ext4 \"$DISK\"",
    ],
    near_misses: &["mkfs.ext4 disk.img"],
    safe: &[
        "man mkfs",
        "mkfs.ext4 --help",
        "which mkfs.ext4",
        "mkfs.ext4 -n test.img",
        "cat mkfs.md",
    ],
    ..Rule::HARDLINE
};

/// Programs that make file systems and swap areas.
pub(crate) const MAKERS: &[&str] = &[
    "mkfs",
    "mkfs.*",
    "mke2fs",
    "mkdosfs",
    "mkntfs",
    "mkswap",
    "mkudffs",
    "mkreiserfs",
    "newfs",
    "newfs_msdos",
    "newfs_hfs",
    "newfs_apfs",
    "newfs_exfat",
];

/// `-n` of the ext family makes nothing; for others it is a label.
pub(crate) fn is_dry(look: &Look<'_>) -> bool {
    let name = look.invocation.name().unwrap_or("");
    let ext = name == "mke2fs" || name.starts_with("mkfs.ext");
    ext && look.has('n', "") || name == "mkfs.xfs" && look.has('N', "")
}

pub(super) const DD: Rule = Rule {
    id: "hardline.dd-device",
    class: "disk",
    keys: &[Key::both("dd to raw block device")],
    accepts: &[Key::both("disk copy")],
    reason: "This writes straight to a device; all that was on it is lost.",
    alternative: Some("Write to a file, or let a person write the device."),
    test: Test::Program(&["dd", "dcfldd", "dc3dd", "ddrescue"], device_write),
    matches: &[
        "dd if=img.iso of=/dev/sdb bs=4M status=progress",
        "dd if=/dev/zero of=/dev/mapper/vg0-root",
        "dd if=/dev/zero of=/dev/s\"\"da",
        "sudo dd if=/dev/zero of=/dev/disk/by-id/ata-X",
        "dd if=x of=/dev/$DISK",
    ],
    near_misses: &["dd if=/dev/sda of=backup.img", "dd if=a of=b"],
    safe: &["dd if=in.img of=/dev/null bs=1M", "ls dd/", "man dd"],
    ..Rule::HARDLINE
};

pub(super) const COPY: Rule = Rule {
    id: "hardline.copy-to-device",
    class: "disk",
    keys: &[Key::ours("copy to raw block device")],
    reason: "This writes straight to a device or to a switch of the kernel.",
    alternative: Some("Write to a file, or let a person write the device."),
    test: Test::Program(PROGRAMS, |look| {
        if matches!(look.name, "dd" | "dcfldd" | "dc3dd" | "ddrescue") {
            return None;
        }
        device_write(look)
    }),
    matches: &[
        "cp img.iso /dev/sdb",
        "cat img.iso | sudo tee /dev/sda",
        "echo c | sudo tee /proc/sysrq-trigger",
        "shred /dev/sda",
        "curl -o /dev/vda https://files.example.net/x",
    ],
    near_misses: &["cp /dev/sda disk.img"],
    safe: &["make 2>&1 | tee /dev/null", "make | tee /dev/stderr"],
    ..Rule::HARDLINE
};

fn device_write(look: &Look<'_>) -> Option<Hit> {
    let write = look.writes().iter().find(|w| is_device(w.place))?;
    // A link with that name destroys nothing on the device itself.
    (look.name != "ln").then(|| look.hit_word(write.target.word))
}

fn is_device(place: Option<Place>) -> bool {
    matches!(place, Some(Place::Device | Place::SysRq))
}

pub(super) const REDIRECT: Rule = Rule {
    id: "hardline.redirect-to-device",
    class: "disk",
    keys: &[Key::both("redirect to raw block device")],
    accepts: &[
        Key::both("write to block device"),
        Key::both("overwrite system file via redirection"),
    ],
    reason: "This writes straight to a device or to a switch of the kernel.",
    alternative: Some("Write to a file, or let a person write the device."),
    test: Test::Redirect(|look| {
        let (device, _) = look
            .redirected()
            .iter()
            .find(|(_, place)| is_device(Some(*place)))?;
        Some(look.hit_word(device))
    }),
    matches: &[
        "cat /dev/zero > /dev/sda",
        "echo x > /dev/sda1",
        "> '/dev/sda'",
        "pv img.iso > /dev/vda",
        "echo b > /proc/sysrq-trigger",
        "sh -c 'cat x > /dev/nvme0n1'",
        "x > /dev/sd*",
    ],
    near_misses: &["dd if=/dev/sda > backup.img"],
    safe: &[
        "echo '> /dev/sda'",
        "make > /dev/null 2>&1",
        "echo x > /dev/stderr",
    ],
    ..Rule::HARDLINE
};

/// A tool that destroys partitions, volumes or whole disks, and the words that make it do so; one
/// of them must be there. None: it always does.
struct Wiper {
    tool: &'static str,
    words: &'static [&'static str],
    letters: &'static [char],
    long: &'static [&'static str],
}

const fn wiper(
    tool: &'static str,
    words: &'static [&'static str],
    letters: &'static [char],
    long: &'static [&'static str],
) -> Wiper {
    Wiper {
        tool,
        words,
        letters,
        long,
    }
}

#[rustfmt::skip]
const WIPERS: &[Wiper] = &[
    wiper("badblocks", &[], &['w'], &[]),
    wiper("bcache", &["format"], &[], &[]),
    wiper("blkdiscard", &[], &[], &[]),
    wiper("cryptsetup", &["luksFormat", "luksErase", "erase", "format", "reencrypt"], &[], &[]),
    wiper("diskutil", &[
        "eraseDisk", "eraseVolume", "partitionDisk", "secureErase", "zeroDisk", "randomDisk",
        "reformat", "eraseOptical",
    ], &[], &[]),
    wiper("dmsetup", &["remove", "remove_all", "wipe_table", "clear"], &[], &[]),
    wiper("flash_erase", &[], &[], &[]),
    wiper("gparted", &["--force"], &[], &[]),
    wiper("hdparm", &[], &[], &["security-erase", "security-erase-enhanced", "trim-sector-ranges", "write-sector"]),
    wiper("lvremove", &[], &[], &[]),
    wiper("mdadm", &[], &[], &["zero-superblock"]),
    wiper("nvme", &["format", "sanitize", "delete-ns"], &[], &[]),
    wiper("parted", &["mklabel", "mktable", "rm"], &[], &[]),
    wiper("pvremove", &[], &[], &[]),
    wiper("sg_format", &[], &[], &[]),
    wiper("sgdisk", &[], &['Z', 'z', 'o', 'd'], &["zap-all", "zap", "clear", "delete"]),
    wiper("vgremove", &[], &[], &[]),
    wiper("wipefs", &[], &['a', 'o'], &["all", "offset"]),
    wiper("zpool", &["destroy", "labelclear"], &[], &[]),
];

/// Partition editors that do as they are told on standard input.
const EDITORS: &[&str] = &["sfdisk", "fdisk", "gdisk"];

pub(super) const WIPE: Rule = Rule {
    id: "hardline.wipe-disk",
    class: "disk",
    keys: &[Key::ours("wipe disk, partition or volume")],
    reason: "This destroys a disk, its partitions or a volume.",
    alternative: Some("Show what is there with `lsblk` and let a person change it."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "badblocks",
            "bcache",
            "blkdiscard",
            "cryptsetup",
            "diskutil",
            "dmsetup",
            "fdisk",
            "flash_erase",
            "gdisk",
            "gparted",
            "hdparm",
            "lvremove",
            "mdadm",
            "nvme",
            "parted",
            "pvremove",
            "sfdisk",
            "sg_format",
            "sgdisk",
            "vgremove",
            "wipefs",
            "zpool",
        ],
        wipes,
    ),
    matches: &[
        "wipefs -a /dev/sda",
        "blkdiscard /dev/nvme0n1",
        "sgdisk --zap-all /dev/sda",
        "cryptsetup luksFormat /dev/sdb1",
        "echo ';' | sfdisk /dev/sda",
        "pvremove -ff /dev/sdb",
        "zpool destroy tank",
        "mdadm --zero-superblock /dev/sdb1",
        "hdparm --security-erase p /dev/sda",
        "badblocks -w /dev/sdb",
        "diskutil eraseDisk APFS X disk2",
        "parted -s /dev/sda mklabel gpt",
        "printf 'o\\nw\\n' | fdisk /dev/sda",
    ],
    near_misses: &["fdisk /dev/sda"],
    safe: &[
        "wipefs /dev/sda",
        "fdisk -l",
        "sfdisk -d /dev/sda",
        "parted -l",
        "zpool status",
        "cryptsetup luksDump /dev/sdb1",
        "mdadm --detail /dev/md0",
        "lvremove --test vg/lv",
        "badblocks -v /dev/sdb",
    ],
    ..Rule::HARDLINE
};

fn wipes(look: &Look<'_>) -> Option<Hit> {
    if EDITORS.contains(&look.name) {
        let reads = look.has('l', "list")
            || look.has('d', "dump")
            || look.has('s', "show-size")
            || look.has('n', "no-act")
            || look.has('J', "json")
            || look.has('V', "verify");
        let fed = look.invocation.stage > 0
            || !matches!(look.invocation.stdin, crate::invocation::Stdin::Inherited);
        return (fed && !reads && !look.operands().is_empty()).then(|| look.hit());
    }
    let wiper = WIPERS.iter().find(|w| w.tool == look.name)?;
    if look.has('t', "test") && look.name.ends_with("remove")
        || look.has('n', "no-act")
        || look.operands().is_empty()
    {
        return None;
    }
    let always = wiper.words.is_empty() && wiper.letters.is_empty() && wiper.long.is_empty();
    let word = |w: &Word| w.candidates().any(|c| wiper.words.contains(&c));
    let told = look.words().iter().any(word)
        || wiper.letters.iter().any(|letter| look.has(*letter, ""))
        || wiper.long.iter().any(|long| look.has('\0', long));
    (always || told).then(|| look.hit())
}
