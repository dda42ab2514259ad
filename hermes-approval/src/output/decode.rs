//! base64, base32 and hexadecimal digits.

use crate::word::Word;

type Decoder = fn(&str) -> Option<Vec<u8>>;

/// `base64 -d`, `base32 --decode`: what it prints for a text.
pub(super) fn command(arguments: &[Word], text: &str, decoder: Decoder) -> Option<String> {
    let decodes = arguments.iter().any(|word| {
        word.known().is_some_and(|t| match t.strip_prefix("--") {
            Some(long) => "decode".starts_with(long) && !long.is_empty(),
            None => t.starts_with('-') && t.contains(['d', 'D']),
        })
    });
    if decodes {
        text_of(decoder(text)?)
    } else {
        None
    }
}

/// `openssl base64 -d`, `openssl enc -base64 -d`, without a cipher.
pub(super) fn openssl(arguments: &[Word], text: &str) -> Option<String> {
    let has = |name: &str| arguments.iter().any(|w| w.known() == Some(name));
    let plain = has("base64") || (has("enc") && (has("-base64") || has("-a")));
    let cipher = arguments.iter().any(|w| {
        w.starts_with_known("-aes") || w.starts_with_known("-k") || w.starts_with_known("-pass")
    });
    if plain && has("-d") && !cipher {
        text_of(base64(text)?)
    } else {
        None
    }
}

/// `xxd -r -p`
pub(super) fn xxd(arguments: &[Word], text: &str) -> Option<String> {
    let flags: String = arguments
        .iter()
        .filter_map(Word::known)
        .filter(|t| t.starts_with('-'))
        .collect();
    let reverts = flags.contains('r');
    let plain = flags.contains('p') || flags.contains("ps");
    if reverts && plain {
        return text_of(hex(text)?);
    }
    if !reverts {
        return None;
    }
    // A dump: `00000000: 726d 202d  rm -`
    let mut bytes = Vec::new();
    for line in text.lines() {
        let digits = line.split_once(':').map_or(line, |(_, rest)| rest);
        let digits = digits.split("  ").next().unwrap_or("");
        bytes.extend(hex(digits)?);
    }
    text_of(bytes)
}

fn text_of(bytes: Vec<u8>) -> Option<String> {
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
    )
}

/// Decodes base64 as lenient programs do: blanks and missing padding don't matter.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    bits(text, 6, |b| {
        Some(match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        })
    })
}

pub(crate) fn base32(text: &str) -> Option<Vec<u8>> {
    bits(text, 5, |b| {
        Some(match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a',
            b'2'..=b'7' => b - b'2' + 26,
            _ => return None,
        })
    })
}

pub(crate) fn hex(text: &str) -> Option<Vec<u8>> {
    bits(text, 4, |b| {
        char::from(b)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    })
}

fn bits(text: &str, width: u32, value: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut pending, mut have) = (0_u32, 0_u32);
    for b in text.bytes().filter(|b| !b.is_ascii_whitespace()) {
        if b == b'=' {
            // Padding; there may be another piece behind it.
            (pending, have) = (0, 0);
            continue;
        }
        pending = (pending << width) | u32::from(value(b)?);
        have += width;
        if have >= 8 {
            have -= 8;
            out.push((pending >> have) as u8);
            pending &= (1 << have) - 1;
        }
    }
    Some(out)
}
