//! What a store's tables look like: the version in the file, the columns that are there, and
//! whether the full-text index can be trusted.
//!
//! The number in `schema_version` is read first, but what is there decides: files exist whose
//! number was raised without the steps behind it, and files without a number.

mod index_state;

use std::path::Path;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension};

use crate::append::insert_sql;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::session::Session;

pub(crate) use index_state::foreign_index;
pub(crate) use index_state::{EVENTS, IndexFault, IndexState};

/// The schema version that this crate creates and writes.
pub const NATIVE_VERSION: i64 = 11;

/// The newest schema version that this crate writes. It is left as it is: neither tables nor number
/// of a store of versions 12 to 22 are changed.
pub const NEWEST_WRITABLE_VERSION: i64 = 22;

pub(crate) const TABLES_SQL: &str = include_str!("schema/v11.sql");
const INDEX_TABLES_SQL: &str = include_str!("schema/index_tables_v11.sql");
pub(crate) const INDEX_TRIGGERS_SQL: &str = include_str!("schema/index_triggers_v11.sql");

/// Columns that every version has and every read needs: table, full name, name.
const FIRST_COLUMNS: [(&str, &str, &str); 8] = [
    ("sessions", "sessions.id", "id"),
    ("sessions", "sessions.source", "source"),
    ("sessions", "sessions.started_at", "started_at"),
    ("messages", "messages.id", "id"),
    ("messages", "messages.session_id", "session_id"),
    ("messages", "messages.role", "role"),
    ("messages", "messages.content", "content"),
    ("messages", "messages.timestamp", "timestamp"),
];

/// Pages a session's messages; releases of Hermes do not make it.
pub(crate) const PAGE_INDEX: &str = "idx_messages_session_id";
pub(crate) const PAGE_INDEX_SQL: &str =
    "CREATE INDEX IF NOT EXISTS idx_messages_session_id ON messages(session_id, id)";

/// Keeps titles apart; files before version 4 lack it.
pub(crate) const TITLE_INDEX: &str = "idx_sessions_title_unique";

pub(crate) const INDEX_TABLES: [&str; 2] = ["messages_fts", "messages_fts_trigram"];

/// The layout of one open file.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// Whether there is a table `schema_version`.
    numbered: bool,
    stamp: Stamp,
    pub(crate) version: i64,
    pub(crate) sessions: Columns,
    pub(crate) messages: Columns,
    /// The statement that stores a message.
    pub(crate) insert_message: String,
    /// Why the index cannot answer a search, or `None` when it can.
    pub(crate) index_trouble: Option<String>,
    pub(crate) index_fault: Option<IndexFault>,
    /// Though there is trouble: the word index leaves out nothing but the ends of long tool results
    /// and messages without an entry in its table of sizes.
    pub(crate) cut_words: bool,
    /// What a writer meets in the index.
    pub(crate) index: IndexState,
    /// Parts of a store of version 11 that this file lacks, though it is not newer.
    pub(crate) gaps: Vec<String>,
    /// Tables that a rebuild of the index has left to be emptied and dropped.
    pub(crate) leftovers: bool,
}

/// What tells that a layout read earlier is out of date.
#[derive(Debug, Clone, PartialEq)]
struct Stamp {
    /// SQLite counts changes of the schema here.
    cookie: i64,
    /// The first row of `schema_version`, if there is the table and a row: a migration adds its
    /// columns first and changes the number last, which is no change of the schema.
    version: Option<Sql>,
}

impl Stamp {
    fn read(conn: &Connection, numbered: bool) -> rusqlite::Result<Stamp> {
        let cookie = conn
            .prepare_cached("PRAGMA schema_version")?
            .query_row([], |row| row.get(0))?;
        let version = if numbered {
            conn.prepare_cached("SELECT version FROM schema_version ORDER BY rowid LIMIT 1")?
                .query_row([], |row| row.get(0))
                .optional()?
        } else {
            None
        };
        Ok(Stamp { cookie, version })
    }

    /// The version as a number, where one is stored.
    fn number(&self, path: &Path) -> Result<Option<i64>> {
        let found = match &self.version {
            None => return Ok(None),
            Some(Sql::Integer(n)) if *n >= 1 => return Ok(Some(*n)),
            Some(Sql::Integer(n)) => n.to_string(),
            Some(Sql::Real(x)) => x.to_string(),
            Some(Sql::Text(text)) => text.clone(),
            Some(Sql::Blob(bytes)) => format!("{} bytes", bytes.len()),
            Some(Sql::Null) => "NULL".to_owned(),
        };
        Err(Error::BadSchemaVersion {
            path: path.to_path_buf(),
            found,
        })
    }
}

