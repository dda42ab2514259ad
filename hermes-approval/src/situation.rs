//! Who asks for a command to be run, where it would run, and who is there to be asked: facts that
//! are handed in.

use crate::environment::AnalysisEnv;
use crate::platform::Platform;

/// A command that somebody wants to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CommandRequest {
    /// Its text, as it would run.
    pub command: crate::RawCommand,
    /// The facts around it.
    pub situation: Situation,
    /// The turn of the conversation.
    pub turn_id: Option<String>,
    /// The call of the tool.
    pub tool_call_id: Option<String>,
}

impl CommandRequest {
    /// A command in a situation.
    pub fn new(command: impl Into<String>, situation: Situation) -> Self {
        Self {
            command: crate::RawCommand::new(command),
            situation,
            turn_id: None,
            tool_call_id: None,
        }
    }

    /// With the turn and the call that it belongs to.
    #[must_use]
    pub fn of_call(mut self, turn_id: impl Into<String>, tool_call_id: impl Into<String>) -> Self {
        self.turn_id = Some(turn_id.into());
        self.tool_call_id = Some(tool_call_id.into());
        self
    }
}

/// The facts around a command. Nothing of it is read from the process.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Situation {
    /// The conversation. `default` if there is no other.
    pub session_key: String,
    /// A person sits at a terminal.
    pub interactive: bool,
    /// A person is reached through a messaging gateway.
    pub gateway: bool,
    /// A program has asked that questions be queued for it.
    pub exec_ask: bool,
    /// It is a cron job.
    pub cron: bool,
    /// The person has said that nothing be asked.
    pub yolo: bool,
    /// A password for `sudo` is configured, so that a command may be handed one.
    pub sudo_password: bool,
    /// Where the command would run.
    pub backend: Backend,
    /// Homes and directory.
    pub env: AnalysisEnv,
    /// The command language.
    pub platform: Platform,
}

/// Where a command would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backend {
    kind: String,
    host_access: bool,
}

/// Backends that are isolated unless the host's folders are in them.
const ISOLATED: &[&str] = &["daytona", "docker", "modal", "singularity"];

impl Backend {
    /// This machine.
    pub fn local() -> Self {
        Self::new("local", true)
    }

    /// By the name in `terminal.backend`. `host_access`: a command there can change files of this
    /// machine, such as through a mounted folder. A backend that is not known for isolation has it,
    /// whatever is said here.
    pub fn new(kind: impl Into<String>, host_access: bool) -> Self {
        Self {
            kind: kind.into(),
            host_access,
        }
    }

    /// Its name.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// True if nothing that a command does there reaches this machine.
    pub fn is_isolated(&self) -> bool {
        !self.host_access && ISOLATED.contains(&self.kind.as_str())
    }
}

/// Who can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    AtTerminal,
    InMessenger,
    Nobody,
}

impl Situation {
    /// A command on this machine, with nobody there to be asked.
    pub fn new(env: AnalysisEnv) -> Self {
        Self {
            session_key: "default".to_owned(),
            interactive: false,
            gateway: false,
            exec_ask: false,
            cron: false,
            yolo: false,
            sudo_password: false,
            backend: Backend::local(),
            env,
            platform: Platform::Posix,
        }
    }

    /// What the variables of Hermes say, through a function that looks them up. Homes are no matter
    /// of these variables: they come with `env`.
    pub fn from_variables(env: AnalysisEnv, lookup: impl Fn(&str) -> Option<String>) -> Self {
        let filled = |name: &str| lookup(name).filter(|value| !value.trim().is_empty());
        let truthy = |name: &str| {
            filled(name).is_some_and(|value| {
                let value = value.trim();
                TRUE.iter().any(|word| value.eq_ignore_ascii_case(word))
            })
        };
        let cron = truthy("HERMES_CRON_SESSION");
        let messenger =
            truthy("HERMES_GATEWAY_SESSION") || filled("HERMES_SESSION_PLATFORM").is_some();
        Self {
            session_key: filled("HERMES_SESSION_KEY").unwrap_or_else(|| "default".to_owned()),
            interactive: truthy("HERMES_INTERACTIVE"),
            gateway: messenger && !cron,
            exec_ask: truthy("HERMES_EXEC_ASK"),
            cron,
            yolo: truthy("HERMES_YOLO_MODE"),
            // An empty password counts, too: it is one that was configured.
            sudo_password: lookup("SUDO_PASSWORD").is_some(),
            ..Self::new(env)
        }
    }

    /// In this conversation.
    #[must_use]
    pub fn in_session(mut self, key: impl Into<String>) -> Self {
        self.session_key = key.into();
        self
    }

    /// With a person at a terminal.
    #[must_use]
    pub fn at_terminal(mut self) -> Self {
        self.interactive = true;
        self
    }

    /// With a person in a messenger.
    #[must_use]
    pub fn in_gateway(mut self) -> Self {
        self.gateway = true;
        self
    }

    /// In a cron job.
    #[must_use]
    pub fn in_cron(mut self) -> Self {
        self.cron = true;
        self.gateway = false;
        self
    }

    /// With yolo.
    #[must_use]
    pub fn with_yolo(mut self) -> Self {
        self.yolo = true;
        self
    }

    /// In another backend.
    #[must_use]
    pub fn on(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// In another command language.
    #[must_use]
    pub fn in_language(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    pub(crate) fn person(&self) -> Person {
        if self.gateway || self.exec_ask {
            Person::InMessenger
        } else if self.interactive {
            Person::AtTerminal
        } else {
            Person::Nobody
        }
    }
}

/// Words that mean yes in a variable.
const TRUE: &[&str] = &["1", "true", "yes", "on"];
