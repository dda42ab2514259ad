//! The making of a new index meets what it does not expect: values and tables of others, damage,
//! a lost lease, a full disk, a Python that migrates the same file.

use std::path::Path;
use std::time::{Duration, Instant};

use hermes_state::{IndexWork, NewMessage, SearchOptions, Store};
use rusqlite::config::DbConfig;
use testdata::Fixture;

use crate::migration::{grow, leftovers, rows};
use crate::support::child::{say, spawn};
use crate::support::python::Python;
use crate::support::{Home, ask, assert_index_whole, found, messages_of, raw};

const SIDE_SQL: &str = include_str!("../../src/schema/side_index.sql");

/// An index that is half made, as a killed process leaves it.
pub(crate) fn make_half(path: &Path) {
    let conn = raw(path);
    conn.execute_batch(SIDE_SQL).unwrap();
    conn.execute_batch(
        "CREATE TABLE IF NOT EXISTS state_meta (key TEXT PRIMARY KEY, value TEXT);
         INSERT INTO hermes_reindex_words(rowid, content)
            SELECT id, COALESCE(content, '') FROM messages WHERE id <= 20;
         INSERT INTO hermes_reindex_trigram(rowid, content)
            SELECT id, COALESCE(content, '') FROM messages WHERE id <= 20;
         INSERT INTO state_meta VALUES ('hermes_reindex_progress', '20');",
    )
    .unwrap();
}

/// Opens a store, has its index finished, and looks at everything.
fn assert_finished(path: &Path, what: &str) {
    let store = Store::open(path).unwrap_or_else(|e| panic!("{what}: {e}"));
    let work = store.complete_index(None, &|_| {}).unwrap();
    assert_eq!(work, IndexWork::Done, "{what}");
    assert_eq!(store.index_trouble(), None, "{what}");
    assert_eq!(store.schema_version(), 11, "{what}");
    drop(store);
    // Once more: the first open after it looks whether all is there.
    drop(Store::open(path).unwrap());
    assert_index_whole(path);
    let ours = "SELECT COUNT(*) FROM state_meta WHERE key LIKE 'hermes\\_re%' ESCAPE '\\'";
    assert_eq!(ask::<i64>(path, ours), 0, "{what}");
}

#[test]
fn garbage_where_the_progress_or_the_lease_should_be_stops_nothing() {
    for key in ["progress", "lease", "check"] {
        for value in [
            "'garbage'",
            "''",
            "NULL",
            "X'ff00fe'",
            "5",
            "-7",
            "1000000",
            "'99999999999999999999'",
            "'{\"token\":\"x\",\"until\":1e300,\"pid\":1,\"process\":null}'",
            "'[1]'",
        ] {
            let fixture = testdata::fixture("v9.db");
            make_half(fixture.path());
            raw(fixture.path())
                .execute_batch(&format!(
                    "INSERT OR REPLACE INTO state_meta VALUES ('hermes_reindex_{key}', {value})"
                ))
                .unwrap();
            assert_finished(fixture.path(), &format!("{key} {value}"));
            assert_eq!(leftovers(fixture.path()), 0);
        }
    }
    let fixture = testdata::fixture("v9.db");
    make_half(fixture.path());
    raw(fixture.path())
        .execute_batch("DELETE FROM state_meta")
        .unwrap();
    assert_finished(fixture.path(), "no progress");
}

/// Ways in which the tables of a half-made index can be broken.
const DAMAGE: [(&str, &str); 5] = [
    (
        "structure",
        "UPDATE hermes_reindex_words_data SET block = X'00000001ffffffffff' WHERE id = 10",
    ),
    (
        "segments",
        "DELETE FROM hermes_reindex_trigram_data WHERE id > 10",
    ),
    ("part", "DROP TABLE hermes_reindex_words_docsize"),
    (
        "all parts",
        "DROP TABLE hermes_reindex_trigram_data; DROP TABLE hermes_reindex_trigram_idx; DROP TABLE hermes_reindex_trigram_content; DROP TABLE hermes_reindex_trigram_docsize; DROP TABLE hermes_reindex_trigram_config",
    ),
    ("trigger", "DROP TRIGGER hermes_reindex_delete"),
];

