//! Names, strings and signs of code.

use super::Language;
use crate::span::At;
use crate::word::ansi_c::{Escapes, unescape};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) at: At,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name with its dots: `os.system`; one that starts with a dot is called on what stands
    /// before.
    Name(String),
    /// A string; what is put into it at run time is `${_}`.
    Text(String),
    /// `` `…` ``, `%x(…)`, `qx(…)`: a command.
    Command(String),
    Sign(char),
}

impl Token {
    /// The stretch from one token to another.
    pub(super) fn stretch(tokens: &[Self], from: usize, to: usize) -> At {
        let start = tokens.get(from).map_or(At::default(), |t| t.at);
        let end = tokens
            .get(to)
            .or_else(|| tokens.last())
            .map_or(start, |t| t.at);
        At::new(start.start, end.end)
    }
}

/// The tokens of a code, comments left out.
pub(super) fn tokens(text: &str, language: Language) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        at: 0,
        language,
        out: Vec::new(),
    };
    while let Some(c) = lexer.peek() {
        lexer.token(c);
    }
    lexer.out
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    language: Language,
    out: Vec<Token>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.out.push(Token {
            kind,
            at: At::new(start, self.at),
        });
    }

    fn token(&mut self, c: char) {
        let start = self.at;
        match c {
            _ if c.is_whitespace() => {
                self.at += c.len_utf8();
                // An end of line ends a call without parentheses.
                if c == '\n' {
                    self.push(TokenKind::Sign('\n'), start);
                }
            }
            _ if self.starts_comment() => self.line(),
            '\'' if self.language.single_quote_is_sign() => self.sign(c),
            '"' | '\'' => {
                let raw = self.is_raw_prefix();
                let formatted = self.is_format_prefix();
                self.string(c, raw, formatted);
            }
            '`' => self.backtick(),
            '%' if self.language == Language::Ruby && self.rest().starts_with("%x") => {
                self.delimited(2)
            }
            '%' if self.language == Language::Ruby && self.rest().starts_with("%w") => {
                self.word_list()
            }
            _ if c.is_alphabetic() || c == '_' || c == '.' => self.name(),
            _ if c.is_ascii_digit() => {
                let length = self
                    .rest()
                    .find(|c: char| !c.is_ascii_alphanumeric())
                    .unwrap_or(self.rest().len());
                self.at += length.max(1);
            }
            _ => self.sign(c),
        }
    }

    /// Something unknown is joined to the string in front of it: `"rm " $1`, `"rm ".$x`.
    fn joined_to_unknown(&mut self) {
        if let Some(Token {
            kind: TokenKind::Text(text),
            ..
        }) = self.out.last_mut()
            && !text.ends_with(HOLE)
        {
            text.push_str(HOLE);
        }
    }

    fn sign(&mut self, c: char) {
        let start = self.at;
        if c == '$' && self.language == Language::Awk {
            self.joined_to_unknown();
        }
        self.at += c.len_utf8();
        self.push(TokenKind::Sign(c), start);
    }

    fn starts_comment(&self) -> bool {
        let starts = |sign| self.rest().starts_with(sign);
        match self.language {
            Language::Php => (starts("#") || starts("//")) && !self.is_sigil(),
            language => language.comment().is_some_and(starts) && !self.is_sigil(),
        }
    }

    /// `$#`, `@#` in perl.
    fn is_sigil(&self) -> bool {
        matches!(self.out.last(), Some(Token { kind: TokenKind::Sign('$' | '@'), at }) if at.end == self.at)
    }

    fn line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// `r'…'` of Python; `'…'` of Perl, Ruby and PHP has no escapes to speak of.
    fn is_raw_prefix(&mut self) -> bool {
        let single = self.rest().starts_with('\'');
        let plain_single = single
            && matches!(
                self.language,
                Language::Perl | Language::Ruby | Language::Php
            );
        self.prefix().is_some_and(|p| p.contains(['r', 'R'])) || plain_single
    }

    fn is_format_prefix(&mut self) -> bool {
        let formatted = self.prefix().is_some_and(|p| p.contains(['f', 'F']));
        if self.prefix().is_some() {
            self.out.pop();
        }
        formatted
    }

    /// A string prefix of Python that was read as a name.
    fn prefix(&self) -> Option<&str> {
        match self.out.last() {
            Some(Token {
                kind: TokenKind::Name(name),
                at,
            }) if self.language == Language::Python
                && at.end == self.at
                && name.len() <= 2
                && name.chars().all(|c| "rRbBfFuU".contains(c)) =>
            {
                Some(name)
            }
            _ => None,
        }
    }

    fn string(&mut self, quote: char, raw: bool, formatted: bool) {
        let start = self.at;
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let close = if self.language == Language::Python && self.rest().starts_with(&triple) {
            triple
        } else {
            quote.to_string()
        };
        self.at += close.len();
        let body_start = self.at;
        let body_end = loop {
            match self.peek() {
                None => break self.at,
                Some('\\') => {
                    self.at += 1;
                    if let Some(next) = self.peek() {
                        self.at += next.len_utf8();
                    }
                }
                Some(_) if self.rest().starts_with(&close) => {
                    let end = self.at;
                    self.at += close.len();
                    break end;
                }
                Some(c) => self.at += c.len_utf8(),
            }
        };
        let body = self.text.get(body_start..body_end).unwrap_or("");
        let interpolates = match self.language {
            Language::Python => formatted,
            Language::Ruby => quote == '"',
            _ => false,
        };
        let body = if raw || !body.contains('\\') {
            body.to_owned()
        } else {
            unescape(body, Escapes::Dollar)
        };
        let body = match (self.language, interpolates) {
            (Language::Python, true) => holes(&body, "{"),
            (Language::Ruby, true) => holes(&body, "#{"),
            _ => body,
        };
        // `"a" + "b"`, `'a' . 'b'`, and neighbours in Python, are one string.
        let joined = self.join(&body, start);
        if !joined {
            self.push(TokenKind::Text(body), start);
        }
    }

    fn join(&mut self, body: &str, start: usize) -> bool {
        let end = self.at;
        let operator = |t: &Token| {
            matches!(&t.kind, TokenKind::Sign('+'))
                || matches!(&t.kind, TokenKind::Name(n) if n == ".")
        };
        let with_operator = self.out.last().is_some_and(operator);
        let before = if with_operator {
            self.out.len().checked_sub(2)
        } else {
            self.out.len().checked_sub(1)
        };
        let neighbours = with_operator || self.language == Language::Python;
        let Some(Token {
            kind: TokenKind::Text(text),
            at,
        }) = before.and_then(|i| self.out.get_mut(i))
        else {
            return false;
        };
        if !neighbours {
            return false;
        }
        text.push_str(body);
        *at = At::new(at.start.min(start), end);
        if with_operator {
            self.out.pop();
        }
        true
    }

    fn backtick(&mut self) {
        let start = self.at;
        // zx, Bun: `` $`rm -rf lib` ``
        let tagged = self.language == Language::JavaScript && self.is_sigil();
        self.at += 1;
        let length = self.rest().find('`').unwrap_or(self.rest().len());
        let body = self.rest().get(..length).unwrap_or("").to_owned();
        self.at = (self.at + length + 1).min(self.text.len());
        let kind = if self.language.backticks_run() {
            TokenKind::Command(if self.language == Language::Ruby {
                holes(&body, "#{")
            } else {
                body
            })
        } else if tagged {
            TokenKind::Command(holes(&body, "${"))
        } else {
            // A template of JavaScript.
            TokenKind::Text(holes(&body, "${"))
        };
        self.push(kind, start);
    }

    /// `%x(…)`, `qx{…}`: the sign behind the operator says what closes it.
    fn delimited(&mut self, operator: usize) {
        let start = self.at;
        let open = self
            .rest()
            .get(operator..)
            .and_then(|r| r.trim_start_matches(' ').chars().next());
        let Some(open) = open.filter(|c| c.is_ascii_punctuation()) else {
            self.at += operator;
            return;
        };
        let skip = self.rest().find(open).unwrap_or(operator) + open.len_utf8();
        self.at += skip;
        let close = match open {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            other => other,
        };
        let length = self.rest().find(close).unwrap_or(self.rest().len());
        let body = self.rest().get(..length).unwrap_or("").to_owned();
        self.at = (self.at + length + 1).min(self.text.len());
        self.push(TokenKind::Command(body), start);
    }

    /// `%w[rm -rf lib]` of Ruby is a list of strings.
    fn word_list(&mut self) {
        self.delimited(2);
        let Some(Token {
            kind: TokenKind::Command(text),
            at,
        }) = self.out.pop_if(|t| matches!(t.kind, TokenKind::Command(_)))
        else {
            return;
        };
        let mut push = |kind| self.out.push(Token { kind, at });
        push(TokenKind::Sign('['));
        text.split_whitespace()
            .for_each(|word| push(TokenKind::Text(word.to_owned())));
        push(TokenKind::Sign(']'));
    }

    fn name(&mut self) {
        let start = self.at;
        let language = self.language;
        let length = self
            .rest()
            .char_indices()
            .find(|&(_, c)| !language.is_name(c))
            .map_or(self.rest().len(), |(i, _)| i);
        let name = self
            .rest()
            .get(..length.max(1))
            .unwrap_or("")
            .trim_end_matches('!')
            .to_owned();
        // `File.rm!(x)`
        let bang = self.language == Language::Beam && length > name.len();
        let length = name.len().max(1) + usize::from(bang);
        if self.language == Language::Perl && name == "qx" {
            self.delimited(2);
            return;
        }
        if self.language == Language::Perl && matches!(name.as_str(), "q" | "qq") {
            self.delimited(name.len());
            // It is a string, not a command.
            if let Some(last) = self.out.last_mut()
                && let TokenKind::Command(text) = &last.kind
            {
                last.kind = TokenKind::Text(text.clone());
            }
            return;
        }
        self.at += length;
        let joins = match self.language {
            Language::Awk => true,
            Language::Perl | Language::Php | Language::Lua => {
                name.starts_with('.') && !self.rest().trim_start().starts_with(['"', '\''])
            }
            _ => false,
        };
        if joins {
            self.joined_to_unknown();
        }
        self.push(TokenKind::Name(name), start);
        // Concatenation with something unknown: `"rm " + x`.
        let len = self.out.len();
        if len >= 3
            && matches!(
                self.out.get(len - 2).map(|t| &t.kind),
                Some(TokenKind::Sign('+'))
            )
            && let Some(Token {
                kind: TokenKind::Text(text),
                ..
            }) = self.out.get_mut(len - 3)
        {
            text.push_str(HOLE);
            self.out.truncate(len - 2);
        }
    }
}

/// What a shell would see of something that is put in at run time.
pub(super) const HOLE: &str = "${_}";

/// Replaces `open…}` by a hole.
fn holes(text: &str, open: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once(open) {
        out.push_str(head);
        match tail.split_once('}') {
            Some((_, after)) => {
                out.push_str(HOLE);
                rest = after;
            }
            None => {
                out.push_str(open);
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}
