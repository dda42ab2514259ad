//! The backend `singularity`: commands run in instances of Apptainer or Singularity.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::Result;
use crate::container::client::Client;
use crate::container::{Container, WORKSPACE};
use crate::docker::{ContainerLimits, is_variable};
use crate::environment::{Environment, Shell, Unusable};
use crate::remote::{Place, RemoteShell, Start};
use crate::variables::Variables;

mod engine;

use engine::SingularityEngine;

/// Commands in instances of Apptainer or Singularity, one for each task.
///
/// An instance sees nothing of this machine but what it is given, and is stopped when nothing has
/// used it for its lifetime, and at the end of the task.
///
/// What is run is covered by tests against a program that stands for Apptainer and runs commands
/// itself; none of them has run with a real one yet.
#[derive(Debug, Clone)]
pub struct Singularity {
    settings: Settings,
    /// That limits can't be set here.
    is_unlimited: Arc<AtomicBool>,
}

#[derive(Debug, Clone)]
struct Settings {
    image: String,
    client: Client,
    directory: String,
    limits: ContainerLimits,
    network: bool,
    binds: Vec<String>,
    variables: Vec<(String, String)>,
    folders: Option<PathBuf>,
    start: Start,
    lifetime: Duration,
}

impl Singularity {
    /// Instances of this image: a SIF file, a sandbox directory, or an address such as
    /// `docker://debian`. With the first of `apptainer` and `singularity` in `PATH`.
    pub fn new(image: impl Into<String>) -> Self {
        Self {
            settings: Settings {
                image: image.into(),
                client: Client::any_of(&["apptainer", "singularity"]),
                directory: WORKSPACE.to_owned(),
                limits: ContainerLimits::default(),
                network: true,
                binds: Vec::new(),
                variables: Vec::new(),
                folders: None,
                start: Start::default(),
                lifetime: Duration::from_secs(300),
            },
            is_unlimited: Arc::default(),
        }
    }

    /// Another image.
    #[must_use]
    pub fn with_image(self, image: impl Into<String>) -> Self {
        let image = image.into();
        self.set(|settings| settings.image = image)
    }

    /// The program, by its path or its name.
    #[must_use]
    pub fn with_program(self, program: impl Into<OsString>) -> Self {
        let program = program.into();
        self.set(|settings| settings.client.names = vec![program])
    }

    /// The variables of the program itself, instead of those of this process. They do not reach
    /// the instance.
    #[must_use]
    pub fn with_variables(self, variables: Variables) -> Self {
        self.set(|settings| settings.client.variables = variables)
    }

    /// Where tasks start in the instance: `/workspace`, unless said otherwise. It is made if it is
    /// not there.
    #[must_use]
    pub fn in_directory(self, directory: impl Into<String>) -> Self {
        let directory = directory.into();
        self.set(|settings| settings.directory = directory)
    }

    /// How much an instance may use. Where that cannot be limited it is not, and a note says so.
    /// The disk is not limited.
    #[must_use]
    pub fn with_limits(self, limits: ContainerLimits) -> Self {
        self.set(|settings| settings.limits = limits)
    }

    /// Whether it has a network: yes, unless said otherwise.
    #[must_use]
    pub fn with_network(self, network: bool) -> Self {
        self.set(|settings| settings.network = network)
    }

    /// A folder of this machine, as `--bind` takes it: `FROM:TO` or `FROM:TO:ro`. Commands have
    /// [access to this machine](Environment::host_access) then.
    #[must_use]
    pub fn with_bind(self, bind: impl Into<String>) -> Self {
        let bind = bind.into();
        self.set(|settings| settings.binds.push(bind))
    }

    /// A variable that commands there have. It is on no command line.
    #[must_use]
    pub fn with_variable(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let variable = (name.into(), value.into());
        self.set(|settings| settings.variables.push(variable))
    }