fn damage(path: &Path, sql: &str) {
    let conn = raw(path);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)
        .unwrap();
    conn.execute_batch(sql).unwrap();
}

#[test]
fn a_half_made_index_that_is_damaged_is_made_anew() {
    // What is lost inside the index itself shows when it is met, as in a finished one.
    for (what, sql) in DAMAGE.iter().filter(|(what, _)| *what != "segments") {
        let fixture = testdata::fixture("v9.db");
        make_half(fixture.path());
        damage(fixture.path(), sql);
        assert_finished(fixture.path(), what);
        assert_eq!(leftovers(fixture.path()), 0, "{what}");
    }
}

#[test]
fn a_half_made_index_that_is_damaged_fails_no_write() {
    for (what, sql) in DAMAGE {
        let home = Home::new();
        let store = home.store();
        store.ensure_session("s").unwrap();
        let texts: Vec<_> = (0..30)
            .map(|n| NewMessage::new("s", "user").content(format!("wombat {n}")))
            .collect();
        store.append_messages(&texts).unwrap();
        make_half(&home.path());
        damage(&home.path(), sql);
        store
            .replace_messages("s", &texts[..3])
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(messages_of(&store, "s").len(), 3, "{what}");
        assert_eq!(found(&store, "wombat").len(), 3, "{what}");
        drop(store);
        if what != "segments" {
            assert_finished(&home.path(), what);
            assert_eq!(leftovers(&home.path()), 0, "{what}");
        }
    }
}

#[test]
fn a_row_of_the_index_that_belongs_to_no_message_is_in_nobodys_way() {
    for table in ["messages_fts", "messages_fts_trigram"] {
        let home = Home::new();
        let store = home.store();
        store.ensure_session("s").unwrap();
        let wombat = NewMessage::new("s", "user").content("wombat");
        store.append_message(&wombat).unwrap();
        raw(&home.path())
            .execute_batch(&format!(
                "INSERT INTO {table}(rowid, content) VALUES (2, 'stray')"
            ))
            .unwrap();
        let second = store.append_message(&wombat).unwrap();
        assert_eq!(found(&store, "wombat"), [1, second.0], "{table}");
        assert_eq!(found(&store, "stray"), [] as [i64; 0], "{table}");
        drop(store);
        assert_finished(&home.path(), table);
    }
}

#[test]
fn messages_are_deleted_and_replaced_while_an_index_of_any_kind_is_made_anew() {
    for file in ["v1.db", "v9.db", "v10_external.db", "v10_inline.db"] {
        let fixture = testdata::fixture(file);
        grow(fixture.path(), 100);
        plant_lease(fixture.path());
        let store = Store::open(fixture.path()).unwrap();
        assert!(store.index_trouble().is_some(), "{file}");
        let wombat = NewMessage::new("big", "user").content("numbat");
        store
            .replace_messages("big", &[wombat.clone(), wombat])
            .unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(found(&store, "numbat").len(), 2, "{file}");
        let other = crate::support::list_all(&store)
            .into_iter()
            .find(|s| s.session.id.as_str() != "big")
            .unwrap();
        store.clear_messages(&other.session.id).unwrap();
        drop(store);
        raw(fixture.path())
            .execute_batch("DELETE FROM state_meta WHERE key = 'hermes_reindex_lease'")
            .unwrap();
        assert_finished(fixture.path(), file);
    }
}

