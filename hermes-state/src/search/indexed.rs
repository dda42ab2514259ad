//! Snippets of what the index found.
//!
//! FTS5 makes one where its cursor stands. They are made when it is known which matches are shown
//! ([`of`]); but where it costs much to put the cursor there again, while the best matches are looked
//! for ([`short`]), though that makes some that nobody sees.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params_from_iter};

use super::ranked::Lookup;
use super::snippet::{self, BEGIN, END, HUGE, LONG, Marks};
use super::source::TRIGRAMS;
use crate::record::column;

/// Snippets made while the best matches are looked for.
const BUDGET: i64 = 1_000;

/// Gives a connection the function that counts them: with a number, so many may be made; with NULL,
/// whether one more may.
pub(crate) fn define_counter(conn: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    let left = AtomicI64::new(0);
    conn.create_scalar_function("hermes_may_cut", 1, flags, move |call: &mut Context<'_>| {
        Ok(match call.get::<Option<i64>>(0)? {
            Some(count) => {
                left.store(count, Ordering::Relaxed);
                true
            }
            None => left.fetch_sub(1, Ordering::Relaxed) > 0,
        })
    })
}

/// Allows snippets, or none, in the statement that follows.
pub(super) fn allow(conn: &Connection, snippets: bool) -> rusqlite::Result<()> {
    let budget = if snippets { BUDGET } else { 0 };
    conn.prepare_cached("SELECT hermes_may_cut(?1)")?
        .query_row([budget], |_| Ok(()))
}

/// The snippet of a text that is not long, as far as more are allowed. Its values: the marks.
pub(super) fn short(table: &str) -> String {
    format!(
        "CASE WHEN octet_length({table}.content) < {LONG} AND hermes_may_cut(NULL)
         THEN snippet({table}, 0, ?, ?, '...', 40) END"
    )
}

/// The snippets of these matches. `words`: what was looked for, in lower case.
pub(super) fn of(
    conn: &Connection,
    (table, expression): Lookup<'_>,
    ids: &[i64],
    words: &[String],
    marks: &Marks,
) -> rusqlite::Result<HashMap<i64, Option<String>>> {
    // The index begins to look from the start each time.
    let at_once = ids.len() > 2 || has_prefix(expression);
    let condition = if at_once {
        "+rowid IN (SELECT value FROM json_each(?))"
    } else {
        "rowid = ?"
    };
    let [begin, end] = [BEGIN, END].map(u32::from);
    let sql = format!(
        "SELECT rowid, octet_length(content), CASE
             WHEN octet_length(content) < {LONG} THEN snippet({table}, 0, ?, ?, '...', 40)
             WHEN octet_length(content) < {HUGE}
             THEN highlight({table}, 0, char({begin}), char({end}))
             ELSE content
         END FROM {table} WHERE {table} MATCH ? AND {condition}"
    );
    let looked_up: Vec<Sql> = match (ids, at_once) {
        ([], _) => Vec::new(),
        (ids, true) => vec![Sql::Text(serde_json::Value::from(ids).to_string())],
        (ids, false) => ids.iter().map(|id| Sql::Integer(*id)).collect(),
    };
    let mut statement = conn.prepare_cached(&sql)?;
    let mut found = HashMap::new();
    for which in looked_up {
        let text = |text: &str| Sql::Text(text.to_owned());
        let values = [text(&marks.0), text(&marks.1), text(expression), which];
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            found.insert(row.get(0)?, read(row, words, marks)?);
        }
    }
    Ok(found)
}

fn read(row: &Row<'_>, words: &[String], marks: &Marks) -> rusqlite::Result<Option<String>> {
    let text = column::<Option<String>>(row, 2)?;
    Ok(match row.get::<_, Option<i64>>(1)? {
        Some(bytes) if bytes >= HUGE => text.map(|text| snippet::around(&text, words, marks)),
        Some(bytes) if bytes >= LONG => text.map(|text| snippet::cut(&text, marks)),
        _ => text,
    })
}

/// Whether it costs little to look an expression up again, beside a snippet: the index only has to
/// compare ids for it, and neither gathers the words with a beginning nor compares places.
pub(super) fn is_cheap((table, expression): Lookup<'_>) -> bool {
    let most = if table == TRIGRAMS { 3 } else { 0 };
    let mut quoted = expression.split('"').skip(1).step_by(2);
    !has_prefix(expression) && quoted.all(|text| text.chars().count() <= most)
}

/// Whether the expression has a star outside of quotes.
fn has_prefix(expression: &str) -> bool {
    expression
        .split('"')
        .step_by(2)
        .any(|bare| bare.contains('*'))
}

#[cfg(test)]
mod tests {
    use super::super::source::{TRIGRAMS, WORDS};
    use super::{has_prefix, is_cheap};

    #[test]
    fn what_compares_no_places_is_cheap() {
        assert!(is_cheap((WORDS, "disk OR full")));
        assert!(!is_cheap((WORDS, "disk \"is full\"")));
        assert!(!is_cheap((WORDS, "dis*")));
        assert!(is_cheap((TRIGRAMS, "\"数据库\" OR \"abc\"")));
        assert!(!is_cheap((TRIGRAMS, "\"数据库连接\"")));
    }

    #[test]
    fn a_star_in_quotes_is_no_prefix() {
        assert!(has_prefix("deploy*"));
        assert!(has_prefix(r#""a b" * OR x"#));
        assert!(!has_prefix(r#""a*b" OR "say ""x*""" c"#));
        assert!(!has_prefix(""));
    }
}
