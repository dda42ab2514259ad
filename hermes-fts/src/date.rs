//! Dates as ISO 8601 writes them.
//!
//! A time follows its date without a blank: the index takes `2025-03-14T09:30` for the words `2025`,
//! `03`, `14t09` and `30`, and the day alone is none of them. So a date is looked for before a time,
//! too, and a date with a time in both forms, with or without a `Z` behind.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// `2025-03-14`.
const SHAPE: &[u8] = b"dddd-dd-dd";

/// What a word that ends in a date (and perhaps in punctuation) begins with where a time follows.
pub(crate) fn before_time(word: &str) -> Option<String> {
    let word = word.trim_end_matches(|c: char| c.is_ascii_punctuation());
    let (before, date) = word.split_at_checked(word.len().checked_sub(SHAPE.len())?)?;
    let apart = !before.ends_with(|c: char| c.is_ascii_alphanumeric());
    (apart && is_date(date)).then(|| format!("{word}T"))
}

/// A word of a query, and what stands between it and the one before.
pub(crate) struct Written<'a> {
    pub(crate) lead: &'a str,
    pub(crate) text: &'a str,
}

/// A date with a time of day, however it was typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// With a blank and with a `T` between; both may go on, with seconds or a `Z`.
    pub(crate) forms: Vec<String>,
    /// How many words of the query it is.
    pub(crate) words: usize,
}

/// The moment that a query names from its first word on: `2025-03-14 09:30`, `2025-03-14T09:30:05Z`.
pub(crate) fn moment<'a>(mut words: impl Iterator<Item = Written<'a>>) -> Option<Moment> {
    let first = words.next()?.text;
    let mut read = 1;
    let (day, hour) = match split_at_t(first) {
        Some(parts) => parts,
        None => {
            let hour = words.next()?;
            read += 1;
            let apart = !hour.lead.is_empty() && hour.lead.chars().all(char::is_whitespace);
            (first, apart.then_some(hour.text)?)
        }
    };
    let date = day.get(day.len().checked_sub(SHAPE.len())?..)?;
    let before = day.get(..day.len() - SHAPE.len())?;
    let apart = !before.ends_with(|c: char| c.is_ascii_alphanumeric());
    let (hour, behind) = two_digits(hour, 23)?;
    if !apart || !is_date(date) || !behind.is_empty() {
        return None;
    }
    let (minute, mut behind) = two_digits(after_colon(words.next())?, 59)?;
    read += 1;
    let mut time = format!("{hour}:{minute}");
    if behind.is_empty()
        && let Some(text) = after_colon(words.next())
    {
        let (second, rest) = two_digits(text, 60)?;
        let (fraction, rest) = fraction(rest);
        time = format!("{time}:{second}{fraction}");
        behind = rest;
        read += 1;
    }
    let behind = behind.strip_prefix(['Z', 'z']).unwrap_or(behind);
    let ends = behind.chars().all(|c| c.is_ascii_punctuation());
    ends.then(|| Moment {
        forms: [' ', 'T'].map(|gap| format!("{day}{gap}{time}")).into(),
        words: read,
    })
}

/// `2025-03-14` and `09` of `2025-03-14T09`.
fn split_at_t(word: &str) -> Option<(&str, &str)> {
    let (day, hour) = word.split_at_checked(word.len().checked_sub("T09".len())?)?;
    Some((day, hour.strip_prefix(['T', 't'])?))
}

fn after_colon(word: Option<Written<'_>>) -> Option<&str> {
    word.filter(|word| word.lead == ":").map(|word| word.text)
}

/// The two digits that a text begins with, and what follows them.
fn two_digits(text: &str, greatest: u8) -> Option<(&str, &str)> {
    let (digits, rest) = text.split_at_checked(2)?;
    let fits = digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u8>().is_ok_and(|number| number <= greatest)
        && !rest.starts_with(|c: char| c.is_ascii_digit());
    fits.then_some((digits, rest))
}

