//! What a damaged file says of its tables and indexes.

use super::page::Pages;
use super::record::{Row, Value};
use super::walk::{Kind, Walk, is_definition};
use crate::reindex::is_part_of_index;

/// One definition.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) root: u32,
    pub(super) sql: String,
}

impl Definition {
    fn of(row: &Row) -> Option<Definition> {
        let text = |n: usize| {
            let bytes = row.values.get(n)?.text()?;
            Some(String::from_utf8_lossy(bytes).into_owned())
        };
        Some(Definition {
            kind: text(0)?,
            name: text(1)?,
            root: row
                .values
                .get(3)
                .and_then(Value::integer)
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(0),
            sql: text(4).unwrap_or_default(),
        })
    }

    /// A table with rows of its own in the order of numbers.
    pub(super) fn is_plain_table(&self) -> bool {
        let sql = self.sql.to_ascii_uppercase();
        self.kind == "table" && self.root > 0 && !sql.contains("WITHOUT ROWID")
    }

    /// A part of the full-text index, or of its making.
    pub(super) fn is_search(&self) -> bool {
        is_part_of_index(&self.name) || self.name.starts_with("hermes_reindex_")
    }
}

/// All definitions; also those that only a search through the file brings up.
pub(super) fn read(pages: &Pages) -> Vec<Definition> {
    let mut found: Vec<Definition> = Vec::new();
    let mut add = |row: &Row| {
        if let Some(new) = Definition::of(row)
            && !found
                .iter()
                .any(|old| old.name == new.name && old.kind == new.kind)
        {
            found.push(new);
        }
    };
    Walk::new(pages).tree(1, Kind::Table, &mut |row| add(&row));
    Walk::peek(pages, &mut |row| {
        if is_definition(&row.values) {
            add(&row);
        }
    });
    found
}
