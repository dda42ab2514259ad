//! Pipes, folders, sockets and devices where files belong: refused, and never waited for.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::UNIX_EPOCH;

use hermes_approval::Error;
use hermes_approval::allowlist::AllowlistFile;
use hermes_approval::audit::{Audit, AuditOptions, Record};
use hermes_approval::grants::{Grant, GrantsFile, Scope};
use serde_json::json;

/// The name that grants have; the others take any.
const NAME: &str = "approval-grants.json";
const KINDS: [&str; 4] = ["a pipe", "a folder", "a socket", "a device"];

fn put(at: &Path, kind: &str) {
    match kind {
        "a folder" => fs::create_dir(at).unwrap(),
        "a socket" => drop(UnixListener::bind(at).unwrap()),
        "a device" => symlink("/dev/zero", at).unwrap(),
        _ => assert!(Command::new("mkfifo").arg(at).status().unwrap().success()),
    }
}

fn is_refused<T: std::fmt::Debug>(result: Result<T, Error>, at: &Path, kind: &str) {
    match result {
        Err(Error::NotAFile { path, found }) => {
            assert_eq!((path.file_name(), found), (at.file_name(), kind));
        }
        other => panic!("{}, {kind}: {other:?}", at.display()),
    }
}

fn record(path: &Path) -> Result<(), Error> {
    Audit::new(AuditOptions::new(path)).record(&Record {
        at: UNIX_EPOCH,
        session_key: "one",
        command: "ls",
        verdict: &json!({}),
        decision: &json!({}),
    })
}

fn grant(path: &Path) -> Result<(), Error> {
    GrantsFile::in_folder(path.parent().unwrap())
        .add(&Grant::new(Scope::key("x"), UNIX_EPOCH), UNIX_EPOCH)
}

#[test]
fn what_is_no_file_is_neither_read_nor_written() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        put(&path, kind);
        let list = AllowlistFile::new(&path);
        is_refused(list.current(), &path, kind);
        is_refused(list.add(&["a b"]), &path, kind);
        is_refused(list.remove(&["a b"]), &path, kind);
        is_refused(
            GrantsFile::in_folder(folder.path()).list(UNIX_EPOCH),
            &path,
            kind,
        );
        is_refused(grant(&path), &path, kind);
        is_refused(record(&path), &path, kind);
    }
}

#[test]
fn a_lock_that_is_no_file_is_refused_and_nothing_is_written() {
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let lock = folder.path().join(format!("{NAME}.lock"));
        put(&lock, kind);
        is_refused(AllowlistFile::new(&path).add(&["a b"]), &lock, kind);
        is_refused(grant(&path), &lock, kind);
        is_refused(record(&path), &lock, kind);
        assert!(!path.exists(), "{kind}");
        assert!(!Path::new("/dev/zero.lock").exists());
    }
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("home");
    let path = missing.join(NAME);
    for failed in [
        AllowlistFile::new(&path).add(&["a b"]).map(|_| ()),
        grant(&path),
        record(&path),
    ] {
        let error = failed.unwrap_err();
        assert_eq!(error.code(), "no_folder");
        let named = format!("there is no folder {}", missing.display());
        assert!(error.to_string().contains(&named), "{error}");
        assert!(!error.to_string().contains(".lock"), "{error}");
    }
    assert!(
        AllowlistFile::new(&path)
            .current()
            .unwrap()
            .entries()
            .is_empty()
    );
    assert!(!missing.exists());
}
