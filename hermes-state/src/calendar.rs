//! Days of the calendar.

/// The Gregorian date (year, month, day) so many days after 1970-01-01. Years are counted from March
/// here, so that the day that a leap year has more is its last.
pub(crate) fn date(days: i64) -> (i64, i64, i64) {
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

/// `20260101_120000`, in UTC: for the names of copies. Times before the epoch count as that.
pub(crate) fn stamp(seconds: f64) -> String {
    let seconds = std::time::Duration::try_from_secs_f64(seconds).map_or(0, |d| d.as_secs());
    let seconds = i64::try_from(seconds).unwrap_or(0);
    let (year, month, day) = date(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{day:02}_{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_the_time_in_utc() {
        assert_eq!(stamp(0.0), "19700101_000000");
        assert_eq!(stamp(1_772_368_496.9), "20260301_123456");
        assert_eq!(stamp(-5.0), "19700101_000000");
        assert_eq!(stamp(f64::NAN), "19700101_000000");
    }
}
