//! How much of a text was understood.

use crate::span::Span;

/// How much of a text was understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Coverage {
    /// All of it.
    #[default]
    Full,
    /// What could be read was; at these places the text isn't well formed, or is dynamic code.
    Partial(Vec<Hole>),
    /// The analysis stopped. What comes after the place may be anything.
    NotUnderstood {
        /// Why.
        reason: Limit,
        /// Where.
        span: Span,
    },
}

/// A place that was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hole {
    /// What is the matter.
    pub gap: Gap,
    /// Where.
    pub span: Span,
}

/// What kept a place from being understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Gap {
    /// A quote without its partner.
    UnclosedQuote,
    /// A `` ` `` without its partner.
    UnclosedBacktick,
    /// `$(`, `<(`, `(`, `{`, `${`, `if`, `do` … that is never closed.
    Unclosed,
    /// A here-document whose delimiter never comes.
    UnclosedHereDocument,
    /// A word or sign that no shell expects there.
    Unexpected,
    /// Code of another language that decides at run time what it runs.
    DynamicCode,
}

/// Why the analysis stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// Nested too deeply.
    Depth,
    /// More work than a text of this length is given.
    Work,
}

/// At most so many holes are listed.
const MAX_HOLES: usize = 16;

impl Coverage {
    /// True if everything was understood.
    pub fn is_full(&self) -> bool {
        *self == Self::Full
    }

    /// True if the analysis stopped at a limit.
    pub fn is_not_understood(&self) -> bool {
        matches!(self, Self::NotUnderstood { .. })
    }

    pub(crate) fn hole(&mut self, gap: Gap, span: Span) {
        match self {
            Self::Full => *self = Self::Partial(vec![Hole { gap, span }]),
            Self::Partial(holes) if holes.len() < MAX_HOLES => holes.push(Hole { gap, span }),
            _ => {}
        }
    }

    pub(crate) fn stop(&mut self, reason: Limit, span: Span) {
        if !self.is_not_understood() {
            *self = Self::NotUnderstood { reason, span };
        }
    }
}
