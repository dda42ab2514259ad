//! `echo` and `printf`.

use crate::word::Word;
use crate::word::ansi_c::{Escapes, unescape};

/// What `echo` prints.
pub(crate) fn echo(arguments: &[Word]) -> Option<String> {
    let mut newline = true;
    let mut escapes = false;
    let mut words = arguments;
    while let Some((first, rest)) = words.split_first() {
        let Some(flags) = first.known().and_then(|t| t.strip_prefix('-')) else {
            break;
        };
        if flags.is_empty() || !flags.bytes().all(|b| matches!(b, b'n' | b'e' | b'E')) {
            break;
        }
        newline &= !flags.contains('n');
        escapes |= flags.contains('e');
        words = rest;
    }
    let mut text = String::new();
    for (i, word) in words.iter().enumerate() {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(printed(word)?);
    }
    if escapes {
        text = unescape(&text, Escapes::Echo);
    }
    if newline {
        text.push('\n');
    }
    Some(text)
}

/// What `printf` prints; the first word is the format.
pub(crate) fn printf(arguments: &[Word]) -> Option<String> {
    let arguments = match arguments {
        [first, rest @ ..] if first.known() == Some("--") => rest,
        all => all,
    };
    let (format, values) = arguments.split_first()?;
    let format = format.known()?;
    let mut values = values.iter();
    let mut out = String::new();
    // The format is used again until the values are used up.
    for _ in 0..MAX_ROUNDS {
        let before = values.len();
        round(format, &mut values, &mut out)?;
        if values.len() == 0 || values.len() == before {
            return Some(out);
        }
    }
    None
}

const MAX_ROUNDS: usize = 256;

fn round<'w>(
    format: &str,
    values: &mut impl Iterator<Item = &'w Word>,
    out: &mut String,
) -> Option<()> {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (head, tail) = rest.split_at_checked(at)?;
        out.push_str(&unescape(head, Escapes::Printf));
        let spec = tail.get(1..)?;
        let plain = spec.trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | ' ' | '#')
        });
        let conversion = plain.chars().next()?;
        rest = plain.get(conversion.len_utf8()..)?;
        if conversion == '%' {
            out.push('%');
            continue;
        }
        let value = match values.next() {
            Some(word) => word.known()?,
            None => "",
        };
        match conversion {
            's' => out.push_str(value),
            'b' => out.push_str(&unescape(value, Escapes::Echo)),
            'q' => out.push_str(value),
            'c' => out.extend(value.chars().next()),
            'd' | 'i' | 'u' => out.push_str(&number(value)?.to_string()),
            'x' => out.push_str(&format!("{:x}", number(value)?)),
            'o' => out.push_str(&format!("{:o}", number(value)?)),
            _ => return None,
        }
    }
    out.push_str(&unescape(rest, Escapes::Printf));
    Some(())
}

fn number(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    if let Some(c) = text.strip_prefix(['\'', '"']) {
        return c.chars().next().map(|c| i64::from(u32::from(c)));
    }
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The text of an argument; a pattern may print something else.
fn printed(word: &Word) -> Option<&str> {
    // A pattern that matches nothing prints itself, but nobody knows that.
    if word.has_glob() { None } else { word.known() }
}

/// What `basename` and `dirname` print of one path.
pub(crate) fn path_part(name: &str, arguments: &[Word]) -> Option<String> {
    let [path] = arguments else { return None };
    let path = printed(path)?;
    let cut = path.trim_end_matches('/');
    let (folder, base) = cut.rsplit_once('/').unwrap_or((".", cut));
    let folder = folder.trim_end_matches('/');
    let part = match (name, cut) {
        (_, "") => "/",
        ("basename", _) => base,
        _ if folder.is_empty() => "/",
        _ => folder,
    };
    Some(format!("{part}\n"))
}
