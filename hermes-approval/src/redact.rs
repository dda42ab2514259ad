//! Secrets taken out of what is shown or logged.
//!
//! What is decided, stored as a key and run is always the raw text. What a person, a log or a hook
//! sees goes through [`redact`]: tokens of well-known services, `NAME=secret`, fields of JSON and
//! YAML, options such as `--password`, headers, private keys, addresses with a password, and JSON
//! web tokens. A secret of fewer than 18 characters becomes `***`; a longer one keeps its first 6
//! and last 4, so that a person can tell which it was.
//!
//! Nothing that a shell would run is hidden: the value of `TOKEN=$(curl …)` is no secret but a
//! command, and stays readable.

mod assignments;
mod names;
mod quoting;
mod tokens;
mod values;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

/// What stands for a short secret.
const SHORT: &str = "***";
/// From this length on the ends of a secret are kept.
const LONG: usize = 18;
const HEAD: usize = 6;
const TAIL: usize = 4;

/// Digits of a number that can be a secret.
const CODE: usize = 4;

/// How often a text is gone through at most.
const PASSES: usize = 8;

/// Where in a text, and where in the next, something was replaced; in order.
type Replaced = Vec<(Range<usize>, Range<usize>)>;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    text: Cow<'a, str>,
    replaced: Replaced,
}

impl Redacted<'_> {
    /// The text that may be shown.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same, owned.
    pub fn into_text(self) -> String {
        self.text.into_owned()
    }

    /// Whether anything was taken out.
    pub fn is_changed(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// Where a part of the original, in bytes, is to be found in the result. A part of a secret is
    /// the whole of what stands for it.
    pub fn shown_span(&self, original: Range<usize>) -> Range<usize> {
        let start = self.shown(original.start, |shown| shown.start);
        let end = self.shown(original.end, |shown| shown.end);
        // Never inside a character, wherever the places of the original were.
        let start = self.text.floor_char_boundary(start);
        start..self.text.ceil_char_boundary(end.max(start))
    }

    fn shown(&self, at: usize, inside: impl Fn(&Range<usize>) -> usize) -> usize {
        translated(&self.replaced, at, inside).min(self.text.len())
    }
}

/// Takes the secrets out of a text. Linear in its length, and total; doing it again changes nothing.
pub fn redact(text: &str) -> Redacted<'_> {
    redact_besides(text, None)
}

/// The same, but what is asked about stays readable: nothing that holds the whole of `span`, in bytes
/// of the text, and more than one word is taken for a secret. So a command cannot be hidden by
/// making it look like one.
pub fn redact_around(text: &str, span: Range<usize>) -> Redacted<'_> {
    redact_besides(text, Some(span))
}

fn redact_besides(text: &str, span: Option<Range<usize>>) -> Redacted<'_> {
    let mut redacted = Redacted {
        text: Cow::Borrowed(text),
        replaced: Vec::new(),
    };
    // Where secrets overlap, what stands for one can look like a value once more.
    for _ in 0..PASSES {
        let span = span.clone().map(|span| redacted.shown_span(span));
        let Some((shown, replaced)) = pass(&redacted.text, span) else {
            break;
        };
        redacted.replaced = composed(&redacted.replaced, replaced);
        redacted.text = Cow::Owned(shown);
    }
    redacted
}

/// Once through the text; `None` if nothing in it is secret.
fn pass(text: &str, span: Option<Range<usize>>) -> Option<(String, Replaced)> {
    let mut secrets = Vec::new();
    patterns(text, &mut secrets);
    tokens::find(text, &mut secrets);
    assignments::find(text, &mut secrets);
    secrets.retain(|secret| {
        let value = text.get(secret.clone()).unwrap_or_default();
        !is_mask(value)
            && !span.as_ref().is_some_and(|span| {
                secret.start <= span.start && span.end <= secret.end && !values::is_word(value)
            })
    });
    if secrets.is_empty() {
        return None;
    }
    secrets.sort_by_key(|secret| (secret.start, std::cmp::Reverse(secret.end)));

    let mut shown = String::with_capacity(text.len());
    let mut replaced = Vec::new();
    let mut done = 0;
    for secret in joined(secrets) {
        shown.push_str(text.get(done..secret.start).unwrap_or_default());
        let start = shown.len();
        mask(text.get(secret.clone()).unwrap_or_default(), &mut shown);
        done = secret.end;
        replaced.push((secret, start..shown.len()));
    }
    shown.push_str(text.get(done..).unwrap_or_default());
    Some((shown, replaced))
}

