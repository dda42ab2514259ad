//! Appending to a conversation that may have gone on in another session.

use std::collections::HashSet;

use rusqlite::Connection;

use crate::append::{NewMessage, append, check_times};
use crate::error::{Error, Result};
use crate::message::MessageId;
use crate::schema::{Layout, NATIVE_VERSION};
use crate::session::SessionId;
use crate::store::Store;
use crate::write::Patience;

impl Store {
    /// [`append_message`](Self::append_message) to the session that the message's session goes on
    /// in after its compression, or to itself if it does not. Says which one it was.
    ///
    /// # Errors
    /// [`Error::AmbiguousContinuation`] if a compression has several continuations, and as
    /// [`append_message`](Self::append_message).
    pub fn append_following(&self, message: &NewMessage) -> Result<(SessionId, MessageId)> {
        check_times(std::slice::from_ref(message))?;
        self.write(Patience::Append, |tx| {
            let mut id = message.session_id().as_str().to_owned();
            let mut seen = HashSet::new();
            while seen.insert(id.clone()) {
                let next = tx.sqlite(|conn| continuations(conn, tx.layout(), &id))?;
                match next.as_slice() {
                    [] => break,
                    [only] => id.clone_from(only),
                    _ => {
                        return Err(Error::AmbiguousContinuation {
                            id,
                            continuations: next,
                        });
                    }
                }
            }
            let message = message.for_session(&id);
            let appended = append(tx, &message, self.now()?)?;
            Ok((SessionId::new(id), appended))
        })
    }
}

/// The sessions that a compressed session goes on in: by marks in newer stores, by time in those
/// of version 11.
fn continuations(conn: &Connection, layout: &Layout, id: &str) -> rusqlite::Result<Vec<String>> {
    let rule = if layout.version > NATIVE_VERSION {
        "c.source != 'tool' AND NOT (CASE WHEN json_valid(c.model_config) THEN
             COALESCE(json_extract(c.model_config, '$._branched_from'), '') != ''
             OR COALESCE(json_extract(c.model_config, '$._delegate_from'), '') != ''
         ELSE 0 END)"
    } else {
        "c.started_at >= p.ended_at"
    };
    let sql = format!(
        "SELECT c.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id
         WHERE p.id = ?1 AND p.end_reason = 'compression' AND c.id != p.id AND {rule}
         ORDER BY c.started_at, c.id"
    );
    conn.prepare_cached(&sql)?
        .query_map([id], |row| row.get(0))?
        .collect()
}
