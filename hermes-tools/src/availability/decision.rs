//! Tells the log what was decided about a check.

use std::sync::Arc;

use crate::availability::rules::Judged;

/// How a verdict differs from the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// It does not, or it is a first yes, which is nothing to tell.
    None,
    /// The first verdict is a no: a key is not set, a program is not installed.
    Missing,
    /// It was available.
    Lost,
    /// It was not available.
    Back,
}

impl Change {
    pub(super) fn between(before: Option<bool>, available: bool) -> Change {
        match (before, available) {
            (None, false) => Change::Missing,
            (Some(true), false) => Change::Lost,
            (Some(false), true) => Change::Back,
            _ => Change::None,
        }
    }
}

/// A verdict that was found, to be logged when no lock is held.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) check: Arc<str>,
    pub(super) judged: Judged,
    pub(super) change: Change,
}

impl Decision {
    /// Every decision at `debug`; a change once more, where people see it.
    pub(super) fn log(&self) {
        let check = &*self.check;
        let reason = self.judged.reason.as_deref().unwrap_or_default();
        tracing::debug!(
            check,
            available = self.judged.available,
            flaky = self.judged.flaky,
            reason,
            "a check was judged"
        );
        match self.change {
            Change::None => {}
            Change::Missing => tracing::info!(check, reason, "a check says no"),
            Change::Lost => tracing::warn!(
                check,
                reason,
                "a check that said yes says no; its tools are no longer offered"
            ),
            Change::Back => tracing::info!(check, "a check says yes again"),
        }
    }
}
