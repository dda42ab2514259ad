//! Taking turns back and bringing them again, and putting a summary in their place.
//!
//! Neither deletes a row. A message that is taken back has `active` 0; one that a compaction has
//! put a summary for has `compacted` 1 besides, stays searchable, and does not come back with what
//! was taken back.

use rusqlite::{named_params, params};
use serde::Serialize;

use crate::append::{NewMessage, tool_calls_charged};
use crate::error::{Error, Result};
use crate::index_rows::{Changing, after_update, before_change, json_list};
use crate::message::{Message, MessageId, one_message};
use crate::record::column;
use crate::replace::{check_for, insert_all};
use crate::store::Store;
use crate::write::{Patience, Tx};

/// What a rewind did. Serialised with the keys of Hermes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rewound {
    /// How many messages were taken back.
    pub rewound_count: u64,
    /// The user's message that the rewind went to, as it was before.
    pub target_message: Message,
    /// The last message that is left, if there is one.
    pub new_head_id: Option<MessageId>,
}

impl Store {
    /// Takes back a user's message and all after it. They stay in the store, inactive; the counts
    /// of the session tell of what is left.
    ///
    /// # Errors
    /// [`Error::Unsupported`] below version 14, [`Error::Invalid`] if the session has no such
    /// message or it is not a user's, and those of every write.
    pub fn rewind_to_message(&self, id: impl AsRef<str>, target: MessageId) -> Result<Rewound> {
        let id = id.as_ref();
        self.write(Patience::Short, |tx| {
            require_active(tx)?;
            let target_message = tx
                .sqlite(|conn| one_message(conn, tx.layout(), target))?
                .filter(|message| message.session_id.as_str() == id)
                .ok_or_else(|| Error::Invalid {
                    what: "message",
                    problem: format!("{target} not found in session {id}"),
                })?;
            if target_message.role != "user" {
                return Err(Error::Invalid {
                    what: "rewind target",
                    problem: format!(
                        "must be a 'user' message (got role='{}', id={target})",
                        target_message.role
                    ),
                });
            }
            let ids = ids(tx, ACTIVE_FROM, id, target)?;
            change(tx, &ids, "UPDATE messages SET active = 0")?;
            if tx.layout().sessions.has("rewind_count") {
                tx.execute(
                    "UPDATE sessions SET rewind_count = COALESCE(rewind_count, 0) + 1 WHERE id = ?1",
                    params![id],
                )?;
            }
            count_anew(tx, id)?;
            let new_head_id = tx.sqlite(|conn| {
                conn.prepare_cached(HEAD)?
                    .query_row([id], |row| row.get::<_, Option<i64>>(0))
            })?;
            Ok(Rewound {
                rewound_count: ids.len() as u64,
                target_message,
                new_head_id: new_head_id.map(MessageId),
            })
        })
    }

    /// Brings back the messages from this id on that a rewind took back, but not those that a
    /// compaction archived, and counts anew. Returns how many.
    ///
    /// # Errors
    /// [`Error::Unsupported`] below version 14, and those of every write.
    pub fn restore_rewound(&self, id: impl AsRef<str>, since: MessageId) -> Result<u64> {
        let id = id.as_ref();
        self.write(Patience::Short, |tx| {
            require_active(tx)?;
            let taken_back = if tx.layout().messages.has("compacted") {
                TAKEN_BACK
            } else {
                TAKEN_BACK_BEFORE_17
            };
            let ids = ids(tx, taken_back, id, since)?;
            if !ids.is_empty() {
                change(tx, &ids, "UPDATE messages SET active = 1")?;
                count_anew(tx, id)?;
            }
            Ok(ids.len() as u64)
        })
    }

