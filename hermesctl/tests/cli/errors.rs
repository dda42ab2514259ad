//! Bad input: a clear error, the right exit code, and the file as it was.

use std::fs;
use std::path::Path;

use testdata::fixture;

use crate::program::{Run, run, run_on};

/// A cause and a next step on stderr, and the same as JSON.
fn assert_error(db: &Path, code: &str) {
    let reading: [&[&str]; 4] = [
        &["sessions", "list"],
        &["search", "zebra"],
        &["sessions", "export"],
        &["db", "info"],
    ];
    for args in reading {
        let text = run_on(db, args);
        assert_eq!(text.code, 1, "{args:?}: {}", text.stderr);
        let lines: Vec<&str> = text.stderr.lines().collect();
        assert!(
            matches!(lines.as_slice(), [cause, hint] if cause.starts_with("error: ") && hint.starts_with(" hint: ")),
            "{args:?}: {}",
            text.stderr
        );
        let json = run_on(db, &[&["--json"], args].concat());
        assert_eq!(json.code, 1);
        let error = &json.json()["error"];
        assert_eq!(error["code"], code, "{args:?}: {error}");
        assert!(!error["message"].as_str().unwrap().is_empty());
        assert!(!error["hint"].as_str().unwrap().is_empty());
    }
}

#[test]
fn files_that_are_no_store_are_named_and_left_alone() {
    for (name, code) in [
        ("not_a_database.db", "not_a_database"),
        ("header_damaged_v11.db", "not_a_database"),
        ("truncated_v11.db", "corrupt"),
        ("version_text.db", "bad_schema_version"),
    ] {
        let store = fixture(name);
        let before = fs::read(store.path()).unwrap();
        assert_error(store.path(), code);
        let import = import_into(store.path());
        assert_eq!(import.code, 1, "{name}: {}", import.stdout);
        assert!(
            fs::read(store.path()).unwrap() == before,
            "{name} was changed"
        );
    }
}

fn import_into(db: &Path) -> Run {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample.jsonl");
    run_on(db, &["sessions", "import", sample.to_str().unwrap()])
}

#[test]
fn another_programs_database_is_refused() {
    let store = fixture("v11.db");
    // A sound database with other tables: every mention of `sessions` is renamed in place.
    let mut bytes = store.bytes().to_vec();
    for at in 0..bytes.len() - 8 {
        if &bytes[at..at + 8] == b"sessions" {
            bytes[at..at + 8].copy_from_slice(b"visitors");
        }
    }
    fs::write(store.path(), &bytes).unwrap();
    assert_error(store.path(), "not_a_hermes_database");
    assert!(fs::read(store.path()).unwrap() == bytes);
}

#[test]
fn a_store_of_a_version_that_is_too_new_is_read_but_not_written() {
    for (name, code) in [
        ("v30_inline.db", "schema_too_new"),
        ("v30_external.db", "schema_too_new"),
        ("version_999.db", "schema_too_new"),
    ] {
        let store = fixture(name);
        let before = fs::read(store.path()).unwrap();
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample.jsonl");
        let import = run_on(
            store.path(),
            &["--json", "sessions", "import", sample.to_str().unwrap()],
        );
        assert_eq!(import.code, 1, "{name}");
        assert_eq!(import.json()["error"]["code"], code, "{name}");
        run_on(store.path(), &["sessions", "list"]).ok();
        assert!(
            fs::read(store.path()).unwrap() == before,
            "{name} was changed"
        );
    }
    let future = fixture("version_999.db");
    let list = run_on(future.path(), &["sessions", "list"]).ok();
    assert!(
        list.stderr
            .contains("schema version 999 is newer than any known"),
        "{}",
        list.stderr
    );
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_error(folder.path(), "not_a_file");
    let below = folder.path().join("file");
    fs::write(&below, "x").unwrap();
    assert_error(&below.join("state.db"), "not_a_directory");
    assert_error(&below, "not_a_database");
    assert_eq!(fs::read(&below).unwrap(), b"x");
}

