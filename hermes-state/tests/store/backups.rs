//! Checked backups, their rotation, and the way back.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_state::health::{self, BackupOptions, RestoreOptions, Restored};
use hermes_state::{Error, NewMessage, Store};

use crate::support::child::spawn;
use crate::support::{Home, ask, content_of, export, found, messages_of, raw, with_messages};

fn backup_to(path: &Path, to: &Path) -> Result<health::BackedUp, Error> {
    let mut options = BackupOptions::default();
    options.to = Some(to.to_owned());
    health::backup(path, &options, &|_, _| {})
}

fn restore(path: &Path, from: &Path, while_open: bool) -> Result<Restored, Error> {
    let mut options = RestoreOptions::default();
    options.while_open = while_open;
    health::restore(path, from, &options, &|_, _| {})
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Overwrites the page of a table with zeros.
pub(crate) fn zero_a_leaf(path: &Path, table: &str) {
    let conn = raw(path);
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    conn.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        .unwrap();
    let sql = format!(
        "SELECT pageno FROM dbstat WHERE name = '{table}' AND pagetype = 'leaf' ORDER BY pageno DESC LIMIT 1"
    );
    let page: i64 = conn.query_row(&sql, [], |row| row.get(0)).unwrap();
    drop(conn);
    let mut bytes = fs::read(path).unwrap();
    let at = (page as usize - 1) * 4096;
    bytes[at..at + 4096].fill(0);
    fs::write(path, bytes).unwrap();
}

/// CORR-36: committed rows that are only in the log.
#[test]
fn a_backup_holds_what_is_in_the_log_and_needs_no_side_file() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    raw(&home.path())
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    for n in 0..100 {
        let message = NewMessage::new("s", "user").content(format!("quokka {n}"));
        store.append_message(&message).unwrap();
    }
    let made = health::backup(home.path(), &BackupOptions::default(), &|_, _| {}).unwrap();
    assert_eq!((made.sessions, made.messages), (1, 100));
    let folder = home.dir().join("backups");
    assert_eq!(files(&folder).len(), 1);
    let elsewhere = Home::new();
    fs::copy(&made.path, elsewhere.path()).unwrap();
    assert_eq!(
        ask::<String>(&elsewhere.path(), "PRAGMA integrity_check"),
        "ok"
    );
    let copy = Store::open_read_only(elsewhere.path()).unwrap();
    assert_eq!(messages_of(&copy, "s").len(), 100);
    assert_eq!(found(&copy, "quokka").len(), 100);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&made.path), mode(&folder)), (0o600, 0o700));
    }
}

#[test]
fn only_the_newest_backups_stay_and_nothing_else_of_the_folder_goes() {
    let home = Home::new();
    drop(with_messages(&home, &["one"]));
    let folder = home.dir().join("backups");
    fs::create_dir(&folder).unwrap();
    for name in ["state-mine.db", "notes", "state-20990101_000000.db.txt"] {
        fs::write(folder.join(name), "keep").unwrap();
    }
    fs::write(folder.join("state-20200101_000000.db"), "old").unwrap();
    fs::write(folder.join("state-20200101_000000-12.db"), "old").unwrap();
    let mut options = BackupOptions::default();
    options.keep = Some(3);
    let mut made: Vec<PathBuf> = Vec::new();
    for _ in 0..5 {
        made.push(
            health::backup(home.path(), &options, &|_, _| {})
                .unwrap()
                .path,
        );
    }
    let names = files(&folder);
    assert_eq!(names.len(), 6, "{names:?}");
    assert!(made[2..].iter().all(|path| path.exists()), "{names:?}");
    for problem in [Some(0), Some(3)] {
        let mut options = BackupOptions::default();
        options.keep = problem;
        options.to = Some(home.dir().join("x.db"));
        let error = health::backup(home.path(), &options, &|_, _| {}).unwrap_err();
        assert_eq!(error.code(), "invalid");
    }
}

#[test]
fn a_good_backup_is_never_replaced_by_a_damaged_copy() {
    for table in ["messages", "idx_messages_session", "sessions"] {
        let home = Home::new();
        let texts: Vec<String> = (0..200)
            .map(|n| format!("text {n} {}", "x".repeat(300)))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        drop(with_messages(&home, &texts));
        let to = home.dir().join("good.db");
        backup_to(&home.path(), &to).unwrap();
        let good = fs::read(&to).unwrap();
        let mut options = BackupOptions::default();
        options.keep = Some(1);
        let kept = health::backup(home.path(), &options, &|_, _| {})
            .unwrap()
            .path;
        zero_a_leaf(&home.path(), table);
        let before = content_of(&home.path());
        let error = backup_to(&home.path(), &to).unwrap_err();
        assert_eq!(error.code(), "corrupt", "{table}: {error}");
        let error = health::backup(home.path(), &options, &|_, _| {}).unwrap_err();
        assert_eq!(error.code(), "corrupt", "{table}: {error}");
        assert!(fs::read(&to).unwrap() == good && kept.exists(), "{table}");
        assert_eq!(files(&home.dir().join("backups")).len(), 1, "{table}");
        assert!(!files(home.dir()).iter().any(|name| name.contains("draft")));
        assert_eq!(content_of(&home.path()), before);
        // And the good one brings it back.
        let done = restore(&home.path(), &to, false).unwrap();
        assert_eq!(done.messages, 200, "{table}");
        assert!(done.previous.is_some());
        assert!(crate::health::check(&home.path()).is_clean());
    }
}

