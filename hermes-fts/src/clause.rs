//! The normal form of a query: clauses joined by operators.
//!
//! A query, and the inside of each group, is a flat list. Words side by side bind tightest, then
//! NOT, AND, OR, as in FTS5; so the list falls into alternatives (split at OR), those into operands
//! (split at AND), and an operand is a clause that is wanted and the ones it excludes.

use alloc::vec;
use alloc::vec::Vec;
use core::slice;

use crate::lex::{Lexeme, Op, Token};
use crate::symbol::is_symbol;
use crate::token_chars::has_token;

/// Terms and groups side by side, and the operator before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause<'a> {
    /// `Or` in the first clause of a query, where no operator is written.
    pub(crate) op: Op,
    /// What stands before the operator.
    pub(crate) lead: &'a str,
    /// Never empty. After `keep`, terms, or one group.
    pub(crate) group: Items<'a>,
}

/// What stands side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Items<'a>(pub(crate) Vec<Item<'a>>);

/// A term, or a query in parentheses. Groups are nested at most `paren::MAX_DEPTH` deep, and one
/// more for spellings, which makes recursion safe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    Term(Lexeme<'a>),
    Group(Vec<Clause<'a>>),
}

/// All terms, those in groups too, in the order of the text.
impl<'c, 'a> IntoIterator for &'c Items<'a> {
    type Item = &'c Lexeme<'a>;
    type IntoIter = Terms<'c, 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Terms {
            items: self.0.iter(),
            outer: Vec::new(),
        }
    }
}

/// Walks through the terms.
pub(crate) struct Terms<'c, 'a> {
    items: slice::Iter<'c, Item<'a>>,
    /// What comes behind the groups that the walk is in.
    outer: Vec<(slice::Iter<'c, Clause<'a>>, slice::Iter<'c, Item<'a>>)>,
}

impl<'c, 'a> Iterator for Terms<'c, 'a> {
    type Item = &'c Lexeme<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.items.next() {
                Some(Item::Term(lexeme)) => return Some(lexeme),
                Some(Item::Group(clauses)) => {
                    let behind = core::mem::take(&mut self.items);
                    self.outer.push((clauses.iter(), behind));
                }
                None => {
                    let (clauses, behind) = self.outer.last_mut()?;
                    match clauses.next() {
                        Some(clause) => self.items = clause.group.0.iter(),
                        None => {
                            self.items = core::mem::take(behind);
                            self.outer.pop();
                        }
                    }
                }
            }
        }
    }
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

/// Reads the tokens: dangling operators go, of several in a row one stays.
pub(crate) fn read<'a>(tokens: &[Token<'a>]) -> Vec<Clause<'a>> {
    let mut outer: Vec<Reader<'a>> = Vec::new();
    let tokens = trim_end(trim_start(tokens));
    let mut reader = Reader {
        // Most queries are one clause.
        room: tokens.len().min(24),
        ..Reader::default()
    };
    for token in tokens {
        match token {
            Token::Term(lexeme) => match lexeme.operator() {
                Some(op) => reader.operator(op, lexeme.lead),
                None => reader.item(Item::Term(*lexeme)),
            },
            Token::Open { .. } => {
                let inside = Reader {
                    room: 1,
                    ..Reader::default()
                };
                outer.push(core::mem::replace(&mut reader, inside));
            }
            Token::Close { .. } => {
                if let Some(around) = outer.pop() {
                    let inside = core::mem::replace(&mut reader, around);
                    if !inside.clauses.is_empty() {
                        reader.item(Item::Group(inside.clauses));
                    }
                }
            }
        }
    }
    reader.clauses
}

/// The clauses of one level, as far as they are read.
#[derive(Default)]
struct Reader<'a> {
    clauses: Vec<Clause<'a>>,
    /// The operator that waits for what it joins.
    pending: Option<(Op, &'a str)>,
    /// How many items the first clause is given room for.
    room: usize,
}

impl<'a> Reader<'a> {
    fn operator(&mut self, op: Op, lead: &'a str) {
        self.pending = match self.pending {
            _ if self.clauses.is_empty() => None,
            None => Some((op, lead)),
            Some((before, lead)) => Some((stronger(before, op), lead)),
        };
    }