#[cfg(unix)]
#[test]
fn paths_of_any_bytes_work() {
    use std::os::unix::ffi::OsStrExt;
    let store = fixture("v11.db");
    for name in [
        &b"with space ? # % 'q'.db"[..],
        "大别山 état.db".as_bytes(),
        b"\xff\xfe.db",
        b"file:x.db",
    ] {
        let path = store.dir().join(std::ffi::OsStr::from_bytes(name));
        fs::copy(store.path(), &path).unwrap();
        let list = run([
            std::ffi::OsStr::new("--db"),
            path.as_os_str(),
            "--json".as_ref(),
            "sessions".as_ref(),
            "list".as_ref(),
        ]);
        assert_eq!(
            list.ok().json()["sessions"].as_array().unwrap().len(),
            20,
            "{name:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_store_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let store = fixture("v11.db");
    fs::set_permissions(store.dir(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(store.path(), fs::Permissions::from_mode(0o000)).unwrap();
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = home.path().join("hermesctl");
    fs::copy(env!("CARGO_BIN_EXE_hermesctl"), &program).unwrap();
    let mut command = std::process::Command::new(&program);
    command
        .env_clear()
        .env("HOME", home.path())
        .current_dir("/");
    if fs::read(store.path()).is_ok() {
        // Root may read anything: somebody else tries.
        command.uid(65534).gid(65534);
    }
    let run: Run = command
        .arg("--db")
        .arg(store.path())
        .args(["--json", "sessions", "list"])
        .output()
        .unwrap()
        .into();
    assert_eq!(run.code, 1);
    assert_eq!(
        run.json()["error"]["code"],
        "permission_denied",
        "{}",
        run.stderr
    );
}

#[test]
fn wrong_usage_exits_with_64() {
    for args in [
        &["sessions", "lst"][..],
        &["search"],
        &["--home", "a", "--profile", "b", "home"],
        &["sessions", "list", "--limit", "many"],
        &["search", "x", "-C", "1001"],
        &["-p", "No Name!", "home"],
        &["quickstart", "--json"],
        &[],
    ] {
        let run = run(args);
        assert_eq!(run.code, 64, "{args:?}: {}", run.stderr);
        assert!(!run.stderr.is_empty());
    }
    let json = run(["--json", "sessions", "lst"]);
    assert_eq!(
        (json.code, &json.json()["error"]["code"]),
        (64, &"usage".into())
    );
}

#[test]
fn a_session_that_is_not_there_or_not_the_only_one_meant_is_an_error() {
    let store = fixture("v11.db");
    for (id, code) in [
        ("nosuch", "unknown_session"),
        ("2025", "ambiguous_session"),
        ("", "unknown_session"),
        ("%", "unknown_session"),
    ] {
        let run = run_on(store.path(), &["--json", "sessions", "show", id]);
        assert_eq!(run.code, 1, "{id}");
        assert_eq!(run.json()["error"]["code"], code, "{id}");
        assert_eq!(run_on(store.path(), &["sessions", "export", id]).code, 1);
    }
    let several = run_on(store.path(), &["sessions", "show", "20251101"]);
    assert!(
        several.stderr.contains("20251101_090000_root01"),
        "{}",
        several.stderr
    );
}

#[test]
fn json_that_cannot_be_finished_is_not_begun() {
    let store = fixture("page_zeroed_index_v11.db");
    for args in [
        &["sessions", "list"][..],
        &["sessions", "show", "20251101_09"],
        &["search", "zebra"],
    ] {
        let run = run_on(store.path(), &[&["--json"], args].concat());
        assert_eq!(run.code, 1, "{args:?}");
        assert_eq!(
            run.json()["error"]["code"],
            "corrupt",
            "{args:?}: {}",
            run.stdout
        );
        assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stderr_changes_no_outcome() {
    let store = fixture("damaged_fts_leaves_v11.db");
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let code = |args: &[&str]| {
        let mut command = crate::program::hermesctl(store.dir());
        command
            .arg("--db")
            .arg(store.path())
            .args(args)
            .stderr(full());
        command.output().unwrap().status.code()
    };
    assert_eq!(code(&["search", "zebra"]), Some(0));
    assert_eq!(code(&["sessions", "export", "-o", "all.jsonl"]), Some(0));
    assert_eq!(code(&["sessions", "show", "nosuch"]), Some(1));
}

#[test]
fn profile_commands_do_not_take_a_store_for_a_home() {
    let store = fixture("v11.db");
    let run = run_on(store.path(), &["--json", "profile", "create", "coder"]);
    assert_eq!(
        (run.code, &run.json()["error"]["code"]),
        (64, &"usage".into())
    );
    assert!(!store.dir().join("profiles").exists());
}
