//! The entry point: from what a person types to what SQLite understands.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::clause::{self, Clause};
use crate::explain::Explanation;
use crate::expr::Expr;
use crate::lex::{Lexeme, lex};
use crate::paren::keep_groups;
use crate::plan::{Plan, route};
use crate::render::{Index, render};
use crate::spelling::{other_spellings, with_spellings};
use crate::symbol::is_symbol;
use crate::token_chars::has_token;

/// How many characters (Unicode code points) of a query are read; the rest is cut off.
pub const MAX_QUERY_CHARS: usize = 2048;

/// A query that SQLite accepts, and how to look it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SanitizedQuery {
    /// What was typed, as far as it is read.
    input: String,
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
    // No character takes less than a byte.
    let cut = match input.len() > MAX_QUERY_CHARS {
        true => input.char_indices().nth(MAX_QUERY_CHARS).map(|(at, _)| at),
        false => None,
    };
    let input = cut.and_then(|at| input.get(..at)).unwrap_or(input);
    SanitizedQuery {
        truncated: cut.is_some(),
        ..read(input)
    }
}

/// The same for a text of any length, so that a benchmark can tell whether the time grows with it.
/// Of a longer one SQLite may say that it is too complex.
#[doc(hidden)]
#[must_use]
pub fn sanitize_uncut(input: &str) -> SanitizedQuery {
    read(input)
}

fn read(input: &str) -> SanitizedQuery {
    let tokens = keep_groups(lex(input));
    let spellings = other_spellings(&tokens);
    let all = clause::read(&with_spellings(tokens, &spellings));
    let (clauses, indexed) = wanted(all);
    let tree = Expr::of(&clauses);
    SanitizedQuery {
        input: input.to_owned(),
        expression: match indexed {
            true => render(&clauses, Index::Words),
            false => String::new(),
        },
        plan: route(&clauses, indexed),
        tree,
        truncated: false,
    }
}

/// What is looked for, and whether the word index finds something of it: the terms that have a
/// token; if there is none, the symbols.
pub(crate) fn wanted(all: Vec<Clause<'_>>) -> (Vec<Clause<'_>>, bool) {
    let has_token = |term: &Lexeme<'_>| has_token(term.text);
    let mut terms = all.iter().flat_map(|clause| &clause.group);
    // Of nearly every query all is kept, and it need not be there twice.
    if terms.all(has_token) {
        let indexed = !all.is_empty();
        return (clause::keep(all, &has_token), indexed);
    }
    let indexed = clause::keep(all.clone(), &has_token);
    if !indexed.is_empty() {
        return (indexed, true);
    }
    let symbols = |term: &Lexeme<'_>| has_token(term) || is_symbol(term.text);
    (clause::keep(all, &symbols), false)
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

    /// How it was read: what is looked for, where, and what of the input was left out.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        Explanation::of(self, &self.input)
    }
}

/// The expression for the word index, as [`SanitizedQuery::as_str`].
impl fmt::Display for SanitizedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.expression)
    }
}
