//! Paths and files that are no store, or one that may not be touched.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use hermes_state::{Error, ListOptions, NewMessage, Store};

use crate::support::child::{self, Process};
use crate::support::{Home, content_of, found, list_all, raw};

fn code(outcome: Result<Store, Error>) -> &'static str {
    outcome.map_or_else(|e| e.code(), |_| "ok")
}

fn open_rw(path: &Path) -> Result<Store, Error> {
    Store::open(path)
}

fn open_ro(path: &Path) -> Result<Store, Error> {
    Store::open_read_only(path)
}

#[test]
fn what_is_no_file_is_named() {
    let home = Home::new();
    for open in [open_rw, open_ro] {
        let error = open(home.dir()).unwrap_err();
        assert!(
            matches!(
                error,
                Error::NotAFile {
                    kind: "a directory",
                    ..
                }
            ),
            "{error}"
        );
    }
    let pipe = home.dir().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no program `mkfifo`");
        return;
    }
    // Opening a pipe would wait for its other end for ever.
    assert_eq!(code(Store::open(&pipe)), "not_a_file");
    assert_eq!(code(Store::open_read_only(&pipe)), "not_a_file");
}

#[test]
fn reading_creates_nothing() {
    let home = Home::new();
    for path in [home.path(), home.dir().join("no/such/folder/state.db")] {
        let error = Store::open_read_only(&path).unwrap_err();
        assert!(
            matches!(&error, Error::NoStore { path: named } if *named == path),
            "{error}"
        );
    }
    assert_eq!(fs::read_dir(home.dir()).unwrap().count(), 0);
}

#[test]
fn a_path_through_a_file_is_an_error() {
    let home = Home::new();
    fs::write(home.dir().join("file"), "x").unwrap();
    let path = home.dir().join("file/state.db");
    assert_eq!(code(Store::open(&path)), "cannot_open");
    assert_eq!(code(Store::open_read_only(&path)), "cannot_open");
}

#[test]
fn a_file_that_is_cut_short_is_an_error_and_stays_as_it_is() {
    let fixture = testdata::fixture("v11.db");
    let whole = fixture.bytes();
    for length in [
        1,
        15,
        16,
        99,
        100,
        511,
        512,
        1024,
        4095,
        4096,
        4097,
        8192,
        40_960,
        whole.len() / 2,
        whole.len() - 4096,
    ] {
        let home = Home::new();
        fs::write(home.path(), &whole[..length]).unwrap();
        let before = content_of(&home.path());
        for open in [open_ro, open_rw] {
            // What is missing may be a page that a list does not need; a check looks at all.
            let outcome = open(&home.path()).and_then(|store| {
                store.list_sessions(&ListOptions::default())?;
                store.quick_check()
            });
            match outcome {
                Ok(findings) => assert!(!findings.is_empty(), "{length}"),
                Err(error) => {
                    let typed = ["not_a_database", "corrupt"].contains(&error.code());
                    assert!(typed, "{length}: {error}");
                }
            }
            assert_eq!(content_of(&home.path()), before, "{length}");
        }
    }
}

#[test]
fn a_database_of_something_else_stays_as_it_is() {
    let home = Home::new();
    raw(&home.path())
        .execute_batch("CREATE TABLE messages (id INTEGER); CREATE TABLE bookmarks (url TEXT);")
        .unwrap();
    let before = content_of(&home.path());
    for open in [open_ro, open_rw] {
        let path = home.path();
        let error = open(&path).unwrap_err();
        assert!(
            matches!(
                error,
                Error::NotAHermesDatabase {
                    missing: "sessions",
                    ..
                }
            ),
            "{error}"
        );
        assert!(error.problem().contains("`sessions`"));
    }
    assert_eq!(content_of(&home.path()), before);
}

#[test]
fn a_version_that_is_no_number_is_named() {
    for (stored, shown) in [
        ("'eleven'", "eleven"),
        ("x'00'", "1 bytes"),
        ("1.5", "1.5"),
        ("0", "0"),
        ("-3", "-3"),
    ] {
        let home = Home::new();
        drop(home.store());
        raw(&home.path())
            .execute(&format!("UPDATE schema_version SET version = {stored}"), [])
            .unwrap();
        let before = content_of(&home.path());
        let error = Store::open(home.path()).unwrap_err();
        assert!(
            matches!(&error, Error::BadSchemaVersion { found, .. } if found == shown),
            "{error}"
        );
        assert_eq!(content_of(&home.path()), before);
    }
}

