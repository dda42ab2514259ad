//! From clauses to an FTS5 expression.
//!
//! The expression keeps the words, the stars and the blanks as they were typed, so that a person
//! knows the query again. Quotes are added where FTS5 would read something else: it takes only
//! ASCII letters and digits, `_` and non-ASCII characters without them.

use alloc::string::String;

use crate::clause::{Clause, Item, operands};
use crate::lex::{Lexeme, Op};
use crate::term::TermKind;

/// The index that an expression is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    Words,
    /// Every term is quoted, and a star means nothing: any part of a word matches.
    Trigram,
}

/// How many exclusions in a row FTS5 is given one by one. Each is one more level of its tree, and
/// it refuses more than 256 levels; the more there are in a query in groups, the deeper it is.
const MAX_EXCLUSIONS: usize = 20;

/// Writes the query for an index.
pub(crate) fn render(clauses: &[Clause<'_>], index: Index) -> String {
    let last = clauses.last().and_then(|c| c.group.into_iter().last());
    let mut expression = Expression {
        text: String::with_capacity(last.map_or(0, |term| term.end() + 16)),
        index,
        last,
    };
    expression.push_query(clauses);
    expression.text
}

struct Expression<'q, 'a> {
    text: String,
    index: Index,
    /// The last term of the query.
    last: Option<&'q Lexeme<'a>>,
}

impl Expression<'_, '_> {
    fn push_query(&mut self, clauses: &[Clause<'_>]) {
        for operand in operands(clauses) {
            let Some((wanted, exclusions)) = operand.split_first() else {
                continue;
            };
            self.push_op(wanted.op.as_str(), wanted.lead);
            self.push_items(wanted);
            match exclusions {
                [first, ..] if exclusions.len() > MAX_EXCLUSIONS => {
                    // The same without depth: `a NOT b NOT c` is `a NOT (b OR c)`.
                    self.push_op(Op::Not.as_str(), first.lead);
                    self.push_open();
                    for exclusion in exclusions {
                        match exclusion.group.0.as_slice() {
                            // Beside OR a group needs no parentheses.
                            [Item::Group(inside)] => self.push_query(inside),
                            _ => {
                                self.push_op(Op::Or.as_str(), " ");
                                self.push_items(exclusion);
                            }
                        }
                    }
                    self.text.push(')');
                }
                _ => {
                    for exclusion in exclusions {
                        self.push_op(Op::Not.as_str(), exclusion.lead);
                        self.push_items(exclusion);
                    }
                }
            }
        }
    }

    fn push_items(&mut self, clause: &Clause<'_>) {
        for item in &clause.group.0 {
            match item {
                Item::Term(lexeme) => self.push_term(lexeme),
                Item::Group(clauses) => {
                    self.push_open();
                    self.push_query(clauses);
                    self.text.push(')');
                }
            }
        }
    }

    /// Writes an operator, except at the beginning of the query or of a group.
    fn push_op(&mut self, op: &str, lead: &str) {
        if !self.is_at_start() {
            self.push_lead(lead, op);
            self.text.push_str(op);
        }
    }

    fn push_open(&mut self) {
        if !self.is_at_start() {
            self.text.push(' ');
        }
        self.text.push('(');
    }

    fn is_at_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('(')
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
        let at_end =
            self.text.is_empty() || self.last.is_some_and(|last| core::ptr::eq(last, term));
        self.index == Index::Trigram
            || term.kind == TermKind::Phrase
            || !is_bareword(term.text)
            // Read again, it could open a quotation that is closed by what is quoted now.
            || term.text.starts_with('\u{2018}')
            || [Op::And, Op::Or, Op::Not]
                .iter()
                .any(|op| op.as_str() == term.text)
            || (at_end && term.is_operator_word())
    }

    /// Writes the blanks between what is there and what comes, at least one if the two would
    /// run together.
    fn push_lead(&mut self, lead: &str, next: &str) {
        let before = match self.text.chars().next_back() {
            None | Some('(') => return,
            // What stands around a parenthesis is written anew.
            Some(')') => return self.text.push(' '),
            Some(before) => before,
        };
        let len = self.text.len();
        if lead == " " {
            self.text.push(' ');
        } else {
            self.text.extend(lead.chars().filter_map(blank));
        }
        let both_quoted = before == '"' && next.starts_with('"');
        let both_bare = !matches!(before, '"' | '*') && !next.starts_with('"');
        // Where every term is quoted, nobody has typed what stands between.
        let anew = self.index == Index::Trigram;
        if self.text.len() == len && (both_quoted || both_bare || anew) {
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
    let last = text.len().saturating_sub(1);
    text.bytes().enumerate().all(|(at, b)| {
        b.is_ascii_alphanumeric() || !b.is_ascii() || (b == b'_' && (at == 0 || at == last))
    })
}

/// Writes an FTS5 string. SQLite stops at NUL, and the index takes it for a blank; a double quote
/// inside of other quotes is no part of a token either.
pub(crate) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        out.push(if matches!(c, '"' | '\0') { ' ' } else { c });
    }
    out.push('"');
}
