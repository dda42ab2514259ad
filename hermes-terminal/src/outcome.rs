//! What came of a command.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// The exit code of a command that was not started.
pub const NOT_STARTED: i32 = -1;
/// The exit code of a command that ran into its time-out.
pub const TIMED_OUT: i32 = 124;
/// The exit code of a command that was interrupted.
pub const INTERRUPTED: i32 = 130;

/// What came of a command in the foreground. As JSON it is what a model is given: fields that say
/// nothing are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// What it wrote, stdout and stderr as they came: valid text without terminal codes, cut in
    /// the middle if it was long.
    pub output: String,
    /// Its exit code; 128 and the number of a signal; [`TIMED_OUT`], [`INTERRUPTED`],
    /// [`NOT_STARTED`].
    pub exit_code: i32,
    /// Why it did not run to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The task's directory after it.
    #[serde(serialize_with = "as_shown")]
    pub cwd: PathBuf,
    /// Whether the output was cut.
    #[serde(skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Whether it ran into its time-out.
    #[serde(skip_serializing_if = "is_false")]
    pub timed_out: bool,
    /// What whoever reads this should know: what an exit code means, where it really ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
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

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A path need not be text; JSON must.
fn as_shown<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn as_json_it_says_what_there_is_to_say() {
        let mut outcome = Outcome::not_started("/w".into(), "denied".to_owned());
        let json = serde_json::to_string(&outcome).unwrap();
        assert_eq!(
            json,
            r#"{"output":"","exit_code":-1,"error":"denied","cwd":"/w","duration_ms":0}"#
        );
        outcome.error = None;
        outcome.timed_out = true;
        outcome.truncated = true;
        outcome.notes.push("n".to_owned());
        outcome.cwd = OsStr::from_bytes(b"/caf\xe9").into();
        let json = serde_json::to_string(&outcome).unwrap();
        assert_eq!(
            json,
            "{\"output\":\"\",\"exit_code\":-1,\"cwd\":\"/caf\u{fffd}\",\"truncated\":true,\
             \"duration_ms\":0,\"timed_out\":true,\"notes\":[\"n\"]}"
        );
    }
}
