//! Errors of the crates below, as one type.

use crate::config::ConfigProblem;

/// What every fallible function of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, and in which crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The home could not be told.
    #[error(transparent)]
    Home(#[from] hermes_home::Error),
    /// An approval could not be read, kept or recorded, or a setting of approvals is wrong.
    #[error(transparent)]
    Approval(#[from] hermes_approval::Error),
    /// `config.yaml` could not be read.
    #[error("{path} {problem}; correct it, or restore it from a copy", path = path.display())]
    Config {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it, with the line where there is one.
        problem: String,
    },
    /// Settings are not what they must be.
    #[error("{path} has wrong settings: {}; correct them, or take them out", listed(problems), path = path.display())]
    Settings {
        /// The file.
        path: std::path::PathBuf,
        /// Each of them with its place.
        problems: Vec<ConfigProblem>,
    },
    /// The terminal could not be set up, or not do what was asked.
    #[cfg(unix)]
    #[error(transparent)]
    Terminal(#[from] hermes_terminal::Error),
    /// The store could not do what was asked.
    #[error(transparent)]
    State(#[from] hermes_state::Error),
}

impl Error {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Approval(e) => e.code(),
            Error::Config { .. } => "bad_config",
            Error::Home(e) => e.code(),
            Error::Settings { .. } => "bad_config",
            Error::State(e) => e.code(),
            #[cfg(unix)]
            Error::Terminal(_) => "terminal",
        }
    }

    /// What is wrong, in one line.
    pub fn problem(&self) -> String {
        match self {
            Error::Approval(e) => e.problem(),
            Error::Config { path, problem } => format!("{} {problem}", path.display()),
            Error::Home(e) => e.problem(),
            Error::Settings { path, problems } => {
                format!(
                    "{} has wrong settings: {}",
                    path.display(),
                    listed(problems)
                )
            }
            Error::State(e) => e.problem(),
            #[cfg(unix)]
            Error::Terminal(e) => told(e).0,
        }
    }

    /// What to do next, in one line.
    pub fn hint(&self) -> String {
        match self {
            Error::Approval(e) => e.hint().to_owned(),
            Error::Config { .. } => "correct it, or restore it from a copy".to_owned(),
            Error::Home(e) => e.hint(),
            Error::Settings { .. } => "correct them, or take them out".to_owned(),
            Error::State(e) => e.hint().to_owned(),
            #[cfg(unix)]
            Error::Terminal(e) => told(e).1,
        }
    }
}

fn listed(problems: &[ConfigProblem]) -> String {
    let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
    all.join("; ")
}

/// What is wrong, and what to do: an error of the terminal says both in one.
#[cfg(unix)]
fn told(error: &hermes_terminal::Error) -> (String, String) {
    let text = error.to_string();
    match text.rsplit_once("; ") {
        Some((problem, hint)) => (problem.to_owned(), hint.to_owned()),
        None => (
            text,
            "try again; if it stays, look at the system's limits".to_owned(),
        ),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_terminal_tells_what_is_wrong_and_what_to_do() {
        let error = Error::Terminal(hermes_terminal::Error::EmptyCommand);
        assert_eq!(error.problem(), "the command is empty");
        assert_eq!(error.hint(), "give one");
        let error = Error::Terminal(hermes_terminal::Error::Io {
            doing: "making a pipe".to_owned(),
            source: std::io::Error::other("no more"),
        });
        assert_eq!(error.problem(), "making a pipe: no more");
        assert!(!error.hint().is_empty());
    }
}
