//! Topics of private Telegram chats: whether a chat uses them, and which session each one holds.
//!
//! The tables are not part of every store. The first write makes them, or brings those of an older
//! release to the present form, in the transaction of that write.

use rusqlite::{Connection, Row, named_params, params};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::list::{SessionSummary, read_summary, summary_columns};
use crate::meta::{self, has_table, set_meta};
use crate::record::column;
use crate::session::SessionId;
use crate::store::Store;
use crate::write::{Patience, Tx};

/// A chat that is to use topics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicMode {
    chat_id: String,
    user_id: String,
    has_topics_enabled: Option<bool>,
    allows_users_to_create_topics: Option<bool>,
}

impl TopicMode {
    /// This chat of this user.
    pub fn new(chat_id: impl Into<String>, user_id: impl Into<String>) -> TopicMode {
        TopicMode {
            chat_id: chat_id.into(),
            user_id: user_id.into(),
            has_topics_enabled: None,
            allows_users_to_create_topics: None,
        }
    }

    /// Sets whether the bot has topics switched on, as Telegram says.
    #[must_use]
    pub fn has_topics_enabled(mut self, enabled: bool) -> TopicMode {
        self.has_topics_enabled = Some(enabled);
        self
    }

    /// Sets whether users may create topics, as Telegram says.
    #[must_use]
    pub fn allows_users_to_create_topics(mut self, allowed: bool) -> TopicMode {
        self.allows_users_to_create_topics = Some(allowed);
        self
    }
}

/// A topic and the session that it holds. Serialised with the columns of Hermes as keys.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopicBinding {
    /// The chat.
    pub chat_id: String,
    /// The topic in it.
    pub thread_id: String,
    /// The user whose chat it is.
    pub user_id: String,
    /// The gateway's key of the session.
    pub session_key: String,
    /// The session.
    pub session_id: SessionId,
    /// Who manages the topic: `auto` by default.
    pub managed_mode: String,
    /// When the topic was bound first, seconds since the epoch. The store sets it.
    pub linked_at: f64,
    /// When the binding changed last, seconds since the epoch. The store sets it.
    pub updated_at: f64,
}

impl TopicBinding {
    /// A binding to be made.
    pub fn new(
        chat_id: impl Into<String>,
        thread_id: impl Into<String>,
        user_id: impl Into<String>,
        session_key: impl Into<String>,
        session_id: impl Into<SessionId>,
    ) -> TopicBinding {
        TopicBinding {
            chat_id: chat_id.into(),
            thread_id: thread_id.into(),
            user_id: user_id.into(),
            session_key: session_key.into(),
            session_id: session_id.into(),
            managed_mode: "auto".to_owned(),
            linked_at: 0.0,
            updated_at: 0.0,
        }
    }

    /// Sets who manages the topic.
    #[must_use]
    pub fn managed_mode(mut self, mode: impl Into<String>) -> TopicBinding {
        self.managed_mode = mode.into();
        self
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<TopicBinding> {
        Ok(TopicBinding {
            chat_id: column(row, 0)?,
            thread_id: column(row, 1)?,
            user_id: column(row, 2)?,
            session_key: column(row, 3)?,
            session_id: column(row, 4)?,
            managed_mode: column(row, 5)?,
            linked_at: column(row, 6)?,
            updated_at: column(row, 7)?,
        })
    }
}

const BINDING: &str = "SELECT chat_id, thread_id, user_id, session_key, session_id, managed_mode,
    linked_at, updated_at FROM telegram_dm_topic_bindings";

const MODES: &str = "telegram_dm_topic_mode";
const BINDINGS: &str = "telegram_dm_topic_bindings";

impl Store {
    /// Makes the tables for topics, or brings those of an older release to the present form. The
    /// writes below do it, too.
    ///
    /// # Errors
    /// Those of every write.
    pub fn apply_telegram_topic_migration(&self) -> Result<()> {
        self.write(Patience::Short, ensure_tables)
    }

    /// Lets a chat use topics. What Telegram says is stored as given, not given as unknown.
    ///
    /// # Errors
    /// Those of every write.
    pub fn enable_telegram_topic_mode(&self, mode: &TopicMode) -> Result<()> {
        self.write(Patience::Short, |tx| {
            ensure_tables(tx)?;
            tx.execute(
                "INSERT INTO telegram_dm_topic_mode
                     (chat_id, user_id, enabled, activated_at, updated_at, has_topics_enabled,
                      allows_users_to_create_topics, capability_checked_at)
                 VALUES (:chat, :user, 1, :now, :now, :has, :allows, :now)
                 ON CONFLICT(chat_id) DO UPDATE SET
                     user_id = excluded.user_id, enabled = 1, updated_at = excluded.updated_at,
                     has_topics_enabled = excluded.has_topics_enabled,
                     allows_users_to_create_topics = excluded.allows_users_to_create_topics,
                     capability_checked_at = excluded.capability_checked_at",
                named_params! {
                    ":chat": mode.chat_id,
                    ":user": mode.user_id,
                    ":now": self.now()?,
                    ":has": mode.has_topics_enabled,
                    ":allows": mode.allows_users_to_create_topics,
                },
            )?;
            Ok(())
        })
    }

