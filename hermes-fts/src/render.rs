//! From clauses to an FTS5 expression.
//!
//! The expression keeps the words, the stars and the blanks as they were typed, so that a person
//! knows the query again. Quotes are added where FTS5 would read something else: it takes only
//! ASCII letters and digits, `_` and non-ASCII characters without them.

use crate::clause::{Clause, operands};
use crate::lex::{Lexeme, Op};
use crate::term::TermKind;

/// The index that an expression is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    Words,
    /// Every term is quoted, and a star means nothing: any part of a word matches.
    Trigram,
}

/// How many exclusions in a row FTS5 is given. Each is one more level of its tree, and it
/// refuses more than 256 levels.
const MAX_EXCLUSIONS: usize = 200;

/// Writes the query for an index.
pub(crate) fn render(clauses: &[Clause<'_>], index: Index) -> String {
    let last = clauses.last().and_then(|clause| clause.group.last());
    let mut expression = Expression {
        text: String::new(),
        index,
        last,
    };
    for operand in operands(clauses) {
        let Some((wanted, exclusions)) = operand.split_first() else {
            continue;
        };
        expression.push_clause(wanted.op, wanted);
        for (i, exclusion) in exclusions.iter().enumerate() {
            if i > 0 && i % MAX_EXCLUSIONS == 0 {
                // The same without depth: `a NOT b NOT c` is `a NOT b AND a NOT c`.
                expression.push_clause(Op::And, wanted);
            }
            expression.push_clause(Op::Not, exclusion);
        }
    }
    expression.text
}

struct Expression<'q, 'a> {
    text: String,
    index: Index,
    /// The last term of the query.
    last: Option<&'q Lexeme<'a>>,
}

impl Expression<'_, '_> {
    fn push_clause(&mut self, op: Op, clause: &Clause<'_>) {
        if !self.text.is_empty() {
            self.push_lead(clause.lead, op.as_str());
            self.text.push_str(op.as_str());
        }
        for term in &clause.group {
            self.push_term(term);
        }
    }

    fn push_term(&mut self, term: &Lexeme<'_>) {
        let quoted = self.needs_quotes(term);
        self.push_lead(term.lead, if quoted { "\"" } else { term.text });
        if self.index == Index::Trigram {
            push_quoted(&mut self.text, term.literal());
        } else if quoted {
            push_quoted(&mut self.text, term.text);
        } else {
            self.text.push_str(term.text);
        }
        if term.prefix && self.index == Index::Words {
            self.text.push('*');
        }
    }

    fn needs_quotes(&self, term: &Lexeme<'_>) -> bool {
        // An and/or/not that is to be searched for would be taken for an operator, or, at the
        // ends, be dropped if the expression came back as a query.
        let at_end = self.text.is_empty() || self.last.is_some_and(|last| std::ptr::eq(last, term));
        self.index == Index::Trigram
            || term.kind == TermKind::Phrase
            || !is_bareword(term.text)
            || [Op::And, Op::Or, Op::Not]
                .iter()
                .any(|op| op.as_str() == term.text)
            || (at_end && term.is_operator_word())
    }

    /// Writes the blanks between what is there and what comes, at least one if the two would
    /// run together.
    fn push_lead(&mut self, lead: &str, next: &str) {
        let Some(before) = self.text.chars().next_back() else {
            return;
        };
        let len = self.text.len();
        self.text.extend(lead.chars().filter_map(blank));
        let both_quoted = before == '"' && next.starts_with('"');
        let both_bare = !matches!(before, '"' | '*') && !next.starts_with('"');
        if self.text.len() == len && (both_quoted || both_bare) {
            self.text.push(' ');
        }
    }
}

/// What a character between two terms becomes; a star that belongs to nothing vanishes.
fn blank(c: char) -> Option<char> {
    match c {
        ' ' | '\t' | '\n' | '\r' => Some(c),
        '*' => None,
        _ => Some(' '),
    }
}

/// True if FTS5 reads the text as one string without quotes. A word with `_` inside would do,
/// but is quoted like one with `-` or `.`: all three are two words to the index.
fn is_bareword(text: &str) -> bool {
    let mut inside = text.chars();
    inside.next();
    inside.next_back();
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii())
        && !inside.any(|c| c == '_')
}

/// Writes an FTS5 string. SQLite stops at NUL, and the index takes it for a blank.
fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\"\""),
            '\0' => out.push(' '),
            _ => out.push(c),
        }
    }
    out.push('"');
}
