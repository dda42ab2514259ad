//! Keeping the index right when rows change, whatever SQLite indexed them.
//!
//! The triggers index a message anew on any update of its row, and take it out of the index on a
//! delete. For that FTS5 cuts its own copy of the text into terms once more, so the copy must give
//! the same terms as when the row was indexed. Text behind a NUL breaks that: the trigram tokenizer
//! of SQLite up to 3.46 stops there, that of the SQLite in this crate reads on. So the two
//! directions are taken care of here: [`before_change`] cuts the copy at the NUL where whoever
//! indexed it had stopped there, and [`after_update`] puts the text without NUL in place again that
//! [`append`](crate::append) had put there.

use rusqlite::{Connection, Params, Row};

use crate::append::index;
use crate::content::Content;
use crate::error::Result;
use crate::message::MessageId;
use crate::record::column;
use crate::schema::IndexState;
use crate::write::Tx;

/// Which messages change.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Changing<'a> {
    /// These.
    Ids(&'a [MessageId]),
    /// All of a session.
    Session(&'a str),
}

/// To be called in the transaction before messages are deleted or their rows updated.
pub(crate) fn before_change(tx: &Tx<'_>, changing: Changing<'_>) -> Result<()> {
    if tx.index() != IndexState::Inline && !has_copies(tx)? {
        return Ok(());
    }
    let cut_short = match changing {
        Changing::Ids(ids) => cut_short(tx, COPIES_BY_ID, [json_list(ids)])?,
        Changing::Session(id) => cut_short(tx, COPIES_BY_SESSION, [id])?,
    };
    if cut_short.is_empty() {
        return Ok(());
    }
    tx.unguarded(|conn| conn.execute(CUT, [json_list(&cut_short)]))?;
    Ok(())
}

/// To be called in the transaction after rows of messages were updated.
pub(crate) fn after_update(tx: &Tx<'_>, changed: Changing<'_>) -> Result<()> {
    match changed {
        Changing::Ids(ids) => index_again(tx, ODD_BY_ID, [json_list(ids)]),
        Changing::Session(id) => index_again(tx, ODD_BY_SESSION, [id]),
    }
}

/// Ids as the JSON array that `json_each` takes: there may be more than SQLite has variables.
pub(crate) fn json_list(ids: &[MessageId]) -> String {
    let ids: Vec<String> = ids.iter().map(MessageId::to_string).collect();
    format!("[{}]", ids.join(","))
}

/// Copies with a NUL: the id, the bytes before it, and how many terms were indexed.
const COPIES_BY_ID: &str = "SELECT c.id,
        substr(CAST(c.c0 AS BLOB), 1, instr(CAST(c.c0 AS BLOB), x'00') - 1), d.sz
    FROM json_each(?1) j
    JOIN messages_fts_trigram_content c ON c.id = j.value
    JOIN messages_fts_trigram_docsize d ON d.id = c.id
    WHERE instr(CAST(c.c0 AS BLOB), x'00') > 0";

const COPIES_BY_SESSION: &str = "SELECT c.id,
        substr(CAST(c.c0 AS BLOB), 1, instr(CAST(c.c0 AS BLOB), x'00') - 1), d.sz
    FROM messages m
    JOIN messages_fts_trigram_content c ON c.id = m.id
    JOIN messages_fts_trigram_docsize d ON d.id = c.id
    WHERE m.session_id = ?1 AND instr(CAST(c.c0 AS BLOB), x'00') > 0";

const ALL_COPIES: &str = "SELECT c.id,
        substr(CAST(c.c0 AS BLOB), 1, instr(CAST(c.c0 AS BLOB), x'00') - 1), d.sz
    FROM messages_fts_trigram_content c
    JOIN messages_fts_trigram_docsize d ON d.id = c.id
    WHERE instr(CAST(c.c0 AS BLOB), x'00') > 0";

const CUT: &str = "UPDATE messages_fts_trigram_content
    SET c0 = CAST(substr(CAST(c0 AS BLOB), 1, instr(CAST(c0 AS BLOB), x'00') - 1) AS TEXT)
    WHERE id IN (SELECT value FROM json_each(?1))";

/// On a copy of the store that is ours alone: cuts the table's copies of texts where whoever indexed
/// them had stopped at a NUL, so that they give the terms again that were indexed.
pub(crate) fn cut_copies_at_nul(conn: &Connection, table: &str) -> rusqlite::Result<()> {
    if table != "messages_fts_trigram" {
        return Ok(());
    }
    let ids = ids_cut_short(conn, ALL_COPIES, [])?;
    conn.execute(CUT, [json_list(&ids)]).map(drop)
}

/// Whether there are copies of the text: an index that is taken away, or of an older kind, has none.
fn has_copies(tx: &Tx<'_>) -> Result<bool> {
    tx.sqlite(|conn| {
        conn.prepare_cached(
            "SELECT COUNT(*) = 2 FROM sqlite_master WHERE type = 'table'
                AND name IN ('messages_fts_trigram_content', 'messages_fts_trigram_docsize')",
        )?
        .query_row([], |row| row.get(0))
    })
}

/// The messages of which nothing behind the first NUL was indexed.
fn cut_short(tx: &Tx<'_>, copies: &str, params: impl Params) -> Result<Vec<MessageId>> {
    tx.sqlite(|conn| ids_cut_short(conn, copies, params))
}

fn ids_cut_short(
    conn: &Connection,
    copies: &str,
    params: impl Params,
) -> rusqlite::Result<Vec<MessageId>> {
    let mut statement = conn.prepare_cached(copies)?;
    let mut rows = statement.query(params)?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        let before = row.get_ref(1)?.as_bytes_or_null()?.unwrap_or_default();
        let indexed = row.get_ref(2)?.as_blob_or_null()?.and_then(first_varint);
        // Where nothing follows that makes a term, both ways are the same.
        if indexed == Some(trigrams(before)) {
            ids.push(MessageId(row.get(0)?));
        }
    }
    Ok(ids)
}

