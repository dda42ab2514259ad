//! Repairs: every damaged file is put right, and what could not be saved is counted.

use std::fs;
use std::path::Path;

use hermes_state::health::{self, Repair, Repaired, Severity};
use hermes_state::{Error, ListOptions, MessagePage, NewMessage, SearchOptions, Store};

use crate::backups::zero_a_leaf;
use crate::support::child::spawn;
use crate::support::{
    Home, ask, assert_index_whole, content_of, export, found, raw, with_messages,
};

pub(crate) fn repair(path: &Path) -> Repaired {
    health::repair(path, &|_| {}).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// File, steps, sessions and messages afterwards. The README has those that are damaged.
const REPAIRED: &[(&str, &[Repair], u64, u64)] = &[
    (
        "bad_json_v11.db",
        &[Repair::QuoteJson, Repair::RebuildIndex],
        26,
        64,
    ),
    ("damaged_fts_config_v11.db", &[Repair::RebuildIndex], 26, 64),
    (
        "damaged_fts_content_rows_v11.db",
        &[Repair::RebuildIndex],
        26,
        64,
    ),
    ("damaged_fts_leaves_v11.db", &[Repair::RebuildIndex], 26, 64),
    ("damaged_fts_leaves_v22.db", &[Repair::RebuildIndex], 30, 75),
    (
        "damaged_fts_structure_v11.db",
        &[Repair::RebuildIndex],
        26,
        64,
    ),
    (
        "damaged_fts_structure_v22.db",
        &[Repair::RebuildIndex],
        30,
        75,
    ),
    (
        "damaged_missing_all_triggers_v22.db",
        &[Repair::Recount, Repair::RebuildIndex],
        30,
        76,
    ),
    (
        "damaged_missing_fts_table_v11.db",
        &[Repair::RebuildIndex],
        26,
        64,
    ),
    (
        "damaged_missing_trigger_v11.db",
        &[Repair::Recount, Repair::RebuildIndex],
        26,
        65,
    ),
    (
        "damaged_stale_index_v11.db",
        &[Repair::RebuildIndex],
        26,
        64,
    ),
    ("dup_titles_v3.db", &[Repair::Migrate], 25, 59),
    (
        "duplicate_schema_row_v11.db",
        &[Repair::DeduplicateSchema, Repair::RebuildIndex],
        26,
        64,
    ),
    (
        "header_damaged_v11.db",
        &[Repair::Recover, Repair::RebuildIndex],
        26,
        64,
    ),
    (
        "null_active_v22.db",
        &[Repair::HealActive, Repair::RebuildIndex, Repair::Recount],
        30,
        75,
    ),
    (
        "orphans_and_cycle_v11.db",
        &[
            Repair::AdoptOrphans,
            Repair::DetachParents,
            Repair::RebuildIndex,
        ],
        27,
        65,
    ),
    (
        "page_zeroed_index_v11.db",
        &[Repair::Reindex, Repair::RebuildIndex, Repair::Vacuum],
        26,
        64,
    ),
    (
        "version_text.db",
        &[Repair::SetVersion, Repair::RebuildIndex],
        26,
        64,
    ),
    // Of 64 messages 13 were on the pages that are cut off.
    ("truncated_v11.db", &[Repair::Recover], 26, 51),
];

#[test]
fn every_damaged_file_is_repaired_and_its_rows_are_counted() {
    for (file, steps, sessions, messages) in REPAIRED {
        let fixture = testdata::fixture(file);
        let before = fs::read(fixture.path()).unwrap();
        let plan = health::plan_repair(fixture.path(), &|_| {}).unwrap();
        assert!(fs::read(fixture.path()).unwrap() == before, "{file}");
        assert!(!plan.steps.is_empty(), "{file}");
        let done = repair(fixture.path());
        assert_eq!(done.steps, *steps, "{file}");
        assert!(done.after.is_clean(), "{file}: {:#?}", done.after.findings);
        let rows = (done.after.sessions, done.after.messages);
        assert_eq!(rows, (Some(*sessions), Some(*messages)), "{file}");
        let backup = done.backup.unwrap();
        if done.steps.contains(&Repair::Recover) {
            assert!(fs::read(&backup).unwrap() == before, "{file}");
        }
        // It is a store that is written and searched.
        let store = Store::open(fixture.path()).unwrap();
        store.ensure_session("after").unwrap();
        let message = NewMessage::new("after", "user").content("quokka after the repair");
        let id = store.append_message(&message).unwrap();
        assert_eq!(found(&store, "quokka"), [id.0], "{file}");
        let results = store.search(&SearchOptions::new("zebra")).unwrap();
        assert!(!results.degraded && results.matches.len() >= 8, "{file}");
        drop(store);
        assert_index_whole(fixture.path());
        // Once is enough.
        assert_eq!(repair(fixture.path()).steps, [], "{file}");
    }
}

#[test]
fn a_truncated_file_loses_what_was_cut_off_and_says_so() {
    let fixture = testdata::fixture("truncated_v11.db");
    let whole = testdata::fixture("v11.db");
    let done = repair(fixture.path());
    let recovered = done.recovered.unwrap();
    let messages = recovered.rows("messages");
    assert_eq!(
        (messages.saved, messages.in_part, messages.lost),
        (51, 0, 13)
    );
    let sessions = recovered.rows("sessions");
    assert_eq!((sessions.saved, sessions.lost), (26, 0));
    // What was saved is what was there.
    let rows = |path: &Path| -> Vec<String> {
        let conn = raw(path);
        let mut statement = conn
            .prepare("SELECT id || session_id || role || quote(content) || timestamp || quote(tool_calls) FROM messages")
            .unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    };
    let there = rows(whole.path());
    let saved = rows(fixture.path());
    assert_eq!(saved.len(), 51);
    assert!(saved.iter().all(|row| there.contains(row)));
}

#[test]
fn a_damaged_page_of_a_table_costs_what_was_on_it_and_no_more() {
    let texts: Vec<String> = (0..400)
        .map(|n| format!("number{n} {}", "lorem ipsum ".repeat(1 + n % 30)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for table in [
        "messages",
        "sessions",
        "sqlite_autoindex_sessions_1",
        "idx_messages_session",
    ] {
        let home = Home::new();
        let store = with_messages(&home, &texts);
        for n in 0..200 {
            store.ensure_session(format!("session-{n}")).unwrap();
        }
        drop(store);
        zero_a_leaf(&home.path(), table);
        let before = fs::read(home.path()).unwrap();
        let done = repair(&home.path());
        assert!(done.after.is_clean(), "{table}: {:#?}", done.after.findings);
        match table {
            "messages" => {
                // The indexes have the session, the time and the text of each.
                let rows = done.recovered.unwrap().rows("messages");
                assert_eq!(rows.saved + rows.in_part, 400);
                assert!(
                    rows.in_part > 0 && rows.in_part < 60 && rows.lost == 0,
                    "{rows:?}"
                );
                let store = Store::open_read_only(home.path()).unwrap();
                let page = MessagePage {
                    limit: 1000,
                    ..MessagePage::default()
                };
                let messages = store.messages("s", page).unwrap();
                for (message, text) in messages.iter().zip(&texts) {
                    let content = format!("{:?}", message.content);
                    assert!(content.contains(text.trim_end()), "{content}");
                }
                let unknown = messages.iter().filter(|m| m.role == "unknown").count();
                assert_eq!(unknown as u64, rows.in_part);
            }
            "sessions" => {
                let rows = done.recovered.unwrap().rows("sessions");
                assert!(rows.lost > 0 && rows.saved + rows.lost == 201, "{rows:?}");
                // Messages whose session is gone have one again.
                assert_eq!(done.after.messages, Some(400));
            }
            _ => {
                assert_eq!(
                    (done.after.sessions, done.after.messages),
                    (Some(201), Some(400)),
                    "{table}"
                );
            }
        }
        let backup = done.backup.unwrap();
        if done.steps == [Repair::Recover] {
            assert!(fs::read(backup).unwrap() == before, "{table}");
        } else {
            assert!(backup.exists());
        }
    }
}

#[test]
fn a_file_without_its_first_page_is_read_by_the_shape_of_its_rows() {
    let fixture = testdata::fixture("v11.db");
    let mut bytes = fs::read(fixture.path()).unwrap();
    bytes[..4096].fill(0);
    bytes[16..24].copy_from_slice(&[0x10, 0, 1, 1, 0, 64, 32, 32]);
    fs::write(fixture.path(), bytes).unwrap();
    let done = repair(fixture.path());
    assert_eq!(done.after.sessions, Some(26));
    assert_eq!(done.after.messages, Some(64));
}

#[test]
fn what_is_in_the_log_of_a_damaged_store_is_saved_too() {
    let fixture = testdata::fixture("wal_left.db");
    let mut bytes = fs::read(fixture.path()).unwrap();
    bytes[..16].fill(b'x');
    fs::write(fixture.path(), bytes).unwrap();
    let done = repair(fixture.path());
    assert_eq!(done.after.messages, Some(76));
}

#[test]
fn a_store_that_others_have_open_is_not_repaired_and_they_are_named() {
    let fixture = testdata::fixture("damaged_stale_index_v11.db");
    let path = fixture.path().to_str().unwrap();
    let mut other = spawn("keep", &[path]);
    assert_eq!(other.line().as_deref(), Some("kept"));
    let before = content_of(fixture.path());
    let error = health::repair(fixture.path(), &|_| {}).unwrap_err();
    let Error::Locked { holders, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(holders[0].pid, other.id());
    assert_eq!(content_of(fixture.path()), before);
    other.finish();
    assert!(repair(fixture.path()).after.is_clean());
}

#[test]
fn what_holds_no_row_is_left_as_it_is() {
    let home = Home::new();
    // A header that makes sense, and nothing behind it.
    let mut bytes = fs::read(testdata::fixture("v11.db").path()).unwrap();
    bytes[100..].fill(0);
    bytes[..16].fill(0);
    fs::write(home.path(), &bytes).unwrap();
    let error = health::repair(home.path(), &|_| {}).unwrap_err();
    assert_eq!(error.code(), "corrupt", "{error}");
    assert!(fs::read(home.path()).unwrap() == bytes);
    let names: Vec<_> = fs::read_dir(home.dir()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    for file in ["v30_external.db", "version_999.db"] {
        let fixture = testdata::fixture(file);
        let before = content_of(fixture.path());
        let error = health::repair(fixture.path(), &|_| {}).unwrap_err();
        assert_eq!(error.code(), "schema_too_new");
        assert_eq!(content_of(fixture.path()), before);
    }
}

#[test]
fn a_version_that_is_no_number_is_found_and_put_right() {
    for (file, stored, version) in [
        ("v11.db", "'eleven'", 11),
        ("v11.db", "x'3131'", 11),
        ("v11.db", "1.5", 11),
        ("v11.db", "-3", 11),
        ("v22.db", "NULL", 22),
        ("v22.db", "''", 22),
        ("v9.db", "'x'", 9),
        // The text says more than the tables.
        ("v14.db", "' 16 '", 16),
    ] {
        let what = format!("{file} {stored}");
        let fixture = testdata::fixture(file);
        let conn = raw(fixture.path());
        conn.execute_batch(&format!(
            "DROP TABLE schema_version;
             CREATE TABLE schema_version (version);
             INSERT INTO schema_version VALUES ({stored})"
        ))
        .unwrap();
        drop(conn);
        let error = Store::open(fixture.path()).unwrap_err();
        assert_eq!(error.code(), "bad_schema_version", "{what}");
        let plan = health::plan_repair(fixture.path(), &|_| {}).unwrap();
        assert_eq!(
            plan.report.findings[0].id.id(),
            "version_unreadable",
            "{what}"
        );
        assert_eq!(plan.steps, [Repair::SetVersion], "{what}");
        let done = repair(fixture.path());
        assert_eq!(done.steps[0], Repair::SetVersion, "{what}");
        assert!(done.backup.unwrap().exists(), "{what}");
        assert!(
            done.after.worst() <= Some(Severity::Note),
            "{what}: {:#?}",
            done.after.findings
        );
        // What is older is migrated by the same repair.
        let expected = version.max(11);
        assert_eq!(done.after.schema_version, Some(expected), "{what}");
        let store = Store::open(fixture.path()).unwrap();
        assert_eq!(store.schema_version(), expected, "{what}");
        store.ensure_session("after").unwrap();
    }
}

#[test]
fn a_version_that_is_no_number_stays_where_the_tables_are_newer_than_what_is_written() {
    for file in ["v30_external.db", "v30_inline.db"] {
        let fixture = testdata::fixture(file);
        raw(fixture.path())
            .execute_batch("UPDATE schema_version SET version = 'x'")
            .unwrap();
        let done = repair(fixture.path());
        assert_eq!(done.steps, [], "{file}");
        assert_eq!(
            done.after.findings[0].id.id(),
            "version_unreadable",
            "{file}"
        );
        assert_eq!(
            ask::<String>(fixture.path(), "SELECT version FROM schema_version"),
            "x",
            "{file}"
        );
    }
}

#[test]
fn all_broken_text_of_a_row_is_mended() {
    let home = Home::new();
    drop(with_messages(&home, &["one", "two"]));
    raw(&home.path())
        .execute_batch(
            "UPDATE messages SET content = CAST(x'61ff' AS TEXT), tool_name = CAST(x'fe62' AS TEXT) WHERE id = 1;
             UPDATE messages SET reasoning = CAST(x'c3' AS TEXT) WHERE id = 2;
             UPDATE sessions SET title = CAST(x'e29c' AS TEXT), model = CAST(x'6dff6d' AS TEXT);",
        )
        .unwrap();
    let done = repair(&home.path());
    assert!(done.after.is_clean(), "{:#?}", done.after.findings);
    for (sql, expected) in [
        (
            "SELECT content || tool_name FROM messages WHERE id = 1",
            "a\u{fffd}\u{fffd}b",
        ),
        (
            "SELECT content || reasoning FROM messages WHERE id = 2",
            "two\u{fffd}",
        ),
        ("SELECT title || model FROM sessions", "\u{fffd}m\u{fffd}m"),
    ] {
        assert_eq!(ask::<String>(&home.path(), sql), expected);
    }
}

#[test]
fn text_that_is_none_is_mended_and_ids_are_not_given_again() {
    let home = Home::new();
    let store = with_messages(&home, &["one", "two", "three"]);
    drop(store);
    raw(&home.path())
        .execute_batch(
            "UPDATE messages SET content = CAST(x'7a7a7ae29c' AS TEXT) WHERE id = 2;
             DELETE FROM messages WHERE id = 3;",
        )
        .unwrap();
    let done = repair(&home.path());
    assert!(done.after.is_clean(), "{:#?}", done.after.findings);
    assert!(done.steps.contains(&Repair::MendText));
    assert_eq!(
        ask::<String>(&home.path(), "SELECT content FROM messages WHERE id = 2"),
        "zzz\u{fffd}"
    );
    zero_a_leaf(&home.path(), "sessions");
    let done = repair(&home.path());
    assert!(
        done.after
            .worst()
            .is_none_or(|worst| worst == Severity::Note)
    );
    let store = Store::open(home.path()).unwrap();
    let id = store
        .append_message(&NewMessage::new("s", "user").content("four"))
        .unwrap();
    assert_eq!(id.0, 4);
    assert_eq!(
        store.list_sessions(&ListOptions::default()).unwrap().len(),
        1
    );
    assert!(!export(&store).is_empty());
}
