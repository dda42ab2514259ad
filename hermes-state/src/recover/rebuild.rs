//! A new file of what can be read of a damaged one.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, ToSql, params, params_from_iter};
use serde::Serialize;

use super::definitions::{self, Definition};
use super::ids;
use super::page::Pages;
use super::record::{Row, Value};
use super::walk::{Kind, Walk};
use crate::error::{Error, Result};
use crate::health::ordinary_indexes;
use crate::schema::{TABLES_SQL, quoted};
use crate::snapshot;

/// Without these a file is no store.
const NEEDED: [&str; 4] = ["schema_version", "sessions", "messages", "state_meta"];

/// What was read of a damaged file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Recovered {
    /// By table.
    pub tables: Vec<TableRows>,
    /// Pages that made no sense where they stood.
    pub damaged_pages: u64,
    /// Rows of readable pages that made no sense.
    pub damaged_rows: u64,
    /// Tables and indexes that could not be made again, and why.
    pub left_out: Vec<String>,
}

/// The rows of one table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct TableRows {
    /// Its name.
    pub table: String,
    /// Rows that are whole.
    pub saved: u64,
    /// Messages of which only the session, the time and the text were left, in indexes. Their role is
    /// `unknown` now.
    pub in_part: u64,
    /// Rows that indexes still name and that are gone.
    pub lost: u64,
}

impl Recovered {
    /// The rows of a table; none if it is not there.
    pub fn rows(&self, table: &str) -> TableRows {
        let found = self.tables.iter().find(|rows| rows.table == table);
        found.cloned().unwrap_or_default()
    }
}

/// Reads the file at `from`, which nobody else uses, into a new file.
pub(crate) fn rebuild(from: &Path, to: &Path) -> Result<Recovered> {
    let pages = Pages::open(from).map_err(|e| crate::open::system_error(from, e))?;
    let mut recovered = Recovered::default();
    snapshot::into_new_file(to, |conn| {
        fill(&pages, conn, &mut recovered).map_err(|e| Error::from_sqlite(to, e))
    })?;
    Ok(recovered)
}

/// A table of the new file.
struct Target {
    name: String,
    columns: Vec<String>,
    /// The column that is the row's number.
    number: Option<usize>,
    saved: u64,
}

fn fill(pages: &Pages, conn: &Connection, recovered: &mut Recovered) -> rusqlite::Result<()> {
    conn.pragma_update(
        None,
        "page_size",
        i64::try_from(pages.page_size).unwrap_or(4096),
    )?;
    conn.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
    conn.pragma_update(None, "synchronous", "OFF")?;
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.execute_batch("BEGIN")?;
    let definitions = definitions::read(pages);
    let mut targets = tables(conn, &definitions, recovered)?;
    let mut walk = Walk::new(pages);
    for definition in &definitions {
        if definition.root == 0 || definition.name == "sqlite_master" {
            continue;
        }
        let target = targets.iter_mut().find(|t| t.name == definition.name);
        match (definition.kind.as_str(), target) {
            ("table", Some(target)) if definition.is_plain_table() => {
                let mut outcome = Ok(());
                let mut misfits = 0;
                walk.tree(
                    definition.root,
                    Kind::Table,
                    &mut |row| match insert(conn, target, &row) {
                        Ok(true) => {}
                        Ok(false) => misfits += 1,
                        Err(e) => outcome = Err(e),
                    },
                );
                recovered.damaged_rows += misfits;
                outcome?;
            }
            ("table", _) if definition.is_plain_table() => {
                walk_past(&mut walk, definition, Kind::Table);
            }
            _ => walk_past(&mut walk, definition, Kind::Index),
        }
    }
    walk.take_free();
    lost_rows(conn, &mut walk, &mut targets)?;
    recovered.damaged_pages += walk.damaged_pages;
    recovered.damaged_rows += walk.damaged_rows;
    sequences(conn, pages, &definitions)?;
    recovered.tables = targets
        .iter()
        .map(|target| TableRows {
            table: target.name.clone(),
            saved: target.saved,
            ..TableRows::default()
        })
        .collect();
    missing_rows(conn, pages, &definitions, recovered)?;
    other_objects(conn, &definitions, recovered);
    conn.execute_batch("COMMIT")
}

/// Takes the pages of what is made anew anyway, so that they are not looked through for rows.
/// Damage there is no damage to rows.
fn walk_past(walk: &mut Walk<'_>, definition: &Definition, kind: Kind) {
    let before = (walk.damaged_pages, walk.damaged_rows);
    walk.tree(definition.root, kind, &mut |_| {});
    (walk.damaged_pages, walk.damaged_rows) = before;
}

