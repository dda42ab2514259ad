//! A page of matches: their rows, their snippets, what was said before and after.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::context::Surroundings;
use super::hits::Hit;
use super::options::SearchOptions;
use super::source::Source;
use super::{SearchMatch, indexed, scan};
use crate::content::Content;
use crate::message::MessageId;
use crate::record::column;
use crate::schema::Layout;

/// Reads the matches of one search.
pub(super) struct Reader<'a> {
    pub(super) conn: &'a Connection,
    pub(super) layout: &'a Layout,
    pub(super) options: &'a SearchOptions,
    /// The terms that a match has, in lower case.
    pub(super) words: &'a [String],
    /// Where the matches were found.
    pub(super) source: &'a Source,
    /// What the index has no snippet of is shown without marks, as Hermes does.
    pub(super) plain: bool,
}

impl Reader<'_> {
    /// The matches of these messages; nothing for one that is gone, or whose session is.
    pub(super) fn read<'h>(
        &self,
        hits: impl Iterator<Item = &'h Hit> + Clone,
    ) -> rusqlite::Result<Vec<Option<SearchMatch>>> {
        let snippets = match self.source {
            Source::Index {
                table, expression, ..
            } => {
                let left = hits.clone().filter(|hit| hit.snippet.is_none());
                let ids: Vec<i64> = left.map(|hit| hit.id).collect();
                let (lookup, marks) = ((*table, expression.as_str()), &self.options.marks);
                indexed::of(self.conn, lookup, &ids, self.words, marks)?
            }
            _ => HashMap::new(),
        };
        // Where every snippet is known, what a tool was called with is not read.
        let all_known = hits
            .clone()
            .all(|hit| hit.snippet.is_some() || snippets.contains_key(&hit.id));
        let mut row = self.statement(all_known)?;
        let mut surroundings = Surroundings::of(self.conn, self.layout, self.options)?;
        hits.map(|hit| {
            let known = match &hit.snippet {
                None => snippets.get(&hit.id).cloned(),
                known => Some(known.clone()),
            };
            self.one(&mut row, surroundings.as_mut(), hit.id, known)
        })
        .collect()
    }

    fn statement(&self, without_calls: bool) -> rusqlite::Result<CachedStatement<'_>> {
        let compacted = match self.layout.messages.has("compacted") {
            true => "m.compacted",
            false => "0",
        };
        let calls = match without_calls {
            true => "NULL",
            false => "m.tool_calls",
        };
        self.conn.prepare_cached(&format!(
            "SELECT m.session_id, m.role, m.timestamp, m.tool_name, s.source, s.model, s.started_at,
                 {compacted}, m.content, {calls}
             FROM messages m CROSS JOIN sessions s ON s.id = m.session_id WHERE m.id = ?1"
        ))
    }

    /// `known`: its snippet, if the index has made it.
    fn one(
        &self,
        row: &mut CachedStatement<'_>,
        surroundings: Option<&mut Surroundings<'_>>,
        id: i64,
        known: Option<Option<String>>,
    ) -> rusqlite::Result<Option<SearchMatch>> {
        let found = row
            .query_row(params![id], |row| {
                let found = SearchMatch {
                    id: MessageId(id),
                    snippet: None,
                    session_id: column(row, 0)?,
                    role: column(row, 1)?,
                    timestamp: column(row, 2)?,
                    tool_name: column(row, 3)?,
                    source: column(row, 4)?,
                    model: column(row, 5)?,
                    session_started: column(row, 6)?,
                    compacted: column::<i64>(row, 7)? == 1,
                    context: Vec::new(),
                    context_index: 0,
                    lineage: None,
                    further: None,
                };
                let content = column::<Option<Content>>(row, 8)?;
                let calls = column::<Option<String>>(row, 9)?;
                Ok((found, content, calls))
            })
            .optional()?;
        let Some((mut found, content, calls)) = found else {
            return Ok(None);
        };
        found.snippet = known.unwrap_or_else(|| {
            let tool = found.tool_name.as_deref();
            let marks = (!self.plain).then_some(&self.options.marks);
            scan::row_snippet(content.as_ref(), tool, calls.as_deref(), self.words, marks)
        });
        if let Some(surroundings) = surroundings {
            (found.context, found.context_index) = surroundings.around(&found, content)?;
        }
        Ok(Some(found))
    }
}
