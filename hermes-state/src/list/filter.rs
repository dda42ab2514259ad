//! Which sessions a list has, as SQL.

use rusqlite::types::Value as Sql;

use crate::error::Result;
use crate::lineage::mark;
use crate::schema::{Layout, NATIVE_VERSION};
use crate::session::like_prefix;
use crate::session_fields::require_column;

use super::ListOptions;

/// Fails if the store has no column for a filter.
pub(super) fn check(options: &ListOptions, layout: &Layout) -> Result<()> {
    if options.cwd_prefix.is_some() {
        require_column(layout, "cwd", "a list by working directory", 14)?;
    }
    if options.archived_only {
        require_column(layout, "archived", "a list of archived sessions", 14)?;
    }
    Ok(())
}

/// Whether there is a filter that SQL does not decide.
pub(super) fn has_query(options: &ListOptions) -> bool {
    [
        &options.id_query,
        &options.search_query,
        &options.title_query,
        &options.id_prefix,
    ]
    .into_iter()
    .flatten()
    .any(|query| !query.trim().is_empty())
}

/// The WHERE clause of a list, for `sessions s`, and its values.
pub(super) fn conditions(options: &ListOptions, layout: &Layout) -> (String, Vec<Sql>) {
    let mut clauses = vec!["1".to_owned()];
    let mut values = Vec::new();
    for (names, word) in [
        (&options.sources, "IN"),
        (&options.exclude_sources, "NOT IN"),
    ] {
        if !names.is_empty() {
            // One value, however many they are.
            clauses.push(format!("s.source {word} (SELECT value FROM json_each(?))"));
            let names = serde_json::Value::from(names.clone());
            values.push(Sql::Text(names.to_string()));
        }
    }
    if !options.include_children {
        clauses.push(roots(layout));
    }
    if options.archived_only {
        clauses.push("s.archived = 1".to_owned());
    } else if !options.include_archived && layout.sessions.has("archived") {
        clauses.push("COALESCE(s.archived, 0) = 0".to_owned());
    }
    if let Some(folder) = &options.cwd_prefix {
        let folder = folder.trim_end_matches('/');
        clauses.push("(s.cwd = ? OR s.cwd LIKE ? ESCAPE '\\')".to_owned());
        values.push(Sql::Text(folder.to_owned()));
        values.push(Sql::Text(like_prefix(&format!("{folder}/"))));
    }
    if options.min_message_count > 0 {
        clauses.push("s.message_count >= ?".to_owned());
        values.push(Sql::Integer(options.min_message_count));
    }
    (clauses.join(" AND "), values)
}

/// Sessions that stand for themselves: without a parent, or branched off one.
fn roots(layout: &Layout) -> String {
    let newer = layout.version > NATIVE_VERSION;
    let marked = if newer {
        format!("OR {}", mark("s", "_branched_from"))
    } else {
        String::new()
    };
    let no_helper = if newer {
        format!("AND NOT {}", mark("s", "_delegate_from"))
    } else {
        String::new()
    };
    // A branch: its parent ended for it before it began.
    format!(
        "(s.parent_session_id IS NULL {marked} OR EXISTS (
            SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id
            AND p.end_reason = 'branched' AND s.started_at >= p.ended_at)) {no_helper}"
    )
}