fn tables(
    conn: &Connection,
    definitions: &[Definition],
    recovered: &mut Recovered,
) -> rusqlite::Result<Vec<Target>> {
    let mut targets = Vec::new();
    for definition in definitions {
        let own = definition.name.starts_with("sqlite_");
        if definition.kind != "table" || definition.root == 0 || own || definition.is_search() {
            continue;
        }
        let made = create(conn, &definition.sql, "CREATE TABLE")
            .and_then(|()| target(conn, &definition.name));
        match made {
            Ok(target) if !target.columns.is_empty() => {
                if !definition.is_plain_table() {
                    let name = &definition.name;
                    let note = format!("rows of {name}: a table without row numbers is not read");
                    recovered.left_out.push(note);
                }
                targets.push(target);
            }
            Ok(_) => {}
            Err(e) => recovered
                .left_out
                .push(format!("table {}: {e}", definition.name)),
        }
    }
    for name in NEEDED {
        if targets.iter().any(|target| target.name == name) {
            continue;
        }
        let begin = format!("CREATE TABLE {name} ");
        let native = TABLES_SQL
            .split(';')
            .find_map(|statement| statement.find(&begin).and_then(|at| statement.get(at..)));
        if let Some(native) = native {
            conn.execute_batch(native)?;
            targets.push(target(conn, name)?);
        }
    }
    Ok(targets)
}

/// Runs one statement of the damaged file, if it is of this kind.
fn create(conn: &Connection, sql: &str, kind: &str) -> rusqlite::Result<()> {
    if !sql.to_ascii_uppercase().starts_with(kind) {
        return Err(rusqlite::Error::InvalidQuery);
    }
    conn.prepare(sql)?.execute([]).map(drop)
}

fn target(conn: &Connection, name: &str) -> rusqlite::Result<Target> {
    let mut statement =
        conn.prepare("SELECT name, upper(type), pk FROM pragma_table_info(?1) ORDER BY cid")?;
    let columns: Vec<(String, String, i64)> = statement
        .query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let keys = columns.iter().filter(|(.., pk)| *pk > 0).count();
    let number = columns
        .iter()
        .position(|(_, kind, pk)| *pk == 1 && keys == 1 && kind == "INTEGER");
    Ok(Target {
        name: name.to_owned(),
        columns: columns.into_iter().map(|(name, ..)| name).collect(),
        number,
        saved: 0,
    })
}

/// Whether the row fits the table and is not there yet.
fn insert(conn: &Connection, target: &mut Target, row: &Row) -> rusqlite::Result<bool> {
    let given = row.values.len();
    // Columns that were added later are missing in rows from before: their default holds.
    let Some(columns) = target.columns.get(..given).filter(|_| given > 0) else {
        return Ok(false);
    };
    let mut names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    let id = Value::Integer(row.id);
    let mut values: Vec<&Value> = row.values.iter().collect();
    match target.number.and_then(|at| values.get_mut(at)) {
        Some(value) => *value = &id,
        None => {
            names.push("rowid".to_owned());
            values.push(&id);
        }
    }
    let marks = vec!["?"; values.len()].join(", ");
    let sql = format!(
        "INSERT OR IGNORE INTO {} ({}) VALUES ({marks})",
        quoted(&target.name),
        names.join(", ")
    );
    let saved = conn
        .prepare_cached(&sql)?
        .execute(params_from_iter(values.iter().map(|v| *v as &dyn ToSql)))?;
    target.saved += u64::from(saved > 0);
    Ok(saved > 0)
}

/// Rows on pages that nothing leads to any more: whose they are is seen by their shape.
fn lost_rows(
    conn: &Connection,
    walk: &mut Walk<'_>,
    targets: &mut [Target],
) -> rusqlite::Result<()> {
    let mut outcome = Ok(());
    let damaged = walk.damaged_rows;
    walk.lost(&mut |row| {
        let Some(name) = table_of(&row.values) else {
            return;
        };
        if let Some(target) = targets.iter_mut().find(|t| t.name == name)
            && let Err(e) = insert(conn, target, &row)
        {
            outcome = Err(e);
        }
    });
    // What is there of no use to us may make no sense.
    walk.damaged_rows = damaged;
    outcome
}

fn table_of(values: &[Value]) -> Option<&'static str> {
    match values {
        [Value::Null, Value::Text(session), Value::Text(role), ..]
            if values.len() >= 9 && !session.is_empty() && !role.is_empty() =>
        {
            Some("messages")
        }
        [Value::Text(id), Value::Text(_), ..]
            if values.len() >= 14 && !id.is_empty() && values.iter().any(Value::is_number) =>
        {
            Some("sessions")
        }
        _ => None,
    }
}

