//! A person at a terminal.

mod page;
#[cfg(unix)]
mod tty;

use std::fmt;
use std::io::{self, BufRead, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(unix)]
pub use tty::Tty;

use crate::{Answer, AnsweredBy, ApprovalRequest, Asker, Choice};

/// How long a person has, unless it is said otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest answer that is read.
const LINE_LIMIT: usize = 4_096;

/// A line, or why there is none.
#[derive(Debug)]
pub enum Line {
    /// What was typed, without its end.
    Typed(String),
    /// The input has ended.
    End,
    /// Nothing was typed in time.
    TimedOut,
}

/// Where lines come from.
pub trait Lines {
    /// Throws away what was typed before the question was seen.
    fn forget_typed(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Waits for a line, no longer than that.
    fn line(&mut self, timeout: Duration) -> io::Result<Line>;
}

/// Any reader as a source of lines. It cannot be interrupted, so that there is no time-out: it is for
/// input that is there already.
#[derive(Debug)]
pub struct Reader<R>(pub R);

impl<R: BufRead> Lines for Reader<R> {
    fn line(&mut self, _timeout: Duration) -> io::Result<Line> {
        let mut bytes = Vec::new();
        let limit = LINE_LIMIT as u64;
        let read = io::Read::take(&mut self.0, limit).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(Line::End);
        }
        Ok(Line::Typed(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Asks at a terminal, one request at a time. Silence, the end of the input and anything that is no
/// answer deny.
pub struct Prompt<L, W> {
    timeout: Duration,
    terminal: Mutex<(L, W)>,
}

impl<L: Lines, W: Write> Prompt<L, W> {
    /// With [`TIMEOUT`].
    pub fn new(lines: L, out: W) -> Self {
        Self {
            timeout: TIMEOUT,
            terminal: Mutex::new((lines, out)),
        }
    }

    /// With another time-out.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What was written, and the rest of the input.
    pub fn into_parts(self) -> (L, W) {
        self.terminal
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn ask_at(&self, lines: &mut L, out: &mut W, request: &ApprovalRequest) -> io::Result<Answer> {
        lines.forget_typed()?;
        page::write(out, request)?;
        out.flush()?;
        // Whoever waited for the terminal has the whole time still.
        let begun = Instant::now();
        let line = lines.line(self.timeout)?;
        let after = begun.elapsed();
        let answer = match line {
            Line::Typed(line) => Answer::person(request.limited(Choice::typed(&line)), after),
            Line::End => Answer::denied(AnsweredBy::EndOfInput, after),
            Line::TimedOut => Answer::denied(AnsweredBy::Timeout, after),
        };
        page::write_answer(out, &answer)?;
        out.flush()?;
        Ok(answer)
    }
}

impl<L: Lines + Send, W: Write + Send> Asker for Prompt<L, W> {
    fn ask(&self, request: &ApprovalRequest) -> Answer {
        let begun = Instant::now();
        let mut terminal = self.terminal.lock().unwrap_or_else(PoisonError::into_inner);
        let (lines, out) = &mut *terminal;
        self.ask_at(lines, out, request).unwrap_or_else(|error| {
            tracing::warn!(%error, "the terminal failed while a person was asked, which denies");
            Answer::denied(AnsweredBy::Failed, begun.elapsed())
        })
    }
}

impl<L, W> fmt::Debug for Prompt<L, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Asks at the terminal of the process, wherever its input and output go. Without one it denies.
/// The terminal is opened for each question and closed again; no thread waits for it.
#[derive(Clone, Copy, Debug)]
pub struct TerminalPrompt {
    timeout: Duration,
}

impl Default for TerminalPrompt {
    fn default() -> Self {
        Self { timeout: TIMEOUT }
    }
}

impl TerminalPrompt {
    /// With this time-out.
    pub fn new(timeout: Duration) -> Self {
        Self { timeout }
    }
}

/// Two questions at one terminal would mix.
#[cfg(unix)]
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl Asker for TerminalPrompt {
    #[cfg(unix)]
    fn ask(&self, request: &ApprovalRequest) -> Answer {
        let begun = Instant::now();
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = Tty::open().and_then(|tty| Ok((tty.writer()?, tty)));
        match pair {
            Ok((out, tty)) => Prompt::new(tty, out)
                .with_timeout(self.timeout)
                .ask(request),
            Err(error) => {
                tracing::warn!(%error, "nobody can be asked, which denies");
                Answer::denied(AnsweredBy::NobodyThere, begun.elapsed())
            }
        }
    }

    #[cfg(not(unix))]
    fn ask(&self, _request: &ApprovalRequest) -> Answer {
        Answer::denied(AnsweredBy::NobodyThere, Duration::ZERO)
    }
}
