//! The backend `ssh`: commands run on another machine, through the system's `ssh`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::Result;
use crate::environment::{Environment, Shell, Unusable};
use crate::local::program;
use crate::remote::{OWN, Place, RemoteShell, Start};
use crate::variables::Variables;

mod connection;

use connection::Connection;

/// Commands on another machine.
///
/// One connection is shared by all tasks and made anew, once, when it has broken off. Each task has
/// a private folder there. Keys and known hosts are those of `ssh`; nothing is ever asked.
#[derive(Debug, Clone)]
pub struct Ssh {
    settings: Settings,
    connection: Arc<Connection>,
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    host: String,
    user: Option<String>,
    port: Option<u16>,
    key: Option<PathBuf>,
    start: Start,
    options: Vec<String>,
    variables: Variables,
    connect_timeout: Duration,
    answer_timeout: Duration,
}

impl Ssh {
    /// This host, as `ssh` knows it: a name, an address, or an entry of its configuration.
    pub fn new(host: impl Into<String>) -> Self {
        let settings = Settings {
            host: host.into(),
            user: None,
            port: None,
            key: None,
            start: Start::default(),
            options: Vec::new(),
            variables: Variables::of_process(),
            connect_timeout: Duration::from_secs(10),
            answer_timeout: OWN,
        };
        Self {
            connection: Arc::new(Connection::new(settings.clone())),
            settings,
        }
    }

    /// The user there.
    #[must_use]
    pub fn with_user(self, user: impl Into<String>) -> Self {
        self.set(|settings| settings.user = Some(user.into()))
    }

    /// The port there.
    #[must_use]
    pub fn with_port(self, port: u16) -> Self {
        self.set(|settings| settings.port = Some(port))
    }

    /// The file of the key.
    #[must_use]
    pub fn with_key(self, key: impl Into<PathBuf>) -> Self {
        self.set(|settings| settings.key = Some(key.into()))
    }

    /// Where the first command of a task starts, instead of where a login does.
    #[must_use]
    pub fn in_directory(self, directory: impl Into<PathBuf>) -> Self {
        self.set(|settings| settings.start.directory = Some(directory.into()))
    }

    /// Files of the other machine that are read after those of a login, in this order, before the
    /// environment of a session is taken; `~/` is the home there. Those that are not there are passed
    /// over. One that ends or replaces its shell costs what all of them say, and no more.
    #[must_use]
    pub fn with_init_files(self, files: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let files = files.into_iter().map(Into::into).collect();
        self.set(|settings| settings.start.init_files = files)
    }

    /// Whether `~/.bashrc` there is read as those are, before them, where there is bash. It is not
    /// unless this is called.
    #[must_use]
    pub fn with_bashrc(self, bashrc: bool) -> Self {
        self.set(|settings| settings.start.bashrc = bashrc)
    }

    /// Another option of `ssh`, such as `UserKnownHostsFile=/etc/hosts-of-agents`.
    #[must_use]
    pub fn with_option(self, option: impl Into<String>) -> Self {
        self.set(|settings| settings.options.push(option.into()))
    }

    /// The variables of `ssh` itself, instead of those of this process. They do not reach the other
    /// machine.
    #[must_use]
    pub fn with_variables(self, variables: Variables) -> Self {
        self.set(|settings| settings.variables = variables)
    }

    /// How long a connection may take: 10 seconds, unless said otherwise.
    #[must_use]
    pub fn with_connect_timeout(self, timeout: Duration) -> Self {
        self.set(|settings| settings.connect_timeout = timeout)
    }

    /// How long the other machine may take to answer what is asked of it around a command: 15
    /// seconds, unless said otherwise. While a command is being ended it has a third of that.
    #[must_use]
    pub fn with_answer_timeout(self, timeout: Duration) -> Self {
        self.set(|settings| settings.answer_timeout = timeout)
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self.connection = Arc::new(Connection::new(self.settings.clone()));
        self
    }
}

impl Environment for Ssh {
    fn name(&self) -> &str {
        "ssh"
    }

    fn usable(&self) -> std::result::Result<(), Unusable> {
        let unusable = |reason: String, remedy: &str| Unusable {
            reason,
            remedy: remedy.to_owned(),
        };
        let settings = &self.settings;
        if settings.program().is_none() {
            return Err(unusable(
                "there is no ssh in PATH".to_owned(),
                "install the OpenSSH client",
            ));
        }
        for (what, text) in [
            ("host", Some(&settings.host)),
            ("user", settings.user.as_ref()),
        ] {
            if text.is_some_and(|text| !is_name(text)) {
                return Err(unusable(
                    format!(
                        "the {what} {text:?} is no name",
                        text = text.map_or("", |t| t)
                    ),
                    "set TERMINAL_SSH_HOST and TERMINAL_SSH_USER",
                ));
            }
        }
        match &settings.key {
            Some(key) if !key.is_file() => Err(unusable(
                format!("there is no key {}", key.display()),
                "make one with ssh-keygen, or name another",
            )),
            _ => Ok(()),
        }
    }

    /// What is there may matter as much as what is here.
    fn host_access(&self) -> bool {
        true
    }

    fn open(&self, _: &str) -> Result<Box<dyn Shell>> {
        let place: Arc<dyn Place> = Arc::<Connection>::clone(&self.connection);
        let shell = RemoteShell::open(place, self.settings.start.clone())?;
        Ok(Box::new(shell))
    }
}

impl Settings {
    fn program(&self) -> Option<PathBuf> {
        program("ssh".as_ref(), self.variables.get("PATH"))
    }

    fn key(&self) -> Option<&Path> {
        self.key.as_deref()
    }
}

/// What `ssh` would not take for an option of its own.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let reason = |ssh: Ssh| ssh.usable().unwrap_err().to_string();
        for host in ["", "-oProxyCommand=x", "a b"] {
            assert!(reason(Ssh::new(host)).contains("is no name"), "{host}");
        }
        assert!(reason(Ssh::new("h").with_user("-l")).contains("the user"));
        assert!(reason(Ssh::new("h").with_key("/no/key")).contains("/no/key"));
        let nothing = Variables::none().with([("PATH", "/none")]);
        assert!(reason(Ssh::new("h").with_variables(nothing)).contains("no ssh"));
    }
}
