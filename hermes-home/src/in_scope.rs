//! A future that carries its override with it.

use std::future::Future;
use std::pin::Pin;
use std::task;

use pin_project_lite::pin_project;

use crate::Context;

pin_project! {
    /// A future that is polled, and dropped, with a [`Context`] entered. Made by
    /// [`HermesHome::scope`] and [`Context::scope`]; it needs no particular runtime.
    ///
    /// Between two polls nothing of it is entered, so tasks on one thread do not see each other's
    /// home, and a task may go on on another thread.
    ///
    /// [`HermesHome::scope`]: crate::HermesHome::scope
    #[derive(Debug)]
    #[must_use = "futures do nothing unless they are polled"]
    pub struct InScope<F> {
        context: Context,
        // Taken out by the drop alone.
        #[pin]
        future: Option<F>,
    }

    impl<F> PinnedDrop for InScope<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            let _scope = this.context.attach();
            this.future.set(None);
        }
    }
}

impl<F> InScope<F> {
    pub(crate) fn new(context: Context, future: F) -> Self {
        Self {
            context,
            future: Some(future),
        }
    }

    /// What is entered.
    pub fn context(&self) -> &Context {
        &self.context
    }
}

impl<F: Future> Future for InScope<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> task::Poll<F::Output> {
        let this = self.project();
        let _scope = this.context.attach();
        match this.future.as_pin_mut() {
            Some(future) => future.poll(cx),
            // It is there until the drop, after which nobody polls.
            None => task::Poll::Pending,
        }
    }
}
