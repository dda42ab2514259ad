//! Times as people read them: in their own zone, and how long ago.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ZonedDateTime};

/// Formats times against one moment and one zone.
#[derive(Debug, Clone)]
pub(crate) struct When {
    now: Timestamp,
    zone: TimeZone,
}

impl When {
    /// Now, in the system's zone.
    pub(crate) fn now() -> When {
        When {
            now: Timestamp::now(),
            zone: TimeZone::system(),
        }
    }

    /// `2025-10-27 08:30`; what is no time, as the number it is.
    pub(crate) fn minute(&self, seconds: f64) -> String {
        self.zoned(seconds).map_or_else(
            || no_time(seconds),
            |t| t.strftime("%Y-%m-%d %H:%M").to_string(),
        )
    }

    /// `08:30:12`.
    pub(crate) fn second(&self, seconds: f64) -> String {
        self.zoned(seconds)
            .map_or_else(|| no_time(seconds), |t| t.strftime("%H:%M:%S").to_string())
    }

    /// `3 days ago`, `just now`, `in 2 h`.
    pub(crate) fn ago(&self, seconds: f64) -> String {
        let Some(then) = timestamp(seconds) else {
            return String::new();
        };
        let past = self.now.duration_since(then);
        let text = amount(past.abs());
        match (text, past.is_negative()) {
            (None, _) => "just now".to_owned(),
            (Some(text), false) => format!("{text} ago"),
            (Some(text), true) => format!("in {text}"),
        }
    }

    /// Seconds since the epoch.
    pub(crate) fn seconds(&self) -> f64 {
        self.now.as_duration().as_secs_f64()
    }

    /// How far the zone is ahead of UTC now, in seconds.
    pub(crate) fn offset(&self) -> i32 {
        self.zone.to_offset(self.now).seconds()
    }

    fn zoned(&self, seconds: f64) -> Option<ZonedDateTime> {
        Some(timestamp(seconds)?.to_zoned_datetime(self.zone.clone()))
    }
}

/// A number that no calendar reaches, as short as it can be said.
fn no_time(seconds: f64) -> String {
    format!("{seconds:e}")
}

fn timestamp(seconds: f64) -> Option<Timestamp> {
    let duration = SignedDuration::try_from_secs_f64(seconds).ok()?;
    Timestamp::from_duration(duration).ok()
}

/// The largest unit that fits; `None` below a minute.
fn amount(duration: SignedDuration) -> Option<String> {
    let minutes = duration.as_mins();
    let (hours, days) = (minutes / 60, minutes / (60 * 24));
    let plural = |n: i64, unit: &str| format!("{n} {unit}{}", if n == 1 { "" } else { "s" });
    Some(match (minutes, hours, days) {
        (..1, ..) => return None,
        (..60, ..) => format!("{minutes} min"),
        (_, ..24, _) => format!("{hours} h"),
        (.., ..14) => plural(days, "day"),
        (.., ..60) => plural(days / 7, "week"),
        (.., ..730) => plural(days / 30, "month"),
        _ => plural(days / 365, "year"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> When {
        When {
            now: Timestamp::from_second(1_762_000_000).unwrap(),
            zone: TimeZone::UTC,
        }
    }

    #[test]
    fn the_distance_is_told_in_the_largest_unit() {
        let ago = |seconds: f64| noon().ago(1_762_000_000.0 - seconds);
        assert_eq!(ago(5.0), "just now");
        assert_eq!(ago(60.0), "1 min ago");
        assert_eq!(ago(7_200.0), "2 h ago");
        assert_eq!(ago(86_400.0), "1 day ago");
        assert_eq!(ago(20.0 * 86_400.0), "2 weeks ago");
        assert_eq!(ago(100.0 * 86_400.0), "3 months ago");
        assert_eq!(ago(1_000.0 * 86_400.0), "2 years ago");
        assert_eq!(ago(-3_600.0), "in 1 h");
    }

    #[test]
    fn what_is_no_time_is_shown_as_it_is() {
        assert_eq!(noon().minute(1_762_000_000.25), "2025-11-01 12:26");
        assert_eq!(noon().second(1_762_000_000.25), "12:26:40");
        assert_eq!(noon().minute(1e300), "1e300");
        assert_eq!(noon().ago(f64::INFINITY), "");
    }
}
