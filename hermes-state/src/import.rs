//! Import: what [`export`](crate::Store::export) and Hermes' own export write, one session a line.
//!
//! A line is taken apart by columns, not through the types of this crate, so that whatever a
//! session row held comes back. Each session is one transaction: it is there whole or not at all,
//! and one that cannot be read does not stop the others. A long session is stored in several, so that
//! others can write in between; until it is whole, its end reason says so.

mod line;
mod options;
mod place;
mod reference;
mod staged;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead};

use serde::Serialize;

use crate::delete::DeleteOptions;
use crate::error::{Error, Result};
use crate::pace::Pace;
use crate::schema::Layout;
use crate::session::SessionId;
use crate::store::Store;
use crate::write::Patience;
use line::Line;
pub use options::{Existing, ImportLimits, ImportOptions, Titles};
use place::{Earlier, Placed, attach, could_attach, place, plan};
pub use reference::{ImportOutcome, RejectedSession};

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
    /// The ids of the sessions imported.
    #[serde(skip)]
    pub imported: Vec<SessionId>,
    /// Sessions left as they are, because the store has one with this id.
    pub skipped: Vec<SessionId>,
    /// Sessions whose parent is neither in the store nor in the input (or is their own
    /// descendant): imported without a parent.
    pub detached: Vec<SessionId>,
    /// Sessions that the store has already, imported under another id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copied: Vec<Copied>,
    /// Sessions of the store that were replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overwritten: Vec<SessionId>,
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

/// A session imported under another id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Copied {
    /// Its id in the input.
    pub from: SessionId,
    /// The id it got.
    pub to: SessionId,
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
        self.import_with(&ImportOptions::default(), input, progress)
    }

    /// [`import`](Self::import) with options.
    ///
    /// # Errors
    /// As [`import`](Self::import). With [`all_or_nothing`](ImportOptions::all_or_nothing) a line
    /// that cannot be imported is no error either: it is in the report, and nothing was imported.
    pub fn import_with(
        &self,
        options: &ImportOptions,
        input: &mut dyn BufRead,
        progress: &mut dyn FnMut(ImportProgress),
    ) -> Result<ImportReport> {
        if !options.dry_run {
            self.finish_deletions(&DeleteOptions::new())?;
        }
        let mut run = Run {
            store: self,
            options,
            now: self.now()?,
            report: ImportReport::default(),
            earlier: Earlier::default(),
            seen: HashSet::new(),
            waiting: Vec::new(),
            held: Vec::new(),
            totals: Totals::default(),
            pace: Pace::new(),
        };
        let mut bytes = 0;
        let mut number = 0;
        while let Some(line) = read_line(input)? {
            number += 1;
            bytes += line.len() as u64;
            run.line(line, number)?;
            progress(ImportProgress {
                bytes,
                sessions: run.report.sessions,
                messages: run.report.messages,
            });
        }
        run.finish()
    }

    /// Imports sessions that are in memory, all or none of them.
    fn import_at_once(
        &self,
        options: &ImportOptions,
        lines: &[(u64, Line)],
    ) -> Result<Result<ImportReport, ImportError>> {
        let failed = RefCell::new(None);
        let outcome = self.write(Patience::Append, |tx| {
            failed.replace(None);
            let mut report = ImportReport::default();
            let mut earlier = Earlier::default();
            let mut waiting = Vec::new();
            for (number, line) in lines {
                let placed = tx
                    .sqlite(|conn| plan(conn, line, options, &earlier))
                    .and_then(|plan| place(tx, line, plan));
                let problem = match placed {
                    Ok(Placed::Refused(problem)) => problem,
                    Ok(placed) => {
                        report.take(line, placed, &mut waiting, &mut earlier);
                        continue;
                    }
                    Err(Error::Sqlite { source, .. }) => source.to_string(),
                    Err(e) => return Err(e),
                };
                failed.replace(Some(ImportError {
                    line: *number,
                    session_id: Some(line.id.clone()),
                    problem: problem.clone(),
                }));
                return Err(Error::Invalid {
                    what: "import",
                    problem,
                });
            }
            for (child, parent) in waiting {
                if !attach(tx, child.as_str(), &parent)? {
                    report.detached.push(child);
                }
            }
            Ok(report)
        });
        match (outcome, failed.into_inner()) {
            (Ok(report), _) => Ok(Ok(report)),
            (Err(Error::Invalid { .. }), Some(error)) => Ok(Err(error)),
            (Err(e), _) => Err(e),
        }
    }
}

/// A session of more messages may take so long that others would wait for it.
const LONG: usize = 100;

/// One import under way.
struct Run<'a> {
    store: &'a Store,
    options: &'a ImportOptions,
    now: f64,
    report: ImportReport,
    /// What a dry run would have stored, and what copies are called.
    earlier: Earlier,
    seen: HashSet<SessionId>,
    /// Sessions whose parent was not there yet.
    waiting: Vec<(SessionId, String)>,
    /// What is stored at the end, all or nothing.
    held: Vec<(u64, Line)>,
    totals: Totals,
    pace: Pace,
}

/// What counts against the limits.
#[derive(Default)]
struct Totals {
    sessions: u64,
    messages: u64,
    bytes: u64,
}