/// The fraction of a second that a text begins with, if it does, and what follows.
fn fraction(text: &str) -> (String, &str) {
    let rest = text.strip_prefix(['.', ',']).unwrap_or_default();
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest.strip_suffix(behind).unwrap_or_default();
    match digits {
        "" => (String::new(), text),
        digits => (".".to_owned() + digits, behind),
    }
}

fn is_date(text: &str) -> bool {
    let fits = text.bytes().zip(SHAPE).all(|(byte, shape)| match shape {
        b'd' => byte.is_ascii_digit(),
        shape => byte == *shape,
    });
    let part = |at: core::ops::Range<usize>| text.get(at).and_then(|part| part.parse::<u8>().ok());
    fits && part(5..7).is_some_and(|month| (1..=12).contains(&month))
        && part(8..10).is_some_and(|day| (1..=31).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::{Moment, Written, before_time, moment};

    fn read(query: &[(&str, &str)]) -> Option<Moment> {
        let words = query.iter();
        moment(words.map(|&(lead, text)| Written { lead, text }))
    }

    #[test]
    fn a_date_with_a_time_has_two_forms() {
        for (words, forms, count) in [
            (
                &[
                    ("", "2025-03-14"),
                    (" ", "09"),
                    (":", "30"),
                    (" ", "started"),
                ][..],
                ["2025-03-14 09:30", "2025-03-14T09:30"],
                3,
            ),
            (
                &[("", "2025-03-14T09"), (":", "30Z")],
                ["2025-03-14 09:30", "2025-03-14T09:30"],
                2,
            ),
            (
                &[("", "(2025-03-14t09"), (":", "30"), (":", "05.123Z)")],
                ["(2025-03-14 09:30:05.123", "(2025-03-14T09:30:05.123"],
                3,
            ),
            (
                &[("", "2025-03-14"), (" ", "23"), (":", "59"), (":", "60,")],
                ["2025-03-14 23:59:60", "2025-03-14T23:59:60"],
                4,
            ),
        ] {
            let found = read(words).unwrap();
            assert_eq!(
                (found.forms, found.words),
                (forms.map(Into::into).into(), count)
            );
        }
    }

    #[test]
    fn other_numbers_behind_a_date_are_no_time() {
        for words in [
            &[("", "2025-03-14")][..],
            &[("", "2025-03-14"), (" ", "09"), (" ", "30")],
            &[("", "2025-03-14"), (":", "09"), (":", "30")],
            &[("", "2025-03-14"), (" ", "24"), (":", "30")],
            &[("", "2025-03-14"), (" ", "09"), (":", "60")],
            &[("", "2025-03-14"), (" ", "09"), (":", "305")],
            &[("", "2025-03-14"), (" ", "09"), (":", "30x")],
            &[("", "2025-13-14"), (" ", "09"), (":", "30")],
            &[("", "v2025-03-14T09"), (":", "30")],
            &[("", "é"), (" ", "09"), (":", "30")],
        ] {
            assert_eq!(read(words), None);
        }
    }

    #[test]
    fn a_word_that_ends_in_a_date_goes_on_with_a_time() {
        for (word, before) in [
            ("2025-03-14", "2025-03-14T"),
            ("2025-03-14,", "2025-03-14T"),
            ("(2025-12-31)", "(2025-12-31T"),
            ("since=2024-02-29", "since=2024-02-29T"),
            ("backup-2025-01-01", "backup-2025-01-01T"),
        ] {
            assert_eq!(before_time(word).as_deref(), Some(before), "{word}");
        }
    }

    #[test]
    fn what_is_no_full_date_stays_as_it_is() {
        for word in [
            "",
            "2025",
            "2025-03",
            "2025-13-14",
            "2025-00-14",
            "2025-03-32",
            "2025-03-00",
            "2025-3-14",
            "2025/03/14",
            "12025-03-14",
            "v2025-03-14",
            "2025-03-14T09",
            "2025-03-141",
            "+1-555-2025-03",
            "1234-5678-90",
            "𝟐𝟎𝟐𝟓-𝟎𝟑-𝟏𝟒",
        ] {
            assert_eq!(before_time(word), None, "{word}");
        }
    }
}