    /// Ends the use of topics in a chat, and with `clear_bindings` takes its topics off their
    /// sessions. Nothing happens where no chat ever used them.
    ///
    /// # Errors
    /// Those of every write.
    pub fn disable_telegram_topic_mode(&self, chat_id: &str, clear_bindings: bool) -> Result<()> {
        self.write(Patience::Short, |tx| {
            if tx.sqlite(|conn| has_table(conn, MODES))? {
                tx.execute(
                    "UPDATE telegram_dm_topic_mode SET enabled = 0, updated_at = ?2
                     WHERE chat_id = ?1",
                    params![chat_id, self.now()?],
                )?;
            }
            if clear_bindings && tx.sqlite(|conn| has_table(conn, BINDINGS))? {
                tx.execute(
                    "DELETE FROM telegram_dm_topic_bindings WHERE chat_id = ?1",
                    params![chat_id],
                )?;
            }
            Ok(())
        })
    }

    /// Whether a chat of this user uses topics.
    ///
    /// # Errors
    /// Those of every read.
    pub fn is_telegram_topic_mode_enabled(&self, chat_id: &str, user_id: &str) -> Result<bool> {
        self.read(|conn, _| {
            Ok(has_table(conn, MODES)?
                && conn
                    .prepare_cached(
                        "SELECT 1 FROM telegram_dm_topic_mode
                         WHERE chat_id = ?1 AND user_id = ?2 AND enabled = 1",
                    )?
                    .exists([chat_id, user_id])?)
        })
    }

    /// Binds a topic to a session; a topic that is bound already is bound anew.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the session has another topic, [`Error::UnknownSession`], and those
    /// of every write. Nothing is left of a failed one.
    pub fn bind_telegram_topic(&self, binding: &TopicBinding) -> Result<()> {
        self.write(Patience::Short, |tx| {
            tx.require_session(binding.session_id.as_str())?;
            ensure_tables(tx)?;
            let elsewhere = tx.sqlite(|conn| {
                conn.prepare_cached(
                    "SELECT 1 FROM telegram_dm_topic_bindings
                     WHERE session_id = ?1 AND NOT (chat_id = ?2 AND thread_id = ?3)",
                )?
                .exists([
                    binding.session_id.as_str(),
                    &binding.chat_id,
                    &binding.thread_id,
                ])
            })?;
            if elsewhere {
                return Err(Error::Invalid {
                    what: "session",
                    problem: "is already linked to another Telegram topic".to_owned(),
                });
            }
            tx.execute(
                "INSERT INTO telegram_dm_topic_bindings
                     (chat_id, thread_id, user_id, session_key, session_id, managed_mode,
                      linked_at, updated_at)
                 VALUES (:chat, :thread, :user, :key, :session, :mode, :now, :now)
                 ON CONFLICT(chat_id, thread_id) DO UPDATE SET
                     user_id = excluded.user_id, session_key = excluded.session_key,
                     session_id = excluded.session_id, managed_mode = excluded.managed_mode,
                     updated_at = excluded.updated_at",
                named_params! {
                    ":chat": binding.chat_id,
                    ":thread": binding.thread_id,
                    ":user": binding.user_id,
                    ":key": binding.session_key,
                    ":session": binding.session_id.as_str(),
                    ":mode": binding.managed_mode,
                    ":now": self.now()?,
                },
            )?;
            Ok(())
        })
    }

    /// The binding of a topic.
    ///
    /// # Errors
    /// Those of every read.
    pub fn telegram_topic_binding(
        &self,
        chat_id: &str,
        thread_id: &str,
    ) -> Result<Option<TopicBinding>> {
        let bindings = self.bindings("chat_id = ?1 AND thread_id = ?2", &[chat_id, thread_id])?;
        Ok(bindings.into_iter().next())
    }

    /// The binding of a session.
    ///
    /// # Errors
    /// Those of every read.
    pub fn telegram_topic_binding_of(
        &self,
        session: impl AsRef<str>,
    ) -> Result<Option<TopicBinding>> {
        let bindings = self.bindings("session_id = ?1", &[session.as_ref()])?;
        Ok(bindings.into_iter().next())
    }

