//! SQLite's own limit: the same tables, triggers, settings and prepared statements, and nothing
//! else.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, params};

use crate::workload::Text;

const TABLES: &str = include_str!("../../src/schema/v11.sql");
const INDEX_TABLES: &str = include_str!("../../src/schema/index_tables_v11.sql");
const INDEX_TRIGGERS: &str = include_str!("../../src/schema/index_triggers_v11.sql");

const INSERT: &str = "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls,
    tool_name, timestamp, token_count, finish_reason, reasoning, reasoning_content,
    reasoning_details, codex_reasoning_items, codex_message_items)
    VALUES (?1, ?2, ?3, NULL, ?4, ?5, ?6, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";

const COUNT: &str = "UPDATE sessions SET message_count = message_count + 1,
    tool_call_count = tool_call_count + ?1 WHERE id = ?2";

pub(crate) struct Bare(pub(crate) Connection);

impl Bare {
    pub(crate) fn open(path: &Path, synchronous: &str) -> Bare {
        let new = !path.exists();
        let conn = Connection::open(path).unwrap();
        conn.busy_timeout(Duration::from_secs(1)).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        conn.pragma_update(None, "synchronous", synchronous)
            .unwrap();
        conn.pragma_update(None, "foreign_keys", true).unwrap();
        conn.pragma_update(None, "secure_delete", "FAST").unwrap();
        conn.pragma_update(None, "cache_size", -(16 << 10)).unwrap();
        conn.pragma_update(None, "temp_store", "MEMORY").unwrap();
        if new {
            conn.execute_batch(TABLES).unwrap();
            conn.execute_batch(INDEX_TABLES).unwrap();
            conn.execute_batch(INDEX_TRIGGERS).unwrap();
        }
        Bare(conn)
    }

    pub(crate) fn ensure(&self, session: &str) {
        self.0
            .execute(
                "INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES (?1, 'cli', 1.7e9)",
                [session],
            )
            .unwrap();
    }

    /// One transaction for these messages.
    pub(crate) fn append(&self, session: &str, texts: &[Text], now: f64) -> rusqlite::Result<()> {
        self.0.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for text in texts {
            self.0.prepare_cached(INSERT)?.execute(params![
                session,
                text.role,
                text.content,
                text.tool_calls,
                text.tool_name,
                now
            ])?;
            self.0
                .prepare_cached(COUNT)?
                .execute(params![i64::from(text.tool_calls.is_some()), session])?;
        }
        self.0.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }
}
