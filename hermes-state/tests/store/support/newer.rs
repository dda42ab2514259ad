//! A store of version 22 without rows, and sessions as other programs leave them.

use std::path::Path;

use hermes_state::{NewMessage, NewSession, Store, StoreOptions};
use rusqlite::config::DbConfig;
use rusqlite::params;
use testdata::Fixture;

use super::raw;

/// The recorded store of version 22, emptied.
pub(crate) fn empty_v22() -> Fixture {
    let fixture = testdata::fixture("v22.db");
    let conn = raw(fixture.path());
    // The triggers of this SQLite and the index of Python's older one do not agree about NULs.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
        .unwrap();
    conn.execute_batch(
        "UPDATE sessions SET parent_session_id = NULL;
         DELETE FROM messages; DELETE FROM session_model_usage; DELETE FROM sessions;
         DELETE FROM messages_fts_content; DELETE FROM messages_fts_trigram_content;
         INSERT INTO messages_fts(messages_fts) VALUES('rebuild');
         INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES('rebuild');",
    )
    .unwrap();
    fixture
}

/// A store whose clock stands still.
pub(crate) fn open_at(path: &Path, now: f64) -> Store {
    StoreOptions::new().clock(move || now).open(path).unwrap()
}

/// A session to be planted: what it is called and what a test says about it.
#[derive(Default)]
pub(crate) struct Planted<'a> {
    pub(crate) id: &'a str,
    pub(crate) parent: Option<&'a str>,
    pub(crate) source: Option<&'a str>,
    pub(crate) started: f64,
    pub(crate) ended: Option<(f64, &'a str)>,
    pub(crate) model_config: Option<&'a str>,
    pub(crate) title: Option<&'a str>,
    /// The times of its user messages.
    pub(crate) messages: &'a [f64],
}

impl Planted<'_> {
    pub(crate) fn into(self, store: &Store) {
        let mut new =
            NewSession::new(self.id, self.source.unwrap_or("cli")).started_at(self.started);
        if let Some(parent) = self.parent {
            new = new.parent(parent);
        }
        store.create_session(&new).unwrap();
        raw(store.path())
            .execute(
                "UPDATE sessions SET ended_at = ?2, end_reason = ?3, model_config = ?4, title = ?5
                 WHERE id = ?1",
                params![
                    self.id,
                    self.ended.map(|end| end.0),
                    self.ended.map(|end| end.1),
                    self.model_config,
                    self.title
                ],
            )
            .unwrap();
        for time in self.messages {
            let message = NewMessage::new(self.id, "user").content(format!("said in {}", self.id));
            store.append_message(&message.timestamp(*time)).unwrap();
        }
    }
}
