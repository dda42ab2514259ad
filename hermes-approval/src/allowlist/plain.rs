//! What a word without quotes means in YAML 1.1, which is what Python reads.

/// What a plain scalar is, if it is no text.
pub(super) fn other_than_text(plain: &str) -> Option<&'static str> {
    if matches!(plain, "" | "~") || is_any(plain, &["null"]) {
        return Some("empty");
    }
    if is_any(plain, &["yes", "no", "true", "false", "on", "off"]) {
        return Some("yes or no");
    }
    if plain == "<<" || plain == "=" {
        return Some("a sign of YAML");
    }
    if is_number(plain) {
        return Some("a number");
    }
    is_date(plain).then_some("a date")
}

/// Whether a text can be written without quotes and is the same text to every reader. Careful
/// rather than complete: quotes do no harm.
pub(super) fn reads_back(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == ')')
        && !text.contains("  ")
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || " _./()+-'".contains(c))
        && other_than_text(text).is_none()
        // One letter stands for yes or no in some readers.
        && text.len() > 1
}

/// The three ways of writing that YAML 1.1 takes: lower, upper, capitalised.
fn is_any(plain: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        plain.eq_ignore_ascii_case(word)
            && (plain.chars().skip(1).all(|c| c.is_ascii_lowercase())
                || plain.chars().all(|c| c.is_ascii_uppercase()))
    })
}

fn is_number(plain: &str) -> bool {
    let body = plain.strip_prefix(['-', '+']).unwrap_or(plain);
    let lower = body.to_ascii_lowercase();
    if lower == ".inf" || plain.eq_ignore_ascii_case(".nan") {
        return true;
    }
    let digits_of = |rest: &str, base: u32| {
        !rest.is_empty() && rest.chars().all(|c| c == '_' || c.is_digit(base))
    };
    if let Some(rest) = lower.strip_prefix("0x") {
        return digits_of(rest, 16);
    }
    if let Some(rest) = lower.strip_prefix("0b") {
        return digits_of(rest, 2);
    }
    let Some(first) = body.chars().next() else {
        return false;
    };
    if !(first.is_ascii_digit() || first == '.') || !body.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    // Base sixty, as in 12:30:45.
    let whole = body.split_once('.').map_or(body, |(whole, _)| whole);
    let sixties = whole.contains(':')
        && body.matches('.').count() <= 1
        && body
            .chars()
            .all(|c| c.is_ascii_digit() || ":_.".contains(c))
        && whole
            .split(':')
            .enumerate()
            .all(|(place, part)| !part.is_empty() && (place == 0 || part.len() <= 2));
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => (mantissa.to_owned(), exponent.to_owned()),
        None => (lower.clone(), "+0".to_owned()),
    };
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(&exponent);
    let decimal = mantissa.matches('.').count() <= 1
        && mantissa
            .chars()
            .all(|c| c.is_ascii_digit() || c == '_' || c == '.')
        && !exponent.is_empty()
        && exponent.chars().all(|c| c.is_ascii_digit());
    sixties || decimal
}

fn is_date(plain: &str) -> bool {
    let mut parts = plain.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let day: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let after = rest.chars().nth(day.len());
    year.len() == 4
        && year.chars().all(|c| c.is_ascii_digit())
        && (1..=2).contains(&month.len())
        && month.chars().all(|c| c.is_ascii_digit())
        && (1..=2).contains(&day.len())
        && matches!(after, None | Some('T' | 't' | ' ' | '\t'))
        && plain
            .chars()
            .all(|c| c.is_ascii_digit() || "-:.+TtZz \t".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_python_takes_for_something_else_are_no_text() {
        for word in [
            "",
            "~",
            "null",
            "Null",
            "NULL",
            "yes",
            "No",
            "TRUE",
            "off",
            "1",
            "-1",
            "0x1f",
            "0b1",
            "1_000",
            "1.5",
            ".5",
            "1e+5",
            "12:30",
            "190:20:30.15",
            ".inf",
            "-.INF",
            ".NaN",
            "2020-01-02",
            "2020-1-2T10:00:00Z",
            "<<",
            "=",
        ] {
            assert!(other_than_text(word).is_some(), "{word}");
        }
    }

    #[test]
    fn words_that_only_look_like_it_are_text() {
        for word in [
            "find",
            "git *",
            "yEs",
            "nulls",
            "1a",
            "1.2.3.4",
            "-",
            "+",
            "0xg",
            "2020-01-02-x",
            "e5",
            "a:b",
            "2020-13",
            "ls -1",
            ".",
            "10:20:x",
        ] {
            assert_eq!(other_than_text(word), None, "{word}");
        }
    }

    #[test]
    fn keys_are_written_as_python_writes_them() {
        assert!(reads_back("recursive delete"));
        assert!(reads_back(
            "git reset --hard (destroys uncommitted changes)"
        ));
        assert!(reads_back(
            "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')"
        ));
        for text in [
            "yes", "n", "a: b", "a #b", "- a", "*", "git *", "a ", " a", "1", "é", "a:",
        ] {
            assert!(!reads_back(text), "{text}");
        }
    }
}
