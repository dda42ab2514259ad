//! Waiting for one answer, on a thread or in a task.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::queue::Slot;
use super::{Heartbeat, Shared};
use crate::{Answer, AnsweredBy, ApprovalRequest, Choice, Surface};

/// How long the agent may be silent.
const BEAT: Duration = Duration::from_secs(1);

/// A request that waits for its answer. Dropped before there is one, the request is taken back.
///
/// It is a future too, of any runtime. As such it has no time-out; `Ticket::answer` (feature `tokio`) has.
#[derive(Debug)]
#[must_use = "dropping it takes the request back"]
pub struct Ticket {
    shared: Arc<Shared>,
    slot: Arc<Slot>,
    told: bool,
}

impl Ticket {
    pub(super) fn new(shared: Arc<Shared>, slot: Arc<Slot>) -> Self {
        Self {
            shared,
            slot,
            told: false,
        }
    }

    /// The request, with its id.
    pub fn request(&self) -> &ApprovalRequest {
        &self.slot.request
    }

    /// Waits on this thread, for the time of the gateway's options.
    pub fn wait(self) -> Answer {
        let timeout = self.shared.options.timeout;
        self.wait_for(timeout)
    }

    /// Waits on this thread, no longer than `timeout` from when the request was submitted.
    pub fn wait_for(mut self, timeout: Duration) -> Answer {
        loop {
            if let Some(answer) = self.wait_slice(timeout) {
                return self.told(answer);
            }
            if self.slot.since.elapsed() >= timeout {
                return self.give_up(AnsweredBy::Timeout);
            }
            if !self.is_wanted() {
                return self.give_up(AnsweredBy::Interrupted);
            }
        }
    }

    /// Awaits the answer, for the time of the gateway's options.
    #[cfg(feature = "tokio")]
    pub async fn answer(self) -> Answer {
        let timeout = self.shared.options.timeout;
        self.answer_within(timeout).await
    }

    /// Awaits the answer, no longer than `timeout` from when the request was submitted. Needs the
    /// timer of tokio.
    #[cfg(feature = "tokio")]
    pub async fn answer_within(mut self, timeout: Duration) -> Answer {
        loop {
            let left = timeout.saturating_sub(self.slot.since.elapsed());
            let slice = self.beat().map_or(left, |_| left.min(BEAT));
            if let Ok(answer) = tokio::time::timeout(slice, &mut self).await {
                return answer;
            }
            if self.slot.since.elapsed() >= timeout {
                return self.give_up(AnsweredBy::Timeout);
            }
            if !self.is_wanted() {
                return self.give_up(AnsweredBy::Interrupted);
            }
        }
    }

    /// The answer, if it comes before the next beat and the end.
    fn wait_slice(&self, timeout: Duration) -> Option<Answer> {
        let begun = Instant::now();
        let mut cell = self.slot.cell();
        loop {
            if let Some(answer) = &cell.answer {
                return Some(answer.clone());
            }
            let left = timeout.saturating_sub(self.slot.since.elapsed());
            let slice = match self.beat() {
                Some(_) => left.min(BEAT.saturating_sub(begun.elapsed())),
                None => left,
            };
            if slice.is_zero() {
                return None;
            }
            cell = self
                .slot
                .answered
                .wait_timeout(cell, slice)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Takes the request back, unless an answer is on its way; then that counts.
    fn give_up(&mut self, by: AnsweredBy) -> Answer {
        self.shared
            .settle_waiting(&self.slot, Choice::Deny, None, by);
        let mut cell = self.slot.cell();
        loop {
            if let Some(answer) = cell.answer.clone() {
                drop(cell);
                return self.told(answer);
            }
            // Whoever took the request answers it next, and nothing of others runs in between.
            cell = self
                .slot
                .answered
                .wait(cell)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn beat(&self) -> Option<&Arc<Heartbeat>> {
        self.shared.options.heartbeat.as_ref()
    }

    fn is_wanted(&self) -> bool {
        self.beat()
            .is_none_or(|beat| beat(&self.slot.request.session_key))
    }

    /// Tells the hooks, once.
    fn told(&mut self, answer: Answer) -> Answer {
        if !self.told {
            self.told = true;
            let hooks = &self.shared.options.hooks;
            hooks.after(&self.slot.request, &answer, Surface::Gateway);
        }
        answer
    }
}

impl Future for Ticket {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let mut cell = self.slot.cell();
        let Some(answer) = cell.answer.clone() else {
            cell.waker = Some(context.waker().clone());
            return Poll::Pending;
        };
        drop(cell);
        Poll::Ready(self.told(answer))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.told {
            self.give_up(AnsweredBy::Closed);
        }
    }
}