#[test]
fn tables_of_others_that_are_called_nearly_like_ours_stay() {
    let fixture = testdata::fixture("v9.db");
    raw(fixture.path())
        .execute_batch(
            "CREATE TABLE hermes_retired_notes (id INTEGER PRIMARY KEY, text);
             INSERT INTO hermes_retired_notes VALUES (1, 'kept');
             CREATE TABLE hermes_retired_1_content (id INTEGER PRIMARY KEY);
             INSERT INTO hermes_retired_1_content VALUES (7);
             CREATE TABLE hermes_retired_x_messages_fts_data (id INTEGER PRIMARY KEY);
             CREATE INDEX hermes_retired_1_messages_fts_idx ON hermes_retired_notes(text);
             CREATE VIEW hermes_retired_2_messages_fts_content AS SELECT 1 AS id;",
        )
        .unwrap();
    assert_finished(fixture.path(), "foreign tables");
    assert_eq!(
        ask::<String>(fixture.path(), "SELECT text FROM hermes_retired_notes"),
        "kept"
    );
    assert_eq!(
        ask::<i64>(fixture.path(), "SELECT id FROM hermes_retired_1_content"),
        7
    );
    assert_eq!(leftovers(fixture.path()), 5);
    let before = crate::support::content_of(fixture.path());
    drop(Store::open(fixture.path()).unwrap());
    // They are no work left over.
    assert_eq!(crate::support::content_of(fixture.path()), before);
}

#[test]
fn views_and_triggers_of_others_that_sqlite_cannot_parse_do_not_stop_it() {
    for file in ["v1.db", "v9.db", "v10_external.db", "v10_inline.db"] {
        let fixture = testdata::fixture(file);
        raw(fixture.path())
            .execute_batch(
                "CREATE TABLE seen (id);
                 CREATE VIEW broken AS SELECT nope FROM no_such_table;
                 CREATE VIEW over_index AS SELECT rowid, content FROM messages_fts;
                 CREATE TRIGGER seen_insert AFTER INSERT ON messages BEGIN INSERT INTO seen VALUES (new.id); END;
                 CREATE TRIGGER broken_delete AFTER DELETE ON seen BEGIN DELETE FROM no_such_table; END;",
            )
            .unwrap();
        assert_finished(fixture.path(), file);
        let store = Store::open(fixture.path()).unwrap();
        let session = crate::support::list_all(&store)[0].session.id.clone();
        let message = NewMessage::new(session, "user").content("quokka");
        let id = store.append_message(&message).unwrap();
        drop(store);
        assert_eq!(
            ask::<i64>(fixture.path(), "SELECT id FROM seen"),
            id.0,
            "{file}"
        );
        assert_eq!(
            ask::<i64>(
                fixture.path(),
                "SELECT rowid FROM over_index WHERE content LIKE 'quokka%'"
            ),
            id.0,
            "{file}"
        );
    }
}

#[test]
fn rows_that_no_release_would_have_written_are_indexed() {
    for file in ["v3.db", "v9.db"] {
        let fixture = testdata::fixture(file);
        raw(fixture.path())
            .execute_batch(
                "DROP INDEX IF EXISTS idx_sessions_title_unique;
                 INSERT INTO sessions (id, source, started_at, title) VALUES
                    ('odd', 'cli', 1.0, CAST(X'41ff42' AS TEXT)),
                    (X'6f6464ff', 'cli', 2.0, CAST(X'41ff42' AS TEXT));
                 INSERT INTO messages (id, session_id, role, content, tool_name, tool_calls, timestamp) VALUES
                    (-5, 'odd', 'user', 'numbat before zero', NULL, NULL, 1.0),
                    (9001, 'odd', 'user', X'6e756d6261742000ff', 'numbat', NULL, 2.0),
                    (9002, 'odd', 'user', 'numbat' || char(0) || ' behind', X'ff', X'00', 3.0),
                    (9003, 'odd', 'user', CAST(X'6e756d62617420ff41' AS TEXT), CAST(X'ff' AS TEXT), 7, 4.0),
                    (9004, 'odd', 'user', 12.5, NULL, 'numbat', 5.0);",
            )
            .unwrap();
        assert_finished(fixture.path(), file);
        let store = Store::open(fixture.path()).unwrap();
        let mut hits = found(&store, "numbat");
        hits.sort_unstable();
        assert_eq!(hits, [-5, 9001, 9002, 9003, 9004], "{file}");
        let titled = "SELECT COUNT(*) FROM sessions WHERE title = CAST(X'41ff42' AS TEXT)";
        assert_eq!(ask::<i64>(fixture.path(), titled), 1, "{file}");
    }
}

