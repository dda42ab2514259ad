//! The time of day.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since the epoch; 0 for a clock that stands before it.
pub(super) fn seconds_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |time| time.as_secs_f64())
}
