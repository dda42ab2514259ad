//! What an index leaves behind when a new one takes its place.
//!
//! The parts of a virtual table are ordinary tables. Once the virtual table itself is out of the
//! schema they can be renamed at once, whatever is wrong with it, and emptied step by step.

use std::time::{Duration, Instant};

use rusqlite::config::DbConfig::{SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_WRITABLE_SCHEMA};
use rusqlite::{Connection, ErrorCode, OptionalExtension};

use crate::error::is_of_the_moment;

use super::lease::Lease;
use super::{Effort, IndexWork, RETIRED_PREFIX, SIDE_TABLES, STEP};
use crate::error::Result;
use crate::meta::has_table;
use crate::schema::{INDEX_TABLES, quoted};
use crate::store::Store;

pub(crate) const PARTS: [&str; 5] = ["config", "content", "data", "docsize", "idx"];

/// Rows that the first step deletes.
const FIRST_ROWS: usize = 100;

/// Takes the index out of the way: its triggers go, its tables are renamed.
pub(super) fn retire_main(conn: &Connection) -> rusqlite::Result<()> {
    for table in INDEX_TABLES {
        for event in ["insert", "delete", "update"] {
            conn.execute_batch(&format!("DROP TRIGGER IF EXISTS {table}_{event}"))?;
        }
        retire(conn, table)?;
    }
    Ok(())
}

pub(super) fn retire(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    let outcome = with_writable_schema(conn, |conn| {
        conn.execute(
            "DELETE FROM sqlite_master WHERE type = 'table' AND name = ?1",
            [table],
        )
    });
    if outcome? == 0 && !has_table(conn, &format!("{table}_data"))? {
        return Ok(());
    }
    let number = free_number(conn)?;
    conn.pragma_update(None, "legacy_alter_table", true)?;
    let renamed = PARTS.iter().try_for_each(|part| {
        let part_name = format!("{table}_{part}");
        if !has_table(conn, &part_name)? {
            return Ok(());
        }
        let new = quoted(&format!("{RETIRED_PREFIX}{number}_{part_name}"));
        conn.execute_batch(&format!(
            "ALTER TABLE {} RENAME TO {new}",
            quoted(&part_name)
        ))
    });
    conn.pragma_update(None, "legacy_alter_table", false)?;
    renamed
}

