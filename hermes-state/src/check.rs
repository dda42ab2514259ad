//! Whether an open store is sound, in sentences: the structure of every table, and the full-text
//! index against the messages. [`health`](crate::health) looks at more.

use crate::error::Result;
use crate::health::{Findings, Pages, check_index, check_tables};
use crate::schema::{INDEX_TABLES, foreign_index};
use crate::store::Store;

impl Store {
    /// Checks the structure of every table with SQLite's quick check, and of a full-text index
    /// that holds all text also its words and its copy of the messages: what is wrong, or nothing.
    ///
    /// Reads everything, so it takes minutes on a store of gigabytes. It stops at 100 findings in
    /// a table. [`health::check`](crate::health::check) looks at more, and also at a file that
    /// cannot be opened.
    ///
    /// # Errors
    /// Those of every read, where even the list of tables cannot be read. What cannot be read
    /// beyond that is a finding.
    pub fn quick_check(&self) -> Result<Vec<String>> {
        self.read(|conn, layout| {
            let mut findings = Findings::default();
            check_tables(conn, Pages::Structure, &mut findings)?;
            // An index of another version is no fault, only of no use here.
            let foreign = foreign_index(layout.version).is_some();
            let mut lines = Vec::new();
            match &layout.index_trouble {
                _ if foreign => {}
                Some(trouble) => lines.push(format!("full-text index: {trouble}")),
                None => {
                    for table in INDEX_TABLES {
                        check_index(conn, table, &mut findings);
                    }
                }
            }
            lines.extend(findings.messages());
            Ok(lines)
        })
    }
}