/// The number that is to stand where a version is none: the one that its text means, or the newest whose
/// traces are in the tables. `None` if a number is there, or no version at all, or if the tables have what no
/// version that is written has.
pub(crate) fn version_meant(conn: &Connection) -> rusqlite::Result<Option<i64>> {
    let objects = Objects::read(conn)?;
    let stamp = Stamp::read(conn, objects.has("table", "schema_version"))?;
    match &stamp.version {
        None => return Ok(None),
        Some(Sql::Integer(n)) if *n >= 1 => return Ok(None),
        Some(Sql::Text(text)) => {
            let number = text.trim().parse::<i64>().ok().filter(|n| *n >= 1);
            if number.is_some() {
                return Ok(number);
            }
        }
        Some(_) => {}
    }
    let sessions = Columns::read(conn, "sessions", "s", Session::COLUMNS)?;
    let messages = Columns::read(conn, "messages", "m", Message::COLUMNS)?;
    let is_newer = TRACES_OF_NEWER.iter().any(|(kind, name)| match *kind {
        "column" => sessions.has(name) || messages.has(name),
        kind => objects.has(kind, name),
    });
    Ok((!is_newer).then(|| version_by_layout(&objects, &sessions, &messages)))
}

/// What only versions have that are newer than what is written.
const TRACES_OF_NEWER: [(&str, &str); 7] = [
    ("table", "system_prompts"),
    ("table", "conversation_generations"),
    ("table", "session_turn_leases"),
    ("view", "messages_fts_src"),
    ("column", "system_prompt_hash"),
    ("column", "title_source"),
    ("column", "display_kind"),
];

/// The columns of one table, as the file has them.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    pub(crate) names: Vec<String>,
    /// Columns that this crate has no field for, in the file's order.
    pub(crate) extra: Vec<String>,
    /// Known columns (`NULL` where the file lacks one), then the extra ones.
    pub(crate) select: String,
    missing: Vec<&'static str>,
}

impl Columns {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name)
    }

    fn read(
        conn: &Connection,
        table: &str,
        alias: &str,
        known: &[&'static str],
    ) -> rusqlite::Result<Columns> {
        let names = column_names(conn, table)?;
        let has = |name: &str| names.iter().any(|n| n == name);
        let extra: Vec<String> = names
            .iter()
            .filter(|n| !known.contains(&n.as_str()))
            .cloned()
            .collect();
        let missing: Vec<&'static str> = known.iter().copied().filter(|k| !has(k)).collect();
        let select = known
            .iter()
            .map(|k| {
                if missing.contains(k) {
                    format!("NULL AS {k}")
                } else {
                    format!("{alias}.{k}")
                }
            })
            .chain(extra.iter().map(|name| format!("{alias}.{}", quoted(name))))
            .collect::<Vec<_>>()
            .join(", ");
        Ok(Columns {
            names,
            extra,
            select,
            missing,
        })
    }
}

/// The columns of a table in the order of the file; none if there is no such table.
pub(crate) fn column_names(conn: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    conn.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?
        .query_map([table], |row| row.get(0))?
        .collect()
}

/// An identifier as SQL text, whatever is in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Layout {
    /// Reads the layout. `None` for a database without any table: a store to be created.
    pub(crate) fn read(conn: &Connection, path: &Path) -> Result<Option<Layout>> {
        let sqlite = |e| Error::from_sqlite(path, e);
        // Before anything else: what changes while the rest is read must show as a change.
        let cookie = Stamp::read(conn, false).map_err(sqlite)?.cookie;
        let objects = Objects::read(conn).map_err(sqlite)?;
        if objects.0.is_empty() {
            return Ok(None);
        }
        let numbered = objects.has("table", "schema_version");
        let stamp = Stamp {
            cookie,
            ..Stamp::read(conn, numbered).map_err(sqlite)?
        };
        let foreign = |missing| Error::NotAHermesDatabase {
            path: path.to_path_buf(),
            missing,
        };
        for table in ["sessions", "messages"] {
            if !objects.has("table", table) {
                return Err(foreign(table));
            }
        }
        let sessions = Columns::read(conn, "sessions", "s", Session::COLUMNS).map_err(sqlite)?;
        let messages = Columns::read(conn, "messages", "m", Message::COLUMNS).map_err(sqlite)?;
        for (table, name, column) in FIRST_COLUMNS {
            let columns = if table == "sessions" {
                &sessions
            } else {
                &messages
            };
            if !columns.has(column) {
                return Err(foreign(name));
            }
        }
        let version = stamp
            .number(path)?
            .unwrap_or_else(|| version_by_layout(&objects, &sessions, &messages));
        let index = index_state::examine(conn, &objects, version).map_err(sqlite)?;
        Ok(Some(Layout {
            numbered,
            gaps: gaps(&objects, &sessions, &messages, version),
            stamp,
            version,
            sessions,
            insert_message: insert_sql(&messages),
            messages,
            index_trouble: index.trouble,
            index_fault: index.fault,
            cut_words: index.cut_words,
            index: index.state,
            leftovers: index.leftovers,
        }))
    }

    /// Whether nobody has changed the schema or its version since this was read.
    pub(crate) fn is_current(&self, conn: &Connection) -> rusqlite::Result<bool> {
        Ok(Stamp::read(conn, self.numbered)? == self.stamp)
    }

    /// Whether the tables, index apart, are to be brought to version 11 before a write.
    pub(crate) fn needs_structure(&self) -> bool {
        self.version <= NATIVE_VERSION && !self.gaps.is_empty()
    }

    /// Whether this build may write to such a store.
    pub(crate) fn is_writable(&self) -> bool {
        self.check_writable(Path::new("")).is_ok()
    }

    /// Fails with the reason if this build must not write to such a store.
    pub(crate) fn check_writable(&self, path: &Path) -> Result<()> {
        let path = path.to_path_buf();
        let found = self.version;
        if found > NEWEST_WRITABLE_VERSION {
            return Err(Error::SchemaTooNew {
                path,
                found,
                supported: NEWEST_WRITABLE_VERSION,
            });
        }
        let complete = self.sessions.missing.is_empty() && self.messages.missing.is_empty();
        if !complete || !self.gaps.is_empty() {
            return Err(Error::MigrationNeeded {
                path,
                found,
                supported: NATIVE_VERSION,
            });
        }
        Ok(())
    }
}

