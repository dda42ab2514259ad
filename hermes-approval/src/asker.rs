//! Whoever can be asked.

#[cfg(feature = "tokio")]
use std::{future::Future, pin::Pin, sync::Arc};

use crate::{Answer, ApprovalRequest};

/// Something that brings a request to whoever decides, and waits for the answer. It always answers:
/// what goes wrong on the way is a denial that says what it was.
pub trait Asker: Send + Sync {
    /// Asks, and waits.
    fn ask(&self, request: &ApprovalRequest) -> Answer;
}

impl<A: Asker + ?Sized> Asker for &A {
    fn ask(&self, request: &ApprovalRequest) -> Answer {
        (**self).ask(request)
    }
}

impl<A: Asker + ?Sized> Asker for std::sync::Arc<A> {
    fn ask(&self, request: &ApprovalRequest) -> Answer {
        (**self).ask(request)
    }
}

/// An answer that is awaited.
#[cfg(feature = "tokio")]
pub type Answering<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// The same, for those who await.
#[cfg(feature = "tokio")]
pub trait AsyncAsker: Send + Sync {
    /// Asks. Dropping the future takes the request back.
    fn ask_async<'a>(&'a self, request: &'a ApprovalRequest) -> Answering<'a>;
}

/// An asker that blocks, asked on a thread that may.
#[cfg(feature = "tokio")]
#[derive(Clone, Debug)]
pub struct OnThread<A>(pub Arc<A>);

#[cfg(feature = "tokio")]
impl<A: Asker + 'static> AsyncAsker for OnThread<A> {
    fn ask_async<'a>(&'a self, request: &'a ApprovalRequest) -> Answering<'a> {
        let asker = Arc::clone(&self.0);
        let request = request.clone();
        let begun = std::time::Instant::now();
        Box::pin(async move {
            match tokio::task::spawn_blocking(move || asker.ask(&request)).await {
                Ok(answer) => answer,
                Err(error) => {
                    tracing::warn!(%error, "an asker ended without an answer, which denies");
                    Answer::denied(crate::AnsweredBy::Failed, begun.elapsed())
                }
            }
        })
    }
}
