//! Putting a word together from pieces.

use super::{Certainty, Part, PartKind, Quoted, Quoting, Unknown, Word};
use crate::span::Span;

/// A word in the making.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub(crate) text: String,
    parts: Vec<Part>,
    alternatives: Vec<String>,
    quoted: bool,
    unquoted: bool,
    unknown: bool,
    /// There is a word, even if it is empty.
    pub(crate) started: bool,
}

/// A word may be one of so many things.
pub(crate) const MAX_ALTERNATIVES: usize = 16;

impl Builder {
    /// Text that is known.
    pub(crate) fn literal(&mut self, text: &str, quoting: Quoting) {
        self.note(quoting);
        let start = self.text.len();
        self.text.push_str(text);
        for alternative in &mut self.alternatives {
            alternative.push_str(text);
        }
        match self.parts.last_mut() {
            Some(last) if last.kind == PartKind::Literal && last.quoting == quoting => {
                last.end = self.text.len()
            }
            _ => self.part(PartKind::Literal, quoting, start),
        }
    }

    /// Unquoted text in which file name patterns count.
    pub(crate) fn pattern(&mut self, text: &str) {
        if !text.bytes().any(is_glob) {
            return self.literal(text, Quoting::None);
        }
        let mut rest = text;
        // The last `]`: a bracket behind it is a character.
        let last_close = text.rfind(']').unwrap_or(0);
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '*' | '?' => 1,
                '[' if text.len() - rest.len() < last_close => {
                    rest.find(']').map_or(0, |close| close + 1)
                }
                _ => 0,
            };
            if length > 0 {
                let (glob, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
                self.note(Quoting::None);
                let start = self.text.len();
                self.text.push_str(glob);
                for alternative in &mut self.alternatives {
                    alternative.push_str(glob);
                }
                self.part(PartKind::Glob, Quoting::None, start);
                rest = after;
                continue;
            }
            let next = rest
                .char_indices()
                .skip(1)
                .find(|&(_, c)| c.is_ascii() && is_glob(c as u8))
                .map_or(rest.len(), |(i, _)| i);
            let (plain, after) = rest.split_at_checked(next).unwrap_or((rest, ""));
            self.literal(plain, Quoting::None);
            rest = after;
        }
    }

    pub(crate) fn unknown(&mut self, unknown: Unknown, quoting: Quoting) {
        self.note(quoting);
        self.unknown = true;
        let start = self.text.len();
        self.part(PartKind::Unknown(unknown), quoting, start);
    }

    /// One of several texts.
    pub(crate) fn one_of(&mut self, values: &[String], quoting: Quoting) {
        self.note(quoting);
        let start = self.text.len();
        let heads = if self.alternatives.is_empty() {
            vec![self.text.clone()]
        } else {
            std::mem::take(&mut self.alternatives)
        };
        self.alternatives = heads
            .iter()
            .flat_map(|head| values.iter().map(move |value| format!("{head}{value}")))
            .take(MAX_ALTERNATIVES)
            .collect();
        self.text
            .push_str(values.first().map_or("", String::as_str));
        self.part(PartKind::OneOf, quoting, start);
    }

    fn part(&mut self, kind: PartKind, quoting: Quoting, start: usize) {
        self.parts.push(Part {
            kind,
            quoting,
            start,
            end: self.text.len(),
        });
    }

    fn note(&mut self, quoting: Quoting) {
        self.started = true;
        if quoting == Quoting::None {
            self.unquoted = true;
        } else {
            self.quoted = true;
        }
    }

    /// The whole text, if all of it is known.
    pub(crate) fn known(&self) -> Option<&str> {
        (!self.unknown && self.alternatives.is_empty()).then_some(self.text.as_str())
    }

    pub(crate) fn has_glob(&self) -> bool {
        self.parts.iter().any(|part| part.kind == PartKind::Glob)
    }

    pub(crate) fn finish(self, raw: &str, span: Span, verbatim: Option<usize>) -> Word {
        let certainty = match (self.unknown, self.alternatives.is_empty()) {
            (false, true) => Certainty::Known,
            (true, true) if self.text.is_empty() => Certainty::Unknown,
            _ => Certainty::Partial,
        };
        Word {
            span,
            quoted: match (self.quoted, self.unquoted) {
                (true, true) => Quoted::Some,
                (true, false) => Quoted::All,
                (false, _) => Quoted::None,
            },
            certainty,
            raw: (raw != self.text).then(|| raw.into()),
            text: self.text,
            parts: self.parts,
            alternatives: self.alternatives,
            verbatim,
        }
    }
}

pub(crate) fn is_glob(b: u8) -> bool {
    matches!(b, b'*' | b'?' | b'[')
}
