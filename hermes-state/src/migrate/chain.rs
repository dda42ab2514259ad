//! The numbered steps, run by refinery over a driver of our own.
//!
//! refinery's driver for SQLite commits a step and its entry in the history one after the other,
//! and puts a table of its own into the file. This one runs inside the transaction of the caller,
//! keeps the history in the temporary schema, and takes what is applied from `schema_version`.

use std::path::Path;

use refinery_core::traits::sync::{Migrate, Query, Transaction};
use refinery_core::{Migration, Runner};
use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::schema::{Layout, NATIVE_VERSION, TITLE_INDEX};

const STEPS: [(&str, &str); 3] = [
    (
        "V4__unique_titles",
        include_str!("../schema/V4__unique_titles.sql"),
    ),
    (
        "V7__state_meta",
        include_str!("../schema/V7__state_meta.sql"),
    ),
    ("V9__indexes", include_str!("../schema/V9__indexes.sql")),
];

const HISTORY: &str = "temp.hermes_migrations";

/// The last version that is one of tables only.
const TABLES_VERSION: i64 = 9;

/// Runs the steps that the file needs and stores the version that it then has.
pub(super) fn run(conn: &Connection, path: &Path, layout: &Layout) -> Result<()> {
    let failed = |source: refinery_core::Error| failure(path, source);
    let steps = STEPS
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, sql))
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(failed)?;
    let mut runner = Runner::new(&steps);
    runner.set_migration_table_name(HISTORY);
    let mut driver = Driver {
        conn,
        applied: applied(layout),
        steps: &steps,
    };
    runner.run(&mut driver).map_err(failed)?;
    let version = layout.version.clamp(TABLES_VERSION, NATIVE_VERSION);
    conn.execute_batch(&format!("DROP TABLE IF EXISTS {HISTORY}"))
        .and_then(|()| page_index(conn))
        .and_then(|()| stamp(conn, version))
        .map_err(|e| Error::from_sqlite(path, e))
}

/// Files that are larger than this would be locked too long by a new index over all messages; they
/// get it when they are optimised.
const PAGE_INDEX_BYTES: i64 = 128 << 20;

/// Makes the index that pages a session's messages, which releases of Hermes do not make.
fn page_index(conn: &Connection) -> rusqlite::Result<()> {
    let number = |pragma| conn.query_row(pragma, [], |row| row.get::<_, i64>(0));
    if number("PRAGMA page_count")? * number("PRAGMA page_size")? <= PAGE_INDEX_BYTES {
        conn.execute_batch(crate::schema::PAGE_INDEX_SQL)?;
    }
    Ok(())
}

fn stamp(conn: &Connection, version: i64) -> rusqlite::Result<()> {
    let rows = conn.execute("UPDATE schema_version SET version = ?1", [version])?;
    if rows == 0 {
        conn.execute(
            "INSERT INTO schema_version (version) VALUES (?1)",
            [version],
        )?;
    }
    Ok(())
}

/// The version up to which the file has what the steps make, whatever its number says.
fn applied(layout: &Layout) -> i64 {
    let lacks = |part: &str| layout.gaps.iter().any(|gap| gap == part);
    if lacks(TITLE_INDEX) {
        3
    } else if lacks("state_meta") {
        6
    } else {
        layout.version.min(TABLES_VERSION - 1)
    }
}

struct Driver<'a> {
    conn: &'a Connection,
    applied: i64,
    steps: &'a [Migration],
}

impl Transaction for Driver<'_> {
    type Error = rusqlite::Error;

    fn execute<'a, T: Iterator<Item = &'a str>>(&mut self, queries: T) -> rusqlite::Result<usize> {
        let mut count = 0;
        for query in queries {
            self.conn.execute_batch(query)?;
            count += 1;
        }
        Ok(count)
    }
}

impl Query<Vec<Migration>> for Driver<'_> {
    fn query(&mut self, _: &str) -> rusqlite::Result<Vec<Migration>> {
        let applied = self
            .steps
            .iter()
            .filter(|step| i64::from(step.version()) <= self.applied);
        Ok(applied
            .map(|step| {
                let mut step = step.clone();
                step.set_applied();
                step
            })
            .collect())
    }
}

impl Migrate for Driver<'_> {}

/// The engine's own error, where there is one behind refinery's.
fn failure(path: &Path, error: refinery_core::Error) -> Error {
    use refinery_core::error::Kind;
    let path = path.to_path_buf();
    match error.kind() {
        Kind::Connection(_, source) => match source.downcast_ref::<rusqlite::Error>() {
            Some(rusqlite::Error::SqliteFailure(code, text)) => {
                Error::from_sqlite(&path, rusqlite::Error::SqliteFailure(*code, text.clone()))
            }
            _ => Error::Sqlite {
                path,
                source: error.into(),
            },
        },
        _ => Error::Sqlite {
            path,
            source: error.into(),
        },
    }
}
