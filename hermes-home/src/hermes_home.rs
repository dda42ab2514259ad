//! A home, and every path that other crates need below it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::display::shortened;
use crate::files::{Files, Kind, files_of};
use crate::path_text::PathText;
use crate::root::Place;
use crate::{Platform, Profile, ProfileName, Profiles, Result, profiles};

/// The directory that holds one profile's state, always absolute.
///
/// Nothing is created by having one, and it need not exist. Paths below it come from its methods,
/// so that no other crate joins names to paths. Cloning it is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HermesHome {
    told: Arc<Told>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
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
            told: Arc::new(Told {
                platform: path.platform(),
                path: path.to_path(),
                root: place.root.to_path(),
                profile: place.profile,
                state_db: path.join("state.db").to_path(),
                user_home: user_home.map(PathText::to_path),
            }),
        }
    }

    /// The same home with its database elsewhere. A folder that does not hold the database under
    /// its usual name is no profile.
    pub(crate) fn with_state_db(mut self, file: &PathText, in_its_folder: bool) -> Self {
        let file = file.to_path();
        let told = Arc::make_mut(&mut self.told);
        if in_its_folder && file != told.state_db {
            told.profile = Profile::Custom;
        }
        told.state_db = file;
        self
    }

    /// The home of another profile of the same root.
    pub(crate) fn sibling(&self, name: &ProfileName) -> Self {
        let root = self.root_text();
        let path = profiles::dir(&root, name);
        let profile = match name.is_default() {
            true => Profile::Default,
            false => Profile::Named(name.clone()),
        };
        Self {
            told: Arc::new(Told {
                platform: self.told.platform,
                path: path.to_path(),
                root: self.told.root.clone(),
                profile,
                state_db: path.join("state.db").to_path(),
                user_home: self.told.user_home.clone(),
            }),
        }
    }

    /// The home itself.
    pub fn path(&self) -> &Path {
        &self.told.path
    }

    /// The home of the `default` profile, which also holds `profiles/` and `active_profile`.
    pub fn root(&self) -> &Path {
        &self.told.root
    }

    /// Which profile this home is.
    pub fn profile(&self) -> &Profile {
        &self.told.profile
    }

    /// The session store: `state.db`, or the file that was named outright.
    pub fn state_db(&self) -> &Path {
        &self.told.state_db
    }

    /// `config.yaml`.
    pub fn config_file(&self) -> PathBuf {
        self.inside("config.yaml")
    }

    /// `.env`, which holds secrets.
    pub fn env_file(&self) -> PathBuf {
        self.inside(".env")
    }

    /// `SOUL.md`: who the agent of this profile is.
    pub fn soul_file(&self) -> PathBuf {
        self.inside("SOUL.md")
    }

    /// `approval-grants.json`: grants that `config.yaml` cannot hold.
    pub fn approval_grants_file(&self) -> PathBuf {
        self.inside("approval-grants.json")
    }

    /// `processes.json`: the background processes that a restarted program looks for.
    pub fn processes_file(&self) -> PathBuf {
        self.inside("processes.json")
    }

    /// `logs`.
    pub fn logs_dir(&self) -> PathBuf {
        self.inside("logs")
    }

    /// `sessions`: files that belong to sessions, beside the store.
    pub fn sessions_dir(&self) -> PathBuf {
        self.inside("sessions")
    }

    /// `sandboxes`: what containers of tasks are to keep.
    pub fn sandboxes_dir(&self) -> PathBuf {
        self.inside("sandboxes")
    }

    /// `skills`.
    pub fn skills_dir(&self) -> PathBuf {
        self.inside("skills")
    }

    /// `hooks`.
    pub fn hooks_dir(&self) -> PathBuf {
        self.inside("hooks")
    }

    /// `cron`: the jobs of this profile's scheduler.
    pub fn cron_dir(&self) -> PathBuf {
        self.inside("cron")
    }

    /// `scripts`: what those jobs run.
    pub fn scripts_dir(&self) -> PathBuf {
        self.inside("scripts")
    }

    /// `home`: what a profile may give to its children as `HOME`.
    pub fn children_home_dir(&self) -> PathBuf {
        self.inside("home")
    }

    /// `cache/images`, or `image_cache` where an older release has left its images.
    pub fn image_cache_dir(&self) -> PathBuf {
        let old = self.inside("image_cache");
        let in_use = self.files().kind(&old).is_ok_and(|kind| kind == Kind::Dir)
            && self
                .files()
                .names(&old)
                .is_ok_and(|names| !names.is_empty());
        match in_use {
            true => old,
            false => self.text().join("cache").join("images").to_path(),
        }
    }

    /// `profiles` of the root, where every named profile lives, whichever one this home is.
    pub fn profiles_dir(&self) -> PathBuf {
        profiles::folder(&self.root_text()).to_path()
    }

    /// `active_profile` of the root: the profile that is used when nothing selects one.
    pub fn active_profile_file(&self) -> PathBuf {
        crate::active_profile::file_of(&self.root_text()).to_path()
    }

    /// The profiles of this root: to list them, and to make, change and remove them.
    pub fn profiles(&self) -> Profiles {
        Profiles::of(self)
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
        self.display_path(self.path())
    }

    /// Any path, in the same way: the `state_db()` in a message, for one.
    pub fn display_path(&self, path: &Path) -> String {
        let text = |path: &Path| PathText::parse(self.told.platform, path.as_os_str());
        let user_home = self.told.user_home.as_deref().map(text);
        shortened(&text(path), user_home.as_ref())
    }

    pub(crate) fn platform(&self) -> Platform {
        self.told.platform
    }

    pub(crate) fn inside(&self, name: &str) -> PathBuf {
        self.text().join(name).to_path()
    }

    pub(crate) fn root_text(&self) -> PathText {
        PathText::parse(self.told.platform, self.told.root.as_os_str())
    }

    pub(crate) fn files(&self) -> &'static dyn Files {
        files_of(self.told.platform)
    }

    fn text(&self) -> PathText {
        PathText::parse(self.told.platform, self.told.path.as_os_str())
    }
}
