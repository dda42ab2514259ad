//! A writer that is killed at any moment has lost nothing that it had reported.

use rand::RngExt;

use crate::support::child::{WHOLE, spawn};
use crate::support::{Home, assert_index_whole, found, messages_of};
use hermes_state::Store;

#[test]
fn every_message_that_a_killed_writer_had_reported_is_there() {
    let home = Home::new();
    let path = home.path();
    let mut reported: Vec<(String, i64, String)> = Vec::new();
    for round in 0..20 {
        let session = format!("round{round}");
        let mut writer = spawn("append", &[path.to_str().unwrap(), &session, "1000000"]);
        assert_eq!(writer.line().as_deref(), Some("ready"));
        writer.go();
        let wait_for = rand::rng().random_range(0..25);
        for _ in 0..wait_for {
            let line = writer.line().unwrap();
            reported.push(parsed(&session, &line).unwrap());
        }
        // Somewhere within the next messages.
        let spins = rand::rng().random_range(0..200_000);
        for n in 0..spins {
            std::hint::black_box(n);
        }
        writer.kill();
        let (rest, well) = writer.finish();
        assert!(!well);
        reported.extend(rest.iter().filter_map(|line| parsed(&session, line)));

        // What is left opens as it is: nothing has to be put right.
        let store = Store::open_read_only(&path).unwrap();
        assert_eq!(store.index_trouble(), None, "round {round}");
        drop(store);
        let store = Store::open(&path).unwrap();
        let messages = messages_of(&store, &session);
        let count = store.session(&session).unwrap().unwrap().message_count;
        assert_eq!(count, Some(messages.len() as i64));
        assert!(messages.len() >= wait_for);
    }
    let store = Store::open(&path).unwrap();
    for (session, id, text) in &reported {
        let messages = messages_of(&store, session);
        let message = messages.iter().find(|m| m.id.0 == *id).unwrap();
        assert_eq!(message.content, Some(text.as_str().into()));
    }
    assert!(reported.len() > 20, "{}", reported.len());
    let stored = store.info().unwrap().messages;
    assert_eq!(found(&store, "planted").len() as u64, stored);
    drop(store);
    assert_index_whole(&path);
}

#[test]
fn lin_03_a_compaction_that_is_killed_leaves_the_old_messages_or_the_new_ones() {
    let fixture = testdata::fixture("v22.db");
    let path = fixture.path();
    Store::open(path).unwrap().ensure_session("s").unwrap();
    for round in 0..10 {
        let mut compacting = spawn("compact", &[path.to_str().unwrap(), "s"]);
        assert_eq!(compacting.line().as_deref(), Some("compacted"));
        let spins = rand::rng().random_range(0..2_000_000);
        for n in 0..spins {
            std::hint::black_box(n);
        }
        compacting.kill();
        drop(compacting);

        let store = Store::open(path).unwrap();
        let live = messages_of(&store, "s");
        assert_eq!(live.len(), 5, "round {round}");
        assert!(live.iter().all(|m| m.content == live[0].content));
        let count = store.session("s").unwrap().unwrap().message_count;
        assert_eq!(count, Some(5));
    }
}

/// Session, id and text of a line that came whole.
fn parsed(session: &str, line: &str) -> Option<(String, i64, String)> {
    let (id, text) = line.strip_suffix(WHOLE)?.split_once(' ')?;
    Some((session.to_owned(), id.parse().unwrap(), text.to_owned()))
}
