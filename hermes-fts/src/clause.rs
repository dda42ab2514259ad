//! The normal form of a query: clauses joined by operators.
//!
//! As long as there are no parentheses, a query is a flat list. FTS5 binds words side by side
//! tightest, then NOT, AND, OR; so the list falls into alternatives (split at OR), those into
//! operands (split at AND), and an operand is a clause that is wanted and the ones it excludes.

use crate::lex::{Lexeme, Op};
use crate::symbol::is_symbol;
use crate::token_chars::has_token;

/// Terms side by side, and the operator before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause<'a> {
    /// `Or` in the first clause of a query, where no operator is written.
    pub(crate) op: Op,
    /// What stands before the operator.
    pub(crate) lead: &'a str,
    /// Never empty.
    pub(crate) group: Vec<Lexeme<'a>>,
}

/// The parts of a query of which one has to hold.
pub(crate) fn alternatives<'c, 'a>(
    clauses: &'c [Clause<'a>],
) -> impl Iterator<Item = &'c [Clause<'a>]> {
    clauses.chunk_by(|_, next| next.op != Op::Or)
}

/// The parts of an alternative that all have to hold: in each, the first clause is wanted and
/// the rest are excluded.
pub(crate) fn operands<'c, 'a>(
    alternative: &'c [Clause<'a>],
) -> impl Iterator<Item = &'c [Clause<'a>]> {
    alternative.chunk_by(|_, next| next.op == Op::Not)
}

/// Reads the lexemes: dangling operators go, of several in a row one stays.
pub(crate) fn read<'a>(lexemes: &[Lexeme<'a>]) -> Vec<Clause<'a>> {
    let mut clauses: Vec<Clause<'a>> = Vec::new();
    let mut pending = Some((Op::Or, ""));
    for &lexeme in trim_end(trim_start(lexemes)) {
        match (lexeme.operator(), pending) {
            (Some(op), None) => pending = Some((op, lexeme.lead)),
            (Some(op), Some((before, lead))) => pending = Some((stronger(before, op), lead)),
            (None, Some((op, lead))) => {
                clauses.push(Clause {
                    op,
                    lead,
                    group: vec![lexeme],
                });
                pending = None;
            }
            (None, None) => {
                if let Some(clause) = clauses.last_mut() {
                    clause.group.push(lexeme);
                }
            }
        }
    }
    clauses
}

/// Which of two operators in a row is meant: an exclusion is kept, then the wider search.
fn stronger(a: Op, b: Op) -> Op {
    match (a, b) {
        (Op::Not, _) | (_, Op::Not) => Op::Not,
        (Op::Or, _) | (_, Op::Or) => Op::Or,
        (Op::And, Op::And) => Op::And,
    }
}

/// Drops what can't start a query: one and/or/not of any case, any number of operators, noise.
fn trim_start<'s, 'a>(mut lexemes: &'s [Lexeme<'a>]) -> &'s [Lexeme<'a>] {
    let mut slip_seen = false;
    while let Some((first, rest)) = lexemes.split_first() {
        let slip = first.is_operator_word() && !slip_seen;
        if !slip && first.operator().is_none() && !is_noise(first) {
            break;
        }
        slip_seen |= slip;
        lexemes = rest;
    }
    lexemes
}

/// Drops what can't end a query. A lower-case word goes only if it is not all there is.
fn trim_end<'s, 'a>(mut lexemes: &'s [Lexeme<'a>]) -> &'s [Lexeme<'a>] {
    let mut slip_seen = false;
    while let Some((last, rest)) = lexemes.split_last() {
        let alone = rest.is_empty() || !last.is_apart();
        let slip = last.is_operator_word() && !slip_seen && !alone;
        if !slip && last.operator().is_none() && !is_noise(last) {
            break;
        }
        slip_seen |= slip;
        lexemes = rest;
    }
    lexemes
}

/// True for what is never looked for, such as a lone dash.
fn is_noise(lexeme: &Lexeme<'_>) -> bool {
    !has_token(lexeme.text) && !is_symbol(lexeme.text)
}

/// The query without the terms that `wanted` refuses, and without the operators they leave
/// dangling. An exclusion from something that went applies to the rest of its alternative;
/// without a rest it goes too, and never becomes a demand.
pub(crate) fn keep<'a>(
    clauses: &[Clause<'a>],
    wanted: impl Fn(&Lexeme<'a>) -> bool,
) -> Vec<Clause<'a>> {
    let only = |clause: &Clause<'a>| {
        let group: Vec<_> = clause.group.iter().copied().filter(&wanted).collect();
        (!group.is_empty()).then_some(Clause { group, ..*clause })
    };
    let mut query = Vec::new();
    for alternative in alternatives(clauses) {
        let (mut kept, mut homeless) = (Vec::new(), Vec::new());
        for operand in operands(alternative) {
            let Some((first, exclusions)) = operand.split_first() else {
                continue;
            };
            let first = only(first);
            let home = if first.is_some() {
                &mut kept
            } else {
                &mut homeless
            };
            home.extend(first);
            home.extend(exclusions.iter().filter_map(only));
        }
        if let Some(first) = kept.first_mut() {
            first.op = Op::Or;
            query.append(&mut kept);
            query.append(&mut homeless);
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::lex;

    /// The clauses as `op:terms`, after the terms without a token are gone.
    fn read_text(input: &str) -> String {
        let clauses = keep(&read(&lex(input)), |lexeme| has_token(lexeme.text));
        let show = |clause: &Clause<'_>| {
            let terms: Vec<_> = clause.group.iter().map(|l| l.text).collect();
            format!("{}:{}", clause.op.as_str(), terms.join(" "))
        };
        clauses.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn of_operators_in_a_row_one_stays() {
        for (input, read) in [
            ("a AND NOT b", "OR:a NOT:b"),
            ("a NOT AND b", "OR:a NOT:b"),
            ("a OR OR b", "OR:a OR:b"),
            ("a AND OR b", "OR:a OR:b"),
            ("a AND AND AND b", "OR:a AND:b"),
            ("a OR NOT b", "OR:a NOT:b"),
        ] {
            assert_eq!(read_text(input), read, "{input}");
        }
    }

    #[test]
    fn operators_at_the_ends_go() {
        for (input, read) in [
            ("AND OR NOT a", "OR:a"),
            ("a NOT OR", "OR:a"),
            ("- NOT a AND ,", "OR:a"),
            ("AND OR", ""),
            ("and", ""),
            ("not found", "OR:found"),
            ("not and a", "OR:and a"),
            ("a or not", "OR:a or"),
            ("and and", "OR:and"),
        ] {
            assert_eq!(read_text(input), read, "{input}");
        }
    }

    #[test]
    fn a_term_that_goes_takes_the_tighter_operator_with_it() {
        for (input, read) in [
            ("a OR - AND b", "OR:a OR:b"),
            ("a AND - OR b", "OR:a OR:b"),
            ("a NOT - AND b", "OR:a AND:b"),
            ("a NOT - OR b", "OR:a OR:b"),
            ("a NOT - b", "OR:a NOT:b"),
            ("a - b", "OR:a b"),
        ] {
            assert_eq!(read_text(input), read, "{input}");
        }
    }

    #[test]
    fn an_exclusion_never_becomes_a_demand() {
        for (input, read) in [
            ("a AND - NOT b", "OR:a NOT:b"),
            ("\u{1F600} NOT b AND a", "OR:a NOT:b"),
            ("a OR - NOT b", "OR:a"),
            ("\u{1F600} NOT b", ""),
        ] {
            assert_eq!(read_text(input), read, "{input}");
        }
    }
}
