//! Times for people, in UTC: a document is read elsewhere and later.

use crate::calendar::date;

/// `2026-01-31 09:05:00 UTC`; a number that is no time of our calendar as it is.
pub(super) fn text(seconds: f64) -> String {
    // The years 0 to 9999.
    if !(-62_167_219_200.0..253_402_300_800.0).contains(&seconds) {
        return seconds.to_string();
    }
    #[expect(clippy::cast_possible_truncation, reason = "within the range above")]
    let seconds = seconds.floor() as i64;
    let (year, month, day) = date(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn times_are_dates_of_the_calendar() {
        for (seconds, expected) in [
            (0.0, "1970-01-01 00:00:00 UTC"),
            (-0.5, "1969-12-31 23:59:59 UTC"),
            (951_782_400.0, "2000-02-29 00:00:00 UTC"),
            (1_735_689_599.9, "2024-12-31 23:59:59 UTC"),
            (4_107_542_400.0, "2100-03-01 00:00:00 UTC"),
            (1e18, "1000000000000000000"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(text(seconds), expected);
        }
    }
}
