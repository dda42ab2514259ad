//! What is searched for: a word or a phrase.

use alloc::borrow::ToOwned;
use alloc::string::String;

use crate::lex::Lexeme;

/// How a term was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TermKind {
    /// A run of characters without blanks.
    Word,
    /// A text in quotes.
    Phrase,
}

/// One thing to look for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    text: String,
    kind: TermKind,
    prefix: bool,
}

impl Term {
    /// The word as typed, or the inside of the quotes without blanks at its ends. Holds neither
    /// a double quote nor NUL, and is never empty.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it was typed as a word or as a phrase.
    #[must_use]
    pub fn kind(&self) -> TermKind {
        self.kind
    }

    /// True if a star followed: the last word of the text may go on. It means nothing where
    /// texts are compared by substring, on the trigram index and in a scan.
    #[must_use]
    pub fn is_prefix(&self) -> bool {
        self.prefix
    }
}

impl From<&Lexeme<'_>> for Term {
    fn from(lexeme: &Lexeme<'_>) -> Self {
        let literal = lexeme.literal();
        let text = match lexeme.kind {
            TermKind::Phrase => literal.replace(['\0', '"'], " "),
            TermKind::Word => literal.to_owned(),
        };
        Term {
            text,
            kind: lexeme.kind,
            prefix: lexeme.prefix,
        }
    }
}
