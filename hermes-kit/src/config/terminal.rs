//! `terminal:`: where commands run, and how.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::section::{ConfigProblem, Lookup, Section, key, or_variable};
use super::yaml::Node;

/// The image of the backends that take one, unless another is set.
const IMAGE: &str = "nikolaik/python-nodejs:python3.11-nodejs20";

/// The settings of the terminal. What the file does not say, a variable can (its name stands with
/// the setting): first the one of the home's `.env`, then the one of the environment. Lists and
/// mappings in a variable are JSON.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TerminalConfig {
    /// `backend`, or `env_type` (`TERMINAL_ENV`). `local`. Not checked here: the terminal knows
    /// which there are.
    pub backend: String,
    /// `cwd` (`TERMINAL_CWD`): where commands start. `None`, as are `.`, `auto` and `cwd`: where
    /// the program runs, or where a login on another machine begins, or `/root` of a container. A
    /// container passes over one that is a folder of this machine: one that begins with `~`, `/home/`
    /// or `/Users/`, is not absolute, or lies in the person's home.
    pub cwd: Option<PathBuf>,
    /// `timeout` (`TERMINAL_TIMEOUT`): what a command may take, in whole seconds. 180.
    pub timeout: Duration,
    /// `lifetime_seconds` (`TERMINAL_LIFETIME_SECONDS`): how long a container that nobody uses is
    /// left running. 300.
    pub lifetime: Duration,
    /// `daemon_term_grace_seconds`: what processes have between TERM and KILL. 2.
    pub term_grace: Duration,
    /// `env_passthrough`: variables that children get although they would be kept back, and those
    /// that containers get from here. None.
    pub env_passthrough: Vec<String>,
    /// `home_mode` (`TERMINAL_HOME_MODE`): what local commands have as `HOME`. `auto`.
    pub home_mode: HomeMode,
    /// `shell_init_files`: read by the shell after the files of a login, before the environment of a
    /// session is taken; `~`, `$NAME` and `${NAME}` in them mean what they mean to a shell. Those
    /// that are not there are passed over. For `ssh` and containers they are files that are there, where
    /// only `~` has a meaning. None.
    pub shell_init_files: Vec<PathBuf>,
    /// `auto_source_bashrc`: whether bash reads `~/.bashrc` so, if `shell_init_files` lists nothing.
    /// Yes.
    pub auto_source_bashrc: bool,
    /// `persistent_shell` (`TERMINAL_PERSISTENT_SHELL`). Yes. Nothing here uses it: no shell is kept
    /// running, and what one leaves always lasts.
    pub persistent_shell: bool,
    /// `sudo_password` (`SUDO_PASSWORD`). None.
    pub sudo_password: Option<Secret>,
    /// `sandbox_dir` (`TERMINAL_SANDBOX_DIR`): where files of containers lie that outlive them.
    /// `None`: `sandboxes` in the home.
    pub sandbox_dir: Option<PathBuf>,
    /// `docker_…`.
    pub docker: DockerConfig,
    /// `container_…`: limits of the backends with containers.
    pub container: ContainerConfig,
    /// `ssh_…`.
    pub ssh: SshConfig,
    /// `singularity_image` (`TERMINAL_SINGULARITY_IMAGE`): a SIF file, a sandbox directory or an
    /// address.
    pub singularity_image: String,
    /// `modal_image` (`TERMINAL_MODAL_IMAGE`).
    pub modal_image: String,
    /// `modal_mode` (`TERMINAL_MODAL_MODE`). `auto`.
    pub modal_mode: String,
    /// `daytona_image` (`TERMINAL_DAYTONA_IMAGE`).
    pub daytona_image: String,
    /// `vercel_runtime` (`TERMINAL_VERCEL_RUNTIME`). None.
    pub vercel_runtime: Option<String>,
}

/// What commands on this machine have as their `HOME`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HomeMode {
    /// In a container `Profile`, elsewhere `Real`.
    #[default]
    Auto,
    /// The home of the person.
    Real,
    /// The folder `home` in the Hermes home, where there is one: what programs keep for their user,
    /// such as the settings of git, is apart for each profile. Without that folder, as `Real`.
    /// `isolated` is another name of it.
    Profile,
}

const HOME_MODES: &[(&str, HomeMode)] = &[
    ("auto", HomeMode::Auto),
    ("real", HomeMode::Real),
    ("profile", HomeMode::Profile),
    ("isolated", HomeMode::Profile),
];

