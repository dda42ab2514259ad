//! How the bytes of the file are spread over its tables and indexes.

use rusqlite::Connection;
use serde::Serialize;

use crate::error::Result;
use crate::schema::quoted;
use crate::store::Store;

/// A table or an index, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ObjectSize {
    /// Its name in the file.
    pub name: String,
    /// What it is for: `sessions`, `messages`, `word index`, `trigram index` or `other`.
    pub part: &'static str,
    /// Bytes of its pages.
    pub bytes: u64,
    /// Whether that is an estimate from what its rows hold.
    pub estimated: bool,
}

impl Store {
    /// The bytes of each table and index, the largest first. Together with the free pages
    /// ([`StoreInfo::free_bytes`](crate::StoreInfo::free_bytes)) that is the file.
    ///
    /// Every page is looked at: a moment for each 100 MB.
    ///
    /// # Errors
    /// Those of every read.
    pub fn object_sizes(&self) -> Result<Vec<ObjectSize>> {
        self.read(|conn, _| {
            let mut sizes = if has_page_statistics(conn)? {
                by_pages(conn)?
            } else {
                by_rows(conn)?
            };
            sizes.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
            Ok(sizes)
        })
    }
}

fn has_page_statistics(conn: &Connection) -> rusqlite::Result<bool> {
    conn.prepare_cached("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'")?
        .exists([])
}

fn by_pages(conn: &Connection) -> rusqlite::Result<Vec<ObjectSize>> {
    // An index belongs to the part of its table.
    const PAGES: &str = "SELECT d.name, COALESCE(o.tbl_name, d.name), SUM(d.pgsize)
        FROM dbstat d LEFT JOIN sqlite_master o ON o.name = d.name
        WHERE d.aggregate = TRUE GROUP BY d.name";
    conn.prepare_cached(PAGES)?
        .query_map([], |row| {
            let table: String = row.get(1)?;
            Ok(ObjectSize {
                name: row.get(0)?,
                part: part(&table),
                bytes: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
                estimated: false,
            })
        })?
        .collect()
}

/// Tables only, by what is in their columns.
fn by_rows(conn: &Connection) -> rusqlite::Result<Vec<ObjectSize>> {
    const TABLES: &str = "SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    const COLUMNS: &str = "SELECT name FROM pragma_table_info(?1)";
    let names = |sql: &str, of: &[&str]| {
        conn.prepare(sql)?
            .query_map(rusqlite::params_from_iter(of), |row| {
                row.get::<_, String>(0)
            })?
            .collect::<rusqlite::Result<Vec<String>>>()
    };
    let mut sizes = Vec::new();
    for table in names(TABLES, &[])? {
        // Of each value about two bytes of header, of each row some more.
        let values: Vec<String> = names(COLUMNS, &[&table])?
            .iter()
            .map(|column| format!("COALESCE(octet_length({}), 0) + 2", quoted(column)))
            .collect();
        let sql = format!(
            "SELECT COALESCE(SUM({} + 6), 0) FROM {}",
            values.join(" + "),
            quoted(&table)
        );
        let bytes: i64 = conn.query_row(&sql, [], |row| row.get(0))?;
        sizes.push(ObjectSize {
            part: part(&table),
            name: table,
            bytes: u64::try_from(bytes).unwrap_or(0),
            estimated: true,
        });
    }
    Ok(sizes)
}

fn part(table: &str) -> &'static str {
    match table {
        "sessions" => "sessions",
        "messages" => "messages",
        _ if table.starts_with("messages_fts_trigram") => "trigram index",
        _ if table.starts_with("messages_fts") => "word index",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_near_what_the_pages_say() -> rusqlite::Result<()> {
        let conn = Connection::open_in_memory()?;
        crate::schema::create(&conn)?;
        conn.execute(
            "INSERT INTO sessions (id, source, started_at) VALUES ('a', 'x', 1)",
            [],
        )?;
        for n in 0..500 {
            let text = format!("message {n}: {}", "why does it restart? ".repeat(n % 40));
            conn.execute(
                "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('a', 'user', ?1, 1)",
                [text],
            )?;
        }
        let pages = by_pages(&conn)?;
        for table in by_rows(&conn)? {
            let exact = pages
                .iter()
                .find(|o| o.name == table.name)
                .map_or(0, |o| o.bytes);
            if exact > 50_000 {
                assert!(
                    table.bytes > exact / 2 && table.bytes < exact * 2,
                    "{}: {} of {exact}",
                    table.name,
                    table.bytes
                );
            }
        }
        Ok(())
    }
}
