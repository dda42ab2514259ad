//! Asking at the terminal, until somebody answers or interrupts.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hermes_kit::approval::prompt::{Line, Lines, Prompt, TIMEOUT, Tty};
use hermes_kit::approval::{Answer, AnsweredBy, ApprovalRequest, Asker, Choice};
use hermes_kit::terminal::Interrupt;

/// Whoever sits at the terminal of this process.
#[derive(Clone)]
pub(super) struct AtTerminal {
    interrupt: Interrupt,
    timeout: Duration,
    said_no: Arc<AtomicBool>,
}

impl AtTerminal {
    /// Nobody, where there is no terminal.
    pub(super) fn find(interrupt: &Interrupt) -> Option<AtTerminal> {
        Tty::open().ok().map(|_| AtTerminal {
            interrupt: interrupt.clone(),
            timeout: TIMEOUT,
            said_no: Arc::default(),
        })
    }

    /// Becomes true when they deny something.
    pub(super) fn said_no(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.said_no)
    }
}

impl AtTerminal {
    /// So long for an answer.
    pub(super) fn waiting(mut self, timeout: Duration) -> AtTerminal {
        self.timeout = timeout;
        self
    }
}

impl Asker for AtTerminal {
    fn ask(&self, request: &ApprovalRequest) -> Answer {
        let opened = Tty::open().and_then(|tty| Ok((tty.writer()?, tty)));
        let Ok((out, tty)) = opened else {
            return Answer::denied(AnsweredBy::NobodyThere, Duration::ZERO);
        };
        let lines = Interruptible {
            tty,
            interrupt: &self.interrupt,
        };
        let answer = Prompt::new(lines, out)
            .with_timeout(self.timeout)
            .ask(request);
        if (answer.choice, answer.by) == (Choice::Deny, AnsweredBy::Person) {
            self.said_no.store(true, Ordering::Relaxed);
        }
        answer
    }
}

/// A terminal that nobody waits for any more after Ctrl-C.
struct Interruptible<'a> {
    tty: Tty,
    interrupt: &'a Interrupt,
}

/// How long Ctrl-C may go unseen. A line comes whole, so that none is torn by it.
const SLICE: Duration = Duration::from_millis(50);

impl Lines for Interruptible<'_> {
    fn forget_typed(&mut self) -> io::Result<()> {
        self.tty.forget_typed()
    }

    fn line(&mut self, timeout: Duration) -> io::Result<Line> {
        let begun = Instant::now();
        loop {
            if self.interrupt.is_interrupted() {
                return Ok(Line::End);
            }
            let left = timeout.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(Line::TimedOut);
            }
            match self.tty.line(left.min(SLICE))? {
                Line::TimedOut => {}
                line => return Ok(line),
            }
        }
    }
}
