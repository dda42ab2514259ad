//! The query as a tree, for callers that look at the rows themselves.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::clause::{Clause, Item, alternatives, operands};
use crate::paren::MAX_DEPTH;
use crate::plan::by_substring;
use crate::term::Term;

/// What a query asks for.
///
/// The lists of `And` and `Or` have at least two members. A tree is at most [`MAX_TREE_DEPTH`]
/// levels deep, six without parentheses, however long the query is: recursion over it is safe.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expr {
    /// The term is there.
    Term(Term),
    /// All of them hold.
    And(Vec<Expr>),
    /// At least one of them holds.
    Or(Vec<Expr>),
    /// The first holds and the second does not.
    Not(Box<Expr>, Box<Expr>),
}

/// How many levels a tree can have: five for the query and for each group in a group, one for a
/// term that is looked for in two spellings, and one for the terms.
pub const MAX_TREE_DEPTH: usize = 5 * (MAX_DEPTH + 1) + 2;

impl Expr {
    /// Whether a text fits, given which terms are in it.
    ///
    /// ```
    /// let query = hermes_fts::sanitize("大理 NOT 洱海");
    /// let tree = query.tree().expect("there is something to search for");
    /// let fits = |row: &str| tree.matches(&mut |term| row.contains(term.text()));
    /// assert!(fits("去大理"));
    /// assert!(!fits("大理的洱海"));
    /// ```
    pub fn matches(&self, holds: &mut impl FnMut(&Term) -> bool) -> bool {
        match self {
            Expr::Term(term) => holds(term),
            Expr::And(parts) => parts.iter().all(|part| part.matches(holds)),
            Expr::Or(parts) => parts.iter().any(|part| part.matches(holds)),
            Expr::Not(wanted, unwanted) => wanted.matches(holds) && !unwanted.matches(holds),
        }
    }

    /// The tree of a query; `None` if it has no clause.
    pub(crate) fn of(clauses: &[Clause<'_>]) -> Option<Self> {
        Self::of_group(clauses, by_substring(clauses))
    }

    fn of_group(clauses: &[Clause<'_>], by_substring: bool) -> Option<Self> {
        let mut any = Vec::new();
        for alternative in alternatives(clauses) {
            let mut all = Vec::new();
            for operand in operands(alternative) {
                push_operand(&mut all, operand, by_substring);
            }
            any.extend(one_or(all, Expr::And));
        }
        one_or(any, Expr::Or)
    }
}

/// Adds what one operand of AND asks for: what stands side by side in it, or, if something is
/// excluded, the one expression that says so.
fn push_operand(all: &mut Vec<Expr>, operand: &[Clause<'_>], by_substring: bool) {
    let items = |clause| items(clause, by_substring);
    let Some((wanted, exclusions)) = operand.split_first() else {
        return;
    };
    if exclusions.is_empty() {
        all.reserve(wanted.group.0.len());
        all.extend(items(wanted));
        return;
    }
    let side_by_side = |clause| one_or(items(clause).collect(), Expr::And);
    let excluded = exclusions.iter().filter_map(side_by_side).collect();
    match (side_by_side(wanted), one_or(excluded, Expr::Or)) {
        (Some(wanted), Some(excluded)) => all.push(Expr::Not(wanted.into(), excluded.into())),
        (wanted, _) => all.extend(wanted),
    }
}

fn items(clause: &Clause<'_>, by_substring: bool) -> impl Iterator<Item = Expr> {
    clause.group.0.iter().filter_map(move |item| match item {
        Item::Term(lexeme) => Some(Expr::Term(Term::of(lexeme, by_substring))),
        Item::Group(clauses) => Expr::of_group(clauses, by_substring),
    })
}

/// Nothing for an empty list, the member of a list of one, else the list as `many` wraps it.
fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Option<Expr> {
    if parts.len() > 1 {
        Some(many(parts))
    } else {
        parts.pop()
    }
}
