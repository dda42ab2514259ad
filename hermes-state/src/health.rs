//! Whether a store is sound, and what would put it right.
//!
//! SQLite's own check is no verdict on a store. It takes sound full-text indexes of another version
//! of itself for malformed, and does not compare an index with the messages. So this looks at
//! everything that a store relies on: the file, its schema, each table and index, the rows against
//! each other, the full-text index against the rows both ways, and whether a message can be written.
//! What it finds has a stable id, an object, a count, and the repair that fits.
//!
//! A check changes nothing. The live file is read through one read-only connection; a deep check
//! takes a private copy through it first, which nobody else sees, and works on that: others can go
//! on writing, and what must be written to be tried out is written there.

mod backup;
mod fault;
mod file;
mod index;
mod journal;
mod pages;
mod repair;
mod report;
mod restore;
mod rows;
mod tables;

use std::path::Path;

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::holders::holders;
use crate::migrate;
use crate::open;
use crate::schema::{self, Layout};
use crate::snapshot;
use crate::store::StoreOptions;

pub use crate::recover::{Recovered, TableRows};
pub use backup::{BackedUp, BackupOptions, backup};
pub use fault::{Fault, Repair, Severity};
pub use journal::set_journal;
pub use repair::{RepairPlan, Repaired, plan_repair, repair};
pub use report::{Finding, Report};
pub use restore::{RestoreOptions, Restored, restore};

pub(crate) use backup::make_readable;
pub(crate) use index::check_index;
pub(crate) use pages::{Pages, check_tables};
pub(crate) use report::Findings;
pub(crate) use tables::ordinary_indexes;

/// How closely a store is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// The structure of every page, and what ids and counts tell: seconds for a gigabyte. Damage
    /// inside the full-text index may be missed.
    Fast,
    /// Everything against everything, on a private copy in SQLite's folder for temporary files:
    /// minutes for a gigabyte, and as much room as the store has.
    #[default]
    Deep,
}

/// Checks the store at this path.
///
/// `progress` is told what is looked at next. The handles that this process has open do not matter.
///
/// ```
/// use hermes_state::health::{self, Depth};
///
/// # let home = tempfile::tempdir()?;
/// # let path = home.path().join("state.db");
/// # hermes_state::Store::open(&path)?;
/// let report = health::check(&path, Depth::Deep, &|_| {})?;
/// assert!(report.findings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where there is nothing to be checked: [`Error::NoStore`], [`Error::NotAFile`],
/// [`Error::NotADatabase`], [`Error::NotAHermesDatabase`], [`Error::PermissionDenied`],
/// [`Error::Locked`], [`Error::DiskFull`]. Damage of any kind is a finding.
pub fn check(
    path: impl AsRef<Path>,
    depth: Depth,
    progress: &dyn Fn(&'static str),
) -> Result<Report> {
    let path = open::existing(path.as_ref())?;
    progress("looking at the file");
    let mut report = Report::new(&path, depth);
    report.holders = holders(&path);
    let mut findings = Findings::default();
    file::check(&path, &mut report, &mut findings);
    match inside(&path, &mut report, &mut findings, progress) {
        Ok(()) => {}
        Err(Error::Corrupt { source, .. }) => {
            let (fault, message) = file::why_unreadable(&path, &source.to_string());
            findings.add(fault, "schema", 1, message);
        }
        Err(error @ Error::NotADatabase { .. }) => {
            let Some(message) = file::header_is_all_that_is_wrong(&path) else {
                return Err(error);
            };
            findings.add(Fault::HeaderDamaged, "header", 1, message);
        }
        Err(error @ Error::Io { .. }) => {
            findings.add(Fault::CheckFailed, "file", 1, error.problem());
        }
        Err(error) => return Err(error),
    }
    report.findings = findings.sorted();
    Ok(report)
}

/// What is in the database.
fn inside(
    path: &Path,
    report: &mut Report,
    findings: &mut Findings,
    progress: &dyn Fn(&'static str),
) -> Result<()> {
    let options = StoreOptions::new().read_only();
    let connected = open::connect_to_read(path, &options).and_then(|conn| {
        match open::retry(&options, path, || Layout::read(&conn, path).map(drop)) {
            Err(error @ Error::BadSchemaVersion { .. }) => {
                findings.add(
                    Fault::VersionUnreadable,
                    "schema_version",
                    1,
                    error.problem(),
                );
                // Of a newer version than is written.
                if matches!(schema::version_meant(&conn), Ok(None)) {
                    findings.last_stays();
                }
                Ok(conn)
            }
            read => read.map(|()| conn),
        }
    });
    let live = match connected {
        // Definitions that are there twice are read past: what else is wrong shall be known, too.
        Err(error @ Error::Corrupt { .. }) => {
            let Ok(Some((conn, doubles))) = migrate::reader_past_doubles(path, &options) else {
                return Err(error);
            };
            let message = format!(
                "{} twice in the schema: SQLite reads nothing of the file",
                crate::wording::counted(doubles, "definition")
            );
            findings.add(Fault::SchemaDoubled, "schema", doubles, message);
            conn
        }
        connected => connected?,
    };
    match report.depth {
        Depth::Fast => {
            live.execute_batch("BEGIN")
                .map_err(|e| Error::from_sqlite(path, e))?;
            report.read_facts(&live, path)?;
            content(&live, path, report, findings, progress)
        }
        Depth::Deep => {
            report.read_facts(&live, path)?;
            progress("making a private copy");
            let copy = snapshot::private_copy(&live, path, &options)?;
            drop(live);
            if findings.has(Fault::SchemaDoubled) {
                migrate::read_past_doubles(&copy).map_err(|e| Error::from_sqlite(path, e))?;
            }
            content(&copy, path, report, findings, progress)
        }
    }
}

fn content(
    conn: &Connection,
    path: &Path,
    report: &mut Report,
    findings: &mut Findings,
    progress: &dyn Fn(&'static str),
) -> Result<()> {
    let deep = report.depth == Depth::Deep;
    progress("checking tables and indexes");
    let pages = if deep {
        Pages::WithIndexes
    } else {
        Pages::Structure
    };
    check_tables(conn, pages, findings).map_err(|e| Error::from_sqlite(path, e))?;
    let layout = match Layout::read(conn, path) {
        Ok(Some(layout)) => layout,
        Ok(None) => {
            return Err(Error::NoStore {
                path: path.to_path_buf(),
            });
        }
        // Told before, and nothing is known of what the columns should be.
        Err(Error::BadSchemaVersion { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    report.schema_version = Some(layout.version);
    journal::check(conn, report, findings);
    progress("checking the schema");
    tables::check(conn, &layout, findings).map_err(|e| Error::from_sqlite(path, e))?;
    progress("checking the rows");
    rows::check(conn, &layout, deep, findings);
    progress("checking the full-text index");
    index::check(conn, &layout, deep, findings);
    Ok(())
}
