//! Where a session goes: decided from what is there, then done.

use std::collections::{HashMap, HashSet};

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::line::{Line, Row};
use super::options::{Existing, ImportOptions, Titles};
use super::staged::is_under_way;
use crate::append::index;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::index_rows::{Changing, before_change};
use crate::record::Column;
use crate::schema::quoted;
use crate::session::{EXISTS, SessionId};
use crate::write::Tx;

/// What earlier lines of the same import have done that the store may not show.
#[derive(Debug, Clone, Default)]
pub(super) struct Earlier {
    /// The ids of copies, by the ids that they had.
    pub(super) copies: HashMap<String, SessionId>,
    /// In a dry run: the sessions, with their parents, and the titles.
    sessions: HashMap<String, Option<String>>,
    titles: HashSet<String>,
}

impl Earlier {
    pub(super) fn remember(&mut self, line: &Line, placed: &Placed) {
        let Placed::Stored(done) = placed else { return };
        let parent = done
            .parent
            .clone()
            .filter(|_| done.missing_parent.is_none());
        self.sessions.insert(done.id.to_string(), parent);
        let title = match &done.retitled {
            Some((_, to)) => Some(to.as_str()),
            None => line.session.text("title"),
        };
        self.titles.extend(title.map(str::to_owned));
    }

    pub(super) fn link(&mut self, child: SessionId, parent: String) {
        self.sessions.insert(child.to_string(), Some(parent));
    }

    fn exists(&self, conn: &Connection, id: &str) -> rusqlite::Result<bool> {
        Ok(self.sessions.contains_key(id) || conn.prepare_cached(EXISTS)?.exists([id])?)
    }
}

/// Where a session is to go.
pub(super) enum Plan {
    Skip,
    Refuse(String),
    Store(Done),
}

impl Plan {
    /// What came of it if it was only a plan.
    pub(super) fn into_placed(self) -> Placed {
        match self {
            Plan::Skip => Placed::Skipped,
            Plan::Refuse(problem) => Placed::Refused(problem),
            Plan::Store(done) => Placed::Stored(done),
        }
    }
}

/// What became of a session.
pub(super) enum Placed {
    Skipped,
    Refused(String),
    Stored(Done),
}

/// What became of a session that was stored.
#[derive(Clone)]
pub(super) struct Done {
    pub(super) id: SessionId,
    pub(super) overwrites: bool,
    pub(super) retitled: Option<(String, String)>,
    parent: Option<String>,
    /// The parent, if it is not there (yet).
    pub(super) missing_parent: Option<String>,
}

pub(super) fn plan(
    conn: &Connection,
    line: &Line,
    options: &ImportOptions,
    earlier: &Earlier,
) -> rusqlite::Result<Plan> {
    let mut id = line.id.clone();
    let there = earlier.exists(conn, id.as_str())?;
    if there && is_under_way(conn, &id)? {
        return Ok(Plan::Refuse(
            "is being imported by somebody else, or that was ended a moment ago: try again in half a minute".to_owned(),
        ));
    }
    match (there, options.existing) {
        (true, Existing::Skip) => return Ok(Plan::Skip),
        (true, Existing::Copy) => {
            let mut number = 1_u64;
            while earlier.exists(conn, id.as_str())? {
                let end = if number == 1 {
                    String::new()
                } else {
                    number.to_string()
                };
                id = SessionId::new(format!("{}_copy{end}", line.id));
                number += 1;
            }
        }
        _ => {}
    }
    let mut done = Done {
        overwrites: there && options.existing == Existing::Overwrite,
        retitled: None,
        parent: None,
        missing_parent: None,
        id,
    };
    if let Some(parent) = line.session.text("parent_session_id") {
        let parent = earlier
            .copies
            .get(parent)
            .map_or(parent, SessionId::as_str)
            .to_owned();
        let there = earlier.exists(conn, &parent)?;
        if !there || (done.overwrites && is_above(conn, done.id.as_str(), &parent)?) {
            done.missing_parent = Some(parent.clone());
        }
        done.parent = Some(parent);
    }
    if let Some(title) = line.session.text("title")
        && let Some(free) = free_title(conn, title, done.id.as_str(), earlier)?
    {
        if options.titles == Titles::Refuse {
            return Ok(Plan::Refuse(format!("its title is taken: {title:?}")));
        }
        done.retitled = Some((title.to_owned(), free));
    }
    Ok(Plan::Store(done))
}

/// Does what was planned.
pub(super) fn place(tx: &Tx<'_>, line: &Line, plan: Plan) -> Result<Placed> {
    let done = match plan {
        Plan::Store(done) => done,
        other => return Ok(other.into_placed()),
    };
    let session = session_row(line, &done);
    if done.overwrites {
        before_change(tx, Changing::Session(done.id.as_str()))?;
        tx.execute(
            "DELETE FROM messages WHERE session_id = ?1",
            [done.id.as_str()],
        )?;
    }
    insert(tx, "sessions", &session, done.overwrites)?;
    insert_messages(tx, line, &done.id, 0, &mut || true)?;
    Ok(Placed::Stored(done))
}

