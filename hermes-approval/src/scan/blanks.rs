//! What stands between words: blanks, line continuations, comments, newlines.

use super::Scanner;

impl Scanner<'_> {
    /// Skips blanks and line continuations, not newlines.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.look(1) == Some(b'\n') => self.at += 2,
                _ => return,
            }
        }
    }

    /// Skips blanks, comments and newlines; a newline reads the here-documents that wait for it.
    pub(super) fn gap(&mut self) {
        loop {
            self.blanks();
            match self.peek() {
                Some(b'\n') => self.newline(),
                Some(b'#') => self.comment(),
                _ => return,
            }
        }
    }

    pub(super) fn newline(&mut self) {
        self.at += 1;
        self.here_bodies();
    }

    /// To the end of the line; a backslash there doesn't continue it.
    pub(super) fn comment(&mut self) {
        let rest = self.bytes.get(self.at..self.end).unwrap_or(&[]);
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }
}
