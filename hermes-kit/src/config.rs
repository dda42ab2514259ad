//! `config.yaml`, read the way Python reads it.
//!
//! Names that nobody knows are passed over. A setting that is not what it must be is never replaced
//! by its default in silence: the part of the config that it belongs to cannot be had, and the
//! error names line and column of all that is wrong there. [`Config::problems`] gives what is wrong
//! anywhere.

mod scalar;
mod section;
mod sessions;
mod terminal;
#[cfg(test)]
mod tests;
mod toolsets;
mod unused;
pub(crate) mod yaml;

use std::path::{Path, PathBuf};

use hermes_approval::{Policy, PolicyWarning};
use serde_json::Value;

use crate::error::{Error, Result};
use section::{Section, key};
use yaml::Node;

pub use section::ConfigProblem;
pub use sessions::SessionsConfig;
pub use terminal::{ContainerConfig, DockerConfig, HomeMode, Secret, SshConfig, TerminalConfig};
pub use toolsets::ToolsetsConfig;
pub use unused::UnusedSetting;
pub use yaml::{Place, read_config};

/// A `config.yaml`; one that is not there says nothing, and everything has its default.
///
/// ```
/// use hermes_kit::Config;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("config.yaml");
/// std::fs::write(&path, "terminal:\n  timeout: 20\nsessions:\n  retention_days: ninety\n")?;
/// let config = Config::read(&path)?;
/// let terminal = config.terminal(&|_| None)?;
/// assert_eq!(terminal.timeout.as_secs(), 20);
/// assert_eq!(terminal.backend, "local");
/// let wrong = config.sessions().unwrap_err().to_string();
/// assert!(wrong.contains("line 4, column 19: sessions.retention_days is \"ninety\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Config {
    path: PathBuf,
    root: Node,
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Config`] if it cannot be read, or is no YAML.
    pub fn read(path: impl Into<PathBuf>) -> Result<Config> {
        let path = path.into();
        let root = yaml::read(&path)?;
        Ok(Config { path, root })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All of it, as a value of JSON.
    pub fn to_value(&self) -> Value {
        self.root.to_value()
    }

    /// The settings of approvals, and those of them that were not understood.
    ///
    /// # Errors
    /// [`Error::Approval`] if a list of what is forbidden is no list: what a person wanted to
    /// forbid would be allowed.
    pub fn approval_policy(&self) -> Result<(Policy, Vec<PolicyWarning>)> {
        Ok(Policy::from_config(&self.to_value())?)
    }

    /// `command_allowlist`: the commands that were allowed for good.
    ///
    /// # Errors
    /// [`Error::Settings`] if it is no list of texts.
    pub fn command_allowlist(&self) -> Result<Vec<String>> {
        self.sound(self.allowlist())
    }

    /// The settings of the terminal. What the file does not say, a variable can: `variables` gives
    /// the value of one, those of the home's `.env` before those of the environment.
    ///
    /// # Errors
    /// [`Error::Settings`] if one of them is not what it must be.
    pub fn terminal(&self, variables: &dyn Fn(&str) -> Option<String>) -> Result<TerminalConfig> {
        self.sound(terminal::read(&self.root, variables))
    }

    /// The settings of the store.
    ///
    /// # Errors
    /// [`Error::Settings`] if one of them is not what it must be.
    pub fn sessions(&self) -> Result<SessionsConfig> {
        self.sound(sessions::read(&self.root))
    }

    /// Which toolsets a model gets.
    ///
    /// # Errors
    /// [`Error::Settings`] if one of the lists is none.
    pub fn toolsets(&self) -> Result<ToolsetsConfig> {
        self.sound(toolsets::read(&self.root))
    }

    /// All settings that are not what they must be, in the order of the file. Those of approvals
    /// come from [`approval_policy`](Self::approval_policy).
    pub fn problems(&self, variables: &dyn Fn(&str) -> Option<String>) -> Vec<ConfigProblem> {
        let mut problems = self.allowlist().1;
        problems.extend(terminal::read(&self.root, variables).1);
        problems.extend(sessions::read(&self.root).1);
        problems.extend(toolsets::read(&self.root).1);
        problems.sort_by_key(|problem| match problem.place {
            Place::File { line, column } => (line, column),
            Place::Variable(_) => (usize::MAX, 0),
        });
        problems.dedup();
        problems
    }

    /// Settings that say something and change nothing for commands that run in `backend`, or where
    /// the config says.
    pub(crate) fn unused(
        &self,
        backend: Option<&str>,
        variables: &dyn Fn(&str) -> Option<String>,
        is_of_host: &dyn Fn(&Path) -> bool,
    ) -> Vec<UnusedSetting> {
        unused::find(&self.root, backend, variables, is_of_host)
    }

    fn allowlist(&self) -> (Vec<String>, Vec<ConfigProblem>) {
        let mut at = Section::new(&self.root, "", &|_| None);
        let allowed = at.texts(key("command_allowlist")).unwrap_or_default();
        (allowed, at.finish())
    }

    fn sound<T>(&self, (settings, problems): (T, Vec<ConfigProblem>)) -> Result<T> {
        if problems.is_empty() {
            return Ok(settings);
        }
        Err(Error::Settings {
            path: self.path.clone(),
            problems,
        })
    }
}
