//! The index layouts that Hermes files have, with one row in each.

use rusqlite::Connection;

/// Schema 11 to 22: one inline column, by words and by trigrams.
pub(crate) const WORDS: &str = "CREATE VIRTUAL TABLE words USING fts5(content)";
pub(crate) const TRIGRAM: &str =
    "CREATE VIRTUAL TABLE trigram USING fts5(content, tokenize = 'trigram')";

/// External content: schema 10 over the table itself, and schema 30 over views, with three columns
/// by words and two by trigrams.
const EXTERNAL: &str = "
    CREATE TABLE messages (id INTEGER PRIMARY KEY, role, content, tool_name, tool_calls);
    CREATE VIEW words_src AS SELECT id, content, tool_name, tool_calls FROM messages;
    CREATE VIEW trigram_src AS SELECT id, role, content, tool_name FROM messages;
    CREATE VIRTUAL TABLE words_10 USING fts5(content, content = messages, content_rowid = id);
    CREATE VIRTUAL TABLE trigram_10
        USING fts5(content, content = messages, content_rowid = id, tokenize = 'trigram');
    CREATE VIRTUAL TABLE words_30
        USING fts5(content, tool_name, tool_calls, content = 'words_src', content_rowid = 'id');
    CREATE VIRTUAL TABLE trigram_30
        USING fts5(content, tool_name, content = 'trigram_src', content_rowid = 'id',
                   tokenize = 'trigram')";

/// The tables of words, and those of trigrams.
pub(crate) const WORD_TABLES: [&str; 3] = ["words", "words_10", "words_30"];
pub(crate) const TRIGRAM_TABLES: [&str; 3] = ["trigram", "trigram_10", "trigram_30"];

/// A database with all the layouts and one row in each.
pub(crate) fn all_layouts() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch(&format!("{WORDS}; {TRIGRAM}; {EXTERNAL};"))
        .unwrap();
    db.set_prepared_statement_cache_capacity(64);
    let text = "a b c foo AND bar content near 大别山的项目 é 12";
    db.execute("INSERT INTO words VALUES (?1)", [text]).unwrap();
    db.execute("INSERT INTO trigram VALUES (?1)", [text])
        .unwrap();
    db.execute(
        "INSERT INTO messages VALUES (1, 'tool', ?1, 'b', 'c')",
        [text],
    )
    .unwrap();
    for table in WORD_TABLES.iter().chain(&TRIGRAM_TABLES) {
        if table.contains('_') {
            db.execute_batch(&format!("INSERT INTO {table}({table}) VALUES ('rebuild')"))
                .unwrap();
        }
    }
    db
}

/// The rowids that match, or what SQLite says against the expression.
pub(crate) fn matches(
    db: &Connection,
    table: &str,
    expression: &str,
) -> rusqlite::Result<Vec<i64>> {
    db.prepare_cached(&format!(
        "SELECT rowid FROM {table} WHERE {table} MATCH ?1 ORDER BY rowid"
    ))?
    .query_map([expression], |row| row.get(0))?
    .collect()
}
