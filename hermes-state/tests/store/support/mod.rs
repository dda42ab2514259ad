//! What several of the tests need.

pub(crate) mod child;
pub(crate) mod journal;
pub(crate) mod newer;
pub(crate) mod python;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hermes_state::{
    ExportOptions, ImportReport, ListOptions, Message, MessagePage, NewMessage, NewSession,
    SearchOptions, SessionSummary, Store, StoreOptions,
};
use tempfile::TempDir;

/// A folder for one store, gone when this is dropped.
pub(crate) struct Home {
    dir: TempDir,
}

impl Home {
    pub(crate) fn new() -> Home {
        let dir = tempfile::tempdir().unwrap();
        Home { dir }
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Where its store is, or would be.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("state.db")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(self.path()).unwrap()
    }

    /// A store whose clock stands still.
    pub(crate) fn store_at(&self, now: f64) -> Store {
        StoreOptions::new()
            .clock(move || now)
            .open(self.path())
            .unwrap()
    }
}

/// A connection of our own, behind the store's back.
pub(crate) fn raw(path: &Path) -> rusqlite::Connection {
    let conn = rusqlite::Connection::open(path).unwrap();
    conn.busy_timeout(std::time::Duration::from_secs(10))
        .unwrap();
    conn
}

/// One value of a query on a connection of our own.
pub(crate) fn ask<T: rusqlite::types::FromSql>(path: &Path, sql: &str) -> T {
    raw(path).query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A database and its write-ahead log, byte by byte. The `-shm` file is no content.
pub(crate) fn content_of(path: &Path) -> BTreeMap<&'static str, Option<Vec<u8>>> {
    ["", "-wal"]
        .into_iter()
        .map(|suffix| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            // An empty log is as good as none.
            (
                suffix,
                fs::read(name)
                    .ok()
                    .filter(|bytes| suffix.is_empty() || !bytes.is_empty()),
            )
        })
        .collect()
}

pub(crate) fn list_all(store: &Store) -> Vec<SessionSummary> {
    let mut options = ListOptions::default();
    options.limit = usize::MAX;
    options.include_children = true;
    store.list_sessions(&options).unwrap()
}

/// All messages of a session, page by page.
pub(crate) fn messages_of(store: &Store, id: &str) -> Vec<Message> {
    let mut all = Vec::new();
    let mut page = MessagePage::default();
    loop {
        let messages = store.messages(id, page).unwrap();
        let Some(last) = messages.last() else {
            return all;
        };
        page.after = Some(last.id);
        all.extend(messages);
    }
}

/// A store with these messages in one session, ids from 1.
pub(crate) fn with_messages(home: &Home, texts: &[&str]) -> Store {
    let store = home.store();
    store
        .create_session(&NewSession::new("s", "cli").started_at(1.0))
        .unwrap();
    let messages: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| {
            NewMessage::new("s", "user")
                .content(*text)
                .timestamp(n as f64)
        })
        .collect();
    store.append_messages(&messages).unwrap();
    store
}

/// The ids that a query finds, in order.
pub(crate) fn found(store: &Store, query: &str) -> Vec<i64> {
    let mut options = SearchOptions::new(query);
    options.limit = usize::MAX;
    let results = store.search(&options).unwrap();
    results.matches.iter().map(|hit| hit.id.0).collect()
}

pub(crate) fn export(store: &Store) -> String {
    let mut out = Vec::new();
    store
        .export(&ExportOptions::default(), &mut out, &mut |_| {})
        .unwrap();
    String::from_utf8(out).unwrap()
}

pub(crate) fn import(store: &Store, text: impl AsRef<[u8]>) -> ImportReport {
    store.import(&mut text.as_ref(), &mut |_| {}).unwrap()
}

/// Fails unless both indexes hold exactly the messages, by SQLite's own check and by their ids.
pub(crate) fn assert_index_whole(path: &Path) {
    let conn = raw(path);
    for table in ["messages_fts", "messages_fts_trigram"] {
        conn.execute_batch(&format!(
            "INSERT INTO {table}({table}) VALUES('integrity-check')"
        ))
        .unwrap_or_else(|e| panic!("{table}: {e}"));
        let only_in = |one: &str, other: &str| -> i64 {
            let sql = format!(
                "SELECT COUNT(*) FROM (SELECT id FROM {one} EXCEPT SELECT id FROM {other})"
            );
            conn.query_row(&sql, [], |row| row.get(0)).unwrap()
        };
        let docsize = format!("{table}_docsize");
        let odd = only_in("messages", &docsize) + only_in(&docsize, "messages");
        assert_eq!(odd, 0, "{table} and messages hold different ids");
    }
    let check: String = conn
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}

/// What a reviewed list of differences says must be what there is: no more, and no less.
pub(crate) fn assert_reviewed(differing: &BTreeMap<String, String>, reviewed: &[(&str, &str)]) {
    let unlisted: Vec<_> = differing
        .iter()
        .filter(|(id, _)| !reviewed.iter().any(|(listed, _)| listed == id))
        .map(|(id, how)| format!("{id}: {how}"))
        .collect();
    assert!(unlisted.is_empty(), "differ:\n{}", unlisted.join("\n"));
    let stale: Vec<_> = reviewed
        .iter()
        .filter(|(id, _)| !differing.contains_key(*id))
        .collect();
    assert!(stale.is_empty(), "no longer differ: {stale:#?}");
}
