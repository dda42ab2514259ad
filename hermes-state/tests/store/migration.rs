//! Stores of versions 1 to 10, and half-migrated ones, become stores of version 11.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hermes_state::{Error, MigrationBackup, NewMessage, SearchOptions, Store, StoreOptions};
use rusqlite::types::Value as Sql;

use crate::schema::objects;
use crate::support::child::spawn;
use crate::support::{
    Home, ask, assert_index_whole, content_of, found, list_all, messages_of, raw,
};

/// Every fixture that is not of version 11 in order, and what its tables keep beside the usual.
const OLD: &[&str] = &[
    "v1.db",
    "v2.db",
    "v3.db",
    "v4.db",
    "v6.db",
    "v7.db",
    "v8.db",
    "v9.db",
    "v10_external.db",
    "v10_inline.db",
    "partial_v9_columns_of_v11.db",
    "partial_v9_with_trigram.db",
    "version_missing_row_v9.db",
    "version_table_missing_v9.db",
    "version_two_rows.db",
    "dup_titles_v3.db",
    "fork_v3_invocation_log.db",
    "duplicate_schema_row_v11.db",
    "foreign_columns_v11.db",
];

/// Objects of a file that are nothing of ours and stay.
const FOREIGN: &[&str] = &["invocation_log", "extra_table"];

