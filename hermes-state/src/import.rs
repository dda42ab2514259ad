//! Import: what [`export`](crate::Store::export) and Hermes' own export write, one session a line.
//!
//! A line is taken apart by columns, not through the types of this crate, so that whatever a
//! session row held comes back. Each session is one transaction: it is there whole or not at all,
//! and one that cannot be read does not stop the others.

mod line;

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension, params, params_from_iter};
use serde::Serialize;

use crate::append::index;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::record::Column;
use crate::schema::quoted;
use crate::session::{EXISTS, SessionId};
use crate::store::Store;
use crate::write::{Patience, Tx};
use line::{Line, Row};

/// The longest line that is read: no session that SQLite could hold is longer.
const MAX_LINE_BYTES: u64 = 1 << 30;

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ImportProgress {
    /// Bytes read.
    pub bytes: u64,
    /// Sessions imported.
    pub sessions: u64,
    /// Messages imported.
    pub messages: u64,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct ImportReport {
    /// Sessions imported.
    pub sessions: u64,
    /// Messages imported.
    pub messages: u64,
    /// Sessions left as they are, because the store has one with this id.
    pub skipped: Vec<SessionId>,
    /// Sessions whose parent is neither in the store nor in the input (or is their own
    /// descendant): imported without a parent.
    pub detached: Vec<SessionId>,
    /// Sessions whose title was taken and got a number.
    pub retitled: Vec<Retitled>,
    /// Columns of the input that this store has no place for, and in how many rows they held
    /// something.
    pub dropped_columns: BTreeMap<String, u64>,
    /// Messages that a newer version had taken back or replaced. This store could only show them
    /// as if that had not happened, so they are left out.
    pub inactive: u64,
    /// Lines that could not be imported.
    pub errors: Vec<ImportError>,
}

/// A title that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Retitled {
    /// The session.
    pub id: SessionId,
    /// The title in the input.
    pub from: String,
    /// The title it got.
    pub to: String,
}

/// A line that could not be imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ImportError {
    /// Its number, from 1.
    pub line: u64,
    /// The session it holds, where that could be read.
    pub session_id: Option<SessionId>,
    /// What is wrong.
    pub problem: String,
}

impl Store {
    /// Imports sessions from JSON lines. Sessions that the store has already are left alone.
    ///
    /// A line that cannot be imported is reported and the next one is read.
    ///
    /// # Errors
    /// [`Error::Stream`] if the input cannot be read, and errors of writing that concern the
    /// store and not the line. What was imported before stays.
    pub fn import(
        &self,
        input: &mut dyn BufRead,
        progress: &mut dyn FnMut(ImportProgress),
    ) -> Result<ImportReport> {
        let mut report = ImportReport::default();
        let mut waiting: Vec<(SessionId, String)> = Vec::new();
        let mut bytes = 0;
        let mut number = 0;
        let mut buffer = Vec::new();
        while read_line(input, &mut buffer)? {
            number += 1;
            bytes += buffer.len() as u64;
            self.import_line(&buffer, number, &mut report, &mut waiting)?;
            progress(ImportProgress {
                bytes,
                sessions: report.sessions,
                messages: report.messages,
            });
        }
        self.attach_waiting(waiting, &mut report)?;
        Ok(report)
    }

    fn import_line(
        &self,
        bytes: &[u8],
        number: u64,
        report: &mut ImportReport,
        waiting: &mut Vec<(SessionId, String)>,
    ) -> Result<()> {
        let layout = self.layout();
        let parsed = match Line::parse(bytes, &layout, self.now()?) {
            Ok(None) => return Ok(()),
            Ok(Some(line)) => line,
            Err((session_id, problem)) => {
                report.errors.push(ImportError {
                    line: number,
                    session_id,
                    problem,
                });
                return Ok(());
            }
        };
        match self.write(Patience::Append, |tx| insert_line(tx, &parsed)) {
            Ok(None) => report.skipped.push(parsed.id),
            Ok(Some(done)) => {
                report.sessions += 1;
                report.messages += parsed.messages.len() as u64;
                report.inactive += parsed.inactive;
                for (column, rows) in parsed.dropped {
                    *report.dropped_columns.entry(column).or_default() += rows;
                }
                if let Some((from, to)) = done.retitled {
                    report.retitled.push(Retitled {
                        id: parsed.id.clone(),
                        from,
                        to,
                    });
                }
                if let Some(parent) = done.missing_parent {
                    waiting.push((parsed.id, parent));
                }
            }
            Err(Error::Sqlite { source, .. }) => report.errors.push(ImportError {
                line: number,
                session_id: Some(parsed.id),
                problem: source.to_string(),
            }),
            Err(e) => return Err(e),
        }
        Ok(())
    }

