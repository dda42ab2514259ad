//! What went to the model's API in place of what the user said.

use rusqlite::{OptionalExtension, params};

use crate::content::Content;
use crate::error::Result;
use crate::index_rows::{Changing, after_update, before_change};
use crate::message::{MessageId, active_only};
use crate::record::column;
use crate::store::Store;
use crate::write::Patience;

impl Store {
    /// Notes for the last active message of a user what went to the model in its place, if its
    /// content is the given one. Returns whether it was.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) below version 22, and those of every
    /// write.
    pub fn set_latest_user_api_content(
        &self,
        session: impl AsRef<str>,
        content: Option<&Content>,
        api_content: Option<&str>,
    ) -> Result<bool> {
        self.write(Patience::Short, |tx| {
            if !tx.layout().messages.has("api_content") {
                return Err(tx.unsupported("api_content", 22));
            }
            let sql = format!(
                "SELECT m.id, m.content FROM messages m
                 WHERE m.session_id = ?1 AND m.role = 'user' {}
                 ORDER BY m.id DESC LIMIT 1",
                active_only(tx.layout())
            );
            let latest = tx.sqlite(|conn| {
                conn.prepare_cached(&sql)?
                    .query_row([session.as_ref()], |row| {
                        Ok((
                            column::<MessageId>(row, 0)?,
                            column::<Option<Content>>(row, 1)?,
                        ))
                    })
                    .optional()
            })?;
            let id = match latest {
                Some((id, said)) if same(said.as_ref(), content) => id,
                _ => return Ok(false),
            };
            before_change(tx, Changing::Ids(&[id]))?;
            tx.execute(
                "UPDATE messages SET api_content = ?2 WHERE id = ?1",
                params![id.0, api_content],
            )?;
            after_update(tx, Changing::Ids(&[id]))?;
            Ok(true)
        })
    }
}

/// Python escapes in JSON what we do not, so structured content is compared by its value.
fn same(stored: Option<&Content>, given: Option<&Content>) -> bool {
    match (stored, given) {
        (Some(Content::Json(stored)), Some(Content::Json(given))) => {
            stored == given || stored.value().is_some_and(|v| Some(v) == given.value())
        }
        _ => stored == given,
    }
}
