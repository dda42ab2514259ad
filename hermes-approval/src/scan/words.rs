//! Words and their quoting.

use super::syntax::{Piece, PieceKind, SourceWord};
use super::{Scanner, is_meta, is_name, is_name_start};
use crate::coverage::Gap;
use crate::span::At;
use crate::word::Quoting;

/// What ends a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Normal,
    /// Inside `[[ … ]]`, operators are words like any other.
    Test,
    /// The word of `${x:-word}`: up to `}`.
    Brace,
}

impl Scanner<'_> {
    /// A word, if one starts here.
    pub(super) fn word(&mut self, mode: Mode) -> Option<SourceWord> {
        let start = self.at;
        let mut pieces = Vec::with_capacity(1);
        self.pieces(mode, false, &mut pieces);
        (self.at > start).then(|| SourceWord {
            at: At::new(start, self.at),
            pieces,
        })
    }

    /// Pieces up to what ends the word. `quoted`: the word is part of a `"…"`.
    pub(super) fn pieces(&mut self, mode: Mode, quoted: bool, pieces: &mut Vec<Piece>) {
        let base = if quoted {
            Quoting::Double
        } else {
            Quoting::None
        };
        let start = self.at;
        let mut run = self.at;
        while let Some(byte) = self.peek() {
            let at = self.at;
            match byte {
                b'\\' => {
                    self.text_piece(run, at, base, pieces);
                    self.at += 1;
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                    } else if self.peek().is_some() {
                        let escaped = self.at;
                        self.step();
                        self.text_piece(escaped, self.at, Quoting::Escaped, pieces);
                    } else {
                        // A last backslash stands for itself.
                        self.text_piece(at, self.at, Quoting::Escaped, pieces);
                    }
                    run = self.at;
                }
                b'\'' if !self.plain.single && !quoted => {
                    self.text_piece(run, at, base, pieces);
                    self.single_quoted(pieces);
                    run = self.at;
                }
                b'"' if !self.plain.double => {
                    self.text_piece(run, at, base, pieces);
                    self.double_quoted(pieces);
                    run = self.at;
                }
                b'`' if !self.plain.backtick => {
                    self.text_piece(run, at, base, pieces);
                    self.backtick(base, pieces);
                    run = self.at;
                }
                b'$' => {
                    if let Some(piece) = self.dollar_after(run, base, pieces) {
                        pieces.extend(piece);
                        run = self.at;
                    } else {
                        self.at = (at + 1).min(self.end);
                    }
                }
                b'}' if mode == Mode::Brace => break,
                b'<' | b'>' if mode != Mode::Brace && self.look(1) == Some(b'(') => {
                    self.text_piece(run, at, base, pieces);
                    self.process(byte == b'>', pieces);
                    run = self.at;
                }
                // `=(…)` of zsh: a file with what is printed.
                b'=' if mode == Mode::Normal && at == start && self.look(1) == Some(b'(') => {
                    self.process(false, pieces);
                    run = self.at;
                }
                // extglob: `!(a|b)`, `@(a|b)` …
                b'(' if mode == Mode::Normal
                    && at > start
                    && matches!(
                        self.bytes.get(at - 1),
                        Some(b'?' | b'*' | b'+' | b'@' | b'!')
                    ) =>
                {
                    self.extended_glob();
                }
                b' ' | b'\t' | b'\n' if mode != Mode::Brace => break,
                _ if mode == Mode::Normal && is_meta(byte) => break,
                _ => self.at += 1,
            }
        }
        self.text_piece(run, self.at, base, pieces);
    }

    /// `$…` with the text before it; `None` if the dollar is a character.
    fn dollar_after(
        &mut self,
        run: usize,
        base: Quoting,
        pieces: &mut Vec<Piece>,
    ) -> Option<Option<Piece>> {
        let at = self.at;
        let before = pieces.len();
        self.text_piece(run, at, base, pieces);
        match self.dollar(base) {
            Dollar::Piece(piece) => Some(Some(piece)),
            Dollar::Nothing => Some(None),
            Dollar::Character => {
                pieces.truncate(before);
                None
            }
        }
    }

    fn text_piece(&mut self, start: usize, end: usize, quoting: Quoting, pieces: &mut Vec<Piece>) {
        if start < end {
            self.count_piece();
            pieces.push(Piece {
                at: At::new(start, end),
                quoting,
                kind: PieceKind::Text,
            });
        }
    }

    fn single_quoted(&mut self, pieces: &mut Vec<Piece>) {
        self.count_piece();
        if self.peek().is_none() {
            return;
        }
        let open = self.at;
        let rest = self.bytes.get(open + 1..self.end).unwrap_or(&[]);
        let length = rest.iter().position(|&b| b == b'\'');
        let end = open + 1 + length.unwrap_or(rest.len());
        pieces.push(Piece {
            at: At::new(open + 1, end),
            quoting: Quoting::Single,
            kind: PieceKind::Text,
        });
        self.at = end + usize::from(length.is_some());
        if length.is_none() {
            self.unclosed(Gap::UnclosedQuote, open, open + 1);
        }
    }

    fn double_quoted(&mut self, pieces: &mut Vec<Piece>) {
        self.count_piece();
        if self.peek().is_none() {
            return;
        }
        let open = self.at;
        self.at += 1;
        let before = pieces.len();
        let closed = self.expand_until(Some(b'"'), pieces);
        if pieces.len() == before {
            // `""` is a word, and an empty one.
            let at = At::new(open + 1, open + 1);
            pieces.push(Piece {
                at,
                quoting: Quoting::Double,
                kind: PieceKind::Text,
            });
        }
        if closed {
            self.at += 1;
        } else {
            self.unclosed(Gap::UnclosedQuote, open, open + 1);
        }
    }

    /// The pieces of a stretch that is expanded like the inside of `"…"`.
    pub(super) fn expanding(&mut self, at: At) -> Vec<Piece> {
        let (here, end) = (self.at, self.end);
        let pending = std::mem::take(&mut self.pending);
        (self.at, self.end) = (at.start, at.end.min(end));
        let mut pieces = Vec::new();
        self.expand_until(None, &mut pieces);
        let stopped = self.too_many.is_some() || self.too_deep.is_some();
        (self.at, self.end) = (here, if stopped { here } else { end });
        self.pending = pending;
        pieces
    }

    /// Reads up to an unescaped `close`, which is not consumed; false if it never comes.
    fn expand_until(&mut self, close: Option<u8>, pieces: &mut Vec<Piece>) -> bool {
        let mut run = self.at;
        while let Some(byte) = self.peek() {
            let at = self.at;
            if Some(byte) == close {
                self.text_piece(run, at, Quoting::Double, pieces);
                return true;
            }
            match byte {
                b'\\' => match self.look(1) {
                    Some(b'\n') => {
                        self.text_piece(run, at, Quoting::Double, pieces);
                        self.at += 2;
                        run = self.at;
                    }
                    Some(next @ (b'$' | b'`' | b'\\' | b'"'))
                        if next != b'"' || close.is_some() =>
                    {
                        self.text_piece(run, at, Quoting::Double, pieces);
                        self.text_piece(at + 1, at + 2, Quoting::Double, pieces);
                        self.at += 2;
                        run = self.at;
                    }
                    _ => self.at += 1,
                },
                b'`' if !self.plain.backtick => {
                    self.text_piece(run, at, Quoting::Double, pieces);
                    self.backtick(Quoting::Double, pieces);
                    run = self.at;
                }
                b'$' => {
                    if let Some(piece) = self.dollar_after(run, Quoting::Double, pieces) {
                        pieces.extend(piece);
                        run = self.at;
                    } else {
                        self.at = (at + 1).min(self.end);
                    }
                }
                _ => self.at += 1,
            }
        }
        self.text_piece(run, self.at, Quoting::Double, pieces);
        false
    }

    fn backtick(&mut self, quoting: Quoting, pieces: &mut Vec<Piece>) {
        self.count_command();
        if self.peek().is_none() {
            return;
        }
        let open = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => {
                    self.unclosed(Gap::UnclosedBacktick, open, open + 1);
                    break;
                }
                Some(b'\\') => self.at = (self.at + 2).min(self.end),
                Some(b'`') => break,
                Some(_) => self.at += 1,
            }
        }
        // A backslash at the end may have been stepped over into a character.
        while self.at < self.end && !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        pieces.push(Piece {
            at: At::new(open + 1, self.at),
            quoting,
            kind: PieceKind::Backtick,
        });
        self.at = (self.at + 1).min(self.end);
    }

    fn process(&mut self, output: bool, pieces: &mut Vec<Piece>) {
        self.count_command();
        if self.peek().is_none() {
            return;
        }
        let start = self.at;
        self.at += 2;
        if let Some(script) = self.nested(|s| s.in_parens(start)) {
            let kind = PieceKind::Process {
                script: Box::new(script),
                output,
            };
            pieces.push(Piece {
                at: At::new(start, self.at),
                quoting: Quoting::None,
                kind,
            });
        }
    }

    fn dollar(&mut self, quoting: Quoting) -> Dollar {
        self.count_piece();
        let start = self.at;
        let Some(next) = self.look(1) else {
            return Dollar::Character;
        };
        let kind = match next {
            b'(' => {
                if self.look(2) == Some(b'(')
                    && let Some(close) = self.arithmetic_end(start + 3)
                {
                    let Some(pieces) = self.nested(|s| s.expanding(At::new(start + 3, close)))
                    else {
                        return Dollar::Nothing;
                    };
                    self.at = close + 2;
                    PieceKind::Arithmetic(pieces)
                } else {
                    self.at += 2;
                    let Some(script) = self.nested(|s| s.in_parens(start)) else {
                        return Dollar::Nothing;
                    };
                    PieceKind::Substitution(Box::new(script))
                }
            }
            b'{' => match self.nested(|s| s.braced_parameter(start)) {
                Some(Some(parameter)) => PieceKind::Parameter(Box::new(parameter)),
                _ => return Dollar::Nothing,
            },
            b'\'' if quoting == Quoting::None && !self.plain.single => return self.ansi_c(start),
            // A translated string is a string.
            b'"' if quoting == Quoting::None && !self.plain.double => {
                self.at += 1;
                return Dollar::Nothing;
            }
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9' => {
                self.at += 2;
                PieceKind::Parameter(Box::new(super::parameter::plain(At::new(
                    start + 1,
                    start + 2,
                ))))
            }
            // `$=x` of zsh: split into words.
            b'=' if quoting == Quoting::None && self.look(2).is_some_and(is_name_start) => {
                let rest = self.bytes.get(start + 2..self.end).unwrap_or(&[]);
                let length = rest.iter().take_while(|&&b| is_name(b)).count();
                self.at = start + 2 + length;
                PieceKind::Parameter(Box::new(super::parameter::plain(At::new(
                    start + 2,
                    self.at,
                ))))
            }
            _ if is_name_start(next) => {
                let rest = self.bytes.get(start + 1..self.end).unwrap_or(&[]);
                let length = rest.iter().take_while(|&&b| is_name(b)).count();
                self.at = start + 1 + length;
                PieceKind::Parameter(Box::new(super::parameter::plain(At::new(
                    start + 1,
                    self.at,
                ))))
            }
            _ => return Dollar::Character,
        };
        Dollar::Piece(Piece {
            at: At::new(start, self.at),
            quoting,
            kind,
        })
    }

    fn ansi_c(&mut self, start: usize) -> Dollar {
        self.at += 2;
        let body = self.at;
        loop {
            match self.peek() {
                None => {
                    self.unclosed(Gap::UnclosedQuote, start, body);
                    break;
                }
                Some(b'\\') => {
                    self.at += 1;
                    if self.peek().is_some() {
                        self.step();
                    }
                }
                Some(b'\'') => break,
                Some(_) => self.at += 1,
            }
        }
        let at = At::new(body, self.at);
        if self.peek() == Some(b'\'') {
            self.at += 1;
        }
        Dollar::Piece(Piece {
            at,
            quoting: Quoting::Single,
            kind: PieceKind::AnsiC,
        })
    }

    /// Steps over `( … )` of a pattern; stays if it isn't closed on the line.
    fn extended_glob(&mut self) {
        let open = self.at;
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.at += 1,
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                b'\n' | b';' | b'&' | b'$' | b'`' | b'\'' | b'"' => break,
                _ => {}
            }
            if self.peek().is_some() {
                self.step();
            }
        }
        // Not a pattern: the parenthesis is left to the words around it.
        self.at = open + 1;
    }
}

enum Dollar {
    Piece(Piece),
    /// Consumed, and stands for nothing.
    Nothing,
    /// A dollar sign.
    Character,
}
