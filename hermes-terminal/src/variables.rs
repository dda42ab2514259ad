//! Which variables a command is given.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

mod secrets;

/// The variables of children: those of the parent and those that the caller adds, without
/// credentials of model providers and secrets of Hermes.
#[derive(Clone, Default)]
pub struct Variables {
    all: BTreeMap<OsString, OsString>,
    passthrough: BTreeSet<String>,
    withheld: BTreeSet<String>,
}

/// Values are not shown: some of them are secrets.
impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Variables")
            .field("names", &self.all.keys().collect::<Vec<_>>())
            .field("passthrough", &self.passthrough)
            .field("withheld", &self.withheld)
            .finish()
    }
}

impl Variables {
    /// Those of this process, read now.
    pub fn of_process() -> Self {
        Self::default().with(std::env::vars_os())
    }

    /// None.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds variables, such as those of the home's `.env`. One that is there already is replaced.
    #[must_use]
    pub fn with<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.all.extend(
            variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
        self
    }

    /// Lets these pass although they are secrets (`terminal.env_passthrough`).
    #[must_use]
    pub fn passing(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.passthrough.extend(names.into_iter().map(Into::into));
        self
    }

    /// Keeps these back as well, such as the keys of providers that a person has configured.
    #[must_use]
    pub fn withholding(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.withheld.extend(names.into_iter().map(Into::into));
        self
    }

    /// Whether a variable of this name reaches children.
    pub fn passes(&self, name: &OsStr) -> bool {
        let Some(name) = name.to_str() else {
            return true;
        };
        self.passthrough.contains(name)
            || !(self.withheld.contains(name) || secrets::is_secret(name))
    }

    /// What children are given.
    pub fn for_children(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let pass = |name: &OsStr| self.passes(name);
        self.all
            .iter()
            .filter(move |(name, _)| pass(name))
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The value of a variable, whether it passes or not.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.all.get(OsStr::new(name)).map(OsString::as_os_str)
    }
}