/// MIG-10
#[test]
fn tables_are_migrated_once_where_the_index_cannot_be_made() {
    let fixture = testdata::fixture("v1.db");
    raw(fixture.path())
        .execute_batch("CREATE VIEW hermes_reindex_words AS SELECT 1 AS content")
        .unwrap();
    let messages = rows(fixture.path(), "messages").len();
    for n in 0..3 {
        let store = Store::open(fixture.path()).unwrap();
        assert_eq!(store.migration().is_some(), n == 0, "open {n}");
        assert!(found(&store, "zebra").len() >= 9);
        store.ensure_session("new").unwrap();
        let message = NewMessage::new("new", "user").content("quokka");
        store.append_message(&message).unwrap();
        assert_eq!(found(&store, "quokka").len(), n + 1);
        assert_eq!(rows(fixture.path(), "messages").len(), messages + n + 1);
    }
    raw(fixture.path())
        .execute_batch("DROP VIEW hermes_reindex_words")
        .unwrap();
    assert_finished(fixture.path(), "when it can be made");
}

/// MIG-07
#[test]
fn a_tokenizer_that_is_not_there_makes_searches_slower_and_the_index_is_made_once() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let say = |text: &str| {
        let message = NewMessage::new("s", "user").content(text);
        store.append_message(&message).unwrap()
    };
    say("the wombat sleeps");
    say("太行山项目");
    let conn = raw(&home.path());
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)
        .unwrap();
    conn.execute_batch(
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_master SET sql = replace(sql, 'trigram''', 'no_such''') WHERE name = 'messages_fts_trigram';
         PRAGMA writable_schema = RESET",
    )
    .unwrap();
    drop(conn);
    let reader = Store::open_read_only(home.path()).unwrap();
    assert!(reader.index_trouble().unwrap().contains("no_such"));
    for word in ["wombat", "太行山项目"] {
        assert_eq!(found(&reader, word).len(), 1);
    }
    drop((reader, store));
    assert_finished(&home.path(), "tokenizer");
    let before = crate::support::content_of(&home.path());
    let store = home.store();
    for word in ["wombat", "太行山项目"] {
        assert_eq!(found(&store, word).len(), 1);
    }
    drop(store);
    assert_eq!(crate::support::content_of(&home.path()), before);
}

/// MIG-07: the trigram index cannot be made at all.
#[test]
fn where_the_trigram_index_cannot_be_made_all_is_found_and_each_open_tries_once() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let say = |store: &Store, text: &str| {
        let message = NewMessage::new("s", "user").content(text);
        store.append_message(&message).unwrap();
    };
    say(&store, "the wombat sleeps");
    drop(store);
    // In the way of the table that would be filled.
    raw(&home.path())
        .execute_batch(
            "DROP TABLE messages_fts_trigram;
             CREATE VIEW hermes_reindex_trigram AS SELECT 1 AS content",
        )
        .unwrap();
    for n in 1..4 {
        let store = home.store();
        assert!(store.index_trouble().is_some());
        say(&store, "太行山项目");
        assert_eq!(found(&store, "wombat").len(), 1);
        assert_eq!(found(&store, "太行山项目").len(), n);
        drop(store);
        // What could not be made leaves nothing behind.
        let begun = "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'hermes_reindex_words%'";
        assert_eq!(ask::<i64>(&home.path(), begun), 0);
    }
    raw(&home.path())
        .execute_batch("DROP VIEW hermes_reindex_trigram")
        .unwrap();
    assert_finished(&home.path(), "it can be made again");
    let before = crate::support::content_of(&home.path());
    let store = home.store();
    assert_eq!(found(&store, "太行山项目").len(), 3);
    drop(store);
    assert_eq!(crate::support::content_of(&home.path()), before);
}

