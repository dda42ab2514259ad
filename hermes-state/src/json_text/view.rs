//! Values out of a text that is known to be JSON.

use serde_json::{Map, Number, Value};

use super::scan::{Scanner, decode_string};

/// As many levels as `serde_json` parses. A deeper `Value` could be built, but its text not be read
/// back, and dropping it would need as many stack frames.
const DEEPEST: usize = 127;

/// The value, `None` if it is nested too deeply.
pub(super) fn value(text: &str) -> Option<Value> {
    build(&mut Scanner::new(text), 0)
}

fn build(scanner: &mut Scanner<'_>, depth: usize) -> Option<Value> {
    scanner.blanks();
    if depth == DEEPEST && matches!(scanner.peek(), Some(b'[' | b'{')) {
        return None;
    }
    if scanner.eat_after_blanks(b'[') {
        let mut array = Vec::new();
        while !scanner.eat_after_blanks(b']') {
            array.push(build(scanner, depth + 1)?);
            scanner.eat_after_blanks(b',');
        }
        return Some(Value::Array(array));
    }
    if scanner.eat_after_blanks(b'{') {
        let mut object = Map::new();
        while !scanner.eat_after_blanks(b'}') {
            let (key, _) = decode_string(scanner.key().ok()?)?;
            object.insert(key, build(scanner, depth + 1)?);
            scanner.eat_after_blanks(b',');
        }
        return Some(Value::Object(object));
    }
    let start = scanner.at();
    scanner.scalar().ok()?;
    scalar(scanner.since(start))
}

fn scalar(raw: &str) -> Option<Value> {
    Some(match raw {
        "null" | "NaN" | "Infinity" | "-Infinity" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ if raw.starts_with('"') => Value::String(decode_string(raw)?.0),
        _ => Value::Number(raw.parse::<Number>().ok()?),
    })
}

/// Python's truth of the value, negated.
pub(super) fn is_falsy(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    match text {
        "null" | "false" | "\"\"" => true,
        "NaN" | "Infinity" | "-Infinity" => false,
        _ if text.starts_with('[') => is_empty_within(text, '[', ']'),
        _ if text.starts_with('{') => is_empty_within(text, '{', '}'),
        _ => text.parse::<f64>() == Ok(0.0),
    }
}

fn is_empty_within(text: &str, open: char, close: char) -> bool {
    text.strip_prefix(open)
        .and_then(|rest| rest.strip_suffix(close))
        .is_some_and(|inner| inner.trim_matches([' ', '\t', '\n', '\r']).is_empty())
}
