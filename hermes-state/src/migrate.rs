//! From the tables of an older version, or of a migration that stopped half-way, to those of
//! version 11.
//!
//! Two kinds of steps. Columns are [declared](columns): whatever the declared tables have and the
//! file lacks is added, whatever its number says. What is more than a column is a [chain](chain) of
//! numbered SQL files, each of which may run again over its own result. All of it is one
//! transaction, in which the file is looked at anew: of several processes that open an old file at
//! the same time, one migrates and the others find it done. A process that is killed has changed
//! nothing.
//!
//! The full-text index is apart: see [`reindex`](crate::reindex). Until it is made anew the number
//! stays below 11, which is the truth, and a Hermes of any version can open the file.

mod backup;
mod chain;
mod columns;
mod duplicates;

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::open;
use crate::record::column;
use crate::schema::{Layout, NATIVE_VERSION, TITLE_INDEX};
use crate::store::StoreOptions;
use crate::wording::counted;
use backup::Backup;

pub(crate) use duplicates::{MENDED, mend as mend_schema, read_past_doubles, reader_past_doubles};

/// When a copy of the store is made before it is migrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MigrationBackup {
    /// Before a step that changes what is stored, and not only adds to it: titles that several
    /// sessions have, doubled rows of the schema.
    #[default]
    BeforeRewrite,
    /// Before every migration.
    Always,
    /// Never.
    Never,
}

/// What opening a store has changed in it, or would change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Migration {
    /// The schema version found.
    pub from: i64,
    /// The version that the store has in the end.
    pub to: i64,
    /// The steps, in order, for people.
    pub steps: Vec<String>,
    /// Sessions that lose a title, because a later one has it too: id and title.
    pub cleared_titles: Vec<(String, String)>,
    /// Messages whose full-text index is to be made, after the rest; 0 if it is in order.
    pub messages_to_index: u64,
    /// The copy made before, if one was.
    pub backup: Option<PathBuf>,
}

impl Migration {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// This one, followed by another.
    pub(crate) fn then(mut self, mut later: Migration) -> Migration {
        if later.is_empty() {
            return self;
        }
        self.steps.append(&mut later.steps);
        later.steps = self.steps;
        later.backup = self.backup.or(later.backup);
        later
    }

    fn rewrites(&self) -> bool {
        !self.cleared_titles.is_empty()
    }
}

/// What opening this store to write would do. Changes nothing.
pub(crate) fn plan(path: &Path, options: &StoreOptions) -> Result<Migration> {
    let planned = open::connect_to_read(path, options).and_then(|conn| plan_with(&conn, path));
    let Err(error @ Error::Corrupt { .. }) = planned else {
        return planned;
    };
    // Definitions that are there twice would be mended first.
    match duplicates::reader(path, options)? {
        Some(conn) => {
            let mut plan = plan_with(&conn, path)?;
            plan.steps.insert(0, MENDED.to_owned());
            Ok(plan)
        }
        None => Err(error),
    }
}

fn plan_with(conn: &Connection, path: &Path) -> Result<Migration> {
    let layout = Layout::read(conn, path)?.ok_or_else(|| Error::NoStore {
        path: path.to_path_buf(),
    })?;
    plan_for(conn, &layout).map_err(|e| Error::from_sqlite(path, e))
}

fn plan_for(conn: &Connection, layout: &Layout) -> rusqlite::Result<Migration> {
    let mut plan = Migration {
        from: layout.version,
        to: layout.version.max(NATIVE_VERSION),
        ..Migration::default()
    };
    if layout.version > NATIVE_VERSION && !layout.is_writable() {
        return Ok(plan);
    }
    if layout.needs_structure() {
        plan.cleared_titles = double_titles(conn, layout)?;
        plan.steps = layout.gaps.iter().map(|gap| format!("add {gap}")).collect();
        if !plan.cleared_titles.is_empty() {
            let titles = counted(plan.cleared_titles.len() as u64, "title");
            plan.steps
                .push(format!("clear {titles} that a later session has too"));
        }
    }
    if let Some(trouble) = &layout.index_trouble {
        plan.messages_to_index = conn.query_row("SELECT COUNT(*) FROM messages", [], |row| {
            row.get::<_, i64>(0).map(|n| u64::try_from(n).unwrap_or(0))
        })?;
        plan.steps
            .push(format!("make the full-text index anew ({trouble})"));
    } else if layout.leftovers {
        plan.steps
            .push("remove what an earlier index left behind".to_owned());
    }
    Ok(plan)
}

/// Sessions whose title a later one has too.
fn double_titles(conn: &Connection, layout: &Layout) -> rusqlite::Result<Vec<(String, String)>> {
    if !layout.sessions.has("title") || !layout.gaps.iter().any(|gap| gap == TITLE_INDEX) {
        return Ok(Vec::new());
    }
    let mut statement = conn.prepare(
        "SELECT CAST(id AS TEXT), CAST(title AS TEXT) FROM (
            SELECT id, title, started_at,
                ROW_NUMBER() OVER (PARTITION BY title ORDER BY started_at DESC, rowid DESC) AS number
            FROM sessions WHERE title IS NOT NULL
        ) WHERE number > 1 ORDER BY started_at",
    )?;
    statement
        .query_map([], |row| Ok((column(row, 0)?, column(row, 1)?)))?
        .collect()
}

/// Brings the tables to version 11. The index is left to be made anew.
pub(crate) fn structure(
    conn: &Connection,
    path: &Path,
    options: &StoreOptions,
) -> Result<Migration> {
    let sqlite = |e| Error::from_sqlite(path, e);
    conn.execute_batch("BEGIN IMMEDIATE").map_err(sqlite)?;
    let mut backup = None;
    let outcome = in_transaction(conn, path, options, &mut backup).and_then(|done| {
        conn.execute_batch("COMMIT").map_err(sqlite)?;
        Ok(done)
    });
    if outcome.is_err() {
        if !conn.is_autocommit() {
            conn.execute_batch("ROLLBACK").map_err(sqlite)?;
        }
        if let Some(backup) = backup {
            backup.discard();
        }
    }
    outcome
}

fn wants_backup(options: &StoreOptions, plan: &Migration) -> bool {
    match options.migration_backup {
        MigrationBackup::Never => false,
        MigrationBackup::Always => true,
        MigrationBackup::BeforeRewrite => plan.rewrites(),
    }
}

fn in_transaction(
    conn: &Connection,
    path: &Path,
    options: &StoreOptions,
    backup: &mut Option<Backup>,
) -> Result<Migration> {
    let layout = Layout::read(conn, path)?.ok_or_else(|| Error::NoStore {
        path: path.to_path_buf(),
    })?;
    let mut done = plan_for(conn, &layout).map_err(|e| Error::from_sqlite(path, e))?;
    if !layout.needs_structure() {
        // Another process was first.
        return Ok(Migration::default());
    }
    if wants_backup(options, &done) {
        let copy = backup.insert(Backup::make(path, done.from)?);
        done.backup = Some(copy.path.clone());
    }
    columns::reconcile(conn).map_err(|e| Error::from_sqlite(path, e))?;
    chain::run(conn, path, &layout)?;
    for (id, title) in &done.cleared_titles {
        tracing::warn!(session = %id, %title, "title cleared: a later session has it too");
    }
    tracing::info!(from = done.from, steps = ?done.steps, "tables migrated");
    Ok(done)
}
