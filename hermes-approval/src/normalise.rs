//! The text a person would see, with a map back to the bytes that were handed in.
//!
//! Terminal sequences, controls and characters that can't be seen are taken out, and letters that
//! only look like ASCII are folded (NFKC). A fold never makes shell syntax: `；` in a message is
//! a character to every shell, so it stays one here.
//!
//! What a shell reads may differ from what a person sees (an invisible character in front of `#`
//! makes a word of a comment). [`as_typed`] is that other reading; the analysis looks at both.

mod escape;
mod unseen;

use std::borrow::Cow;

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::span::{Segment, Span, SpanMap};

/// Something that was taken out or folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    /// What it is.
    pub kind: HiddenKind,
    /// Where it stands in the original.
    pub span: Span,
}

/// What the normaliser took out or folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HiddenKind {
    /// A terminal control sequence (CSI, OSC, DCS and the like).
    Escape,
    /// A control character.
    Control,
    /// A NUL.
    Nul,
    /// A character without width: zero-width space, soft hyphen, tag, variation selector …
    Invisible,
    /// A mark that turns the writing direction.
    Bidi,
    /// A space other than the usual one.
    Space,
    /// A letter, digit or sign folded to the ASCII that it looks like.
    Lookalike,
    /// A carriage return that ended a line.
    CarriageReturn,
}

/// A text after normalisation.
#[derive(Debug, Clone)]
pub struct Normalised<'t> {
    text: Cow<'t, str>,
    map: SpanMap,
    hidden: Vec<Hidden>,
}

impl<'t> Normalised<'t> {
    /// The text that is analysed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the original that a stretch of the normalised text stands for.
    pub fn original(&self, start: usize, end: usize) -> Span {
        self.map.original(crate::span::At::new(start, end))
    }

    /// What was taken out or folded, in order; neighbours of one kind are one entry.
    pub fn hidden(&self) -> &[Hidden] {
        &self.hidden
    }

    /// True if the text is the original itself.
    pub fn is_unchanged(&self) -> bool {
        matches!(self.text, Cow::Borrowed(_))
    }

    pub(crate) fn into_parts(self) -> (Cow<'t, str>, SpanMap, Vec<Hidden>) {
        (self.text, self.map, self.hidden)
    }
}

/// Normalises a text. One pass; text of printable ASCII is not copied.
pub fn normalise(text: &str) -> Normalised<'_> {
    if is_plain(text) {
        return Normalised {
            text: Cow::Borrowed(text),
            map: SpanMap::Offset(0),
            hidden: Vec::new(),
        };
    }
    Writer::new(text, Reading::AsSeen).run()
}

/// The other reading: what a shell gets, byte for byte, but for what it drops itself.
pub(crate) fn as_typed(text: &str) -> Normalised<'_> {
    Writer::new(text, Reading::AsTyped).run()
}

