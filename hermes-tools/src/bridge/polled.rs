//! An async handler's run: its future, polled in its context until it ends or has to.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::Ran;
use super::timed::Timed;
use crate::cancel::Cancelled;
use crate::carry::Luggage;
use crate::contain::contain;
use crate::context::CallContext;
use crate::handler::{Arguments, AsyncFn, HandlerFuture};

/// Ready when the handler is, at the limit, or when the call is cancelled; the future is gone then.
pub(crate) struct Polled {
    stage: Stage,
    luggage: Luggage,
    cancelled: Cancelled,
    limit: Duration,
    deadline: Option<Instant>,
}

enum Stage {
    /// Making the future is the handler's code too, and waits for the first poll.
    Start {
        handler: Arc<AsyncFn>,
        arguments: Arguments,
        context: CallContext,
    },
    Running(HandlerFuture),
    Over,
}

impl Polled {
    /// The limit counts from now.
    pub(crate) fn new(
        handler: Arc<AsyncFn>,
        arguments: Arguments,
        context: CallContext,
        limit: Option<Duration>,
        luggage: Luggage,
    ) -> Polled {
        Polled {
            cancelled: context.cancellation().cancelled(),
            stage: Stage::Start {
                handler,
                arguments,
                context,
            },
            luggage,
            limit: limit.unwrap_or_default(),
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
        }
    }

    /// One poll of the handler's future, in its context.
    fn step(&mut self, context: &mut Context<'_>) -> Poll<Ran> {
        let stage = &mut self.stage;
        let polled = self.luggage.within(|| {
            contain(|| {
                if let Stage::Start { .. } = stage
                    && let Stage::Start {
                        handler,
                        arguments,
                        context,
                    } = std::mem::replace(stage, Stage::Over)
                {
                    *stage = Stage::Running(handler(arguments, context));
                }
                match stage {
                    Stage::Running(future) => future.as_mut().poll(context).map(Ran::Done),
                    Stage::Start { .. } | Stage::Over => {
                        Poll::Ready(Ran::Unable("it had ended before".to_owned()))
                    }
                }
            })
        });
        match polled {
            Ok(Ok(polled)) => polled,
            Ok(Err(text)) => Poll::Ready(Ran::Panicked(text)),
            Err(problem) => Poll::Ready(Ran::Unable(problem)),
        }
    }

    /// Drops the future, in its context, which its drop may need.
    fn end(&mut self) {
        let stage = std::mem::replace(&mut self.stage, Stage::Over);
        if matches!(stage, Stage::Over) {
            return;
        }
        let mut stage = Some(stage);
        let dropped = self.luggage.within(|| contain(|| drop(stage.take())));
        if let Err(text) = dropped.and_then(|dropped| dropped) {
            tracing::warn!(problem = text, "an async handler was not dropped cleanly");
            // Without its context, then.
            let _ = contain(|| drop(stage.take()));
        }
    }
}

impl Timed for Polled {
    type Output = Ran;

    fn poll(&mut self, now: Instant, context: &mut Context<'_>) -> Poll<Ran> {
        let ran = if Pin::new(&mut self.cancelled).poll(context).is_ready() {
            Ran::Cancelled
        } else if self.deadline.is_some_and(|deadline| deadline <= now) {
            Ran::TimedOut(self.limit)
        } else {
            match self.step(context) {
                Poll::Ready(ran) => ran,
                Poll::Pending => return Poll::Pending,
            }
        };
        self.end();
        Poll::Ready(ran)
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}

impl Drop for Polled {
    fn drop(&mut self) {
        self.end();
    }
}
