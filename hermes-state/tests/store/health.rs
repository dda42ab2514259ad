//! Checks: what is found in every recorded file, and that looking changes nothing.

use std::fs;
use std::path::Path;

use hermes_state::NewMessage;
use hermes_state::health::{self, Depth, Fault, Repair, Report, Severity};

use crate::support::child::spawn;
use crate::support::{Home, content_of, raw, with_messages};

pub(crate) fn check(path: &Path) -> Report {
    health::check(path, Depth::Deep, &|_| {}).unwrap()
}

pub(crate) fn found(report: &Report) -> Vec<(&'static str, String, u64)> {
    let mut found: Vec<_> = report
        .findings
        .iter()
        .map(|finding| (finding.id.id(), finding.object.clone(), finding.count))
        .collect();
    found.sort();
    found
}

/// Id, object and count of findings, in order.
type Expected = &'static [(&'static str, &'static str, u64)];

/// What a deep check finds besides `search_holds_nul` of five messages, which every store of Python
/// with structured content has.
const FINDINGS: &[(&str, Expected)] = &[
    ("bad_json_v11.db", &[("settings_invalid", "sessions", 1)]),
    (
        "damaged_fts_config_v11.db",
        &[
            ("search_damaged", "messages_fts", 1),
            ("write_fails", "messages", 1),
        ],
    ),
    (
        "damaged_fts_content_rows_v11.db",
        &[
            ("search_damaged", "messages_fts", 1),
            ("search_text_differs", "messages_fts", 29),
        ],
    ),
    (
        "damaged_fts_leaves_v11.db",
        &[
            ("search_damaged", "messages_fts", 1),
            ("write_fails", "messages", 1),
        ],
    ),
    (
        "damaged_fts_leaves_v22.db",
        &[
            ("search_damaged", "messages_fts", 1),
            ("write_fails", "messages", 1),
        ],
    ),
    (
        "damaged_fts_structure_v11.db",
        &[
            ("search_damaged", "messages_fts", 1),
            ("write_fails", "messages", 1),
        ],
    ),
    (
        "damaged_fts_structure_v22.db",
        &[
            ("search_damaged", "messages_fts", 1),
            ("write_fails", "messages", 1),
        ],
    ),
    (
        "damaged_missing_all_triggers_v22.db",
        &[
            ("counter_wrong", "sessions", 1),
            ("search_incomplete", "messages_fts", 1),
            ("search_incomplete", "messages_fts_trigram", 1),
            ("search_trigger_missing", "messages_fts_delete", 1),
            ("search_trigger_missing", "messages_fts_insert", 1),
            ("search_trigger_missing", "messages_fts_trigram_delete", 1),
            ("search_trigger_missing", "messages_fts_trigram_insert", 1),
            ("search_trigger_missing", "messages_fts_trigram_update", 1),
            ("search_trigger_missing", "messages_fts_update", 1),
        ],
    ),
    (
        "damaged_missing_fts_table_v11.db",
        &[
            ("search_table_missing", "messages_fts", 6),
            ("write_fails", "messages", 1),
        ],
    ),
    (
        "damaged_missing_trigger_v11.db",
        &[
            ("counter_wrong", "sessions", 1),
            ("search_incomplete", "messages_fts", 1),
            ("search_trigger_missing", "messages_fts_insert", 1),
        ],
    ),
    (
        "damaged_stale_index_v11.db",
        &[("search_incomplete", "messages_fts", 21)],
    ),
    (
        "duplicate_schema_row_v11.db",
        &[("schema_doubled", "schema", 1)],
    ),
    ("header_damaged_v11.db", &[("header_damaged", "header", 1)]),
    ("null_active_v22.db", &[("active_missing", "messages", 19)]),
    (
        "orphans_and_cycle_v11.db",
        &[
            ("orphan_messages", "messages", 1),
            ("parent_cycle", "sessions", 2),
            ("parent_missing", "sessions", 1),
        ],
    ),
    (
        "page_zeroed_index_v11.db",
        &[("index_damaged", "idx_messages_session", 2)],
    ),
    ("truncated_v11.db", &[("file_truncated", "schema", 1)]),
    (
        "version_text.db",
        &[("version_unreadable", "schema_version", 1)],
    ),
    ("version_999.db", &[("too_new", "schema", 1)]),
    ("v30_external.db", &[("too_new", "schema", 1)]),
    ("v30_inline.db", &[("too_new", "schema", 1)]),
    (
        "version_two_rows_new_first.db",
        &[("version_doubled", "schema_version", 2)],
    ),
    (
        "version_two_rows.db",
        &[
            ("outdated", "schema", 1),
            ("version_doubled", "schema_version", 2),
        ],
    ),
];

#[test]
fn every_recorded_file_has_the_findings_that_it_should_have_and_stays_as_it_is() {
    let mut seen = 0;
    for file in testdata::all_fixtures() {
        if ["empty_file.db", "not_a_database.db"].contains(&file.as_str()) {
            continue;
        }
        let fixture = testdata::fixture(&file);
        let before = content_of(fixture.path());
        let report = check(fixture.path());
        assert_eq!(content_of(fixture.path()), before, "{file}");
        let mut found = found(&report);
        let nul = found.iter().position(|(id, ..)| *id == "search_holds_nul");
        if let Some(nul) = nul {
            found.remove(nul);
        }
        let listed = FINDINGS.iter().find(|(name, _)| *name == file);
        let expected: Vec<(&str, String, u64)> = match listed {
            Some((_, expected)) => expected
                .iter()
                .map(|(id, object, n)| (*id, (*object).to_owned(), *n))
                .collect(),
            None if report.schema_version.is_some_and(|v| v < 11) => {
                vec![("outdated", "schema".to_owned(), 1)]
            }
            None => Vec::new(),
        };
        assert_eq!(found, expected, "{file}: {:#?}", report.findings);
        seen += usize::from(listed.is_some());
    }
    assert_eq!(seen, FINDINGS.len());
}

