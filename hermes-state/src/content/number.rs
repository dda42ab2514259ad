//! Numbers as a TEXT column stores them.

/// A float as SQLite turns it into text: fifteen digits, always with a point. SQLite stores NaN as
/// NULL, so it has no text.
pub(super) fn float_text(x: f64) -> Option<String> {
    if x.is_nan() {
        return None;
    }
    if x.is_infinite() {
        return Some(if x > 0.0 { "Inf" } else { "-Inf" }.to_owned());
    }
    if x == 0.0 {
        return Some("0.0".to_owned());
    }
    let scientific = format!("{:.*e}", DIGITS - 1, x.abs());
    let (mantissa, exponent) = scientific.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let digits = digits.trim_end_matches('0');
    let sign = if x < 0.0 { "-" } else { "" };
    let size = usize::try_from(exponent.unsigned_abs()).ok()?;
    Some(if exponent < -4 || size >= DIGITS {
        let e = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{}e{e}{size:02}", pointed(digits, 1))
    } else if exponent < 0 {
        format!("{sign}0.{}{digits}", "0".repeat(size - 1))
    } else {
        format!("{sign}{}", pointed(digits, size + 1))
    })
}

const DIGITS: usize = 15;

/// Digits with a point behind so many, and at least one digit after it.
fn pointed(digits: &str, whole: usize) -> String {
    match digits.split_at_checked(whole) {
        Some((before, after)) if !after.is_empty() => format!("{before}.{after}"),
        _ => format!("{digits:0<whole$}.0"),
    }
}
