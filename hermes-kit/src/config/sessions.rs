//! `sessions:`: how long conversations are kept.

use std::time::Duration;

use super::section::{ConfigProblem, Section, key};
use super::yaml::Node;

/// The settings of the store, which [`Hermes::auto_prune`](crate::Hermes::auto_prune) goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionsConfig {
    /// `auto_prune`: whether old conversations are deleted. No.
    pub auto_prune: bool,
    /// `retention_days`: how old they get. 90.
    pub retention_days: u32,
    /// `vacuum_after_prune`: whether the file is made smaller afterwards. Yes.
    pub vacuum_after_prune: bool,
    /// `min_interval_hours`: how long after one look for old ones the next comes. 24.
    pub min_interval: Duration,
    /// `write_json_snapshots`. No. Nothing here uses it: the store alone holds conversations, and
    /// an export gives each as JSON.
    pub write_json_snapshots: bool,
}

pub(super) fn read(root: &Node) -> (SessionsConfig, Vec<ConfigProblem>) {
    let mut at = Section::new(root, "sessions", &|_| None);
    let config = read_from(&mut at);
    (config, at.finish())
}

pub(super) fn read_from(at: &mut Section<'_>) -> SessionsConfig {
    SessionsConfig {
        auto_prune: at.flag(key("auto_prune")).unwrap_or(false),
        retention_days: at
            .whole(key("retention_days"), 1..=36_500)
            .and_then(|days| u32::try_from(days).ok())
            .unwrap_or(90),
        vacuum_after_prune: at.flag(key("vacuum_after_prune")).unwrap_or(true),
        min_interval: at
            .number(key("min_interval_hours"), 0.0..=876_000.0)
            .and_then(|hours| Duration::try_from_secs_f64(hours * 3600.0).ok())
            .unwrap_or(Duration::from_secs(24 * 3600)),
        write_json_snapshots: at.flag(key("write_json_snapshots")).unwrap_or(false),
    }
}
