//! Rows against each other: what refers to what, what is counted, and values that break a reader.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::Fault;
use super::report::{EXAMPLES, Findings};
use crate::schema::{Layout, quoted};
use crate::wording::counted;

/// Messages of sessions that are not there, by session.
pub(crate) const ORPHANS: &str = "SELECT CAST(m.session_id AS TEXT), COUNT(*) FROM messages m
    WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = m.session_id)
    GROUP BY m.session_id ORDER BY MIN(m.id)";

/// Sessions whose parent is not there.
pub(crate) const WITHOUT_PARENT: &str = "SELECT CAST(c.id AS TEXT), 1 FROM sessions c
    WHERE c.parent_session_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = c.parent_session_id)
    ORDER BY c.rowid";

/// Sessions that are their own ancestors, the first to start first.
pub(crate) const IN_A_CIRCLE: &str = "WITH RECURSIVE up(start, id, steps) AS (
        SELECT id, parent_session_id, 1 FROM sessions WHERE parent_session_id IS NOT NULL
        UNION
        SELECT u.start, s.parent_session_id, u.steps + 1 FROM up u JOIN sessions s ON s.id = u.id
        WHERE s.parent_session_id IS NOT NULL AND u.id IS NOT u.start AND u.steps < 1000
    )
    SELECT DISTINCT CAST(s.id AS TEXT), 1 FROM up u JOIN sessions s ON s.id = u.start
    WHERE u.id = u.start ORDER BY s.started_at, s.rowid";

/// Messages of newer versions that are neither active nor not.
const WITHOUT_ACTIVE: &str = "SELECT CAST(id AS TEXT), 1 FROM messages WHERE active IS NULL";

/// Sessions whose settings no version of SQLite reads as JSON.
const NO_JSON: &str = "SELECT CAST(id AS TEXT), 1 FROM sessions
    WHERE model_config IS NOT NULL AND json_error_position(model_config) <> 0";

pub(super) fn check(conn: &Connection, layout: &Layout, deep: bool, findings: &mut Findings) {
    references(conn, findings);
    if layout.messages.has("active") {
        let message = |n: u64, _| {
            format!(
                "{} neither active nor not: Hermes hides them",
                counted(n, "message")
            )
        };
        listed(
            conn,
            WITHOUT_ACTIVE,
            Fault::ActiveMissing,
            "messages",
            message,
            findings,
        );
    }
    if layout.sessions.has("model_config") {
        let message = |n: u64, _| {
            format!(
                "{} with model settings that are no JSON: Hermes from 0.19 on cannot list its sessions then",
                counted(n, "session")
            )
        };
        listed(
            conn,
            NO_JSON,
            Fault::SettingsInvalid,
            "sessions",
            message,
            findings,
        );
    }
    if !deep {
        return;
    }
    let message = |n: u64, _| format!("{} that counts its messages wrong", counted(n, "session"));
    listed(
        conn,
        &miscounted(layout),
        Fault::CounterWrong,
        "sessions",
        message,
        findings,
    );
    for (table, key, columns) in [
        ("sessions", "id", &layout.sessions.names),
        ("messages", "id", &layout.messages.names),
    ] {
        match not_utf8(conn, table, key, columns) {
            Ok((0, _)) => {}
            Ok((n, ids)) => {
                let message = format!(
                    "{} of {table} with text that is not UTF-8: Python cannot read it",
                    counted(n, "row")
                );
                findings.add_with(Fault::TextInvalid, table, n, message, ids);
            }
            Err(e) => findings.failed(Fault::TableDamaged, table, "cannot be read", &e),
        }
    }
}

