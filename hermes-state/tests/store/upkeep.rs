//! Merging the index, moving the log, and looking at what that would do.

use std::ops::ControlFlow;

use hermes_state::{
    Checkpoint, DeleteOptions, Error, IndexWork, NewMessage, NewSession, PruneFilter,
    SearchOptions, Store,
};
use testdata::fixture;

use crate::support::{Home, ask, assert_index_whole, content_of, raw};

const INDEXES: [&str; 2] = ["messages_fts", "messages_fts_trigram"];

/// Messages in so many transactions, so that the index is in many segments.
fn filled(home: &Home, messages: usize) -> Store {
    let store = home.store();
    store.create_session(&NewSession::new("a", "cli")).unwrap();
    for n in 0..messages {
        let text = format!("message {n} about zebra{} and docker", n % 97);
        store
            .append_message(&NewMessage::new("a", "user").content(text))
            .unwrap();
    }
    store
}

fn segments(store: &Store, table: &str) -> i64 {
    let sql = format!("SELECT COUNT(DISTINCT segid) FROM {table}_idx");
    ask(store.path(), &sql)
}

fn is_whole(store: &Store) {
    for table in INDEXES {
        raw(store.path())
            .execute_batch(&format!(
                "INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)"
            ))
            .unwrap();
    }
}

#[test]
fn everything_is_merged_in_steps_and_again_nothing() {
    let home = Home::new();
    let store = filled(&home, 300);
    assert!(INDEXES.iter().any(|table| segments(&store, table) > 1));
    let mut told = 0;
    let done = store
        .optimize(&mut |done| {
            told = done.steps;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((done.steps, done.segments_after), (told, Some(2)));
    assert!(
        done.segments_before > Some(2) && done.steps >= 2,
        "{done:?}"
    );
    for table in INDEXES {
        assert_eq!(segments(&store, table), 1);
    }
    is_whole(&store);
    let found = store.search(&SearchOptions::new("zebra7 docker")).unwrap();
    assert!(!found.degraded && !found.matches.is_empty());
    let again = store.optimize(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((again.steps, again.index_made), (0, false));
}

#[test]
fn a_stopped_merge_leaves_a_whole_index_and_the_next_one_goes_on() {
    let home = Home::new();
    let store = filled(&home, 300);
    let done = store.optimize(&mut |_| ControlFlow::Break(())).unwrap();
    assert!(done.cancelled);
    is_whole(&store);
    let done = store.optimize(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((done.cancelled, done.segments_after), (false, Some(2)));
    is_whole(&store);
}

#[test]
fn others_write_while_the_index_is_merged() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let home = Home::new();
    let store = filled(&home, 400);
    let merging = AtomicBool::new(true);
    let (done, written) = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let other = home.store();
            let mut written = 0;
            while merging.load(Ordering::Relaxed) {
                let message = NewMessage::new("a", "user").content("beside the merge");
                other.append_message(&message).unwrap();
                written += 1;
            }
            written
        });
        let done = store.optimize(&mut |_| ControlFlow::Continue(()));
        merging.store(false, Ordering::Relaxed);
        (done.unwrap(), other.join().unwrap())
    });
    assert!(done.steps > 0 && written > 0);
    is_whole(&store);
    let mut options = SearchOptions::new("\"beside the merge\"");
    options.limit = usize::MAX;
    assert_eq!(store.search(&options).unwrap().matches.len(), written);
}