/// All rows of a table, by column; SQLite's row order.
pub(crate) fn rows(path: &Path, table: &str) -> Vec<BTreeMap<String, Sql>> {
    let conn = raw(path);
    let mut statement = conn
        .prepare(&format!("SELECT * FROM {table} ORDER BY rowid"))
        .unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| {
        names
            .iter()
            .enumerate()
            .map(|(n, name)| Ok((name.clone(), row.get(n)?)))
            .collect()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// Objects with their columns' order and the quotes of names left out of account.
fn shape(path: &Path) -> BTreeSet<String> {
    objects(path)
        .into_iter()
        .filter(|[_, name, _, _]| !FOREIGN.iter().any(|f| name.contains(f)))
        .map(|[kind, name, table, sql]| {
            if kind == "table" && !sql.contains("VIRTUAL") {
                let conn = raw(path);
                let mut statement = conn
                    .prepare(
                        "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?1)",
                    )
                    .unwrap();
                let columns: BTreeSet<String> = statement
                    .query_map([&name], |row| {
                        Ok(format!(
                            "{} {} {} {:?} {}",
                            row.get::<_, String>(0)?,
                            row.get::<_, String>(1)?,
                            row.get::<_, i64>(2)?,
                            row.get::<_, Option<String>>(3)?,
                            row.get::<_, i64>(4)?
                        ))
                    })
                    .unwrap()
                    .collect::<Result<_, _>>()
                    .unwrap();
                format!("{kind} {name} {columns:?}")
            } else {
                let sql = sql.replace(['"', '\''], "").replace("IF NOT EXISTS ", "");
                format!("{kind} {name} {table} {sql}")
            }
        })
        .collect()
}

/// What is to be the same before and after, whatever columns come in between.
fn assert_rows_kept(file: &str, before: &Path, after: &Path) {
    for table in ["sessions", "messages"] {
        let (old, new) = (rows(before, table), rows(after, table));
        assert_eq!(old.len(), new.len(), "{file} {table}");
        for (old, new) in old.iter().zip(&new) {
            for (column, value) in old {
                if file == "dup_titles_v3.db" && column == "title" && new[column] == Sql::Null {
                    continue;
                }
                assert_eq!(&new[column], value, "{file} {table}.{column}");
            }
        }
    }
}

#[test]
fn every_older_store_opens_and_is_of_version_11_then() {
    let fresh = Home::new();
    drop(fresh.store());
    let wanted = shape(&fresh.path());
    for file in OLD {
        let fixture = testdata::fixture(file);
        let twin = testdata::fixture(file);
        let store = Store::open(fixture.path()).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(store.schema_version(), 11, "{file}");
        assert_eq!(store.index_trouble(), None, "{file}");
        assert!(!store.is_read_only(), "{file}");
        let migrated = store.migration().is_some();
        assert_eq!(migrated, *file != "foreign_columns_v11.db", "{file}");
        let session = &list_all(&store)[0].session.id.clone();
        store
            .append_message(&NewMessage::new(session.clone(), "user").content("quokka afterwards"))
            .unwrap();
        assert_eq!(found(&store, "quokka").len(), 1, "{file}");
        drop(store);
        let conn = raw(fixture.path());
        conn.execute(
            "DELETE FROM messages WHERE content = 'quokka afterwards'",
            [],
        )
        .unwrap();
        drop(conn);
        if migrated && *file != "duplicate_schema_row_v11.db" {
            assert_index_whole(fixture.path());
        }
        let numbers = rows(fixture.path(), "schema_version");
        assert!(
            numbers.iter().all(|row| row["version"] == Sql::Integer(11)),
            "{file}: {numbers:?}"
        );
        if *file != "duplicate_schema_row_v11.db" {
            let made = shape(fixture.path());
            let missing: Vec<_> = wanted.difference(&made).collect();
            if *file == "foreign_columns_v11.db" {
                continue;
            }
            assert!(missing.is_empty(), "{file}: {missing:#?}");
            let more: Vec<_> = made.difference(&wanted).collect();
            assert!(more.is_empty(), "{file}: {more:#?}");
            let counters = "UPDATE sessions SET message_count = message_count - 1 WHERE id = ?1";
            raw(fixture.path())
                .execute(counters, [session.as_str()])
                .unwrap();
            assert_rows_kept(file, twin.path(), fixture.path());
        }
    }
}

#[test]
fn of_two_sessions_with_one_title_the_later_keeps_it_and_a_copy_is_made_before() {
    let fixture = testdata::fixture("dup_titles_v3.db");
    let twin = testdata::fixture("dup_titles_v3.db");
    let plan = StoreOptions::new().plan_migration(fixture.path()).unwrap();
    assert_eq!(plan.cleared_titles.len(), 1);
    let store = Store::open(fixture.path()).unwrap();
    let migration = store.migration().unwrap();
    assert_eq!(migration.cleared_titles, plan.cleared_titles);
    let backup = migration.backup.clone().unwrap();
    assert_eq!(rows(&backup, "sessions"), rows(twin.path(), "sessions"));
    let (id, title) = &migration.cleared_titles[0];
    let cleared = store.session(id).unwrap().unwrap();
    assert_eq!(cleared.title, None);
    let holder: String = ask(
        fixture.path(),
        &format!("SELECT id FROM sessions WHERE title = '{title}'"),
    );
    let holder = store.session(holder).unwrap().unwrap();
    assert!(holder.started_at >= cleared.started_at);
}

#[test]
fn no_copy_is_made_where_none_is_wanted_and_always_where_one_is() {
    let fixture = testdata::fixture("dup_titles_v3.db");
    let store = StoreOptions::new()
        .migration_backup(MigrationBackup::Never)
        .open(fixture.path())
        .unwrap();
    assert_eq!(store.migration().unwrap().backup, None);
    let fixture = testdata::fixture("v9.db");
    let store = StoreOptions::new()
        .migration_backup(MigrationBackup::Always)
        .open(fixture.path())
        .unwrap();
    let backup = store.migration().unwrap().backup.clone().unwrap();
    assert_eq!(ask::<i64>(&backup, "SELECT version FROM schema_version"), 9);
}

#[test]
fn a_plan_says_what_would_be_done_and_changes_nothing() {
    for file in OLD {
        let fixture = testdata::fixture(file);
        let before = content_of(fixture.path());
        let plan = StoreOptions::new().plan_migration(fixture.path()).unwrap();
        assert_eq!(content_of(fixture.path()), before, "{file}");
        assert_eq!(plan.to, 11, "{file}");
        assert_eq!(
            plan.is_empty(),
            *file == "foreign_columns_v11.db",
            "{file}: {plan:?}"
        );
        let store = Store::open(fixture.path()).unwrap();
        let after = StoreOptions::new().plan_migration(fixture.path()).unwrap();
        assert!(after.is_empty(), "{file}: {after:?}");
        drop(store);
    }
}

/// MIG-01
#[test]
fn a_half_migrated_store_of_version_7_gets_its_columns_and_its_index() {
    let fixture = testdata::fixture("v7.db");
    let conn = raw(fixture.path());
    conn.execute_batch(
        "ALTER TABLE sessions ADD COLUMN api_call_count INTEGER DEFAULT 0;
         INSERT INTO sessions (id, source, started_at) VALUES ('ancient', 'cli', 1.0);
         INSERT INTO messages (session_id, role, content, timestamp)
         VALUES ('ancient', 'user', 'ancient needle', 1.0)",
    )
    .unwrap();
    let id = conn.last_insert_rowid();
    drop(conn);
    let store = Store::open(fixture.path()).unwrap();
    assert_eq!(store.schema_version(), 11);
    assert_eq!(found(&store, "needle"), [id]);
}

/// MIG-04
#[test]
fn an_old_store_is_listed_and_searched_before_it_is_migrated() {
    for file in OLD {
        if *file == "duplicate_schema_row_v11.db" {
            continue;
        }
        let fixture = testdata::fixture(file);
        let before = content_of(fixture.path());
        let store = Store::open_read_only(fixture.path()).unwrap();
        assert!(list_all(&store).len() >= 25, "{file}");
        assert!(found(&store, "zebra").len() >= 9, "{file}");
        let error = store.ensure_session("x").unwrap_err();
        assert!(
            matches!(
                error,
                Error::MigrationNeeded { .. } | Error::ReadOnly { .. }
            ),
            "{file}: {error}"
        );
        drop(store);
        assert_eq!(content_of(fixture.path()), before, "{file}");
    }
}

#[test]
fn of_sixteen_that_open_an_old_store_at_once_one_migrates_and_none_fails() {
    for file in ["v1.db", "v9.db", "v10_inline.db", "dup_titles_v3.db"] {
        let fixture = testdata::fixture(file);
        let path = fixture.path().to_str().unwrap();
        let mut openers: Vec<_> = (0..16).map(|_| spawn("migrate", &[path])).collect();
        for opener in &mut openers {
            assert_eq!(opener.line().as_deref(), Some("ready"));
        }
        for opener in &mut openers {
            opener.go();
        }
        let mut migrated = 0;
        for opener in openers {
            let (lines, well) = opener.finish();
            assert!(well, "{file}: {lines:?}");
            migrated += lines.iter().filter(|line| *line == "migrated true").count();
        }
        assert_eq!(migrated, 1, "{file}");
        drop(Store::open(fixture.path()).unwrap());
        assert_index_whole(fixture.path());
        assert_eq!(
            ask::<i64>(fixture.path(), "SELECT COUNT(*) FROM schema_version"),
            1,
            "{file}"
        );
        assert_eq!(
            backups(fixture.path()),
            usize::from(file == "dup_titles_v3.db")
        );
    }
}

fn backups(path: &Path) -> usize {
    std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().contains("before-migration"))
        .count()
}

/// MIG-03, MIG-09: killed at any time, and opened again.
#[test]
fn a_migration_that_was_killed_is_finished_by_the_next_open() {
    let home = Home::new();
    let big = testdata::fixture("v1.db");
    grow(big.path(), 6_000);
    let mut unfinished = 0;
    for round in 0..12 {
        let path = home.dir().join(format!("{round}.db"));
        std::fs::copy(big.path(), &path).unwrap();
        let mut opener = spawn("migrate", &[path.to_str().unwrap()]);
        assert_eq!(opener.line().as_deref(), Some("ready"));
        opener.go();
        std::thread::sleep(std::time::Duration::from_millis(round * 40));
        opener.kill();
        let (lines, _) = opener.finish();
        unfinished += usize::from(lines.is_empty());
        let store = Store::open(&path).unwrap();
        let work = store.complete_index(None, &|_| {}).unwrap();
        assert_eq!(work, hermes_state::IndexWork::Done, "round {round}");
        assert_eq!(store.schema_version(), 11);
        assert_eq!(store.index_trouble(), None);
        drop(store);
        assert_rows_kept("v1.db", big.path(), &path);
        assert_index_whole(&path);
        assert_eq!(leftovers(&path), 0);
    }
    assert!(unfinished > 3, "{unfinished}");
}

/// Adds sessions and messages to an old file as its own version would.
pub(crate) fn grow(path: &Path, messages: usize) {
    let conn = raw(path);
    conn.execute_batch(
        "BEGIN; INSERT INTO sessions (id, source, started_at) VALUES ('big', 'cli', 2.0)",
    )
    .unwrap();
    for n in 0..messages {
        conn.execute(
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('big', 'user', ?1, ?2)",
            rusqlite::params![
                format!("message {n} about the wombat {} 大别山", "lorem ipsum ".repeat(40)),
                n as f64
            ],
        )
        .unwrap();
    }
    conn.execute_batch("COMMIT").unwrap();
}

pub(crate) fn leftovers(path: &Path) -> i64 {
    ask(
        path,
        "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'hermes\\_re%' ESCAPE '\\'",
    )
}

#[test]
fn while_the_index_is_made_anew_everybody_can_write_and_find_it_all() {
    let fixture = testdata::fixture("v9.db");
    grow(fixture.path(), 12_000);
    let store = Store::open(fixture.path()).unwrap();
    // More than an open does at once.
    assert!(store.index_trouble().is_some());
    assert_eq!(store.schema_version(), 9);
    let progress = store.index_progress().unwrap();
    assert!(progress.indexed < progress.messages, "{progress:?}");
    // A program with the triggers of the file, and we.
    let conn = raw(fixture.path());
    conn.execute_batch(
        "UPDATE messages SET content = 'the numbat has come' WHERE id = 2;
         DELETE FROM messages WHERE id = 3;
         INSERT INTO messages (session_id, role, content, timestamp) VALUES ('big', 'user', 'numbat again', 3.0)",
    )
    .unwrap();
    let theirs = conn.last_insert_rowid();
    let ours = store
        .append_message(&NewMessage::new("big", "user").content("a numbat of ours"))
        .unwrap();
    let hits = store.search(&SearchOptions::new("numbat")).unwrap();
    assert!(hits.degraded);
    assert_eq!(hits.matches.len(), 3);
    store.complete_index(None, &|_| {}).unwrap();
    let hits = store.search(&SearchOptions::new("numbat")).unwrap();
    assert!(!hits.degraded);
    let ids: BTreeSet<i64> = hits.matches.iter().map(|m| m.id.0).collect();
    assert_eq!(ids, BTreeSet::from([2, theirs, ours.0]));
    assert_eq!(store.schema_version(), 11);
    assert!(messages_of(&store, "big").len() >= 12_000);
    drop(store);
    assert_index_whole(fixture.path());
    assert_eq!(leftovers(fixture.path()), 0);
}

#[test]
fn what_an_open_leaves_of_the_index_is_finished_in_the_background() {
    let fixture = testdata::fixture("v9.db");
    grow(fixture.path(), 8_000);
    let store = Store::open(fixture.path()).unwrap();
    let began = std::time::Instant::now();
    while store.index_progress().unwrap().indexed < store.index_progress().unwrap().messages
        || leftovers(fixture.path()) > 0
    {
        assert!(began.elapsed().as_secs() < 60);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(found(&store, "wombat").len(), 8_000);
    assert_eq!(store.index_trouble(), None);
    drop(store);
    assert_index_whole(fixture.path());
}

/// A store at 11 whose index another program has replaced by an empty one after our swap.
#[test]
fn a_new_index_that_somebody_spoilt_is_noticed_at_the_next_open() {
    let fixture = testdata::fixture("v9.db");
    drop(Store::open(fixture.path()).unwrap());
    let conn = raw(fixture.path());
    conn.execute_batch("INSERT INTO state_meta VALUES ('hermes_reindex_check', '1') ON CONFLICT DO UPDATE SET value = '1'")
        .unwrap();
    conn.execute_batch("DELETE FROM messages_fts WHERE rowid < 30")
        .unwrap();
    drop(conn);
    let store = Store::open(fixture.path()).unwrap();
    assert_eq!(store.index_trouble(), None);
    drop(store);
    assert_index_whole(fixture.path());
    // The next open finds it complete.
    drop(Store::open(fixture.path()).unwrap());
    assert_eq!(
        ask::<i64>(
            fixture.path(),
            "SELECT COUNT(*) FROM state_meta WHERE key LIKE 'hermes\\_re%' ESCAPE '\\'"
        ),
        0
    );
}

/// MIG-18
#[test]
fn a_dropped_index_is_made_anew_with_what_was_there() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let say = |store: &Store, text: &str| {
        store
            .append_message(&NewMessage::new("s", "user").content(text))
            .unwrap()
    };
    say(&store, "hello needle");
    drop(store);
    raw(&home.path())
        .execute_batch("DROP TABLE messages_fts")
        .unwrap();
    let store = home.store();
    assert_eq!(found(&store, "needle").len(), 1);
    say(&store, "needle two");
    assert_eq!(found(&store, "needle").len(), 2);
}

/// MIG-19
#[test]
fn a_doubled_definition_is_removed_after_a_copy() {
    let fixture = testdata::fixture("duplicate_schema_row_v11.db");
    let before = content_of(fixture.path());
    let plan = StoreOptions::new().plan_migration(fixture.path()).unwrap();
    assert_eq!((plan.from, plan.to), (11, 11));
    assert_eq!(content_of(fixture.path()), before);
    let store = Store::open(fixture.path()).unwrap();
    let done = store.migration().unwrap();
    assert_eq!(done.steps, ["remove doubled definitions from the schema"]);
    assert_eq!(plan.steps.first(), done.steps.first());
    let backup = done.backup.clone().unwrap();
    let name = backup.file_name().unwrap().to_str().unwrap();
    assert!(name.contains(".before-migration-v11-"), "{name}");
    // The same pages, in a file that says of itself that it has no log.
    let (copy, before) = (content_of(&backup), before[""].clone().unwrap());
    let copy = copy[""].clone().unwrap();
    assert_eq!(copy.len(), before.len());
    assert!(copy[4096..] == before[4096..]);
    assert_eq!(
        Store::open_read_only(&backup).unwrap_err().code(),
        "corrupt"
    );
    assert!(found(&store, "zebra").len() >= 9);
}

/// MIG-12
#[test]
fn a_version_that_another_sets_under_an_open_handle_counts_at_the_next_write() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let message = NewMessage::new("s", "user").content("wombat");
    store.append_message(&message).unwrap();
    let set = |version: i64| {
        raw(&home.path())
            .execute("UPDATE schema_version SET version = ?1", [version])
            .unwrap();
    };
    for version in [23, 31, 999] {
        set(version);
        let error = store.append_message(&message).unwrap_err();
        let Error::SchemaTooNew { found, .. } = error else {
            panic!("{version}: {error}")
        };
        assert_eq!(found, version);
        assert_eq!(messages_of(&store, "s").len(), 1);
    }
    // One whose tables we know is written by its rules, and stays.
    set(12);
    store.append_message(&message).unwrap();
    assert_eq!(messages_of(&store, "s").len(), 2);
    assert_eq!(
        ask::<i64>(&home.path(), "SELECT version FROM schema_version"),
        12
    );
}

