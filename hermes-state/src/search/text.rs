//! The text of single messages, as a search compares it.

use hermes_fts::folded;
use rusqlite::{Connection, OptionalExtension};

use crate::content::Content;
use crate::index_text::searchable_text;
use crate::record::column;

/// What a person would read of a message, with the tool and its calls, [`folded`]; none if it is gone.
pub(super) fn of(conn: &Connection, id: i64) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT content, tool_name, tool_calls FROM messages WHERE id = ?1")?
        .query_row([id], |row| {
            let content = column::<Option<Content>>(row, 0)?;
            let tool_name = column::<Option<String>>(row, 1)?;
            let tool_calls = column::<Option<String>>(row, 2)?;
            Ok(folded(&searchable_text(
                content.as_ref(),
                tool_name.as_deref(),
                tool_calls.as_deref(),
            )))
        })
        .optional()
}

/// Those of the messages whose text fits.
pub(super) fn those_that_fit(
    conn: &Connection,
    ids: &[i64],
    mut fits: impl FnMut(i64, &str) -> rusqlite::Result<bool>,
) -> rusqlite::Result<Vec<i64>> {
    let mut fitting = Vec::new();
    for id in ids {
        if let Some(text) = of(conn, *id)?
            && fits(*id, &text)?
        {
            fitting.push(*id);
        }
    }
    Ok(fitting)
}
