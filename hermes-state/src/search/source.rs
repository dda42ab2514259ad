//! Where the messages that match come from.

use hermes_fts::{Expr, Plan, SanitizedQuery};
use rusqlite::Connection;

use super::{combined, left_out, ranked};

/// The index of words, and that of three characters.
pub(super) const WORDS: &str = "messages_fts";
pub(super) const TRIGRAMS: &str = "messages_fts_trigram";

/// How much of the index can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usable {
    Whole,
    /// The index of words; what it leaves out has to be read.
    CutWords,
    Nothing,
}

/// A set of messages. What they must meet beside the query, their order, the page of them and how
/// they are shown is the same for all kinds.
#[derive(Debug)]
pub(super) enum Source {
    /// What a table of the index finds, ranked by bm25.
    Index {
        table: &'static str,
        expression: String,
        /// If not all that it finds: these (in ascending order); those among them that it does not
        /// find come last.
        among: Option<Vec<i64>>,
    },
    /// These messages, in ascending order, each once: ranked by time, the newest first.
    Ids(Vec<i64>),
    /// These messages, in ascending order, each once: ranked by what a table of the index says of an
    /// expression, which is only a part of the query; those that it does not find come last.
    Ranked {
        ids: Vec<i64>,
        table: &'static str,
        by: String,
    },
    /// Every message that the tree takes when its text is read: ranked by time, the newest first.
    Rows {
        tree: Expr,
        /// Words match inside words.
        loosely: bool,
    },
}

impl Source {
    /// Where a query is looked up; nowhere if it asks for nothing.
    pub(super) fn of(
        conn: &Connection,
        query: &SanitizedQuery,
        usable: Usable,
    ) -> rusqlite::Result<Option<Source>> {
        let Some(tree) = query.tree() else {
            return Ok(None);
        };
        let words_alone = usable == Usable::CutWords;
        let usable = usable == Usable::Whole;
        let source = match query.plan() {
            Plan::Words if words_alone => Source::Ranked {
                ids: left_out::with_those(conn, query, tree)?,
                table: WORDS,
                by: query.as_str().to_owned(),
            },
            Plan::Words if usable => Source::Index {
                table: WORDS,
                expression: query.as_str().to_owned(),
                among: None,
            },
            Plan::Trigram(expression) if usable => {
                let odd = combined::with_escapes(conn, query)?;
                let among = match odd.is_empty() {
                    true => None,
                    false => {
                        let found = ranked::all_ids(conn, (TRIGRAMS, expression))?;
                        Some(combined::ids(conn, tree, found, &odd)?)
                    }
                };
                Source::Index {
                    table: TRIGRAMS,
                    expression: expression.clone(),
                    among,
                }
            }
            Plan::Combined if usable => {
                let odd = combined::with_escapes(conn, query)?;
                let found = combined::lookup(conn, tree)?;
                let ids = combined::ids(conn, tree, found, &odd)?;
                match combined::ranking(tree) {
                    Some(by) => Source::Ranked {
                        ids,
                        table: TRIGRAMS,
                        by,
                    },
                    None => Source::Ids(ids),
                }
            }
            plan => Source::Rows {
                tree: tree.clone(),
                loosely: *plan == Plan::Words,
            },
        };
        Ok(Some(source))
    }

    /// Whether a query needs the index to be answered as it should be.
    pub(super) fn needs_index(query: &SanitizedQuery) -> bool {
        !matches!(query.plan(), Plan::Nothing | Plan::Scan)
    }
}

/// Whether Hermes answers the query by looking for one term or another in the rows: then a snippet is
/// the piece of text that it gives. What it reads otherwise than it was meant is shown with marks.
pub(super) fn is_plain(query: &SanitizedQuery) -> bool {
    let is_term = |part: &Expr| matches!(part, Expr::Term(_));
    let any = match query.tree() {
        Some(Expr::Or(parts)) => parts.iter().all(is_term),
        tree => tree.is_some_and(is_term),
    };
    any && matches!(query.plan(), Plan::Combined | Plan::Scan)
}
