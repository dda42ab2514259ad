//! Putting a store right, with the least harm that does.

mod rows;

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde::Serialize;

use super::backup::{check_copy, counts, draft_beside, place};
use super::restore::{put_aside, refuse_while_open};
use super::tables::ordinary_indexes;
use super::{Depth, Fault, Repair, Report, check};
use crate::error::{Error, Result};
use crate::migrate::{self, MigrationBackup};
use crate::open::{self, SIDE_FILES, side_file};
use crate::recover::{self, Recovered, header};
use crate::reindex;
use crate::schema::{NEWEST_WRITABLE_VERSION, quoted};
use crate::snapshot::{self, beside};
use crate::store::StoreOptions;

/// Damage can hide other damage: after so many rounds what is left is told.
const ROUNDS: usize = 4;

/// What a repair would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RepairPlan {
    /// What is wrong.
    pub report: Report,
    /// What would be done about it, in order.
    pub steps: Vec<Repair>,
}

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Repaired {
    /// What was done, in order; nothing if nothing could be.
    pub steps: Vec<Repair>,
    /// The store as it was before: a checked copy, or the damaged file itself with its side files.
    pub backup: Option<PathBuf>,
    /// The rows that were saved and lost, where they were read page by page.
    pub recovered: Option<Recovered>,
    /// The check before.
    pub before: Report,
    /// The same check after.
    pub after: Report,
}

