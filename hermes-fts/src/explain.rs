//! How a query was read, for a person.

mod text;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::blank::{is_blank, is_special};
use crate::clause;
use crate::expr::Expr;
use crate::lex::{Lexeme, Op, Token, lex};
use crate::paren::keep_groups;
use crate::plan::Plan;
use crate::query::{SanitizedQuery, wanted};
use crate::quote::is_quote;
use crate::symbol::is_symbol;
use crate::token_chars::has_token;

/// How a query was read. Its text form tells a person, in several lines.
///
/// ```
/// let explanation = hermes_fts::sanitize("(docker OR podman) error AND").explain();
/// assert_eq!(
///     explanation.to_string(),
///     "looks for all of:
///   one of:
///     the word docker
///     the word podman
///   the word error
/// in the word index, as: (docker OR podman) AND error
/// left out:
///   AND: an operator without something on both sides
/// "
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// What was typed, as far as it is read.
    pub input: String,
    /// The expression for the word index; empty if that finds nothing of it.
    pub expression: String,
    /// What is looked for; `None` if nothing.
    pub tree: Option<Expr>,
    /// Where it is looked up.
    pub plan: Plan,
    /// What is not looked for, in the order of the input. Blanks between words are not listed.
    pub left_out: Vec<LeftOut>,
    /// The input is longer than [`MAX_QUERY_CHARS`](crate::MAX_QUERY_CHARS).
    pub truncated: bool,
}

/// A piece of the input that is not looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The piece, as typed.
    pub text: String,
    /// Where it begins in the input, in characters (Unicode code points).
    pub at: usize,
    /// Why it is not looked for.
    pub reason: Reason,
}

/// Why a piece of the input is not looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// An operator at the beginning or the end, of the query or of a group.
    DanglingOperator,
    /// One of several operators in a row.
    StackedOperator,
    /// An and, or, not at the beginning or the end of the query.
    SmallWord,
    /// The word index keeps nothing of it, and there are words to look for.
    NoToken,
    /// A sign that is in nearly every text.
    Noise,
    /// It was excluded from something that is left out itself.
    ExcludedFromNothing,
    /// A quotation mark without a partner.
    LoneQuote,
    /// A parenthesis that does not group: it has no partner or no operator inside, touches the
    /// word before, or lies in too many others.
    Parenthesis,
    /// A star that follows no word.
    LoneStar,
    /// A character that means something to FTS5: it can't be passed on.
    Special,
    /// A control character, or a mark that can't be seen.
    Invisible,
}

impl Reason {
    /// A name for programs, such as `dangling-operator`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reason::DanglingOperator => "dangling-operator",
            Reason::StackedOperator => "stacked-operator",
            Reason::SmallWord => "small-word",
            Reason::NoToken => "no-token",
            Reason::Noise => "noise",
            Reason::ExcludedFromNothing => "excluded-from-nothing",
            Reason::LoneQuote => "lone-quote",
            Reason::Parenthesis => "parenthesis",
            Reason::LoneStar => "lone-star",
            Reason::Special => "special",
            Reason::Invisible => "invisible",
        }
    }
}

/// What the reason means, in some words.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reason::DanglingOperator => "an operator without something on both sides",
            Reason::StackedOperator => "of several operators in a row one counts",
            Reason::SmallWord => "a small word at the beginning or the end; in quotes it counts",
            Reason::NoToken => "the word index keeps nothing of it",
            Reason::Noise => "a sign that nearly every text has",
            Reason::ExcludedFromNothing => "it is excluded from nothing that is looked for",
            Reason::LoneQuote => "a quotation mark without a partner",
            Reason::Parenthesis => "it groups nothing: a blank",
            Reason::LoneStar => "a star counts only behind a word",
            Reason::Special => "it separates words: a blank",
            Reason::Invisible => "it can't be seen: a blank",
        })
    }
}

impl Explanation {
    pub(crate) fn of(query: &SanitizedQuery, input: &str) -> Self {
        Explanation {
            input: input.to_owned(),
            expression: query.as_str().to_owned(),
            tree: query.tree().cloned(),
            plan: query.plan().clone(),
            left_out: left_out(input),
            truncated: query.truncated(),
        }
    }
}

