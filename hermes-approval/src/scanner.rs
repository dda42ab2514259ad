//! Another program that looks at the command, such as `tirith`: an optional stage.
//!
//! It is run for each command, and answers by its exit code: 0 for nothing found, 1 and 2 for
//! something. What it prints only says more. A scanner that does not answer is told apart from one
//! that found nothing: whether the command is asked about then is a setting.

mod report;
mod run;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use run::Ended;

/// How many failures in a row it takes until a scanner is not run any more.
const FAILURES: u32 = 3;

/// Which scanner, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScannerOptions {
    /// The program.
    pub program: PathBuf,
    /// How long it has: 5 s. Then it is killed, with what it has started.
    pub timeout: Duration,
    /// Whether a command passes this stage when the scanner does not answer. If not, it is asked
    /// about.
    pub fail_open: bool,
}

impl ScannerOptions {
    /// This program, with 5 seconds; a failure asks.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            timeout: Duration::from_secs(5),
            fail_open: false,
        }
    }
}

/// What the scanner says.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "scan")]
#[non_exhaustive]
pub enum Scan {
    /// Nothing was found.
    Clean,
    /// Something to ask about.
    Finding {
        /// The approval key: `tirith:` and the rule of the first finding, or `unknown`.
        key: String,
        /// What it is, for a person.
        text: String,
        /// Whether the scanner would rather block it.
        block: bool,
    },
    /// It gave no answer.
    Unavailable {
        /// Why.
        problem: String,
        /// Whether the command is asked about for that.
        ask: bool,
    },
}

/// The key under which a command is asked about when the scanner gives no answer.
pub const UNAVAILABLE_KEY: &str = "tirith:tirith-import-error";

impl Scan {
    /// The key that the command is asked about for, if it is.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Finding { key, .. } => Some(key),
            Self::Unavailable { ask: true, .. } => Some(UNAVAILABLE_KEY),
            Self::Unavailable { .. } | Self::Clean => None,
        }
    }
}

/// A scanner. After three failures in a row it is not run again in this process.
#[derive(Debug)]
pub struct Scanner {
    options: ScannerOptions,
    failures: AtomicU32,
}

impl Scanner {
    /// With these options. Nothing is run yet.
    pub fn new(options: ScannerOptions) -> Self {
        Self {
            options,
            failures: AtomicU32::new(0),
        }
    }

    /// Whether it has failed so often that it is not run any more.
    pub fn is_broken(&self) -> bool {
        self.failures.load(Ordering::SeqCst) >= FAILURES
    }

    /// Lets it be tried again.
    pub fn reset(&self) {
        self.failures.store(0, Ordering::SeqCst);
    }

    /// Runs the scanner on the raw command.
    pub fn scan(&self, command: &str) -> Scan {
        if self.is_broken() {
            return self.unavailable(format!("it has failed {FAILURES} times in a row"));
        }
        let arguments = [
            "check",
            "--json",
            "--non-interactive",
            "--shell",
            "posix",
            "--",
            command,
        ];
        let ended = run::run(&self.options.program, &arguments, self.options.timeout);
        let problem = match ended {
            Ok(Ended::Exited { code: 0, .. }) => {
                self.failures.store(0, Ordering::SeqCst);
                return Scan::Clean;
            }
            Ok(Ended::Exited {
                code: code @ (1 | 2),
                stdout,
            }) => {
                self.failures.store(0, Ordering::SeqCst);
                return report::finding(&stdout, code == 1);
            }
            Ok(Ended::Exited { code, .. }) => format!("it ended with the exit code {code}"),
            Ok(Ended::Killed) => "it was killed by a signal".to_owned(),
            Ok(Ended::TimedOut) => format!(
                "it did not answer in {:.1} s",
                self.options.timeout.as_secs_f64()
            ),
            Err(error) => format!("it could not be run: {error}"),
        };
        self.failures.fetch_add(1, Ordering::SeqCst);
        self.unavailable(problem)
    }

    fn unavailable(&self, problem: String) -> Scan {
        tracing::warn!(
            program = %self.options.program.display(),
            problem,
            ask = !self.options.fail_open,
            "the scanner of commands gave no answer"
        );
        Scan::Unavailable {
            problem,
            ask: !self.options.fail_open,
        }
    }
}
