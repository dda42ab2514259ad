//! Realistic queries: each finds the message that was planted for it.

use std::collections::{BTreeMap, BTreeSet};

use hermes_state::{MessageId, NewMessage, NewSession, SearchOptions, Store};

use crate::support::Home;

/// A store with each text of the corpus as a message, and which message holds which text.
fn planted(home: &Home, texts: &BTreeSet<String>) -> (Store, BTreeMap<String, MessageId>) {
    let store = home.store();
    let session = NewSession::new("corpus", "cli").started_at(1.0);
    store.create_session(&session).unwrap();
    let messages: Vec<_> = texts
        .iter()
        .map(|text| NewMessage::new("corpus", "user").content(text.as_str()))
        .collect();
    let ids = store.append_messages(&messages).unwrap();
    (store, texts.iter().cloned().zip(ids).collect())
}

#[test]
fn every_realistic_query_finds_its_message_and_not_everything() {
    let corpus = testdata::queries();
    let text = |query: &serde_json::Value, field: &str| query[field].as_str().unwrap().to_owned();
    let texts: BTreeSet<String> = corpus.iter().map(|query| text(query, "text")).collect();
    let home = Home::new();
    let (store, ids) = planted(&home, &texts);
    let mut wrong = Vec::new();
    for query in &corpus {
        let (id, typed) = (text(query, "id"), text(query, "query"));
        let mut options = SearchOptions::new(&typed);
        options.limit = texts.len();
        let results = store.search(&options).unwrap();
        assert!(!results.degraded, "{id}");
        let wanted = ids[&text(query, "text")];
        let found = results.matches.iter().any(|found| found.id == wanted);
        if !found {
            wrong.push(format!(
                "{id}: {typed:?} does not find {:?}; it is read as\n{}",
                text(query, "text"),
                hermes_fts::sanitize(&typed).explain()
            ));
        }
        if results.matches.len() > texts.len() / 4 {
            wrong.push(format!("{id}: {typed:?} finds {}", results.matches.len()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
