//! A page of matches: their rows, their snippets, what was said before and after.

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::options::SearchOptions;
use super::source::Source;
use super::{SearchMatch, context, scan, snippet};
use crate::content::Content;
use crate::message::MessageId;
use crate::record::column;
use crate::schema::Layout;

/// Columns of a match, behind one of the caller's.
const COLUMNS: &str =
    "m.session_id, m.role, m.timestamp, m.tool_name, s.source, s.model, s.started_at";

/// The columns behind [`COLUMNS`].
const COMPACTED: usize = 8;
const BEHIND: usize = 9;

/// Reads matches of one search.
pub(super) struct Reader<'a> {
    pub(super) conn: &'a Connection,
    pub(super) layout: &'a Layout,
    pub(super) options: &'a SearchOptions,
    /// The terms that a match has, in lower case.
    pub(super) words: &'a [String],
}

impl Reader<'_> {
    /// The match with this id, or nothing if the message or its session is gone.
    pub(super) fn read(&self, source: &Source, id: i64) -> rusqlite::Result<Option<SearchMatch>> {
        let found = match source {
            Source::Index { table, expression } => self.of_index(table, expression, id)?,
            Source::Ids(_) | Source::Rows(_) => self.of_row(id)?,
        };
        let Some(mut found) = found else {
            return Ok(None);
        };
        (found.context, found.context_index) =
            context::around(self.conn, self.layout, &found, self.options)?;
        Ok(Some(found))
    }

    fn columns(&self) -> String {
        let compacted = if self.layout.messages.has("compacted") {
            "m.compacted"
        } else {
            "0"
        };
        format!("{COLUMNS}, {compacted}")
    }

    fn of_index(
        &self,
        table: &str,
        expression: &str,
        id: i64,
    ) -> rusqlite::Result<Option<SearchMatch>> {
        let [long, huge] = [snippet::LONG, snippet::HUGE];
        let [begin, end] = [snippet::BEGIN, snippet::END].map(u32::from);
        let sql = format!(
            "SELECT CASE
                 WHEN octet_length({table}.content) < {long}
                 THEN snippet({table}, 0, :before, :after, '...', 40)
                 WHEN octet_length({table}.content) < {huge}
                 THEN highlight({table}, 0, char({begin}), char({end}))
                 ELSE {table}.content
             END, {}, octet_length({table}.content)
             FROM {table} CROSS JOIN messages m ON m.id = {table}.rowid
             CROSS JOIN sessions s ON s.id = m.session_id
             WHERE {table} MATCH :query AND {table}.rowid = :id",
            self.columns()
        );
        let (before, after) = &self.options.marks;
        let parameters =
            named_params! { ":before": before, ":after": after, ":query": expression, ":id": id };
        self.conn
            .prepare_cached(&sql)?
            .query_row(parameters, |row| {
                let text = column::<Option<String>>(row, 0)?;
                let marks = &self.options.marks;
                let text = match row.get::<_, Option<i64>>(BEHIND)? {
                    Some(bytes) if bytes >= snippet::HUGE => {
                        text.map(|text| snippet::around(&text, self.words, marks))
                    }
                    Some(bytes) if bytes >= snippet::LONG => {
                        text.map(|text| snippet::cut(&text, marks))
                    }
                    _ => text,
                };
                read_match(row, id, text)
            })
            .optional()
    }

    fn of_row(&self, id: i64) -> rusqlite::Result<Option<SearchMatch>> {
        let sql = format!(
            "SELECT m.content, {}, m.tool_calls
             FROM messages m CROSS JOIN sessions s ON s.id = m.session_id WHERE m.id = ?1",
            self.columns()
        );
        // The term that a snippet is centred on.
        let first = self.words.first().map_or("", String::as_str);
        self.conn
            .prepare_cached(&sql)?
            .query_row(params![id], |row| {
                let content = column::<Option<Content>>(row, 0)?;
                let tool_calls = column::<Option<String>>(row, BEHIND)?;
                let found = read_match(row, id, None)?;
                let tool = found.tool_name.as_deref();
                let snippet =
                    scan::row_snippet(content.as_ref(), tool, tool_calls.as_deref(), first);
                Ok(SearchMatch { snippet, ..found })
            })
            .optional()
    }
}

fn read_match(row: &Row<'_>, id: i64, snippet: Option<String>) -> rusqlite::Result<SearchMatch> {
    Ok(SearchMatch {
        id: MessageId(id),
        snippet,
        session_id: column(row, 1)?,
        role: column(row, 2)?,
        timestamp: column(row, 3)?,
        tool_name: column(row, 4)?,
        source: column(row, 5)?,
        model: column(row, 6)?,
        session_started: column(row, 7)?,
        compacted: column::<i64>(row, COMPACTED)? == 1,
        context: Vec::new(),
        context_index: 0,
        lineage: None,
        further: None,
    })
}