    /// The bindings of a chat, the last changed first.
    ///
    /// # Errors
    /// Those of every read.
    pub fn telegram_topic_bindings(&self, chat_id: &str) -> Result<Vec<TopicBinding>> {
        self.bindings("chat_id = ?1", &[chat_id])
    }

    fn bindings(&self, condition: &str, values: &[&str]) -> Result<Vec<TopicBinding>> {
        self.read(|conn, _| {
            if !has_table(conn, BINDINGS)? {
                return Ok(Vec::new());
            }
            let sql = format!("{BINDING} WHERE {condition} ORDER BY updated_at DESC, thread_id");
            conn.prepare_cached(&sql)?
                .query_map(rusqlite::params_from_iter(values), TopicBinding::read)?
                .collect()
        })
    }

    /// Takes a topic off its session. False if it was bound to none.
    ///
    /// # Errors
    /// Those of every write.
    pub fn delete_telegram_topic_binding(&self, chat_id: &str, thread_id: &str) -> Result<bool> {
        self.write(Patience::Short, |tx| {
            if !tx.sqlite(|conn| has_table(conn, BINDINGS))? {
                return Ok(false);
            }
            let deleted = tx.execute(
                "DELETE FROM telegram_dm_topic_bindings WHERE chat_id = ?1 AND thread_id = ?2",
                params![chat_id, thread_id],
            )?;
            Ok(deleted > 0)
        })
    }

    /// A user's Telegram sessions that no topic holds, the last active first.
    ///
    /// # Errors
    /// Those of every read.
    pub fn unlinked_telegram_sessions(
        &self,
        user_id: &str,
        limit: usize,
    ) -> Result<Vec<SessionSummary>> {
        self.read(|conn, layout| {
            let unlinked = if has_table(conn, BINDINGS)? {
                "AND NOT EXISTS (SELECT 1 FROM telegram_dm_topic_bindings b
                    WHERE b.session_id = s.id)"
            } else {
                ""
            };
            let sql = format!(
                "SELECT {} FROM sessions s
                 WHERE s.source = 'telegram' AND s.user_id = ?1 {unlinked}
                 ORDER BY COALESCE(
                     (SELECT MAX(m.timestamp) FROM messages m WHERE m.session_id = s.id),
                     s.started_at) DESC, s.started_at DESC, s.id DESC
                 LIMIT ?2",
                summary_columns(layout, false)
            );
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            conn.prepare_cached(&sql)?
                .query_map(params![user_id, limit], |row| read_summary(row, layout))?
                .collect()
        })
    }
}

const TABLES_SQL: &str = include_str!("telegram/v2.sql");
const VERSION_KEY: &str = "telegram_dm_topic_schema_version";
const VERSION: &str = "2";

fn ensure_tables(tx: &Tx<'_>) -> Result<()> {
    let in_order = tx.sqlite(|conn| {
        let current = meta::get(conn, VERSION_KEY)?
            .and_then(|version| version.parse::<i64>().ok())
            .is_some_and(|version| version >= 2);
        Ok(current && has_table(conn, MODES)? && has_table(conn, BINDINGS)?)
    })?;
    if in_order {
        return Ok(());
    }
    tx.sqlite(|conn| {
        let outdated = has_table(conn, BINDINGS)? && !cascades(conn)?;
        if outdated {
            conn.execute_batch(
                "ALTER TABLE telegram_dm_topic_bindings
                     RENAME TO telegram_dm_topic_bindings_old;
                 DROP INDEX IF EXISTS idx_telegram_dm_topic_bindings_session;
                 DROP INDEX IF EXISTS idx_telegram_dm_topic_bindings_user;",
            )?;
        }
        conn.execute_batch(TABLES_SQL)?;
        if outdated {
            // Bindings of sessions that are gone stay behind; of several of one session the last
            // changed is kept.
            conn.execute_batch(
                "INSERT OR IGNORE INTO telegram_dm_topic_bindings
                     (chat_id, thread_id, user_id, session_key, session_id, managed_mode,
                      linked_at, updated_at)
                 SELECT chat_id, thread_id, user_id, session_key, session_id, managed_mode,
                     linked_at, updated_at
                 FROM telegram_dm_topic_bindings_old
                 WHERE session_id IN (SELECT id FROM sessions)
                 ORDER BY updated_at DESC;
                 DROP TABLE telegram_dm_topic_bindings_old;",
            )?;
        }
        Ok(())
    })?;
    set_meta(tx, VERSION_KEY, VERSION)
}

/// Whether deleting a session deletes its binding.
fn cascades(conn: &Connection) -> rusqlite::Result<bool> {
    conn.prepare(
        "SELECT 1 FROM pragma_foreign_key_list('telegram_dm_topic_bindings')
         WHERE \"table\" = 'sessions' AND on_delete = 'CASCADE'",
    )?
    .exists([])
}