/// MIG-13
#[test]
fn a_store_of_an_unknown_version_is_read_and_stays_as_it_is() {
    let fixture = testdata::fixture("version_999.db");
    raw(fixture.path())
        .execute_batch(
            "CREATE TABLE unknown_things (id INTEGER PRIMARY KEY, value);
             INSERT INTO unknown_things VALUES (1, 'kept');
             ALTER TABLE messages ADD COLUMN unknown_mark TEXT DEFAULT 'mark'",
        )
        .unwrap();
    let before = content_of(fixture.path());
    let store = Store::open(fixture.path()).unwrap();
    assert!(store.is_read_only());
    assert_eq!(store.schema_version(), 999);
    let session = list_all(&store)[0].session.id.clone();
    let error = store
        .append_message(&NewMessage::new(session.clone(), "user"))
        .unwrap_err();
    assert_eq!(error.code(), "schema_too_new");
    let messages: Vec<_> = list_all(&store)
        .iter()
        .flat_map(|s| messages_of(&store, s.session.id.as_str()))
        .collect();
    assert!(!messages.is_empty());
    assert!(messages.iter().all(|m| m.extra["unknown_mark"] == "mark"));
    drop(store);
    assert_eq!(content_of(fixture.path()), before);
}

/// MIG-15
#[test]
fn a_side_table_that_a_migration_left_empty_is_taken_for_absent_rows() {
    let fixture = crate::support::newer::empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    for n in 0..52 {
        let id = format!("s{n:02}");
        let usage = hermes_state::TokenUsage::new(id.as_str())
            .input_tokens(10)
            .model("m");
        store.update_token_counts(&usage).unwrap();
        store
            .append_message(&NewMessage::new(id.as_str(), "user").content("wombat"))
            .unwrap();
    }
    raw(fixture.path())
        .execute_batch("DELETE FROM session_model_usage; DELETE FROM async_delegations")
        .unwrap();
    drop(store);
    let store = Store::open(fixture.path()).unwrap();
    assert_eq!(list_all(&store).len(), 52);
    for n in 0..52 {
        let id = format!("s{n:02}");
        assert_eq!(store.resume_target(&id).unwrap().as_str(), id);
        assert_eq!(store.conversation(&id).unwrap().len(), 1);
        assert_eq!(store.usage_of(&id, false).unwrap().input_tokens, 10);
    }
    let stats = store
        .token_stats(&hermes_state::StatsOptions::default())
        .unwrap();
    assert_eq!(stats.total.input_tokens, 520);
}

