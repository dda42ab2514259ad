//! A new store has the tables of a real one; an old one that is in order is left as it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hermes_state::{Error, NATIVE_VERSION, NewMessage, Store, StoreOptions};
use rusqlite::types::Value as Sql;
use serde_json::{Value, json};

use crate::support::{Home, ask, content_of, found, list_all, raw};

/// Runs of white space folded to one blank, as the recorded schema has it.
fn folded(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Type, name, table and SQL of each object but SQLite's own.
pub(crate) fn objects(path: &Path) -> BTreeSet<[String; 4]> {
    let conn = raw(path);
    let mut statement = conn
        .prepare("SELECT type, name, tbl_name, COALESCE(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        .unwrap();
    let rows = statement.query_map([], |row| {
        let sql: String = row.get(3)?;
        Ok([row.get(0)?, row.get(1)?, row.get(2)?, folded(&sql)])
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// The rows of a pragma as JSON.
fn pragma(path: &Path, sql: &str) -> Vec<Vec<Value>> {
    let conn = raw(path);
    let mut statement = conn.prepare(sql).unwrap();
    let width = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..width)
            .map(|n| {
                Ok(match row.get::<_, Sql>(n)? {
                    Sql::Null => Value::Null,
                    Sql::Integer(i) => json!(i),
                    Sql::Real(x) => json!(x),
                    Sql::Text(text) => json!(text),
                    Sql::Blob(_) => json!("blob"),
                })
            })
            .collect()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

const OURS: &str = "idx_messages_session_id";

#[test]
fn a_new_store_has_the_objects_of_a_real_one_and_one_index_more() {
    let home = Home::new();
    drop(home.store());
    let vector = testdata::vectors("schema_v11");
    let text = |object: &Value, key: &str| folded(object[key].as_str().unwrap_or_default());
    let recorded: BTreeSet<[String; 4]> = vector["objects"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|object| !object["name"].as_str().unwrap().starts_with("sqlite_"))
        .map(|object| ["type", "name", "tbl_name", "sql"].map(|key| text(object, key)))
        .collect();
    let made = objects(&home.path());
    let extra: Vec<_> = made.difference(&recorded).collect();
    let missing: Vec<_> = recorded.difference(&made).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    let sql = "CREATE INDEX idx_messages_session_id ON messages(session_id, id)";
    assert_eq!(
        extra,
        [&["index", OURS, "messages", sql].map(str::to_owned)]
    );
}

#[test]
fn a_new_store_has_the_columns_keys_and_indexes_of_a_real_one() {
    let home = Home::new();
    drop(home.store());
    let vector = testdata::vectors("schema_v11");
    let tables = vector["tables"].as_object().unwrap();
    for (table, recorded) in tables {
        for (kind, expected) in recorded.as_object().unwrap() {
            let rows = pragma(&home.path(), &format!("PRAGMA {kind}({table})"));
            if kind != "index_list" {
                assert_eq!(json!(rows), *expected, "{kind} of {table}");
                continue;
            }
            // The first column is a number that only the order of creation decides.
            let without_number = |rows: &[Vec<Value>]| -> BTreeSet<String> {
                rows.iter().map(|row| json!(row[1..]).to_string()).collect()
            };
            let expected: Vec<Vec<Value>> = serde_json::from_value(expected.clone()).unwrap();
            let ours: Vec<Vec<Value>> = rows.iter().filter(|row| row[1] != OURS).cloned().collect();
            assert_eq!(without_number(&ours), without_number(&expected), "{table}");
        }
    }
    assert!(tables.len() >= 4, "{:?}", tables.keys());
}

#[test]
fn a_new_store_has_the_settings_of_a_real_one_in_its_file() {
    let home = Home::new();
    let store = home.store();
    let recorded = &testdata::vectors("schema_v11")["pragmas"];
    for name in [
        "journal_mode",
        "page_size",
        "auto_vacuum",
        "encoding",
        "user_version",
        "application_id",
    ] {
        let rows = pragma(&home.path(), &format!("PRAGMA {name}"));
        assert_eq!(rows[0][0], recorded[name], "{name}");
    }
    assert_eq!(store.schema_version(), NATIVE_VERSION);
    assert_eq!(
        ask::<i64>(&home.path(), "SELECT COUNT(*) FROM schema_version"),
        1
    );
}

#[cfg(unix)]
#[test]
fn a_new_store_and_its_folders_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let path = home.dir().join("a/b/state.db");
    let store = Store::open(&path).unwrap();
    store.ensure_session("s").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&path.with_extension("db-wal")), 0o600);
    assert_eq!(mode(&path.with_extension("db-shm")), 0o600);
    assert_eq!(mode(&home.dir().join("a")), 0o700);
    assert_eq!(mode(&home.dir().join("a/b")), 0o700);
    let files: BTreeSet<_> = fs::read_dir(home.dir().join("a/b"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected = ["state.db", "state.db-shm", "state.db-wal"].map(str::to_owned);
    assert_eq!(files, BTreeSet::from(expected));
}

#[test]
fn an_empty_file_becomes_a_store() {
    let fixture = testdata::fixture("empty_file.db");
    assert!(matches!(
        Store::open_read_only(fixture.path()),
        Err(Error::NoStore { .. })
    ));
    assert_eq!(fs::metadata(fixture.path()).unwrap().len(), 0);
    let store = Store::open(fixture.path()).unwrap();
    assert!(store.ensure_session("s").unwrap());
}

#[test]
fn opening_a_store_that_is_in_order_writes_nothing() {
    let fixture = testdata::fixture("v11.db");
    let before = content_of(fixture.path());
    let store = Store::open(fixture.path()).unwrap();
    assert!(!store.is_read_only());
    assert_eq!(store.index_trouble(), None);
    assert_eq!(list_all(&store).len(), 26);
    assert_eq!(content_of(fixture.path()), before);
    drop(store);
    assert_eq!(content_of(fixture.path()), before);
}

#[test]
fn the_log_is_moved_into_the_file_when_the_last_handle_goes() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    // A reader of the pool is open, too.
    assert!(store.session("s").unwrap().is_some());
    let log = home.path().with_extension("db-wal");
    assert!(fs::metadata(&log).unwrap().len() > 0);
    drop(store);
    assert!(!log.exists());
}

#[test]
fn a_store_in_rollback_mode_is_switched_unless_another_process_has_it_open() {
    let fixture = testdata::fixture("journal_delete_v11.db");
    let mode = || ask::<String>(fixture.path(), "PRAGMA journal_mode");
    raw(fixture.path())
        .query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        .unwrap();
    let path = fixture.path().to_str().unwrap();
    let mut other = crate::support::child::spawn("hold", &[path]);
    assert_eq!(other.line().as_deref(), Some("held"));
    // It only reads: the other one has the write lock.
    let store = Store::open(fixture.path()).unwrap();
    assert_eq!(list_all(&store).len(), 26);
    drop(store);
    assert_eq!(mode(), "delete");
    other.finish();
    drop(Store::open(fixture.path()).unwrap());
    assert_eq!(mode(), "wal");
}

#[test]
fn where_machines_share_the_files_a_new_store_has_no_shared_memory_and_an_old_one_stays() {
    let mode = |path: &std::path::Path| ask::<String>(path, "PRAGMA journal_mode");
    let open = |home: &Home| {
        let options = StoreOptions::new().shared_file_system(true);
        options.open(home.path()).unwrap()
    };
    let home = Home::new();
    for _ in 0..2 {
        let store = open(&home);
        store.ensure_session("s").unwrap();
        let message = NewMessage::new("s", "user").content("planted");
        store.append_message(&message).unwrap();
        assert_eq!(mode(&home.path()), "delete");
    }
    assert_eq!(found(&open(&home), "planted").len(), 2);

    let home = Home::new();
    drop(home.store());
    open(&home).ensure_session("s").unwrap();
    assert_eq!(mode(&home.path()), "wal");
}
