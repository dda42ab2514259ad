//! The terminal itself: read without a thread, so that a time-out leaves nobody waiting for the next
//! line, which is meant for someone else.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::termios::{QueueSelector, tcflush};

use super::{LINE_LIMIT, Line, Lines};

/// The longest wait at once. Where the system cannot wait for a terminal, it is looked at so often.
const SLICE: Duration = Duration::from_millis(50);

/// A terminal, opened anew, so that nothing that is set on it is seen by others.
#[derive(Debug)]
pub struct Tty {
    file: File,
}

impl Tty {
    /// The terminal of the process, which it may have even if its input is a pipe.
    pub fn open() -> io::Result<Self> {
        let tty = Self::at(Path::new("/dev/tty"))?;
        // The system would stop a process in the background that reads from its terminal.
        let foreground = rustix::termios::tcgetpgrp(&tty.file)?;
        if foreground != rustix::process::getpgrp() {
            return Err(io::Error::other("the process is in the background"));
        }
        Ok(tty)
    }

    /// Another one. An error if it is no terminal.
    pub fn at(path: &Path) -> io::Result<Self> {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path)?;
        if !file.is_terminal() {
            return Err(io::Error::new(ErrorKind::NotFound, "it is no terminal"));
        }
        Ok(Self { file })
    }

    /// The same terminal to write to.
    pub fn writer(&self) -> io::Result<TtyWriter> {
        self.file.try_clone().map(TtyWriter)
    }

    /// Waits until there may be something to read.
    fn wait(&self, left: Duration) -> io::Result<()> {
        // Some systems cannot wait for a terminal and say so at once; then the clock is waited for.
        let slice = left.min(SLICE);
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(slice.subsec_nanos()),
        };
        let mut fds = [PollFd::new(&self.file, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if fds.iter().any(|fd| fd.revents().contains(PollFlags::NVAL)) {
            std::thread::sleep(slice);
        }
        Ok(())
    }
}

impl Lines for Tty {
    fn forget_typed(&mut self) -> io::Result<()> {
        tcflush(&self.file, QueueSelector::IFlush).map_err(Into::into)
    }

    fn line(&mut self, timeout: Duration) -> io::Result<Line> {
        let begun = Instant::now();
        let mut typed = Vec::new();
        loop {
            if begun.elapsed() > timeout {
                return Ok(Line::TimedOut);
            }
            let mut byte = [0; 1];
            // One by one, so that a line that was typed ahead stays for whom it is meant.
            match self.file.read(&mut byte) {
                Ok(0) => return Ok(Line::End),
                Ok(_) if byte == *b"\n" || byte == *b"\r" => {
                    return Ok(Line::Typed(String::from_utf8_lossy(&typed).into_owned()));
                }
                Ok(_) if typed.len() < LINE_LIMIT => typed.extend(byte),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let left = timeout.saturating_sub(begun.elapsed());
                    if left.is_zero() {
                        return Ok(Line::TimedOut);
                    }
                    self.wait(left)?;
                }
                // What a terminal says whose other end was closed.
                Err(error)
                    if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) =>
                {
                    return Ok(Line::End);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Writes to a terminal that does not block by itself.
#[derive(Debug)]
pub struct TtyWriter(File);

impl io::Write for TtyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A person who has stopped the output is waited for a while, not for ever.
        let begun = Instant::now();
        loop {
            match self.0.write(bytes) {
                Err(error)
                    if error.kind() == ErrorKind::WouldBlock
                        && begun.elapsed() < Duration::from_secs(10) =>
                {
                    let timeout = Timespec {
                        tv_sec: 0,
                        tv_nsec: i64::from(SLICE.subsec_nanos()),
                    };
                    let mut fds = [PollFd::new(&self.0, PollFlags::OUT)];
                    poll(&mut fds, Some(&timeout))?;
                }
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
