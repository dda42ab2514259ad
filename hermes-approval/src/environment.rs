//! What the analysis may know of the user and the place a command runs in.

/// Paths that variables and tildes resolve to. Handed in; the process's own environment is never
/// read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalysisEnv {
    /// The user's home: `~`, `$HOME`.
    pub user_home: String,
    /// The Hermes home: `$HERMES_HOME`.
    pub hermes_home: String,
    /// The directory the command starts in, if it is known: `$PWD`.
    pub cwd: Option<String>,
}

impl AnalysisEnv {
    /// An environment with the Hermes home at its usual place below the user's home.
    pub fn new(user_home: impl Into<String>) -> Self {
        let user_home = user_home.into();
        let hermes_home = format!("{}/.hermes", user_home.trim_end_matches('/'));
        Self {
            user_home,
            hermes_home,
            cwd: None,
        }
    }

    /// The value of a variable that can be known without running anything.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        match name {
            "HOME" | "USERPROFILE" => Some(&self.user_home),
            "HERMES_HOME" => Some(&self.hermes_home),
            "PWD" => self.cwd.as_deref(),
            "IFS" => Some(" \t\n"),
            // Not certain, but whichever shell it is, what is handed to it is run.
            "SHELL" | "BASH" => Some("/bin/bash"),
            "ComSpec" | "COMSPEC" => Some("cmd.exe"),
            _ => None,
        }
    }
}
