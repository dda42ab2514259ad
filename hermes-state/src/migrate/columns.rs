//! Columns by declaration: what the tables of version 11 have and the file lacks is added.

use rusqlite::Connection;

use crate::schema::{TABLES_SQL, quoted};

const TABLES: [&str; 3] = ["schema_version", "sessions", "messages"];

struct Column {
    name: String,
    declared: String,
}

/// Adds every missing column of the declared tables; creates `schema_version` where it is missing.
pub(super) fn reconcile(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")?;
    let model = Connection::open_in_memory()?;
    model.execute_batch(TABLES_SQL)?;
    for table in TABLES {
        let there: Vec<String> = columns(conn, table)?.into_iter().map(|c| c.name).collect();
        for column in columns(&model, table)? {
            if !there
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&column.name))
            {
                conn.execute_batch(&format!(
                    "ALTER TABLE {table} ADD COLUMN {} {}",
                    quoted(&column.name),
                    column.declared
                ))?;
            }
        }
    }
    Ok(())
}

fn columns(conn: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    let mut statement = conn.prepare(
        "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?1) ORDER BY cid",
    )?;
    let rows = statement.query_map([table], |row| {
        let mut declared: String = row.get(1)?;
        if row.get(2)? {
            declared.push_str(" NOT NULL");
        }
        if let Some(default) = row.get::<_, Option<String>>(3)? {
            declared.push_str(&format!(" DEFAULT {default}"));
        }
        Ok(Column {
            name: row.get(0)?,
            declared,
        })
    })?;
    rows.collect()
}
