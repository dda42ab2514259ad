//! What state the full-text index of a file is in: whether it can answer a search, and what a
//! writer meets in it.

mod cut_words;

use rusqlite::Connection;

use super::{INDEX_TABLES, NATIVE_VERSION, NEWEST_WRITABLE_VERSION, Objects};
use crate::error::is_of_the_moment;
use crate::reindex::{self, SIDE_TABLES};

/// What a writer meets in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexState {
    /// Two tables with their own copy of the text, and every trigger: texts of our own go there.
    Inline,
    /// Kept by triggers of another version, or absent: writes succeed, nothing of ours goes in.
    Apart,
    /// A trigger that would make a write fail: its table is missing, unreadable or of another kind.
    BreaksWrites,
}

/// Which table of the index is why it cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexFault {
    pub(crate) table: &'static str,
    /// It is sound as far as it goes, and lacks the newest messages.
    pub(crate) behind: bool,
}

pub(super) struct Index {
    /// See [`Layout::cut_words`](super::Layout::cut_words).
    pub(super) cut_words: bool,
    pub(super) trouble: Option<String>,
    pub(super) fault: Option<IndexFault>,
    pub(super) state: IndexState,
    pub(super) leftovers: bool,
}

pub(crate) const EVENTS: [&str; 3] = ["insert", "update", "delete"];

pub(super) fn examine(
    conn: &Connection,
    objects: &Objects,
    version: i64,
) -> rusqlite::Result<Index> {
    let newest: i64 = conn.query_row("SELECT COALESCE(MAX(id), 0) FROM messages", [], |row| {
        row.get(0)
    })?;
    let rebuilding = SIDE_TABLES.iter().any(|table| objects.has("table", table));
    let side_breaks = reindex::side_breaks_writes(conn)?;
    let mut trouble = foreign_index(version);
    let mut fault = None;
    let mut inline = true;
    let mut breaks = side_breaks;
    for table in INDEX_TABLES {
        let examined = examine_table(conn, objects, table, newest)?;
        inline &= examined.inline;
        breaks |= examined.breaks;
        if trouble.is_none() && examined.trouble.is_some() {
            fault = Some(IndexFault {
                table,
                behind: examined.behind,
            });
        }
        trouble = trouble.or(examined.trouble);
    }
    if rebuilding || side_breaks {
        fault = None;
        trouble = Some("the full-text index is being rebuilt".to_owned());
    }
    let state = if breaks {
        IndexState::BreaksWrites
    } else if inline {
        IndexState::Inline
    } else {
        IndexState::Apart
    };
    Ok(Index {
        cut_words: !rebuilding && cut_words::can_be_used(conn, objects, version)?,
        leftovers: rebuilding || objects.any_table(reindex::is_retired),
        trouble,
        fault,
        state,
    })
}

#[derive(Default)]
struct Examined {
    trouble: Option<String>,
    inline: bool,
    breaks: bool,
    behind: bool,
}

fn examine_table(
    conn: &Connection,
    objects: &Objects,
    table: &str,
    newest: i64,
) -> rusqlite::Result<Examined> {
    let triggers = EVENTS.map(|event| {
        let name = format!("{table}_{event}");
        let sql = objects.sql("trigger", &name).map(str::to_owned);
        (name, sql)
    });
    let fired = triggers.iter().any(|(_, sql)| sql.is_some());
    let Some(sql) = objects.sql("table", table) else {
        return Ok(Examined {
            trouble: Some(format!("table {table} is missing")),
            breaks: fired,
            ..Examined::default()
        });
    };
    let greatest = match greatest_indexed(conn, table) {
        Ok(greatest) => greatest,
        Err(e) if is_of_the_moment(&e) => return Err(e),
        Err(e) => {
            return Ok(Examined {
                trouble: Some(format!("table {table} cannot be read: {e}")),
                breaks: fired,
                ..Examined::default()
            });
        }
    };
    if !is_inline(sql) {
        return Ok(Examined {
            trouble: Some(format!("table {table} has the layout of another version")),
            ..Examined::default()
        });
    }
    if let Some(tokenizer) = unknown_tokenizer(sql) {
        return Ok(Examined {
            trouble: Some(format!(
                "table {table} is made for a tokenizer that is not here: {tokenizer}"
            )),
            breaks: fired,
            ..Examined::default()
        });
    }
    for (name, sql) in &triggers {
        let trouble = match sql.as_deref() {
            None => "is missing",
            // The command that takes a row out of a table without text of its own.
            Some(sql) if sql.contains("'delete'") => {
                return Ok(Examined {
                    trouble: Some(format!("trigger {name} is made for another kind of table")),
                    breaks: true,
                    ..Examined::default()
                });
            }
            Some(sql) if !name.ends_with("_delete") && !sql.contains("tool_calls") => {
                "leaves out tool calls"
            }
            Some(_) => continue,
        };
        return Ok(Examined {
            trouble: Some(format!("trigger {name} {trouble}")),
            ..Examined::default()
        });
    }
    let behind = (greatest < newest)
        .then(|| format!("table {table} ends at message {greatest} of {newest}"));
    Ok(Examined {
        behind: behind.is_some(),
        trouble: behind,
        inline: true,
        breaks: false,
    })
}

/// The greatest id in a table of the index; fails if its structure is damaged.
fn greatest_indexed(conn: &Connection, table: &str) -> rusqlite::Result<i64> {
    // Naming the virtual table makes SQLite load it.
    let sql = format!(
        "SELECT COALESCE(MAX(id), 0) FROM {table}_docsize
         WHERE NOT EXISTS (SELECT 1 FROM {table} LIMIT 0)"
    );
    conn.query_row(&sql, [], |row| row.get(0))
}

/// Versions whose index leaves something out, even where its tables look like those of version 11:
/// before it tool calls are missing, from 23 on the ends of long tool results are.
pub(crate) fn foreign_index(version: i64) -> Option<String> {
    let whole = NATIVE_VERSION..=NEWEST_WRITABLE_VERSION;
    (!whole.contains(&version))
        .then(|| format!("the index of schema version {version} does not hold all text"))
}

/// What cuts texts into terms, if SQLite does not bring it along: it is looked for only when it is
/// first used.
fn unknown_tokenizer(create_sql: &str) -> Option<&str> {
    let (_, arguments) = create_sql.split_once('(')?;
    let (_, value) = arguments.split_once("tokenize")?;
    let value = value.trim_start_matches([' ', '=', '\'', '"']);
    let name = value
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()?;
    let known = ["unicode61", "ascii", "porter", "trigram"];
    (!known.contains(&name)).then_some(name)
}

/// One column `content`, no external content table.
pub(super) fn is_inline(create_sql: &str) -> bool {
    let Some((_, arguments)) = create_sql.split_once('(') else {
        return false;
    };
    let mut arguments = arguments
        .trim_end()
        .trim_end_matches(')')
        .split(',')
        .map(str::trim);
    arguments.next() == Some("content") && arguments.all(|a| a.starts_with("tokenize"))
}
