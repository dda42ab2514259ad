//! A record of what was decided: one JSON line each, without secrets.
//!
//! Off unless a file is given. Several processes may write one file: a line is written under a lock
//! and in one piece, and a line that a killed process left half is ended before the next begins.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::{Map, Value};

use crate::grants::seconds;
use crate::locked_file::{beside, lock};
use crate::redact::redact_json;
use crate::{Error, Result, plain_file};

/// Where the record goes, and how much of it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditOptions {
    /// The file. Older ones are beside it, as `name.1` and so on; `name.lock` is the lock.
    pub path: PathBuf,
    /// The size in bytes at which a new file is begun: 8 MiB.
    pub max_bytes: u64,
    /// How many older files are kept: 4.
    pub keep: usize,
}

impl AuditOptions {
    /// A record in this file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            max_bytes: 8 << 20,
            keep: 4,
        }
    }
}

/// What is recorded of one command.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// When it was decided.
    pub at: SystemTime,
    /// The conversation.
    pub session_key: &'a str,
    /// The raw command.
    pub command: &'a str,
    /// What the analysis says, as JSON.
    pub verdict: &'a Value,
    /// What was decided, by whom, and why, as JSON.
    pub decision: &'a Value,
}

/// The record. One that is off writes nothing.
#[derive(Debug, Default)]
pub struct Audit {
    options: Option<AuditOptions>,
    /// Locks of a file do not hold between the threads of a process everywhere.
    turn: Mutex<()>,
}

impl Audit {
    /// No record.
    pub fn off() -> Self {
        Self::default()
    }

    /// A record with these options.
    pub fn new(options: AuditOptions) -> Self {
        Self {
            options: Some(options),
            turn: Mutex::default(),
        }
    }

    /// Whether anything is recorded.
    pub fn is_on(&self) -> bool {
        self.options.is_some()
    }

    /// Adds a line, with every secret taken out. The directory of the file must exist.
    pub fn record(&self, record: &Record<'_>) -> Result<()> {
        let Some(options) = &self.options else {
            return Ok(());
        };
        let line = line(record);
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        plain_file::refuse_others(&options.path)?;
        let _lock = lock(&options.path)?;
        options.make_room(line.len())?;
        options.append(&line)
    }
}

/// The line, with its end.
fn line(record: &Record<'_>) -> Vec<u8> {
    let mut fields = Map::new();
    fields.insert("session_key".to_owned(), record.session_key.into());
    fields.insert("command".to_owned(), record.command.into());
    fields.insert("verdict".to_owned(), record.verdict.clone());
    fields.insert("decision".to_owned(), record.decision.clone());
    let mut value = Value::Object(fields);
    redact_json(&mut value);
    let time = seconds(record.at);
    // Cut to milliseconds, which is what is needed to find it again.
    let mut line = format!("{{\"time\":{time:.3},").into_bytes();
    let rest = value.to_string();
    line.extend(rest.bytes().skip(1));
    line.push(b'\n');
    line
}

impl AuditOptions {
    /// Begins a new file if the line would make this one too long.
    fn make_room(&self, line: usize) -> Result<()> {
        let length = match fs::metadata(&self.path) {
            Ok(meta) => meta.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io("look at", &self.path)(error)),
        };
        if length == 0 || length.saturating_add(line as u64) <= self.max_bytes {
            return Ok(());
        }
        let older = |number: usize| beside(&self.path, &format!(".{number}"));
        if self.keep == 0 {
            return fs::remove_file(&self.path).map_err(Error::io("remove", &self.path));
        }
        // From the oldest on, each onto the one behind it; the last is written over.
        for number in (1..self.keep).rev() {
            rename_if_there(&older(number), &older(number + 1))?;
        }
        rename_if_there(&self.path, &older(1))
    }

    fn append(&self, line: &[u8]) -> Result<()> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = plain_file::open(&mut options, "open", &self.path)?;
        let ended = ends_with_line(&mut file).map_err(Error::io("read", &self.path))?;
        let mut whole = Vec::with_capacity(line.len() + 1);
        if !ended {
            whole.push(b'\n');
        }
        whole.extend_from_slice(line);
        file.write_all(&whole)
            .map_err(Error::io("write", &self.path))
    }
}

fn ends_with_line(file: &mut File) -> std::io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn rename_if_there(from: &Path, to: &Path) -> Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("rename", from)(error)),
        _ => Ok(()),
    }
}
