//! The conditions beside the query, as SQL on `messages m` and `sessions s`.

use rusqlite::Connection;
use rusqlite::types::Value as Sql;

use super::options::SearchOptions;
use crate::lineage::lineage_ids;
use crate::schema::Layout;
use crate::session::like_escaped;

/// Some conditions, each beginning with AND, and their values in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    pub(super) sql: String,
    pub(super) values: Vec<Sql>,
}

impl Conditions {
    fn and(&mut self, condition: &str, value: Sql) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.values.push(value);
    }

    /// One value, however many names they are.
    fn among(&mut self, column: &str, word: &str, names: &[String]) {
        let names = serde_json::Value::from(names).to_string();
        let condition = format!("{column} {word} (SELECT value FROM json_each(?))");
        self.and(&condition, Sql::Text(names));
    }

    fn contains(&mut self, column: &str, part: &str) {
        let pattern = format!("%{}%", like_escaped(part));
        self.and(&format!("{column} LIKE ? ESCAPE '\\'"), Sql::Text(pattern));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sql.is_empty()
    }
}

/// What a match must meet.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    /// What its session must meet.
    pub(super) session: Conditions,
    /// What the message itself must meet.
    pub(super) message: Conditions,
    /// The only sessions that can have matches, where they are named.
    pub(super) within: Option<Vec<String>>,
    /// Where there is no condition, messages whose row or session is gone may come through: whoever
    /// reads them sees it.
    pub(super) unchecked: bool,
}

impl Filter {
    pub(super) fn of(
        conn: &Connection,
        layout: &Layout,
        options: &SearchOptions,
    ) -> rusqlite::Result<Filter> {
        let mut session = Conditions::default();
        let mut message = Conditions::default();
        if let Some(sources) = &options.sources {
            session.among("s.source", "IN", sources);
        }
        let excluded = options.excluded();
        if !excluded.is_empty() {
            session.among("s.source", "NOT IN", &excluded);
        }
        let within = within(conn, options)?;
        if let Some(ids) = &within {
            session.among("s.id", "IN", ids);
        }
        let mut without = options.exclude_sessions.clone();
        for id in &options.exclude_lineages {
            without.extend(lineage_ids(conn, id)?);
        }
        if !without.is_empty() {
            session.among("s.id", "NOT IN", &without);
        }
        for (column, part) in [("model", &options.model), ("title", &options.title)] {
            match part {
                Some(part) if layout.sessions.has(column) => {
                    session.contains(&format!("s.{column}"), part);
                }
                Some(_) => session.sql.push_str(" AND 0"),
                None => {}
            }
        }
        if !options.roles.is_empty() {
            message.among("m.role", "IN", &options.roles);
        }
        if !options.tools.is_empty() {
            if layout.messages.has("tool_name") {
                message.among("m.tool_name", "IN", &options.tools);
            } else {
                message.sql.push_str(" AND 0");
            }
        }
        if let Some(since) = options.since {
            message.and("m.timestamp >= ?", Sql::Real(since));
        }
        if let Some(until) = options.until {
            message.and("m.timestamp < ?", Sql::Real(until));
        }
        if !options.include_inactive {
            message.sql.push_str(searchable(layout));
        }
        Ok(Filter {
            session,
            message,
            within,
            unchecked: false,
        })
    }

    /// The same, and sessions of these sources, or of others.
    pub(super) fn and_sources(&self, word: &str, sources: &[String]) -> Filter {
        let mut filter = self.clone();
        filter.session.among("s.source", word, sources);
        filter
    }

    pub(super) fn is_empty(&self) -> bool {
        self.session.is_empty() && self.message.is_empty()
    }

    /// All conditions, those of the message first, and their values.
    pub(super) fn all(&self) -> (String, impl Iterator<Item = Sql> + '_) {
        let sql = format!("{}{}", self.message.sql, self.session.sql);
        let values = [&self.message, &self.session];
        (
            sql,
            values
                .into_iter()
                .flat_map(|part| part.values.iter().cloned()),
        )
    }
}

/// The sessions that are named, lineages whole.
fn within(conn: &Connection, options: &SearchOptions) -> rusqlite::Result<Option<Vec<String>>> {
    if options.lineages.is_empty() {
        let named = &options.sessions;
        return Ok((!named.is_empty()).then(|| named.clone()));
    }
    let mut ids = Vec::new();
    for id in &options.lineages {
        ids.extend(lineage_ids(conn, id)?);
    }
    if !options.sessions.is_empty() {
        ids.retain(|id| options.sessions.contains(id));
    }
    Ok(Some(ids))
}

/// Newer versions keep messages that were taken back; those that a compression replaced still
/// count as history.
pub(super) fn searchable(layout: &Layout) -> &'static str {
    match (
        layout.messages.has("active"),
        layout.messages.has("compacted"),
    ) {
        (false, _) => "",
        (true, false) => " AND COALESCE(m.active, 1) = 1",
        (true, true) => " AND (COALESCE(m.active, 1) = 1 OR m.compacted = 1)",
    }
}