/// What became of a place: those behind a replaced part move with it.
fn translated(replaced: &Replaced, at: usize, inside: impl Fn(&Range<usize>) -> usize) -> usize {
    let before = replaced.partition_point(|(from, _)| from.start < at);
    let last = before.checked_sub(1).and_then(|last| replaced.get(last));
    match last {
        None => at,
        Some((from, to)) if at < from.end => inside(to),
        Some((from, to)) => to.end + (at - from.end),
    }
}

/// The map of two passes, one after the other.
fn composed(first: &Replaced, second: Replaced) -> Replaced {
    let back: Replaced = first
        .iter()
        .map(|(from, to)| (to.clone(), from.clone()))
        .collect();
    let mut all: Replaced = first
        .iter()
        .filter(|(_, shown)| {
            let next = second.partition_point(|(from, _)| from.end <= shown.start);
            second
                .get(next)
                .is_none_or(|(from, _)| shown.end <= from.start)
        })
        .map(|(from, shown)| {
            let start = translated(&second, shown.start, |to| to.start);
            let end = translated(&second, shown.end, |to| to.end);
            (from.clone(), start..end)
        })
        .collect();
    all.extend(second.iter().map(|(from, to)| {
        let start = translated(&back, from.start, |original| original.start);
        let end = translated(&back, from.end, |original| original.end);
        (start..end, to.clone())
    }));
    all.sort_by_key(|(from, _)| from.start);
    all
}

/// Takes the secrets out of every text in a JSON value, names of fields included. The value of a
/// field with the name of a secret goes as a whole: texts, numbers that could be a code (four
/// digits and more), and both in a list or an object.
pub fn redact_json(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::String(text) => {
            if let Redacted {
                text: Cow::Owned(shown),
                ..
            } = redact(text)
            {
                *text = shown;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact_json),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match names::is_secret(name) {
                    true => mask_json(value),
                    false => redact_json(value),
                }
            }
            redact_names(fields);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn mask_json(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::String(text) if !is_mask(text) => {
            let mut shown = String::new();
            mask(text, &mut shown);
            *text = shown;
        }
        Value::Number(number) if number.to_string().len() >= CODE => {
            *value = Value::String(SHORT.to_owned());
        }
        Value::Array(items) => items.iter_mut().for_each(mask_json),
        Value::Object(fields) => {
            fields.values_mut().for_each(mask_json);
            redact_names(fields);
        }
        _ => {}
    }
}

/// A name can hold a secret too.
fn redact_names(fields: &mut serde_json::Map<String, serde_json::Value>) {
    if !fields.keys().any(|name| redact(name).is_changed()) {
        return;
    }
    *fields = std::mem::take(fields)
        .into_iter()
        .map(|(name, value)| (redact(&name).into_text(), value))
        .collect();
}

/// Secrets that overlap are one.
fn joined(sorted: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(sorted.len());
    for secret in sorted {
        match joined.last_mut() {
            Some(last) if secret.start < last.end => last.end = last.end.max(secret.end),
            _ => joined.push(secret),
        }
    }
    joined
}

fn mask(secret: &str, shown: &mut String) {
    let length = secret.chars().count();
    // What has lines is a key, whose ends say nothing.
    if length < LONG || secret.contains('\n') {
        shown.push_str(SHORT);
        return;
    }
    shown.extend(secret.chars().take(HEAD));
    shown.push('…');
    shown.extend(secret.chars().skip(length - TAIL));
}

/// Whether a value is what an earlier call has put there.
fn is_mask(value: &str) -> bool {
    value.is_empty()
        || value == SHORT
        || (value.chars().count() == HEAD + 1 + TAIL && value.chars().nth(HEAD) == Some('…'))
}