/// Lets a statement change the schema's own table, then makes SQLite read the schema again.
pub(crate) fn with_writable_schema<T>(
    conn: &Connection,
    change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    conn.set_db_config(SQLITE_DBCONFIG_DEFENSIVE, false)?;
    conn.set_db_config(SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    let outcome = change(conn).and_then(|value| {
        conn.execute_batch("PRAGMA writable_schema = RESET")?;
        Ok(value)
    });
    conn.set_db_config(SQLITE_DBCONFIG_WRITABLE_SCHEMA, false)?;
    conn.set_db_config(SQLITE_DBCONFIG_DEFENSIVE, true)?;
    outcome
}

/// The number in the name of a retired part; nothing for a name that we do not give.
fn number(name: &str) -> Option<u32> {
    let (number, part) = name.strip_prefix(RETIRED_PREFIX)?.split_once('_')?;
    let (table, part) = part.rsplit_once('_')?;
    let ours = INDEX_TABLES.iter().chain(&SIDE_TABLES).any(|t| *t == table);
    (ours && PARTS.contains(&part))
        .then_some(number)?
        .parse()
        .ok()
}

/// Whether a table of this name is what an index has left behind.
pub(crate) fn is_retired(name: &str) -> bool {
    number(name).is_some()
}

/// Whether a table of this name belongs to the index, the one that is being made, or one that was.
pub(crate) fn is_part_of_index(name: &str) -> bool {
    let of = |table: &&str| {
        let rest = name.strip_prefix(*table);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    INDEX_TABLES.iter().chain(&SIDE_TABLES).any(of) || is_retired(name)
}

/// A number that is in the name of nothing that is there, somebody else's objects included.
fn free_number(conn: &Connection) -> rusqlite::Result<u32> {
    let mut statement = conn.prepare("SELECT name FROM sqlite_master")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
    let taken = names.iter().filter_map(|name| {
        let rest = name.strip_prefix(RETIRED_PREFIX)?;
        rest.split_once('_')?.0.parse::<u32>().ok()
    });
    Ok(taken.max().map_or(1, |n| n.saturating_add(1)))
}

fn names(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    names
        .filter(|name| name.as_deref().map_or(true, is_retired))
        .collect()
}

/// Empties and drops retired tables in steps.
pub(super) fn empty(store: &Store, lease: &Lease, effort: Effort) -> Result<IndexWork> {
    let mut rows = FIRST_ROWS;
    loop {
        let began = Instant::now();
        if !store.read(|conn, _| Ok(!names(conn)?.is_empty()))? {
            return Ok(IndexWork::Done);
        }
        let more = store.transact(effort.patience, &|tx| {
            if !lease.take(tx)? {
                return Ok(None);
            }
            tx.sqlite(|conn| empty_some(conn, rows)).map(Some)
        });
        let more = match more {
            // Found out half-way, which has ended the transaction.
            Err(error) if error.is_damage() => store.transact(effort.patience, &|tx| {
                let names = tx.sqlite(names)?;
                tx.sqlite(|conn| names.iter().try_for_each(|name| forget(conn, name)))?;
                Ok(Some(false))
            }),
            more => more,
        }?;
        match more {
            None => return Ok(IndexWork::Elsewhere),
            Some(false) => return Ok(IndexWork::Done),
            Some(true) => {}
        }
        rows = fitted(rows, began.elapsed());
        if !super::pause(store, effort.until) {
            return Ok(IndexWork::Unfinished);
        }
    }
}

/// Half a step's time: what a row costs differs more than what a text to be indexed costs. For the
/// same reason the number grows slowly.
fn fitted(rows: usize, took: Duration) -> usize {
    let scaled = rows as u128 * (STEP / 2).as_micros() / took.as_micros().max(1);
    usize::try_from(scaled)
        .unwrap_or(usize::MAX)
        .min(rows.saturating_mul(2))
        .clamp(20, 50_000)
}

/// Deletes up to `rows` rows; tables that are empty then are dropped. Whether more is left.
fn empty_some(conn: &Connection, rows: usize) -> rusqlite::Result<bool> {
    let mut left = rows;
    for name in names(conn)? {
        let table = quoted(&name);
        let deleted = if name.ends_with("_data") || name.ends_with("_content") {
            delete_some(conn, &table, left)?
        } else {
            // Small beside the others.
            Some(0)
        };
        match deleted {
            Some(n) if n >= left => return Ok(true),
            Some(n) => left -= n,
            // Damaged: what cannot be deleted row by row is dropped as a whole, if that can be.
            None => {}
        }
        if is_sound(conn, &table)? {
            conn.execute_batch(&format!("DROP TABLE {table}"))?;
        } else {
            forget(conn, &name)?;
        }
    }
    Ok(false)
}

/// Whether every page of a table can be given back. A statement that finds out half-way that it
/// cannot ends the transaction with it, so this is asked before.
fn is_sound(conn: &Connection, table: &str) -> rusqlite::Result<bool> {
    let Some(trouble) = trouble_of(conn, table)? else {
        return Ok(true);
    };
    // A page that cannot be had may be damage or a disk that fails; reading tells which.
    if !trouble.contains("get page") && !trouble.contains("get the page") {
        return Ok(false);
    }
    match read_through(conn, table) {
        Ok(()) => Ok(trouble_of(conn, table)?.is_none()),
        Err(error) if is_of_the_moment(&error) => Err(error),
        Err(_) => Ok(false),
    }
}

/// What SQLite's check says of a table, if it is not in order.
fn trouble_of(conn: &Connection, table: &str) -> rusqlite::Result<Option<String>> {
    let told = conn.query_row(&format!("PRAGMA quick_check({table})"), [], |row| {
        row.get::<_, String>(0)
    });
    match told {
        Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
            Ok(Some(e.to_string()))
        }
        told => Ok(Some(told?).filter(|told| told != "ok")),
    }
}

fn read_through(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    let mut statement = conn.prepare(&format!("SELECT * FROM {table}"))?;
    let width = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..width {
            row.get_ref(column)?;
        }
    }
    Ok(())
}

/// Takes a table out of the schema that cannot be dropped, because its pages cannot be read.
fn forget(conn: &Connection, name: &str) -> rusqlite::Result<()> {
    tracing::warn!(%name, "a damaged part of the old index is forgotten; its pages stay lost until a vacuum");
    with_writable_schema(conn, |conn| {
        conn.execute("DELETE FROM sqlite_master WHERE tbl_name = ?1", [name])
    })
    .map(drop)
}

fn delete_some(conn: &Connection, table: &str, rows: usize) -> rusqlite::Result<Option<usize>> {
    let limit = i64::try_from(rows).unwrap_or(i64::MAX);
    let last: rusqlite::Result<Option<i64>> = conn
        .query_row(
            &format!("SELECT id FROM {table} ORDER BY id LIMIT 1 OFFSET ?1"),
            [limit.saturating_sub(1)],
            |row| row.get(0),
        )
        .optional();
    let deleted = match last {
        Ok(Some(last)) => conn.execute(&format!("DELETE FROM {table} WHERE id <= ?1"), [last]),
        Ok(None) => Ok(0),
        Err(e) => Err(e),
    };
    match deleted {
        Err(error) if is_of_the_moment(&error) => Err(error),
        deleted => Ok(deleted.ok()),
    }
}
