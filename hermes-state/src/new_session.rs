//! Creating sessions, under the rule of the file's version.

use std::borrow::Cow;

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension, params_from_iter};

use crate::error::{Error, Result};
use crate::json_text::JsonText;
use crate::record::column;
use crate::schema::{Layout, NATIVE_VERSION};
use crate::session::{SessionId, check_time};
use crate::store::Store;
use crate::write::{Patience, Tx};

/// A session to be created.
///
/// The conversation key, the chat, the working directory and the profile have columns only in
/// stores of newer versions; setting one for a store without it gives [`Error::Unsupported`].
#[derive(Debug, Clone, PartialEq)]
pub struct NewSession {
    id: SessionId,
    source: String,
    model: Option<String>,
    model_config: Option<JsonText>,
    system_prompt: Option<String>,
    user_id: Option<String>,
    parent: Option<SessionId>,
    parent_may_be_gone: bool,
    started_at: Option<f64>,
    session_key: Option<String>,
    chat_id: Option<String>,
    chat_type: Option<String>,
    thread_id: Option<String>,
    cwd: Option<String>,
    profile_name: Option<String>,
}

macro_rules! setters {
    ($( $(#[$meta:meta])* $name:ident: $type:ty, )*) => {
        $(
            $(#[$meta])*
            #[must_use]
            pub fn $name(mut self, $name: impl Into<$type>) -> NewSession {
                self.$name = Some($name.into());
                self
            }
        )*
    };
}

impl NewSession {
    /// A session with this id, held on this source.
    pub fn new(id: impl Into<SessionId>, source: impl Into<String>) -> NewSession {
        NewSession {
            id: id.into(),
            source: source.into(),
            model: None,
            model_config: None,
            system_prompt: None,
            user_id: None,
            parent: None,
            parent_may_be_gone: false,
            started_at: None,
            session_key: None,
            chat_id: None,
            chat_type: None,
            thread_id: None,
            cwd: None,
            profile_name: None,
        }
    }

    setters! {
        /// Sets the model.
        model: String,
        /// Sets the system prompt.
        system_prompt: String,
        /// Sets the user's id.
        user_id: String,
        /// Sets the session that this one continues.
        parent: SessionId,
        /// Sets when it began, in seconds since the epoch; the store's clock otherwise.
        started_at: f64,
        /// Sets the key of the conversation on its platform (version 17 and newer).
        session_key: String,
        /// Sets the chat it is held in (version 17 and newer).
        chat_id: String,
        /// Sets the kind of that chat (version 17 and newer).
        chat_type: String,
        /// Sets the thread in that chat (version 17 and newer).
        thread_id: String,
        /// Sets the working directory (version 14 and newer).
        cwd: String,
        /// Sets the profile it is held under (version 22).
        profile_name: String,
    }

    /// Sets the session that this one continues, if it is still there: otherwise this one is created
    /// without a parent, and a warning logged. For callers to whom the conversation is worth more
    /// than where it came from.
    #[must_use]
    pub fn parent_if_there(mut self, parent: impl Into<SessionId>) -> NewSession {
        self.parent_may_be_gone = true;
        self.parent(parent)
    }

    /// Sets the model's settings; an empty object is stored as NULL, as Hermes does.
    #[must_use]
    pub fn model_config(mut self, config: JsonText) -> NewSession {
        self.model_config = (!config.is_falsy()).then_some(config);
        self
    }

    /// The columns that not every store has: name, first version, value.
    fn newer_columns(&self) -> [(&'static str, i64, Option<&str>); 6] {
        [
            ("session_key", 17, self.session_key.as_deref()),
            ("chat_id", 17, self.chat_id.as_deref()),
            ("chat_type", 17, self.chat_type.as_deref()),
            ("thread_id", 17, self.thread_id.as_deref()),
            ("cwd", 14, self.cwd.as_deref()),
            ("profile_name", 22, self.profile_name.as_deref()),
        ]
    }

    fn check(&self) -> Result<()> {
        if self.id.as_str().is_empty() {
            return Err(Error::Invalid {
                what: "session id",
                problem: "is empty".into(),
            });
        }
        self.started_at
            .map_or(Ok(()), |time| check_time("started_at", time))
    }
}

const DETACH: &str = "UPDATE sessions SET parent_session_id = NULL WHERE id = ?1";
const PARENT_OF: &str = "SELECT parent_session_id FROM sessions WHERE id = ?1";

impl Store {
    /// Creates a session. Of an existing one with this id, a store of version 11 keeps all as it
    /// is; newer ones fill what is NULL of model, settings, system prompt, parent, conversation
    /// key, chat, thread, working directory and profile. Source, user and start stay. A parent that
    /// is not in the store any more (a program without foreign keys has deleted it) is taken away,
    /// with a warning in the log.
    ///
    /// Returns whether it is new.
    ///
    /// # Errors
    /// [`Error::UnknownParent`] if the parent is not there, [`Error::Invalid`] for an empty id,
    /// [`Error::Unsupported`] for a value that the store has no column for, and the errors of
    /// every write.
    pub fn create_session(&self, new: &NewSession) -> Result<bool> {
        new.check()?;
        let now = self.now()?;
        self.write(Patience::Short, |tx| insert(tx, new, now))
    }

    /// Makes sure that a session row exists before something is appended to it, so that a
    /// message is never lost for want of one: source `unknown` if it was missing.
    ///
    /// Returns whether it was missing.
    ///
    /// # Errors
    /// As [`create_session`](Self::create_session).
    pub fn ensure_session(&self, id: impl Into<SessionId>) -> Result<bool> {
        self.create_session(&NewSession::new(id, "unknown"))
    }

    /// Ends a session and creates its continuation, both or neither: the parent is set to the
    /// session that ends. An end that was there already stays (the first reason wins).
    ///
    /// Returns whether the continuation is new.
    ///
    /// # Errors
    /// [`Error::UnknownSession`] if there is none to continue, and those of
    /// [`create_session`](Self::create_session).
    pub fn continue_session(
        &self,
        id: impl AsRef<str>,
        reason: &str,
        continuation: &NewSession,
    ) -> Result<bool> {
        let id = id.as_ref();
        let continuation = continuation.clone().parent(id);
        continuation.check()?;
        let now = self.now()?;
        self.write(Patience::Short, |tx| {
            tx.require_session(id)?;
            crate::session::end(tx, id, reason, now)?;
            insert(tx, &continuation, now)
        })
    }
}

/// Inserts the row, or what the file's version does with one that is there.
pub(crate) fn insert(tx: &Tx<'_>, new: &NewSession, now: f64) -> Result<bool> {
    let layout = tx.layout();
    let upsert = layout.version > NATIVE_VERSION;
    let mut new = Cow::Borrowed(new);
    let mut stored_parent = tx.sqlite(|conn| {
        conn.prepare_cached(PARENT_OF)?
            .query_row([new.id.as_str()], |row| column::<Option<String>>(row, 0))
            .optional()
    })?;
    if let Some(Some(gone)) = &stored_parent
        && !tx.exists(crate::session::EXISTS, gone)?
    {
        tracing::warn!(session = %new.id, parent = %gone, "its parent is gone: taken away");
        tx.execute(DETACH, [new.id.as_str()])?;
        if new
            .parent
            .as_ref()
            .is_some_and(|parent| parent.as_str() == gone)
        {
            new.to_mut().parent = None;
        }
        stored_parent = Some(None);
    }
    let takes_parent = match &stored_parent {
        None => true,
        Some(parent) => upsert && parent.is_none(),
    };
    if let Some(parent) = new.parent.as_ref().filter(|_| takes_parent)
        && (parent == &new.id || !tx.exists(crate::session::EXISTS, parent.as_str())?)
    {
        if !new.parent_may_be_gone {
            return Err(Error::UnknownParent {
                id: parent.to_string(),
            });
        }
        tracing::warn!(session = %new.id, %parent, "created without its parent, which is not there");
        new.to_mut().parent = None;
    }
    let (sql, values) = statement(layout, &new, now, upsert)?;
    if upsert || stored_parent.is_none() {
        tx.execute(&sql, params_from_iter(values))?;
    }
    Ok(stored_parent.is_none())
}

fn statement(
    layout: &Layout,
    new: &NewSession,
    now: f64,
    upsert: bool,
) -> Result<(String, Vec<Sql>)> {
    let text = |value: Option<&str>| value.map_or(Sql::Null, |text| Sql::Text(text.to_owned()));
    let mut names = vec!["id", "source", "user_id", "started_at"];
    let kept = names.len();
    let mut values = vec![
        text(Some(new.id.as_str())),
        text(Some(&new.source)),
        text(new.user_id.as_deref()),
        Sql::Real(new.started_at.unwrap_or(now)),
    ];
    let config = new.model_config.as_ref().map(JsonText::as_str);
    let parent = new.parent.as_ref().map(SessionId::as_str);
    for (name, value) in [
        ("model", new.model.as_deref()),
        ("model_config", config),
        ("system_prompt", new.system_prompt.as_deref()),
        ("parent_session_id", parent),
    ] {
        names.push(name);
        values.push(text(value));
    }
    for (name, needs, value) in new.newer_columns() {
        if layout.sessions.has(name) {
            names.push(name);
            values.push(text(value));
        } else if value.is_some() {
            return Err(Error::Unsupported {
                what: name,
                needs,
                found: layout.version,
            });
        }
    }
    let on_conflict = if upsert {
        let filled: Vec<String> = names
            .iter()
            .skip(kept)
            .map(|name| format!("{name} = COALESCE(sessions.{name}, excluded.{name})"))
            .collect();
        format!("ON CONFLICT(id) DO UPDATE SET {}", filled.join(", "))
    } else {
        "ON CONFLICT(id) DO NOTHING".to_owned()
    };
    let sql = format!(
        "INSERT INTO sessions ({}) VALUES ({}) {on_conflict}",
        names.join(", "),
        vec!["?"; names.len()].join(", ")
    );
    Ok((sql, values))
}