/// The settings of the docker backend.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DockerConfig {
    /// `docker_image` (`TERMINAL_DOCKER_IMAGE`).
    pub image: String,
    /// `docker_forward_env` (`TERMINAL_DOCKER_FORWARD_ENV`): variables that the container gets from
    /// here. None.
    pub forward_env: Vec<String>,
    /// `docker_env` (`TERMINAL_DOCKER_ENV`): variables that the container gets. None.
    pub env: Vec<(String, String)>,
    /// `docker_volumes` (`TERMINAL_DOCKER_VOLUMES`): as `docker run --volume` takes them. None.
    pub volumes: Vec<String>,
    /// `docker_mount_cwd_to_workspace` (`TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE`): whether
    /// `/workspace`, where commands start then, is `cwd`, or the folder that the program runs in. No.
    pub mount_cwd_to_workspace: bool,
    /// `docker_network` (`TERMINAL_DOCKER_NETWORK`): whether there is a network. Yes.
    pub network: bool,
    /// `docker_extra_args` (`TERMINAL_DOCKER_EXTRA_ARGS`): more arguments of `docker run`. None.
    pub extra_args: Vec<String>,
    /// `docker_run_as_host_user` (`TERMINAL_DOCKER_RUN_AS_HOST_USER`): whether commands are of the
    /// user that runs this program. No.
    pub run_as_host_user: bool,
    /// `docker_persist_across_processes` (`TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES`): whether a
    /// container is stopped at the end and used again, instead of removed. Yes.
    pub persist_across_processes: bool,
    /// `docker_orphan_reaper` (`TERMINAL_DOCKER_ORPHAN_REAPER`): whether containers of programs that
    /// have died are removed. Yes.
    pub orphan_reaper: bool,
}

/// Limits of containers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContainerConfig {
    /// `container_cpu` (`TERMINAL_CONTAINER_CPU`), in cores. 1; 0 is no limit.
    pub cpu: f64,
    /// `container_memory` (`TERMINAL_CONTAINER_MEMORY`), in MiB. 5120; 0 is no limit.
    pub memory_mib: u64,
    /// `container_disk` (`TERMINAL_CONTAINER_DISK`), in MiB. 51200; 0 is no limit.
    pub disk_mib: u64,
    /// `container_persistent` (`TERMINAL_CONTAINER_PERSISTENT`): whether the files of `/root` and
    /// `/workspace` outlive the container. Yes.
    pub persistent: bool,
}

/// The settings of the ssh backend.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SshConfig {
    /// `ssh_host` (`TERMINAL_SSH_HOST`). None.
    pub host: Option<String>,
    /// `ssh_user` (`TERMINAL_SSH_USER`). None.
    pub user: Option<String>,
    /// `ssh_port` (`TERMINAL_SSH_PORT`). 22.
    pub port: u16,
    /// `ssh_key` (`TERMINAL_SSH_KEY`): the file of the private key. None.
    pub key: Option<PathBuf>,
}

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// How long an environment that nobody uses is kept.
pub(super) const LIFETIME: Duration = Duration::from_secs(300);
/// What a container may write, in MiB.
pub(super) const DISK: u64 = 51_200;
/// The longest time that can be set: a day.
const DAY: f64 = 86_400.0;

pub(super) fn read(root: &Node, variables: Lookup<'_>) -> (TerminalConfig, Vec<ConfigProblem>) {
    let mut at = Section::new(root, "terminal", variables);
    let config = read_from(&mut at);
    (config, at.finish())
}

pub(super) fn read_from(at: &mut Section<'_>) -> TerminalConfig {
    let (backend, other_name) = (
        at.text(key("backend")),
        at.text(or_variable("env_type", "TERMINAL_ENV")),
    );
    let here = |cwd: &String| !matches!(cwd.as_str(), "." | "auto" | "cwd");
    TerminalConfig {
        backend: backend.or(other_name).unwrap_or_else(|| "local".to_owned()),
        cwd: at
            .text(or_variable("cwd", "TERMINAL_CWD"))
            .filter(here)
            .map(PathBuf::from),
        timeout: at
            .whole(or_variable("timeout", "TERMINAL_TIMEOUT"), 1..=86_400)
            .map_or(Duration::from_secs(180), Duration::from_secs),
        lifetime: at
            .whole(
                or_variable("lifetime_seconds", "TERMINAL_LIFETIME_SECONDS"),
                1..=u64::MAX,
            )
            .map_or(LIFETIME, Duration::from_secs),
        term_grace: at
            .seconds(key("daemon_term_grace_seconds"), 0.0..=DAY)
            .unwrap_or(Duration::from_secs(2)),
        env_passthrough: at.texts(key("env_passthrough")).unwrap_or_default(),
        home_mode: at
            .word(or_variable("home_mode", "TERMINAL_HOME_MODE"), HOME_MODES)
            .unwrap_or_default(),
        shell_init_files: paths(at.texts(key("shell_init_files"))),
        auto_source_bashrc: at.flag(key("auto_source_bashrc")).unwrap_or(true),
        persistent_shell: at
            .flag(or_variable("persistent_shell", "TERMINAL_PERSISTENT_SHELL"))
            .unwrap_or(true),
        sudo_password: at
            .secret(or_variable("sudo_password", "SUDO_PASSWORD"))
            .map(Secret),
        sandbox_dir: at
            .text(or_variable("sandbox_dir", "TERMINAL_SANDBOX_DIR"))
            .map(PathBuf::from),
        docker: docker(at),
        container: container(at),
        ssh: ssh(at),
        singularity_image: at
            .text(or_variable(
                "singularity_image",
                "TERMINAL_SINGULARITY_IMAGE",
            ))
            .unwrap_or_else(|| format!("docker://{IMAGE}")),
        modal_image: at
            .text(or_variable("modal_image", "TERMINAL_MODAL_IMAGE"))
            .unwrap_or_else(|| IMAGE.to_owned()),
        modal_mode: at
            .text(or_variable("modal_mode", "TERMINAL_MODAL_MODE"))
            .unwrap_or_else(|| "auto".to_owned()),
        daytona_image: at
            .text(or_variable("daytona_image", "TERMINAL_DAYTONA_IMAGE"))
            .unwrap_or_else(|| IMAGE.to_owned()),
        vercel_runtime: at.text(or_variable("vercel_runtime", "TERMINAL_VERCEL_RUNTIME")),
    }
}

