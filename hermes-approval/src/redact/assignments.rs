//! `NAME=secret`, `"name": "secret"`, `name: secret` and `--name secret`.

use std::ops::Range;

use super::names::{self, LONGEST};
use super::quoting::Quoting;
use super::values::{After, Value, value};

/// What may stand between a name and its sign.
const GAP: usize = 4;

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut next = 0;
    let mut quoting = None;
    for (at, byte) in text.bytes().enumerate() {
        if at < next || !matches!(byte, b'=' | b':' | b' ' | b'\t') {
            continue;
        }
        let Some(name) = name_before(text, at, byte) else {
            continue;
        };
        if !names::is_secret(name) {
            continue;
        }
        let start = at + 1 + gap_after(text, at + 1, byte);
        // An option that follows another option is no value.
        if byte != b'='
            && byte != b':'
            && text.get(start..).is_some_and(|rest| rest.starts_with('-'))
        {
            continue;
        }
        let after = if byte == b':' {
            After::Field
        } else {
            After::Assignment
        };
        // Few texts hold such a name, and only those are gone through for their quotes.
        let around = quoting
            .get_or_insert_with(|| Quoting::of(text))
            .around(start);
        if let Value::Secret { range, next: end } = value(text, start, after, around) {
            next = end;
            secrets.push(range);
        }
    }
}

/// The name that ends before the sign at `at`.
fn name_before(text: &str, at: usize, sign: u8) -> Option<&str> {
    let before = text.get(..at)?;
    let is_option = matches!(sign, b' ' | b'\t');
    let end = if is_option {
        before
    } else {
        let window = before.len().saturating_sub(GAP);
        let trimmed = before.trim_end_matches([' ', '\t']);
        let unquoted = trimmed.trim_end_matches(['"', '\'', '\\']);
        // Only a short gap is part of a name; a longer one is something else.
        if unquoted.len() < window {
            return None;
        }
        unquoted
    };
    let mut start = end.len();
    for (at, c) in end.char_indices().rev() {
        if !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')) {
            break;
        }
        start = at;
        if end.len() - start > LONGEST {
            return None;
        }
    }
    let name = end.get(start..)?;
    if is_option && !name.starts_with("--") {
        return None;
    }
    Some(name)
}

/// Spaces between the sign and the value: after a colon or an option, a few; in an assignment of a
/// shell, none, but settings files have one.
fn gap_after(text: &str, from: usize, sign: u8) -> usize {
    let most = if sign == b'=' { 1 } else { GAP };
    let rest = text.get(from..).unwrap_or_default();
    let spaces = rest
        .bytes()
        .take(most + 1)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    if spaces > most {
        return 0;
    }
    // `NAME= command` of a shell sets nothing; `name = value` of a file has a space on both sides.
    let spaced_before = from
        .checked_sub(2)
        .and_then(|before| text.as_bytes().get(before))
        .is_some_and(|byte| *byte == b' ');
    if sign == b'=' && !spaced_before {
        return 0;
    }
    spaces
}
