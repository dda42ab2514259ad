//! What is searched for: a word or a phrase.

use alloc::borrow::ToOwned;
use alloc::string::String;

use crate::lex::Lexeme;
use crate::plan::{Lookup, SHORTEST};
use crate::render::push_quoted;
use crate::script::is_unspaced;
use crate::token_chars::has_token;

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
    lookup: Lookup,
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

    /// Where it is looked up.
    #[must_use]
    pub fn lookup(&self) -> Lookup {
        self.lookup
    }

    /// The FTS5 expression for this term alone, in the index of its [`lookup`](Self::lookup). The
    /// trigram index finds nothing by that of a [`Lookup::Short`].
    #[must_use]
    pub fn expression(&self) -> String {
        let mut expression = String::with_capacity(self.text.len() + 3);
        push_quoted(&mut expression, &self.text);
        if self.prefix && self.lookup == Lookup::Words {
            expression.push('*');
        }
        expression
    }

    /// `by_substring`: the query it belongs to has a term of which no words can be made.
    pub(crate) fn of(lexeme: &Lexeme<'_>, by_substring: bool) -> Self {
        let literal = lexeme.literal();
        let text = match lexeme.kind {
            TermKind::Phrase => literal.replace(['\0', '"'], " "),
            TermKind::Word => literal.to_owned(),
        };
        Term {
            lookup: lookup(&text, by_substring),
            text,
            kind: lexeme.kind,
            prefix: lexeme.prefix,
        }
    }
}

fn lookup(text: &str, by_substring: bool) -> Lookup {
    if !by_substring {
        Lookup::Words
    } else if text.chars().count() >= SHORTEST {
        Lookup::Trigram
    } else if text.chars().any(is_unspaced) || !has_token(text) {
        Lookup::Short
    } else {
        Lookup::Words
    }
}
