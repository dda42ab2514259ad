//! Searching the rows themselves: for text that no index can find, and when there is no index.
//!
//! What is compared is what a person would read (structured content decoded, `\u` escapes in tool
//! calls resolved), not the stored form, and case counts as little as to the index.

use hermes_fts::{Expr, folded};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};

use super::snippet::{self, Marks};
use crate::content::Content;
use crate::index_text::searchable_text;
use crate::record::Column;

/// Characters of a snippet, and how many of them stand before the match.
const SNIPPET_CHARS: usize = 120;
const SNIPPET_LEAD: usize = 40;

const FUNCTION: &str = "hermes_row_matches";

/// The condition that a row of `messages m` matches the query of [`define_matcher`].
pub(super) const MATCHES: &str = "hermes_row_matches(m.content, m.tool_name, m.tool_calls)";

/// Makes the query a function of SQL, for the one statement that follows on this connection.
/// `loosely`: words match inside words.
pub(super) fn define_matcher(conn: &Connection, tree: Expr, loosely: bool) -> rusqlite::Result<()> {
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
        let text = folded(&text);
        Ok(tree.matches(&mut |term| match loosely {
            true => text.contains(&folded(term.text())),
            false => term.stands_in(&text),
        }))
    })
}

/// The terms that a match has, in lower case; not those that it must not have.
pub(super) fn wanted_terms(tree: &Expr) -> Vec<String> {
    let terms = tree.wanted();
    terms
        .iter()
        .map(|term| term.text().to_lowercase())
        .collect()
}

/// The text of a message around the first place where one of the words (in lower case) stands, with
/// marks, or, without marks, where the first of them stands; what the tool was called with, and its
/// name, where it stands only there.
pub(super) fn row_snippet(
    content: Option<&Content>,
    tool_name: Option<&str>,
    tool_calls: Option<&str>,
    words: &[String],
    marks: Option<&Marks>,
) -> Option<String> {
    let words = match marks {
        Some(_) => words,
        None => words.get(..1).unwrap_or_default(),
    };
    let has_one = |text: &str| {
        let text = text.to_lowercase();
        words.iter().any(|word| text.contains(word.as_str()))
    };
    let shown = |text: &str| match marks {
        Some(marks) => snippet::around(text, words, marks),
        None => piece(text, words.first().map_or("", String::as_str)),
    };
    let text = content.map(Content::plain_text);
    match text {
        Some(text) if has_one(&text) => Some(shown(&text)),
        text => {
            let all = searchable_text(content, tool_name, tool_calls);
            match has_one(&all) {
                true => Some(shown(&all)),
                false => text.map(|text| shown(&text)),
            }
        }
    }
}

/// The text around the first place where the term stands, or the beginning.
fn piece(text: &str, term: &str) -> String {
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
