//! What a check found, and the facts beside.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::Serialize;

use super::{Depth, Fault, Repair, Severity};
use crate::error::{Error, Holder, Result};
use crate::open::wal_bytes;

/// Examples that a finding names.
pub(super) const EXAMPLES: usize = 5;

/// A fault in a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of fault.
    pub id: Fault,
    /// How bad it is.
    pub severity: Severity,
    /// The table, index or part of the file.
    pub object: String,
    /// How many rows or places are affected.
    pub count: u64,
    /// What is wrong, in one line.
    pub message: String,
    /// The first of them: ids of rows or sessions, or what SQLite said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// What puts it right.
    pub repair: Repair,
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The file, links resolved.
    pub path: PathBuf,
    /// How closely it was looked at.
    pub depth: Depth,
    /// What is wrong, the worst first.
    pub findings: Vec<Finding>,
    /// The schema version, where it could be read.
    pub schema_version: Option<i64>,
    /// `wal`, `delete`, …, where it could be read.
    pub journal_mode: Option<String>,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of the write-ahead log beside it.
    pub wal_bytes: u64,
    /// Bytes of a page, where known.
    pub page_size: Option<u64>,
    /// Rows of `sessions`, where they could be counted.
    pub sessions: Option<u64>,
    /// Rows of `messages`, where they could be counted.
    pub messages: Option<u64>,
    /// Other processes that have the file open, where the system tells (Linux).
    pub holders: Vec<Holder>,
    /// The SQLite in use here.
    pub sqlite_version: &'static str,
}

impl Report {
    pub(super) fn new(path: &Path, depth: Depth) -> Report {
        Report {
            path: path.to_path_buf(),
            depth,
            findings: Vec::new(),
            schema_version: None,
            journal_mode: None,
            bytes: 0,
            wal_bytes: wal_bytes(path),
            page_size: None,
            sessions: None,
            messages: None,
            holders: Vec::new(),
            sqlite_version: rusqlite::version(),
        }
    }

    /// Whether there is no finding at all.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// How bad the worst finding is.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }

    /// Whether there is such a fault.
    pub fn has(&self, fault: Fault) -> bool {
        self.findings.iter().any(|finding| finding.id == fault)
    }

    /// Whether rows may be lost: the tables or the file's structure are damaged.
    pub fn loses_rows(&self) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.repair == Repair::Recover)
    }

    pub(super) fn read_facts(&mut self, conn: &Connection, path: &Path) -> Result<()> {
        let count = |sql: &str| {
            conn.query_row(sql, [], |row| row.get::<_, i64>(0))
                .ok()
                .and_then(|n| u64::try_from(n).ok())
        };
        let mode = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0));
        self.journal_mode = Some(mode.map_err(|e| Error::from_sqlite(path, e))?);
        self.page_size = count("PRAGMA page_size");
        self.sessions = count("SELECT COUNT(*) FROM sessions");
        self.messages = count("SELECT COUNT(*) FROM messages");
        Ok(())
    }
}

/// Findings as they come.
#[derive(Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    pub(crate) fn add(
        &mut self,
        id: Fault,
        object: impl Into<String>,
        count: u64,
        message: impl Into<String>,
    ) {
        self.add_with(id, object, count, message, Vec::new());
    }

    pub(crate) fn add_with(
        &mut self,
        id: Fault,
        object: impl Into<String>,
        count: u64,
        message: impl Into<String>,
        examples: Vec<String>,
    ) {
        self.0.push(Finding {
            id,
            severity: id.severity(),
            object: object.into(),
            count,
            message: message.into(),
            examples,
            repair: id.repair(),
        });
    }

    /// What was found last is one of those that nothing here repairs.
    pub(super) fn last_stays(&mut self) {
        if let Some(finding) = self.0.last_mut() {
            finding.repair = Repair::None;
        }
    }

    /// A part of the check that could not be done counts as failed. What SQLite calls damaged is
    /// told so.
    pub(crate) fn failed(
        &mut self,
        fault: Fault,
        object: &str,
        what: &str,
        error: &rusqlite::Error,
    ) {
        let damaged = matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseCorrupt)
        );
        // Whatever keeps the full-text index from being read is a reason to make it anew.
        let fault = if damaged || fault == Fault::SearchDamaged {
            fault
        } else {
            Fault::CheckFailed
        };
        // What fails because of damage that was told before tells nothing new.
        let told = self.0.iter().any(|found| {
            (found.id == fault && found.object == object)
                || (damaged && matches!(found.id, Fault::TableDamaged | Fault::IndexDamaged))
        });
        if !told {
            self.add(fault, object, 1, format!("{object} {what}: {error}"));
        }
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.0.iter().any(|finding| finding.id == fault)
    }

    pub(crate) fn messages(self) -> Vec<String> {
        self.0.into_iter().map(|finding| finding.message).collect()
    }

    pub(super) fn sorted(mut self) -> Vec<Finding> {
        self.0
            .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self.0
    }
}
