//! Here-documents: several may wait for one newline.

use super::syntax::{HereBody, SourceWord};
use super::{Scanner, Until};
use crate::coverage::Gap;
use crate::span::At;
use crate::word::Quoting;

impl Scanner<'_> {
    /// Notes a here-document whose operator was just read; gives its index.
    pub(super) fn here_document(&mut self, delimiter: &SourceWord, strips_tabs: bool) -> usize {
        let text: String = delimiter
            .pieces
            .iter()
            .map(|piece| self.slice(piece.at))
            .collect();
        // `E\OF` has one quoted piece as well.
        let expands = delimiter
            .pieces
            .iter()
            .all(|piece| piece.quoting == Quoting::None);
        let index = self.heres.len();
        let body = At::new(self.at, self.at);
        self.heres.push(HereBody {
            body,
            expands,
            strips_tabs,
            pieces: Vec::new(),
        });
        self.pending.push((index, text));
        index
    }

    /// Reads the bodies that are waited for; the place is the start of a line, or the end.
    pub(super) fn here_bodies(&mut self) {
        for (index, delimiter) in std::mem::take(&mut self.pending) {
            self.here_body(index, &delimiter);
        }
    }

    fn here_body(&mut self, index: usize, delimiter: &str) {
        let start = self.at;
        let Some((expands, strips_tabs)) =
            self.heres.get(index).map(|h| (h.expands, h.strips_tabs))
        else {
            return;
        };
        let inside_parens = self.open.has(Until::PAREN);
        let (mut body_end, mut next) = (self.end, self.end);
        let mut closed = false;
        let mut line_start = start;
        while line_start < self.end {
            let rest = self.bytes.get(line_start..self.end).unwrap_or(&[]);
            let length = rest.iter().position(|&b| b == b'\n');
            let line_end = line_start + length.unwrap_or(rest.len());
            let line = self.slice(At::new(line_start, line_end));
            let line = if strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            let tail = line.strip_prefix(delimiter);
            // bash also takes `EOF)` for the end, inside `$(…)`.
            let before_paren =
                inside_parens && tail.is_some_and(|tail| tail.trim_start().starts_with(')'));
            if tail == Some("") || before_paren {
                (body_end, closed) = (line_start, true);
                next = line_end - tail.map_or(0, str::len);
                if length.is_some() && !before_paren {
                    next += 1;
                }
                break;
            }
            line_start = if length.is_some() {
                line_end + 1
            } else {
                self.end
            };
        }
        if !closed {
            self.fault(Gap::UnclosedHereDocument, start.min(self.end));
        }
        let body = At::new(start, body_end);
        let pieces = if expands {
            self.expanding(body)
        } else {
            Vec::new()
        };
        self.at = next;
        if let Some(here) = self.heres.get_mut(index) {
            here.body = body;
            here.pieces = pieces;
        }
    }
}
