//! Counts of matches agree with the matches, by whatever way they are counted.

use std::collections::BTreeMap;

use hermes_state::{Collapse, NewMessage, NewSession, SearchOptions, Store};
use testdata::fixture;

use crate::support::{Home, newer, raw};

/// A query for each way of looking it up: the word index, the trigram index, the rows.
const WAYS: [&str; 3] = ["quokka", "山水画", "山水"];
const TEXT: &str = "quokka 山水画册";

/// So many messages that they are not looked up one by one.
const MANY: usize = 2_400;

/// Sessions with the id of a root before the dot, and messages in turn.
fn plant(store: &Store) {
    for (id, parent, source) in [
        ("a", None, "cli"),
        ("a.1", Some("a"), "cli"),
        ("b", None, "telegram"),
        ("b.1", Some("b"), "cron"),
        ("c", None, "cli"),
    ] {
        let mut new = NewSession::new(id, source).started_at(1.0);
        if let Some(parent) = parent {
            new = new.parent(parent);
        }
        store.create_session(&new).unwrap();
    }
    let ids = ["a", "b", "a.1", "a", "b.1", "a"];
    let messages: Vec<NewMessage> = (0..MANY)
        .map(|n| {
            let role = if n % 7 == 0 { "assistant" } else { "user" };
            let text = if n % 100 == 3 { "other" } else { TEXT };
            let time = (n * 7919 % MANY) as f64;
            NewMessage::new(ids[n % ids.len()], role)
                .content(text)
                .timestamp(time)
        })
        .collect();
    store.append_messages(&messages).unwrap();
}

fn assert_totals(store: &Store, options: &SearchOptions) {
    let whole = store.search(&options.clone().limit(usize::MAX)).unwrap();
    let mut by_session: BTreeMap<String, u64> = BTreeMap::new();
    for found in &whole.matches {
        *by_session.entry(found.session_id.to_string()).or_default() += 1;
    }
    let count = |by: Collapse| {
        store
            .search_count(&options.clone().collapse(by))
            .unwrap()
            .count
    };
    assert_eq!(
        count(Collapse::Off),
        whole.matches.len() as u64,
        "{options:?}"
    );
    assert_eq!(
        count(Collapse::Session),
        by_session.len() as u64,
        "{options:?}"
    );
    let groups = |by: Collapse| {
        let groups = store
            .search_groups(&options.clone().collapse(by))
            .unwrap()
            .groups;
        let order: Vec<_> = groups
            .iter()
            .map(|g| (std::cmp::Reverse(g.matches), g.id.as_str()))
            .collect();
        assert!(order.is_sorted(), "{order:?}");
        let each = groups
            .iter()
            .map(|group| (group.id.to_string(), group.matches));
        each.collect::<BTreeMap<_, _>>()
    };
    assert_eq!(groups(Collapse::Session), by_session, "{options:?}");
    assert_eq!(groups(Collapse::Off), by_session);
    let mut by_lineage: BTreeMap<String, u64> = BTreeMap::new();
    for (session, matches) in &by_session {
        let root = session.split('.').next().unwrap();
        *by_lineage.entry(root.to_owned()).or_default() += matches;
    }
    assert_eq!(groups(Collapse::Lineage), by_lineage);
    // The first of each group says how many more there are.
    for (by, expected) in [
        (Collapse::Session, by_session),
        (Collapse::Lineage, by_lineage),
    ] {
        let collapsed = store
            .search(&options.clone().collapse(by).limit(99))
            .unwrap()
            .matches;
        let further = collapsed.iter().map(|found| {
            let id = found.lineage.as_ref().unwrap_or(&found.session_id);
            (id.to_string(), found.further.unwrap() + 1)
        });
        assert_eq!(further.collect::<BTreeMap<_, _>>(), expected, "{options:?}");
    }
}

fn assert_all_totals(store: &Store) {
    for query in WAYS {
        let new = || SearchOptions::new(query).context(0);
        for options in [
            new(),
            new().source("cli"),
            new().exclude_source("cron"),
            new().role("assistant"),
            new().session("a"),
            new().session("nobody"),
            new().exclude_lineage("b"),
            new().since(1_000.0).until(2_300.0).source("telegram"),
        ] {
            assert_totals(store, &options);
        }
    }
}

#[test]
fn counts_agree_with_the_matches() {
    let home = Home::new();
    let store = home.store();
    plant(&store);
    assert_all_totals(&store);
    // Messages whose session is gone are no matches.
    raw(&home.path())
        .execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM sessions WHERE id = 'a.1'")
        .unwrap();
    assert_totals(&store, &SearchOptions::new("quokka").context(0));
}

#[test]
fn counts_agree_where_messages_can_be_taken_back() {
    let file = newer::empty_v22();
    let store = Store::open(file.path()).unwrap();
    plant(&store);
    raw(file.path())
        .execute_batch("UPDATE messages SET active = 0 WHERE id % 5 = 0; UPDATE messages SET compacted = 1 WHERE id % 10 = 0")
        .unwrap();
    assert_all_totals(&store);
    assert_totals(
        &store,
        &SearchOptions::new("quokka").context(0).include_inactive(),
    );
}

#[test]
fn counts_agree_without_an_index() {
    let file = fixture("damaged_missing_fts_table_v11.db");
    let store = Store::open_read_only(file.path()).unwrap();
    let options = SearchOptions::new("zebra");
    let count = store.search_count(&options).unwrap();
    assert!(count.degraded && count.count > 0);
    let groups = store.search_groups(&options).unwrap();
    assert!(groups.degraded);
    assert_eq!(
        groups.groups.iter().map(|group| group.matches).sum::<u64>(),
        count.count
    );
}
