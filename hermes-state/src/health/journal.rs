//! The journal that a store has, and the one that was chosen for it.

use std::path::Path;

use rusqlite::Connection;

use super::Fault;
use super::report::{Findings, Report};
use super::restore::refuse_while_open;
use crate::error::Result;
use crate::journal::{self, JournalChange, JournalMode};
use crate::open;

/// Gives a store another journal, and notes the choice in it: a store with a rollback journal is not
/// given a log again by whoever opens it next. A Python Hermes does not know of that, and may.
///
/// # Errors
/// [`Error::Locked`](crate::Error::Locked) while others have the store open,
/// [`Error::MigrationNeeded`](crate::Error::MigrationNeeded) and its like, and those of every write.
pub fn set_journal(path: impl AsRef<Path>, mode: JournalMode) -> Result<JournalChange> {
    let path = open::existing(path.as_ref())?;
    refuse_while_open(&path)?;
    open::check_folder_is_writable(&path)?;
    journal::set(&path, mode)
}

/// What cannot be read here is a finding of the rows.
pub(super) fn check(conn: &Connection, report: &Report, findings: &mut Findings) {
    let has_log = report.journal_mode.as_deref() == Some(JournalMode::Wal.name());
    if has_log && journal::is_delete_chosen(conn).unwrap_or(false) {
        let message = "the store has a write-ahead log again, and a rollback journal was chosen for it: `hermesctl db journal delete` changes it while nobody has the store open";
        findings.add(Fault::JournalDiffers, "journal", 1, message.to_owned());
    }
}
