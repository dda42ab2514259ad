//! Ending commands from another thread.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Error, Result};

/// Ends the commands that were given it, now or when they start. Clones are one.
///
/// The file descriptor hangs up when [`interrupt`](Self::interrupt) is called, so that whoever
/// waits in `poll` for something else can wait for it as well.
#[derive(Debug, Clone)]
pub struct Interrupt {
    ends: Arc<Ends>,
}

#[derive(Debug)]
struct Ends {
    reader: PipeReader,
    /// Dropping it is the signal: everybody who waits sees that, however many they are.
    writer: Mutex<Option<PipeWriter>>,
}

impl Interrupt {
    /// One that nobody has used.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the process has no file descriptors left.
    pub fn new() -> Result<Self> {
        let (reader, writer) = io::pipe().map_err(Error::io("making a pipe for interruption"))?;
        Ok(Self {
            ends: Arc::new(Ends {
                reader,
                writer: Mutex::new(Some(writer)),
            }),
        })
    }

    /// Ends them, for good.
    pub fn interrupt(&self) {
        drop(self.writer().take());
    }

    /// Whether it has been called.
    pub fn is_interrupted(&self) -> bool {
        self.writer().is_none()
    }

    /// Hangs up when it is called.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.ends.reader.as_fd()
    }

    fn writer(&self) -> std::sync::MutexGuard<'_, Option<PipeWriter>> {
        self.ends
            .writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
