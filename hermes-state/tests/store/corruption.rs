//! What users met in damaged stores; each test has the number of its case.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hermes_state::health::{self, Repair};
use hermes_state::{Content, ListOptions, NewMessage, SearchOptions, Store};
use serde_json::json;

use crate::backups::zero_a_leaf;
use crate::health::check;
use crate::support::child::spawn;
use crate::support::logged::logged;
use crate::support::{Home, ask, found, messages_of, raw, with_messages};

/// A store with many pages of messages, closed and in one file.
fn large(home: &Home) {
    let texts: Vec<String> = (0..300)
        .map(|n| format!("text {n} {}", "words ".repeat(60)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let store = with_messages(home, &texts);
    for n in 0..300 {
        store.ensure_session(format!("session-{n}")).unwrap();
    }
    drop(store);
    let conn = raw(&home.path());
    conn.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        .unwrap();
}

/// Zeros the first page that a query names.
fn zero(path: &Path, pages: &str) {
    let page: i64 = ask(path, pages);
    let mut bytes = fs::read(path).unwrap();
    let at = (page as usize - 1) * 4096;
    bytes[at..at + 4096].fill(0);
    fs::write(path, bytes).unwrap();
}

#[test]
fn corr_01_damage_of_the_rows_stops_writes_and_nothing_is_done_to_the_index() {
    let home = Home::new();
    large(&home);
    zero(
        &home.path(),
        "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY path DESC LIMIT 1",
    );
    let definitions = "SELECT group_concat(sql) FROM sqlite_master";
    let before: String = ask(&home.path(), definitions);
    match Store::open(home.path()) {
        Ok(store) => {
            for _ in 0..2 {
                let message = NewMessage::new("s", "user").content("more");
                let error = store.append_message(&message).unwrap_err();
                assert_eq!(error.code(), "corrupt", "{error}");
                assert!(error.to_string().contains("state.db"), "{error}");
            }
        }
        Err(error) => {
            assert_eq!(error.code(), "corrupt", "{error}");
            assert!(error.to_string().contains("state.db"), "{error}");
        }
    }
    assert_eq!(ask::<String>(&home.path(), definitions), before);
}

#[test]
fn corr_06_sessions_that_cannot_be_read_are_an_error_and_not_none() {
    let home = Home::new();
    large(&home);
    zero_a_leaf(&home.path(), "sessions");
    let store = Store::open_read_only(home.path()).unwrap();
    let mut options = ListOptions::default();
    options.limit = 1000;
    assert_eq!(store.list_sessions(&options).unwrap_err().code(), "corrupt");
}

#[test]
fn corr_07_each_damage_is_named_with_the_repair_that_fits() {
    for (object, fault, repair) in [
        ("messages_fts_data", "search_damaged", Repair::RebuildIndex),
        ("idx_sessions_started", "index_damaged", Repair::Reindex),
        ("messages", "table_damaged", Repair::Recover),
    ] {
        let home = Home::new();
        large(&home);
        zero_a_leaf(&home.path(), object);
        let report = check(&home.path());
        let worst = &report.findings[0];
        assert_eq!((worst.id.id(), worst.object.as_str()), (fault, object));
        assert_eq!(worst.repair, repair);
        let to = home.dir().join("copy.db");
        let mut options = health::BackupOptions::default();
        options.to = Some(to.clone());
        let made = health::backup(home.path(), &options, &|_, _| {});
        assert_eq!(made.is_ok(), repair == Repair::RebuildIndex, "{object}");
        assert_eq!(to.exists(), made.is_ok(), "{object}");
    }
}

#[test]
fn corr_10_short_visits_of_others_leave_the_log_of_a_writer_alone() {
    let home = Home::new();
    let path = home.path();
    let store = with_messages(&home, &["one"]);
    let log = home.dir().join("state.db-wal");
    #[cfg(unix)]
    let inode = || std::os::unix::fs::MetadataExt::ino(&fs::metadata(&log).unwrap());
    #[cfg(unix)]
    let first = inode();
    for _ in 0..50 {
        let mut other = spawn("open", &[path.to_str().unwrap()]);
        assert_eq!(other.line().as_deref(), Some("ready"));
        let (lines, well) = other.finish();
        assert!(well && lines == ["version 11"], "{lines:?}");
    }
    for n in 0..10 {
        let message = NewMessage::new("s", "user").content(format!("quokka {n}"));
        store.append_message(&message).unwrap();
    }
    #[cfg(unix)]
    assert_eq!(inode(), first);
    let third = Store::open_read_only(&path).unwrap();
    assert_eq!(found(&third, "quokka").len(), 10);
}

#[test]
fn corr_22_a_damaged_root_of_the_index_is_found_and_made_anew() {
    let home = Home::new();
    large(&home);
    zero(
        &home.path(),
        "SELECT rootpage FROM sqlite_master WHERE name = 'messages_fts_idx'",
    );
    assert!(check(&home.path()).has(health::Fault::SearchDamaged));
    let done = crate::repairs::repair(&home.path());
    assert!(done.after.is_clean(), "{:#?}", done.after.findings);
    assert!(done.recovered.is_none());
    assert_eq!(done.steps[0], Repair::RebuildIndex);
    assert_eq!(done.after.messages, Some(300));
}

#[test]
fn corr_25_damage_in_the_trigram_index_alone_is_found_and_costs_no_message() {
    let home = Home::new();
    large(&home);
    raw(&home.path())
        .execute_batch(
            "UPDATE messages_fts_trigram_data SET block = zeroblob(length(block)) WHERE id > 10",
        )
        .unwrap();
    let report = check(&home.path());
    let damaged: Vec<&str> = report
        .findings
        .iter()
        .filter(|finding| finding.id == health::Fault::SearchDamaged)
        .map(|finding| finding.object.as_str())
        .collect();
    assert_eq!(damaged, ["messages_fts_trigram"]);
    let store = Store::open(home.path()).unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content("testing"))
        .unwrap();
    assert_eq!(messages_of(&store, "s").len(), 301);
    drop(store);
    crate::repairs::repair(&home.path());
    assert!(check(&home.path()).is_clean());
}

#[test]
fn corr_28_an_image_is_not_indexed_and_a_snippet_shows_what_a_person_reads() {
    let home = Home::new();
    let store = with_messages(&home, &[]);
    let data = "QUJDREVGR0hJSktM".repeat(12_000);
    let parts = json!([
        {"type": "text", "text": "a zebra at the pond"},
        {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}},
    ]);
    let content = Content::from_value(&parts).unwrap().unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content(content))
        .unwrap();
    let results = store.search(&SearchOptions::new("zebra")).unwrap();
    assert_eq!(results.matches.len(), 1);
    let snippet = results.matches[0].snippet.as_deref().unwrap();
    assert!(snippet.contains(">>>zebra<<<"), "{snippet}");
    assert!(
        !snippet.contains("base64") && !snippet.contains('{'),
        "{snippet}"
    );
    assert_eq!(found(&store, "QUJDREVGR0hJSktM"), [] as [i64; 0]);
}

