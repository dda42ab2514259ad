//! Times as people write them: dates, how long ago, seconds since 1970.

use std::ops::Range;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, ZonedDateTime};

/// Numbers below this are no seconds since 1970 that anybody means.
const SMALL: f64 = 1e6;

/// Years that may be written alone.
const YEARS: Range<i16> = 1970..2200;

/// Days, from `90`, `90d`, `12h` or `2w`: more than none.
pub(crate) fn days(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.trim().strip_suffix(['d', 'h', 'w']) {
        Some(number) if text.trim().ends_with('h') => (number, 1.0 / 24.0),
        Some(number) if text.trim().ends_with('w') => (number, 7.0),
        Some(number) => (number, 1.0),
        None => (text.trim(), 1.0),
    };
    match number.parse::<f64>() {
        Ok(n) if n.is_finite() && n > 0.0 => Ok(n * unit),
        Ok(0.0) => Err("0 would be all of them: leave it out for that".to_owned()),
        Ok(_) => Err("must be more than 0".to_owned()),
        Err(_) => Err("a number of days, such as 90, 12h or 2w".to_owned()),
    }
}

/// The beginning of what is named, in seconds since the epoch.
pub(crate) fn since(text: &str) -> Result<f64, String> {
    named(text, &ZonedDateTime::now()).map(|period| period.start)
}

/// The end of what is named: the first moment behind a day, a month or a year.
pub(crate) fn until(text: &str) -> Result<f64, String> {
    named(text, &ZonedDateTime::now()).map(|period| period.end)
}

/// A moment or a period, in seconds since the epoch. Dates and times are those of `now`'s zone.
fn named(text: &str, now: &ZonedDateTime) -> Result<Range<f64>, String> {
    let text = text.trim();
    let today = now.date();
    let zone = now.time_zone();
    let found = match text.to_ascii_lowercase().as_str() {
        "now" => Some(at(now.timestamp())),
        "today" => days_from(today, 1.day(), zone),
        "yesterday" => today
            .yesterday()
            .ok()
            .and_then(|day| days_from(day, 1.day(), zone)),
        _ => None,
    };
    if let Some(found) = found.or_else(|| year_or_month(text, zone)) {
        return Ok(found);
    }
    if let Ok(seconds) = text.parse::<f64>() {
        return match seconds {
            small if small > 0.0 && small < SMALL => Err(format!(
                "a number alone is in seconds since 1970: for days ago write {text}d, for hours {text}h"
            )),
            seconds if seconds.is_finite() => Ok(seconds..seconds),
            _ => Err(help()),
        };
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(at(moment));
    }
    if let Ok(day) = text.parse::<Date>()
        && !text.contains(['T', 't', ' ', ':'])
    {
        return days_from(day, 1.day(), zone).ok_or_else(help);
    }
    if let Ok(time) = text.parse::<DateTime>() {
        return zone.to_timestamp(time).map(at).map_err(|_| help());
    }
    let ago = text.parse::<Span>().map_err(|_| help())?.abs();
    now.checked_sub(ago)
        .map(|then| at(then.timestamp()))
        .map_err(|_| help())
}

fn help() -> String {
    "a time, such as 2026-01-31, 2026-01-31T12:00, yesterday, 2h, 3d, 2w or 1769817600".to_owned()
}

/// `2026` or `2026-01`.
fn year_or_month(text: &str, zone: &TimeZone) -> Option<Range<f64>> {
    let (year, month) = match text.split_once('-') {
        Some((year, month)) if month.len() == 2 => (year, Some(month.parse().ok()?)),
        Some(_) => return None,
        None => (text, None),
    };
    let year = Some(year).filter(|year| year.len() == 4)?.parse().ok()?;
    if !YEARS.contains(&year) {
        return None;
    }
    let first = Date::new(year, month.unwrap_or(1), 1).ok()?;
    let length = if month.is_some() { 1.month() } else { 1.year() };
    days_from(first, length, zone)
}

