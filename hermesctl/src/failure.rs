//! Why a command failed: a code for programs, a cause and a next step for people.

use std::io;

use hermes_kit::state::{Error as StateError, SessionId};
use hermes_kit::{Error as KitError, home};

use crate::text::one_line;

/// A failure to be reported, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static str,
    problem: String,
    hint: String,
    exit: u8,
    closed_pipe: bool,
    told: bool,
    /// The exit code is an answer, and nothing has failed.
    answer: bool,
}

impl Failure {
    pub(crate) fn new(
        code: &'static str,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> Failure {
        Failure {
            code,
            problem: problem.into(),
            hint: hint.into(),
            exit: 1,
            closed_pipe: false,
            told: false,
            answer: false,
        }
    }

    /// No failure: an answer whose exit code tells it.
    pub(crate) fn answer(exit: u8) -> Failure {
        Failure {
            answer: true,
            ..Failure::new("answer", "", "").with_exit(exit)
        }
    }

    pub(crate) fn with_exit(mut self, exit: u8) -> Failure {
        self.exit = exit;
        self
    }

    /// What was printed says so already: no error object behind it.
    pub(crate) fn already_told(mut self) -> Failure {
        self.told = true;
        self
    }

    /// The same, with what had been done by then.
    pub(crate) fn after(mut self, done: &str) -> Failure {
        self.problem = format!("{}; {done}", self.problem);
        self
    }

    /// A session that was asked for and is not there.
    pub(crate) fn no_session(id: &str) -> Failure {
        Failure::new(
            "unknown_session",
            format!(
                "no session has the id or title `{}`, or an id that begins so",
                one_line(id)
            ),
            "run `hermesctl sessions list` to see the ids",
        )
    }

    /// More than one session may be meant.
    pub(crate) fn several_sessions(id: &str, ids: &[SessionId]) -> Failure {
        let ids: Vec<String> = ids.iter().map(|id| one_line(id.as_str())).collect();
        Failure::new(
            "ambiguous_session",
            format!("several sessions may be meant by `{}`", one_line(id)),
            format!("give more of it: {}", ids.join(", ")),
        )
    }

    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    pub(crate) fn problem(&self) -> &str {
        &self.problem
    }

    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    pub(crate) fn exit(&self) -> u8 {
        self.exit
    }

    pub(crate) fn is_told(&self) -> bool {
        self.told
    }

    pub(crate) fn is_answer(&self) -> bool {
        self.answer
    }

    /// A closed output is a failure: the exit code is an answer, and 0 would be a wrong one.
    pub(crate) fn even_if_closed(mut self) -> Failure {
        self.closed_pipe = false;
        self
    }

    /// The reader of our output has gone: nothing to report, and nobody to report to.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.closed_pipe
    }
}

impl From<KitError> for Failure {
    fn from(error: KitError) -> Failure {
        let closed_pipe = matches!(
            &error,
            KitError::State(StateError::Stream { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe
        );
        let usage = matches!(
            &error,
            KitError::Home(
                home::Error::EmptyFlag { .. }
                    | home::Error::HomeAndProfile
                    | home::Error::InvalidProfileName { .. }
            )
        );
        let forced = matches!(
            error.code(),
            "profile_active" | "profile_running" | "file_exists"
        );
        let hint = error.hint();
        Failure {
            code: error.code(),
            problem: error.problem(),
            hint: if forced {
                format!("{hint} (--force)")
            } else {
                hint
            },
            exit: if usage { crate::EXIT_USAGE } else { 1 },
            closed_pipe,
            told: false,
            answer: false,
        }
    }
}

impl From<home::Error> for Failure {
    fn from(error: home::Error) -> Failure {
        KitError::from(error).into()
    }
}

impl From<hermes_kit::approval::Error> for Failure {
    fn from(error: hermes_kit::approval::Error) -> Failure {
        KitError::from(error).into()
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Failure {
        KitError::from(error).into()
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure {
            closed_pipe: error.kind() == io::ErrorKind::BrokenPipe,
            ..Failure::new(
                "output",
                format!("the output cannot be written: {error}"),
                "check where it goes, and whether there is space",
            )
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        io::Error::from(error).into()
    }
}
