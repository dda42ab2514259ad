//! Which parentheses group, and which are punctuation.

use alloc::vec;
use alloc::vec::Vec;

use crate::lex::{Lexeme, Token};

/// How deep groups are read. In deeper ones the parentheses are blanks: SQLite bounds the depth of
/// an expression, and whoever walks a tree wants a bound too.
pub(crate) const MAX_DEPTH: usize = 8;

/// An opening parenthesis that waits for its partner.
struct Waiting {
    at: usize,
    groups: bool,
    operator_inside: bool,
}

/// The tokens without the parentheses that do not group: those without a partner, those that touch
/// the word before, those without an operator inside, and those nested too deep.
pub(crate) fn keep_groups<'a>(tokens: Vec<Token<'a>>) -> Vec<Token<'a>> {
    let is_paren = |token: &Token<'a>| !matches!(token, Token::Term(_));
    if !tokens.iter().any(is_paren) {
        return tokens;
    }
    let kept = within_depth(&tokens, &pairs(&tokens));
    let mut grouped = Vec::with_capacity(tokens.len());
    for (token, keep) in tokens.into_iter().zip(kept) {
        match token {
            // The parenthesis is no blank any more.
            Token::Term(lexeme) if grouped.last().is_some_and(is_paren) => {
                grouped.push(Token::Term(Lexeme {
                    lead: " ",
                    ..lexeme
                }));
            }
            Token::Term(_) => grouped.push(token),
            _ if keep => grouped.push(token),
            _ => {}
        }
    }
    grouped
}

/// For each token, the place of its partner if the two group.
fn pairs(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut waiting: Vec<Waiting> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Open { glued, .. } => waiting.push(Waiting {
                at,
                groups: !glued,
                operator_inside: false,
            }),
            Token::Close { .. } => {
                let Some(open) = waiting.pop() else {
                    continue;
                };
                if open.groups && open.operator_inside {
                    if let Some(partner) = partners.get_mut(open.at) {
                        *partner = Some(at);
                    }
                } else if let Some(outer) = waiting.last_mut() {
                    outer.operator_inside |= open.operator_inside;
                }
            }
            Token::Term(lexeme) => {
                if let Some(innermost) = waiting.last_mut()
                    && lexeme.operator().is_some()
                {
                    innermost.operator_inside = true;
                }
            }
        }
    }
    partners
}

/// For each token, whether it is a parenthesis of a group that is not too deep.
fn within_depth(tokens: &[Token<'_>], partners: &[Option<usize>]) -> Vec<bool> {
    let mut kept = vec![false; tokens.len()];
    let mut ends: Vec<usize> = Vec::new();
    for (at, partner) in partners.iter().enumerate() {
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
        }
        let Some(partner) = *partner else {
            continue;
        };
        if ends.len() < MAX_DEPTH {
            ends.push(partner);
            for paren in [at, partner] {
                if let Some(keep) = kept.get_mut(paren) {
                    *keep = true;
                }
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::lex;

    /// The query with the parentheses that group, and words alone.
    fn grouped(input: &str) -> String {
        let show = |token: &Token<'_>| match token {
            Token::Open { .. } => "(".to_owned(),
            Token::Close { .. } => ")".to_owned(),
            Token::Term(lexeme) => lexeme.text.to_owned(),
        };
        let shown: Vec<_> = keep_groups(lex(input)).iter().map(show).collect();
        shown.join(" ")
    }

    #[test]
    fn a_parenthesis_groups_if_it_stands_apart_and_holds_an_operator() {
        for (input, read) in [
            ("(a OR b) c", "( a OR b ) c"),
            ("x NOT(a OR b)", "x NOT ( a OR b )"),
            ("（a OR b） c", "( a OR b ) c"),
            ("f(a OR b)", "f a OR b"),
            ("(f(a OR b) c)", "( f a OR b c )"),
            ("(a b) c", "a b c"),
            ("((a OR b)) c", "( a OR b ) c"),
            ("((a OR b) c) OR d", "( a OR b ) c OR d"),
            ("()", ""),
        ] {
            assert_eq!(grouped(input), read, "{input}");
        }
    }

    #[test]
    fn a_parenthesis_without_a_partner_is_a_blank() {
        for (input, read) in [
            ("(a OR b", "a OR b"),
            ("a OR b) c", "a OR b c"),
            (")a OR b(", "a OR b"),
            ("x (y (a OR b)", "x y ( a OR b )"),
            ("(a OR b)) c", "( a OR b ) c"),
        ] {
            assert_eq!(grouped(input), read, "{input}");
        }
    }

    #[test]
    fn groups_in_too_many_groups_are_read_without_parentheses() {
        let nested = |depth| format!("{}a{}", "(b OR ".repeat(depth), ")".repeat(depth));
        let opened = |depth| grouped(&nested(depth)).matches('(').count();
        assert_eq!(opened(MAX_DEPTH), MAX_DEPTH);
        assert_eq!(opened(MAX_DEPTH + 5), MAX_DEPTH);
        let two = format!("{} {}", nested(MAX_DEPTH), nested(MAX_DEPTH));
        assert_eq!(grouped(&two).matches('(').count(), 2 * MAX_DEPTH);
    }
}