#[test]
fn the_missing_index_is_made_in_version_11_and_newer_schemas_stay() {
    let made = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'idx_messages_session_id'";
    let schema = "SELECT group_concat(name || COALESCE(sql, '')) FROM sqlite_master";
    let old = fixture("v11.db");
    let store = Store::open(old.path()).unwrap();
    assert_eq!(ask::<i64>(old.path(), made), 0);
    assert!(store.optimize_plan().unwrap().index_made);
    assert!(
        store
            .optimize(&mut |_| ControlFlow::Continue(()))
            .unwrap()
            .index_made
    );
    assert_eq!(ask::<i64>(old.path(), made), 1);
    assert!(!store.optimize_plan().unwrap().index_made);

    let newer = fixture("v22.db");
    let store = Store::open(newer.path()).unwrap();
    let before: String = ask(newer.path(), schema);
    assert!(!store.optimize_plan().unwrap().index_made);
    let done = store.optimize(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((done.index_made, done.segments_after), (false, Some(2)));
    assert_eq!(ask::<String>(newer.path(), schema), before);
    // SQLite's own check takes text with a NUL, indexed by another version, for damage.
    assert_eq!(store.quick_check().unwrap(), Vec::<String>::new());
}

#[test]
fn looking_changes_nothing_and_a_store_that_is_too_new_is_refused() {
    let old = fixture("v9.db");
    let before = content_of(old.path());
    let store = Store::open_read_only(old.path()).unwrap();
    assert!(store.optimize_plan().unwrap().index_made);
    assert!(content_of(old.path()) == before);
    let newest = fixture("v30_external.db");
    let store = Store::open(newest.path()).unwrap();
    let refused = store.optimize(&mut |_| ControlFlow::Continue(()));
    assert!(
        matches!(refused, Err(Error::SchemaTooNew { .. })),
        "{refused:?}"
    );
    let refused = store.checkpoint(Checkpoint::Passive);
    assert!(
        matches!(refused, Err(Error::SchemaTooNew { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_damaged_index_is_made_anew_instead_of_merged() {
    let damaged = fixture("damaged_fts_leaves_v11.db");
    let store = Store::open(damaged.path()).unwrap();
    let done = store.optimize(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(done.segments_after, Some(2));
    assert_eq!(store.quick_check().unwrap(), Vec::<String>::new());
}

#[test]
fn a_checkpoint_moves_the_log_and_says_what_a_reader_keeps() {
    let home = Home::new();
    let store = filled(&home, 20);
    let done = store.checkpoint(Checkpoint::Passive).unwrap();
    assert!(done.complete && done.log_pages > 0, "{done:?}");
    assert_eq!(done.log_pages, done.moved_pages);
    // A passive one leaves the file of the log as it is.
    assert!(done.log_bytes_after > 0);

    let reader = raw(store.path());
    reader
        .execute_batch("BEGIN; SELECT * FROM sessions")
        .unwrap();
    let message = NewMessage::new("a", "user").content("behind the reader");
    store.append_message(&message).unwrap();
    let kept = store.checkpoint(Checkpoint::Passive).unwrap();
    assert!(
        !kept.complete && kept.moved_pages < kept.log_pages,
        "{kept:?}"
    );
    reader.execute_batch("COMMIT").unwrap();
    let done = store.checkpoint(Checkpoint::Truncate).unwrap();
    assert_eq!((done.complete, done.log_bytes_after), (true, 0), "{done:?}");
}

#[test]
fn what_a_vacuum_would_refuse_is_told_to_a_handle_that_only_reads() {
    let home = Home::new();
    drop(filled(&home, 3));
    let store = Store::open_read_only(home.path()).unwrap();
    store.check_vacuum().unwrap();
    assert!(matches!(store.vacuum(), Err(Error::ReadOnly { .. })));
}

#[test]
fn a_damaged_index_stops_neither_a_prune_nor_a_vacuum() {
    for name in [
        "damaged_fts_leaves_v11.db",
        "damaged_fts_structure_v11.db",
        "damaged_fts_leaves_v22.db",
        "damaged_fts_structure_v22.db",
        "damaged_missing_fts_table_v11.db",
    ] {
        let damaged = fixture(name);
        let store = Store::open(damaged.path()).unwrap();
        let done = store
            .prune(&PruneFilter::new(), &DeleteOptions::new(), &mut |_| {
                ControlFlow::Continue(())
            })
            .unwrap();
        assert!(done.messages > 0, "{name}");
        drop(store);
        let damaged = fixture(name);
        let store = Store::open(damaged.path()).unwrap();
        store.vacuum().unwrap();
        assert_eq!(store.quick_check().unwrap(), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn an_index_is_made_anew_even_if_it_looks_in_order() {
    for name in ["damaged_fts_content_rows_v11.db", "v11.db", "v22.db"] {
        let fixture = fixture(name);
        let store = Store::open(fixture.path()).unwrap();
        let version = store.schema_version();
        let work = store.rebuild_index(&|_| {}).unwrap();
        assert_eq!(work, IndexWork::Done, "{name}");
        assert_eq!(store.schema_version(), version);
        assert_eq!(store.index_trouble(), None);
        drop(store);
        assert_index_whole(fixture.path());
        let store = Store::open(fixture.path()).unwrap();
        assert_eq!(store.quick_check().unwrap(), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn merging_alone_changes_nothing_else() {
    let home = Home::new();
    let store = filled(&home, 300);
    raw(&home.path())
        .execute_batch("DROP INDEX idx_messages_session_id")
        .unwrap();
    let objects = "SELECT COUNT(*) FROM sqlite_master";
    let before: i64 = ask(&home.path(), objects);
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let done = store.merge_index(go_on).unwrap();
    assert_eq!((done.indexes, done.segments_after), (2, Some(2)));
    assert!(!done.index_made);
    assert_eq!(ask::<i64>(&home.path(), objects), before);
    is_whole(&store);
}
