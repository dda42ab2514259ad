//! A user's folders in a temporary place, and environments that speak of them.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hermes_home::{Environment, HomeSource, Platform, Resolution, Result, Selection, resolve};

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
