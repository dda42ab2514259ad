//! Whether the file is sound: the structure of every table, and the full-text index against the
//! messages.

use rusqlite::Connection;

use crate::error::Result;
use crate::schema::{INDEX_TABLES, foreign_index, quoted};
use crate::store::Store;
use crate::wording::counted;

/// The text that the triggers index for a message.
const TRIGGER_TEXT: &str = "COALESCE(m.content, '') || ' ' || COALESCE(m.tool_name, '') || ' ' || COALESCE(m.tool_calls, '')";

impl Store {
    /// Checks the structure of every table with SQLite's quick check, and of a full-text index
    /// that holds all text also its words and its copy of the messages: what is wrong, or nothing.
    ///
    /// Reads everything, so it takes minutes on a store of gigabytes. It stops at 100 findings in
    /// a table.
    ///
    /// # Errors
    /// Those of every read, where even the list of tables cannot be read. What cannot be read
    /// beyond that is a finding.
    pub fn quick_check(&self) -> Result<Vec<String>> {
        self.read(|conn, layout| {
            let mut findings = Vec::new();
            for table in tables(conn)? {
                match quick_check(conn, &table) {
                    Ok(lines) => findings.extend(lines),
                    Err(e) => findings.push(format!("table {table} cannot be checked: {e}")),
                }
            }
            // An index of another version is no fault, only of no use here.
            let foreign = foreign_index(layout.version).is_some();
            match &layout.index_trouble {
                _ if foreign => {}
                Some(trouble) => findings.push(format!("full-text index: {trouble}")),
                None => {
                    for table in INDEX_TABLES {
                        findings.extend(check_index(conn, table));
                    }
                }
            }
            Ok(findings)
        })
    }
}

/// Every table that is stored as such; the full-text tables have their own check.
fn tables(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}

fn quick_check(conn: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare(&format!("PRAGMA quick_check({})", quoted(table)))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut lines: Vec<String> = lines.collect::<rusqlite::Result<_>>()?;
    lines.retain(|line| line != "ok");
    Ok(lines)
}

fn check_index(conn: &Connection, table: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut add = |outcome: rusqlite::Result<Option<String>>| match outcome {
        Ok(finding) => findings.extend(finding),
        Err(e) => findings.push(format!("{table} cannot be read: {e}")),
    };
    add(lacks_messages(conn, table));
    add(holds_other_text(conn, table));
    add(words_are_readable(conn, table));
    // Versions of SQLite differ in how trigrams of text behind a NUL are indexed, so its own check
    // calls sound indexes of another version malformed.
    if !holds_nul(conn, table).unwrap_or(false) {
        match quick_check(conn, table) {
            Ok(lines) => findings.extend(lines),
            Err(e) => findings.push(format!("{table} cannot be checked: {e}")),
        }
    }
    findings.dedup();
    findings
}

fn lacks_messages(conn: &Connection, table: &str) -> rusqlite::Result<Option<String>> {
    let sql = format!(
        "SELECT COUNT(*) FROM messages m
         WHERE NOT EXISTS (SELECT 1 FROM {table}_docsize d WHERE d.id = m.id)"
    );
    count(conn, &sql, |n| {
        format!("{table} lacks {}", counted(n, "message"))
    })
}

/// Rows that another program could not have indexed otherwise: text with a NUL, which structured
/// content begins with, is indexed by us in a form of our own.
fn holds_other_text(conn: &Connection, table: &str) -> rusqlite::Result<Option<String>> {
    let sql = format!(
        "SELECT COUNT(*) FROM messages m LEFT JOIN {table}_content c ON c.id = m.id
         WHERE c.c0 IS NOT {TRIGGER_TEXT} AND instr({TRIGGER_TEXT}, char(0)) = 0
         AND EXISTS (SELECT 1 FROM {table}_docsize d WHERE d.id = m.id)"
    );
    count(conn, &sql, |n| {
        format!("{table} holds other text than {}", counted(n, "message"))
    })
}

/// Walks through every word of the index.
fn words_are_readable(conn: &Connection, table: &str) -> rusqlite::Result<Option<String>> {
    let vocabulary = format!("temp.{table}_words");
    conn.execute_batch(&format!(
        "CREATE VIRTUAL TABLE {vocabulary} USING fts5vocab('main', '{table}', 'row')"
    ))?;
    let walked = conn.query_row(&format!("SELECT SUM(cnt) FROM {vocabulary}"), [], |_| {
        Ok(None)
    });
    conn.execute_batch(&format!("DROP TABLE {vocabulary}"))?;
    walked
}

fn holds_nul(conn: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {table}_content WHERE instr(c0, char(0)) > 0)");
    conn.query_row(&sql, [], |row| row.get(0))
}

fn count(
    conn: &Connection,
    sql: &str,
    finding: impl FnOnce(u64) -> String,
) -> rusqlite::Result<Option<String>> {
    let n: i64 = conn.query_row(sql, [], |row| row.get(0))?;
    let n = u64::try_from(n).unwrap_or(0);
    Ok((n > 0).then(|| finding(n)))
}
