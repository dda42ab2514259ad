//! The account database: whose home directory is where, whatever `HOME` says.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Home directories by user: handed in, or asked of the system when they are needed (reading the
/// database costs more than all the rest of a resolution).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accounts {
    own: Option<PathBuf>,
    named: BTreeMap<OsString, PathBuf>,
    ask_system: bool,
}

impl Accounts {
    /// What the system knows.
    pub(crate) fn of_system() -> Self {
        Self {
            ask_system: true,
            ..Self::default()
        }
    }

    #[must_use]
    pub(crate) fn with_own(mut self, home: PathBuf) -> Self {
        self.own = Some(home);
        self
    }

    #[must_use]
    pub(crate) fn with_named(mut self, user: OsString, home: PathBuf) -> Self {
        self.named.insert(user, home);
        self
    }

    /// The home directory of our own user.
    pub(crate) fn own(&self) -> Option<PathBuf> {
        match &self.own {
            Some(home) => Some(home.clone()),
            None if self.ask_system => system::own_home(),
            None => None,
        }
    }

    /// The home directory of another user.
    pub(crate) fn named(&self, user: &OsStr) -> Option<PathBuf> {
        match self.named.get(user) {
            Some(home) => Some(home.clone()),
            None if self.ask_system => system::home_of(user),
            None => None,
        }
    }
}

pub(crate) use system::{effective_uid, own_homes, user_name};

#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;

    use uzers::os::unix::UserExt;

    pub(crate) fn effective_uid() -> Option<u32> {
        Some(uzers::get_effective_uid())
    }

    pub(super) fn own_home() -> Option<PathBuf> {
        own_homes().first().cloned()
    }

    /// Of the effective and of the real user, read once: a process keeps its accounts.
    pub(crate) fn own_homes() -> &'static [PathBuf] {
        static HOMES: OnceLock<Vec<PathBuf>> = OnceLock::new();
        HOMES.get_or_init(|| {
            let mut ids = vec![uzers::get_effective_uid(), uzers::get_current_uid()];
            ids.dedup();
            ids.into_iter()
                .filter_map(uzers::get_user_by_uid)
                .filter_map(|user| usable(user.home_dir()))
                .collect()
        })
    }

    pub(super) fn home_of(user: &OsStr) -> Option<PathBuf> {
        usable(uzers::get_user_by_name(user)?.home_dir())
    }

    pub(crate) fn user_name(uid: u32) -> Option<String> {
        let user = uzers::get_user_by_uid(uid)?;
        Some(user.name().to_string_lossy().into_owned())
    }

    /// Accounts of services have `/` or nothing.
    fn usable(home: &Path) -> Option<PathBuf> {
        (home.is_absolute() && home.parent().is_some()).then(|| home.to_path_buf())
    }
}

#[cfg(not(unix))]
mod system {
    use std::ffi::OsStr;
    use std::path::PathBuf;

    pub(crate) fn effective_uid() -> Option<u32> {
        None
    }

    pub(super) fn own_home() -> Option<PathBuf> {
        own_homes().first().cloned()
    }

    /// The standard library asks `USERPROFILE` first; there is no account to ask besides.
    pub(crate) fn own_homes() -> &'static [PathBuf] {
        static HOMES: std::sync::OnceLock<Vec<PathBuf>> = std::sync::OnceLock::new();
        HOMES.get_or_init(|| std::env::home_dir().into_iter().collect())
    }

    pub(super) fn home_of(_: &OsStr) -> Option<PathBuf> {
        None
    }

    pub(crate) fn user_name(_: u32) -> Option<String> {
        None
    }
}
