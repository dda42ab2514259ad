//! Handing a session over to another platform: asked for, taken up, and done or failed.

use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use crate::error::Result;
use crate::record::column;
use crate::session::Session;
use crate::store::Store;
use crate::write::Patience;

/// How a session's handoff stands. Serialised with the keys of Hermes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Handoff {
    /// `pending`, `running`, `completed` or `failed`; `None` if there was none.
    pub state: Option<String>,
    /// The platform it goes to.
    pub platform: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
}

/// As much as is kept of an error.
const ERROR_CHARS: usize = 500;

impl Store {
    /// Asks for a handoff. False if one is pending or running, or there is no such session.
    ///
    /// # Errors
    /// Those of every write.
    pub fn request_handoff(&self, id: impl AsRef<str>, platform: &str) -> Result<bool> {
        self.change_handoff(
            "UPDATE sessions
             SET handoff_state = 'pending', handoff_platform = ?2, handoff_error = NULL
             WHERE id = ?1
                 AND (handoff_state IS NULL OR handoff_state IN ('completed', 'failed'))",
            id.as_ref(),
            Some(platform),
        )
    }

    /// Takes up a pending handoff; of several processes that try, one succeeds.
    ///
    /// # Errors
    /// Those of every write.
    pub fn claim_handoff(&self, id: impl AsRef<str>) -> Result<bool> {
        self.change_handoff(
            "UPDATE sessions SET handoff_state = 'running'
             WHERE id = ?1 AND handoff_state = 'pending'",
            id.as_ref(),
            None,
        )
    }

    /// Marks a handoff as done, whatever it was before. False if there is no such session.
    ///
    /// # Errors
    /// Those of every write.
    pub fn complete_handoff(&self, id: impl AsRef<str>) -> Result<bool> {
        self.change_handoff(
            "UPDATE sessions SET handoff_state = 'completed', handoff_error = NULL WHERE id = ?1",
            id.as_ref(),
            None,
        )
    }

    /// Marks a handoff as failed, whatever it was before; the first 500 characters of the error
    /// are kept. False if there is no such session.
    ///
    /// # Errors
    /// Those of every write.
    pub fn fail_handoff(&self, id: impl AsRef<str>, error: &str) -> Result<bool> {
        let error: String = error.chars().take(ERROR_CHARS).collect();
        self.change_handoff(
            "UPDATE sessions SET handoff_state = 'failed', handoff_error = ?2 WHERE id = ?1",
            id.as_ref(),
            Some(&error),
        )
    }

    /// How a session's handoff stands; `None` if there is no such session.
    ///
    /// # Errors
    /// Those of every read.
    pub fn handoff(&self, id: impl AsRef<str>) -> Result<Option<Handoff>> {
        self.read(|conn, layout| {
            let columns = if layout.sessions.has("handoff_state") {
                "handoff_state, handoff_platform, handoff_error"
            } else {
                "NULL, NULL, NULL"
            };
            conn.prepare_cached(&format!("SELECT {columns} FROM sessions WHERE id = ?1"))?
                .query_row([id.as_ref()], |row| {
                    Ok(Handoff {
                        state: column(row, 0)?,
                        platform: column(row, 1)?,
                        error: column(row, 2)?,
                    })
                })
                .optional()
        })
    }

    /// The sessions with a pending handoff, the oldest first.
    ///
    /// # Errors
    /// Those of every read.
    pub fn pending_handoffs(&self) -> Result<Vec<Session>> {
        self.read(|conn, layout| {
            if !layout.sessions.has("handoff_state") {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT {} FROM sessions s WHERE s.handoff_state = 'pending'
                 ORDER BY s.started_at, s.id",
                layout.sessions.select
            );
            conn.prepare_cached(&sql)?
                .query_map([], |row| Session::read(row, &layout.sessions.extra))?
                .collect()
        })
    }

    /// Runs an update whose first parameter is the session, and its second, if any, a text.
    fn change_handoff(&self, sql: &str, id: &str, text: Option<&str>) -> Result<bool> {
        self.write(Patience::Short, |tx| {
            let changed = match text {
                Some(text) => tx.execute(sql, params![id, text])?,
                None => tx.execute(sql, params![id])?,
            };
            Ok(changed > 0)
        })
    }
}
