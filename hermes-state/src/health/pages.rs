//! The structure of tables and indexes, by SQLite's own checks, told by object.
//!
//! SQLite says what it finds in sentences; which object is meant is in them by number or by name.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::Fault;
use super::report::{EXAMPLES, Findings};
use crate::reindex::is_part_of_index;
use crate::schema::quoted;

/// How much of the pages is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// Every page by itself.
    Structure,
    /// Also every index against its table, and whether every page is used.
    WithIndexes,
}

/// Lines that SQLite gives at most for a table.
const LINES: usize = 100;

/// An object with pages of its own.
struct Object {
    kind: String,
    name: String,
    table: String,
    root: i64,
}

/// Checks every ordinary table with its indexes; those that hold the full-text index, too.
pub(crate) fn check_tables(
    conn: &Connection,
    pages: Pages,
    findings: &mut Findings,
) -> rusqlite::Result<()> {
    let objects = objects(conn)?;
    let mut found = Found::default();
    for table in objects.iter().filter(|object| object.kind == "table") {
        let check =
            |pragma: &str| lines(conn, &format!("PRAGMA {pragma}({})", quoted(&table.name)));
        let checked = match pages {
            Pages::Structure => check("quick_check"),
            // It stops at a damaged index, which the quick one names.
            Pages::WithIndexes => match check("integrity_check") {
                Err(_) => check("quick_check"),
                checked => checked,
            },
        };
        match checked {
            Ok(lines) => lines
                .iter()
                .for_each(|line| found.add(&objects, &table.name, line)),
            Err(e) => findings.failed(
                damaged_table(&table.name),
                &table.name,
                "cannot be checked",
                &e,
            ),
        }
    }
    let sound = found.0.is_empty();
    found.tell(findings);
    if pages == Pages::WithIndexes && sound {
        lost_pages(conn, findings);
    }
    Ok(())
}

/// Pages that belong to nothing. Only where every table is sound: what is behind a damaged page
/// looks lost, too.
fn lost_pages(conn: &Connection, findings: &mut Findings) {
    // SQLite does not get so far where a table of the full-text index cannot be loaded: that is told
    // elsewhere.
    let Ok(lines) = lines(conn, &format!("PRAGMA quick_check({LINES})")) else {
        return;
    };
    let lost: Vec<String> = lines
        .into_iter()
        .filter(|line| line.starts_with("Freelist: ") || line.ends_with(": never used"))
        .collect();
    if let Some(first) = lost.first() {
        let message = format!("pages of the file are used by nothing ({first})");
        findings.add(Fault::PagesLost, "file", lost.len() as u64, message);
    }
}

fn objects(conn: &Connection) -> rusqlite::Result<Vec<Object>> {
    conn.prepare(
        "SELECT type, name, tbl_name, rootpage FROM sqlite_master
         WHERE type IN ('table', 'index') AND rootpage > 0",
    )?
    .query_map([], |row| {
        Ok(Object {
            kind: row.get(0)?,
            name: row.get(1)?,
            table: row.get(2)?,
            root: row.get(3)?,
        })
    })?
    .collect()
}

fn lines(conn: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare(sql)?;
    let texts = statement.query_map([], |row| row.get::<_, String>(0))?;
    let texts: Vec<String> = texts.collect::<rusqlite::Result<_>>()?;
    Ok(texts
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| *line != "ok" && !line.starts_with("*** in database"))
        .map(str::to_owned)
        .collect())
}

/// A table that holds a part of the full-text index can be made anew.
fn damaged_table(table: &str) -> Fault {
    if is_part_of_index(table) {
        Fault::SearchDamaged
    } else {
        Fault::TableDamaged
    }
}

/// What was found, by kind and object.
#[derive(Default)]
struct Found(BTreeMap<(&'static str, String), (Fault, Vec<String>)>);

impl Found {
    /// Sorts a line of SQLite's into its object; `table` is the one being checked.
    fn add(&mut self, objects: &[Object], table: &str, line: &str) {
        let (fault, object) = classify(objects, table, line);
        let entry = self
            .0
            .entry((fault.id(), object))
            .or_insert_with(|| (fault, Vec::new()));
        entry.1.push(line.to_owned());
    }

    fn tell(self, findings: &mut Findings) {
        for ((_, object), (fault, mut lines)) in self.0 {
            let what = match fault {
                Fault::ValueMisfit => "has values that do not fit",
                Fault::IndexDamaged => "index is damaged",
                _ => "table is damaged",
            };
            let first = lines.first().cloned().unwrap_or_default();
            let count = lines.len() as u64;
            lines.truncate(EXAMPLES);
            findings.add_with(
                fault,
                &object,
                count,
                format!("{object}: {what}: {first}"),
                lines,
            );
        }
    }
}

fn classify(objects: &[Object], table: &str, line: &str) -> (Fault, String) {
    let of = |object: &Object| {
        let fault = match (object.kind.as_str(), damaged_table(&object.table)) {
            (_, Fault::SearchDamaged) => Fault::SearchDamaged,
            ("index", _) => Fault::IndexDamaged,
            _ => Fault::TableDamaged,
        };
        (fault, object.name.clone())
    };
    // `Tree 5 page 7 cell 3: …`: the tree is named by its first page.
    if let Some(rest) = line.strip_prefix("Tree ") {
        let root = rest.split(' ').next().and_then(|n| n.parse::<i64>().ok());
        if let Some(object) = objects.iter().find(|object| Some(object.root) == root) {
            return of(object);
        }
    }
    // `row 5 missing from index NAME`, `wrong # of entries in index NAME`, …
    if let Some((_, name)) = line.rsplit_once(" index ") {
        let named = objects
            .iter()
            .find(|object| object.kind == "index" && object.name == name.trim());
        if let Some(object) = named {
            return of(object);
        }
    }
    let misfit = [
        "NULL value in ",
        "TEXT value in ",
        "NUMERIC value in ",
        "non-",
    ]
    .iter()
    .any(|begin| line.starts_with(begin));
    if misfit && damaged_table(table) == Fault::TableDamaged {
        return (Fault::ValueMisfit, table.to_owned());
    }
    (damaged_table(table), table.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sqlite_says_is_told_by_object() {
        let object = |kind: &str, name: &str, table: &str, root| Object {
            kind: kind.to_owned(),
            name: name.to_owned(),
            table: table.to_owned(),
            root,
        };
        let objects = [
            object("table", "messages", "messages", 5),
            object("index", "idx_messages_session", "messages", 9),
            object("table", "messages_fts_data", "messages_fts_data", 12),
        ];
        for (line, fault, name) in [
            (
                "Tree 5 page 7 cell 3: Rowid 5 out of order",
                Fault::TableDamaged,
                "messages",
            ),
            (
                "Tree 9 page 9: btreeInitPage() returns error code 11",
                Fault::IndexDamaged,
                "idx_messages_session",
            ),
            (
                "Tree 12 page 13: x",
                Fault::SearchDamaged,
                "messages_fts_data",
            ),
            (
                "row 5 missing from index idx_messages_session",
                Fault::IndexDamaged,
                "idx_messages_session",
            ),
            (
                "wrong # of entries in index idx_messages_session",
                Fault::IndexDamaged,
                "idx_messages_session",
            ),
            (
                "NULL value in messages.role",
                Fault::ValueMisfit,
                "messages",
            ),
            ("something new", Fault::TableDamaged, "messages"),
        ] {
            let (got, object) = classify(&objects, "messages", line);
            assert_eq!((got, object.as_str()), (fault, name), "{line}");
        }
    }
}
