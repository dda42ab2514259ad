//! `${…}`.

use super::syntax::{Operator, Parameter};
use super::words::Mode;
use super::{Scanner, is_name, is_name_start};
use crate::coverage::Gap;
use crate::span::At;

/// `$name`
pub(super) fn plain(name: At) -> Parameter {
    Parameter {
        name,
        indirect: false,
        length: false,
        subscript: None,
        operator: Operator::None,
        argument: Vec::new(),
    }
}

impl Scanner<'_> {
    /// `${…}`; the place is its `$`.
    pub(super) fn braced_parameter(&mut self, start: usize) -> Option<Parameter> {
        self.at = start + 2;
        let mut parameter = plain(At::new(self.at, self.at));
        match (self.peek(), self.look(1)) {
            (Some(b'#'), Some(next))
                if next != b'}' && (is_name(next) || matches!(next, b'@' | b'*')) =>
            {
                parameter.length = true;
                self.at += 1;
            }
            (Some(b'!'), Some(next)) if is_name(next) => {
                parameter.indirect = true;
                self.at += 1;
            }
            _ => {}
        }
        // `${=x}` and `${~x}` of zsh.
        if matches!(self.peek(), Some(b'=' | b'~')) && self.look(1).is_some_and(is_name_start) {
            self.at += 1;
        }
        parameter.name = self.parameter_name();
        if self.peek() == Some(b'[') {
            let open = self.at + 1;
            if let Some(close) = self.subscript_end(open) {
                self.at = close;
            }
            while !matches!(self.peek(), None | Some(b']' | b'\n' | b'}')) {
                self.at += 1;
            }
            while self.at < self.end && !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
            parameter.subscript = Some(self.subscript(At::new(open, self.at)));
            if self.peek() == Some(b']') {
                self.at += 1;
            }
        }
        parameter.operator = self.parameter_operator();
        if self.peek() != Some(b'}') {
            self.pieces(Mode::Brace, false, &mut parameter.argument);
        }
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else if self.too_deep.is_none() {
            self.unclosed(Gap::Unclosed, start, start + 2);
        }
        Some(parameter)
    }

    fn parameter_name(&mut self) -> At {
        let start = self.at;
        let rest = self.bytes.get(start..self.end).unwrap_or(&[]);
        let length = match rest.first() {
            Some(&first) if is_name_start(first) => {
                rest.iter().take_while(|&&b| is_name(b)).count()
            }
            Some(first) if first.is_ascii_digit() => {
                rest.iter().take_while(|b| b.is_ascii_digit()).count()
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => 1,
            _ => 0,
        };
        self.at = start + length;
        At::new(start, self.at)
    }

    fn parameter_operator(&mut self) -> Operator {
        let found = OPERATORS.iter().find(|(text, _)| self.starts_with(text));
        match found {
            Some(&(text, operator)) => {
                self.at += text.len();
                operator
            }
            None if self.peek() == Some(b'}') => Operator::None,
            None => Operator::Other,
        }
    }
}

/// Longest first.
const OPERATORS: &[(&str, Operator)] = &[
    (":-", Operator::Default),
    (":=", Operator::Assign),
    (":?", Operator::Error),
    (":+", Operator::Alternate),
    ("##", Operator::RemovePrefix { longest: true }),
    ("%%", Operator::RemoveSuffix { longest: true }),
    ("^^", Operator::Upper { all: true }),
    (",,", Operator::Lower { all: true }),
    ("-", Operator::Default),
    ("=", Operator::Assign),
    ("?", Operator::Error),
    ("+", Operator::Alternate),
    ("#", Operator::RemovePrefix { longest: false }),
    ("%", Operator::RemoveSuffix { longest: false }),
    ("^", Operator::Upper { all: false }),
    (",", Operator::Lower { all: false }),
    ("/", Operator::Replace),
    (":", Operator::Substring),
];
