//! Searching the rows themselves: for text that no index can find, and when there is no index.
//!
//! What is compared is what a person would read (structured content decoded, `\u` escapes in tool
//! calls resolved), not the stored form, and case does not count.

use hermes_fts::{Expr, SanitizedQuery};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, params_from_iter};

use super::{
    BEHIND_MATCH, MATCH_COLUMNS, SearchMatch, SearchOptions, filters, page, read_match,
    with_context,
};
use crate::content::Content;
use crate::index_text::searchable_text;
use crate::record::{Column, column};
use crate::schema::Layout;

/// Characters of a snippet, and how many of them stand before the match.
const SNIPPET_CHARS: usize = 120;
const SNIPPET_LEAD: usize = 40;

const FUNCTION: &str = "hermes_row_matches";

/// Looks at every row, newest first.
pub(super) fn scan(
    conn: &Connection,
    layout: &Layout,
    query: &SanitizedQuery,
    options: &SearchOptions,
) -> rusqlite::Result<Vec<SearchMatch>> {
    let Some(tree) = query.tree() else {
        return Ok(Vec::new());
    };
    // The term that a snippet is centred on.
    let first = wanted_terms(tree).into_iter().next().unwrap_or_default();
    define_matcher(conn, tree.clone())?;
    let (filters, values) = filters(options, layout);
    let sql = format!(
        "SELECT m.id, m.content, {MATCH_COLUMNS}, m.tool_calls
         FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
         WHERE {FUNCTION}(m.content, m.tool_name, m.tool_calls) {filters}
         ORDER BY m.timestamp DESC, m.id DESC LIMIT ? OFFSET ?"
    );
    let mut statement = conn.prepare(&sql)?;
    let rows = statement.query_map(
        params_from_iter(values.into_iter().chain(page(options))),
        |row| {
            let content = column::<Option<Content>>(row, 1)?;
            let tool_calls = column::<Option<String>>(row, BEHIND_MATCH)?;
            let found = read_match(row, None)?;
            let text = content.as_ref().map(Content::plain_text);
            let snippet = match text {
                Some(text) if text.to_lowercase().contains(&first) => Some(snippet(&text, &first)),
                // The match is in what the tool was called with, or in its name.
                text => {
                    let tool = found.tool_name.as_deref();
                    let all = searchable_text(content.as_ref(), tool, tool_calls.as_deref());
                    match all.to_lowercase().contains(&first) {
                        true => Some(snippet(&all, &first)),
                        false => text.map(|text| snippet(&text, &first)),
                    }
                }
            };
            Ok(SearchMatch { snippet, ..found })
        },
    )?;
    with_context(conn, layout, rows.collect::<rusqlite::Result<_>>()?)
}

/// Makes the query a function of SQL, for the one statement that follows on this connection.
fn define_matcher(conn: &Connection, tree: Expr) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    conn.create_scalar_function(FUNCTION, 3, flags, move |row: &mut Context<'_>| {
        let content = Option::<Content>::of(row.get_raw(0));
        let tool_name = Option::<String>::of(row.get_raw(1));
        let tool_calls = Option::<String>::of(row.get_raw(2));
        let text = searchable_text(
            content.as_ref(),
            tool_name.as_deref(),
            tool_calls.as_deref(),
        );
        let text = text.to_lowercase();
        Ok(tree.matches(&mut |term| text.contains(&term.text().to_lowercase())))
    })
}

/// The terms that a match has, in lower case; not those that it must not have.
pub(super) fn wanted_terms(tree: &Expr) -> Vec<String> {
    match tree {
        Expr::Term(term) => vec![term.text().to_lowercase()],
        Expr::And(parts) | Expr::Or(parts) => parts.iter().flat_map(wanted_terms).collect(),
        Expr::Not(part, _) => wanted_terms(part),
        _ => Vec::new(),
    }
}

/// The text around the first place where the term stands, or the beginning.
fn snippet(text: &str, term: &str) -> String {
    let lower = text.to_lowercase();
    // Counted in characters: the lower-case text may differ in its length in bytes.
    let at = lower
        .split_once(term)
        .map_or(0, |(before, _)| before.chars().count());
    text.chars()
        .skip(at.saturating_sub(SNIPPET_LEAD))
        .take(SNIPPET_CHARS)
        .collect()
}
