//! Where a store should be and is none, or cannot be written: nothing is lost, and the error says
//! what is the matter.

use std::fs;
use std::path::Path;

use hermes_state::health::{self, BackupOptions, Depth, RestoreOptions};
use hermes_state::{Error, Store, StoreOptions};

use crate::disk_full::on_a_small_disk;
use crate::support::child::say;
use crate::support::{Home, list_all, with_messages};

fn restored(path: &Path, from: &Path) -> Result<health::Restored, Error> {
    health::restore(path, from, &RestoreOptions::default(), &|_, _| {})
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A backup of a store with three messages.
fn backed_up(home: &Home) -> std::path::PathBuf {
    drop(with_messages(home, &["one", "two", "three"]));
    let made = health::backup(home.path(), &BackupOptions::default(), &|_, _| {}).unwrap();
    made.path
}

#[test]
fn a_restore_takes_no_folder_and_no_link_for_a_store() {
    let source = Home::new();
    let from = backed_up(&source);
    let home = Home::new();
    fs::create_dir(home.path()).unwrap();
    assert_eq!(
        restored(&home.path(), &from).unwrap_err().code(),
        "not_a_file"
    );
    assert!(home.path().is_dir());
    #[cfg(unix)]
    for to in ["state.db", "/nowhere/state.db"] {
        let home = Home::new();
        std::os::unix::fs::symlink(to, home.path()).unwrap();
        let error = restored(&home.path(), &from).unwrap_err();
        assert_eq!(error.code(), "not_a_file", "{error}");
        assert_eq!(fs::read_link(home.path()).unwrap(), Path::new(to));
        for read in [
            Store::open_read_only(home.path()).map(drop),
            StoreOptions::new()
                .existing_only()
                .open(home.path())
                .map(drop),
            health::check(home.path(), Depth::Fast, &|_| {}).map(drop),
        ] {
            assert_eq!(read.unwrap_err().code(), "not_a_file", "{to}");
        }
        assert_eq!(names(home.dir()), ["state.db"]);
    }
}

#[test]
fn a_restore_over_anything_that_is_a_file_brings_the_rows_back_for_the_owner_alone() {
    let source = Home::new();
    let from = backed_up(&source);
    for what in [
        Vec::new(),
        vec![0],
        vec![0; 100_000],
        b"SQLite format 3\0".to_vec(),
    ] {
        let home = Home::new();
        fs::write(home.path(), &what).unwrap();
        let done = restored(&home.path(), &from).unwrap();
        assert_eq!(done.messages, 3);
        let kept = done.previous.map(|path| fs::read(path).unwrap());
        assert!(kept.is_none_or(|kept| kept == what));
        let store = Store::open_read_only(home.path()).unwrap();
        assert_eq!(list_all(&store).len(), 1);
        drop(store);
        #[cfg(unix)]
        for name in names(home.dir()) {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(home.dir().join(&name)).unwrap().permissions();
            assert_eq!(mode.mode() & 0o077, 0, "{name}");
        }
    }
}

#[test]
fn a_copy_from_before_a_repair_is_one_file() {
    let fixture = testdata::fixture("damaged_stale_index_v11.db");
    let done = health::repair(fixture.path(), &|_| {}).unwrap();
    let copy = done.backup.unwrap();
    assert_eq!(list_all(&Store::open_read_only(&copy).unwrap()).len(), 26);
    let begin = copy.file_name().unwrap().to_str().unwrap();
    let beside: Vec<_> = names(fixture.dir())
        .into_iter()
        .filter(|name| name.starts_with(begin))
        .collect();
    assert_eq!(beside, [begin]);
}

#[test]
fn a_backup_that_cannot_be_made_leaves_no_folder() {
    let fixture = testdata::fixture("truncated_v11.db");
    let before = names(fixture.dir());
    health::backup(fixture.path(), &BackupOptions::default(), &|_, _| {}).unwrap_err();
    let after = names(fixture.dir());
    assert!(
        !after.contains(&"backups".to_owned()),
        "{before:?} {after:?}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_without_any_room_is_called_full_by_whatever_is_asked_for() {
    on_a_small_disk("odd-places-full", "2m");
}

/// The child's side.
pub(crate) fn full(folder: &Path) {
    say("mounted");
    let source = Home::new();
    let from = backed_up(&source);
    let path = folder.join("state.db");
    fs::copy(testdata::fixture("v11.db").path(), &path).unwrap();
    let ballast = folder.join("ballast");
    fill_up(&ballast);
    let codes = [
        ("read", Store::open_read_only(&path).map(drop)),
        ("open", Store::open(&path).map(drop)),
        (
            "check",
            health::check(&path, Depth::Deep, &|_| {}).map(drop),
        ),
        ("repair", health::repair(&path, &|_| {}).map(drop)),
        (
            "backup",
            health::backup(&path, &BackupOptions::default(), &|_, _| {}).map(drop),
        ),
        ("restore", restored(&path, &from).map(drop)),
    ];
    for (what, outcome) in codes {
        let error = outcome.expect_err(what);
        assert_eq!(error.code(), "disk_full", "{what}: {error}");
    }
    assert!(!names(folder).contains(&"backups".to_owned()));
    fs::remove_file(&ballast).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(list_all(&store).len(), 26);
    assert_eq!(store.index_trouble(), None);
    say("done");
}

fn fill_up(ballast: &Path) {
    use std::io::Write;
    let mut file = fs::File::create(ballast).unwrap();
    for size in [1 << 16, 1 << 12, 1] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_medium_that_cannot_be_written_is_read_checked_and_otherwise_called_so() {
    on_a_small_disk("odd-places-read-only", "4m");
}

/// The child's side.
pub(crate) fn read_only(folder: &Path) {
    say("mounted");
    let source = Home::new();
    let from = backed_up(&source);
    let path = folder.join("state.db");
    fs::copy(
        testdata::fixture("damaged_stale_index_v11.db").path(),
        &path,
    )
    .unwrap();
    let remounted = std::process::Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(folder)
        .status();
    assert!(remounted.unwrap().success());
    let store = Store::open_read_only(&path).unwrap();
    assert_eq!(list_all(&store).len(), 26);
    drop(store);
    let plan = StoreOptions::new().plan_migration(&path).unwrap();
    assert_eq!(plan.to, 11);
    let report = health::check(&path, Depth::Deep, &|_| {}).unwrap();
    assert!(!report.is_clean());
    let codes = [
        ("open", Store::open(&path).map(drop)),
        ("repair", health::repair(&path, &|_| {}).map(drop)),
        (
            "backup",
            health::backup(&path, &BackupOptions::default(), &|_, _| {}).map(drop),
        ),
        ("restore", restored(&path, &from).map(drop)),
    ];
    for (what, outcome) in codes {
        let error = outcome.expect_err(what);
        assert_eq!(error.code(), "read_only", "{what}: {error}");
    }
    // Another place for the copy is enough.
    let elsewhere = Home::new();
    let mut options = BackupOptions::default();
    options.to = Some(elsewhere.path());
    assert_eq!(
        health::backup(&path, &options, &|_, _| {})
            .unwrap()
            .messages,
        64
    );
    say("done");
}