fn paths(texts: Option<Vec<String>>) -> Vec<PathBuf> {
    texts
        .unwrap_or_default()
        .into_iter()
        .map(PathBuf::from)
        .collect()
}

fn docker(at: &mut Section<'_>) -> DockerConfig {
    DockerConfig {
        image: at
            .text(or_variable("docker_image", "TERMINAL_DOCKER_IMAGE"))
            .unwrap_or_else(|| IMAGE.to_owned()),
        forward_env: at
            .texts(or_variable(
                "docker_forward_env",
                "TERMINAL_DOCKER_FORWARD_ENV",
            ))
            .unwrap_or_default(),
        env: at
            .pairs(or_variable("docker_env", "TERMINAL_DOCKER_ENV"))
            .unwrap_or_default(),
        volumes: at
            .texts(or_variable("docker_volumes", "TERMINAL_DOCKER_VOLUMES"))
            .unwrap_or_default(),
        mount_cwd_to_workspace: at
            .flag(or_variable(
                "docker_mount_cwd_to_workspace",
                "TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE",
            ))
            .unwrap_or(false),
        network: at
            .flag(or_variable("docker_network", "TERMINAL_DOCKER_NETWORK"))
            .unwrap_or(true),
        extra_args: at
            .texts(or_variable(
                "docker_extra_args",
                "TERMINAL_DOCKER_EXTRA_ARGS",
            ))
            .unwrap_or_default(),
        run_as_host_user: at
            .flag(or_variable(
                "docker_run_as_host_user",
                "TERMINAL_DOCKER_RUN_AS_HOST_USER",
            ))
            .unwrap_or(false),
        persist_across_processes: at
            .flag(or_variable(
                "docker_persist_across_processes",
                "TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES",
            ))
            .unwrap_or(true),
        orphan_reaper: at
            .flag(or_variable(
                "docker_orphan_reaper",
                "TERMINAL_DOCKER_ORPHAN_REAPER",
            ))
            .unwrap_or(true),
    }
}

fn container(at: &mut Section<'_>) -> ContainerConfig {
    ContainerConfig {
        cpu: at
            .number(
                or_variable("container_cpu", "TERMINAL_CONTAINER_CPU"),
                0.0..=f64::MAX,
            )
            .unwrap_or(1.0),
        memory_mib: at
            .whole(
                or_variable("container_memory", "TERMINAL_CONTAINER_MEMORY"),
                0..=u64::MAX,
            )
            .unwrap_or(5120),
        disk_mib: at
            .whole(
                or_variable("container_disk", "TERMINAL_CONTAINER_DISK"),
                0..=u64::MAX,
            )
            .unwrap_or(DISK),
        persistent: at
            .flag(or_variable(
                "container_persistent",
                "TERMINAL_CONTAINER_PERSISTENT",
            ))
            .unwrap_or(true),
    }
}

fn ssh(at: &mut Section<'_>) -> SshConfig {
    SshConfig {
        host: at.text(or_variable("ssh_host", "TERMINAL_SSH_HOST")),
        user: at.text(or_variable("ssh_user", "TERMINAL_SSH_USER")),
        port: at
            .whole(or_variable("ssh_port", "TERMINAL_SSH_PORT"), 1..=65_535)
            .and_then(|port| u16::try_from(port).ok())
            .unwrap_or(22),
        key: at
            .text(or_variable("ssh_key", "TERMINAL_SSH_KEY"))
            .map(PathBuf::from),
    }
}
