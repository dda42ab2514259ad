//! From text to tokens: words, quoted phrases and parentheses, and what stands between them.

use alloc::vec::Vec;

use crate::blank::{is_blank, is_plain, is_special};
use crate::quote::{self, Quotes};
use crate::term::TermKind;

/// One word or quoted phrase, borrowed from the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lexeme<'a> {
    /// All that stands between the lexeme before and this one.
    pub(crate) lead: &'a str,
    /// The word, or what is inside the quotes.
    pub(crate) text: &'a str,
    pub(crate) kind: TermKind,
    /// A star follows without a blank between.
    pub(crate) prefix: bool,
    /// Where it begins in the input, in bytes; at its quote if it has one. Small, for there are
    /// many of them; of no input so much is read that it does not fit.
    pub(crate) at: u32,
    /// The bytes of its quotes and its star.
    pub(crate) marks: u8,
}

/// What a query is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Term(Lexeme<'a>),
    /// An opening parenthesis. One that touches the word before, as in `f(x)`, belongs to the text.
    Open {
        at: usize,
        glued: bool,
    },
    Close {
        at: usize,
    },
}

/// An operator of the query language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    And,
    Or,
    Not,
}

impl Op {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Op::And => "AND",
            Op::Or => "OR",
            Op::Not => "NOT",
        }
    }

    /// The operator that is written so: in upper case, as wide as an ASCII letter or full-width.
    fn of(text: &str) -> Option<Op> {
        if text.len() > "ＡＮＤ".len() {
            return None;
        }
        match text {
            "AND" | "ＡＮＤ" => Some(Op::And),
            "OR" | "ＯＲ" => Some(Op::Or),
            "NOT" | "ＮＯＴ" => Some(Op::Not),
            _ => None,
        }
    }
}

impl Lexeme<'_> {
    /// Where it begins in the input, in bytes, with its quote.
    pub(crate) fn start(&self) -> usize {
        usize::try_from(self.at).unwrap_or(usize::MAX)
    }

    /// Where it ends, with its quote and its star.
    pub(crate) fn end(&self) -> usize {
        self.start() + self.text.len() + usize::from(self.marks)
    }

    /// The operator this is, if it is one wherever it stands: only upper case counts.
    pub(crate) fn operator(&self) -> Option<Op> {
        let is_word = self.kind == TermKind::Word && !self.prefix;
        if is_word { Op::of(self.text) } else { None }
    }

    /// True for and, or, not in any case: at either end of a query such a word is taken for a
    /// slip or for the small word of a sentence.
    pub(crate) fn is_operator_word(&self) -> bool {
        let is_word = self.kind == TermKind::Word && !self.prefix;
        is_word
            && ["and", "or", "not"]
                .iter()
                .any(|op| self.text.eq_ignore_ascii_case(op))
    }

    /// The text as it is looked for by substring. The word index ignores blanks at the ends of a
    /// phrase, and ASCII quotes inside of other ones, which become blanks; here they would be
    /// demanded.
    pub(crate) fn literal(&self) -> &str {
        match self.kind {
            // A blank or a quote would have ended it.
            TermKind::Word => self.text,
            TermKind::Phrase => self.text.trim_matches(|c| is_blank(c) || c == '"'),
        }
    }

    /// True if a blank, or what counts as one, stands before.
    pub(crate) fn is_apart(&self) -> bool {
        self.lead.chars().any(|c| c != '*')
    }
}

/// Cuts the text into tokens. Linear: every character is looked at a bounded number of times.
pub(crate) fn lex(input: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity((input.len() / 6 + 4).min(24));
    let mut quotes = Quotes::default();
    let (mut lead_start, mut at) = (0, 0);
    // Full-width parentheses that stand apart and wait for their partner.
    let mut wide = 0_usize;
    while let Some(rest) = input.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or_default();
        match first {
            ' ' => {}
            '(' => tokens.push(Token::Open {
                at,
                glued: at == lead_start && ends_in_word(&tokens),
            }),
            ')' => tokens.push(Token::Close { at }),
            '（' => {
                tokens.push(Token::Open { at, glued: false });
                wide += 1;
            }
            '）' if wide > 0 => {
                tokens.push(Token::Close { at });
                wide -= 1;
            }
            _ => {
                if let Some(term) = term(rest, &mut quotes, wide > 0) {
                    tokens.push(Token::Term(Lexeme {
                        lead: input.get(lead_start..at).unwrap_or_default(),
                        text: term.text,
                        kind: term.kind,
                        prefix: term.prefix,
                        at: u32::try_from(at).unwrap_or(u32::MAX),
                        marks: u8::try_from(term.len - term.text.len()).unwrap_or(u8::MAX),
                    }));
                    at += term.len;
                    lead_start = at;
                    continue;
                }
            }
        }
        at += first.len_utf8();
    }
    tokens
}

