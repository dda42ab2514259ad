//! Putting other messages in the place of a session's, and taking them away.

use rusqlite::{named_params, params};

use crate::append::{NewMessage, check_times, insert};
use crate::error::{Error, Result};
use crate::index_rows::{Changing, before_change};
use crate::message::MessageId;
use crate::store::Store;
use crate::write::{Patience, Tx};

/// Default times of messages that are stored at once differ by this many seconds.
const TICK: f64 = 1e-6;

const SET_COUNTERS: &str = "UPDATE sessions
    SET message_count = :messages, tool_call_count = :tool_calls
    WHERE id = :id";

impl Store {
    /// Puts these messages in the place of all that a session has, in one transaction, and counts
    /// anew. A message without a time gets the present one, each a microsecond later than the one
    /// before. Reasoning is kept of assistants only. Returns the new ids.
    ///
    /// # Errors
    /// [`Error::UnknownSession`] (not for an empty list), [`Error::Invalid`] for a message of
    /// another session, [`Error::Unsupported`] for a field that the store has no column for, and
    /// those of every write.
    pub fn replace_messages(
        &self,
        id: impl AsRef<str>,
        messages: &[NewMessage],
    ) -> Result<Vec<MessageId>> {
        self.replace(id.as_ref(), messages, delete_all)
    }

    /// [`replace_messages`](Self::replace_messages) that keeps messages which are not part of the
    /// transcript: taken back by a rewind, or archived by a compaction. The counters then tell of
    /// the new messages. A store without such messages loses all, as it holds no others.
    ///
    /// # Errors
    /// As [`replace_messages`](Self::replace_messages).
    pub fn replace_active_messages(
        &self,
        id: impl AsRef<str>,
        messages: &[NewMessage],
    ) -> Result<Vec<MessageId>> {
        self.replace(id.as_ref(), messages, |tx, id| {
            if tx.layout().messages.has("active") {
                delete_active(tx, id)
            } else {
                delete_all(tx, id)
            }
        })
    }

    /// Deletes all messages of a session and sets its counts of messages and tool calls to zero.
    /// Nothing happens to an unknown one.
    ///
    /// # Errors
    /// Those of every write.
    pub fn clear_messages(&self, id: impl AsRef<str>) -> Result<()> {
        self.replace_messages(id, &[]).map(drop)
    }

    fn replace(
        &self,
        id: &str,
        messages: &[NewMessage],
        delete: impl Fn(&Tx<'_>, &str) -> Result<()>,
    ) -> Result<Vec<MessageId>> {
        check_for(id, messages)?;
        self.write(Patience::Append, |tx| {
            if !messages.is_empty() {
                tx.require_session(id)?;
            }
            delete(tx, id)?;
            insert_all(tx, id, messages, self.now()?)
        })
    }
}

/// Fails if one of the messages cannot be stored for this session.
pub(crate) fn check_for(id: &str, messages: &[NewMessage]) -> Result<()> {
    check_times(messages)?;
    match messages.iter().find(|m| m.session_id().as_str() != id) {
        None => Ok(()),
        Some(other) => Err(Error::Invalid {
            what: "a message",
            problem: format!("is of session `{}`, not `{id}`", other.session_id()),
        }),
    }
}

/// Stores the messages as all that the session's counters tell of.
pub(crate) fn insert_all(
    tx: &Tx<'_>,
    id: &str,
    messages: &[NewMessage],
    now: f64,
) -> Result<Vec<MessageId>> {
    let mut ids = Vec::with_capacity(messages.len());
    let mut tool_calls = 0_i64;
    let mut time = now;
    for message in messages {
        let message = message.in_place_of_others();
        ids.push(insert(tx, &message, message.given_time().unwrap_or(time))?);
        tool_calls = tool_calls.saturating_add(message.tool_call_count());
        time += TICK;
    }
    tx.execute(
        SET_COUNTERS,
        named_params! {
            ":messages": i64::try_from(ids.len()).unwrap_or(i64::MAX),
            ":tool_calls": tool_calls,
            ":id": id,
        },
    )?;
    Ok(ids)
}

fn delete_all(tx: &Tx<'_>, id: &str) -> Result<()> {
    before_change(tx, Changing::Session(id))?;
    tx.execute("DELETE FROM messages WHERE session_id = ?1", params![id])?;
    Ok(())
}

fn delete_active(tx: &Tx<'_>, id: &str) -> Result<()> {
    before_change(tx, Changing::Session(id))?;
    tx.execute(
        "DELETE FROM messages WHERE session_id = ?1 AND COALESCE(active, 1) = 1",
        params![id],
    )?;
    Ok(())
}
