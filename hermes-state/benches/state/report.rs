//! Figures with their limits, and whether they were kept.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Report {
    figures: serde_json::Map<String, serde_json::Value>,
    missed: Vec<String>,
}

impl Report {
    /// A figure without a limit.
    pub(crate) fn note(&mut self, name: &str, value: f64, unit: &str) {
        println!("{name:<58} {value:>12.2} {unit}");
        self.keep(name, value);
    }

    pub(crate) fn at_most(&mut self, name: &str, value: f64, unit: &str, limit: f64) {
        println!("{name:<58} {value:>12.2} {unit}   at most {limit}");
        self.keep(name, value);
        if value > limit {
            self.missed
                .push(format!("{name}: {value:.2} {unit}, limit {limit}"));
        }
    }

    pub(crate) fn at_least(&mut self, name: &str, value: f64, unit: &str, limit: f64) {
        println!("{name:<58} {value:>12.2} {unit}   at least {limit}");
        self.keep(name, value);
        if value < limit {
            self.missed
                .push(format!("{name}: {value:.2} {unit}, limit {limit}"));
        }
    }

    fn keep(&mut self, name: &str, value: f64) {
        self.figures.insert(name.to_owned(), value.into());
    }

    pub(crate) fn end(self, figures: Option<PathBuf>) {
        if let Some(path) = figures {
            let text = serde_json::to_string_pretty(&self.figures).unwrap();
            std::fs::write(path, text).unwrap();
        }
        if !self.missed.is_empty() {
            println!("\nmissed:");
            for line in &self.missed {
                println!("  {line}");
            }
            std::process::exit(1);
        }
    }
}

/// Nearest rank.
pub(crate) fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted[rank.saturating_sub(1)]
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
