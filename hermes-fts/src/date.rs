//! Dates as ISO 8601 writes them.
//!
//! A time follows its date without a blank: the index takes `2025-03-14T09:30` for the words `2025`,
//! `03`, `14t09` and `30`, and the day alone is none of them. So a date is looked for before a time,
//! too.

use alloc::format;
use alloc::string::String;

/// `2025-03-14`.
const SHAPE: &[u8] = b"dddd-dd-dd";

/// What a word that ends in a date (and perhaps in punctuation) begins with where a time follows.
pub(crate) fn before_time(word: &str) -> Option<String> {
    let word = word.trim_end_matches(|c: char| c.is_ascii_punctuation());
    let (before, date) = word.split_at_checked(word.len().checked_sub(SHAPE.len())?)?;
    let apart = !before.ends_with(|c: char| c.is_ascii_alphanumeric());
    (apart && is_date(date)).then(|| format!("{word}T"))
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
    use super::before_time;

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
