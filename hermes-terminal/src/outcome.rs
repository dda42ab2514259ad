//! What came of a command.

use std::path::PathBuf;

/// The exit code of a command that was not started.
pub const NOT_STARTED: i32 = -1;
/// The exit code of a command that ran into its time-out.
pub const TIMED_OUT: i32 = 124;
/// The exit code of a command that was interrupted.
pub const INTERRUPTED: i32 = 130;

/// What came of a command in the foreground.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// What it wrote, stdout and stderr as they came: valid text without terminal codes, cut in
    /// the middle if it was long.
    pub output: String,
    /// Its exit code; 128 and the number of a signal; [`TIMED_OUT`], [`INTERRUPTED`],
    /// [`NOT_STARTED`].
    pub exit_code: i32,
    /// Why it did not run to its end.
    pub error: Option<String>,
    /// The task's directory after it.
    pub cwd: PathBuf,
    /// Whether the output was cut.
    pub truncated: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Whether it ran into its time-out.
    pub timed_out: bool,
    /// What whoever reads this should know: what an exit code means, where it really ran.
    pub notes: Vec<String>,
}

impl Outcome {
    /// Of a command that must not start.
    pub(crate) fn not_started(cwd: PathBuf, error: String) -> Self {
        Self {
            output: String::new(),
            exit_code: NOT_STARTED,
            error: Some(error),
            cwd,
            truncated: false,
            duration_ms: 0,
            timed_out: false,
            notes: Vec::new(),
        }
    }
}
