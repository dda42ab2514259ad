//! Where a query is looked up.

use alloc::string::String;

use crate::clause::Clause;
use crate::render::{Index, render};
use crate::script::is_cjk;

/// The shortest text that the trigram index can find.
const TRIGRAM: usize = 3;

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
    /// No index finds it: read the rows and let the tree decide, a term holding if its text is
    /// in the row.
    Scan,
}

/// The plan for a query whose terms all have tokens.
///
/// CJK is written without blanks, so that the word index takes a whole sentence for one word.
/// It goes to the trigram index unless a term is too short for that: the index would leave it
/// out silently.
pub(crate) fn route(clauses: &[Clause<'_>]) -> Plan {
    let terms = || clauses.iter().flat_map(|clause| &clause.group);
    let cjk = |text: &str| text.chars().filter(|c| is_cjk(*c)).count();
    if clauses.is_empty() {
        Plan::Nothing
    } else if terms().all(|term| cjk(term.text) == 0) {
        Plan::Words
    } else if terms().all(|term| {
        let text = term.literal();
        text.chars().count() >= TRIGRAM && (cjk(text) == 0 || cjk(text) >= TRIGRAM)
    }) {
        Plan::Trigram(render(clauses, Index::Trigram))
    } else {
        Plan::Scan
    }
}
