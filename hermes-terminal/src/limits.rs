//! How much and how long.

use std::time::Duration;

/// What bounds a command in the foreground.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many characters of output are kept: 50,000. The first 40 % and the last 60 % of them.
    pub output_chars: usize,
    /// How long a command may take that says nothing about it: 180 seconds.
    pub default_timeout: Duration,
    /// The longest time-out: 600 seconds.
    pub max_timeout: Duration,
    /// How long a command has between being asked to end and being killed: 2 seconds.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            output_chars: 50_000,
            default_timeout: Duration::from_secs(180),
            max_timeout: Duration::from_secs(600),
            grace: Duration::from_secs(2),
        }
    }
}