    /// The folder where what a task writes is kept, as `singularity/TASK`: `/workspace` and the home
    /// in folders of their own, and all else in an overlay. Without, it goes with the instance.
    #[must_use]
    pub fn with_folders_in(self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.set(|settings| settings.folders = Some(folder))
    }

    /// Files of the instance that are read after those of a login, in this order, before the
    /// environment of a session is taken; `~/` is the home there. Those that are not there are passed
    /// over.
    #[must_use]
    pub fn with_init_files(self, files: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let files = files.into_iter().map(Into::into).collect();
        self.set(|settings| settings.start.init_files = files)
    }

    /// Whether `~/.bashrc` there is read as those are, before them, where there is bash. It is not
    /// unless this is called.
    #[must_use]
    pub fn with_bashrc(self, bashrc: bool) -> Self {
        self.set(|settings| settings.start.bashrc = bashrc)
    }

    /// How long an instance is left running that nothing uses: 5 minutes, unless said otherwise.
    #[must_use]
    pub fn with_lifetime(self, lifetime: Duration) -> Self {
        self.set(|settings| settings.lifetime = lifetime)
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self.is_unlimited = Arc::default();
        self
    }
}

impl Settings {
    /// The file or directory that the image is; nothing if it is an address.
    fn image_file(&self) -> Option<&Path> {
        (!self.image.contains("://")).then(|| Path::new(&self.image))
    }
}

impl Environment for Singularity {
    fn name(&self) -> &str {
        "singularity"
    }

    fn usable(&self) -> std::result::Result<(), Unusable> {
        let settings = &self.settings;
        let unusable = |reason: String, remedy: &str| Unusable {
            reason,
            remedy: remedy.to_owned(),
        };
        if settings.client.program().is_none() {
            return Err(unusable(settings.client.missing(), "install Apptainer"));
        }
        let image = &settings.image;
        let set_image = "set terminal.singularity_image to a SIF file, a sandbox directory, or an \
                         address such as docker://debian";
        if image.is_empty() || image.starts_with('-') {
            return Err(unusable(
                format!("{image:?} is no name of an image"),
                set_image,
            ));
        }
        if settings.image_file().is_some_and(|file| !file.exists()) {
            return Err(unusable(format!("there is no image {image}"), set_image));
        }
        let odd = |(name, _): &&(String, String)| !is_variable(name);
        if let Some((name, _)) = settings.variables.iter().find(odd) {
            return Err(unusable(
                format!("{name:?} is no name of a variable"),
                "name another",
            ));
        }
        Ok(())
    }

    fn host_access(&self) -> bool {
        !self.settings.binds.is_empty()
    }

    fn open(&self, task: &str) -> Result<Box<dyn Shell>> {
        let settings = self.settings.clone();
        let (lifetime, start) = (settings.lifetime, settings.start.clone());
        let engine = SingularityEngine::new(settings, Arc::clone(&self.is_unlimited), task);
        let place: Arc<dyn Place> = Container::new(Box::new(engine), lifetime)?;
        Ok(Box::new(RemoteShell::open(place, start)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let reason = |singularity: Singularity| singularity.usable().unwrap_err().to_string();
        let none = Variables::none().with([("PATH", "/none")]);
        let missing = reason(Singularity::new("x").with_variables(none));
        assert!(
            missing.contains("no apptainer and no singularity"),
            "{missing}"
        );
        let with = |image: &str| Singularity::new(image).with_program("true");
        assert!(reason(with("/no/image.sif")).contains("no image /no/image.sif"));
        assert!(reason(with("")).contains("no name") && reason(with("-x")).contains("no name"));
        assert!(reason(with("/").with_variable("a b", "")).contains("a b"));
        for image in ["/", "docker://debian", "oras://x/y:1"] {
            assert_eq!(with(image).usable(), Ok(()));
        }
        assert!(!with("/").host_access() && with("/").with_bind("/srv").host_access());
    }
}
