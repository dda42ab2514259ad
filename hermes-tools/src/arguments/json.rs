//! A reader of JSON that understands what models write and says what is wrong with the rest.
//!
//! `serde_json` refuses half surrogate pairs, `NaN` and raw line breaks, and does not tell of a key
//! that is there twice.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use crate::text::clip;

/// How many arrays and objects may stand inside one another.
const MAX_DEPTH: usize = 128;

/// A value, and what was odd about its text.
pub(crate) struct Parsed {
    pub(crate) value: Value,
    pub(crate) oddities: Vec<String>,
}

/// What is wrong, and where: at the length of the text if it is cut short.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) at: usize,
    pub(crate) what: Cow<'static, str>,
}

type Read<T> = Result<T, Problem>;

/// Reads values from a text, one after the other.
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    oddities: BTreeSet<Cow<'static, str>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Reader<'a> {
        Reader {
            text,
            at: 0,
            depth: 0,
            oddities: BTreeSet::new(),
        }
    }

    /// The next value.
    pub(crate) fn value(&mut self) -> Read<Parsed> {
        self.depth = 0;
        let value = self.any()?;
        Ok(Parsed {
            value,
            oddities: std::mem::take(&mut self.oddities)
                .into_iter()
                .map(Cow::into_owned)
                .collect(),
        })
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// How much has been read, in bytes. A value that could not be read has been read as far as to
    /// what is wrong with it.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Goes on behind so many bytes, at the beginning of a character.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Whether only white space is left.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest().trim().is_empty()
    }

    /// Skips what may stand between two values that somebody wrote one after the other.
    pub(crate) fn skip_separators(&mut self) {
        let rest = self.rest();
        self.at += rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'))
                .len();
    }

    fn any(&mut self) -> Read<Value> {
        self.skip_space();
        match self.peek() {
            None => Err(self.problem("the text ends where a value should begin")),
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Reader<'a>) -> Read<Value>) -> Read<Value> {
        if self.depth == MAX_DEPTH {
            return Err(self.problem("nested deeper than 128 levels"));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Read<Value> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'"') => {}
                Some(b'}') => {
                    self.at += 1;
                    if !map.is_empty() {
                        self.odd("a comma stood before a closing bracket");
                    }
                    return Ok(Value::Object(map));
                }
                None => return Err(self.problem("the text ends inside an object")),
                Some(_) => return Err(self.problem("expected a key in double quotes")),
            }
            let key = self.string()?;
            self.skip_space();
            match self.peek() {
                Some(b':') => self.at += 1,
                None => return Err(self.problem("the text ends after a key")),
                Some(_) => return Err(self.problem("expected `:` after a key")),
            }
            let value = self.any()?;
            // Only its beginning is shown: a key can be as long as the whole text.
            if map.contains_key(&key) {
                let shown = clip(&key, 40);
                self.odd(format!(
                    "the key {shown:?} was there twice; the last one counts"
                ));
            }
            map.insert(key, value);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                None => return Err(self.problem("the text ends inside an object")),
                Some(_) => return Err(self.problem("expected `,` or `}` after a value")),
            }
        }
    }

    fn array(&mut self) -> Read<Value> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    if !items.is_empty() {
                        self.odd("a comma stood before a closing bracket");
                    }
                    return Ok(Value::Array(items));
                }
                None => return Err(self.problem("the text ends inside an array")),
                Some(_) => items.push(self.any()?),
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                None => return Err(self.problem("the text ends inside an array")),
                Some(_) => return Err(self.problem("expected `,` or `]` after a value")),
            }
        }
    }

    fn string(&mut self) -> Read<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest
                .bytes()
                .position(|b| matches!(b, b'"' | b'\\') || b < 0x20)
                .unwrap_or(rest.len());
            text.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(control) => {
                    self.odd("a string held a raw line break or control character");
                    text.push(char::from(control));
                    self.at += 1;
                }
                None => return Err(self.problem("the text ends inside a string")),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let c = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            Some(_) => {
                return Err(
                    self.problem("an escape that JSON does not have (a backslash is `\\\\`)")
                );
            }
            None => return Err(self.cut("the text ends inside a string")),
        };
        self.at += 2;
        Ok(c)
    }

    fn unicode_escape(&mut self) -> Read<char> {
        let first = self.code_unit()?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        let is_high = first < 0xdc00;
        if is_high && self.rest().starts_with("\\u") {
            let before = self.at;
            let second = self.code_unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        self.odd("half a surrogate pair became U+FFFD");
        Ok(char::REPLACEMENT_CHARACTER)
    }

    /// `\uXXXX`.
    fn code_unit(&mut self) -> Read<u32> {
        let Some(digits) = self.text.as_bytes().get(self.at + 2..self.at + 6) else {
            return Err(self.cut("the text ends inside a string"));
        };
        let mut unit = 0;
        for digit in digits {
            let Some(value) = char::from(*digit).to_digit(16) else {
                return Err(self.problem("`\\u` needs four hexadecimal digits"));
            };
            unit = unit * 16 + value;
        }
        self.at += 6;
        Ok(unit)
    }

    fn number(&mut self) -> Read<Value> {
        let rest = self.rest();
        if let Some(after) = rest.strip_prefix("-Infinity") {
            self.at += rest.len() - after.len();
            return Ok(self.not_finite());
        }
        let end = rest
            .bytes()
            .position(|b| !(b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E')))
            .unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default();
        // Parsed by the library, so that what is written later is what it accepts.
        let Ok(number) = text.parse::<Number>() else {
            return Err(
                if end == rest.len() && !text.ends_with(|c: char| c.is_ascii_digit()) {
                    self.cut("the text ends inside a number")
                } else {
                    self.problem("a number that JSON does not have")
                },
            );
        };
        self.at += end;
        Ok(Value::Number(number))
    }

    fn word(&mut self) -> Read<Value> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let value = match rest.get(..end).unwrap_or_default() {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "NaN" | "Infinity" => self.not_finite(),
            word if end == rest.len() && is_begun_literal(word) => {
                return Err(self.cut("the text ends inside a value"));
            }
            _ => return Err(self.problem("expected a value")),
        };
        self.at += end;
        Ok(value)
    }

    /// JSON has no such number, and whoever reads the arguments has to be able to.
    fn not_finite(&mut self) -> Value {
        self.odd("`NaN` or `Infinity` became null");
        Value::Null
    }

    fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// At most a few different ones, or a hostile text would make a list as long as itself.
    fn odd(&mut self, what: impl Into<Cow<'static, str>>) {
        if self.oddities.len() < 8 {
            self.oddities.insert(what.into());
        }
    }

    fn problem(&self, what: &'static str) -> Problem {
        Problem {
            at: self.at,
            what: Cow::Borrowed(what),
        }
    }

    fn cut(&self, what: &'static str) -> Problem {
        Problem {
            at: self.text.len(),
            what: Cow::Borrowed(what),
        }
    }
}

fn is_begun_literal(word: &str) -> bool {
    !word.is_empty()
        && ["null", "true", "false"]
            .iter()
            .any(|l| l.starts_with(word))
}

/// The value of a strict JSON text that reads back as itself: nothing odd about it, nothing behind.
pub(crate) fn strict(text: &str) -> Option<Value> {
    let mut reader = Reader::new(text);
    let parsed = reader.value().ok()?;
    (parsed.oddities.is_empty() && reader.is_at_end()).then_some(parsed.value)
}