    fn item(&mut self, item: Item<'a>) {
        let begun = match self.pending.take() {
            None => self.clauses.last_mut(),
            Some(_) if self.clauses.is_empty() => None,
            Some((op, lead)) => {
                self.clauses.push(Clause {
                    op,
                    lead,
                    group: Items(Vec::new()),
                });
                self.clauses.last_mut()
            }
        };
        match begun {
            Some(clause) => clause.group.0.push(item),
            None => {
                let mut items = Vec::with_capacity(self.room);
                items.push(item);
                self.clauses.push(Clause {
                    op: Op::Or,
                    lead: "",
                    group: Items(items),
                });
            }
        }
    }
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
fn trim_start<'s, 'a>(mut tokens: &'s [Token<'a>]) -> &'s [Token<'a>] {
    let mut slip_seen = false;
    while let Some((Token::Term(first), rest)) = tokens.split_first() {
        let slip = first.is_operator_word() && !slip_seen;
        if !slip && first.operator().is_none() && !is_noise(first) {
            break;
        }
        slip_seen |= slip;
        tokens = rest;
    }
    tokens
}

/// Drops what can't end a query. A lower-case word goes only if it is not all there is.
fn trim_end<'s, 'a>(mut tokens: &'s [Token<'a>]) -> &'s [Token<'a>] {
    let mut slip_seen = false;
    while let Some((Token::Term(last), rest)) = tokens.split_last() {
        let alone = rest.is_empty() || !last.is_apart();
        let slip = last.is_operator_word() && !slip_seen && !alone;
        if !slip && last.operator().is_none() && !is_noise(last) {
            break;
        }
        slip_seen |= slip;
        tokens = rest;
    }
    tokens
}

/// True for what is never looked for, such as a lone dash.
fn is_noise(lexeme: &Lexeme<'_>) -> bool {
    !has_token(lexeme.text) && !is_symbol(lexeme.text)
}

/// The query without the terms that `wanted` refuses, without the operators they leave dangling,
/// and without the groups that change nothing. An exclusion from something that went applies to
/// the rest of its alternative; without a rest it goes too, and never becomes a demand.
pub(crate) fn keep<'a>(
    clauses: Vec<Clause<'a>>,
    wanted: &impl Fn(&Lexeme<'a>) -> bool,
) -> Vec<Clause<'a>> {
    let stays = |item: &Item<'a>| matches!(item, Item::Term(lexeme) if wanted(lexeme));
    if clauses
        .iter()
        .all(|clause| clause.group.0.iter().all(stays))
    {
        return clauses;
    }
    let mut query = Vec::with_capacity(clauses.len());
    let (mut kept, mut homeless) = (Vec::new(), Vec::new());
    // Whether what the exclusions are excluded from is still there.
    let mut has_home = false;
    for mut clause in clauses {
        if clause.op == Op::Or {
            push_alternative(&mut query, &mut kept, &mut homeless);
        }
        clause.group = keep_items(clause.group, wanted);
        let left = !clause.group.0.is_empty();
        if clause.op != Op::Not {
            has_home = left;
        }
        match (left, has_home) {
            (false, _) => {}
            (true, true) => push_parts(&mut kept, clause),
            (true, false) => push_parts(&mut homeless, clause),
        }
    }
    push_alternative(&mut query, &mut kept, &mut homeless);
    query
}

fn keep_items<'a>(mut items: Items<'a>, wanted: &impl Fn(&Lexeme<'a>) -> bool) -> Items<'a> {
    let is_wanted = |item: &Item<'a>| match item {
        Item::Term(lexeme) => wanted(lexeme),
        Item::Group(_) => true,
    };
    items.0.retain(is_wanted);
    if items.0.iter().all(|item| matches!(item, Item::Term(_))) {
        return items;
    }
    let mut kept = Vec::with_capacity(items.0.len());
    for item in items.0 {
        match item {
            Item::Term(_) => kept.push(item),
            Item::Group(inside) => push_group(&mut kept, keep(inside, wanted)),
        }
    }
    Items(kept)
}

/// Adds a clause. Side by side with something else a group is joined to it by AND, which is the same;
/// where that is excluded, in a group of its own.
fn push_parts<'a>(clauses: &mut Vec<Clause<'a>>, clause: Clause<'a>) {
    let is_group = |item: &Item<'a>| matches!(item, Item::Group(_));
    if clause.group.0.len() < 2 || !clause.group.0.iter().any(is_group) {
        return clauses.push(clause);
    }
    let (op, lead) = (clause.op, clause.lead);
    let mut parts: Vec<Clause<'a>> = Vec::new();
    for item in clause.group.0 {
        match parts.last_mut() {
            Some(part) if !is_group(&item) && !part.group.0.iter().any(is_group) => {
                part.group.0.push(item);
            }
            _ => parts.push(Clause {
                op: Op::And,
                lead: " ",
                group: Items(vec![apart(item)]),
            }),
        }
    }
    if op == Op::Not {
        let mut inside = Vec::new();
        push_alternative(&mut inside, &mut parts, &mut Vec::new());
        clauses.push(Clause {
            op,
            lead,
            group: Items(vec![Item::Group(inside)]),
        });
        return;
    }
    if let Some(first) = parts.first_mut() {
        (first.op, first.lead) = (op, lead);
    }
    clauses.append(&mut parts);
}