fn is_plain(text: &str) -> bool {
    // `fold` instead of `all`: without an early exit the compiler makes SIMD of it.
    text.as_bytes().chunks(256).all(|chunk| {
        chunk
            .iter()
            .fold(true, |ok, &b| ok & matches!(b, b' '..=b'~' | b'\n' | b'\t'))
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    AsSeen,
    AsTyped,
}

struct Writer<'t> {
    text: &'t str,
    reading: Reading,
    out: String,
    segments: Vec<Segment>,
    hidden: Vec<Hidden>,
    /// Start of the stretch that is copied as it is.
    copied: usize,
    ends: escape::Ends,
    scratch: String,
}

impl<'t> Writer<'t> {
    fn new(text: &'t str, reading: Reading) -> Self {
        Self {
            text,
            reading,
            out: String::with_capacity(text.len()),
            segments: Vec::new(),
            hidden: Vec::new(),
            copied: 0,
            ends: escape::Ends::default(),
            scratch: String::new(),
        }
    }

    fn run(mut self) -> Normalised<'t> {
        let mut at = 0;
        while let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) {
            at = match c {
                ' '..='~' | '\n' | '\t' => at + 1,
                '\0' => self.drop(HiddenKind::Nul, at, at + 1),
                '\r' => self.carriage_return(at),
                _ if self.reading == Reading::AsTyped => at + c.len_utf8(),
                _ if is_common(c)
                    && self.text.get(at + c.len_utf8()..).is_some_and(is_unmarked) =>
                {
                    at + c.len_utf8()
                }
                _ => self.unusual(c, at),
            };
        }
        self.flush(at);
        Normalised {
            text: Cow::Owned(self.out),
            map: SpanMap::Segments(self.segments),
            hidden: self.hidden,
        }
    }

    fn unusual(&mut self, c: char, at: usize) -> usize {
        let end = at + c.len_utf8();
        match c {
            '\u{1b}' | '\u{80}'..='\u{9f}' => {
                let end = self.ends.sequence_end(self.text, at);
                return self.drop(HiddenKind::Escape, at, end);
            }
            // Vertical tab and form feed look like blanks; shells read them as part of a word.
            '\u{b}' | '\u{c}' => return self.put(HiddenKind::Space, at, end, " "),
            '\u{1}'..='\u{1f}' | '\u{7f}' => return self.drop(HiddenKind::Control, at, end),
            _ => {}
        }
        match unseen::class(c) {
            Some(unseen::Class::Invisible) => self.drop(HiddenKind::Invisible, at, end),
            Some(unseen::Class::Bidi) => self.drop(HiddenKind::Bidi, at, end),
            Some(unseen::Class::Space) => self.put(HiddenKind::Space, at, end, " "),
            Some(unseen::Class::Dash) => self.put(HiddenKind::Lookalike, at, end, "-"),
            Some(unseen::Class::Slash) => self.put(HiddenKind::Lookalike, at, end, "/"),
            None => self.compatibility(at),
        }
    }

    /// One base character and its marks. The base is never ASCII: a mark on `>` doesn't keep a
    /// shell from redirecting.
    fn compatibility(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or("");
        let mut ahead = rest.chars();
        let first = ahead.next();
        let marked = ahead
            .next()
            .is_some_and(|c| !c.is_ascii() && canonical_combining_class(c) != 0);
        if !marked && is_nfkc_quick(first.into_iter()) == IsNormalized::Yes {
            return at + first.map_or(0, char::len_utf8);
        }
        let marks = rest
            .char_indices()
            .skip(1)
            .take(MAX_MARKS)
            .take_while(|&(_, c)| !c.is_ascii() && canonical_combining_class(c) != 0);
        let end = at
            + marks.last().map_or_else(
                || rest.chars().next().map_or(0, char::len_utf8),
                |(i, c)| i + c.len_utf8(),
            );
        let cluster = self.text.get(at..end).unwrap_or("");
        let mut folded = std::mem::take(&mut self.scratch);
        folded.clear();
        if !marked {
            // The usual case by far: one character that stands for ASCII.
            decompose_compatible(first.unwrap_or_default(), |c| folded.push(c));
        }
        if marked || !folded.is_ascii() {
            folded.clear();
            folded.extend(cluster.nfkc());
        }
        let end = self.folded(&folded, cluster, at, end);
        self.scratch = folded;
        end
    }

    fn folded(&mut self, folded: &str, cluster: &str, at: usize, end: usize) -> usize {
        if folded == cluster || folded.bytes().any(is_syntax) {
            return end;
        }
        if folded.bytes().any(|b| b.is_ascii()) {
            return self.put(HiddenKind::Lookalike, at, end, folded);
        }
        self.flush(at);
        self.segments.push(Segment {
            from: self.out.len(),
            to: Span::new(at, end),
            exact: false,
        });
        self.out.push_str(folded);
        self.copied = end;
        end
    }

    fn carriage_return(&mut self, at: usize) -> usize {
        let before_newline = self.text.as_bytes().get(at + 1) == Some(&b'\n');
        match self.reading {
            // A shell takes `\` + CR for a character, and the newline then ends the command.
            Reading::AsTyped => {
                let escaped = at > 0 && self.text.as_bytes().get(at - 1) == Some(&b'\\');
                if escaped || !before_newline {
                    at + 1
                } else {
                    self.drop(HiddenKind::CarriageReturn, at, at + 1)
                }
            }
            Reading::AsSeen if before_newline => self.drop(HiddenKind::CarriageReturn, at, at + 1),
            // A terminal makes a newline of it.
            Reading::AsSeen => self.put(HiddenKind::CarriageReturn, at, at + 1, "\n"),
        }
    }

    fn drop(&mut self, kind: HiddenKind, at: usize, end: usize) -> usize {
        self.put(kind, at, end, "")
    }

    fn put(&mut self, kind: HiddenKind, at: usize, end: usize, text: &str) -> usize {
        self.flush(at);
        if !text.is_empty() {
            self.segments.push(Segment {
                from: self.out.len(),
                to: Span::new(at, end),
                exact: false,
            });
            self.out.push_str(text);
        }
        self.copied = end;
        match self.hidden.last_mut() {
            Some(last) if last.kind == kind && last.span.end == at => last.span.end = end,
            _ => self.hidden.push(Hidden {
                kind,
                span: Span::new(at, end),
            }),
        }
        end
    }

    fn flush(&mut self, upto: usize) {
        if let Some(kept) = self
            .text
            .get(self.copied..upto)
            .filter(|kept| !kept.is_empty())
        {
            self.segments.push(Segment {
                from: self.out.len(),
                to: Span::new(self.copied, upto),
                exact: true,
            });
            self.out.push_str(kept);
        }
        self.copied = upto;
    }
}

/// Letters of the usual scripts that NFKC leaves alone: a short way, nothing more.
fn is_common(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{12f}' | '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{3ce}'
        | '\u{400}'..='\u{481}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// True if a text doesn't start with a mark on the character before it.
fn is_unmarked(rest: &str) -> bool {
    rest.chars()
        .next()
        .is_none_or(|c| c.is_ascii() || is_common(c))
}

/// Marks on one character that are normalised together; more are taken one by one.
const MAX_MARKS: usize = 16;

fn is_syntax(b: u8) -> bool {
    matches!(
        b,
        b' ' | b'\n'
            | b'\t'
            | b';'
            | b'&'
            | b'|'
            | b'<'
            | b'>'
            | b'('
            | b')'
            | b'$'
            | b'`'
            | b'\\'
            | b'"'
            | b'\''
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b'?'
            | b'!'
            | b'#'
            | b'='
            | b'%'
            | b'^'
    )
}
