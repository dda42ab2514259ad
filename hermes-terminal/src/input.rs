//! What goes into a running command, from whichever thread: bytes, the end of them, and what is to
//! be done with it.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::environment::TerminalSize;
use crate::{Error, Result};

/// How much may wait for a command that does not read.
const MOST: usize = 1 << 20;

/// The line from those who use a command to the thread that attends to it.
#[derive(Debug)]
pub(crate) struct Input {
    state: Mutex<State>,
    wake: Option<Wake>,
    /// Where more comes from, until it ends.
    source: Option<Arc<OwnedFd>>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<u8>,
    last: Option<u8>,
    closed: bool,
    /// The command reads nothing more.
    refused: bool,
    end: bool,
    resize: Option<TerminalSize>,
}

/// A pipe: the attending thread waits for its descriptors.
#[derive(Debug)]
struct Wake {
    reader: io::PipeReader,
    writer: io::PipeWriter,
}

/// What an attending thread has to do.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Orders {
    pub(crate) end: bool,
    pub(crate) resize: Option<TerminalSize>,
}

/// Why bytes were not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It has been closed.
    Closed,
    /// The command reads nothing more.
    NotRead,
    /// Too much waits already.
    Full,
}

impl Input {
    /// All there is to write; then the end.
    pub(crate) fn given(bytes: Vec<u8>) -> Self {
        let last = bytes.last().copied();
        Self {
            state: Mutex::new(State {
                queue: bytes.into(),
                last,
                closed: true,
                ..State::default()
            }),
            wake: None,
            source: None,
        }
    }

    /// This first, and then all that comes from there.
    pub(crate) fn passed_on(first: Vec<u8>, source: Arc<OwnedFd>) -> Self {
        let input = Self::given(first);
        input.state().closed = false;
        Self {
            source: Some(source),
            ..input
        }
    }

    /// This first, and more when somebody writes it.
    pub(crate) fn open(first: Vec<u8>) -> Result<Self> {
        let (reader, writer) = io::pipe().map_err(Error::io("making a pipe for input"))?;
        set_non_blocking(&reader)
            .and_then(|()| set_non_blocking(&writer))
            .map_err(|error| Error::io("preparing a pipe for input")(error.into()))?;
        let input = Self::given(first);
        input.state().closed = false;
        Ok(Self {
            wake: Some(Wake { reader, writer }),
            ..input
        })
    }

    /// Takes bytes for the command.
    pub(crate) fn write(&self, bytes: &[u8]) -> std::result::Result<(), Refused> {
        let mut state = self.state();
        if state.closed {
            return Err(Refused::Closed);
        }
        if state.refused {
            return Err(Refused::NotRead);
        }
        if state.queue.len() + bytes.len() > MOST {
            return Err(Refused::Full);
        }
        state.queue.extend(bytes);
        state.last = bytes.last().copied().or(state.last);
        drop(state);
        self.wake();
        Ok(())
    }

    /// Ends the input behind what waits. `sign` is what tells a terminal so.
    pub(crate) fn close(&self, sign: Option<u8>) -> std::result::Result<(), Refused> {
        let mut state = self.state();
        if state.closed {
            return Err(Refused::Closed);
        }
        state.closed = true;
        Self::sign_off(&mut state, sign);
        drop(state);
        self.wake();
        Ok(())
    }

    /// The sign for an input that was closed from the start.
    pub(crate) fn signed(&self, sign: Option<u8>) {
        let mut state = self.state();
        if state.closed {
            Self::sign_off(&mut state, sign);
        }
    }

    fn sign_off(state: &mut State, sign: Option<u8>) {
        let Some(sign) = sign else { return };
        // In a line that has begun it only sends the line off.
        if state
            .last
            .is_some_and(|last| !matches!(last, b'\n' | b'\r'))
        {
            state.queue.push_back(sign);
        }
        state.queue.push_back(sign);
    }

    /// Asks for the end of the command.
    pub(crate) fn end(&self) {
        self.state().end = true;
        self.wake();
    }

    /// Asks for another size of its terminal.
    pub(crate) fn resize(&self, size: TerminalSize) {
        self.state().resize = Some(size);
        self.wake();
    }

