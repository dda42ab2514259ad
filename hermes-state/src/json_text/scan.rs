//! The scanner: finds where values end, without building any.

use thiserror::Error;

/// Where and why a text is not JSON as Python reads it.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("not JSON: {what} at byte {at}")]
#[non_exhaustive]
pub struct JsonTextError {
    /// Offset in bytes of the first byte that can't be read.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

type Scanned<T> = Result<T, JsonTextError>;

/// Checks that a text is one JSON value with nothing but blanks around it.
pub(super) fn check(text: &str) -> Scanned<()> {
    let mut scanner = Scanner::new(text);
    scanner.value()?;
    scanner.end()
}

/// The members of an object, in order and with repeated keys: each key decoded (a lone surrogate
/// becomes U+FFFD), each value as the slice of the text.
pub(crate) fn members(text: &str) -> Scanned<Vec<(String, &str)>> {
    let mut scanner = Scanner::new(text);
    let mut found = Vec::new();
    scanner.open(b'{', "expected an object")?;
    if !scanner.eat_after_blanks(b'}') {
        loop {
            let at = scanner.at;
            let Some((key, _)) = decode_string(scanner.key()?) else {
                return Err(JsonTextError {
                    at,
                    what: "expected a key",
                });
            };
            found.push((key, scanner.value()?));
            if scanner.eat_after_blanks(b'}') {
                break;
            }
            scanner.comma("expected ',' or '}'")?;
        }
    }
    scanner.end()?;
    Ok(found)
}

/// The elements of an array, each as the slice of the text.
pub(crate) fn elements(text: &str) -> Scanned<Vec<&str>> {
    let mut scanner = Scanner::new(text);
    let mut found = Vec::new();
    scanner.open(b'[', "expected an array")?;
    if !scanner.eat_after_blanks(b']') {
        loop {
            found.push(scanner.value()?);
            if scanner.eat_after_blanks(b']') {
                break;
            }
            scanner.comma("expected ',' or ']'")?;
        }
    }
    scanner.end()?;
    Ok(found)
}

/// The characters of a JSON string, given with its quotes, and whether they are exact: a lone
/// surrogate can't be in a `String` and is replaced by U+FFFD. `None` if it is no JSON string.
pub(crate) fn decode_string(raw: &str) -> Option<(String, bool)> {
    let mut scanner = Scanner::new(raw);
    scanner.string().ok()?;
    if scanner.at != raw.len() {
        return None;
    }
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    let mut decoded = String::with_capacity(inner.len());
    let mut exact = true;
    let mut rest = inner;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        decoded.push_str(plain);
        let kind = escaped.chars().next()?;
        rest = escaped.get(kind.len_utf8()..)?;
        match kind {
            'b' => decoded.push('\u{8}'),
            'f' => decoded.push('\u{c}'),
            'n' => decoded.push('\n'),
            'r' => decoded.push('\r'),
            't' => decoded.push('\t'),
            'u' => {
                let (character, after) = unicode_escape(rest)?;
                exact &= character.is_some();
                decoded.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = after;
            }
            itself => decoded.push(itself),
        }
    }
    decoded.push_str(rest);
    Some((decoded, exact))
}

/// Reads what follows `\u`: a code unit, and its other half where one follows. Gives no character
/// for a lone surrogate.
fn unicode_escape(text: &str) -> Option<(Option<char>, &str)> {
    let (unit, after) = code_unit(text)?;
    if (0xd800..0xdc00).contains(&unit)
        && let Some((low, after)) = after.strip_prefix("\\u").and_then(code_unit)
        && (0xdc00..0xe000).contains(&low)
    {
        let combined = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        return Some((char::from_u32(combined), after));
    }
    Some((char::from_u32(unit), after))
}

/// Four hexadecimal digits and what follows them.
fn code_unit(text: &str) -> Option<(u32, &str)> {
    let (digits, after) = text.split_at_checked(4)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, after))
}