/// Says what a repair would do. Changes nothing.
///
/// # Errors
/// Those of [`check`](super::check()).
pub fn plan_repair(path: impl AsRef<Path>, progress: &dyn Fn(&'static str)) -> Result<RepairPlan> {
    let report = check(path, Depth::Deep, progress)?;
    Ok(RepairPlan {
        steps: steps(&report),
        report,
    })
}

/// Repairs a store, with the least harm first, and checks it again.
///
/// A copy of what is there is made before anything is changed; its rows are counted. Where tables
/// or the file itself are damaged, the rows are read page by page from a copy into a new file, and the
/// damaged one is kept under another name. Nobody may have the store open, this process included.
///
/// # Errors
/// [`Error::Locked`] while others have the store open, [`Error::SchemaTooNew`],
/// [`Error::Corrupt`] if nothing of it can be read, and those of [`check`](super::check()) and of every
/// write. The store, or what was left of it, is at its place or under the name of the copy then.
pub fn repair(path: impl AsRef<Path>, progress: &dyn Fn(&'static str)) -> Result<Repaired> {
    let path = open::existing(path.as_ref())?;
    refuse_while_open(&path)?;
    let before = check(&path, Depth::Deep, progress)?;
    if let Some(found) = before.schema_version
        && found > NEWEST_WRITABLE_VERSION
    {
        return Err(too_new(&path, found));
    }
    let mut done = Repaired {
        steps: Vec::new(),
        backup: None,
        recovered: None,
        after: before.clone(),
        before,
    };
    for _ in 0..ROUNDS {
        let steps = steps(&done.after);
        // What did not help the first time does not help the second.
        if steps.iter().all(|step| done.steps.contains(step)) {
            break;
        }
        refuse_while_open(&path)?;
        open::check_folder_is_writable(&path)?;
        if steps.contains(&Repair::Recover) {
            recover(&path, &mut done, progress)?;
        } else {
            if done.backup.is_none() {
                progress("copying the store");
                done.backup = Some(copy_before(&path)?);
            }
            let report = done.after.clone();
            match in_place(&path, &report, &steps, progress) {
                Ok(()) => {}
                // More is damaged than could be seen.
                Err(Error::Corrupt { source, .. }) => {
                    tracing::warn!(error = %source, "the store cannot be repaired in its place");
                    recover(&path, &mut done, progress)?;
                }
                Err(error) => return Err(error),
            }
            for step in steps {
                if !done.steps.contains(&step) {
                    done.steps.push(step);
                }
            }
        }
        done.after = check(&path, Depth::Deep, progress)?;
    }
    Ok(done)
}

fn too_new(path: &Path, found: i64) -> Error {
    Error::SchemaTooNew {
        path: path.to_path_buf(),
        found,
        supported: NEWEST_WRITABLE_VERSION,
    }
}

/// The repairs that the findings call for, in the order in which they are done.
fn steps(report: &Report) -> Vec<Repair> {
    let mut steps: Vec<Repair> = report
        .findings
        .iter()
        .map(|finding| finding.repair)
        .filter(|repair| *repair != Repair::None)
        .collect();
    if steps.contains(&Repair::Recover) {
        // A new file has all that these would do.
        steps.retain(|step| matches!(step, Repair::Recover | Repair::TightenModes));
    }
    steps.sort_by_key(|step| order(*step));
    steps.dedup();
    steps
}

/// Rows come before the full-text index that is made from them.
fn order(step: Repair) -> u8 {
    match step {
        Repair::None | Repair::TightenModes => 0,
        Repair::DeduplicateSchema => 1,
        Repair::SetVersion | Repair::Reindex => 2,
        Repair::Migrate => 3,
        Repair::CreateIndexes => 4,
        Repair::RebuildIndex => 8,
        Repair::Checkpoint => 9,
        Repair::Vacuum => 10,
        Repair::Recover => 11,
        _ => 5,
    }
}

/// A copy of the store as it is, with what is wrong with it.
fn copy_before(path: &Path) -> Result<PathBuf> {
    let to = beside(path, "before-repair");
    snapshot::copy_file(path, &to)?;
    let count = |path: &Path| {
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .and_then(|conn| counts(&conn))
            .ok()
    };
    if count(path) != count(&to) {
        return Err(Error::Corrupt {
            path: to,
            source: "the copy does not hold as many rows as the store".into(),
        });
    }
    Ok(to)
}

fn in_place(
    path: &Path,
    report: &Report,
    steps: &[Repair],
    progress: &dyn Fn(&'static str),
) -> Result<()> {
    for step in steps {
        progress(step.describe());
        match step {
            Repair::TightenModes => open::tighten(path),
            Repair::RebuildIndex | Repair::Migrate => {
                let options = StoreOptions::new()
                    .existing_only()
                    .migration_backup(MigrationBackup::Never);
                let store = options.open(path)?;
                if *step == Repair::RebuildIndex {
                    reindex::rebuild(&store, &|_| {})?;
                } else {
                    store.complete_index(None, &|_| {})?;
                }
            }
            step => {
                let conn = connect(path)?;
                let sqlite = |e| Error::from_sqlite(path, e);
                match step {
                    Repair::DeduplicateSchema => {
                        let options = StoreOptions::new().migration_backup(MigrationBackup::Never);
                        migrate::mend_schema(&conn, path, &options).map(drop)?;
                    }
                    Repair::Reindex => reindex_damaged(&conn, report).map_err(sqlite)?,
                    Repair::CreateIndexes => create_indexes(&conn).map_err(sqlite)?,
                    Repair::Checkpoint => conn
                        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                        .map_err(sqlite)?,
                    Repair::Vacuum => conn.execute_batch("VACUUM").map_err(sqlite)?,
                    step => rows::mend(&conn, *step).map_err(sqlite)?,
                }
            }
        }
    }
    Ok(())
}

pub(super) fn connect(path: &Path) -> Result<Connection> {
    let sqlite = |e| Error::from_sqlite(path, e);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(sqlite)?;
    conn.busy_timeout(StoreOptions::new().write_budget.busy_timeout)
        .map_err(sqlite)?;
    Ok(conn)
}

fn reindex_damaged(conn: &Connection, report: &Report) -> rusqlite::Result<()> {
    let damaged = report
        .findings
        .iter()
        .filter(|finding| finding.id == Fault::IndexDamaged);
    for finding in damaged {
        let index = &finding.object;
        match conn.execute_batch(&format!("REINDEX {}", quoted(index))) {
            // Its pages cannot even be given back.
            Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
                define_again(conn, index, e)?;
            }
            done => done?,
        }
    }
    Ok(())
}

/// Takes an index out of the schema, without its pages, and makes it anew.
fn define_again(conn: &Connection, index: &str, damage: rusqlite::Error) -> rusqlite::Result<()> {
    let defined = conn.query_row(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ?1",
        [index],
        |row| row.get::<_, Option<String>>(0),
    )?;
    // One that keeps a table's own promise has no definition: then the table is read anew.
    let sql = defined.ok_or(damage)?;
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let outcome = reindex::with_writable_schema(conn, |conn| {
        conn.execute(
            "DELETE FROM sqlite_master WHERE type = 'index' AND name = ?1",
            [index],
        )
    })
    .and_then(|_| conn.execute_batch(&sql))
    .and_then(|()| conn.execute_batch("COMMIT"));
    if outcome.is_err() && !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK")?;
    }
    outcome
}

fn create_indexes(conn: &Connection) -> rusqlite::Result<()> {
    for (_, sql) in ordinary_indexes() {
        conn.execute_batch(&sql)?;
    }
    Ok(())
}

/// Makes a new file of what can be read, and puts it in the place of the damaged one.
fn recover(path: &Path, done: &mut Repaired, progress: &dyn Fn(&'static str)) -> Result<()> {
    progress(Repair::Recover.describe());
    let folder = draft_beside(path);
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(&folder)
        .map_err(|e| open::system_error(&folder, e))?;
    let outcome = recover_in(path, &folder, done);
    if let Err(error) = fs::remove_dir_all(&folder) {
        tracing::warn!(%error, folder = %folder.display(), "drafts of the repair stay behind");
    }
    outcome
}

fn recover_in(path: &Path, folder: &Path, done: &mut Repaired) -> Result<()> {
    let copy = folder.join("copy.db");
    for suffix in ["", "-wal", "-journal"] {
        let file = side_file(path, suffix);
        if file.exists() {
            // Nobody has it open, this process neither: no lock goes with the descriptor.
            fs::copy(&file, side_file(&copy, suffix)).map_err(|e| open::system_error(&file, e))?;
        }
    }
    settle(&copy)?;
    let (new, recovered) = if check_copy(&copy).is_ok_and(|found| found.findings.is_empty()) {
        // Only the first bytes, or the side files, were wrong.
        (copy, None)
    } else {
        let new = folder.join("new.db");
        let recovered = recover::rebuild(&copy, &new)?;
        (new, Some(recovered))
    };
    finish(&new)?;
    let checked = check_copy(&new)?;
    if checked.sessions == 0 && checked.messages == 0 {
        return Err(Error::Corrupt {
            path: path.to_path_buf(),
            source: "no row of it can be read".into(),
        });
    }
    let aside = beside(path, "damaged");
    // A copy from before the first round is the better witness; both stay.
    done.backup.get_or_insert_with(|| aside.clone());
    refuse_while_open(path)?;
    put_aside(path, &aside)?;
    place(&new, path)?;
    done.recovered = recovered.or(done.recovered.take());
    done.steps.push(Repair::Recover);
    Ok(())
}

/// Brings what is in the log of the copy into its file, as far as SQLite can.
fn settle(copy: &Path) -> Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    let first = header_of(copy).map_err(|e| open::system_error(copy, e))?;
    if header::Header::read(&first).is_some() && !first.starts_with(header::MAGIC) {
        let mended = fs::OpenOptions::new()
            .write(true)
            .open(copy)
            .and_then(|mut file| {
                file.seek(SeekFrom::Start(0))?;
                file.write_all(header::MAGIC)
            });
        mended.map_err(|e| open::system_error(copy, e))?;
    }
    let settled = connect(copy).and_then(|conn| {
        migrate::read_past_doubles(&conn)
            .and_then(|()| {
                conn.query_row("PRAGMA journal_mode = DELETE", [], |row| {
                    row.get::<_, String>(0)
                })
            })
            .map_err(|e| Error::from_sqlite(copy, e))
    });
    if let Err(error) = settled {
        tracing::warn!(%error, "the log of the damaged store is left aside");
    }
    for suffix in SIDE_FILES.iter().skip(1) {
        let _ = fs::remove_file(side_file(copy, suffix));
    }
    Ok(())
}

fn header_of(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut first = Vec::new();
    let most = u64::try_from(header::LENGTH).unwrap_or(100);
    fs::File::open(path)?.take(most).read_to_end(&mut first)?;
    Ok(first)
}

/// Makes a store of version 11 or newer of the new file, with sessions for all messages and a
/// full-text index, all of it in the one file.
fn finish(new: &Path) -> Result<()> {
    let conn = connect(new)?;
    for step in [
        Repair::SetVersion,
        Repair::AdoptOrphans,
        Repair::DetachParents,
        Repair::Recount,
    ] {
        rows::mend(&conn, step).map_err(|e| Error::from_sqlite(new, e))?;
    }
    drop(conn);
    let options = StoreOptions::new()
        .existing_only()
        .migration_backup(MigrationBackup::Never);
    let store = options.open(new)?;
    if store.schema_version() > NEWEST_WRITABLE_VERSION {
        return Err(too_new(new, store.schema_version()));
    }
    store.complete_index(None, &|_| {})?;
    drop(store);
    connect(new)?
        .query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        .map_err(|e| Error::from_sqlite(new, e))
}
