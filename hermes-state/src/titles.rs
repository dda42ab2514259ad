//! Titles: unique names for sessions, and finding a session by one.

mod text;

use rusqlite::{Connection, OptionalExtension, named_params, params};

use crate::error::{Error, Result};
use crate::lineage::compressed_ancestors;
use crate::schema::{Layout, NATIVE_VERSION};
use crate::session::{EXISTS, Session, SessionId, like_prefix};
use crate::store::Store;
use crate::write::{Patience, Tx};

pub use text::{MAX_TITLE_CHARS, sanitize_title, title_from_text};

const OTHER_HOLDER: &str = "SELECT id FROM sessions WHERE title = ?1 AND id != ?2";

const TAKEN: &str = "SELECT 1 FROM sessions WHERE title = ?1";

impl Store {
    /// Sets the title of a session, sanitised (see [`sanitize_title`]); `None` or one that is
    /// empty then clears it. Returns whether there is such a session.
    ///
    /// In stores newer than version 11, a title that belongs to a session which this one continues
    /// after a compression moves here.
    ///
    /// # Errors
    /// [`Error::TitleInUse`], [`Error::Invalid`] for a title that is too long, and the errors of
    /// every write.
    pub fn set_session_title(&self, id: impl AsRef<str>, title: Option<&str>) -> Result<bool> {
        const SET: &str = "UPDATE sessions SET title = ?2 WHERE id = ?1";
        let title = title.map_or(Ok(None), sanitize_title)?;
        let id = id.as_ref();
        self.write(Patience::Short, |tx| {
            if let Some(title) = &title {
                free_title(tx, id, title)?;
            }
            Ok(tx.execute(SET, params![id, title])? == 1)
        })
    }

    /// [`set_session_title`](Self::set_session_title) for a session that has no title yet.
    /// Returns whether it was one: a title that a person gave is never replaced.
    ///
    /// # Errors
    /// As [`set_session_title`](Self::set_session_title).
    pub fn set_auto_title_if_empty(&self, id: impl AsRef<str>, title: &str) -> Result<bool> {
        const UNTITLED: &str = "SELECT 1 FROM sessions WHERE id = ?1 AND title IS NULL";
        const SET: &str = "UPDATE sessions SET title = ?2 WHERE id = ?1 AND title IS NULL";
        let title = sanitize_title(title)?;
        let id = id.as_ref();
        self.write(Patience::Short, |tx| {
            if !tx.exists(UNTITLED, id)? {
                return Ok(false);
            }
            if let Some(title) = &title {
                free_title(tx, id, title)?;
            }
            Ok(tx.execute(SET, params![id, title])? == 1)
        })
    }

    /// The session with exactly this title.
    ///
    /// # Errors
    /// Those of every read.
    pub fn session_by_title(&self, title: &str) -> Result<Option<Session>> {
        self.read(|conn, layout| {
            if !layout.sessions.has("title") {
                return Ok(None);
            }
            let sql = format!(
                "SELECT {} FROM sessions s WHERE s.title = ?1",
                layout.sessions.select
            );
            conn.prepare_cached(&sql)?
                .query_row([title], |row| Session::read(row, &layout.sessions.extra))
                .optional()
        })
    }

    /// The session that a person means by a title: the latest started of those numbered with it
    /// (`title #2`, …; ASCII capitals and small letters are the same), otherwise the one with
    /// exactly this title.
    ///
    /// # Errors
    /// Those of every read.
    pub fn resolve_session_by_title(&self, title: &str) -> Result<Option<SessionId>> {
        self.read(|conn, layout| by_title(conn, layout, title))
    }

    /// The session that a person means by a word: the one with exactly this id, otherwise that of
    /// this [title](Self::resolve_session_by_title), otherwise the only one whose id begins so.
    ///
    /// # Errors
    /// Those of every read.
    pub fn find_session(&self, text: &str) -> Result<Option<SessionId>> {
        let titled = self.read(|conn, layout| {
            if conn.prepare_cached(EXISTS)?.exists([text])? {
                return Ok(Some(SessionId::new(text)));
            }
            by_title(conn, layout, text)
        })?;
        match titled {
            None => self.resolve_session_id(text),
            found => Ok(found),
        }
    }

    /// A title for the next session of a lineage: the base if nobody has it, otherwise the base
    /// with the number after the greatest (`base #2`, `base #3`, …). A number at the end of the
    /// given title is not part of the base. A base too long for its number is cut at its end.
    ///
    /// # Errors
    /// Those of every read.
    pub fn next_title_in_lineage(&self, title: &str) -> Result<String> {
        let (base, _) = text::split_number(title);
        self.read(|conn, layout| {
            if layout.sessions.has("title") {
                next_title(conn, base)
            } else {
                Ok(text::numbered(base, None))
            }
        })
    }
}

/// Makes a title free for a session, or says who has it.
fn free_title(tx: &Tx<'_>, id: &str, title: &str) -> Result<()> {
    const CLEAR: &str = "UPDATE sessions SET title = NULL WHERE id = ?1";
    let holder: Option<String> = tx.sqlite(|conn| {
        conn.prepare_cached(OTHER_HOLDER)?
            .query_row([title, id], |row| row.get(0))
            .optional()
    })?;
    let Some(holder) = holder else {
        return Ok(());
    };
    let moves = tx.layout().version > NATIVE_VERSION
        && tx
            .sqlite(|conn| compressed_ancestors(conn, tx.layout(), id))?
            .contains(&holder);
    if !moves {
        return Err(Error::TitleInUse {
            title: title.to_owned(),
            holder,
        });
    }
    tx.execute(CLEAR, [&holder])?;
    Ok(())
}

fn by_title(
    conn: &Connection,
    layout: &Layout,
    title: &str,
) -> rusqlite::Result<Option<SessionId>> {
    const RESOLVE: &str = "SELECT id FROM (
            SELECT id, 0 AS exact, started_at FROM sessions WHERE title LIKE :numbered ESCAPE '\\'
            UNION ALL SELECT id, 1, started_at FROM sessions WHERE title = :title)
        ORDER BY exact, started_at DESC, id DESC LIMIT 1";
    if title.is_empty() || !layout.sessions.has("title") {
        return Ok(None);
    }
    let numbered = like_prefix(&format!("{title} #"));
    conn.prepare_cached(RESOLVE)?
        .query_row(
            named_params! {":numbered": numbered, ":title": title},
            |row| crate::record::column(row, 0),
        )
        .optional()
}

fn next_title(conn: &Connection, base: &str) -> rusqlite::Result<String> {
    const SERIES: &str = "SELECT title FROM sessions
        WHERE title = ?1 OR title LIKE ?2 ESCAPE '\\'";
    let mut series = conn.prepare_cached(SERIES)?;
    let titles = series.query_map(params![base, like_prefix(&format!("{base} #"))], |row| {
        crate::record::column::<String>(row, 0)
    })?;
    let mut greatest: Option<u64> = None;
    for title in titles {
        let number = text::split_number(&title?).1.unwrap_or(1);
        greatest = Some(greatest.unwrap_or(1).max(number));
    }
    let mut taken = conn.prepare_cached(TAKEN)?;
    let mut next = greatest.map(|n| n.saturating_add(1));
    loop {
        // Only a base that had to be cut can meet a title that is not of its series.
        let title = text::numbered(base, next);
        if !taken.exists([&title])? {
            return Ok(title);
        }
        next = Some(next.map_or(2, |n| n.wrapping_add(1).max(2)));
    }
}
