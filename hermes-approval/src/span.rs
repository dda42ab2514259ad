//! Where something stands in the text, in bytes.

/// A stretch of the text that was handed in, as byte offsets: `start..end`.
///
/// Always on character boundaries of that text and inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from its two ends; an end before the start gives an empty span.
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// True if it covers nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest span that covers both.
    pub fn cover(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The text that it covers; empty if it doesn't fit the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

/// A stretch of the text being scanned, which may be a script inside another text. A type of its
/// own, so that it can't be taken for a [`Span`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct At {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl At {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

/// How a scanned text lies in the original.
#[derive(Debug, Clone)]
pub(crate) enum SpanMap {
    /// Byte for byte, from this offset on.
    Offset(usize),
    /// In pieces.
    Segments(Vec<Segment>),
    /// It was made (decoded, joined, expanded): all of it stands for this span.
    Whole(Span),
}

/// A piece of a changed text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    /// First byte in the changed text; the piece ends where the next one starts.
    pub(crate) from: usize,
    pub(crate) to: Span,
    /// Byte for byte the same; otherwise the piece as a whole stands for `to`.
    pub(crate) exact: bool,
}

impl SpanMap {
    /// The span of the original that a stretch of the scanned text comes from.
    pub(crate) fn original(&self, at: At) -> Span {
        match self {
            Self::Offset(by) => Span::new(at.start + by, at.end + by),
            Self::Whole(span) => *span,
            Self::Segments(segments) => {
                let start = locate(segments, at.start).map_or(0, |s| s.start_of(at.start));
                if at.end == at.start {
                    return Span::new(start, start);
                }
                let end = locate(segments, at.end - 1).map_or(start, |s| s.end_of(at.end));
                Span::new(start, end)
            }
        }
    }

    /// The offset in the original, if the stretch is there byte for byte.
    pub(crate) fn verbatim(&self, at: At) -> Option<usize> {
        match self {
            Self::Offset(by) => Some(at.start + by),
            Self::Whole(_) => None,
            Self::Segments(segments) => {
                let first = locate(segments, at.start)?;
                let last = locate(segments, at.end.saturating_sub(1).max(at.start))?;
                (first.exact && first.from == last.from).then(|| first.start_of(at.start))
            }
        }
    }
}

impl Segment {
    fn start_of(&self, at: usize) -> usize {
        if self.exact {
            self.to.start + (at - self.from)
        } else {
            self.to.start
        }
    }

    fn end_of(&self, end: usize) -> usize {
        if self.exact {
            self.to.start + (end - self.from)
        } else {
            self.to.end
        }
    }
}

fn locate(segments: &[Segment], at: usize) -> Option<&Segment> {
    let after = segments.partition_point(|s| s.from <= at);
    segments.get(after.checked_sub(1)?)
}

impl SpanMap {
    /// The map of a stretch, as a text of its own.
    pub(crate) fn part(&self, at: At) -> Self {
        match self.verbatim(at) {
            Some(offset) => Self::Offset(offset),
            None => Self::Whole(self.original(at)),
        }
    }
}
