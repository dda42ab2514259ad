//! The full-text index: its tables, its words, and both ways against the messages.

use rusqlite::Connection;

use super::Fault;
use super::report::Findings;
use crate::index_rows::cut_copies_at_nul;
use crate::reindex::PARTS;
use crate::schema::{EVENTS, INDEX_TABLES, IndexFault, IndexState, Layout, Objects, foreign_index};
use crate::wording::counted;

/// The text that the triggers index for a message.
const TRIGGER_TEXT: &str = "COALESCE(m.content, '') || ' ' || COALESCE(m.tool_name, '') || ' ' || COALESCE(m.tool_calls, '')";

/// Messages that are written to try out whether one can be: enough for the index to merge what it
/// has written before.
const TRIES: usize = 40;

/// `private`: the connection is to a copy of our own, which may be written to.
pub(super) fn check(conn: &Connection, layout: &Layout, private: bool, findings: &mut Findings) {
    // Another version's index is made anew by its migration, or is not ours to judge.
    if foreign_index(layout.version).is_some() {
        return;
    }
    let objects = match Objects::read(conn) {
        Ok(objects) => objects,
        Err(e) => return findings.failed(Fault::SchemaDamaged, "schema", "cannot be read", &e),
    };
    let known = tables_and_triggers(&objects, findings);
    if layout.leftovers {
        let message = "the full-text index is being made anew, or has left something to be removed";
        findings.add(Fault::SearchUnfinished, "full-text index", 1, message);
    }
    if let (Some(trouble), false, false) = (&layout.index_trouble, known, layout.leftovers) {
        let (fault, object) = match layout.index_fault {
            Some(IndexFault {
                table,
                behind: true,
            }) => (Fault::SearchIncomplete, table),
            Some(IndexFault { table, .. }) => (Fault::SearchDamaged, table),
            None => (Fault::SearchDamaged, "full-text index"),
        };
        findings.add(
            fault,
            object,
            1,
            format!("the full-text index cannot be used: {trouble}"),
        );
    }
    let mut nul = 0;
    for table in INDEX_TABLES {
        if objects.has("table", table) && objects.has("table", &format!("{table}_docsize")) {
            nul = nul.max(holds_nul(conn, table).unwrap_or(0));
            check_table(conn, table, private, findings);
        }
    }
    if nul > 0 {
        let message = format!(
            "{} indexed with a NUL, as Hermes does: versions of SQLite differ in what they find there; aligned on repair",
            counted(nul, "message")
        );
        findings.add(Fault::SearchHoldsNul, "messages_fts_trigram", nul, message);
    }
    if private {
        try_to_write(conn, layout, findings);
    }
}

/// What is not there. Whether anything was told.
fn tables_and_triggers(objects: &Objects, findings: &mut Findings) -> bool {
    let mut told = false;
    for table in INDEX_TABLES {
        let parts = PARTS.map(|part| format!("{table}_{part}"));
        let missing: Vec<String> = std::iter::once(table.to_owned())
            .chain(parts)
            .filter(|name| !objects.has("table", name))
            .collect();
        if let Some(first) = missing.first() {
            told = true;
            let message = format!("the table {first} of the full-text index is missing");
            let n = missing.len() as u64;
            findings.add_with(Fault::SearchTableMissing, table, n, message, missing);
        }
        for event in EVENTS {
            let trigger = format!("{table}_{event}");
            if !objects.has("trigger", &trigger) {
                told = true;
                let message = format!(
                    "the trigger {trigger} is missing: the index does not follow the messages"
                );
                findings.add(Fault::SearchTriggerMissing, trigger, 1, message);
            }
        }
    }
    told
}

/// One table of the index that holds all text: what is wrong with it. For those who only read.
pub(crate) fn check_index(conn: &Connection, table: &str, findings: &mut Findings) {
    words(conn, table, findings);
    let nul = holds_nul(conn, table);
    ids(conn, table, findings);
    text(conn, table, findings);
    // Versions of SQLite differ in how trigrams of text behind a NUL are indexed, so its own check
    // calls sound indexes of another version malformed.
    if matches!(nul, Ok(0)) {
        own_check(
            conn,
            &format!("PRAGMA quick_check({table})"),
            table,
            findings,
        );
    }
}

fn check_table(conn: &Connection, table: &str, private: bool, findings: &mut Findings) {
    ids(conn, table, findings);
    if !private {
        return;
    }
    text(conn, table, findings);
    words(conn, table, findings);
    // On a copy what SQLite would misjudge can be taken away first.
    if let Err(e) = cut_copies_at_nul(conn, table) {
        findings.failed(Fault::SearchDamaged, table, "cannot be read", &e);
    }
    let check = format!("INSERT INTO {table}({table}) VALUES('integrity-check')");
    own_check(conn, &check, table, findings);
}

fn own_check(conn: &Connection, sql: &str, table: &str, findings: &mut Findings) {
    // What a pragma finds is in its rows, what a command finds is its error.
    let lines = conn.prepare(sql).and_then(|mut statement| {
        let mut rows = statement.query([])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            lines.push(row.get::<_, String>(0)?);
        }
        Ok(lines)
    });
    match lines {
        Ok(lines) => {
            for line in lines.iter().filter(|line| *line != "ok") {
                findings.add(Fault::SearchDamaged, table, 1, format!("{table}: {line}"));
            }
        }
        Err(e) => findings.failed(
            Fault::SearchDamaged,
            table,
            "does not agree with itself",
            &e,
        ),
    }
}