/// Ids that were given once are not given again.
fn sequences(conn: &Connection, pages: &Pages, definitions: &[Definition]) -> rusqlite::Result<()> {
    let Some(table) = definitions
        .iter()
        .find(|d| d.name == "sqlite_sequence" && d.root > 0)
    else {
        return Ok(());
    };
    let mut stored = Vec::new();
    Walk::new(pages).tree(table.root, Kind::Table, &mut |row| {
        if let [Value::Text(name), Value::Integer(last)] = row.values.as_slice() {
            stored.push((String::from_utf8_lossy(name).into_owned(), *last));
        }
    });
    for (name, last) in stored {
        let raised = conn.execute(
            "UPDATE sqlite_sequence SET seq = MAX(seq, ?2) WHERE name = ?1",
            params![name, last],
        )?;
        if raised == 0 && name == "messages" {
            conn.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)",
                params![name, last],
            )?;
        }
    }
    Ok(())
}

/// What indexes name and is not there: put together again as far as they hold it, else counted.
fn missing_rows(
    conn: &Connection,
    pages: &Pages,
    definitions: &[Definition],
    recovered: &mut Recovered,
) -> rusqlite::Result<()> {
    let mut known = ids::messages(pages, definitions);
    let there: BTreeSet<i64> = conn
        .prepare("SELECT id FROM messages")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    known.retain(|id, _| !there.contains(id));
    if !known.is_empty() {
        ids::texts(pages, definitions, &mut known);
    }
    let mut in_part = 0;
    for (id, message) in &known {
        let (Some(session), Some(time), Some(text)) =
            (&message.session, &message.timestamp, &message.text)
        else {
            continue;
        };
        // The blanks at the end are those between the parts that are indexed together.
        let end = text
            .iter()
            .rposition(|byte| *byte != b' ')
            .map_or(0, |at| at + 1);
        let text = Value::Text(text.get(..end).unwrap_or_default().to_vec());
        in_part += conn.execute(
            "INSERT OR IGNORE INTO messages (id, session_id, role, content, timestamp)
             VALUES (?1, ?2, 'unknown', ?3, ?4)",
            params![id, Value::Text(session.clone()), text, time],
        )?;
    }
    let in_part = u64::try_from(in_part).unwrap_or(0);
    let sessions: BTreeSet<Vec<u8>> = conn
        .prepare("SELECT CAST(id AS BLOB) FROM sessions")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let lost = ids::sessions(pages, definitions)
        .difference(&sessions)
        .count();
    for rows in &mut recovered.tables {
        match rows.table.as_str() {
            "messages" => {
                rows.in_part = in_part;
                rows.lost = (known.len() as u64).saturating_sub(in_part);
            }
            "sessions" => rows.lost = lost as u64,
            _ => {}
        }
    }
    Ok(())
}

/// Indexes, views and triggers; those of the full-text index are made with it.
fn other_objects(conn: &Connection, definitions: &[Definition], recovered: &mut Recovered) {
    let mut leave_out = |what: &str, e: rusqlite::Error| {
        recovered.left_out.push(format!("{what}: {e}"));
    };
    let is = |d: &&Definition, kind: &str| d.kind == kind && !d.sql.is_empty() && !d.is_search();
    for index in definitions.iter().filter(|d| is(d, "index")) {
        let made = create(conn, &index.sql, "CREATE ").or_else(|e| {
            // Titles are to be unique: of two sessions the later one keeps it.
            if index.name != crate::schema::TITLE_INDEX {
                return Err(e);
            }
            conn.execute(
                "UPDATE sessions SET title = NULL WHERE title IS NOT NULL AND EXISTS (
                    SELECT 1 FROM sessions o WHERE o.title = sessions.title
                    AND (o.started_at, o.rowid) > (sessions.started_at, sessions.rowid))",
                [],
            )?;
            create(conn, &index.sql, "CREATE ")
        });
        if let Err(e) = made {
            leave_out(&format!("index {}", index.name), e);
        }
    }
    for (name, sql) in ordinary_indexes() {
        // An older store lacks what some are on; it gets them with its migration.
        if let Err(error) = conn.execute_batch(&sql) {
            tracing::debug!(name, %error, "an index is left to the migration");
        }
    }
    for kind in ["view", "trigger"] {
        for object in definitions.iter().filter(|d| is(d, kind)) {
            if let Err(e) = create(conn, &object.sql, "CREATE ") {
                leave_out(&format!("{kind} {}", object.name), e);
            }
        }
    }
}