/// Another process is making the index, or was up to a moment ago.
fn plant_lease(path: &Path) {
    let until = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs_f64()
        + 9.0;
    let lease = format!("{{\"token\":\"other\",\"until\":{until},\"pid\":1,\"process\":null}}");
    let conn = raw(path);
    conn.execute_batch("CREATE TABLE IF NOT EXISTS state_meta (key TEXT PRIMARY KEY, value TEXT)")
        .unwrap();
    conn.execute(
        "INSERT OR REPLACE INTO state_meta VALUES ('hermes_reindex_lease', ?1)",
        [lease],
    )
    .unwrap();
}

/// A store of version 9 with this many messages more.
fn big(messages: usize) -> Fixture {
    let fixture = testdata::fixture("v9.db");
    grow(fixture.path(), messages);
    fixture
}

#[test]
fn whoever_has_lost_the_lease_leaves_the_rest_to_the_other() {
    let fixture = big(12_000);
    let store = Store::open(fixture.path()).unwrap();
    plant_lease(fixture.path());
    let work = store.complete_index(Some(Duration::from_millis(300)), &|_| {});
    assert_eq!(work.unwrap(), IndexWork::Elsewhere);
    let progress = store.index_progress().unwrap();
    assert!(progress.indexed < progress.messages);
    // The holder is gone for good: a lease whose time is over is free.
    let work = store.complete_index(None, &|_| {}).unwrap();
    assert_eq!(work, IndexWork::Done);
    drop(store);
    assert_index_whole(fixture.path());
}

#[test]
fn two_stores_of_one_process_make_the_index_together() {
    let fixture = big(6_000);
    let stores = [(); 2].map(|()| Store::open(fixture.path()).unwrap());
    std::thread::scope(|threads| {
        for (n, store) in stores.iter().enumerate() {
            threads.spawn(move || {
                let id = format!("new{n}");
                store.ensure_session(id.as_str()).unwrap();
                for _ in 0..50 {
                    let message = NewMessage::new(id.as_str(), "user").content("numbat");
                    store.append_message(&message).unwrap();
                }
                let work = store.complete_index(None, &|_| {}).unwrap();
                assert_eq!(work, IndexWork::Done);
            });
        }
    });
    assert_eq!(found(&stores[0], "numbat").len(), 100);
    assert_eq!(stores[1].index_trouble(), None);
    drop(stores);
    assert_index_whole(fixture.path());
    assert_eq!(leftovers(fixture.path()), 0);
}

#[test]
fn a_store_with_a_rollback_journal_is_indexed_and_keeps_it_while_another_holds_it() {
    let fixture = big(3_000);
    raw(fixture.path())
        .execute_batch("PRAGMA journal_mode = DELETE")
        .unwrap();
    let mut keeper = spawn("keep", &[fixture.path().to_str().unwrap()]);
    assert_eq!(keeper.line().as_deref(), Some("kept"));
    let store = Store::open(fixture.path()).unwrap();
    std::thread::scope(|threads| {
        let reader = threads.spawn(|| {
            for _ in 0..20 {
                assert_eq!(found(&store, "wombat").len(), 3_000);
            }
        });
        for _ in 0..20 {
            let message = NewMessage::new("big", "user").content("numbat");
            store.append_message(&message).unwrap();
        }
        // Readers and writers wait for each other here, so a step may fail and is done again.
        let began = Instant::now();
        while store.complete_index(None, &|_| {}).ok() != Some(IndexWork::Done) {
            assert!(began.elapsed() < Duration::from_secs(60));
        }
        reader.join().unwrap();
    });
    assert_eq!(store.index_trouble(), None);
    drop(store);
    assert_eq!(
        ask::<String>(fixture.path(), "PRAGMA journal_mode"),
        "delete"
    );
    keeper.finish();
    assert_finished(fixture.path(), "journal");
    assert_eq!(ask::<String>(fixture.path(), "PRAGMA journal_mode"), "wal");
    assert_eq!(leftovers(fixture.path()), 0);
}

