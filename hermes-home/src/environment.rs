//! Everything the resolver may know about the process, as one value.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::accounts::Accounts;
use crate::path_text::PathText;
use crate::{Error, Platform, ProfileName, Result};

/// What the resolver works from: a plain value, handed in.
///
/// A test builds the one it wants and never touches the environment of its process; a program calls
/// [`Environment::from_process`] once.
///
/// ```
/// use hermes_home::{Environment, Platform, resolve};
///
/// let env = Environment::new(Platform::Windows)
///     .with_user_home(r"C:\Users\ann")
///     .with_local_app_data(r"D:\Local");
/// assert_eq!(resolve(&env)?.home.path().as_os_str(), r"D:\Local\hermes");
/// # Ok::<(), hermes_home::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    platform: Platform,
    hermes_home: Option<OsString>,
    user_home: Option<PathBuf>,
    local_app_data: Option<PathBuf>,
    current_dir: Option<PathBuf>,
    invocation_id: Option<OsString>,
    supervised: bool,
    real_home: Option<PathBuf>,
    sudo_user: Option<OsString>,
    effective_uid: Option<u32>,
    accounts: Accounts,
}

impl Environment {
    /// An environment in which nothing is set.
    pub fn new(platform: Platform) -> Self {
        Self {
            platform,
            hermes_home: None,
            user_home: None,
            local_app_data: None,
            current_dir: None,
            invocation_id: None,
            supervised: false,
            real_home: None,
            sudo_user: None,
            effective_uid: None,
            accounts: Accounts::default(),
        }
    }

    /// The environment of this process, read now. The only place in the workspace that reads
    /// `HERMES_HOME`.
    ///
    /// Without `HOME` (`USERPROFILE` on Windows) the account's home directory is asked for.
    pub fn from_process() -> Self {
        let mut env = Self::from_variables(Platform::host(), |name| std::env::var_os(name));
        if env.user_home.is_none() {
            env.user_home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        }
        env.current_dir = std::env::current_dir().ok();
        env.effective_uid = crate::accounts::effective_uid();
        env.accounts = Accounts::of_system();
        env
    }

    /// An environment out of any set of variables: those that a child will be given, or a table in
    /// a test. An empty variable counts as unset. The current directory is not a variable: see
    /// [`Environment::with_current_dir`].
    pub fn from_variables(platform: Platform, lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name| lookup(name).filter(|value| !value.is_empty());
        let user_home = match platform {
            Platform::Unix => set("HOME"),
            Platform::Windows => set("USERPROFILE"),
        };
        Self {
            platform,
            hermes_home: set("HERMES_HOME"),
            user_home: user_home.map(PathBuf::from),
            local_app_data: set("LOCALAPPDATA").map(PathBuf::from),
            current_dir: None,
            invocation_id: set("INVOCATION_ID"),
            supervised: set("SUPERVISOR_ENABLED").is_some(),
            real_home: set("HERMES_REAL_HOME").map(PathBuf::from),
            sudo_user: set("SUDO_USER"),
            effective_uid: None,
            accounts: Accounts::default(),
        }
    }

    /// Sets `HERMES_HOME`, as it stands in the environment: untrimmed, unexpanded.
    #[must_use]
    pub fn with_hermes_home(mut self, value: impl Into<OsString>) -> Self {
        self.hermes_home = Some(value.into());
        self
    }

    /// Sets the user's home directory: `HOME`, or `USERPROFILE` on Windows.
    #[must_use]
    pub fn with_user_home(mut self, path: impl Into<PathBuf>) -> Self {
        self.user_home = Some(path.into());
        self
    }

    /// Sets `LOCALAPPDATA`. Only Windows looks at it.
    #[must_use]
    pub fn with_local_app_data(mut self, path: impl Into<PathBuf>) -> Self {
        self.local_app_data = Some(path.into());
        self
    }

