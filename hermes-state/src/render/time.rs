//! Times for people, in UTC: a document is read elsewhere and later.

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

/// The Gregorian date so many days after 1970-01-01. Years are counted from March here, so that the
/// day that a leap year has more is its last.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    let days = days + 719_468;
    let era = days.div_euclid(DAYS_OF_400_YEARS);
    let day_of_era = days.rem_euclid(DAYS_OF_400_YEARS);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
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
