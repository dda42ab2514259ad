//! Which messages there were, by what refers to them.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::Definition;
use super::page::Pages;
use super::record::Value;
use super::walk::{Kind, Walk};
use crate::schema::PAGE_INDEX;

/// A message of which the row may be gone.
#[derive(Debug, Default, Clone)]
pub(super) struct Known {
    /// From an ordinary index.
    pub(super) session: Option<Vec<u8>>,
    pub(super) timestamp: Option<Value>,
    /// What the full-text index has of it.
    pub(super) text: Option<Vec<u8>>,
}

/// Everything that indexes know of messages, by id.
pub(super) fn messages(pages: &Pages, definitions: &[Definition]) -> BTreeMap<i64, Known> {
    let mut known: BTreeMap<i64, Known> = BTreeMap::new();
    let mut walk = Walk::new(pages);
    let find = |name: &str| definitions.iter().find(|d| d.name == name && d.root > 0);
    if let Some(index) = find("idx_messages_session") {
        walk.tree(index.root, Kind::Index, &mut |row| {
            if let [Value::Text(session), timestamp, Value::Integer(id)] = row.values.as_slice() {
                let entry = known.entry(*id).or_default();
                entry.session = Some(session.clone());
                entry.timestamp = timestamp.is_number().then(|| timestamp.clone());
            }
        });
    }
    if let Some(index) = find(PAGE_INDEX) {
        walk.tree(index.root, Kind::Index, &mut |row| {
            if let [Value::Text(session), Value::Integer(id)] = row.values.as_slice() {
                let entry = known.entry(*id).or_default();
                entry.session.get_or_insert_with(|| session.clone());
            }
        });
    }
    if let Some(sizes) = find("messages_fts_docsize") {
        walk.tree(sizes.root, Kind::Table, &mut |row| {
            known.entry(row.id).or_default();
        });
    }
    known
}

/// Adds the texts of these messages, as the full-text index has them.
pub(super) fn texts(pages: &Pages, definitions: &[Definition], known: &mut BTreeMap<i64, Known>) {
    let table = definitions
        .iter()
        .find(|d| d.name == "messages_fts_content" && d.root > 0);
    let Some(table) = table else {
        return;
    };
    Walk::new(pages).tree(table.root, Kind::Table, &mut |row| {
        if let (Some(known), Some(Value::Text(text))) = (known.get_mut(&row.id), row.values.get(1))
        {
            known.text = Some(text.clone());
        }
    });
}

/// The ids of sessions, from the index that keeps them apart.
pub(super) fn sessions(pages: &Pages, definitions: &[Definition]) -> BTreeSet<Vec<u8>> {
    let mut known = BTreeSet::new();
    let index = definitions
        .iter()
        .find(|d| d.name == "sqlite_autoindex_sessions_1" && d.root > 0);
    if let Some(index) = index {
        Walk::new(pages).tree(index.root, Kind::Index, &mut |row| {
            if let Some(Value::Text(id)) = row.values.first() {
                known.insert(id.clone());
            }
        });
    }
    known
}
