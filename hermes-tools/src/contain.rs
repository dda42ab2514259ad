//! Foreign code whose panics stay inside.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::text::panic_text;

/// Runs foreign code; a panic becomes an error that says what the panic said.
pub(crate) fn contain<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(said)
}

/// What a panic said. Dropping what it was thrown with is foreign code too, and may panic again.
fn said(payload: Box<dyn Any + Send>) -> String {
    let text = panic_text(payload.as_ref());
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    text
}

#[cfg(feature = "tokio")]
pub(crate) use future::contain_future;

#[cfg(feature = "tokio")]
mod future {
    use std::future::{Future, poll_fn};
    use std::pin::Pin;
    use std::task::Poll;

    use super::contain;

    /// Polls a future whose panics become an error. It is not polled again after one.
    pub(crate) async fn contain_future<F: Future + Unpin>(
        mut future: F,
    ) -> Result<F::Output, String> {
        poll_fn(
            |context| match contain(|| Pin::new(&mut future).poll(context)) {
                Ok(Poll::Pending) => Poll::Pending,
                Ok(Poll::Ready(given)) => Poll::Ready(Ok(given)),
                Err(text) => Poll::Ready(Err(text)),
            },
        )
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct PanicsAgain;

    impl Drop for PanicsAgain {
        fn drop(&mut self) {
            std::panic::panic_any(PanicsAgain);
        }
    }

    #[test]
    fn a_payload_that_panics_when_it_is_dropped_stays_inside() {
        let caught = contain(|| -> () { std::panic::panic_any(PanicsAgain) });
        assert_eq!(caught, Err("a panic without a message".to_owned()));
    }

    #[test]
    fn what_a_panic_said_is_kept_and_a_value_passes() {
        assert_eq!(contain(|| 3), Ok(3));
        assert_eq!(
            contain(|| -> () { panic!("static") }),
            Err("static".to_owned())
        );
        let number = 7;
        assert_eq!(
            contain(|| -> () { panic!("no {number}") }),
            Err("no 7".to_owned())
        );
    }
}
