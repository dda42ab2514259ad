//! What a word of YAML means, for Python: YAML 1.1, in which `off` is false and `010` is eight.

use serde_json::{Number, Value};

/// A word without quotes. A date is text, because JSON has none.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "true" | "True" | "TRUE" => Value::Bool(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" => {
            Value::Bool(false)
        }
        _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Value> {
    let (negative, digits) = match text.split_at_checked(1) {
        // With a sign there is a digit in front of the point.
        Some(("-" | "+", rest)) if rest.starts_with('.') && !is_infinite(rest) => return None,
        Some(("-", rest)) => (true, rest),
        Some(("+", rest)) => (false, rest),
        _ => (false, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    whole(negative, digits).or_else(|| fraction(negative, digits))
}

fn whole(negative: bool, digits: &str) -> Option<Value> {
    let (radix, rest) = match digits {
        "0" => (10, digits),
        _ => match (digits.get(..2), digits.get(2..)) {
            (Some("0b"), Some(rest)) => (2, rest),
            (Some("0x"), Some(rest)) => (16, rest),
            _ => match digits.strip_prefix('0') {
                Some(rest) => (8, rest),
                None => (10, digits),
            },
        },
    };
    if radix == 10 && digits.contains(':') {
        return sixties(negative, digits, false);
    }
    let is_digit = |c: char| c.is_digit(radix) || c == '_';
    if rest.is_empty() || !rest.chars().all(is_digit) {
        return None;
    }
    let mut rest = rest.replace('_', "");
    if rest.is_empty() && radix == 8 {
        rest.push('0');
    }
    let sign = if negative { "-" } else { "" };
    match i64::from_str_radix(&format!("{sign}{rest}"), radix) {
        Ok(number) => Some(Value::from(number)),
        // Python's have no end; those of JSON neither, when they are decimal.
        Err(_) if radix == 10 => format!("{sign}{rest}").parse().ok().map(Value::Number),
        Err(_) => None,
    }
}

fn fraction(negative: bool, digits: &str) -> Option<Value> {
    if is_infinite(digits) {
        // JSON has no word for it.
        return Some(Value::Null);
    }
    if digits.contains(':') {
        return sixties(negative, digits, true);
    }
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    // Without a sign it is no exponent, and without a point no fraction.
    if let Some(exponent) = exponent {
        let power = exponent.strip_prefix(['+', '-'])?;
        if power.is_empty() || !power.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
    }
    let (before, after) = mantissa.split_once('.')?;
    let is_digit = |c: char| c.is_ascii_digit() || c == '_';
    let starts = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let well_formed = before.chars().all(is_digit)
        && after.chars().all(is_digit)
        && (starts(before) || before.is_empty() && starts(after));
    if !well_formed {
        return None;
    }
    let sign = if negative { "-" } else { "" };
    let number: f64 = format!("{sign}{digits}").replace('_', "").parse().ok()?;
    Some(Number::from_f64(number).map_or(Value::Null, Value::Number))
}

fn is_infinite(digits: &str) -> bool {
    matches!(digits, ".inf" | ".Inf" | ".INF")
}

/// `1:30` is ninety, `22:22` is 1342: a trap for lists of ports.
fn sixties(negative: bool, digits: &str, is_fraction: bool) -> Option<Value> {
    let (first, rest) = digits.split_once(':')?;
    let (rest, tail) = match (is_fraction, rest.rsplit_once('.')) {
        (true, Some((rest, tail))) => (rest, tail),
        (true, None) => return None,
        (false, _) => (rest, ""),
    };
    let leading = |c: char| c.is_ascii_digit() && (is_fraction || c != '0');
    let is_digit = |c: char| c.is_ascii_digit() || c == '_';
    if !first.starts_with(leading) || !first.chars().all(is_digit) || !tail.chars().all(is_digit) {
        return None;
    }
    let mut total: i64 = first.replace('_', "").parse().ok()?;
    for part in rest.split(':') {
        let at_most_59 = matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        let part: i64 = part.parse().ok().filter(|_| at_most_59)?;
        total = total.checked_mul(60)?.checked_add(part)?;
    }
    let sign = if negative { "-" } else { "" };
    if !is_fraction {
        return Some(Value::from(if negative { -total } else { total }));
    }
    let number: f64 = format!("{sign}{total}.{}", tail.replace('_', ""))
        .parse()
        .ok()?;
    Number::from_f64(number).map(Value::Number)
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected must fail"
)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_what_it_means_to_python() {
        let recorded = testdata::vectors("yaml_words");
        for pair in recorded.as_array().unwrap() {
            let (Some(Value::String(word)), Some(expected)) = (pair.get(0), pair.get(1)) else {
                unreachable!("{pair}")
            };
            let found = plain(word);
            let same = match (expected, &found) {
                (Value::Number(a), Value::Number(b)) if a.as_i64().is_none() => {
                    a.as_f64() == b.as_f64()
                }
                _ => *expected == found,
            };
            assert!(same, "{word}: {found}, not {expected}");
        }
    }
}
