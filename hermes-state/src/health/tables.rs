//! The schema against the shapes that are known.

use rusqlite::Connection;

use super::Fault;
use super::report::Findings;
use crate::schema::{
    Layout, NATIVE_VERSION, NEWEST_WRITABLE_VERSION, Objects, PAGE_INDEX, TABLES_SQL,
};
use crate::wording::counted;

pub(super) fn check(
    conn: &Connection,
    layout: &Layout,
    findings: &mut Findings,
) -> rusqlite::Result<()> {
    let version = layout.version;
    if layout.needs_structure() || version < NATIVE_VERSION {
        let message = format!(
            "the store has version {version} and lacks {} of version {NATIVE_VERSION}",
            counted(layout.gaps.len() as u64, "part")
        );
        let mut lacking = layout.gaps.clone();
        lacking.truncate(super::report::EXAMPLES);
        findings.add_with(Fault::Outdated, "schema", 1, message, lacking);
    }
    if version > NEWEST_WRITABLE_VERSION {
        let message = format!(
            "version {version} is newer than what can be written ({NEWEST_WRITABLE_VERSION}): checked as far as it is known"
        );
        findings.add(Fault::TooNew, "schema", 1, message);
    }
    let objects = Objects::read(conn)?;
    if objects.has("table", "schema_version") {
        let rows: i64 =
            conn.query_row("SELECT COUNT(*) FROM schema_version", [], |row| row.get(0))?;
        if rows > 1 {
            let message = format!("{rows} versions are stored; the first counts");
            findings.add(
                Fault::VersionDoubled,
                "schema_version",
                rows.unsigned_abs(),
                message,
            );
        }
    }
    // An older store gets them with its migration.
    if version < NATIVE_VERSION || layout.needs_structure() {
        return Ok(());
    }
    let missing: Vec<String> = ordinary_indexes()
        .filter(|(name, _)| !objects.has("index", name))
        .map(|(name, _)| name.to_owned())
        .collect();
    if let Some(first) = missing.first() {
        let message = format!("the index {first} is missing: what it is for is slow");
        findings.add_with(
            Fault::IndexMissing,
            "schema",
            missing.len() as u64,
            message,
            missing,
        );
    }
    Ok(())
}

/// The ordinary indexes that every version from 11 on has: name, and the statement that makes it
/// where it is missing.
pub(crate) fn ordinary_indexes() -> impl Iterator<Item = (&'static str, String)> {
    TABLES_SQL
        .split(';')
        .map(str::trim)
        .filter_map(|statement| {
            let rest = statement
                .strip_prefix("CREATE INDEX ")
                .or_else(|| statement.strip_prefix("CREATE UNIQUE INDEX "))?;
            let define = statement.replacen("INDEX ", "INDEX IF NOT EXISTS ", 1);
            Some((rest.split(' ').next()?, define))
        })
        .filter(|(name, _)| *name != PAGE_INDEX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_indexes_are_read_from_the_schema() {
        let names: Vec<&str> = ordinary_indexes().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "idx_sessions_source",
                "idx_sessions_parent",
                "idx_sessions_started",
                "idx_messages_session",
                "idx_sessions_title_unique"
            ]
        );
    }
}