#[test]
fn an_index_out_of_order_holds_up_no_opening_while_another_writes() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let message = NewMessage::new("s", "user").content("wombat");
    store.append_message(&message).unwrap();
    drop(store);
    raw(&home.path())
        .execute_batch("DROP TRIGGER messages_fts_insert")
        .unwrap();
    let mut holder = spawn("hold", &[home.path().to_str().unwrap()]);
    assert_eq!(holder.line().as_deref(), Some("held"));
    let began = Instant::now();
    let store = home.store();
    let results = store.search(&SearchOptions::new("wombat")).unwrap();
    assert!(results.degraded && results.matches.len() == 1);
    // Nor does the end of the last handle wait for the other's lock.
    drop(store);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(6), "{took:?}");
    holder.finish();
    assert_finished(&home.path(), "after the lock");
}

const HERMES: &str = "
import os, pathlib, sys, time
from hermes_state import SessionDB
path = pathlib.Path(sys.argv[1])
for attempt in range(8):
    try:
        db = SessionDB(db_path=path)
        break
    except Exception as e:
        print('open', e)
        time.sleep(1)
else:
    sys.exit('no open succeeded')
db.create_session('python', 'cli')
for n in range(150):
    db.append_message('python', 'user', 'numbat %d' % n)
db.close()
";

#[test]
fn a_python_hermes_that_migrates_and_writes_at_the_same_time_loses_nothing() {
    let Some(python) = Python::of("0.13.0") else {
        return;
    };
    let fixture = big(10_000);
    let path = fixture.path().to_str().unwrap();
    let mut ours = spawn("migrate", &[path]);
    assert_eq!(ours.line().as_deref(), Some("ready"));
    std::thread::scope(|threads| {
        let theirs = threads.spawn(|| python.run(HERMES, &[path], ""));
        ours.go();
        let (lines, well) = ours.finish();
        assert!(well, "{lines:?}");
        let store = Store::open(fixture.path()).unwrap();
        store.ensure_session("ours").unwrap();
        for n in 0..50 {
            let message = NewMessage::new("ours", "user").content(format!("numbat {n}"));
            store.append_message(&message).unwrap();
        }
        let said = theirs.join().unwrap();
        eprintln!("python: {said}");
    });
    assert_finished(fixture.path(), "with a Python");
    let store = Store::open(fixture.path()).unwrap();
    assert_eq!(found(&store, "numbat").len(), 200);
    assert_eq!(found(&store, "wombat").len(), 10_000);
    assert_eq!(leftovers(fixture.path()), 0);
}

#[test]
fn a_disk_that_is_full_in_the_middle_costs_no_message() {
    crate::disk_full::on_a_small_disk("fill-index", "24m");
}

/// The child's side of the test above.
pub(crate) fn fill_index(folder: &Path) {
    say("mounted");
    let path = folder.join("state.db");
    let fixture = big(5_000);
    std::fs::copy(fixture.path(), &path).unwrap();
    // Room for the tables, but not for a second index.
    let ballast = folder.join("ballast");
    let used = std::fs::metadata(&path).unwrap().len();
    let room = (24 << 20) - used;
    let filled = usize::try_from(room - (3 << 20)).unwrap();
    std::fs::write(&ballast, vec![1; filled]).unwrap();
    let store = Store::open(&path).unwrap();
    let error = store.complete_index(None, &|_| {}).unwrap_err();
    assert_eq!(error.code(), "disk_full", "{error}");
    assert_eq!(store.schema_version(), 9);
    assert_eq!(found(&store, "wombat").len(), 5_000);
    std::fs::remove_file(&ballast).unwrap();
    let message = NewMessage::new("big", "user").content("numbat");
    store.append_message(&message).unwrap();
    assert_eq!(
        store.complete_index(None, &|_| {}).unwrap(),
        IndexWork::Done
    );
    assert_eq!(found(&store, "numbat").len(), 1);
    drop(store);
    assert_finished(&path, "full disk");
    say("done");
}