fn days_from(first: Date, length: Span, zone: &TimeZone) -> Option<Range<f64>> {
    let start = |day: Date| zone.to_timestamp(day.at(0, 0, 0, 0)).ok();
    let behind = first.checked_add(length).ok()?;
    Some(seconds(start(first)?)..seconds(start(behind)?))
}

fn at(moment: Timestamp) -> Range<f64> {
    seconds(moment)..seconds(moment)
}

fn seconds(moment: Timestamp) -> f64 {
    moment.as_duration().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: &str = "2026-03-15T12:00:00+01:00[Europe/Berlin]";

    fn read(text: &str) -> Result<(String, String), String> {
        let now: ZonedDateTime = NOON.parse().unwrap();
        let period = named(text, &now)?;
        let local = |seconds: f64| {
            let duration = jiff::SignedDuration::try_from_secs_f64(seconds).unwrap();
            let moment = Timestamp::from_duration(duration).unwrap();
            let local = moment.to_zoned_datetime(now.time_zone().clone());
            local.strftime("%Y-%m-%d %H:%M").to_string()
        };
        Ok((local(period.start), local(period.end)))
    }

    #[test]
    fn moments_are_read_as_people_write_them() {
        for (text, moment) in [
            ("now", "2026-03-15 12:00"),
            ("2h", "2026-03-15 10:00"),
            ("90min", "2026-03-15 10:30"),
            ("3d", "2026-03-12 12:00"),
            ("3 days ago", "2026-03-12 12:00"),
            ("1d 2h", "2026-03-14 10:00"),
            ("2w", "2026-03-01 12:00"),
            ("6mo", "2025-09-15 12:00"),
            ("1y", "2025-03-15 12:00"),
            ("2026-01-31T12:30", "2026-01-31 12:30"),
            ("2026-01-31 12:30", "2026-01-31 12:30"),
            ("2026-01-31T12:30:00Z", "2026-01-31 13:30"),
            ("2026-07-01T12:30:00-05:00", "2026-07-01 19:30"),
            (" 1762000000 ", "2025-11-01 13:26"),
        ] {
            let (start, end) = read(text).unwrap();
            assert_eq!((start.as_str(), end.as_str()), (moment, moment), "{text}");
        }
    }

    #[test]
    fn days_months_and_years_have_an_end() {
        for (text, start, end) in [
            ("today", "2026-03-15 00:00", "2026-03-16 00:00"),
            ("Yesterday", "2026-03-14 00:00", "2026-03-15 00:00"),
            ("2026-01-31", "2026-01-31 00:00", "2026-02-01 00:00"),
            // The clock is put forward that night.
            ("2026-03-29", "2026-03-29 00:00", "2026-03-30 00:00"),
            ("2026-02", "2026-02-01 00:00", "2026-03-01 00:00"),
            ("2025", "2025-01-01 00:00", "2026-01-01 00:00"),
        ] {
            assert_eq!(read(text), Ok((start.to_owned(), end.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "soon",
            "2026-13-01",
            "2026-02-30",
            "2026-1",
            "7",
            "0.5",
            "nan",
            "inf",
            "h",
            "-",
            "99999999999y",
            "2026-01-31T25:00",
        ] {
            let problem = read(text).unwrap_err();
            assert!(
                problem.contains("such as") || problem.contains("write"),
                "{text}: {problem}"
            );
        }
        assert!(read("7").unwrap_err().contains("7d"));
    }

    #[test]
    fn ages_are_read_as_people_write_them() {
        assert_eq!(
            (days("90"), days("2w"), days("12h")),
            (Ok(90.0), Ok(14.0), Ok(0.5))
        );
        for wrong in ["0", "-1", "abc", "", "nan", "inf", "1y"] {
            assert!(days(wrong).is_err(), "{wrong}");
        }
    }
}