/// What a file of at most version 11 lacks of the tables of version 11, or would be found lacking
/// by a write: columns, the table of settings, the index that keeps titles apart.
fn gaps(objects: &Objects, sessions: &Columns, messages: &Columns, version: i64) -> Vec<String> {
    if version > NATIVE_VERSION {
        return Vec::new();
    }
    let columns = [("sessions", sessions), ("messages", messages)];
    let mut gaps: Vec<String> = columns
        .iter()
        .flat_map(|(table, columns)| columns.missing.iter().map(move |c| format!("{table}.{c}")))
        .collect();
    let parts = [
        ("table", "schema_version"),
        ("table", "state_meta"),
        ("index", TITLE_INDEX),
    ];
    gaps.extend(
        parts
            .iter()
            .filter(|(kind, name)| !objects.has(kind, name))
            .map(|(_, name)| (*name).to_owned()),
    );
    gaps
}

/// Creates all tables, indexes and triggers; the caller holds the write transaction.
pub(crate) fn create(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(TABLES_SQL)?;
    conn.execute_batch(INDEX_TABLES_SQL)?;
    conn.execute_batch(INDEX_TRIGGERS_SQL)
}

/// `sqlite_master` without SQLite's own objects: type, name, SQL.
pub(crate) struct Objects(Vec<(String, String, String)>);

impl Objects {
    pub(crate) fn read(conn: &Connection) -> rusqlite::Result<Objects> {
        let mut statement = conn.prepare(
            "SELECT type, name, COALESCE(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(Objects(rows.collect::<rusqlite::Result<_>>()?))
    }

    pub(crate) fn has(&self, kind: &str, name: &str) -> bool {
        self.sql(kind, name).is_some()
    }

    /// Whether any table has such a name.
    pub(crate) fn any_table(&self, such: impl Fn(&str) -> bool) -> bool {
        self.0
            .iter()
            .any(|(kind, name, _)| kind == "table" && such(name))
    }

    pub(crate) fn sql(&self, kind: &str, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(k, n, _)| k == kind && n == name)
            .map(|(_, _, sql)| sql.as_str())
    }
}

/// The version that a file without a number looks like: the newest step whose trace is there.
fn version_by_layout(objects: &Objects, sessions: &Columns, messages: &Columns) -> i64 {
    let trigram = objects.sql("table", "messages_fts_trigram");
    let traces = [
        (22, messages.has("api_content")),
        (19, sessions.has("display_name")),
        (17, messages.has("compacted")),
        (14, messages.has("active")),
        (13, messages.has("observed")),
        (
            NATIVE_VERSION,
            trigram.is_some_and(index_state::is_inline) && sessions.has("handoff_state"),
        ),
        (10, trigram.is_some()),
        (9, messages.has("codex_message_items")),
        (8, sessions.has("api_call_count")),
        (7, messages.has("reasoning_content")),
        (6, messages.has("reasoning")),
        (5, sessions.has("billing_provider")),
        (4, objects.has("index", "idx_sessions_title_unique")),
        (3, sessions.has("title")),
        (2, messages.has("finish_reason")),
    ];
    traces
        .iter()
        .find(|(_, there)| *there)
        .map_or(1, |(version, _)| *version)
}
