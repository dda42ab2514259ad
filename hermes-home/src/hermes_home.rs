//! A home, and every path that other crates need below it.

use std::path::{Path, PathBuf};

use crate::display::shortened;
use crate::files::{Files, files_of};
use crate::path_text::PathText;
use crate::root::Place;
use crate::{Platform, Profile, ProfileName, Result, profiles};

/// The directory that holds one profile's state, always absolute.
///
/// Nothing is created by having one, and it need not exist. Paths below it come from its methods,
/// so that no other crate joins names to paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HermesHome {
    platform: Platform,
    path: PathBuf,
    root: PathBuf,
    profile: Profile,
    state_db: PathBuf,
    user_home: Option<PathBuf>,
}

impl HermesHome {
    pub(crate) fn new(path: &PathText, place: Place, user_home: Option<&PathText>) -> Self {
        Self {
            platform: path.platform(),
            path: path.to_path(),
            root: place.root.to_path(),
            profile: place.profile,
            state_db: path.join("state.db").to_path(),
            user_home: user_home.map(PathText::to_path),
        }
    }

    /// The same home with its database elsewhere. A folder that does not hold the database under
    /// its usual name is no profile.
    pub(crate) fn with_state_db(mut self, file: &PathText, in_its_folder: bool) -> Self {
        let file = file.to_path();
        if in_its_folder && file != self.state_db {
            self.profile = Profile::Custom;
        }
        self.state_db = file;
        self
    }

    /// The home itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The home of the `default` profile, which also holds `profiles/` and `active_profile`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Which profile this home is.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The session store: `state.db`, or the file that was named outright.
    pub fn state_db(&self) -> &Path {
        &self.state_db
    }

    /// `config.yaml`.
    pub fn config_file(&self) -> PathBuf {
        self.inside("config.yaml")
    }

    /// `.env`, which holds secrets.
    pub fn env_file(&self) -> PathBuf {
        self.inside(".env")
    }

    /// `logs`.
    pub fn logs_dir(&self) -> PathBuf {
        self.inside("logs")
    }

    /// `sessions`: files that belong to sessions, beside the store.
    pub fn sessions_dir(&self) -> PathBuf {
        self.inside("sessions")
    }

    /// `skills`.
    pub fn skills_dir(&self) -> PathBuf {
        self.inside("skills")
    }

    /// `profiles` of the root, where every named profile lives, whichever one this home is.
    pub fn profiles_dir(&self) -> PathBuf {
        self.root_text().join("profiles").to_path()
    }

    /// `active_profile` of the root: the profile that is used when nothing selects one.
    pub fn active_profile_file(&self) -> PathBuf {
        self.root_text().join("active_profile").to_path()
    }

    /// Where the profile `name` of this root lives, whether it exists or not. `default` is the root.
    pub fn profile_dir(&self, name: &ProfileName) -> PathBuf {
        profiles::dir(&self.root_text(), name).to_path()
    }

    /// Whether the profile `name` of this root exists. `default` always does.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) when that cannot be told.
    pub fn profile_exists(&self, name: &ProfileName) -> Result<bool> {
        profiles::exists(self.files(), &self.root_text(), name)
    }

    /// The named profiles that exist in this root, sorted, without `default`. Files, folders whose
    /// name is no profile name, and links that lead nowhere are passed over.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) when the folder is there but cannot be read.
    pub fn profile_names(&self) -> Result<Vec<ProfileName>> {
        profiles::names(self.files(), &self.root_text())
    }

    /// The home for people: `~/.hermes/profiles/coder` when it is below the user's home directory,
    /// in full when not. Never to be parsed, joined or opened.
    pub fn display(&self) -> String {
        self.display_path(&self.path)
    }

    /// Any path, in the same way: the `state_db()` in a message, for one.
    pub fn display_path(&self, path: &Path) -> String {
        let text = |path: &Path| PathText::parse(self.platform, path.as_os_str());
        shortened(&text(path), self.user_home.as_deref().map(text).as_ref())
    }

    fn inside(&self, name: &str) -> PathBuf {
        PathText::parse(self.platform, self.path.as_os_str())
            .join(name)
            .to_path()
    }

    fn root_text(&self) -> PathText {
        PathText::parse(self.platform, self.root.as_os_str())
    }

    fn files(&self) -> &'static dyn Files {
        files_of(self.platform)
    }
}
