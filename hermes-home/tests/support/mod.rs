//! A user's folders in a temporary place, and environments that speak of them.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hermes_home::{
    CreateOptions, Environment, HermesHome, HomeSource, Platform, ProfileName, Profiles,
    Resolution, Result, Selection, resolve,
};

/// `<dir>/home` is the user's home, `<dir>/work` the current directory.
pub(crate) struct Sandbox {
    _keeps: tempfile::TempDir,
    dir: PathBuf,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let keeps = tempfile::tempdir().expect("a temporary directory");
        let dir = keeps.path().canonicalize().expect("its real path");
        let sandbox = Self { _keeps: keeps, dir };
        sandbox.mkdir("home");
        sandbox.mkdir("work");
        sandbox
    }

    /// With `~/.hermes` and the given profiles in it.
    pub(crate) fn with_profiles(names: &[&str]) -> Self {
        let sandbox = Self::new();
        sandbox.mkdir("home/.hermes");
        for name in names {
            sandbox.mkdir(format!("home/.hermes/profiles/{name}"));
        }
        sandbox
    }

    pub(crate) fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.dir.join(below)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// `~/.hermes`, which is not made by asking for it.
    pub(crate) fn default(&self) -> PathBuf {
        self.path("home/.hermes")
    }

    pub(crate) fn profile(&self, name: &str) -> PathBuf {
        self.default().join("profiles").join(name)
    }

    pub(crate) fn mkdir(&self, below: impl AsRef<Path>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(&path).expect("a directory");
        path
    }

    pub(crate) fn write(&self, below: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, content).expect("a file");
        path
    }

    pub(crate) fn activate(&self, content: impl AsRef<[u8]>) {
        self.write("home/.hermes/active_profile", content);
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, below: impl AsRef<Path>, target: impl AsRef<Path>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::os::unix::fs::symlink(target, &path).expect("a link");
        path
    }

    /// `HOME` and a current directory; `HERMES_HOME` is unset.
    pub(crate) fn env(&self) -> Environment {
        Environment::new(Platform::host())
            .with_user_home(self.home())
            .with_current_dir(self.path("work"))
    }

    pub(crate) fn env_at(&self, hermes_home: impl AsRef<Path>) -> Environment {
        self.env().with_hermes_home(hermes_home.as_ref())
    }

    pub(crate) fn resolve_at(&self, hermes_home: impl AsRef<Path>) -> Result<Resolution> {
        resolve(&self.env_at(hermes_home))
    }

    pub(crate) fn select(&self) -> Result<Resolution> {
        Selection::new().resolve(&self.env())
    }

    pub(crate) fn select_at(&self, hermes_home: impl AsRef<Path>) -> Result<Resolution> {
        Selection::new().resolve(&self.env_at(hermes_home))
    }

    pub(crate) fn select_profile(&self, name: &str) -> Result<Resolution> {
        Selection::new()
            .with_profile(name.to_owned())
            .resolve(&self.env())
    }

    pub(crate) fn home_at(&self, hermes_home: impl AsRef<Path>) -> HermesHome {
        self.resolve_at(hermes_home).expect("a home").home
    }

    pub(crate) fn profiles(&self) -> Profiles {
        self.home_at(self.default()).profiles()
    }

    /// A blank profile, made by the crate.
    pub(crate) fn create(&self, profile: &str) -> HermesHome {
        let blank = CreateOptions::blank();
        self.profiles()
            .create(&name(profile), blank)
            .expect("a new profile")
    }

    /// Every path in the sandbox: to prove that nothing was made.
    pub(crate) fn tree(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut folders = vec![self.dir.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a directory") {
                let entry = entry.expect("an entry");
                if entry.file_type().expect("a type").is_dir() {
                    folders.push(entry.path());
                }
                found.insert(entry.path());
            }
        }
        found
    }
}

pub(crate) fn name(text: &str) -> ProfileName {
    ProfileName::parse(text).expect("a name")
}

/// This program under a name that says nothing. Copied by another process: one of ours that has it
/// open for writing hands that on to every child that is started meanwhile, and a program that is
/// open for writing cannot be run.
pub(crate) fn plain_copy(sandbox: &Sandbox) -> PathBuf {
    let copy = sandbox.path("program");
    let this = std::env::current_exe().expect("this program");
    let copied = std::process::Command::new("cp")
        .arg(this)
        .arg(&copy)
        .status();
    assert!(copied.expect("cp runs").success());
    copy
}

/// The names in a listing.
pub(crate) fn listed(profiles: &Profiles) -> Vec<String> {
    let list = profiles.list().expect("a list");
    list.into_iter().map(|one| one.name.to_string()).collect()
}

/// The rights that a path gives.
#[cfg(unix)]
pub(crate) fn mode(path: impl AsRef<Path>) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let found = fs::symlink_metadata(path).expect("something there");
    found.permissions().mode() & 0o777
}

#[track_caller]
pub(crate) fn assert_chosen(
    chosen: &Resolution,
    path: impl AsRef<Path>,
    source: HomeSource,
    profile: &str,
) {
    assert_eq!(chosen.home.path(), path.as_ref());
    assert_eq!(chosen.source, source);
    assert_eq!(chosen.home.profile().as_str(), profile);
}
