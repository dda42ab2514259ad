//! Archives that mean harm, or are none.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::{Compression, write::GzEncoder};
use hermes_home::{ArchiveLimits, ArchiveProblem, Error, ImportOptions, Imported};
use support::Sandbox;
use tar::{EntryType, Header};

/// Writes an archive member by member, also such as no honest program writes.
struct Forger {
    tar: tar::Builder<GzEncoder<Vec<u8>>>,
}

impl Forger {
    fn new() -> Self {
        let gz = GzEncoder::new(Vec::new(), Compression::fast());
        Self {
            tar: tar::Builder::new(gz),
        }
    }

    fn member(mut self, kind: EntryType, path: &str, link: &str, content: &[u8]) -> Self {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        // Past the checks of the library that writes it.
        let old = header.as_old_mut();
        old.name[..path.len()].copy_from_slice(path.as_bytes());
        old.linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_cksum();
        self.tar.append(&header, content).unwrap();
        self
    }

    fn file(self, path: &str) -> Self {
        self.member(EntryType::Regular, path, "", b"x")
    }

    fn dir(self, path: &str) -> Self {
        self.member(EntryType::Directory, path, "", b"")
    }

    fn link(self, path: &str, target: &str) -> Self {
        self.member(EntryType::Symlink, path, target, b"")
    }

    fn bytes(self) -> Vec<u8> {
        self.tar.into_inner().unwrap().finish().unwrap()
    }
}

fn import(sandbox: &Sandbox, bytes: &[u8], limits: ArchiveLimits) -> Result<Imported, Error> {
    let archive = sandbox.write("archive.tar.gz", bytes);
    let options = ImportOptions::new().with_limits(limits);
    sandbox.profiles().import(&archive, options)
}

/// Imports and expects a refusal that leaves no trace.
#[track_caller]
fn refused(bytes: &[u8]) -> ArchiveProblem {
    let sandbox = Sandbox::new();
    sandbox.write("archive.tar.gz", bytes);
    let before = sandbox.tree();
    let error = import(&sandbox, bytes, ArchiveLimits::default()).unwrap_err();
    assert_eq!(sandbox.tree(), before, "a refused archive made something");
    assert!(!error.to_string().contains('\n'), "{error}");
    match error {
        Error::Archive { problem, .. } => problem,
        other => panic!("{other}"),
    }
}

#[test]
fn members_that_would_leave_the_profile_are_refused() {
    let base = || Forger::new().dir("coder/").file("coder/config.yaml");
    for (archive, expected) in [
        (base().file("/etc/x"), ArchiveProblem::Absolute),
        (base().file("coder/../../x"), ArchiveProblem::ParentStep),
        (base().file("../x"), ArchiveProblem::ParentStep),
        (base().dir("coder/../.."), ArchiveProblem::ParentStep),
        (base().file("coder/a\\..\\b"), ArchiveProblem::BadName),
        (base().file("other/x"), ArchiveProblem::NoTopFolder),
        (base().file("x"), ArchiveProblem::NoTopFolder),
        (
            base().link("coder/l", "/etc/passwd"),
            ArchiveProblem::LinkLeadsOut,
        ),
        (base().link("coder/l", "../x"), ArchiveProblem::LinkLeadsOut),
        (
            base().link("coder/a/l", "../../x"),
            ArchiveProblem::LinkLeadsOut,
        ),
        (
            base().link("coder/a/l", "b/../../../x"),
            ArchiveProblem::LinkLeadsOut,
        ),
        (
            base().link("coder/l", "a/../b"),
            ArchiveProblem::LinkLeadsOut,
        ),
        (
            base().link("coder", "elsewhere"),
            ArchiveProblem::NoTopFolder,
        ),
        (
            base().member(EntryType::Link, "coder/h", "coder/config.yaml", b""),
            ArchiveProblem::HardLink,
        ),
        (
            base().member(EntryType::Char, "coder/d", "", b""),
            ArchiveProblem::Special,
        ),
        (
            base().member(EntryType::Block, "coder/d", "", b""),
            ArchiveProblem::Special,
        ),
        (
            base().member(EntryType::Fifo, "coder/d", "", b""),
            ArchiveProblem::Special,
        ),
        (base().file("coder/config.yaml"), ArchiveProblem::Twice),
        (base().file("coder/config.yaml/x"), ArchiveProblem::Twice),
        (base().dir("coder/config.yaml"), ArchiveProblem::Twice),
        // Through a link that the archive brings.
        (
            base().link("coder/a", "b").file("coder/a/x"),
            ArchiveProblem::Twice,
        ),
        (
            Forger::new().dir("My Profile/").file("My Profile/x"),
            ArchiveProblem::NoName,
        ),
        (Forger::new(), ArchiveProblem::Empty),
    ] {
        assert_eq!(refused(&archive.bytes()), expected);
    }
}

#[test]
fn what_is_no_archive_or_is_cut_off_or_damaged_is_refused() {
    let whole = Forger::new()
        .dir("coder/")
        .file("coder/config.yaml")
        .bytes();
    let unreadable = |bytes: &[u8]| {
        assert!(matches!(
            refused(bytes),
            ArchiveProblem::Unreadable(_) | ArchiveProblem::Empty
        ))
    };
    unreadable(b"");
    unreadable(b"PK\x03\x04 a zip");
    unreadable(&[0; 4096]);
    for length in (1..whole.len()).step_by(7) {
        unreadable(&whole[..length]);
    }
    let mut damaged = whole.clone();
    let check_sum = damaged.len() - 6;
    damaged[check_sum] ^= 1;
    unreadable(&damaged);
}

