//! The order: the override of the task, `HERMES_HOME`, the default of the platform.

use std::ffi::OsStr;

use crate::active_profile::{self, ActiveProfile};
use crate::files::{Files, files_of};
use crate::path_text::PathText;
use crate::root::{self, Place};
use crate::{
    Environment, HermesHome, HomeSource, Platform, Resolution, Result, Warning, current_override,
    expand, profiles, usable,
};

/// Finds the home that applies here and now. Library code calls this one.
///
/// The override of the current thread or task wins (see [`HermesHome::enter`]). Without one,
/// `HERMES_HOME` decides (white space around it trimmed, `~`, `~/…`, `$HOME` and `${HOME}` at its
/// start expanded, a relative path made absolute); without it, the default of the platform does.
/// `active_profile` never changes the answer: choosing a profile is a program's start-up decision,
/// see [`Selection`](crate::Selection). When the default is used although another profile is
/// active, [`Resolution::warnings`] says so.
///
/// Nothing is created. A home that does not exist yet is fine.
///
/// # Errors
/// When the path cannot be told ([`Error::NoUserHome`], [`Error::NoCurrentDir`],
/// [`Error::UnknownUser`], [`Error::NulInPath`]) or can never be a directory
/// ([`Error::NotADirectory`], [`Error::DanglingLink`], [`Error::LinkLoop`], [`Error::Io`]).
///
/// [`Error::NoUserHome`]: crate::Error::NoUserHome
/// [`Error::NoCurrentDir`]: crate::Error::NoCurrentDir
/// [`Error::UnknownUser`]: crate::Error::UnknownUser
/// [`Error::NulInPath`]: crate::Error::NulInPath
/// [`Error::NotADirectory`]: crate::Error::NotADirectory
/// [`Error::DanglingLink`]: crate::Error::DanglingLink
/// [`Error::LinkLoop`]: crate::Error::LinkLoop
/// [`Error::Io`]: crate::Error::Io
pub fn resolve(env: &Environment) -> Result<Resolution> {
    match overridden() {
        Some(found) => Ok(found),
        None => process_home(env),
    }
}

/// Finds the home of the process: as [`resolve`], but without a look at the override. For what
/// belongs to the process and not to a task (its lock, its pid file).
///
/// # Errors
/// Those of [`resolve`].
pub fn process_home(env: &Environment) -> Result<Resolution> {
    Resolver::new(env, files_of(env.platform())).resolve()
}

/// The answer, if the current thread or task has its own home.
pub(crate) fn overridden() -> Option<Resolution> {
    Some(Resolution {
        home: current_override()?,
        source: HomeSource::Override,
        warnings: Vec::new(),
    })
}

/// The environment together with the file system that it speaks of.
pub(crate) struct Resolver<'a> {
    pub(crate) env: &'a Environment,
    pub(crate) files: &'a dyn Files,
}

/// A home that was found, before it becomes an answer.
pub(crate) struct Found {
    pub(crate) path: PathText,
    pub(crate) source: HomeSource,
    pub(crate) place: Place,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(env: &'a Environment, files: &'a dyn Files) -> Self {
        Self { env, files }
    }

    pub(crate) fn resolve(&self) -> Result<Resolution> {
        let found = self.process_home()?;
        let mut warnings = self.old_home(&found);
        if found.source == HomeSource::Platform
            && let ActiveProfile::Named(active) = active_profile::read(self.files, &found.path)
        {
            let active = profiles::renamed(self.files, &found.path, active);
            warnings.push(Warning::ActiveProfileBypassed {
                active_home: profiles::dir(&found.path, &active).to_path(),
                home: found.path.to_path(),
                active,
            });
        }
        Ok(self.answer(found, warnings))
    }

    /// The home that the environment names, or else the default.
    pub(crate) fn process_home(&self) -> Result<Found> {
        let value = self.env.hermes_home().unwrap_or(OsStr::new(""));
        match expand::expanded(self.env, value, HomeSource::Env)? {
            Some(path) => self.found(path, HomeSource::Env),
            None => self.found(self.env.default_text()?, HomeSource::Platform),
        }
    }

    /// Checks a home and finds its root.
    pub(crate) fn found(&self, path: PathText, source: HomeSource) -> Result<Found> {
        usable::check(self.files, &path, source)?;
        // Without a user's home there is no default to compare with; that is no error here.
        let default = self.env.default_text().ok();
        let place = root::place(self.files, &path, default.as_ref());
        Ok(Found {
            path,
            source,
            place,
        })
    }

    pub(crate) fn answer(&self, found: Found, warnings: Vec<Warning>) -> Resolution {
        let user_home = self.env.user_home_text();
        Resolution {
            home: HermesHome::new(&found.path, found.place, user_home.as_ref()),
            source: found.source,
            warnings,
        }
    }

    /// Early releases kept their home in `~\.hermes` on Windows too.
    pub(crate) fn old_home(&self, found: &Found) -> Vec<Warning> {
        if self.env.platform() != Platform::Windows || found.source != HomeSource::Platform {
            return Vec::new();
        }
        let Some(old) = self.env.user_home_text().map(|home| home.join(".hermes")) else {
            return Vec::new();
        };
        let exists = |path: &PathText| self.files.kind(&path.to_path()).is_ok();
        if exists(&found.path) || !exists(&old) {
            return Vec::new();
        }
        vec![Warning::OldHomeFound {
            old: old.to_path(),
            home: found.path.to_path(),
        }]
    }
}