    /// Where more comes from, while nothing else waits for the command.
    pub(crate) fn source(&self) -> Option<BorrowedFd<'_>> {
        let state = self.state();
        let wants_more = state.queue.is_empty() && !state.closed && !state.refused;
        self.source
            .as_ref()
            .filter(|_| wants_more)
            .map(|source| source.as_fd())
    }

    /// Takes what has come from there. A source that fails has ended.
    pub(crate) fn take_from_source(&self, buffer: &mut [u8]) {
        let Some(source) = &self.source else { return };
        let read = rustix::io::read(source, &mut *buffer);
        let mut state = self.state();
        match read {
            Ok(count) if count > 0 => {
                let bytes = buffer.get(..count).unwrap_or_default();
                state.queue.extend(bytes);
                state.last = bytes.last().copied();
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Ok(_) => state.closed = true,
            Err(error) => {
                tracing::warn!(%error, "the input of a command could not be read on");
                state.closed = true;
            }
        }
    }

    /// Readable when there is something to look at.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.wake.as_ref().map(|wake| wake.reader.as_fd())
    }

    pub(crate) fn orders(&self) -> Orders {
        if let Some(wake) = &self.wake {
            let mut bytes = [0; 64];
            while rustix::io::read(&wake.reader, &mut bytes).is_ok_and(|count| count == 64) {}
        }
        let mut state = self.state();
        Orders {
            end: state.end,
            resize: state.resize.take(),
        }
    }

    pub(crate) fn has_bytes(&self) -> bool {
        !self.state().queue.is_empty()
    }

    /// Whether all has been written that ever will be.
    pub(crate) fn is_over(&self) -> bool {
        let state = self.state();
        state.refused || state.closed && state.queue.is_empty()
    }

    /// Writes some of it.
    pub(crate) fn write_to(&self, command: &mut impl Write) -> io::Result<()> {
        let mut state = self.state();
        let count = command.write(state.queue.as_slices().0)?;
        state.queue.drain(..count);
        Ok(())
    }

    /// The command reads nothing more.
    pub(crate) fn refuse(&self) {
        let mut state = self.state();
        state.refused = true;
        state.queue = VecDeque::new();
    }

    fn wake(&self) {
        if let Some(wake) = &self.wake
            && let Err(error) = rustix::io::write(&wake.writer, &[0])
            // One that is full has woken it already.
            && error != rustix::io::Errno::AGAIN
        {
            tracing::warn!(%error, "a thread that attends to a command could not be woken");
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// So that neither reading nor writing waits.
pub(crate) fn set_non_blocking(end: impl AsFd) -> rustix::io::Result<()> {
    let flags = fcntl_getfl(&end)?;
    fcntl_setfl(&end, flags | OFlags::NONBLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(input: &Input) -> Vec<u8> {
        let mut bytes = Vec::new();
        while input.has_bytes() {
            input.write_to(&mut bytes).unwrap();
        }
        bytes
    }

    #[test]
    fn what_waits_is_bounded_and_nothing_follows_the_end() {
        let input = Input::open(b"first\n".to_vec()).unwrap();
        assert_eq!(input.write(&vec![b'x'; MOST]), Err(Refused::Full));
        input.write(b"second\n").unwrap();
        assert!(!input.is_over());
        input.close(None).unwrap();
        assert_eq!(input.write(b"x"), Err(Refused::Closed));
        assert_eq!(input.close(None), Err(Refused::Closed));
        assert_eq!(written(&input), b"first\nsecond\n");
        assert!(input.is_over());
    }

    #[test]
    fn a_terminal_is_told_of_the_end_twice_in_a_line_that_has_begun() {
        for (text, expected) in [
            ("", "\u{4}"),
            ("a\n", "a\n\u{4}"),
            ("a\r", "a\r\u{4}"),
            ("a", "a\u{4}\u{4}"),
        ] {
            let input = Input::given(text.as_bytes().to_vec());
            input.signed(Some(4));
            assert_eq!(written(&input), expected.as_bytes());
            let input = Input::open(Vec::new()).unwrap();
            input.write(text.as_bytes()).unwrap();
            input.close(Some(4)).unwrap();
            assert_eq!(written(&input), expected.as_bytes());
        }
    }

    #[test]
    fn many_wakes_are_one_look() {
        let input = Input::open(Vec::new()).unwrap();
        for _ in 0..100_000 {
            input.write(b"x").unwrap();
        }
        input.end();
        assert!(input.orders().end);
    }
}
