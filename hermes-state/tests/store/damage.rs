//! Damage to the full-text index: no message is lost, and every one is found.

use hermes_state::{NewMessage, SearchOptions, Store};

use crate::support::{Home, assert_index_whole, found, list_all, messages_of, raw};

const DAMAGED: [&str; 6] = [
    "damaged_fts_config_v11.db",
    "damaged_fts_content_rows_v11.db",
    "damaged_fts_leaves_v11.db",
    "damaged_fts_structure_v11.db",
    "damaged_missing_fts_table_v11.db",
    "damaged_missing_trigger_v11.db",
];

/// CORR-24: among them an index of which the data are overwritten.
#[test]
fn messages_appended_to_a_store_with_a_damaged_index_are_kept_and_found() {
    for file in DAMAGED {
        let fixture = testdata::fixture(file);
        let store = Store::open(fixture.path()).unwrap();
        store.ensure_session("after").unwrap();
        let ids: Vec<i64> = (0..40)
            .map(|n| {
                let text = format!("quokka number {n} 山水画册");
                let message = NewMessage::new("after", "user").content(text);
                store.append_message(&message).unwrap().0
            })
            .collect();
        let stored: Vec<i64> = messages_of(&store, "after")
            .iter()
            .map(|m| m.id.0)
            .collect();
        assert_eq!(stored, ids, "{file}");
        for query in ["quokka", "山水画"] {
            let mut hits = found(&store, query);
            hits.sort_unstable();
            assert_eq!(hits, ids, "{file} {query}");
        }
        // An old one, too, in either index or through the rows.
        assert!(found(&store, "kubectlx").contains(&2), "{file}");
        assert!(found(&store, "大别山").contains(&14), "{file}");
    }
}

#[test]
fn an_index_that_is_seen_to_be_damaged_is_made_anew_from_the_messages() {
    // The others are noticed when something reads or writes the damaged part.
    for file in [
        "damaged_fts_config_v11.db",
        "damaged_missing_fts_table_v11.db",
        "damaged_missing_trigger_v11.db",
    ] {
        let fixture = testdata::fixture(file);
        assert!(
            Store::open_read_only(fixture.path())
                .unwrap()
                .index_trouble()
                .is_some()
        );
        let store = Store::open(fixture.path()).unwrap();
        assert_eq!(store.index_trouble(), None, "{file}");
        let results = store.search(&SearchOptions::new("zebra")).unwrap();
        assert!(!results.degraded, "{file}");
        assert!(results.matches.len() >= 9, "{file}");
        drop(store);
        assert_index_whole(fixture.path());
    }
}

#[test]
fn a_damaged_index_is_made_anew_by_the_first_write_that_meets_it() {
    for file in ["damaged_fts_leaves_v11.db", "damaged_fts_structure_v11.db"] {
        let fixture = testdata::fixture(file);
        let store = Store::open(fixture.path()).unwrap();
        store.ensure_session("after").unwrap();
        for n in 0..40 {
            let message = NewMessage::new("after", "user").content(format!("quokka number {n}"));
            store.append_message(&message).unwrap();
        }
        let results = store.search(&SearchOptions::new("zebra")).unwrap();
        assert!(!results.degraded, "{file}");
        assert_eq!(results.matches.len(), 9, "{file}");
        drop(store);
        assert_index_whole(fixture.path());
    }
}

#[test]
fn an_index_that_goes_under_an_open_handle_costs_no_message() {
    for damage in [
        "DROP TABLE messages_fts",
        "DROP TABLE messages_fts_trigram",
        "DROP TRIGGER messages_fts_insert",
        "DROP TRIGGER messages_fts_trigram_update; DROP TABLE messages_fts",
    ] {
        let home = Home::new();
        let store = home.store();
        store.ensure_session("s").unwrap();
        let message = NewMessage::new("s", "user").content("quokka 山水画册");
        store.append_message(&message).unwrap();
        raw(&home.path()).execute_batch(damage).unwrap();
        let id = store.append_message(&message).unwrap();
        assert_eq!(store.index_trouble(), None, "{damage}");
        for query in ["quokka", "山水画"] {
            let results = store.search(&SearchOptions::new(query)).unwrap();
            assert!(!results.degraded, "{damage}");
            let ids: Vec<i64> = results.matches.iter().map(|m| m.id.0).collect();
            assert_eq!(ids, [1, id.0], "{damage} {query}");
        }
        drop(store);
        assert_index_whole(&home.path());
    }
}

#[test]
fn every_message_is_readable_while_the_index_is_damaged() {
    for file in DAMAGED {
        let fixture = testdata::fixture(file);
        let store = Store::open_read_only(fixture.path()).unwrap();
        let messages: usize = list_all(&store)
            .iter()
            .map(|summary| messages_of(&store, summary.session.id.as_str()).len())
            .sum();
        assert!(messages >= 64, "{file}");
    }
}

#[test]
fn messages_written_without_the_triggers_are_indexed_at_the_next_opening() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    drop(store);
    raw(&home.path())
        .execute_batch(
            "DROP TRIGGER messages_fts_insert;
             INSERT INTO messages (session_id, role, content, timestamp)
                 VALUES ('s', 'user', 'planted quokka 山水画册', 1.0);",
        )
        .unwrap();
    let store = home.store();
    assert_eq!(found(&store, "quokka"), [1]);
    assert_eq!(found(&store, "山水画"), [1]);
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn a_rebuild_leaves_triggers_that_are_not_ours_and_every_other_table_alone() {
    let fixture = testdata::fixture("damaged_fts_config_v11.db");
    raw(fixture.path())
        .execute_batch(
            "CREATE TABLE log (id INTEGER);
             CREATE TRIGGER log_insert AFTER INSERT ON messages BEGIN
                 INSERT INTO log VALUES (new.id);
             END;",
        )
        // The damaged module is loaded for the trigger's table.
        .unwrap();
    let store = Store::open(fixture.path()).unwrap();
    store.ensure_session("s").unwrap();
    let id = store
        .append_message(&NewMessage::new("s", "user").content("quokka"))
        .unwrap();
    drop(store);
    let logged: i64 = crate::support::ask(fixture.path(), "SELECT id FROM log");
    assert_eq!(logged, id.0);
    assert_index_whole(fixture.path());
}
