//! The backend `docker`: commands run in containers, through the command line of docker or podman.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hermes_home::HermesHome;

use crate::Result;
use crate::container::client::Client;
use crate::container::{Container, WORKSPACE};
use crate::environment::{Environment, Shell, Unusable};
use crate::remote::{Place, RemoteShell, Start};
use crate::script::is_name;
use crate::variables::Variables;

mod engine;
mod inspect;
mod isolation;
mod orphans;

use engine::DockerEngine;

/// Commands in containers of docker or podman, one for each task.
///
/// A container has no capabilities but those that package managers need, no more than 1,024
/// processes, and the limits that it is given. It is ended when nothing has used it for its
/// lifetime, and at the end of the task; [`kept`](Self::kept) ones are stopped then, and used again
/// by the next task of the same name. What programs that have died left behind is removed.
#[derive(Debug, Clone)]
pub struct Docker {
    settings: Settings,
    shared: Arc<Shared>,
}

/// What all containers of a backend know of.
#[derive(Debug, Default)]
struct Shared {
    /// That the program does not limit the disk here.
    disk_is_unlimited: AtomicBool,
    /// The same of processors, memory and processes.
    usage_is_unlimited: AtomicBool,
    orphans: OnceLock<()>,
}

/// How much a container may use. 0 is no limit. Where the program cannot limit something, it is not
/// limited, and a note says so.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ContainerLimits {
    /// Cores: 1.
    pub cpus: f64,
    /// Memory, in MiB: 5,120.
    pub memory_mib: u64,
    /// What it writes outside of mounted folders, in MiB: 51,200.
    pub disk_mib: u64,
    /// Processes and threads: 1,024.
    pub processes: u64,
}

impl Default for ContainerLimits {
    fn default() -> Self {
        Self {
            cpus: 1.0,
            memory_mib: 5_120,
            disk_mib: 51_200,
            processes: 1_024,
        }
    }
}

impl ContainerLimits {
    /// Whether processors, memory or processes are limited.
    fn bound_usage(&self) -> bool {
        self.cpus > 0.0 || self.memory_mib > 0 || self.processes > 0
    }
}

#[derive(Debug, Clone)]
struct Settings {
    home: HermesHome,
    image: String,
    client: Client,
    directory: String,
    limits: ContainerLimits,
    network: bool,
    volumes: Vec<String>,
    variables: Vec<(String, String)>,
    arguments: Vec<String>,
    host_user: bool,
    kept: bool,
    folders: Option<PathBuf>,
    workspace: Option<PathBuf>,
    start: Start,
    lifetime: Duration,
    reaps: bool,
}