/// Messages that the table lacks, and entries of messages that are not there.
fn ids(conn: &Connection, table: &str, findings: &mut Findings) {
    let lacking = format!(
        "SELECT COUNT(*) FROM messages m
         WHERE NOT EXISTS (SELECT 1 FROM {table}_docsize d WHERE d.id = m.id)"
    );
    counted_or_failed(
        conn,
        &lacking,
        Fault::SearchIncomplete,
        table,
        findings,
        |n| format!("{table} lacks {}", counted(n, "message")),
    );
    let more = format!(
        "SELECT COUNT(*) FROM {table}_docsize d
         WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = d.id)"
    );
    counted_or_failed(conn, &more, Fault::SearchLeftovers, table, findings, |n| {
        format!(
            "{table} has {} of messages that are not there",
            counted(n, "entry").replace("entrys", "entries")
        )
    });
}

/// Rows that another program could not have indexed otherwise: text with a NUL, which structured
/// content begins with, is indexed by us in a form of our own.
fn text(conn: &Connection, table: &str, findings: &mut Findings) {
    let sql = format!(
        "SELECT COUNT(*) FROM messages m LEFT JOIN {table}_content c ON c.id = m.id
         WHERE c.c0 IS NOT {TRIGGER_TEXT} AND instr({TRIGGER_TEXT}, char(0)) = 0
         AND typeof(m.content) <> 'blob'
         AND EXISTS (SELECT 1 FROM {table}_docsize d WHERE d.id = m.id)"
    );
    counted_or_failed(conn, &sql, Fault::SearchTextDiffers, table, findings, |n| {
        format!("{table} holds other text than {}", counted(n, "message"))
    });
}

/// Walks through every word of the index.
fn words(conn: &Connection, table: &str, findings: &mut Findings) {
    let vocabulary = format!("temp.{table}_words");
    let walked = conn
        .execute_batch(&format!(
            "CREATE VIRTUAL TABLE {vocabulary} USING fts5vocab('main', '{table}', 'row')"
        ))
        .and_then(|()| {
            conn.query_row(
                &format!("SELECT SUM(cnt) FROM {vocabulary}"),
                [],
                |_| Ok(()),
            )
        });
    let dropped = conn.execute_batch(&format!("DROP TABLE IF EXISTS {vocabulary}"));
    if let Err(e) = walked.and(dropped) {
        findings.failed(Fault::SearchDamaged, table, "cannot be read", &e);
    }
}

/// How many copies of texts hold a NUL.
fn holds_nul(conn: &Connection, table: &str) -> rusqlite::Result<u64> {
    let sql = format!("SELECT COUNT(*) FROM {table}_content WHERE instr(c0, char(0)) > 0");
    let n: i64 = conn.query_row(&sql, [], |row| row.get(0))?;
    Ok(n.unsigned_abs())
}

fn counted_or_failed(
    conn: &Connection,
    sql: &str,
    fault: Fault,
    table: &str,
    findings: &mut Findings,
    message: impl FnOnce(u64) -> String,
) {
    match conn.query_row(sql, [], |row| row.get::<_, i64>(0)) {
        Ok(0) => {}
        Ok(n) => findings.add(fault, table, n.unsigned_abs(), message(n.unsigned_abs())),
        Err(e) => findings.failed(Fault::SearchDamaged, table, "cannot be compared", &e),
    }
}

/// Writes, changes and deletes messages on the private copy, and takes it all back.
fn try_to_write(conn: &Connection, layout: &Layout, findings: &mut Findings) {
    if layout.check_writable(std::path::Path::new("")).is_err() {
        return;
    }
    let attempt = || -> rusqlite::Result<()> {
        conn.execute_batch(
            "BEGIN;
             INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES ('hermes-check', 'check', 0);",
        )?;
        let mut insert = conn.prepare(
            "INSERT INTO messages (session_id, role, content, timestamp)
             VALUES ('hermes-check', 'user', ?1, 0)",
        )?;
        for n in 0..TRIES {
            insert.execute([format!("a try at writing, number {n} 山水画册")])?;
        }
        conn.execute_batch(
            "UPDATE messages SET content = 'changed' WHERE session_id = 'hermes-check';
             DELETE FROM messages WHERE session_id = 'hermes-check';
             UPDATE messages SET content = content WHERE id IN (SELECT id FROM messages ORDER BY id DESC LIMIT 20);",
        )
    };
    let outcome = attempt();
    if !conn.is_autocommit()
        && let Err(e) = conn.execute_batch("ROLLBACK")
    {
        findings.failed(
            Fault::CheckFailed,
            "messages",
            "a try cannot be taken back",
            &e,
        );
    }
    if let Err(e) = outcome {
        // With damage of the tables that was told before, nothing new is learnt.
        if findings.has(Fault::TableDamaged) || findings.has(Fault::IndexDamaged) {
            return;
        }
        let mut message = format!("a message cannot be written: {e}");
        if layout.index == IndexState::BreaksWrites {
            message.push_str(" (the next write by this program makes the index anew)");
        }
        findings.add(Fault::WriteFails, "messages", 1, message);
    }
}