/// How many terms the trigram tokenizer makes of a text without NUL.
fn trigrams(text: &[u8]) -> u64 {
    let mut characters = 0_u64;
    let mut rest = text.iter().peekable();
    while let Some(first) = rest.next() {
        characters += 1;
        if *first >= 0xc0 {
            while rest.next_if(|byte| **byte & 0xc0 == 0x80).is_some() {}
        }
    }
    characters.saturating_sub(2)
}

/// The number of terms in the first column, as FTS5 stores it beside each row.
fn first_varint(sizes: &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for byte in sizes.iter().take(8) {
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Messages for which the triggers may write something else than we do.
const ODD_BY_ID: &str = "SELECT m.id, m.content, m.tool_name, m.tool_calls
    FROM json_each(?1) j JOIN messages m ON m.id = j.value
    WHERE typeof(m.content) = 'blob' OR instr(m.content, char(0)) > 0
        OR instr(m.tool_name, char(0)) > 0 OR instr(m.tool_calls, char(0)) > 0";

const ODD_BY_SESSION: &str = "SELECT m.id, m.content, m.tool_name, m.tool_calls
    FROM messages m
    WHERE m.session_id = ?1 AND (typeof(m.content) = 'blob' OR instr(m.content, char(0)) > 0
        OR instr(m.tool_name, char(0)) > 0 OR instr(m.tool_calls, char(0)) > 0)";

fn index_again(tx: &Tx<'_>, odd: &str, params: impl Params) -> Result<()> {
    let odd = tx.sqlite(|conn| {
        conn.prepare_cached(odd)?
            .query_map(params, Odd::read)?
            .collect::<rusqlite::Result<Vec<_>>>()
    })?;
    for message in odd {
        index(
            tx,
            message.id,
            message.content.as_ref(),
            message.tool_name.as_deref(),
            message.tool_calls.as_deref(),
        )?;
    }
    Ok(())
}

/// What is indexed of a message.
struct Odd {
    id: MessageId,
    content: Option<Content>,
    tool_name: Option<String>,
    tool_calls: Option<String>,
}

impl Odd {
    fn read(row: &Row<'_>) -> rusqlite::Result<Odd> {
        Ok(Odd {
            id: MessageId(row.get(0)?),
            content: column(row, 1)?,
            tool_name: column(row, 2)?,
            tool_calls: column(row, 3)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigrams_are_counted_by_character() {
        assert_eq!(trigrams(b""), 0);
        assert_eq!(trigrams(b"ab"), 0);
        assert_eq!(trigrams("日本語で".as_bytes()), 2);
        assert_eq!(trigrams(b"\xff\x80abc"), 2);
    }

    #[test]
    fn sizes_have_seven_bits_a_byte() {
        assert_eq!(first_varint(&[0]), Some(0));
        assert_eq!(first_varint(&[0x7f, 1]), Some(127));
        assert_eq!(first_varint(&[0x81, 0x00]), Some(128));
        assert_eq!(first_varint(&[0x81]), None);
        assert_eq!(first_varint(&[]), None);
    }
}