#[test]
fn a_damaged_search_index_is_told_and_no_reason_to_go_without_a_backup() {
    let fixture = testdata::fixture("v11.db");
    zero_a_leaf(fixture.path(), "messages_fts_idx");
    let to = fixture.dir().join("copy.db");
    let made = backup_to(fixture.path(), &to).unwrap();
    assert_eq!(made.messages, 64);
    assert!(!made.findings.is_empty());
}

#[test]
fn a_backup_goes_over_no_store_that_is_used() {
    let home = Home::new();
    let store = with_messages(&home, &["one"]);
    for to in [home.path(), home.dir().to_owned()] {
        assert_eq!(backup_to(&home.path(), &to).unwrap_err().code(), "invalid");
    }
    let other = Home::new();
    let _open = with_messages(&other, &["two"]);
    assert_eq!(
        backup_to(&home.path(), &other.path()).unwrap_err().code(),
        "invalid"
    );
    assert_eq!(found(&store, "one"), [1]);
}

/// CORR-33: the file stays the same, and whoever has it open sees the restored rows at once.
#[test]
#[cfg(unix)]
fn a_restore_goes_into_the_file_that_others_have_open_or_names_them() {
    use std::os::unix::fs::MetadataExt;
    let home = Home::new();
    let path = home.path();
    let store = with_messages(&home, &["one", "two"]);
    let to = home.dir().join("backup.db");
    backup_to(&path, &to).unwrap();
    let expected = export(&store);
    store
        .append_message(&NewMessage::new("s", "user").content("three"))
        .unwrap();
    let with_three = export(&store);
    let inode = fs::metadata(&path).unwrap().ino();
    let mut other = spawn("keep", &[path.to_str().unwrap()]);
    assert_eq!(other.line().as_deref(), Some("kept"));
    let error = restore(&path, &to, false).unwrap_err();
    let Error::Locked { holders, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(
        holders.iter().map(|h| h.pid).collect::<Vec<_>>(),
        [other.id()]
    );
    assert_eq!(export(&store), with_three);
    let done = restore(&path, &to, true).unwrap();
    assert!(done.in_place);
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
    assert_eq!(export(&store), expected);
    let id = store
        .append_message(&NewMessage::new("s", "user").content("four"))
        .unwrap();
    assert_eq!(found(&store, "four"), [id.0]);
    let before = Store::open_read_only(done.previous.unwrap()).unwrap();
    assert_eq!(export(&before), with_three);
    other.kill();
}

/// CORR-34: a log that a killed writer has left.
#[test]
fn the_log_of_a_killed_writer_is_not_mixed_with_what_is_restored() {
    let home = Home::new();
    let path = home.path();
    drop(with_messages(&home, &["one"]));
    let to = home.dir().join("backup.db");
    backup_to(&path, &to).unwrap();
    let mut writer = spawn("append", &[path.to_str().unwrap(), "w", "100000"]);
    assert_eq!(writer.line().as_deref(), Some("ready"));
    writer.go();
    for _ in 0..20 {
        assert!(writer.line().is_some());
    }
    writer.kill();
    drop(writer);
    assert!(home.dir().join("state.db-wal").exists());
    let done = restore(&path, &to, false).unwrap();
    assert_eq!((done.sessions, done.messages), (1, 1));
    let copy = Store::open_read_only(&to).unwrap();
    assert_eq!(export(&Store::open(&path).unwrap()), export(&copy));
    assert!(crate::health::check(&path).is_clean());
}

#[test]
fn what_cannot_be_written_into_is_put_aside_with_its_side_files() {
    for file in [
        "not_a_database.db",
        "header_damaged_v11.db",
        "truncated_v11.db",
    ] {
        let fixture = testdata::fixture(file);
        let good = testdata::fixture("v11.db");
        let log = fixture.dir().join(format!("{file}-wal"));
        fs::write(&log, "a log that belongs to it").unwrap();
        let before = fs::read(fixture.path()).unwrap();
        let done = restore(fixture.path(), good.path(), false).unwrap();
        assert!(!done.in_place, "{file}");
        let previous = done.previous.unwrap();
        assert!(fs::read(&previous).unwrap() == before, "{file}");
        let mut aside = previous.into_os_string();
        aside.push("-wal");
        assert_eq!(
            fs::read(aside).unwrap(),
            b"a log that belongs to it",
            "{file}"
        );
        assert_eq!(done.messages, 64, "{file}");
    }
    let home = Home::new();
    let good = testdata::fixture("v22.db");
    let done = restore(&home.path(), good.path(), false).unwrap();
    assert_eq!((done.messages, done.previous), (75, None));
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let home = Home::new();
    let store = with_messages(&home, &["one"]);
    let before = export(&store);
    drop(store);
    for file in [
        "truncated_v11.db",
        "not_a_database.db",
        "page_zeroed_index_v11.db",
    ] {
        let bad = testdata::fixture(file);
        assert!(restore(&home.path(), bad.path(), false).is_err(), "{file}");
    }
    assert_eq!(
        restore(&home.path(), &home.path(), false)
            .unwrap_err()
            .code(),
        "invalid"
    );
    assert_eq!(export(&home.store()), before);
}
