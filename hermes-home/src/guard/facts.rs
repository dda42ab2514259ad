//! What the guard decides from, as one value.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::context::{self, TestContext, VARIABLES};
use super::physical::resolved;
use super::{Refusal, bypass, production, protected};
use crate::environment::root_of_profile_home;
use crate::path_text::PathText;
use crate::{Platform, accounts};

/// Everything that the guard knows, handed in. [`check`](super::check) collects it from the process;
/// a test of the guard writes it down. Only links and folders are still looked at.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    context: Option<TestContext>,
    bypassed: bool,
    account_homes: Vec<PathBuf>,
    user_home: Option<PathBuf>,
    local_app_data: Option<PathBuf>,
    deny_roots: Vec<PathBuf>,
    temporary: Vec<PathBuf>,
}

impl Facts {
    /// Nothing is known: no test, no production.
    pub fn new() -> Self {
        Self::default()
    }

    /// All but the context, which costs the most.
    pub(super) fn of_process() -> Self {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        Self {
            context: None,
            bypassed: false,
            account_homes: accounts::own_homes().to_vec(),
            user_home: set(home).map(PathBuf::from),
            local_app_data: set("LOCALAPPDATA")
                .map(PathBuf::from)
                .filter(|_| cfg!(windows)),
            deny_roots: protected(),
            temporary: temporary_directories(),
        }
    }

    /// A variable is set. Those that say something are listed in the [module's](super) docs.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        if let Some(known) = VARIABLES.into_iter().find(|known| *known == name) {
            self.context.get_or_insert(TestContext::Variable(known));
        }
        self.bypassed |= name == bypass::VARIABLE && bypass::is_on(&value.into());
        self
    }

    /// The executable of the process.
    #[must_use]
    pub fn with_executable(mut self, path: impl AsRef<Path>) -> Self {
        self.context = self
            .context
            .or_else(|| context::of_executable(path.as_ref()));
        self
    }

    /// The command line of this process or of one above it.
    #[must_use]
    pub fn with_ancestor<T: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = T>,
    ) -> Self {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        self.context = self.context.or_else(|| context::of_command(&arguments));
        self
    }

    /// The home directory that the account database gives to our user.
    #[must_use]
    pub fn with_account_home(mut self, path: impl Into<PathBuf>) -> Self {
        self.account_homes.push(path.into());
        self
    }

    /// `HOME`.
    #[must_use]
    pub fn with_user_home(mut self, path: impl Into<PathBuf>) -> Self {
        self.user_home = Some(path.into());
        self
    }

    /// A further root whose stores are production.
    #[must_use]
    pub fn with_deny_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.deny_roots.push(root.into());
        self
    }

    /// A directory for temporary files.
    #[must_use]
    pub fn with_temporary_directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.temporary.push(path.into());
        self
    }

    /// What says that this is a test, if anything does.
    pub fn context(&self) -> Option<&TestContext> {
        self.context.as_ref()
    }

    /// Decides about a path.
    ///
    /// # Errors
    /// The [`Refusal`] of a production store in a test context.
    pub fn decide(&self, path: &Path) -> Result<(), Refusal> {
        match &self.context {
            Some(context) if !self.bypassed => self.judge(path, context.clone()),
            _ => Ok(()),
        }
    }

    pub(super) fn judge(&self, path: &Path, context: TestContext) -> Result<(), Refusal> {
        match production::store_at(path, &self.roots()) {
            None => Ok(()),
            Some(store) => Err(Refusal {
                path: path.to_path_buf(),
                store,
                context,
            }),
        }
    }

    fn roots(&self) -> Vec<PathBuf> {
        let mut roots: Vec<PathBuf> = self.account_homes.iter().map(default_below).collect();
        if let Some(home) = &self.user_home
            && !self.account_homes.contains(home)
        {
            let text = PathText::parse(Platform::host(), home.as_os_str());
            if let Some(root) = root_of_profile_home(&text) {
                roots.push(root.to_path());
            }
            if !self.is_sandbox(home) {
                roots.push(default_below(home));
            }
        }
        if let Some(folder) = &self.local_app_data
            && !self.is_sandbox(folder)
        {
            roots.push(folder.join("hermes"));
        }
        roots.extend(self.deny_roots.iter().cloned());
        roots
    }

    /// Whether a test put this home up: nobody lives below a temporary or build directory.
    fn is_sandbox(&self, home: &Path) -> bool {
        let Some(home) = resolved(home) else {
            return false;
        };
        let below = |folder: &PathBuf| {
            resolved(folder).is_some_and(|folder| home.starts_with(&folder) && home != folder)
        };
        let built = || {
            home.ancestors()
                .any(|above| above.join("CACHEDIR.TAG").exists())
        };
        self.temporary.iter().any(below) || built()
    }
}

fn default_below(home: impl AsRef<Path>) -> PathBuf {
    let home = home.as_ref();
    if cfg!(windows) {
        home.join("AppData").join("Local").join("hermes")
    } else {
        home.join(".hermes")
    }
}

fn temporary_directories() -> Vec<PathBuf> {
    let mut all = vec![std::env::temp_dir()];
    if cfg!(unix) {
        all.extend(["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from));
    }
    all
}
