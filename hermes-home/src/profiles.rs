//! The profiles of a root: which there are, and every change to them.
//!
//! A change is made beside the profiles, under a name that no profile can have, and then moved into
//! place in one step, so that whoever is killed on the way leaves the old or the new state. The next
//! change clears away what was left. Changes of several processes wait for each other.

mod activate;
mod archive;
mod copying;
mod create;
mod delete;
mod export;
mod folder;
mod import;
mod member;
mod moving;
mod private;
mod rename;
mod running;
mod secrets;
mod staging;

use std::path::PathBuf;

use crate::active_profile::{self, ActiveProfile};
use crate::files::Files;
use crate::path_text::PathText;
use crate::{ActiveProfileProblem, Error, HermesHome, Platform, ProfileName, Result};

pub use archive::{ArchiveLimits, ArchiveProblem};
pub use copying::SnapshotResult;
pub use create::CreateOptions;
pub use delete::DeleteOptions;
pub use export::{ExportOptions, Exported, LeftOut, LeftOutReason};
pub(crate) use folder::{dir, exists, folder, names};
pub use import::{ImportOptions, Imported};
pub(crate) use private::make_dirs;
pub use rename::RenameOptions;
pub(crate) use rename::renamed;
pub use running::RunningProcess;

/// The profiles of one root. Made by [`HermesHome::profiles`].
///
/// Reading never writes. A change touches nothing outside of the root, and follows no link out of a
/// profile. New folders are for their owner only (0700), new files too (0600).
///
/// ```
/// use hermes_home::{CreateOptions, Environment, Platform, ProfileName, resolve};
///
/// let folder = tempfile::tempdir()?;
/// let env = Environment::new(Platform::host()).with_hermes_home(folder.path());
/// let profiles = resolve(&env)?.home.profiles();
/// let coder = ProfileName::parse("coder")?;
/// let home = profiles.create(&coder, CreateOptions::blank())?;
/// profiles.activate(&coder)?;
/// let names: Vec<String> = profiles.list()?.iter().map(|one| one.name.to_string()).collect();
/// assert_eq!(names, ["default", "coder"]);
/// assert!(home.path().is_dir());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Profiles {
    home: HermesHome,
}

/// A profile that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileEntry {
    /// Its name.
    pub name: ProfileName,
    /// Its home.
    pub home: HermesHome,
    /// Whether it is used when nothing selects one.
    pub active: bool,
    /// Where its folder leads, if it is a link.
    pub link: Option<PathBuf>,
}

/// What `active_profile` says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActiveChoice {
    /// Nothing, so the profile is `default`.
    Default,
    /// A name. Whether there is such a profile is another question.
    Named(ProfileName),
    /// Something that is no name, so the profile is `default`.
    Ignored(ActiveProfileProblem),
}

impl ActiveChoice {
    /// The name of the profile that is used.
    pub fn name(&self) -> ProfileName {
        match self {
            Self::Named(name) => name.clone(),
            Self::Default | Self::Ignored(_) => ProfileName::default(),
        }
    }
}

impl Profiles {
    pub(crate) fn of(home: &HermesHome) -> Self {
        Self { home: home.clone() }
    }

    /// The profiles, `default` first (which always exists), then by name. Files, folders whose name
    /// is no profile name, and links that lead nowhere are passed over.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder is there but cannot be read.
    pub fn list(&self) -> Result<Vec<ProfileEntry>> {
        let active = self.active().name();
        let mut all = vec![ProfileName::default()];
        all.extend(names(self.files(), &self.root())?);
        Ok(all
            .into_iter()
            .map(|name| ProfileEntry {
                active: name == active,
                home: self.home(&name),
                // Only to say more.
                link: match name.is_default() {
                    true => None,
                    false => self.files().link(&self.dir(&name)).ok().flatten(),
                },
                name,
            })
            .collect())
    }

    /// Whether there is such a profile. `default` always exists.
    ///
    /// # Errors
    /// [`Error::Io`] when that cannot be told.
    pub fn exists(&self, name: &ProfileName) -> Result<bool> {
        exists(self.files(), &self.root(), name)
    }

    /// The home of a profile of this root, whether it exists or not.
    pub fn home(&self, name: &ProfileName) -> HermesHome {
        self.home.sibling(name)
    }

    /// The home of a profile that exists.
    ///
    /// # Errors
    /// [`Error::ProfileNotFound`], which lists those that do.
    pub fn get(&self, name: &ProfileName) -> Result<HermesHome> {
        if self.exists(name)? {
            Ok(self.home(name))
        } else {
            Err(self.not_found(name))
        }
    }

    /// What `active_profile` says. A rename that was interrupted counts as done.
    pub fn active(&self) -> ActiveChoice {
        match active_profile::read(self.files(), &self.root()) {
            ActiveProfile::NoChoice => ActiveChoice::Default,
            ActiveProfile::Named(name) => {
                ActiveChoice::Named(renamed(self.files(), &self.root(), name))
            }
            ActiveProfile::Unusable(problem) => ActiveChoice::Ignored(problem),
        }
    }

    /// Other processes that hold a file of the profile open, as far as the system shows them to us
    /// (Linux). No file is opened to find out.
    pub fn running(&self, name: &ProfileName) -> Vec<RunningProcess> {
        let dir = self.dir(name);
        match name.is_default() {
            true => running::holders(&dir, Some(&folder(&self.root()).to_path())),
            false => running::holders(&dir, None),
        }
    }

    /// Clears away what interrupted changes have left, and ends them. Every change does so first.
    ///
    /// # Errors
    /// As for any change.
    pub fn clean_up(&self) -> Result<()> {
        self.check_platform()?;
        if self.folder_is_there() {
            staging::Workshop::open(&self.root())?;
        }
        Ok(())
    }

    fn not_found(&self, name: &ProfileName) -> Error {
        match names(self.files(), &self.root()) {
            Ok(available) => Error::ProfileNotFound {
                name: name.clone(),
                root: self.root().to_path(),
                available,
            },
            Err(error) => error,
        }
    }

    fn check_new(&self, name: &ProfileName) -> Result<()> {
        if name.is_reserved() {
            return Err(Error::ReservedProfileName { name: name.clone() });
        }
        let path = self.dir(name);
        match copying::look(&path)? {
            Some(_) => Err(Error::ProfileExists {
                name: name.clone(),
                path,
            }),
            None => Ok(()),
        }
    }

    /// A change is made with the files of the host.
    fn check_platform(&self) -> Result<()> {
        match self.home.platform() == Platform::host() {
            true => Ok(()),
            false => Err(Error::ForeignPlatform),
        }
    }

    fn folder_is_there(&self) -> bool {
        self.files().kind(&folder(&self.root()).to_path()).is_ok()
    }

    fn root(&self) -> PathText {
        self.home.root_text()
    }

    fn dir(&self, name: &ProfileName) -> PathBuf {
        dir(&self.root(), name).to_path()
    }

    fn files(&self) -> &'static dyn Files {
        self.home.files()
    }
}