fn left_out(input: &str) -> Vec<LeftOut> {
    let tokens = lex(input);
    let groups = keep_groups(tokens.clone());
    let all = clause::read(&groups);
    let (clauses, indexed) = wanted(all);
    let mut kept: Vec<usize> = clauses
        .iter()
        .flat_map(|clause| &clause.group)
        .map(Lexeme::start)
        .collect();
    kept.sort_unstable();
    let parens: Vec<usize> = groups
        .iter()
        .filter_map(|token| match token {
            Token::Open { at, .. } | Token::Close { at } => Some(*at),
            Token::Term(_) => None,
        })
        .collect();
    let is_kept = |term: &Lexeme<'_>| kept.binary_search(&term.start()).is_ok();

    // Pieces by their place in bytes.
    let mut pieces: Vec<(usize, usize, Reason)> = unused_operators(&groups, is_kept);
    let mut end = 0;
    for token in &tokens {
        let Token::Term(term) = token else {
            continue;
        };
        blanks(input, end, term.start(), &parens, &mut pieces);
        end = term.end();
        if term.operator().is_none() && !is_kept(term) {
            pieces.push((term.start(), term.end(), why(term, indexed)));
        }
    }
    blanks(input, end, input.len(), &parens, &mut pieces);
    pieces.sort_unstable_by_key(|(start, ..)| *start);
    in_characters(input, &pieces)
}

/// Why a term is left out that is no operator.
fn why(term: &Lexeme<'_>, indexed: bool) -> Reason {
    if term.is_operator_word() {
        Reason::SmallWord
    } else if has_token(term.text) {
        Reason::ExcludedFromNothing
    } else if is_symbol(term.text) && indexed {
        Reason::NoToken
    } else if is_symbol(term.text) {
        Reason::ExcludedFromNothing
    } else {
        Reason::Noise
    }
}

/// The operators that join nothing, or of which another one in the row counts.
fn unused_operators(
    tokens: &[Token<'_>],
    is_kept: impl Fn(&Lexeme<'_>) -> bool,
) -> Vec<(usize, usize, Reason)> {
    let mut pieces = Vec::new();
    let mut row: Vec<(&Lexeme<'_>, Op)> = Vec::new();
    // Whether there is something before the row that it can join.
    let mut something_before = false;
    let mut settle = |row: &mut Vec<(&Lexeme<'_>, Op)>, joins: bool| {
        let counts = [Op::Not, Op::Or, Op::And]
            .into_iter()
            .find_map(|op| row.iter().position(|(_, found)| *found == op));
        for (i, (term, _)) in row.drain(..).enumerate() {
            if !joins {
                pieces.push((term.start(), term.end(), Reason::DanglingOperator));
            } else if Some(i) != counts {
                pieces.push((term.start(), term.end(), Reason::StackedOperator));
            }
        }
    };
    for token in tokens {
        match token {
            Token::Term(term) => match term.operator() {
                Some(op) => row.push((term, op)),
                None if is_kept(term) => {
                    settle(&mut row, something_before);
                    something_before = true;
                }
                None => {}
            },
            Token::Open { .. } => {
                settle(&mut row, something_before);
                something_before = false;
            }
            Token::Close { .. } => {
                settle(&mut row, false);
                something_before = true;
            }
        }
    }
    settle(&mut row, false);
    pieces
}

/// What between two terms is neither white space nor a parenthesis of a group.
fn blanks(
    input: &str,
    start: usize,
    end: usize,
    parens: &[usize],
    pieces: &mut Vec<(usize, usize, Reason)>,
) {
    let groups = |at: usize| parens.binary_search(&at).is_ok();
    let between = input.get(start..end).unwrap_or_default();
    for (offset, c) in between.char_indices() {
        let at = start + offset;
        let reason = match c {
            '(' | ')' | '（' | '）' if groups(at) => continue,
            '(' | ')' | '（' | '）' => Reason::Parenthesis,
            '*' => Reason::LoneStar,
            _ if is_quote(c) => Reason::LoneQuote,
            _ if is_special(c) => Reason::Special,
            _ if is_blank(c) && !c.is_whitespace() => Reason::Invisible,
            _ => continue,
        };
        match pieces.last_mut() {
            Some((_, end, before)) if *end == at && *before == reason => *end += c.len_utf8(),
            _ => pieces.push((at, at + c.len_utf8(), reason)),
        }
    }
}

/// The pieces with their text, and their places counted in characters.
fn in_characters(input: &str, pieces: &[(usize, usize, Reason)]) -> Vec<LeftOut> {
    let (mut bytes, mut characters) = (0, 0);
    let mut left_out = Vec::with_capacity(pieces.len());
    for (start, end, reason) in pieces {
        let skipped = input.get(bytes..*start).unwrap_or_default();
        characters += skipped.chars().count();
        bytes = *start;
        left_out.push(LeftOut {
            text: input.get(*start..*end).unwrap_or_default().to_owned(),
            at: characters,
            reason: *reason,
        });
    }
    left_out
}