fn references(conn: &Connection, findings: &mut Findings) {
    let message = |sessions: u64, messages: u64| {
        format!(
            "{} of {} that are not there: nothing lists or finds them",
            counted(messages, "message"),
            counted(sessions, "session")
        )
    };
    listed(
        conn,
        ORPHANS,
        Fault::OrphanMessages,
        "messages",
        message,
        findings,
    );
    let message = |n: u64, _| format!("{} whose parent is not there", counted(n, "session"));
    listed(
        conn,
        WITHOUT_PARENT,
        Fault::ParentMissing,
        "sessions",
        message,
        findings,
    );
    let message = |n: u64, _| format!("{} that descend from themselves", counted(n, "session"));
    listed(
        conn,
        IN_A_CIRCLE,
        Fault::ParentCycle,
        "sessions",
        message,
        findings,
    );
    // What other tables refer to.
    let others = conn
        .prepare("SELECT \"table\", COUNT(*) FROM pragma_foreign_key_check GROUP BY 1")
        .and_then(|mut statement| {
            statement
                .query_map([], |row| {
                    Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
                })?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
    match others {
        Ok(others) => {
            for (table, n) in others {
                if table != "messages" && table != "sessions" {
                    let n = n.unsigned_abs();
                    let rows = counted(n, "row");
                    let message = format!("{rows} of {table} refer to something that is not there");
                    findings.add(Fault::ReferenceBroken, table, n, message);
                }
            }
        }
        Err(e) => findings.failed(Fault::CheckFailed, "references", "cannot be checked", &e),
    }
}

/// Adds a finding of what a query lists (an id, and a number each), if it lists anything. `message`
/// is given how many, and the sum of the numbers.
fn listed(
    conn: &Connection,
    sql: &str,
    fault: Fault,
    object: &str,
    message: impl Fn(u64, u64) -> String,
    findings: &mut Findings,
) {
    let run = || -> rusqlite::Result<(u64, u64, Vec<String>)> {
        let mut statement = conn.prepare(sql)?;
        let mut rows = statement.query([])?;
        let (mut n, mut sum, mut examples) = (0_u64, 0_u64, Vec::new());
        while let Some(row) = rows.next()? {
            n += 1;
            sum += row.get::<_, i64>(1)?.unsigned_abs();
            if examples.len() < EXAMPLES {
                examples.push(lossy(row.get_ref(0)?));
            }
        }
        Ok((n, sum, examples))
    };
    match run() {
        Ok((0, ..)) => {}
        Ok((n, sum, examples)) => {
            let count = if fault == Fault::OrphanMessages {
                sum
            } else {
                n
            };
            findings.add_with(fault, object, count, message(n, sum), examples);
        }
        Err(e) => findings.failed(Fault::TableDamaged, object, "cannot be read", &e),
    }
}

fn lossy(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(x) => x.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

/// Sessions whose counter is not the number of their messages. Where messages can be taken back,
/// releases count them or not. More calls of tools than counted are wrong, fewer are not: what an
/// empty list of calls was counted as depends on the release.
fn miscounted(layout: &Layout) -> String {
    let active = if layout.messages.has("active") {
        "COALESCE(SUM(active <> 0), 0)"
    } else {
        "COUNT(*)"
    };
    format!(
        "SELECT CAST(s.id AS TEXT), 1 FROM sessions s LEFT JOIN (
            SELECT session_id, COUNT(*) AS n, {active} AS live FROM messages GROUP BY session_id
        ) c ON c.session_id = s.id
        WHERE COALESCE(s.message_count, -1) NOT BETWEEN COALESCE(c.live, 0) AND COALESCE(c.n, 0)"
    )
}

/// How many rows hold text that is not UTF-8, and the first of their ids.
fn not_utf8(
    conn: &Connection,
    table: &str,
    key: &str,
    columns: &[String],
) -> rusqlite::Result<(u64, Vec<String>)> {
    let list: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    let sql = format!("SELECT {key}, {} FROM {table}", list.join(", "));
    let mut statement = conn.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let (mut n, mut ids) = (0, Vec::new());
    while let Some(row) = rows.next()? {
        for column in 1..=columns.len() {
            if let ValueRef::Text(bytes) = row.get_ref(column)?
                && std::str::from_utf8(bytes).is_err()
            {
                n += 1;
                if ids.len() < EXAMPLES {
                    ids.push(lossy(row.get_ref(0)?));
                }
                break;
            }
        }
    }
    Ok((n, ids))
}