#[test]
fn bombs_are_stopped_by_size_and_by_count() {
    let sandbox = Sandbox::new();
    let mut limits = ArchiveLimits::default();
    limits.members = 10;
    limits.bytes = 1000;
    let many = (0..20).fold(Forger::new(), |all, n| all.file(&format!("coder/{n}")));
    let large = Forger::new().member(EntryType::Regular, "coder/x", "", &[0; 1001]);
    for (bytes, expected) in [
        (many.bytes(), ArchiveProblem::TooManyMembers(10)),
        (large.bytes(), ArchiveProblem::TooLarge(1000)),
    ] {
        match import(&sandbox, &bytes, limits).unwrap_err() {
            Error::Archive { problem, .. } => assert_eq!(problem, expected),
            other => panic!("{other}"),
        }
    }
    assert!(!sandbox.default().exists());
}

/// Names and notes of a member are kept in memory whole, so they are rationed as well.
#[test]
fn a_member_name_of_many_megabytes_is_refused() {
    let name = vec![b'a'; 64 << 20];
    let archive = Forger::new()
        .member(EntryType::GNULongName, "././@LongLink", "", &name)
        .file("coder/x");
    assert!(matches!(
        refused(&archive.bytes()),
        ArchiveProblem::Unreadable(_)
    ));
}

#[test]
fn padding_without_end_is_refused() {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    let tar = Forger::new().dir("coder/").file("coder/x").bytes();
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&tar[..]), &mut plain).unwrap();
    gz.write_all(&plain).unwrap();
    for _ in 0..8 {
        gz.write_all(&[0; 1 << 20]).unwrap();
    }
    let bytes = gz.finish().unwrap();
    assert!(matches!(refused(&bytes), ArchiveProblem::Unreadable(_)));
}

#[test]
fn an_archive_that_is_no_file_is_refused() {
    let sandbox = Sandbox::new();
    let folder = sandbox.mkdir("folder");
    let error = sandbox
        .profiles()
        .import(&folder, ImportOptions::new())
        .unwrap_err();
    assert!(matches!(error, Error::NotAFile { .. }), "{error}");
    let missing = PathBuf::from("/no/such/archive");
    let error = sandbox
        .profiles()
        .import(&missing, ImportOptions::new())
        .unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
}

#[test]
fn an_import_never_replaces_a_profile() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.write("home/.hermes/profiles/coder/config.yaml", "model: x\n");
    let bytes = Forger::new()
        .dir("coder/")
        .file("coder/config.yaml")
        .bytes();
    let error = import(&sandbox, &bytes, ArchiveLimits::default()).unwrap_err();
    assert!(matches!(error, Error::ProfileExists { .. }), "{error}");
    let config = sandbox.profile("coder").join("config.yaml");
    assert_eq!(fs::read_to_string(config).unwrap(), "model: x\n");
}

/// An archive of one folder with a file of this name in it, written as programs write long names.
fn with_long_name(name: &str) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = Header::new_gnu();
    header.set_size(1);
    header.set_mode(0o644);
    tar.append_data(&mut header, format!("coder/{name}"), &b"x"[..])
        .unwrap();
    tar.into_inner().unwrap().finish().unwrap()
}

#[test]
fn names_longer_or_deeper_than_any_of_a_profile_are_refused_before_they_cost_anything() {
    let deep = "a/".repeat(200) + "z";
    let deepest = "a/".repeat(250_000) + "z";
    let long = "n".repeat(300);
    for name in [deep, deepest, long] {
        assert_eq!(refused(&with_long_name(&name)), ArchiveProblem::NameTooLong);
    }
    let fine = "a/".repeat(100) + &"n".repeat(255);
    let sandbox = Sandbox::new();
    import(&sandbox, &with_long_name(&fine), ArchiveLimits::default()).unwrap();
}

#[test]
fn an_archive_that_ends_too_early_is_refused_also_where_it_could_be_read() {
    let gz = |bytes: &[u8]| {
        let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
        gz.write_all(bytes).unwrap();
        gz.finish().unwrap()
    };
    let mut tar = tar::Builder::new(Vec::new());
    for name in ["coder/a", "coder/b"] {
        let mut header = Header::new_gnu();
        header.set_size(512);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, &[b'x'; 512][..])
            .unwrap();
    }
    let tar = tar.into_inner().unwrap();
    // Behind the first member, and behind the last one.
    for cut in [1024, 2048] {
        let problem = refused(&gz(&tar[..cut]));
        assert!(
            matches!(problem, ArchiveProblem::Unreadable(_)),
            "{cut}: {problem}"
        );
    }
    let garbage = [gz(&tar), b"and more".to_vec()].concat();
    assert!(matches!(refused(&garbage), ArchiveProblem::Unreadable(_)));

    // In parts that were packed one by one, as some programs do, it is whole.
    let parts = [gz(&tar[..512]), gz(&tar[512..])].concat();
    let sandbox = Sandbox::new();
    let done = import(&sandbox, &parts, ArchiveLimits::default()).unwrap();
    assert_eq!(done.files, 2);
}

#[test]
fn a_file_with_holes_is_refused_rather_than_unpacked_as_something_else() {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    tar.append_pax_extensions([
        ("GNU.sparse.major", &b"1"[..]),
        ("GNU.sparse.name", b"coder/big"),
    ])
    .unwrap();
    let mut header = Header::new_ustar();
    header.set_size(1);
    header.set_mode(0o644);
    tar.append_data(&mut header, "coder/GNUSparseFile.1/big", &b"x"[..])
        .unwrap();
    let bytes = tar.into_inner().unwrap().finish().unwrap();
    assert_eq!(refused(&bytes), ArchiveProblem::Special);
}