/// Secrets that a pattern tells, in its group 1, each behind a word, in small letters, without which it
/// need not be tried. None of them reaches over a shell's substitution.
const PATTERNS: [(&str, &str); 13] = [
    // Headers, where the scheme is kept.
    (
        "authorization",
        r#"(?i)\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:basic|bearer|digest|token|apikey|negotiate)\s{1,4})?([^\s"'`$();|&<>]+)"#,
    ),
    ("bearer", r"(?i)\bbearer\s{1,4}([A-Za-z0-9._~+/=-]{8,})"),
    // The password in an address.
    (
        "://",
        r#"(?i)\b[a-z][a-z0-9+.-]{0,20}://[^\s/?\#:@"'`$(;|<>)]{0,200}:([^\s/?\#"'`$(@;|<>)]{1,400})@"#,
    ),
    // curl and its like: -u name:password, where docker has two numbers.
    (
        "-u",
        r#"(?:^|\s)(?:-u|--user|--proxy-user)[ =]{0,2}["']?[^\s"':$`(;|&<>]{1,200}:([^\s"'`$();|&<>]*[^\s"'`$();|&<>0-9][^\s"'`$();|&<>]*)"#,
    ),
    // Tools that take a password behind a short option, and files of theirs.
    (
        "sshpass",
        r#"\bsshpass\s{1,4}-p\s{0,4}["']?([^\s"'`$();|&<>]+)"#,
    ),
    (
        "-p",
        r#"\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\s(?:[^\s;|&<>]+\s{1,4}){0,20}?-p["']?([^\s"'`$();|&<>]+)"#,
    ),
    (
        "redis-cli",
        r#"\bredis-cli\s(?:[^\s;|&<>]+\s{1,4}){0,20}?-a\s{1,4}["']?([^\s"'`$();|&<>]+)"#,
    ),
    (
        "login",
        r#"\b(?:docker|podman)\s{1,4}login\s(?:[^\s;|&<>]+\s{1,4}){0,20}?-p\s{1,4}["']?([^\s"'`$();|&<>]+)"#,
    ),
    (
        "aws_secret_access_key",
        r#"\baws_secret_access_key\s{1,4}["']?([^\s"'`$();|&<>=]+)"#,
    ),
    (
        "login",
        r#"\blogin\s{1,4}[^\s;|&<>]{1,200}\s{1,4}password\s{1,4}["']?([^\s"'`$();|&<>]+)"#,
    ),
    // JSON web tokens.
    ("eyj", r"\b(eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_=-]+)+)"),
    // The lines of a private key, which have no spaces but in front.
    (
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----((?:(?:\\[nr]|[\r\n])+(?:[ \t]+|(?:Proc-Type|DEK-Info|Version|Comment): ?[A-Za-z0-9,. ()/-]*)?|[A-Za-z0-9+/=]+)+)",
    ),
    // Bots of Telegram.
    (":aa", r"\b([0-9]{8,10}:AA[A-Za-z0-9_-]{30,})"),
];

/// A header that takes its value from a variable has nothing after its scheme.
const SCHEMES: &[&str] = &["basic", "bearer", "digest", "token", "apikey", "negotiate"];

fn patterns(text: &str, secrets: &mut Vec<Range<usize>>) {
    // Compiled when first needed: most commands need none.
    static COMPILED: [OnceLock<Option<Regex>>; PATTERNS.len()] =
        [const { OnceLock::new() }; PATTERNS.len()];
    let lower = text.to_ascii_lowercase();
    for ((word, pattern), compiled) in PATTERNS.iter().zip(&COMPILED) {
        if !lower.contains(word) {
            continue;
        }
        let Some(pattern) = compiled.get_or_init(|| Regex::new(pattern).ok()) else {
            continue;
        };
        secrets.extend(
            pattern
                .captures_iter(text)
                .filter_map(|found| found.get(1))
                .filter(|secret| {
                    !SCHEMES
                        .iter()
                        .any(|scheme| secret.as_str().eq_ignore_ascii_case(scheme))
                })
                .map(|secret| secret.range()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for (_, pattern) in PATTERNS {
            Regex::new(pattern).unwrap();
        }
    }
}