impl Docker {
    /// Containers of this image, with the first of `docker` and `podman` in `PATH`. Those of `home`
    /// are told from those of other homes.
    pub fn new(home: HermesHome, image: impl Into<String>) -> Self {
        Self {
            settings: Settings {
                home,
                image: image.into(),
                client: Client::any_of(&["docker", "podman"]),
                directory: WORKSPACE.to_owned(),
                limits: ContainerLimits::default(),
                network: true,
                volumes: Vec::new(),
                variables: Vec::new(),
                arguments: Vec::new(),
                host_user: false,
                kept: false,
                folders: None,
                workspace: None,
                start: Start::default(),
                lifetime: Duration::from_secs(300),
                reaps: true,
            },
            shared: Arc::default(),
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
    /// the container.
    #[must_use]
    pub fn with_variables(self, variables: Variables) -> Self {
        self.set(|settings| settings.client.variables = variables)
    }

    /// Where tasks start in the container: `/workspace`, unless said otherwise. It is made if it is
    /// not there.
    #[must_use]
    pub fn in_directory(self, directory: impl Into<String>) -> Self {
        let directory = directory.into();
        self.set(|settings| settings.directory = directory)
    }

    /// How much a container may use.
    #[must_use]
    pub fn with_limits(self, limits: ContainerLimits) -> Self {
        self.set(|settings| settings.limits = limits)
    }

    /// Whether it has a network: yes, unless said otherwise.
    #[must_use]
    pub fn with_network(self, network: bool) -> Self {
        self.set(|settings| settings.network = network)
    }

    /// A volume or a folder of this machine, as the program's `--volume` takes it: `FROM:TO` or
    /// `FROM:TO:ro`. With a folder, commands have [access to this
    /// machine](Environment::host_access).
    #[must_use]
    pub fn with_volume(self, volume: impl Into<String>) -> Self {
        let volume = volume.into();
        self.set(|settings| settings.volumes.push(volume))
    }

    /// A variable that commands there have. It is on no command line.
    #[must_use]
    pub fn with_variable(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let variable = (name.into(), value.into());
        self.set(|settings| settings.variables.push(variable))
    }

    /// Another argument of the program's `run`. Unless it is known to give none, commands have
    /// access to this machine.
    #[must_use]
    pub fn with_argument(self, argument: impl Into<String>) -> Self {
        let argument = argument.into();
        self.set(|settings| settings.arguments.push(argument))
    }

    /// Whether commands are of the user that runs this program, instead of the image's.
    #[must_use]
    pub fn as_host_user(self, host_user: bool) -> Self {
        self.set(|settings| settings.host_user = host_user)
    }

    /// Whether containers are kept for the next task of the same name, also of a program that is
    /// started again. Without, they are removed. One that has not been used for 30 days is removed
    /// all the same.
    #[must_use]
    pub fn kept(self, kept: bool) -> Self {
        self.set(|settings| settings.kept = kept)
    }

    /// The folder where `/workspace` and `/root` of each task are kept, whatever becomes of its
    /// container: as `docker/TASK/workspace` and `docker/TASK/home`. Nothing else of this machine
    /// is in them. Without, they go with the container.
    #[must_use]
    pub fn with_folders_in(self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.set(|settings| settings.folders = Some(folder))
    }

    /// The folder of this machine that `/workspace` is, for all tasks. Commands have [access to this
    /// machine](Environment::host_access) then.
    #[must_use]
    pub fn with_workspace(self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.set(|settings| settings.workspace = Some(folder))
    }

    /// Files of the container that are read after those of a login, in this order, before the
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

    /// How long a container is left running that nothing uses: 5 minutes, unless said otherwise.
    #[must_use]
    pub fn with_lifetime(self, lifetime: Duration) -> Self {
        self.set(|settings| settings.lifetime = lifetime)
    }

    /// Whether the first container also removes what programs that have died left behind: yes,
    /// unless said otherwise.
    #[must_use]
    pub fn reaping_orphans(self, reaps: bool) -> Self {
        self.set(|settings| settings.reaps = reaps)
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self.shared = Arc::default();
        self
    }
}

impl Environment for Docker {
    fn name(&self) -> &str {
        "docker"
    }

    fn usable(&self) -> std::result::Result<(), Unusable> {
        let settings = &self.settings;
        let unusable = |reason: String, remedy: String| Err(Unusable { reason, remedy });
        if settings.client.program().is_none() {
            return unusable(
                settings.client.missing(),
                "install Docker or podman, or set HERMES_DOCKER_BINARY to where one is".to_owned(),
            );
        }
        let image = &settings.image;
        if image.is_empty() || image.starts_with('-') || image.contains(char::is_whitespace) {
            return unusable(
                format!("{image:?} is no name of an image"),
                "set terminal.docker_image".to_owned(),
            );
        }
        if let Some((name, _)) = settings
            .variables
            .iter()
            .find(|(name, _)| !is_variable(name))
        {
            return unusable(
                format!("{name:?} is no name of a variable"),
                "put docker_env and docker_forward_env right".to_owned(),
            );
        }
        if let Some(folder) = settings
            .workspace
            .as_ref()
            .filter(|folder| !folder.is_dir())
        {
            return unusable(
                format!("there is no folder {} to be /workspace", folder.display()),
                "make it, or set terminal.cwd to another".to_owned(),
            );
        }
        let folders = settings.workspace.iter().chain(&settings.folders);
        if let Some(folder) = folders.into_iter().find(|folder| folder.to_str().is_none()) {
            return unusable(
                format!("the name of {} is no text", folder.display()),
                "set terminal.cwd or terminal.sandbox_dir to another".to_owned(),
            );
        }
        let called = settings.client.called();
        match settings.client.run(["ps", "-q"], Duration::from_secs(10)) {
            Ok(answer) if answer.code == Some(0) => Ok(()),
            Ok(answer) => unusable(
                format!("{called} does not work here: {}", answer.last_line()),
                match called != "podman" && settings.client.has("podman") {
                    true => format!(
                        "start its service, and try `{called} ps`, or set terminal.backend to podman"
                    ),
                    false => format!("start its service, and try `{called} ps`"),
                },
            ),
            Err(error) => unusable(error.to_string(), format!("try `{called} ps`")),
        }
    }

    fn host_access(&self) -> bool {
        let Settings {
            volumes, arguments, ..
        } = &self.settings;
        self.settings.workspace.is_some()
            || volumes.iter().any(|volume| isolation::is_of_host(volume))
            || isolation::may_reach_host(arguments)
    }

    fn open(&self, task: &str) -> Result<Box<dyn Shell>> {
        let settings = self.settings.clone();
        let (lifetime, start) = (settings.lifetime, settings.start.clone());
        let engine = DockerEngine::new(settings, Arc::clone(&self.shared), task);
        let place: Arc<dyn Place> = Container::new(Box::new(engine), lifetime)?;
        Ok(Box::new(RemoteShell::open(place, start)?))
    }
}

/// Whether a shell takes it for the name of a variable.
pub(crate) fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && is_name(name.as_ref())
}

#[cfg(test)]
mod tests {
    use hermes_home::{Environment as HomeEnvironment, Platform};

    use super::*;

    fn docker(image: &str) -> Docker {
        let env = HomeEnvironment::new(Platform::Unix).with_user_home("/home/x");
        Docker::new(hermes_home::resolve(&env).unwrap().home, image)
    }

    #[test]
    fn what_is_missing_is_named() {
        let reason = |docker: Docker| docker.usable().unwrap_err().to_string();
        let none = Variables::none().with([("PATH", "/none")]);
        assert!(
            reason(docker("x").with_variables(none)).contains("no docker and no podman in PATH")
        );
        let program = |docker: Docker| docker.with_program("true");
        for image in ["", "-v", "a b"] {
            assert!(reason(program(docker(image))).contains("no name of an image"));
        }
        for name in ["", "1a", "a b", "a=b", "a-b"] {
            let docker = program(docker("x").with_variable(name, "1"));
            assert!(reason(docker).contains("no name of a variable"), "{name:?}");
        }
        let nowhere = reason(program(docker("x").with_workspace("/no/where")));
        assert!(nowhere.contains("no folder /no/where"), "{nowhere}");
        let dead = reason(docker("x").with_program("false"));
        assert!(dead.contains("false does not work here") && dead.contains("`false ps`"));
        assert_eq!(
            program(docker("x").with_variable("A_1", "")).usable(),
            Ok(())
        );
    }

    #[test]
    fn what_reaches_this_machine_is_told() {
        assert!(!docker("x").with_volume("data:/data").host_access());
        assert!(docker("x").with_volume("/srv:/srv:ro").host_access());
        assert!(docker("x").with_argument("--privileged").host_access());
        assert!(!docker("x").with_folders_in("/srv").host_access());
        assert!(docker("x").with_workspace("/srv").host_access());
    }
}
