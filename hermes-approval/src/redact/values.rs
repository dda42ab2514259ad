//! Where a value ends, in shells, JSON and YAML alike.

use std::ops::Range;

use super::quoting::Around;

/// What was found after a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A secret, and where to go on.
    Secret { range: Range<usize>, next: usize },
    /// Nothing that may be hidden.
    None,
}

/// What a value stands behind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// `=`, or an option: a word of a shell, which may be of several pieces, quoted or not.
    Assignment,
    /// `:`, as in JSON and YAML.
    Field,
}

/// The value that begins at `start`. Whatever a shell would run stays readable, in it and behind it.
pub(super) fn value(text: &str, start: usize, after: After, around: Around) -> Value {
    let whole = text;
    let text = around.end.and_then(|end| whole.get(..end)).unwrap_or(whole);
    if around.end == Some(start) {
        return behind_the_end(whole, start);
    }
    let rest = text.get(start..).unwrap_or_default();
    let (quote, opening) = quote(rest);
    let from = start + opening.len();
    let body = text.get(from..).unwrap_or_default();
    let in_quotes = quote.and_then(|quote| quoted(body, quote, opening));
    let length = in_quotes.unwrap_or_else(|| bare(body, after));
    let inner = from..from + length;
    let value = text.get(inner.clone()).unwrap_or_default();
    if value.is_empty()
        || says_nothing(value)
        || (quote != Some('\'') && runs(value))
        || (in_quotes.is_some() && !around.certain && !is_word(value))
    {
        return Value::None;
    }
    // A word of several pieces goes with its quotes, one of a single piece without.
    let closing = closing(text.get(inner.end..).unwrap_or_default(), opening);
    let first = inner.end + closing;
    let mut end = first;
    while after == After::Assignment
        && let Some(more) = continued(text.get(end..).unwrap_or_default())
    {
        end += more;
    }
    let range = if end == first { inner } else { start..end };
    Value::Secret { next: end, range }
}

/// The quote that a value seems to begin with ends the quotes around the name. In a shell there is
/// no value; in a text with apostrophes there may be one, which is hidden if it can be no command.
fn behind_the_end(text: &str, quote: usize) -> Value {
    let rest = text.get(quote..).unwrap_or_default();
    let mut chars = rest.chars();
    let value = chars
        .next()
        .and_then(|quote| chars.as_str().split_once(quote))
        .map_or("", |(value, _)| value);
    if value.is_empty() || !is_word(value) || says_nothing(value) {
        return Value::None;
    }
    let range = quote + 1..quote + 1 + value.len();
    Value::Secret {
        next: range.end,
        range,
    }
}

/// Whether a shell would take it for one word, and not for a command that does anything.
pub(super) fn is_word(value: &str) -> bool {
    !value.contains(|c| ends_word(c) || c == '$')
}

/// The length of what goes on with the word. A quote that may as well be the end of one that was
/// opened before the name does not: what is behind it must never be hidden.
fn continued(rest: &str) -> Option<usize> {
    let quote = rest.chars().next()?;
    let length = if matches!(quote, '"' | '\'') {
        let body = rest.get(1..)?;
        let end = body.find(quote)?;
        let piece = body.get(..end)?;
        is_word(piece).then_some(end + 2)?
    } else {
        bare(rest, After::Assignment)
    };
    (length > 0).then_some(length)
}

fn closing(rest: &str, opening: &str) -> usize {
    let closing = opening.trim_start_matches('$');
    if rest.starts_with(closing) {
        closing.len()
    } else {
        0
    }
}

/// The length of what has no quotes.
fn bare(body: &str, after: After) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        if escaped {
            escaped = false;
            if c == ' ' {
                continue;
            }
            if matches!(c, '"' | '\'') {
                // `\"` is the end of a string within a string.
                return at - 1;
            }
        }
        if ends_word(c) || (after == After::Field && matches!(c, ',' | '}' | ']')) {
            return at;
        }
        escaped = c == '\\' && after == After::Assignment;
    }
    body.len()
}

/// The quote that a value begins with, and how it is written: in JSON inside of a shell's quotes it
/// is `\"`.
fn quote(rest: &str) -> (Option<char>, &'static str) {
    const OPENINGS: &[(&str, char)] = &[
        ("\"", '"'),
        ("'", '\''),
        ("\\\"", '"'),
        ("\\'", '\''),
        ("$'", '\''),
    ];
    OPENINGS
        .iter()
        .find(|(opening, _)| rest.starts_with(opening))
        .map_or((None, ""), |(opening, quote)| (Some(*quote), opening))
}

/// The length of what is in quotes, if they are closed.
fn quoted(body: &str, quote: char, opening: &str) -> Option<usize> {
    if opening.starts_with('\\') {
        return body.find(opening);
    }
    // In the plain single quotes of a shell nothing escapes.
    let escapes = opening != "'";
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        if c == quote && !escaped {
            return Some(at);
        }
        escaped = escapes && c == '\\' && !escaped;
    }
    None
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || ";|&<>()`\"'".contains(c)
}

/// Whether it holds a substitution, which is a command and not a secret.
fn runs(value: &str) -> bool {
    value.contains("$(") || value.contains('`')
}

/// A name of a secret instead of one, or a word that is none.
fn says_nothing(value: &str) -> bool {
    let is_variable = value
        .strip_prefix('$')
        .map(|name| {
            name.strip_prefix('{')
                .map_or(name, |name| name.trim_end_matches('}'))
        })
        .is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    is_variable
        || ["true", "false", "null", "none", "yes", "no"]
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word))
}
