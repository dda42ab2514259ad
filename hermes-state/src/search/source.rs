//! Where the messages that match come from.

use hermes_fts::{Expr, Plan, SanitizedQuery};

/// A set of messages. What they must meet beside the query, their order, the page of them and how
/// they are shown is the same for all kinds.
#[derive(Debug)]
pub(super) enum Source {
    /// What a table of the index finds, ranked by bm25.
    Index {
        table: &'static str,
        expression: String,
    },
    /// These messages, in ascending order, each once: ranked by time, the newest first.
    Ids(Vec<i64>),
    /// Every message that the tree takes when its text is read: ranked by time, the newest first.
    Rows(Expr),
}

impl Source {
    /// Where a query is looked up; nowhere if it asks for nothing. `usable`: the index can be
    /// trusted.
    pub(super) fn of(query: &SanitizedQuery, usable: bool) -> Option<Source> {
        let index = |table, expression: &str| Source::Index {
            table,
            expression: expression.to_owned(),
        };
        match query.plan() {
            Plan::Nothing => None,
            Plan::Words if usable => Some(index("messages_fts", query.as_str())),
            Plan::Trigram(expression) if usable => Some(index("messages_fts_trigram", expression)),
            _ => query.tree().cloned().map(Source::Rows),
        }
    }

    /// Whether a query needs the index to be answered as it should be.
    pub(super) fn needs_index(query: &SanitizedQuery) -> bool {
        matches!(query.plan(), Plan::Words | Plan::Trigram(_))
    }
}
