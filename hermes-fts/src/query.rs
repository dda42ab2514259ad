//! The entry point: from what a person types to what SQLite understands.

use std::fmt;

use crate::clause::{self, Clause};
use crate::expr::Expr;
use crate::lex::lex;
use crate::plan::{Plan, route};
use crate::render::{Index, render};
use crate::symbol::is_symbol;
use crate::token_chars::has_token;

/// How many characters (Unicode code points) of a query are read; the rest is cut off.
pub const MAX_QUERY_CHARS: usize = 2048;

/// A query that SQLite accepts, and how to look it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SanitizedQuery {
    expression: String,
    plan: Plan,
    tree: Option<Expr>,
    truncated: bool,
}

/// Reads a query. Every string is one; what can't be understood is left out.
///
/// ```
/// use hermes_fts::{Plan, sanitize};
///
/// let query = sanitize("chat-send AND don't NOT");
/// assert_eq!(query.as_str(), r#""chat-send" AND "don't""#);
/// assert_eq!(query.plan(), &Plan::Words);
/// ```
#[must_use]
pub fn sanitize(input: &str) -> SanitizedQuery {
    let cut = input.char_indices().nth(MAX_QUERY_CHARS).map(|(at, _)| at);
    let lexemes = lex(cut.and_then(|at| input.get(..at)).unwrap_or(input));
    let all = clause::read(&lexemes);
    let indexed = clause::keep(&all, |term| has_token(term.text));
    let query = if indexed.is_empty() {
        SanitizedQuery::of_symbols(&clause::keep(&all, |term| {
            has_token(term.text) || is_symbol(term.text)
        }))
    } else {
        SanitizedQuery::of_words(&indexed)
    };
    SanitizedQuery {
        truncated: cut.is_some(),
        ..query
    }
}

impl SanitizedQuery {
    /// The FTS5 expression for an index with the tokeniser unicode61 (FTS5's default). Empty if
    /// that index can't find anything; SQLite refuses an empty expression, so look at
    /// [`plan`](Self::plan) before using it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.expression
    }

    /// True if there is nothing to search for at all, in no way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tree.is_none()
    }

    /// True if the input was longer than [`MAX_QUERY_CHARS`] and the rest was left out.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// Where to look it up.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What the query asks for; `None` if nothing. It says the same as
    /// [`as_str`](Self::as_str), where that is not empty.
    #[must_use]
    pub fn tree(&self) -> Option<&Expr> {
        self.tree.as_ref()
    }

    fn of_words(clauses: &[Clause<'_>]) -> Self {
        SanitizedQuery {
            expression: render(clauses, Index::Words),
            plan: route(clauses),
            tree: Expr::of(clauses),
            truncated: false,
        }
    }

    /// A query of which the word index can find nothing, or that is empty.
    fn of_symbols(clauses: &[Clause<'_>]) -> Self {
        let tree = Expr::of(clauses);
        let plan = if tree.is_some() {
            Plan::Scan
        } else {
            Plan::Nothing
        };
        SanitizedQuery {
            expression: String::new(),
            plan,
            tree,
            truncated: false,
        }
    }
}

/// The expression for the word index, as [`SanitizedQuery::as_str`].
impl fmt::Display for SanitizedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.expression)
    }
}
