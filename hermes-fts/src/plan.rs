//! Where a query is looked up.

use alloc::string::String;

use crate::clause::Clause;
use crate::render::{Index, render};
use crate::script::is_unspaced;
use crate::token_chars::has_token;

/// The fewest characters that the trigram index can find.
pub(crate) const SHORTEST: usize = 3;

/// Where to look a query up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Plan {
    /// There is nothing to search for.
    Nothing,
    /// The word index finds it, with the expression of the query.
    Words,
    /// The trigram index finds it, with this FTS5 expression: every term is quoted and found
    /// anywhere in a text.
    Trigram(String),
    /// No index finds it alone: look each term of the tree up where its
    /// [`lookup`](crate::Term::lookup) says, and combine the rows as the tree does.
    Combined,
    /// No index finds it: read the rows and let the tree decide, a term holding if its text is
    /// in the row.
    Scan,
}

/// Where to look a term up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lookup {
    /// In the word index, by [`expression`](crate::Term::expression): it stands in a text as words.
    Words,
    /// In the trigram index, by the expression: it stands anywhere in a text.
    Trigram,
    /// It has one or two characters and stands anywhere in a text: the terms of the trigram index
    /// that begin with it, [`folded`](crate::folded), say where.
    Short,
}

/// Whether the terms of a query are looked for anywhere in a text: one of them has letters of which
/// the word index makes no words, or nothing that it keeps.
pub(crate) fn by_substring(clauses: &[Clause<'_>]) -> bool {
    let mut terms = clauses.iter().flat_map(|clause| &clause.group);
    terms.any(|term| {
        !term.text.is_ascii() && (term.text.chars().any(is_unspaced) || !has_token(term.text))
    })
}

/// The plan for a query. `indexed`: all its terms have tokens.
pub(crate) fn route(clauses: &[Clause<'_>], indexed: bool) -> Plan {
    let terms = || clauses.iter().flat_map(|clause| &clause.group);
    let unspaced = |text: &str| text.chars().filter(|c| is_unspaced(*c)).count();
    if clauses.is_empty() {
        Plan::Nothing
    } else if !indexed && terms().any(|term| term.text.is_ascii() && !has_token(term.text)) {
        // Signs that the index has in the syntax of stored JSON too.
        Plan::Scan
    } else if !by_substring(clauses) {
        Plan::Words
    } else if terms().all(|term| {
        // As Hermes Agent routes: fewer letters than that beside others rank by time.
        let text = term.literal();
        text.chars().count() >= SHORTEST && matches!(unspaced(text), 0 | SHORTEST..)
    }) {
        Plan::Trigram(render(clauses, Index::Trigram))
    } else {
        Plan::Combined
    }
}
