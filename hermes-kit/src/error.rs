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
            Error::Terminal(e) => e.to_string(),
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
            // It says so itself.
            #[cfg(unix)]
            Error::Terminal(_) => "see what it says".to_owned(),
        }
    }
}

fn listed(problems: &[ConfigProblem]) -> String {
    let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
    all.join("; ")
}