/// True if the last token is a word that an opening parenthesis can belong to.
fn ends_in_word(tokens: &[Token<'_>]) -> bool {
    matches!(tokens.last(), Some(Token::Term(lexeme))
        if lexeme.kind == TermKind::Word && !lexeme.prefix && lexeme.operator().is_none())
}

/// A word or phrase at the start of a text.
struct Head<'a> {
    text: &'a str,
    kind: TermKind,
    prefix: bool,
    /// All it takes up, quotes and star included.
    len: usize,
}

fn term<'a>(rest: &'a str, quotes: &mut Quotes, in_wide: bool) -> Option<Head<'a>> {
    let (text, kind, len) = match quotes.phrase(rest) {
        Some(phrase) => (phrase.inside, TermKind::Phrase, phrase.len),
        None => {
            let text = word(rest, in_wide);
            (text, TermKind::Word, text.len())
        }
    };
    let star = rest.get(len..).is_some_and(|rest| rest.starts_with('*'));
    // The full-width star is a star at the end of a word only; elsewhere it is text.
    let wide_star = text
        .strip_suffix('＊')
        .filter(|text| kind == TermKind::Word && !text.is_empty() && !text.ends_with('＊'));
    (kind == TermKind::Phrase || !text.is_empty()).then(|| Head {
        text: wide_star.unwrap_or(text),
        kind,
        prefix: star || wide_star.is_some(),
        len: len + usize::from(star),
    })
}

/// The word at the start of the text; empty if it starts with something else. Where a full-width
/// parenthesis is open, its partner ends the word.
fn word(rest: &str, in_wide: bool) -> &str {
    // Nearly every word is all ASCII.
    let ascii = rest
        .bytes()
        .position(|b| !b.is_ascii() || ends_word(b))
        .unwrap_or(rest.len());
    if rest.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return rest.get(..ascii).unwrap_or_default();
    }
    let mut inner = 0_usize;
    let ends = |c: char| match c {
        c if c.is_ascii() => u8::try_from(c).is_ok_and(ends_word),
        _ if is_plain(c) => false,
        '（' => {
            inner += 1;
            false
        }
        '）' if inner > 0 => {
            inner -= 1;
            false
        }
        '）' => in_wide,
        _ => is_blank(c) || quote::is_double(c),
    };
    rest.split(ends).next().unwrap_or_default()
}

/// True for an ASCII character that is no part of a word.
fn ends_word(byte: u8) -> bool {
    let c = char::from(byte);
    matches!(c, '"' | '*') || is_special(c) || is_blank(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexemes(input: &str) -> Vec<Lexeme<'_>> {
        let term = |token| match token {
            Token::Term(lexeme) => Some(lexeme),
            _ => None,
        };
        lex(input).into_iter().filter_map(term).collect()
    }

    fn texts(input: &str) -> Vec<&str> {
        lexemes(input).iter().map(|lexeme| lexeme.text).collect()
    }

    #[test]
    fn words_end_at_blanks_and_special_characters() {
        assert_eq!(texts("a-b (c:d)\u{3000}é\0f"), ["a-b", "c", "d", "é", "f"]);
    }

    #[test]
    fn quotes_pair_from_the_left_and_a_single_one_is_a_blank() {
        assert_eq!(texts("a\"b c\"d\"e"), ["a", "b c", "d", "e"]);
    }

    #[test]
    fn a_star_belongs_to_the_word_it_touches() {
        let stars = |input| lexemes(input).iter().map(|l| l.prefix).collect::<Vec<_>>();
        assert_eq!(
            stars("a* b *c \"d\"** e+*f"),
            [true, false, false, true, false, false]
        );
        assert_eq!(stars("a＊ b＊c ＊d ＊"), [true, false, false, false]);
        assert_eq!(texts("a＊ b＊c ＊d ＊"), ["a", "b＊c", "＊d", "＊"]);
    }

    #[test]
    fn the_lead_is_what_stands_between_two_lexemes() {
        let leads: Vec<_> = lexemes(" a (b**\"c\"").iter().map(|l| l.lead).collect();
        assert_eq!(leads, [" ", " (", "*"]);
    }

    #[test]
    fn a_word_with_a_star_is_no_operator() {
        let ops = |input| {
            lexemes(input)
                .iter()
                .map(|l| l.operator())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            ops("AND ＯＲ NOT"),
            [Some(Op::And), Some(Op::Or), Some(Op::Not)]
        );
        assert_eq!(ops("AND* and \"AND\" OR＊"), [None; 4]);
    }

    #[test]
    fn a_parenthesis_touches_a_word_or_stands_apart() {
        let opens = |input| {
            let glued = |token| match token {
                Token::Open { glued, .. } => Some(glued),
                _ => None,
            };
            lex(input).into_iter().filter_map(glued).collect::<Vec<_>>()
        };
        assert_eq!(
            opens("f(a) (b NOT(c \"d\"(e f*("),
            [true, false, false, false, false]
        );
    }

    #[test]
    fn full_width_parentheses_count_where_they_stand_apart() {
        assert_eq!(texts("（a f（x） b）c"), ["a", "f（x）", "b", "c"]);
        assert_eq!(texts("f（x） ）"), ["f（x）", "）"]);
    }
}
