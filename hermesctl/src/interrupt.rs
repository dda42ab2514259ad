//! Ctrl-C: once to stop at the next good place, twice to stop at once.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::failure::Failure;

/// What a shell takes for "ended by Ctrl-C".
const STOPPED_AT_ONCE: i32 = 130;

/// Tells whether somebody pressed Ctrl-C since it was made.
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on the first Ctrl-C only raises a flag.
    pub(crate) fn watch() -> Result<Interrupt, Failure> {
        let pressed = Arc::new(AtomicBool::new(false));
        // In this order: the second one finds the flag of the first.
        flag::register_conditional_shutdown(SIGINT, STOPPED_AT_ONCE, pressed.clone())
            .and_then(|_| flag::register(SIGINT, pressed.clone()))
            .map_err(|e: io::Error| {
                Failure::new(
                    "signals",
                    format!("Ctrl-C cannot be listened for: {e}"),
                    "this is unexpected: please report it with the message",
                )
            })?;
        Ok(Interrupt(pressed))
    }

    /// Whether to go on.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The work ended early because of it.
    pub(crate) fn failure(what: &str) -> Failure {
        Failure::new(
            "interrupted",
            format!("stopped by Ctrl-C; {what}"),
            "run it again to go on",
        )
    }
}
