//! Signals that end the command, and this program after it.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_kit::terminal::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::failure::Failure;

/// Which of them came.
pub(super) struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// From now on they only interrupt.
    pub(super) fn watch(interrupt: Interrupt) -> Result<Signals, Failure> {
        let failed = |error: std::io::Error| {
            Failure::new(
                "signals",
                format!("signals cannot be listened for: {error}"),
                "this is unexpected: please report it with the message",
            )
        };
        let (mut reader, writer) = UnixStream::pair().map_err(failed)?;
        let came = Arc::new(AtomicUsize::new(0));
        for (signal, number) in [(SIGINT, 2), (SIGTERM, 15), (SIGHUP, 1)] {
            // In this order: whoever is woken finds the number.
            signal_hook::flag::register_usize(signal, Arc::clone(&came), number).map_err(failed)?;
            let writer = writer.try_clone().map_err(failed)?;
            signal_hook::low_level::pipe::register(signal, writer).map_err(failed)?;
        }
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                let mut byte = [0];
                while reader.read(&mut byte).is_ok_and(|count| count > 0) {
                    interrupt.interrupt();
                }
            })
            .map_err(failed)?;
        Ok(Signals(came))
    }

    /// What to exit with, if one came: 128 and its number.
    pub(super) fn exit(&self) -> Option<u8> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            number => u8::try_from(128 + number).ok(),
        }
    }
}
