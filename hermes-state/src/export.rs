//! Export: one JSON object per line, one line per session, in the shape of Hermes' own export.
//!
//! A line is written in pages, each read by a call of its own: a session of any length passes
//! through a few megabytes of memory, and a slow reader at the other end holds no transaction
//! open. The price is that an export of a store in use is not a snapshot of one moment.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension, params, params_from_iter};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::message::{Message, MessagePage};
use crate::record::column;
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
    /// In which order, unless `ids` says.
    pub order: ExportOrder,
}

/// The order of the sessions in an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportOrder {
    /// The oldest first: a parent comes before its children.
    #[default]
    Started,
    /// The latest active first, as Hermes' own export of everything has it. Each session's
    /// `last_active` is with it.
    LastActive,
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
        write!(out, "{}{MESSAGES}", object(&session)?).map_err(output)?;
        self.write_messages(&session, 0, out)?;
        out.write_all(END).map_err(output)?;
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
        let (parts, read) = sync_channel(1);
        thread::scope(|scope| {
            let reader = || {
                if let Err(error) = self.send_parts(options, &parts) {
                    // Where nobody takes it, the output has failed.
                    let _ = parts.send(Err(error));
                }
                drop(parts);
            };
            let spawned = thread::Builder::new().spawn_scoped(scope, reader);
            spawned.map_err(|e| Error::Io {
                path: self.path().to_path_buf(),
                source: e.into(),
            })?;
            write_parts(read, out, progress)
        })
    }

    /// Sends what an export consists of, until nobody takes it.
    fn send_parts(&self, options: &ExportOptions, to: &SyncSender<Result<Part>>) -> Result<()> {
        let send = |part| to.send(Ok(part)).map_err(|_| Error::Stopping);
        self.each_session(options, &mut |session, last_active| {
            let mut head = object(session)?;
            if let Some(time) = last_active {
                head.push_str(", \"last_active\": ");
                head.push_str(&object(&time)?);
            }
            send(Part::Session(head))?;
            self.each_page(session, &mut |messages| send(Part::Messages(messages)))?;
            send(Part::End)
        })
    }

    /// Writes a session together with those that it continues after a compression, and that
    /// continue it, as one line: the columns of the last one, `messages` of all, each session by
    /// itself in `segments`, and `lineage_session_ids`. Returns how many sessions that are; 0, and
    /// nothing is written, if there is no such session.
    ///
    /// # Errors
    /// As [`export_session`](Self::export_session).
    pub fn export_session_lineage(&self, id: impl AsRef<str>, out: &mut dyn Write) -> Result<u64> {
        let ids = self.compression_family(id)?;
        let mut sessions = Vec::new();
        for id in &ids {
            sessions.extend(self.session(id)?);
        }
        let Some(mut last) = sessions.last().cloned() else {
            return Ok(0);
        };
        let counts = sessions.iter().filter_map(|s| s.message_count);
        last.message_count = Some(counts.fold(0, i64::saturating_add));
        write!(out, "{}{MESSAGES}", object(&last)?).map_err(output)?;
        let mut written = 0;
        for session in &sessions {
            written = self.write_messages(session, written, out)?;
        }
        out.write_all(b"], \"segments\": [").map_err(output)?;
        for (n, session) in sessions.iter().enumerate() {
            write!(
                out,
                "{}{}{MESSAGES}",
                if n > 0 { ", " } else { "" },
                object(session)?
            )
            .map_err(output)?;
            self.write_messages(session, 0, out)?;
            out.write_all(b"]}").map_err(output)?;
        }
        let ids = serde_json::to_string(&ids).map_err(|e| output(e.into()))?;
        writeln!(out, "], \"lineage_session_ids\": {ids}}}").map_err(output)?;
        Ok(sessions.len() as u64)
    }

    /// Calls `each` with every session that the options name, in their order, and the time of its
    /// last activity where the order knows it.
    pub(crate) fn each_session(
        &self,
        options: &ExportOptions,
        each: &mut dyn FnMut(&Session, Option<f64>) -> Result<()>,
    ) -> Result<()> {
        if let Some(ids) = &options.ids {
            for id in ids {
                let session = self
                    .session(id)?
                    .ok_or_else(|| Error::UnknownSession { id: id.to_string() })?;
                each(&session, None)?;
            }
            return Ok(());
        }
        match options.order {
            ExportOrder::Started => {
                let mut after = None;
                while let Some((session, place)) = self.next_session(options, after.as_ref())? {
                    each(&session, None)?;
                    after = Some(place);
                }
            }
            ExportOrder::LastActive => {
                for (id, last_active) in self.by_last_activity(options)? {
                    // It may have been deleted since.
                    if let Some(session) = self.session(&id)? {
                        each(&session, Some(last_active))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn by_last_activity(&self, options: &ExportOptions) -> Result<Vec<(SessionId, f64)>> {
        let sources = serde_json::Value::from(options.sources.clone()).to_string();
        self.read(|conn, _| {
            conn.prepare_cached(BY_LAST_ACTIVITY)?
                .query_map(params![sources], |row| {
                    Ok((column(row, 0)?, column(row, 1)?))
                })?
                .collect()
        })
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

    /// Writes a session's messages behind those that are `written` already; returns how many they
    /// are then.
    fn write_messages(
        &self,
        session: &Session,
        mut written: u64,
        out: &mut dyn Write,
    ) -> Result<u64> {
        self.each_page(session, &mut |messages| {
            written = write_page(&messages, written, out)?;
            Ok(())
        })?;
        Ok(written)
    }

    fn each_page(
        &self,
        session: &Session,
        each: &mut dyn FnMut(Vec<Message>) -> Result<()>,
    ) -> Result<()> {
        let mut page = MessagePage::default();
        loop {
            let messages = self.all_messages(session.id.as_str(), page)?;
            let Some(last) = messages.last() else {
                return Ok(());
            };
            page.after = Some(last.id);
            each(messages)?;
        }
    }
}

/// What an export consists of: each session is its head, pages of messages, and an end.
enum Part {
    Session(String),
    Messages(Vec<Message>),
    End,
}

/// Writes what another thread reads: a processor reads while another makes it text.
fn write_parts(
    parts: Receiver<Result<Part>>,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(Exported),
) -> Result<Exported> {
    let mut done = Exported::default();
    let mut written = 0;
    for part in parts {
        match part? {
            Part::Session(head) => {
                write!(out, "{head}{MESSAGES}").map_err(output)?;
                written = 0;
            }
            Part::Messages(messages) => {
                let before = written;
                written = write_page(&messages, written, out)?;
                done.messages += written - before;
                progress(done);
            }
            Part::End => {
                out.write_all(END).map_err(output)?;
                done.sessions += 1;
                progress(done);
            }
        }
    }
    Ok(done)
}

/// Writes messages behind those that are `written` already; returns how many they are then.
fn write_page(messages: &[Message], mut written: u64, out: &mut dyn Write) -> Result<u64> {
    // Serialised in many small steps: not each of them is to go through `dyn Write`.
    let mut text = Vec::new();
    for message in messages {
        text.clear();
        if written > 0 {
            text.extend_from_slice(b", ");
        }
        serde_json::to_writer(&mut text, message).map_err(|e| output(e.into()))?;
        out.write_all(&text).map_err(output)?;
        written += 1;
    }
    Ok(written)
}

/// What stands before the messages of a session, and after them.
const MESSAGES: &str = ", \"messages\": [";
const END: &[u8] = b"]}\n";

const BY_LAST_ACTIVITY: &str = "SELECT s.id, COALESCE(
        (SELECT MAX(m.timestamp) FROM messages m
         WHERE m.session_id = s.id AND typeof(m.timestamp) IN ('real', 'integer')),
        s.started_at) AS last_active
    FROM sessions s WHERE ?1 = '[]' OR s.source IN (SELECT value FROM json_each(?1))
    ORDER BY last_active DESC, s.started_at DESC, s.id DESC";

/// A value as JSON; an object without its last brace, for more keys to follow.
fn object(value: &impl Serialize) -> Result<String> {
    let mut text = serde_json::to_string(value).map_err(|e| output(e.into()))?;
    if text.ends_with('}') {
        text.pop();
    }
    Ok(text)
}

pub(crate) fn output(source: io::Error) -> Error {
    Error::Stream {
        doing: "writing the export",
        source,
    }
}