#[test]
fn a_fast_check_finds_what_structure_ids_and_counts_tell() {
    // What is missed is inside the index.
    const MISSED: [&str; 6] = [
        "damaged_fts_content_rows_v11.db",
        "damaged_fts_leaves_v11.db",
        "damaged_fts_leaves_v22.db",
        "damaged_fts_structure_v11.db",
        "damaged_fts_structure_v22.db",
        "bad_json_v11.db",
    ];
    for (file, _) in FINDINGS {
        let fixture = testdata::fixture(file);
        let before = content_of(fixture.path());
        let report = health::check(fixture.path(), Depth::Fast, &|_| {}).unwrap();
        assert_eq!(content_of(fixture.path()), before, "{file}");
        let worst = report.worst();
        let expected = check(fixture.path()).worst();
        if !MISSED.contains(file) {
            assert_eq!(worst, expected, "{file}: {:#?}", report.findings);
        }
    }
}

/// CORR-27: SQLite's own check calls such files malformed.
#[test]
fn text_with_nul_that_another_sqlite_indexed_is_one_note_and_no_damage() {
    for file in ["v11.db", "v13.db", "v14.db", "v16.db", "v19.db", "v22.db"] {
        let fixture = testdata::fixture(file);
        let report = check(fixture.path());
        assert_eq!(report.findings.len(), 1, "{file}: {:#?}", report.findings);
        let finding = &report.findings[0];
        assert_eq!(finding.id, Fault::SearchHoldsNul, "{file}");
        assert_eq!(finding.severity, Severity::Note);
        assert_eq!((finding.count, finding.repair), (5, Repair::RebuildIndex));
        assert!(finding.message.contains("aligned on repair"));
    }
}

#[test]
fn a_store_of_ours_is_clean_whatever_was_written_and_while_others_write() {
    let home = Home::new();
    let store = with_messages(&home, &["one", "two \0 three", "山水画册"]);
    let report = check(&home.path());
    assert!(report.is_clean(), "{:#?}", report.findings);
    assert_eq!((report.sessions, report.messages), (Some(1), Some(3)));
    assert_eq!(report.schema_version, Some(11));
    let mut writer = spawn("append", &[home.path().to_str().unwrap(), "w", "1000000"]);
    assert_eq!(writer.line().as_deref(), Some("ready"));
    writer.go();
    for depth in [Depth::Fast, Depth::Deep] {
        assert!(writer.line().is_some());
        let report = health::check(home.path(), depth, &|_| {}).unwrap();
        assert!(report.is_clean(), "{:#?}", report.findings);
        let pids: Vec<u32> = report.holders.iter().map(|holder| holder.pid).collect();
        assert_eq!(pids, [writer.id()]);
    }
    // Our own handle goes on.
    store
        .append_message(&NewMessage::new("s", "user").content("four"))
        .unwrap();
    writer.kill();
}

#[test]
fn what_is_no_store_is_an_error_and_not_a_finding() {
    let home = Home::new();
    let error = |path: &Path| {
        health::check(path, Depth::Deep, &|_| {})
            .unwrap_err()
            .code()
    };
    assert_eq!(error(&home.path()), "no_store");
    assert_eq!(error(home.dir()), "not_a_file");
    fs::write(home.path(), b"").unwrap();
    assert_eq!(error(&home.path()), "no_store");
    let fixture = testdata::fixture("not_a_database.db");
    assert_eq!(error(fixture.path()), "not_a_database");
    let other = home.dir().join("other.db");
    raw(&other).execute_batch("CREATE TABLE t (x)").unwrap();
    assert_eq!(error(&other), "not_a_hermes_database");
}

/// CORR-30: listing works, the value shows U+FFFD, and the row is named.
#[test]
fn bytes_that_are_no_text_are_shown_as_replaced_and_their_rows_named() {
    let home = Home::new();
    let store = with_messages(&home, &["one", "two"]);
    raw(&home.path())
        .execute_batch(
            "UPDATE sessions SET title = CAST(x'41e29c' AS TEXT);
             UPDATE messages SET tool_name = CAST(x'e29c42' AS TEXT) WHERE id = 2;",
        )
        .unwrap();
    let listed = crate::support::list_all(&store);
    assert_eq!(listed[0].session.title.as_deref(), Some("A\u{fffd}"));
    let messages = crate::support::messages_of(&store, "s");
    assert_eq!(messages[1].tool_name.as_deref(), Some("\u{fffd}B"));
    let report = check(&home.path());
    let named: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.id == Fault::TextInvalid)
        .map(|finding| (finding.object.as_str(), finding.examples.clone()))
        .collect();
    assert_eq!(
        named,
        [
            ("sessions", vec!["s".to_owned()]),
            ("messages", vec!["2".to_owned()])
        ]
    );
}

#[test]
#[cfg(unix)]
fn a_store_that_others_may_open_is_told_where_they_may_enter_the_folder() {
    use std::os::unix::fs::PermissionsExt;
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let home = Home::new();
    drop(home.store());
    set(home.dir(), 0o700);
    set(&home.path(), 0o644);
    assert!(check(&home.path()).is_clean());
    set(home.dir(), 0o755);
    let report = check(&home.path());
    assert!(report.has(Fault::OpenToOthers));
    assert_eq!(report.findings.len(), 1, "{:#?}", report.findings);
    for suffix in ["", "-wal", "-shm"] {
        let file = home.dir().join(format!("state.db{suffix}"));
        if file.exists() {
            set(&file, 0o600);
        }
    }
    assert!(check(&home.path()).is_clean());
}
