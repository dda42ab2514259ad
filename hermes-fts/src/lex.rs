//! From text to lexemes: words and quoted phrases, and what stands between them.

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
}

impl Lexeme<'_> {
    /// The operator this is, if it is one wherever it stands: only upper case counts.
    pub(crate) fn operator(&self) -> Option<Op> {
        let ops = [Op::And, Op::Or, Op::Not];
        let is_word = self.kind == TermKind::Word && !self.prefix;
        ops.into_iter()
            .find(|op| is_word && op.as_str() == self.text)
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
    /// phrase; here they would be demanded.
    pub(crate) fn literal(&self) -> &str {
        self.text.trim_matches(is_blank)
    }

    /// True if a blank, or what counts as one, stands before.
    pub(crate) fn is_apart(&self) -> bool {
        self.lead.chars().any(|c| c != '*')
    }
}

/// Cuts the text into lexemes. Linear: every character is looked at a bounded number of times.
pub(crate) fn lex(input: &str) -> Vec<Lexeme<'_>> {
    let mut lexemes = Vec::new();
    let (mut lead_start, mut at) = (0, 0);
    while let Some(rest) = input.get(at..).filter(|rest| !rest.is_empty()) {
        let (kind, open, text) = match phrase(rest) {
            Some(inside) => (TermKind::Phrase, 1, inside),
            None => (TermKind::Word, 0, word(rest)),
        };
        if kind == TermKind::Word && text.is_empty() {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let lead = input.get(lead_start..at).unwrap_or_default();
        at += text.len() + 2 * open;
        let prefix = input.get(at..).is_some_and(|rest| rest.starts_with('*'));
        at += usize::from(prefix);
        lead_start = at;
        lexemes.push(Lexeme {
            lead,
            text,
            kind,
            prefix,
        });
    }
    lexemes
}

/// The inside of the quoted phrase at the start of the text. A quote without a partner is a
/// blank; it is the last one, so the search for a partner fails once.
fn phrase(rest: &str) -> Option<&str> {
    let (inside, _) = rest.strip_prefix('"')?.split_once('"')?;
    Some(inside)
}

/// The word at the start of the text; empty if it starts with something else.
fn word(rest: &str) -> &str {
    let ends = |c| matches!(c, '"' | '*') || is_special(c) || is_blank(c);
    rest.split(ends).next().unwrap_or_default()
}

/// True for what separates words even without a blank: the characters with a meaning in FTS5.
/// A colon is one of them, so that a column filter can't be written.
pub(crate) fn is_special(c: char) -> bool {
    matches!(c, '+' | '{' | '}' | '(' | ')' | '^' | ':')
}

/// True for white space, control characters (NUL too), and marks that can't be seen: zero-width
/// space, byte order mark, writing direction. The index keeps none of them.
pub(crate) fn is_blank(c: char) -> bool {
    if c.is_ascii() {
        return c <= ' ' || c == '\u{7F}';
    }
    let invisible = matches!(
        c,
        '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{FEFF}'
    );
    c.is_whitespace() || c.is_control() || invisible
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(input: &str) -> Vec<&str> {
        lex(input).iter().map(|lexeme| lexeme.text).collect()
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
        let stars = |input| lex(input).iter().map(|l| l.prefix).collect::<Vec<_>>();
        assert_eq!(
            stars("a* b *c \"d\"** e+*f"),
            [true, false, false, true, false, false]
        );
    }

    #[test]
    fn the_lead_is_what_stands_between_two_lexemes() {
        let leads: Vec<_> = lex(" a (b**\"c\"").iter().map(|l| l.lead).collect();
        assert_eq!(leads, [" ", " (", "*"]);
    }

    #[test]
    fn a_word_with_a_star_is_no_operator() {
        assert!(lex("AND").iter().all(|l| l.operator() == Some(Op::And)));
        assert!(
            lex("AND* and \"AND\"")
                .iter()
                .all(|l| l.operator().is_none())
        );
    }
}
