//! Numbers as texts: every digit is kept, and none is made up.

use serde_json::{Number, Value};

/// How many digits a text may have to be taken for a number: as many as Python reads.
const MAX_DIGITS: usize = 4300;

/// How many digits writing out an exponent may give: as many as the largest `f64` has.
const MAX_WRITTEN_OUT: usize = 309;

/// A whole number stays whole up to this many digits where any number is wanted; beyond, an
/// exponent is kept.
const MAX_PLAIN: usize = 21;

/// A decimal as it was written, without the zeros around it.
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
    has_exponent: bool,
}

impl<'a> Decimal<'a> {
    /// Reads `-12.5e3`, and what JSON does not have but means one thing: `+1`, `007`, `.5`, `5.`.
    fn read(text: &'a str) -> Option<Decimal<'a>> {
        if text.len() > MAX_DIGITS + 16 {
            return None;
        }
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (rest, None),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if mantissa.len() > MAX_DIGITS || !digits(whole) || !digits(fraction) {
            return None;
        }
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let exponent_value = match exponent {
            None => 0,
            Some(text) => {
                let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
                if unsigned.is_empty() || !digits(unsigned) {
                    return None;
                }
                text.parse::<i32>().ok()?
            }
        };
        Some(Decimal {
            negative,
            whole: whole.trim_start_matches('0'),
            fraction: fraction.trim_end_matches('0'),
            exponent: i64::from(exponent_value),
            has_exponent: exponent.is_some(),
        })
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.bytes().all(|b| b == b'0')
    }

    /// The digits of the whole number that it is.
    fn whole_number(&self) -> Option<String> {
        if self.is_zero() {
            return Some("0".to_owned());
        }
        let shift = self.exponent - i64::try_from(self.fraction.len()).ok()?;
        if shift > MAX_WRITTEN_OUT as i64 {
            return None;
        }
        let mut digits = String::with_capacity(self.whole.len() + self.fraction.len() + 8);
        if self.negative {
            digits.push('-');
        }
        let sign = digits.len();
        digits.push_str(self.whole);
        digits.push_str(self.fraction);
        if shift < 0 {
            let surplus = usize::try_from(-shift).ok()?;
            let kept = digits.len().checked_sub(surplus).filter(|k| *k > sign)?;
            if digits.get(kept..)?.bytes().any(|b| b != b'0') {
                return None;
            }
            digits.truncate(kept);
        }
        let leading = digits
            .get(sign..)?
            .bytes()
            .take_while(|b| *b == b'0')
            .count();
        digits.drain(sign..sign + leading);
        if shift > 0 {
            let zeros = usize::try_from(shift).ok()?;
            if digits.len() - sign + zeros > MAX_WRITTEN_OUT {
                return None;
            }
            digits.extend(std::iter::repeat_n('0', zeros));
        }
        Some(digits)
    }

    /// As JSON writes it.
    fn json(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let whole = if self.whole.is_empty() {
            "0"
        } else {
            self.whole
        };
        let mut text = format!("{sign}{whole}");
        if !self.fraction.is_empty() {
            text.push('.');
            text.push_str(self.fraction);
        }
        if self.has_exponent && self.exponent != 0 {
            text.push_str(&format!("e{}", self.exponent));
        }
        text
    }
}

/// The whole number that the text is.
pub(super) fn integer(text: &str) -> Option<Number> {
    // The usual case, without a second buffer.
    if let Ok(small) = text.parse::<i64>() {
        return Some(Number::from(small));
    }
    Decimal::read(text)?.whole_number()?.parse().ok()
}

/// The number that the text is, if an `f64` has a value near it.
pub(super) fn number(text: &str) -> Option<Number> {
    if let Ok(small) = text.parse::<i64>()
        && !text.starts_with("-0")
    {
        return Some(Number::from(small));
    }
    let decimal = Decimal::read(text)?;
    if decimal.is_zero() {
        let zero = if decimal.negative { "-0.0" } else { "0" };
        return zero.parse().ok();
    }
    let short = |digits: &String| digits.len() <= MAX_PLAIN || !decimal.has_exponent;
    if let Some(digits) = decimal.whole_number().filter(short) {
        return digits.parse().ok();
    }
    let text = decimal.json();
    let near: f64 = text.parse().ok()?;
    (near.is_finite() && near != 0.0)
        .then(|| text.parse().ok())
        .flatten()
}

/// The integer that a number such as 3.0 is; `None` if it is written as one, or is none.
pub(super) fn as_integer(number: &Number) -> Option<Value> {
    let text = number.as_str();
    if !text.contains(['.', 'e', 'E']) {
        return None;
    }
    integer(text).map(Value::Number)
}

/// Whether a number is whole, however it is written.
pub(super) fn is_integer(number: &Number) -> bool {
    let text = number.as_str();
    !text.contains(['.', 'e', 'E'])
        || Decimal::read(text).is_some_and(|decimal| decimal.whole_number().is_some())
}

/// Whether two numbers are equal, however they are written.
pub(super) fn same(a: &Number, b: &Number) -> bool {
    let whole = |number: &Number| Decimal::read(number.as_str())?.whole_number();
    a == b
        || match (whole(a), whole(b)) {
            (Some(a), Some(b)) => a == b,
            (None, None) => a.as_f64().is_some_and(|x| b.as_f64() == Some(x)),
            _ => false,
        }
}
