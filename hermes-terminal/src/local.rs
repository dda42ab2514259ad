//! The backend `local`: commands run on this machine, as whoever runs this program.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_home::HermesHome;

use crate::Result;
use crate::environment::{Environment, Shell, Unusable};
use crate::script::Dialect;
use crate::variables::Variables;

mod login;
mod places;
mod prepare;
mod scratch;
mod shell;
mod state;

pub(crate) use places::program;
pub(crate) use prepare::{MARKER, next_marker};
use shell::LocalShell;

/// Commands on this machine.
///
/// Each is a fresh `bash -c`, or `sh -c` where there is no bash. The login environment is read once
/// for each task, at its first command.
#[derive(Debug, Clone)]
pub struct Local {
    settings: Arc<Settings>,
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    home: HermesHome,
    variables: Variables,
    directory: PathBuf,
    shell: Option<PathBuf>,
    login: bool,
    init_files: Vec<PathBuf>,
    bashrc: Option<PathBuf>,
    login_timeout: Duration,
    private_in: Option<PathBuf>,
}

impl Local {
    /// With the variables of this process, starting in its current directory. Children are told
    /// that `home` is theirs, unless the thread that starts them has another
    /// ([`HermesHome::enter`]).
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) if the current directory is gone.
    pub fn new(home: HermesHome) -> Result<Self> {
        let directory = std::env::current_dir()
            .map_err(crate::Error::io("asking for the current directory"))?;
        Ok(Self {
            settings: Arc::new(Settings {
                home,
                variables: Variables::of_process(),
                directory,
                shell: None,
                login: true,
                init_files: Vec::new(),
                bashrc: None,
                login_timeout: Duration::from_secs(15),
                private_in: None,
            }),
        })
    }

    /// The variables of children, instead of those of this process.
    #[must_use]
    pub fn with_variables(self, variables: Variables) -> Self {
        self.set(|settings| settings.variables = variables)
    }

    /// Where the first command of a task starts.
    #[must_use]
    pub fn in_directory(self, directory: impl Into<PathBuf>) -> Self {
        self.set(|settings| settings.directory = directory.into())
    }

    /// The shell to use, instead of the first `bash` or `sh` in `PATH`. Anything whose name does
    /// not begin with `bash` is spoken to as a POSIX shell.
    #[must_use]
    pub fn with_shell(self, shell: impl Into<PathBuf>) -> Self {
        self.set(|settings| settings.shell = Some(shell.into()))
    }

    /// Whether the login environment is read. Without, commands have the variables and nothing
    /// else.
    #[must_use]
    pub fn with_login(self, login: bool) -> Self {
        self.set(|settings| settings.login = login)
    }

    /// Files that are read after those of a login, in this order, before the environment of a
    /// session is taken: what they set, define and export is there for each command. Those that are
    /// not there are passed over. One that ends or replaces its shell costs what all of them say,
    /// and no more.
    #[must_use]
    pub fn with_init_files(self, files: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let files = files.into_iter().map(Into::into).collect();
        self.set(|settings| settings.init_files = files)
    }

    /// A file that is read as those are, before them, and by bash alone: such as `~/.bashrc`, which
    /// a login does not read.
    #[must_use]
    pub fn with_bashrc(self, file: impl Into<PathBuf>) -> Self {
        self.set(|settings| settings.bashrc = Some(file.into()))
    }

    /// How long reading the login environment may take: 15 seconds, unless said otherwise.
    #[must_use]
    pub fn with_login_timeout(self, timeout: Duration) -> Self {
        self.set(|settings| settings.login_timeout = timeout)
    }

    /// The folder for private folders of commands. Without, what a shell leaves to the next one is
    /// kept in memory where the system can do that, and else in the folder for temporary files.
    #[must_use]
    pub fn with_private_folders_in(self, folder: impl Into<PathBuf>) -> Self {
        self.set(|settings| settings.private_in = Some(folder.into()))
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(Arc::make_mut(&mut self.settings));
        self
    }
}

impl Environment for Local {
    fn name(&self) -> &str {
        "local"
    }

    fn usable(&self) -> std::result::Result<(), Unusable> {
        self.settings.interpreter()?;
        match &self.settings.private_in {
            Some(folder) if !folder.is_dir() => Err(Unusable {
                reason: format!("{} is no directory", folder.display()),
                remedy: "make it, or name another".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn host_access(&self) -> bool {
        true
    }

    fn open(&self, _: &str) -> Result<Box<dyn Shell>> {
        Ok(Box::new(LocalShell::new(Arc::clone(&self.settings))))
    }
}

/// A shell that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interpreter {
    pub(crate) path: PathBuf,
    pub(crate) dialect: Dialect,
}

impl Settings {
    fn interpreter(&self) -> std::result::Result<Interpreter, Unusable> {
        let wanted = self.shell.as_deref();
        let found = match wanted {
            Some(shell) => places::program(shell.as_os_str(), self.path()),
            None => ["bash", "sh"]
                .iter()
                .find_map(|name| places::program(OsStr::new(name), self.path())),
        };
        let path = found.ok_or_else(|| match wanted {
            Some(shell) => Unusable {
                reason: format!("there is no shell {}", shell.display()),
                remedy: "name one that is installed".to_owned(),
            },
            None => Unusable {
                reason: "there is neither bash nor sh in PATH".to_owned(),
                remedy: "install bash".to_owned(),
            },
        })?;
        let is_bash = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"bash"));
        let dialect = if is_bash {
            Dialect::Bash
        } else {
            Dialect::Posix
        };
        Ok(Interpreter { path, dialect })
    }

    fn path(&self) -> Option<&OsStr> {
        self.variables.get("PATH")
    }

    fn user_home(&self) -> Option<&Path> {
        self.variables.get("HOME").map(Path::new)
    }

    /// The home for children: that of whoever calls now.
    fn home_for_children(&self) -> (&'static str, OsString) {
        hermes_home::current_override()
            .as_ref()
            .unwrap_or(&self.home)
            .env_pair()
    }
}
