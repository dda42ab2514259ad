//! What an answer means: a pure function of it, the time, and the last success.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::check::Answer;

/// How long a verdict is used without asking again.
pub(super) const KEPT: Duration = Duration::from_secs(30);

/// A failure that comes so soon after a success is a flake.
pub(super) const GRACE: Duration = Duration::from_secs(60);

/// An answer, and what follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) available: bool,
    pub(super) flaky: bool,
    /// Why the check failed, if it did.
    pub(super) reason: Option<Arc<str>>,
    /// From then on the check has to be asked again.
    pub(super) fresh_until: Instant,
}

impl Judged {
    /// Whether the check itself said yes.
    pub(super) fn is_success(&self) -> bool {
        self.reason.is_none()
    }

    pub(super) fn reason_if_unavailable(&self) -> Option<&str> {
        self.reason.as_deref().filter(|_| !self.available)
    }
}

/// Judges an answer that was given at this time.
pub(super) fn judge(answer: Answer, at: Instant, last_success: Option<Instant>) -> Judged {
    let flaky = answer.is_err()
        && last_success.is_some_and(|success| at.saturating_duration_since(success) <= GRACE);
    let kept_until = at.checked_add(KEPT).unwrap_or(at);
    Judged {
        available: answer.is_ok() || flaky,
        flaky,
        reason: answer.err().map(Arc::from),
        fresh_until: if flaky { at } else { kept_until },
    }
}