fn folder_of(path: &Path) -> BTreeSet<String> {
    let entries = path.parent().unwrap().read_dir().unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
        .collect()
}

/// SIZE-10: however often a migration fails, it leaves no copies behind.
#[test]
fn a_migration_that_fails_each_time_leaves_no_copy() {
    for backup in [MigrationBackup::BeforeRewrite, MigrationBackup::Always] {
        let fixture = testdata::fixture("dup_titles_v3.db");
        // The index of titles cannot be made where a table has its name.
        raw(fixture.path())
            .execute_batch("CREATE TABLE idx_sessions_title_unique (x)")
            .unwrap();
        let before = content_of(fixture.path());
        let folder = folder_of(fixture.path());
        for _ in 0..5 {
            let options = StoreOptions::new().migration_backup(backup);
            options.open(fixture.path()).unwrap_err();
            assert_eq!(folder_of(fixture.path()), folder, "{backup:?}");
        }
        assert_eq!(content_of(fixture.path())[""], before[""]);
    }
}

/// SIZE-10: of one content there is one copy, also where a killed migration has made it.
#[test]
fn a_copy_that_is_there_already_is_not_made_again() {
    let fixture = testdata::fixture("dup_titles_v3.db");
    let old = std::fs::read(fixture.path()).unwrap();
    let mut backups = BTreeSet::new();
    for _ in 0..5 {
        std::fs::write(fixture.path(), &old).unwrap();
        let store = Store::open(fixture.path()).unwrap();
        backups.insert(store.migration().unwrap().backup.clone().unwrap());
    }
    assert_eq!(backups.len(), 1, "{backups:?}");
    let copies = || {
        let names = folder_of(fixture.path()).into_iter();
        names.filter(|name| name.contains(".before-")).count()
    };
    assert_eq!(copies(), 1);
    // Another content, another copy.
    std::fs::write(fixture.path(), &old).unwrap();
    raw(fixture.path())
        .execute("UPDATE sessions SET model = 'other'", [])
        .unwrap();
    drop(Store::open(fixture.path()).unwrap());
    assert_eq!(copies(), 2);
}

/// SIZE-10: damage that cannot be repaired is found again at each opening, and costs nothing.
#[test]
fn opening_what_is_damaged_five_times_adds_no_file() {
    for file in testdata::all_fixtures() {
        let fixture = testdata::fixture(&file);
        if Store::open(fixture.path()).is_ok() {
            continue;
        }
        let before = content_of(fixture.path());
        let folder = folder_of(fixture.path());
        for _ in 0..5 {
            Store::open(fixture.path()).unwrap_err();
        }
        assert_eq!(folder_of(fixture.path()), folder, "{file}");
        assert_eq!(content_of(fixture.path()), before, "{file}");
    }
}