#[derive(Clone, Copy)]
enum Container {
    Array,
    Object,
}

/// A position in a text that is being read as JSON.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Reads one value after blanks and gives its slice. Containers are counted on a stack of
    /// bytes, so that depth costs memory and not the call stack.
    pub(super) fn value(&mut self) -> Scanned<&'a str> {
        self.blanks();
        let start = self.at;
        let mut open: Vec<Container> = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b'[') => {
                    self.at += 1;
                    if !self.eat_after_blanks(b']') {
                        open.push(Container::Array);
                        continue;
                    }
                }
                Some(b'{') => {
                    self.at += 1;
                    if !self.eat_after_blanks(b'}') {
                        self.key()?;
                        open.push(Container::Object);
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            self.close(&mut open)?;
            if open.is_empty() {
                return Ok(self.since(start));
            }
        }
    }

    /// After a value: closes the containers that end here and goes to where the next value of the
    /// one that doesn't begins.
    fn close(&mut self, open: &mut Vec<Container>) -> Scanned<()> {
        while let Some(container) = open.last() {
            self.blanks();
            match (container, self.peek()) {
                (Container::Array, Some(b']')) | (Container::Object, Some(b'}')) => {
                    self.at += 1;
                    open.pop();
                }
                (Container::Array, _) => return self.comma("expected ',' or ']'"),
                (Container::Object, _) => {
                    self.comma("expected ',' or '}'")?;
                    self.key()?;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Reads `"key" :` after blanks and gives the key with its quotes.
    pub(super) fn key(&mut self) -> Scanned<&'a str> {
        self.blanks();
        let start = self.at;
        self.string()?;
        let key = self.since(start);
        if self.eat_after_blanks(b':') {
            Ok(key)
        } else {
            self.fail("expected ':'")
        }
    }

    /// Reads a string, a number or a word, from the position itself.
    pub(super) fn scalar(&mut self) -> Scanned<()> {
        const WORDS: [&str; 5] = ["null", "true", "false", "NaN", "Infinity"];
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if WORDS.iter().any(|word| self.eat_word(word)) => Ok(()),
            _ => self.fail("expected a value"),
        }
    }

    fn string(&mut self) -> Scanned<()> {
        if !self.eat(b'"') {
            return self.fail("expected a string");
        }
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..0x20) => return self.fail("a control character in a string"),
                Some(_) => self.at += 1,
                None => return self.fail("a string without end"),
            }
        }
    }

    fn escape(&mut self) -> Scanned<()> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
                        return self.fail("expected a hexadecimal digit");
                    }
                    self.at += 1;
                }
            }
            _ => return self.fail("an unknown escape"),
        }
        Ok(())
    }

    fn number(&mut self) -> Scanned<()> {
        if self.eat(b'-') && self.eat_word("Infinity") {
            return Ok(());
        }
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _signed = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Scanned<()> {
        if !self.peek().is_some_and(|b| b.is_ascii_digit()) {
            return self.fail("expected a digit");
        }
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn open(&mut self, bracket: u8, what: &'static str) -> Scanned<()> {
        if self.eat_after_blanks(bracket) {
            Ok(())
        } else {
            self.fail(what)
        }
    }

    fn comma(&mut self, what: &'static str) -> Scanned<()> {
        self.open(b',', what)
    }

    fn end(&mut self) -> Scanned<()> {
        self.blanks();
        if self.at == self.text.len() {
            Ok(())
        } else {
            self.fail("something after the value")
        }
    }

    pub(super) fn eat_after_blanks(&mut self, byte: u8) -> bool {
        self.blanks();
        self.eat(byte)
    }

    pub(super) fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word));
        self.at += if found { word.len() } else { 0 };
        found
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What was read from `start` on. Both ends are beside ASCII bytes, so neither splits a
    /// character.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn fail<T>(&self, what: &'static str) -> Scanned<T> {
        Err(JsonTextError { at: self.at, what })
    }
}
