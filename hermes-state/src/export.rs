//! Export: one JSON object per line, one line per session, in the shape of Hermes' own export.
//!
//! A line is written in pages, each read by a call of its own: a session of any length passes
//! through a few megabytes of memory, and a slow reader at the other end holds no transaction
//! open. The price is that an export of a store in use is not a snapshot of one moment.

use std::io::{self, Write};

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension, params_from_iter};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::message::MessagePage;
use crate::session::{Session, SessionId};
use crate::store::Store;

/// Which sessions to export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ExportOptions {
    /// Only these sources; all if empty.
    pub sources: Vec<String>,
    /// Only these sessions, in this order; all if `None`. `sources` does not count then.
    pub ids: Option<Vec<SessionId>>,
}

/// What has been written so far, and at the end in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Exported {
    /// Sessions, whole ones.
    pub sessions: u64,
    /// Messages.
    pub messages: u64,
}

impl Store {
    /// Writes one session as one line. Returns false, and writes nothing, if there is none.
    ///
    /// All its messages are in it, those of newer versions that were taken back or replaced
    /// included: their columns `active` and `compacted` tell.
    ///
    /// # Errors
    /// [`Error::Stream`] if the output cannot be written, and those of every read.
    pub fn export_session(&self, id: impl AsRef<str>, out: &mut dyn Write) -> Result<bool> {
        let Some(session) = self.session(id)? else {
            return Ok(false);
        };
        self.write_line(&session, out, &mut |_| {})?;
        Ok(true)
    }

    /// Writes every session, the oldest first, so that a parent comes before its children.
    ///
    /// `progress` is called after each page of messages with what is written so far.
    ///
    /// # Errors
    /// As [`export_session`](Self::export_session), and [`Error::UnknownSession`] for an id in
    /// `options` that is not there.
    pub fn export(
        &self,
        options: &ExportOptions,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(Exported),
    ) -> Result<Exported> {
        let mut done = Exported::default();
        let mut write = |session: &Session| {
            let before = done.messages;
            let messages = self.write_line(session, out, &mut |messages| {
                progress(Exported {
                    messages: before + messages,
                    ..done
                });
            })?;
            done = Exported {
                sessions: done.sessions + 1,
                messages: before + messages,
            };
            progress(done);
            Ok(())
        };
        if let Some(ids) = &options.ids {
            for id in ids {
                let session = self
                    .session(id)?
                    .ok_or_else(|| Error::UnknownSession { id: id.to_string() })?;
                write(&session)?;
            }
            return Ok(done);
        }
        let mut after = None;
        while let Some((session, place)) = self.next_session(options, after.as_ref())? {
            write(&session)?;
            after = Some(place);
        }
        Ok(done)
    }

    /// The session behind a place in the order (started_at, rowid), and its own place. Values
    /// instead of numbers: a file may hold anything as a time, and still every session has a place.
    fn next_session(
        &self,
        options: &ExportOptions,
        after: Option<&[Sql; 2]>,
    ) -> Result<Option<(Session, [Sql; 2])>> {
        self.read(|conn, layout| {
            let mut clauses = vec!["1".to_owned()];
            let mut values: Vec<Sql> = Vec::new();
            if let Some(place) = after {
                clauses.push("(s.started_at, s.rowid) > (?, ?)".to_owned());
                values.extend(place.iter().cloned());
            }
            if !options.sources.is_empty() {
                let marks = vec!["?"; options.sources.len()].join(", ");
                clauses.push(format!("s.source IN ({marks})"));
                values.extend(options.sources.iter().cloned().map(Sql::Text));
            }
            let sql = format!(
                "SELECT {}, s.started_at, s.rowid FROM sessions s WHERE {}
                 ORDER BY s.started_at, s.rowid LIMIT 1",
                layout.sessions.select,
                clauses.join(" AND ")
            );
            let place_at = Session::COLUMNS.len() + layout.sessions.extra.len();
            conn.prepare_cached(&sql)?
                .query_row(params_from_iter(values), |row| {
                    let session = Session::read(row, &layout.sessions.extra)?;
                    Ok((session, [row.get(place_at)?, row.get(place_at + 1)?]))
                })
                .optional()
        })
    }

    /// Writes a session's line and returns how many messages it holds.
    fn write_line(
        &self,
        session: &Session,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        let head = serde_json::to_string(session).map_err(|e| output(e.into()))?;
        // The object stays open for its last key, the messages.
        let head = head.strip_suffix('}').unwrap_or(&head);
        write!(out, "{head}, \"messages\": [").map_err(output)?;
        let mut written = 0;
        let mut page = MessagePage::default();
        loop {
            let messages = self.all_messages(session.id.as_str(), page)?;
            let Some(last) = messages.last() else { break };
            page.after = Some(last.id);
            for message in &messages {
                if written > 0 {
                    out.write_all(b", ").map_err(output)?;
                }
                serde_json::to_writer(&mut *out, message).map_err(|e| output(e.into()))?;
                written += 1;
            }
            progress(written);
        }
        out.write_all(b"]}\n").map_err(output)?;
        Ok(written)
    }
}

fn output(source: io::Error) -> Error {
    Error::Stream {
        doing: "writing the export",
        source,
    }
}
