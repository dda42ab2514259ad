//! What a store takes of the process is given back when it is closed, or cannot be opened.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hermes_state::{NewMessage, Store, StoreOptions};

use crate::support::child::{say, spawn};
use crate::support::{Home, with_messages};

/// Descriptors and threads of this process.
fn held() -> (usize, usize) {
    let count = |folder| fs::read_dir(folder).unwrap().count();
    (count("/proc/self/fd"), count("/proc/self/task"))
}

/// One of every kind of opening, those that fail included.
fn open_each(folder: &Path, n: usize) {
    let path = folder.join("state.db");
    let store = Store::open(&path).unwrap();
    // Now and then so much that the maintenance thread has work.
    let writes = if n.is_multiple_of(100) { 60 } else { n % 2 };
    for _ in 0..writes {
        let message = NewMessage::new("s", "user").content("wombat");
        store.append_message(&message).unwrap();
    }
    let reader = Store::open_read_only(&path).unwrap();
    assert!(reader.session("s").unwrap().is_some());
    drop((store, reader));
    for (name, code) in [
        ("not_a_database.db", "not_a_database"),
        ("truncated.db", "corrupt"),
        ("version_text.db", "bad_schema_version"),
        ("none.db", "no_store"),
        ("none/none.db", "no_store"),
        (".", "not_a_file"),
    ] {
        let options = StoreOptions::new().existing_only();
        let error = options.open(folder.join(name)).unwrap_err();
        assert_eq!(error.code(), code, "{name}: {error}");
    }
    // Newer than what is written: to be read.
    let newer = Store::open(folder.join("version_999.db")).unwrap();
    assert_eq!(
        newer.ensure_session("x").unwrap_err().code(),
        "schema_too_new"
    );
}

/// The child's part, in a process where nothing else goes on.
pub(crate) fn open_and_close(folder: &Path, times: usize) {
    // What is made once and kept.
    open_each(folder, 0);
    let before = settled((0, 0));
    for n in 0..times {
        open_each(folder, n);
    }
    assert_eq!(settled(before), before);
    say("the same");
}

/// What is held when the maintenance thread has ended.
fn settled(expected: (usize, usize)) -> (usize, usize) {
    let until = Instant::now() + Duration::from_secs(if expected == (0, 0) { 1 } else { 20 });
    while held() != expected && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    held()
}

fn assert_nothing_is_kept(times: usize) {
    let home = Home::new();
    drop(with_messages(&home, &["one"]));
    for (file, name) in [
        ("not_a_database.db", "not_a_database.db"),
        ("truncated_v11.db", "truncated.db"),
        ("version_text.db", "version_text.db"),
        ("version_999.db", "version_999.db"),
    ] {
        fs::copy(testdata::fixture(file).path(), home.dir().join(name)).unwrap();
    }
    let folder = home.dir().to_str().unwrap().to_owned();
    let child = spawn("open-and-close", &[&folder, &times.to_string()]);
    let (lines, well) = child.finish();
    assert!(well && lines == ["the same"], "{lines:?}");
}

/// Nine openings each time.
#[test]
fn a_thousand_openings_leave_no_descriptor_and_no_thread() {
    assert_nothing_is_kept(112);
}

#[test]
#[ignore = "takes long"]
fn ten_thousand_openings_leave_no_descriptor_and_no_thread() {
    assert_nothing_is_kept(1112);
}