    /// Gives the sessions their parents that came later in the input.
    fn attach_waiting(
        &self,
        waiting: Vec<(SessionId, String)>,
        report: &mut ImportReport,
    ) -> Result<()> {
        for (child, parent) in waiting {
            let attached = self.write(Patience::Append, |tx| {
                if !tx.exists(EXISTS, &parent)? || descends(tx, &parent, child.as_str())? {
                    return Ok(false);
                }
                tx.execute(
                    "UPDATE sessions SET parent_session_id = ?2 WHERE id = ?1 AND parent_session_id IS NULL",
                    params![child.as_str(), parent],
                )?;
                Ok(true)
            })?;
            if !attached {
                report.detached.push(child);
            }
        }
        Ok(())
    }
}

/// What became of a session besides being stored.
#[derive(Default)]
struct Done {
    retitled: Option<(String, String)>,
    missing_parent: Option<String>,
}

/// Stores a session and its messages; `None` if there is one with its id.
fn insert_line(tx: &Tx<'_>, line: &Line) -> Result<Option<Done>> {
    if tx.exists(EXISTS, line.id.as_str())? {
        return Ok(None);
    }
    let mut done = Done::default();
    let mut session = line.session.clone();
    if let Some(parent) = session.text("parent_session_id")
        && !tx.exists(EXISTS, parent)?
    {
        done.missing_parent = Some(parent.to_owned());
        session.set("parent_session_id", Sql::Null);
    }
    if let Some(title) = session.text("title")
        && let Some(free) = free_title(tx, title)?
    {
        done.retitled = Some((title.to_owned(), free.clone()));
        session.set("title", Sql::Text(free));
    }
    insert(tx, "sessions", &session)?;
    for message in &line.messages {
        insert(tx, "messages", message)?;
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
    }
    Ok(Some(done))
}

fn insert(tx: &Tx<'_>, table: &str, row: &Row) -> Result<()> {
    let columns: Vec<String> = row.columns().map(quoted).collect();
    let marks = vec!["?"; columns.len()].join(", ");
    let sql = format!(
        "INSERT INTO {table} ({}) VALUES ({marks})",
        columns.join(", ")
    );
    tx.execute(&sql, params_from_iter(row.values()))?;
    Ok(())
}

/// The first numbered form of a title that is free, or `None` if the title itself is.
fn free_title(tx: &Tx<'_>, title: &str) -> Result<Option<String>> {
    const TAKEN: &str = "SELECT 1 FROM sessions WHERE title = ?1";
    if !tx.exists(TAKEN, title)? {
        return Ok(None);
    }
    let mut number = 2_u64;
    loop {
        let candidate = format!("{title} #{number}");
        if !tx.exists(TAKEN, &candidate)? {
            return Ok(Some(candidate));
        }
        number += 1;
    }
}

/// Whether `ancestor` is `id` or stands above it.
fn descends(tx: &Tx<'_>, id: &str, ancestor: &str) -> Result<bool> {
    // UNION drops repeated rows, so a cycle that is in the file already ends the walk.
    const ABOVE: &str = "WITH RECURSIVE above(id) AS (
            SELECT ?1
            UNION SELECT s.parent_session_id FROM sessions s JOIN above a ON s.id = a.id
            WHERE s.parent_session_id IS NOT NULL
        ) SELECT 1 FROM above WHERE id = ?2";
    tx.sqlite(|conn| {
        Ok(conn
            .prepare_cached(ABOVE)?
            .query_row([id, ancestor], |_| Ok(()))
            .optional()?
            .is_some())
    })
}

/// Reads the next line without its end; false at the end of the input.
fn read_line(input: &mut dyn BufRead, buffer: &mut Vec<u8>) -> Result<bool> {
    buffer.clear();
    let mut limited = io::Read::take(input, MAX_LINE_BYTES);
    let read = limited.read_until(b'\n', buffer).map_err(input_error)?;
    if read as u64 == MAX_LINE_BYTES && buffer.last() != Some(&b'\n') {
        let problem = format!("a line is longer than {MAX_LINE_BYTES} bytes");
        return Err(input_error(io::Error::new(
            io::ErrorKind::InvalidData,
            problem,
        )));
    }
    Ok(read > 0)
}

fn input_error(source: io::Error) -> Error {
    Error::Stream {
        doing: "reading the import",
        source,
    }
}