/// What comes behind an operator that was not typed.
fn apart(item: Item<'_>) -> Item<'_> {
    match item {
        Item::Term(lexeme) => Item::Term(Lexeme {
            lead: " ",
            ..lexeme
        }),
        group => group,
    }
}

/// Adds a group; one without operators is its terms.
fn push_group<'a>(items: &mut Vec<Item<'a>>, mut clauses: Vec<Clause<'a>>) {
    if clauses.len() > 1 {
        items.push(Item::Group(clauses));
    } else if let Some(only) = clauses.pop() {
        items.extend(only.group.0);
    }
}

/// Adds an alternative of what is kept, with the parentheses gone that bind no tighter than what is
/// around them, and empties the two lists.
fn push_alternative<'a>(
    query: &mut Vec<Clause<'a>>,
    kept: &mut Vec<Clause<'a>>,
    homeless: &mut Vec<Clause<'a>>,
) {
    match kept.first_mut() {
        Some(first) => first.op = Op::Or,
        None => homeless.clear(),
    }
    kept.append(homeless);
    let alone = kept.len() == 1;
    let mut clauses = kept.drain(..).peekable();
    while let Some(mut clause) = clauses.next() {
        let excludes = clauses.peek().is_some_and(|next| next.op == Op::Not);
        let is_free = |inside: &[Clause<'a>]| {
            alone || (clause.op != Op::Not && !excludes && alternatives(inside).count() == 1)
        };
        match clause.group.0.as_mut_slice() {
            [Item::Group(inside)] if is_free(inside) => {
                let mut inside = core::mem::take(inside);
                if let Some(first) = inside.first_mut() {
                    (first.op, first.lead) = (clause.op, clause.lead);
                }
                query.append(&mut inside);
            }
            _ => query.push(clause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::lex;
    use crate::paren::keep_groups;

    /// The clauses as `op:terms`, after the terms without a token are gone.
    fn read_text(input: &str) -> String {
        let clauses = read(&keep_groups(lex(input)));
        show(&keep(clauses, &|lexeme: &Lexeme<'_>| {
            has_token(lexeme.text)
        }))
    }

    fn show(clauses: &[Clause<'_>]) -> String {
        let item = |item: &Item<'_>| match item {
            Item::Term(lexeme) => lexeme.text.to_owned(),
            Item::Group(clauses) => format!("({})", show(clauses)),
        };
        let clause = |clause: &Clause<'_>| {
            let items: Vec<_> = clause.group.0.iter().map(item).collect();
            format!("{}:{}", clause.op.as_str(), items.join(" "))
        };
        clauses.iter().map(clause).collect::<Vec<_>>().join(" ")
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

    #[test]
    fn a_group_stays_where_it_changes_the_meaning() {
        for (input, read) in [
            ("(a OR b) c", "OR:(OR:a OR:b) AND:c"),
            ("x NOT c (a OR b)", "OR:x NOT:(OR:c AND:(OR:a OR:b))"),
            (
                "(a AND b) c (d NOT e) NOT f",
                "OR:a AND:b AND:c AND:(OR:d NOT:e) NOT:f",
            ),
            ("a AND (b OR c)", "OR:a AND:(OR:b OR:c)"),
            ("a NOT (b OR c)", "OR:a NOT:(OR:b OR:c)"),
            ("a NOT (b AND c)", "OR:a NOT:(OR:b AND:c)"),
            ("(a OR b) NOT c", "OR:(OR:a OR:b) NOT:c"),
            ("a NOT (b NOT c)", "OR:a NOT:(OR:b NOT:c)"),
            ("a (b OR (c d OR e)) f", "OR:a AND:(OR:b OR:c d OR:e) AND:f"),
        ] {
            assert_eq!(read_text(input), read, "{input}");
        }
    }

    #[test]
    fn a_group_that_changes_nothing_goes() {
        for (input, read) in [
            ("(a OR b)", "OR:a OR:b"),
            ("((a OR b) OR c)", "OR:a OR:b OR:c"),
            ("(a AND b) OR c", "OR:a AND:b OR:c"),
            ("a OR (b NOT c)", "OR:a OR:b NOT:c"),
            ("a AND (b NOT c)", "OR:a AND:b NOT:c"),
            ("a (OR b) c", "OR:a b c"),
            ("a (b OR) c", "OR:a b c"),
            ("a (b OR -) c", "OR:a b c"),
            ("a (OR) c", "OR:a c"),
            ("a NOT (- OR -)", "OR:a"),
            ("NOT (a OR b)", "OR:a OR:b"),
            ("(a OR b) NOT", "OR:a OR:b"),
        ] {
            assert_eq!(read_text(input), read, "{input}");
        }
    }
}
