//! A copy of the whole store, made while others use it.

use std::fs;

use hermes_state::{NewMessage, Store};

use crate::support::child::{self, Process, spawn};
use crate::support::{Home, assert_index_whole, content_of, export, found, messages_of};

#[test]
fn a_copy_holds_what_was_committed_and_is_a_store() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let message = NewMessage::new("s", "user").content("quokka 山水画册");
    store.append_message(&message).unwrap();
    let to = home.dir().join("copy.db");
    store.snapshot(&to).unwrap();
    store.append_message(&message).unwrap();
    let copy = Store::open(&to).unwrap();
    assert_eq!(found(&copy, "quokka"), [1]);
    assert_eq!(copy.append_message(&message).unwrap().0, 2);
    drop(copy);
    assert_index_whole(&to);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(&to).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn a_copy_that_is_made_while_others_write_is_of_one_moment() {
    let home = Home::new();
    let path = home.path();
    let store = home.store();
    let mut writer = spawn("append", &[path.to_str().unwrap(), "s", "1000000"]);
    assert_eq!(writer.line().as_deref(), Some("ready"));
    writer.go();
    for n in 0..5 {
        assert!(writer.line().is_some());
        let to = home.dir().join(format!("copy{n}.db"));
        store.snapshot(&to).unwrap();
        let copy = Store::open_read_only(&to).unwrap();
        let counted = copy.session("s").unwrap().unwrap().message_count;
        let messages = messages_of(&copy, "s").len();
        assert!(messages > n);
        assert_eq!(counted, Some(messages as i64));
        drop(copy);
        assert_index_whole(&to);
    }
    writer.kill();
}

#[test]
fn a_store_of_any_version_is_copied_and_left_as_it_is() {
    for file in [
        "v1.db",
        "v11.db",
        "v22.db",
        "v30_external.db",
        "wal_left.db",
    ] {
        let fixture = testdata::fixture(file);
        let before = content_of(fixture.path());
        let store = Store::open_read_only(fixture.path()).unwrap();
        let to = fixture.dir().join("copy.db");
        store.snapshot(&to).unwrap();
        let copy = Store::open_read_only(&to).unwrap();
        assert_eq!(export(&copy), export(&store), "{file}");
        drop((store, copy));
        assert_eq!(content_of(fixture.path()), before, "{file}");
    }
}

#[test]
fn a_copy_never_replaces_a_file_and_leaves_none_when_it_fails() {
    let home = Home::new();
    let store = home.store();
    let there = home.dir().join("there");
    fs::write(&there, "mine").unwrap();
    for to in [
        there.clone(),
        home.path(),
        home.dir().join("no/folder"),
        home.dir().to_path_buf(),
    ] {
        assert_eq!(store.snapshot(&to).unwrap_err().code(), "cannot_open");
    }
    assert_eq!(fs::read(&there).unwrap(), b"mine");
    assert!(store.ensure_session("s").unwrap());
}

#[test]
fn a_copys_name_is_never_taken_for_a_uri() {
    let home = Home::new();
    drop(home.store());
    let name = "file:copy.db?mode=memory";
    let mut command = child::command("copy", &["state.db", name]);
    command.current_dir(home.dir());
    let (lines, well) = Process::start(&mut command).finish();
    assert!(well);
    assert_eq!(lines, ["copied"]);
    let copy = Store::open_read_only(home.dir().join(name)).unwrap();
    assert_eq!(copy.schema_version(), 11);
}