    /// Archives all active messages of a session and puts these in their place, in one
    /// transaction. The archived ones stay searchable; the counts tell of the new ones. Returns
    /// the new ids.
    ///
    /// # Errors
    /// [`Error::Unsupported`] below version 17, and as
    /// [`replace_messages`](Self::replace_messages).
    pub fn archive_and_compact(
        &self,
        id: impl AsRef<str>,
        summary: &[NewMessage],
    ) -> Result<Vec<MessageId>> {
        let id = id.as_ref();
        check_for(id, summary)?;
        self.write(Patience::Append, |tx| {
            if !tx.layout().messages.has("compacted") {
                return Err(tx.unsupported("archiving messages", 17));
            }
            require_active(tx)?;
            if !summary.is_empty() {
                tx.require_session(id)?;
            }
            let ids = ids(tx, ACTIVE_FROM, id, MessageId(i64::MIN))?;
            change(tx, &ids, "UPDATE messages SET active = 0, compacted = 1")?;
            insert_all(tx, id, summary, self.now()?)
        })
    }

    /// Whether a session has messages that are not part of its transcript any more, taken back or
    /// archived. Stores below version 14 have none.
    ///
    /// # Errors
    /// Those of every read.
    pub fn has_archived_messages(&self, id: impl AsRef<str>) -> Result<bool> {
        self.read(|conn, layout| {
            if !layout.messages.has("active") {
                return Ok(false);
            }
            conn.prepare_cached("SELECT 1 FROM messages WHERE session_id = ?1 AND active = 0")?
                .exists([id.as_ref()])
        })
    }
}

fn require_active(tx: &Tx<'_>) -> Result<()> {
    if tx.layout().messages.has("active") {
        Ok(())
    } else {
        Err(tx.unsupported("taking messages back", 14))
    }
}

// Whoever added the column later may have left NULL in it, which reads as active.
const ACTIVE_FROM: &str = "SELECT id FROM messages
    WHERE session_id = ?1 AND id >= ?2 AND COALESCE(active, 1) = 1";

const TAKEN_BACK: &str = "SELECT id FROM messages
    WHERE session_id = ?1 AND id >= ?2 AND active = 0 AND COALESCE(compacted, 0) = 0";

const TAKEN_BACK_BEFORE_17: &str = "SELECT id FROM messages
    WHERE session_id = ?1 AND id >= ?2 AND active = 0";

const HEAD: &str = "SELECT MAX(id) FROM messages
    WHERE session_id = ?1 AND COALESCE(active, 1) = 1";

fn ids(tx: &Tx<'_>, sql: &str, session: &str, from: MessageId) -> Result<Vec<MessageId>> {
    tx.sqlite(|conn| {
        conn.prepare_cached(sql)?
            .query_map(params![session, from.0], |row| row.get(0).map(MessageId))?
            .collect()
    })
}

/// Runs an update on these messages and keeps the index right.
fn change(tx: &Tx<'_>, ids: &[MessageId], update: &str) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    before_change(tx, Changing::Ids(ids))?;
    tx.execute(
        &format!("{update} WHERE id IN (SELECT value FROM json_each(?1))"),
        params![json_list(ids)],
    )?;
    after_update(tx, Changing::Ids(ids))
}

/// Sets a session's counts to what its active messages are.
fn count_anew(tx: &Tx<'_>, session: &str) -> Result<()> {
    let (messages, tool_calls) = tx.sqlite(|conn| {
        let mut statement = conn.prepare_cached(
            "SELECT tool_calls FROM messages
             WHERE session_id = ?1 AND COALESCE(active, 1) = 1",
        )?;
        let mut rows = statement.query([session])?;
        let mut counts = (0_i64, 0_i64);
        while let Some(row) = rows.next()? {
            counts.0 += 1;
            counts.1 += tool_calls_charged(column::<Option<_>>(row, 0)?.as_ref());
        }
        Ok(counts)
    })?;
    tx.execute(
        "UPDATE sessions SET message_count = :messages, tool_call_count = :tool_calls
         WHERE id = :id",
        named_params! { ":messages": messages, ":tool_calls": tool_calls, ":id": session },
    )?;
    Ok(())
}
