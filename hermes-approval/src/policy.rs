//! What a person has set: the mode, lists of their own, and what happens when nobody is there.

mod read;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The settings of the approval flow, as plain data. [`Policy::from_config`] reads them from the
/// value of a `config.yaml`; the default is what an empty one means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Policy {
    /// `approvals.mode`.
    pub mode: Mode,
    /// `approvals.deny`: globs of commands that are never run.
    pub deny: Vec<String>,
    /// `approvals.ask`: globs of commands that a person is always asked about.
    pub ask: Vec<String>,
    /// `approvals.allow`: commands, or globs of them, that are run without a question.
    pub allow: Vec<String>,
    /// `approvals.ask_without_human`.
    pub ask_without_human: AskWithoutHuman,
    /// `approvals.cron_mode`.
    pub cron_mode: CronMode,
    /// `approvals.timeout`, in seconds: how long a person at a terminal has. 60.
    #[serde(with = "seconds")]
    pub timeout: Duration,
    /// `approvals.gateway_timeout`, in seconds: how long a person in a messenger has. 300.
    #[serde(with = "seconds")]
    pub gateway_timeout: Duration,
    /// `approvals.on_timeout`: what silence means for the turn, besides that the command is denied.
    pub on_timeout: OnTimeout,
    /// `auxiliary.approval`: the model that is asked in the mode `smart`.
    pub smart: SmartPolicy,
    /// `security.tirith_…`: a scanner that looks at each command, too.
    pub scanner: ScannerPolicy,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            mode: Mode::Manual,
            deny: Vec::new(),
            ask: Vec::new(),
            allow: Vec::new(),
            ask_without_human: AskWithoutHuman::Deny,
            cron_mode: CronMode::Deny,
            timeout: Duration::from_secs(60),
            gateway_timeout: Duration::from_secs(300),
            on_timeout: OnTimeout::Continue,
            smart: SmartPolicy::default(),
            scanner: ScannerPolicy::default(),
        }
    }
}

/// How approvals are got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A person is asked.
    #[default]
    Manual,
    /// A model is asked first, and a person when it does not say yes.
    Smart,
    /// Nobody is asked. The floor and the person's own lists still hold.
    Off,
}

/// What happens to a command that has to be asked about when nobody is there to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskWithoutHuman {
    /// It is not run.
    #[default]
    Deny,
    /// It is run.
    Allow,
    /// What the Python Hermes does: it is run, but in a cron job [`CronMode`] decides.
    AsPython,
}

impl AskWithoutHuman {
    /// Its word in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Allow => "allow",
            Self::AsPython => "as_python",
        }
    }
}

/// What happens to such a command in a cron job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CronMode {
    /// It is not run.
    #[default]
    Deny,
    /// It is run.
    Approve,
}

/// What the silence of a person means for the turn of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// The agent is told that it was denied, and goes on.
    #[default]
    Continue,
    /// The agent shall end its turn.
    Stop,
}

/// The model of the mode `smart`. Its key is no setting; it is handed to whoever asks the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SmartPolicy {
    /// The address of an OpenAI-compatible service.
    pub base_url: Option<String>,
    /// The name of the model.
    pub model: Option<String>,
    /// How long it has, in seconds. 15.
    #[serde(with = "seconds")]
    pub timeout: Duration,
}

impl Default for SmartPolicy {
    fn default() -> Self {
        Self {
            base_url: None,
            model: None,
            timeout: Duration::from_secs(15),
        }
    }
}

/// The external scanner. Not run unless it is enabled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ScannerPolicy {
    /// `security.tirith_enabled`. False.
    pub enabled: bool,
    /// `security.tirith_path`: the program. `tirith`.
    pub program: PathBuf,
    /// `security.tirith_timeout`, in seconds. 5.
    #[serde(with = "seconds")]
    pub timeout: Duration,
    /// `security.tirith_fail_open`: a command passes when the scanner gives no answer. False.
    pub fail_open: bool,
}

impl Default for ScannerPolicy {
    fn default() -> Self {
        Self {
            enabled: false,
            program: PathBuf::from("tirith"),
            timeout: Duration::from_secs(5),
            fail_open: false,
        }
    }
}

/// A setting that is not what it should be, and what is done instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PolicyWarning {
    /// Its name, as in `approvals.mode`.
    pub setting: String,
    /// What it is.
    pub found: String,
    /// What is done instead.
    pub instead: String,
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is {}, which is not understood: {}",
            self.setting, self.found, self.instead
        )
    }
}

/// Times as seconds, with a fraction.
mod seconds {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(from)?;
        Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)
    }
}
