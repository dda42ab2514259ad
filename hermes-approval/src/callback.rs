//! A function that is asked instead of a person at a terminal.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use crate::{Answer, AnsweredBy, ApprovalRequest, Asker, Choice};

/// Asks a function. One that panics has denied.
pub struct Callback<F>(F);

impl<F> Callback<F>
where
    F: Fn(&ApprovalRequest) -> Choice + Send + Sync,
{
    /// With this function.
    pub fn new(ask: F) -> Self {
        Self(ask)
    }
}

impl<F> Asker for Callback<F>
where
    F: Fn(&ApprovalRequest) -> Choice + Send + Sync,
{
    fn ask(&self, request: &ApprovalRequest) -> Answer {
        let begun = Instant::now();
        // Whatever state the function leaves behind is its own.
        match catch_unwind(AssertUnwindSafe(|| (self.0)(request))) {
            Ok(choice) => Answer::person(request.limited(choice), begun.elapsed()),
            Err(_) => {
                tracing::warn!("the function that is asked for approval panicked, which denies");
                Answer::denied(AnsweredBy::Failed, begun.elapsed())
            }
        }
    }
}

impl<F> fmt::Debug for Callback<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Callback")
    }
}