/// The session's row as planned.
pub(super) fn session_row(line: &Line, done: &Done) -> Row {
    let mut session = line.session.clone();
    session.set("id", Sql::Text(done.id.to_string()));
    if let Some(parent) = &done.parent {
        let parent = match done.missing_parent {
            Some(_) => Sql::Null,
            None => Sql::Text(parent.clone()),
        };
        session.set("parent_session_id", parent);
    }
    if let Some((_, title)) = &done.retitled {
        session.set("title", Sql::Text(title.clone()));
    }
    session
}

/// Stores messages of a session, from one on, as long as there is time; returns how many.
pub(super) fn insert_messages(
    tx: &Tx<'_>,
    line: &Line,
    id: &SessionId,
    from: usize,
    has_time: &mut dyn FnMut() -> bool,
) -> Result<usize> {
    let mut stored = 0;
    for message in line.messages(from, id, tx.layout()) {
        if stored > 0 && !has_time() {
            break;
        }
        let message = message.map_err(|problem| Error::Invalid {
            what: "message",
            problem,
        })?;
        insert(tx, "messages", &message, false)?;
        let content = message
            .value("content")
            .map(|v| Option::<Content>::of(v.into()));
        index(
            tx,
            tx.last_id(),
            content.flatten().as_ref(),
            message.text("tool_name"),
            message.text("tool_calls"),
        )?;
        stored += 1;
    }
    Ok(stored)
}

pub(super) fn insert(tx: &Tx<'_>, table: &str, row: &Row, replace: bool) -> Result<()> {
    let columns: Vec<String> = row.columns().map(quoted).collect();
    let marks = vec!["?"; columns.len()].join(", ");
    let mut sql = format!(
        "INSERT INTO {table} ({}) VALUES ({marks})",
        columns.join(", ")
    );
    if replace {
        let set: Vec<String> = columns
            .iter()
            .map(|c| format!("{c} = excluded.{c}"))
            .collect();
        sql.push_str(&format!(
            " ON CONFLICT(id) DO UPDATE SET {}",
            set.join(", ")
        ));
    }
    tx.execute(&sql, params_from_iter(row.values()))?;
    Ok(())
}

/// The first numbered form of a title that is free, or `None` if the title itself is.
fn free_title(
    conn: &Connection,
    title: &str,
    id: &str,
    earlier: &Earlier,
) -> rusqlite::Result<Option<String>> {
    let mut taken = conn.prepare_cached("SELECT 1 FROM sessions WHERE title = ?1 AND id != ?2")?;
    let mut is_taken = |title: &str| {
        Ok::<bool, rusqlite::Error>(earlier.titles.contains(title) || taken.exists([title, id])?)
    };
    if !is_taken(title)? {
        return Ok(None);
    }
    let mut number = 2_u64;
    loop {
        let candidate = format!("{title} #{number}");
        if !is_taken(&candidate)? {
            return Ok(Some(candidate));
        }
        number += 1;
    }
}

/// Gives a session its parent, if that is there and not below it.
pub(super) fn attach(tx: &Tx<'_>, child: &str, parent: &str) -> Result<bool> {
    if !tx.exists(EXISTS, parent)? || tx.sqlite(|conn| is_above(conn, child, parent))? {
        return Ok(false);
    }
    tx.execute(
        "UPDATE sessions SET parent_session_id = ?2 WHERE id = ?1 AND parent_session_id IS NULL",
        params![child, parent],
    )?;
    Ok(true)
}

/// Whether [`attach`] would, after what a dry run has seen.
pub(super) fn could_attach(
    conn: &Connection,
    child: &str,
    parent: &str,
    earlier: &Earlier,
) -> rusqlite::Result<bool> {
    if !earlier.exists(conn, parent)? {
        return Ok(false);
    }
    let mut above = Some(parent.to_owned());
    let mut seen = HashSet::new();
    while let Some(id) = above {
        if id == child {
            return Ok(false);
        }
        above = match earlier.sessions.get(&id) {
            Some(parent) => parent.clone(),
            // Nothing in the store is below what is not there yet.
            None => return Ok(!is_above(conn, child, &id)?),
        };
        if !seen.insert(id) {
            break;
        }
    }
    Ok(true)
}

/// Whether `ancestor` is `id` or stands above it.
fn is_above(conn: &Connection, ancestor: &str, id: &str) -> rusqlite::Result<bool> {
    // UNION drops repeated rows, so a cycle that is in the file already ends the walk.
    const ABOVE: &str = "WITH RECURSIVE above(id) AS (
            SELECT ?1
            UNION SELECT s.parent_session_id FROM sessions s JOIN above a ON s.id = a.id
            WHERE s.parent_session_id IS NOT NULL
        ) SELECT 1 FROM above WHERE id = ?2";
    Ok(conn
        .prepare_cached(ABOVE)?
        .query_row([id, ancestor], |_| Ok(()))
        .optional()?
        .is_some())
}
