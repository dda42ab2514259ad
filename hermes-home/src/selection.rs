//! Start-up selection: what the flags of a program, the environment and `active_profile` choose.

use std::path::{Path, PathBuf};

use crate::active_profile::{self, ActiveProfile};
use crate::files::files_of;
use crate::path_text::PathText;
use crate::resolve::{Found, Resolver, overridden};
use crate::root::Place;
use crate::{
    Environment, Error, HomeSource, ProfileName, Resolution, Result, Warning, expand, profiles,
    usable,
};

/// What a person chose on the command line. Programs resolve through this once, at the start, and
/// hand the answer on; library code calls [`resolve`](crate::resolve).
///
/// ```
/// use hermes_home::{Environment, Platform, Selection};
///
/// let env = Environment::new(Platform::host()).with_user_home(std::env::temp_dir());
/// let chosen = Selection::new()
///     .with_profile(Some("default".to_owned()))
///     .resolve(&env)?;
/// assert_eq!(chosen.source.as_str(), "profile-flag");
/// assert_eq!(chosen.home.path(), chosen.home.root());
/// # Ok::<(), hermes_home::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub(crate) home: Option<PathBuf>,
    pub(crate) profile: Option<String>,
    pub(crate) db: Option<PathBuf>,
}

impl Selection {
    /// Nothing chosen.
    pub fn new() -> Self {
        Self::default()
    }

    /// `--home DIR`: this folder, whatever the environment says. Read like `HERMES_HOME`.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<Option<PathBuf>>) -> Self {
        self.home = home.into();
        self
    }

    /// `--profile NAME`: this profile of the root that the environment names. Under `sudo`, one of
    /// the user who called it comes first.
    #[must_use]
    pub fn with_profile(mut self, profile: impl Into<Option<String>>) -> Self {
        self.profile = profile.into();
        self
    }

    /// `--db FILE`: this database. Without another flag its folder is the home, and neither
    /// `HERMES_HOME` nor `active_profile` is looked at.
    #[must_use]
    pub fn with_db(mut self, db: impl Into<Option<PathBuf>>) -> Self {
        self.db = db.into();
        self
    }

    /// Decides. First hit wins:
    ///
    /// 1. the flags: `--db`, `--home`, `--profile`;
    /// 2. the override of the current thread or task;
    /// 3. `HERMES_HOME` that points at a profile;
    /// 4. `active_profile` in the root (which `HERMES_HOME` names, or the default of the platform
    ///    is), unless a service manager started us with `HERMES_HOME` at the root;
    /// 5. the root.
    ///
    /// # Errors
    /// Those of [`resolve`](crate::resolve); [`Error::HomeAndProfile`] and [`Error::EmptyFlag`] for
    /// flags; [`Error::InvalidProfileName`] and [`Error::ProfileNotFound`] for `--profile`;
    /// [`Error::ActiveProfileMissing`] when `active_profile` names a profile that is gone.
    pub fn resolve(&self, env: &Environment) -> Result<Resolution> {
        self.resolve_with(&Resolver::new(env, files_of(env.platform())))
    }

    pub(crate) fn resolve_with(&self, resolver: &Resolver<'_>) -> Result<Resolution> {
        if let Some(db) = &self.db {
            return self.with_database(resolver, db);
        }
        match self.flagged(resolver)? {
            Some(found) => Ok(resolver.answer(found, Vec::new())),
            None => unflagged(resolver),
        }
    }

    fn with_database(&self, resolver: &Resolver<'_>, db: &Path) -> Result<Resolution> {
        let file = flag_path(resolver, db, HomeSource::DbFlag)?;
        let flagged = self.flagged(resolver)?;
        let in_its_folder = flagged.is_none();
        let found = match flagged {
            Some(found) => found,
            None => {
                let folder = file.parent().unwrap_or_else(|| file.clone());
                resolver.found(folder, HomeSource::DbFlag)?
            }
        };
        let mut answer = resolver.answer(found, Vec::new());
        answer.home = answer.home.with_state_db(&file, in_its_folder);
        answer.source = HomeSource::DbFlag;
        Ok(answer)
    }

    fn flagged(&self, resolver: &Resolver<'_>) -> Result<Option<Found>> {
        match (&self.home, &self.profile) {
            (Some(_), Some(_)) => Err(Error::HomeAndProfile),
            (Some(home), None) => {
                let home = flag_path(resolver, home, HomeSource::HomeFlag)?;
                resolver.found(home, HomeSource::HomeFlag).map(Some)
            }
            (None, Some(name)) => named_profile(resolver, name).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// An empty flag comes from a script whose variable is unset: the default would be the wrong home.
fn flag_path(resolver: &Resolver<'_>, path: &Path, flag: HomeSource) -> Result<PathText> {
    expand::expanded(resolver.env, path.as_os_str(), flag)?.ok_or(Error::EmptyFlag { flag })
}

fn named_profile(resolver: &Resolver<'_>, name: &str) -> Result<Found> {
    let name = ProfileName::parse(name)?;
    if let Some(root) = resolver.env.invoking_users_default()
        && !name.is_default()
        && let Some(found) = existing(resolver, &root, &name, HomeSource::ProfileFlag)?
    {
        return Ok(found);
    }
    let root = match overridden() {
        Some(here) => here.home.root_text(),
        None => resolver.process_home()?.place.root,
    };
    match existing(resolver, &root, &name, HomeSource::ProfileFlag)? {
        Some(found) => Ok(found),
        None => Err(Error::ProfileNotFound {
            available: profiles::names(resolver.files, &root)?,
            name,
            root: root.to_path(),
        }),
    }
}

/// The home of a profile, or `None` when there is no such profile. A broken link is an error of
/// its own: the profile was there, and its data still is somewhere.
fn existing(
    resolver: &Resolver<'_>,
    root: &PathText,
    name: &ProfileName,
    source: HomeSource,
) -> Result<Option<Found>> {
    if name.is_default() {
        return resolver.found(root.clone(), source).map(Some);
    }
    let path = profiles::dir(root, name);
    match usable::check(resolver.files, &path, source) {
        Ok(()) if profiles::exists(resolver.files, root, name)? => Ok(Some(Found {
            path,
            source,
            place: Place::of_profile(root.clone(), name.clone()),
        })),
        Ok(()) | Err(Error::NotADirectory { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn unflagged(resolver: &Resolver<'_>) -> Result<Resolution> {
    if let Some(found) = overridden() {
        return Ok(found);
    }
    let found = resolver.process_home()?;
    let mut warnings = resolver.old_home(&found);
    if !found.place.is_root {
        return Ok(resolver.answer(found, warnings));
    }
    let root = found.place.root.clone();
    let file = active_profile::file_of(&root).to_path();
    match active_profile::read(resolver.files, &root) {
        ActiveProfile::NoChoice => {}
        ActiveProfile::Unusable(problem) => {
            warnings.push(Warning::ActiveProfileIgnored { file, problem });
        }
        ActiveProfile::Named(active)
            if found.source == HomeSource::Env && resolver.env.under_service_manager() =>
        {
            let root = root.to_path();
            warnings.push(Warning::ServiceKeepsRoot { active, root });
        }
        ActiveProfile::Named(name) => {
            let name = profiles::renamed(resolver.files, &root, name);
            return match existing(resolver, &root, &name, HomeSource::ActiveProfile)? {
                Some(active) => Ok(resolver.answer(active, warnings)),
                None => Err(Error::ActiveProfileMissing {
                    available: profiles::names(resolver.files, &root)?,
                    name,
                    file,
                }),
            };
        }
    }
    Ok(resolver.answer(found, warnings))
}