impl Run<'_> {
    fn line(&mut self, bytes: Vec<u8>, number: u64) -> Result<()> {
        let layout = self.store.layout();
        match self.checked(bytes, &layout) {
            Ok(None) => Ok(()),
            Ok(Some(line)) if self.options.all_or_nothing && !self.options.dry_run => {
                self.held.push((number, line));
                Ok(())
            }
            Ok(Some(line)) => self.store(&line, number),
            Err((session_id, problem)) => {
                self.report.errors.push(ImportError {
                    line: number,
                    session_id,
                    problem,
                });
                Ok(())
            }
        }
    }

    fn checked(
        &mut self,
        bytes: Vec<u8>,
        layout: &Layout,
    ) -> Result<Option<Line>, (Option<SessionId>, String)> {
        let limits = self.options.limits.as_ref();
        let size = bytes.len() as u64;
        if limits.is_some_and(|limits| size > limits.bytes_per_session) {
            return Err((None, "session exceeds the import size limit".to_owned()));
        }
        let Some(line) = Line::parse(bytes, layout, self.now)? else {
            return Ok(None);
        };
        let messages = line.len() as u64 + line.inactive;
        let mut problem = None;
        if let Some(limits) = limits {
            problem = self.totals.add(limits, messages, size);
        }
        if problem.is_none() && !self.seen.insert(line.id.clone()) {
            problem = Some("is in the input twice".to_owned());
        }
        match problem {
            Some(problem) => Err((Some(line.id), problem)),
            None => Ok(Some(line)),
        }
    }

    fn store(&mut self, line: &Line, number: u64) -> Result<()> {
        let earlier = &self.earlier;
        let placed = if self.options.dry_run {
            let plan = self
                .store
                .read(|conn, _| plan(conn, line, self.options, earlier))?;
            Ok(plan.into_placed())
        } else if line.len() > LONG {
            self.store
                .place_in_stages(line, self.options, earlier, &mut self.pace)
        } else {
            self.pace.pause_if_due(self.store);
            let timed = self.pace.time(|begun| {
                self.store.write(Patience::Append, |tx| {
                    begun();
                    let plan = tx.sqlite(|conn| plan(conn, line, self.options, earlier))?;
                    place(tx, line, plan)
                })
            });
            timed.map(|(placed, held)| {
                self.pace.learn(held, 0);
                placed
            })
        };
        let problem = match placed {
            Ok(Placed::Refused(problem)) => problem,
            Ok(placed) => {
                if self.options.dry_run {
                    self.earlier.remember(line, &placed);
                }
                self.report
                    .take(line, placed, &mut self.waiting, &mut self.earlier);
                return Ok(());
            }
            Err(Error::Sqlite { source, .. }) => source.to_string(),
            Err(e) => return Err(e),
        };
        self.report.errors.push(ImportError {
            line: number,
            session_id: Some(line.id.clone()),
            problem,
        });
        Ok(())
    }

    fn finish(mut self) -> Result<ImportReport> {
        if self.options.all_or_nothing && !self.options.dry_run {
            if self.report.errors.is_empty() {
                match self.store.import_at_once(self.options, &self.held)? {
                    Ok(report) => return Ok(report),
                    Err(error) => self.report.errors.push(error),
                }
            }
            return Ok(self.report);
        }
        // Sessions whose parent came later in the input.
        for (child, parent) in std::mem::take(&mut self.waiting) {
            let attached = if self.options.dry_run {
                self.store
                    .read(|conn, _| could_attach(conn, child.as_str(), &parent, &self.earlier))?
            } else {
                self.store
                    .write(Patience::Append, |tx| attach(tx, child.as_str(), &parent))?
            };
            if attached && self.options.dry_run {
                self.earlier.link(child, parent);
            } else if !attached {
                self.report.detached.push(child);
            }
        }
        Ok(self.report)
    }
}

impl Totals {
    fn add(&mut self, limits: &ImportLimits, messages: u64, bytes: u64) -> Option<String> {
        self.sessions += 1;
        self.messages += messages;
        self.bytes += bytes;
        let problem = if self.sessions > limits.sessions {
            "is one session too many"
        } else if messages > limits.messages_per_session {
            "messages exceeds the per-session import limit"
        } else if self.messages > limits.messages {
            "messages exceeds the total import limit"
        } else if self.bytes > limits.bytes {
            "import exceeds the total size limit"
        } else {
            return None;
        };
        Some(problem.to_owned())
    }
}

impl ImportReport {
    fn take(
        &mut self,
        line: &Line,
        placed: Placed,
        waiting: &mut Vec<(SessionId, String)>,
        earlier: &mut Earlier,
    ) {
        let done = match placed {
            Placed::Skipped => return self.skipped.push(line.id.clone()),
            Placed::Refused(_) => return,
            Placed::Stored(done) => done,
        };
        self.sessions += 1;
        self.messages += line.len() as u64;
        self.inactive += line.inactive;
        for (column, rows) in &line.dropped {
            *self.dropped_columns.entry(column.clone()).or_default() += rows;
        }
        if let Some((from, to)) = done.retitled {
            self.retitled.push(Retitled {
                id: done.id.clone(),
                from,
                to,
            });
        }
        if done.id != line.id {
            earlier.copies.insert(line.id.to_string(), done.id.clone());
            self.copied.push(Copied {
                from: line.id.clone(),
                to: done.id.clone(),
            });
        }
        if done.overwrites {
            self.overwritten.push(done.id.clone());
        }
        if let Some(parent) = done.missing_parent {
            waiting.push((done.id.clone(), parent));
        }
        self.imported.push(done.id);
    }
}

/// The next line; `None` at the end of the input.
fn read_line(input: &mut dyn BufRead) -> Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut limited = io::Read::take(input, MAX_LINE_BYTES);
    let read = limited.read_until(b'\n', &mut line).map_err(input_error)?;
    if read as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
        let problem = format!("a line is longer than {MAX_LINE_BYTES} bytes");
        return Err(input_error(io::Error::new(
            io::ErrorKind::InvalidData,
            problem,
        )));
    }
    Ok((read > 0).then_some(line))
}

fn input_error(source: io::Error) -> Error {
    Error::Stream {
        doing: "reading the import",
        source,
    }
}