    /// Sets the current directory, against which relative paths are made absolute.
    #[must_use]
    pub fn with_current_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(path.into());
        self
    }

    /// Sets `INVOCATION_ID`, which systemd gives to the services that it starts.
    #[must_use]
    pub fn with_invocation_id(mut self, id: impl Into<OsString>) -> Self {
        self.invocation_id = Some(id.into());
        self
    }

    /// Marks the process as one that supervisord started (`SUPERVISOR_ENABLED`).
    #[must_use]
    pub fn with_supervisor(mut self) -> Self {
        self.supervised = true;
        self
    }

    /// Sets the saved value of the user's real home directory (`HERMES_REAL_HOME`), which whoever
    /// gives a child another `HOME` may leave for it.
    #[must_use]
    pub fn with_real_home(mut self, path: impl Into<PathBuf>) -> Self {
        self.real_home = Some(path.into());
        self
    }

    /// Sets the effective user id. Only 0 means anything here: see [`with_sudo_user`].
    ///
    /// [`with_sudo_user`]: Environment::with_sudo_user
    #[must_use]
    pub fn with_effective_uid(mut self, uid: u32) -> Self {
        self.effective_uid = Some(uid);
        self
    }

    /// Sets `SUDO_USER`: who called `sudo`. With the effective user id 0, a profile that is
    /// selected by name is looked for under that user's home first.
    #[must_use]
    pub fn with_sudo_user(mut self, user: impl Into<OsString>) -> Self {
        self.sudo_user = Some(user.into());
        self
    }

    /// Sets the home directory that the account database gives to our own user.
    #[must_use]
    pub fn with_account_home(mut self, path: impl Into<PathBuf>) -> Self {
        self.accounts = self.accounts.with_own(path.into());
        self
    }

    /// Sets the home directory that the account database gives to another user.
    #[must_use]
    pub fn with_account(mut self, user: impl Into<OsString>, home: impl Into<PathBuf>) -> Self {
        self.accounts = self.accounts.with_named(user.into(), home.into());
        self
    }

    /// Whose rules apply.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// `HERMES_HOME` as it stands in the environment.
    pub fn hermes_home(&self) -> Option<&OsStr> {
        self.hermes_home.as_deref()
    }

    /// The user's home directory, as handed in.
    pub fn user_home(&self) -> Option<&Path> {
        self.user_home.as_deref()
    }

    /// The current directory, as handed in.
    pub fn current_dir(&self) -> Option<&Path> {
        self.current_dir.as_deref()
    }

    /// The home directory of the person, for files that are theirs and not Hermes': the saved value
    /// of it, the one in the account database when `HOME` is the folder that a profile gives its
    /// children, or else `HOME`.
    pub fn real_user_home(&self) -> Option<PathBuf> {
        if let Some(saved) = self.saved_home() {
            return Some(saved.to_path());
        }
        match self.user_home_text() {
            Some(home) if self.root_around(&home).is_none() => Some(home.to_path()),
            _ => self.accounts.own(),
        }
    }

    /// Where Hermes lives when nothing says otherwise: `~/.hermes`, or `%LOCALAPPDATA%\hermes` on
    /// Windows (`~\AppData\Local\hermes` when that variable is blank).
    ///
    /// A `HOME` at `<root>/profiles/<name>/home` that is not the account's is a folder that Hermes
    /// gave to a child; then it is `<root>`.
    ///
    /// # Errors
    /// [`Error::NoUserHome`] when nothing tells where the user's files are.
    pub fn platform_default(&self) -> Result<PathBuf> {
        self.default_text().map(|path| path.to_path())
    }

    pub(crate) fn default_text(&self) -> Result<PathText> {
        let no_home = || Error::NoUserHome {
            wanted: "the default Hermes home".to_owned(),
        };
        match self.platform {
            Platform::Unix => {
                let home = self.user_home_text().ok_or_else(no_home)?;
                Ok(match self.root_around(&home) {
                    Some(root) => root,
                    None => home.join(".hermes"),
                })
            }
            Platform::Windows => match self.local_app_data_text() {
                Some(folder) => Ok(folder.join("hermes")),
                None => Ok(self
                    .user_home_text()
                    .ok_or_else(no_home)?
                    .join_all(["AppData", "Local", "hermes"].map(OsString::from))),
            },
        }
    }

    /// The root, when `HOME` is the folder `home` of one of its profiles and another directory is
    /// known to be the user's.
    fn root_around(&self, home: &PathText) -> Option<PathText> {
        let root = root_of_profile_home(home)?;
        let real = match self.saved_home() {
            Some(saved) => saved,
            None => PathText::parse(self.platform, self.accounts.own()?.as_os_str()),
        };
        (real.below(home) != Some(&[])).then_some(root)
    }

    fn saved_home(&self) -> Option<PathText> {
        let saved = PathText::parse(self.platform, self.real_home.as_deref()?.as_os_str());
        saved.is_absolute().then_some(saved)
    }

    /// The default home of whoever called `sudo`, when we run with root's rights because of it.
    pub(crate) fn invoking_users_default(&self) -> Option<PathText> {
        let user = self.sudo_user.as_deref().filter(|user| *user != "root")?;
        if self.effective_uid != Some(0) || self.platform != Platform::Unix {
            return None;
        }
        let home = PathText::parse(self.platform, self.accounts.named(user)?.as_os_str());
        home.is_absolute().then(|| home.join(".hermes"))
    }

    /// The user's home, absolute; `None` when it is not known.
    pub(crate) fn user_home_text(&self) -> Option<PathText> {
        self.absolute(self.user_home.as_deref()?.as_os_str())
    }

    /// Makes a path absolute; `None` when it is relative and there is no current directory.
    pub(crate) fn absolute(&self, path: &OsStr) -> Option<PathText> {
        let path = PathText::parse(self.platform, path);
        if path.is_absolute() {
            return Some(path);
        }
        let current = PathText::parse(self.platform, self.current_dir.as_deref()?.as_os_str());
        current.is_absolute().then(|| path.absolute_in(&current))
    }

    pub(crate) fn under_service_manager(&self) -> bool {
        self.invocation_id.is_some() || self.supervised
    }

    fn local_app_data_text(&self) -> Option<PathText> {
        let folder = crate::expand::trimmed(self.local_app_data.as_deref()?.as_os_str());
        if folder.is_empty() {
            return None;
        }
        self.absolute(&folder)
    }
}

/// `<root>` of `<root>/profiles/<name>/home`.
pub(crate) fn root_of_profile_home(home: &PathText) -> Option<PathText> {
    let [.., profiles, name, last] = home.parts() else {
        return None;
    };
    let is_one = profiles == "profiles" && last == "home";
    ProfileName::from_dir_name(name).filter(|_| is_one)?;
    home.parts()
        .len()
        .checked_sub(3)
        .map(|count| home.first(count))
}