/// Makes a store there, writes and reads it, and gives the names in its folder.
fn used_at(path: &Path) -> Vec<std::ffi::OsString> {
    let store = Store::open(path).unwrap();
    store.ensure_session("s").unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content("quokka"))
        .unwrap();
    drop(store);
    let reader = Store::open_read_only(path).unwrap();
    assert_eq!(found(&reader, "quokka"), [1]);
    drop(reader);
    let store = Store::open(path).unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content("quokka"))
        .unwrap();
    assert_eq!(found(&store, "quokka"), [1, 2]);
    drop(store);
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn any_name_is_a_name() {
    for name in [
        "with space.db",
        "what?.db",
        "100%.db",
        "%41.db",
        "a#b.db",
        "a&b=c.db",
        "файл 山.db",
        "quote'\".db",
        "-leading",
        "new\nline.db",
        ":memory:",
        "file:x.db?mode=memory",
    ] {
        let home = Home::new();
        assert_eq!(used_at(&home.dir().join(name)), [OsStr::new(name)]);
        let folder = home.dir().join(name).with_extension("folder");
        assert_eq!(used_at(&folder.join("state.db")), ["state.db"]);
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf_8_is_a_name() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    let name = OsStr::from_bytes(b"st\xffate.db");
    if fs::write(home.dir().join("probe").with_file_name(name), "").is_err() {
        eprintln!("SKIPPED: this file system takes no name that is not UTF-8");
        return;
    }
    assert_eq!(used_at(&home.dir().join(name)), [name]);
    let error = Store::open_read_only(home.dir().join(OsStr::from_bytes(b"no\xff\n"))).unwrap_err();
    let shown = error.to_string();
    assert!(
        !shown.contains('\n') && shown.contains("no\u{fffd}"),
        "{shown}"
    );
}

#[test]
fn a_relative_name_that_looks_like_a_uri_is_a_name() {
    let home = Home::new();
    for name in ["file:x.db", "file:y.db?mode=memory", ":memory:", "plain.db"] {
        let mut command = child::command("try", &[name]);
        command.current_dir(home.dir());
        let (lines, well) = Process::start(&mut command).finish();
        assert!(well);
        assert_eq!(
            lines,
            ["read only: no_store; read-write: 0 sessions"],
            "{name}"
        );
        assert!(home.dir().join(name).is_file(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_to_the_store_and_makes_one_where_it_points() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new();
    let target = home.dir().join("real/state.db");
    fs::create_dir(home.dir().join("real")).unwrap();
    let link = home.dir().join("link.db");
    symlink(&target, &link).unwrap();
    assert_eq!(code(Store::open_read_only(&link)), "not_a_file");
    let store = Store::open(&link).unwrap();
    store.ensure_session("s").unwrap();
    let real = fs::canonicalize(&target).unwrap();
    assert_eq!(store.path(), real);
    assert!(store.info().unwrap().wal_bytes > 0);
    assert_eq!(
        fs::metadata(&target).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // The log lies beside the file, not beside the link, where others would not find it.
    let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
    assert_eq!((names(home.dir()), names(&home.dir().join("real"))), (2, 3));
    let through_link = Store::open(&link).unwrap();
    assert_eq!(through_link.path(), real);
    assert_eq!(list_all(&through_link).len(), 1);
    // A link to itself.
    let knot = home.dir().join("knot.db");
    symlink(&knot, &knot).unwrap();
    assert_eq!(code(Store::open(&knot)), "not_a_file");
}

/// What a process is told about a path; the child's side of the tests of permissions.
pub(crate) fn what_happens(path: &Path) -> String {
    let told = |outcome: Result<Store, Error>| match outcome.and_then(|store| {
        let read = store.list_sessions(&{
            let mut all = ListOptions::default();
            all.limit = usize::MAX;
            all.include_children = true;
            all
        })?;
        Ok(read.len())
    }) {
        Ok(sessions) => format!("{sessions} sessions"),
        Err(e) => e.code().to_owned(),
    };
    let read_only = told(Store::open_read_only(path));
    format!(
        "read only: {read_only}; read-write: {}",
        told(Store::open(path))
    )
}

#[cfg(unix)]
mod permissions {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::path::Path;

    use testdata::Fixture;

    use crate::support::child::{self, Process};
    use crate::support::content_of;

    const NOBODY: u32 = 65_534;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// What somebody is told who is not root: for root no permission is missing.
    fn told(path: &Path) -> Option<String> {
        let mut command = child::command("try", &[path.to_str().unwrap()]);
        let root = fs::metadata("/proc/self").map_or(true, |me| me.uid() == 0);
        if root {
            command.uid(NOBODY).gid(NOBODY);
        }
        let told = Process::try_start(&mut command)
            .ok()
            .and_then(|mut process| process.line());
        if told.is_none() {
            eprintln!("SKIPPED: the tests cannot be run as another user here");
        }
        told
    }

    /// Checks what is told of a fixture whose file and folder have these modes, and that nothing
    /// has changed.
    fn check(fixture: &Fixture, file: u32, folder: u32, expected: &str) {
        let before = content_of(fixture.path());
        set(fixture.path(), file);
        set(fixture.dir(), folder);
        let told = told(fixture.path());
        set(fixture.dir(), 0o755);
        set(fixture.path(), 0o644);
        if let Some(told) = told {
            assert_eq!(told, expected);
        }
        assert_eq!(content_of(fixture.path()), before);
    }

    #[test]
    fn a_file_that_may_not_be_read_is_named_so() {
        let fixture = testdata::fixture("v11.db");
        let expected = "read only: permission_denied; read-write: permission_denied";
        check(&fixture, 0o000, 0o755, expected);
        check(&fixture, 0o644, 0o000, expected);
    }

    #[test]
    fn a_store_in_a_folder_that_may_not_be_written_is_read() {
        let fixture = testdata::fixture("v11.db");
        check(
            &fixture,
            0o444,
            0o555,
            "read only: 26 sessions; read-write: read_only",
        );
        // One with a rollback journal needs no side file to be read.
        let fixture = testdata::fixture("journal_delete_v11.db");
        crate::support::raw(fixture.path())
            .query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
            .unwrap();
        check(
            &fixture,
            0o444,
            0o555,
            "read only: 26 sessions; read-write: read_only",
        );
    }

    #[test]
    fn a_log_that_cannot_be_taken_into_account_is_not_passed_over() {
        // Without a -shm, which cannot be made there, the log cannot be read.
        let fixture = testdata::fixture("wal_torn.db");
        check(
            &fixture,
            0o444,
            0o555,
            "read only: cannot_open; read-write: read_only",
        );
    }

    #[test]
    fn the_journal_of_an_unfinished_business_is_not_passed_over() {
        let fixture = testdata::fixture("journal_delete_v11.db");
        let conn = crate::support::raw(fixture.path());
        conn.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
            .unwrap();
        // So small a cache writes pages into the file before the transaction ends.
        conn.execute_batch(
            "PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;
             UPDATE messages SET content = 'half done';",
        )
        .unwrap();
        let journal = fixture.dir().join("journal_delete_v11.db-journal");
        // What a power cut would leave behind.
        let other = testdata::fixture("journal_delete_v11.db");
        fs::copy(fixture.path(), other.path()).unwrap();
        fs::copy(&journal, other.dir().join("journal_delete_v11.db-journal")).unwrap();
        set(&other.dir().join("journal_delete_v11.db-journal"), 0o644);
        check(
            &other,
            0o444,
            0o555,
            "read only: read_only; read-write: read_only",
        );
    }

    #[test]
    fn a_store_cannot_be_made_in_a_folder_that_may_not_be_written() {
        let dir = tempfile::tempdir().unwrap();
        set(dir.path(), 0o555);
        for name in ["state.db", "sub/state.db"] {
            if let Some(told) = told(&dir.path().join(name)) {
                assert_eq!(
                    told, "read only: no_store; read-write: permission_denied",
                    "{name}"
                );
            }
        }
        set(dir.path(), 0o755);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