#[test]
fn corr_31_the_index_agrees_with_itself_after_each_change_of_a_long_result() {
    let home = Home::new();
    let store = with_messages(&home, &[]);
    let long = format!("quokka {}", "result of the tool ".repeat(5000));
    store
        .append_message(&NewMessage::new("s", "tool").content(long))
        .unwrap();
    let conn = raw(&home.path());
    let strict = || {
        for table in ["messages_fts", "messages_fts_trigram"] {
            let sql = format!("INSERT INTO {table}({table}, rank) VALUES('integrity-check', 1)");
            conn.execute_batch(&sql).unwrap();
        }
    };
    strict();
    conn.execute("UPDATE messages SET content = content || ' numbat'", [])
        .unwrap();
    strict();
    assert_eq!(found(&store, "numbat"), [1]);
    conn.execute("DELETE FROM messages", []).unwrap();
    strict();
    for word in ["quokka", "numbat"] {
        assert_eq!(found(&store, word), [] as [i64; 0]);
    }
    assert!(check(&home.path()).has(health::Fault::CounterWrong));
}

/// CORR-03
#[test]
fn a_damaged_store_that_is_opened_again_and_again_fails_fast_and_is_hardly_logged() {
    for file in [
        "truncated_v11.db",
        "not_a_database.db",
        "header_damaged_v11.db",
    ] {
        let fixture = testdata::fixture(file);
        let expected = Store::open_read_only(fixture.path()).unwrap_err().code();
        let (mut took, told) = logged(|| {
            let tries = (0..1000).map(|n| {
                let began = Instant::now();
                let opened = if n % 2 == 0 {
                    Store::open_read_only(fixture.path())
                } else {
                    Store::open(fixture.path())
                };
                assert_eq!(opened.unwrap_err().code(), expected, "{file} {n}");
                began.elapsed()
            });
            tries.collect::<Vec<_>>()
        });
        took.sort();
        // Half of them, since other work may take the processor for longer than that.
        assert!(
            took[500] < Duration::from_millis(5),
            "{file}: {:?}",
            took[500]
        );
        assert!(told.len() <= 5, "{file}: {} {:#?}", told.len(), &told[..5]);
    }
}
