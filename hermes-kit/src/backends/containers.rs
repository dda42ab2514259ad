//! The backends `docker` and `singularity` as the config and the `.env` of a home have them.

use std::path::{Path, PathBuf};

use hermes_terminal::{ContainerLimits, Docker, Singularity, Variables};

use super::in_user_home;
use super::local::reads_bashrc;
use crate::config::TerminalConfig;
use crate::dotenv::DotEnv;
use crate::hermes::Hermes;

/// Where commands start.
const HOME: &str = "/root";
/// Where they start when it is mounted, or when there is no home that they can write to.
const WORKSPACE: &str = "/workspace";
/// Names the program of docker.
const PROGRAM: &str = "HERMES_DOCKER_BINARY";

pub(super) fn docker(hermes: &Hermes, config: &TerminalConfig, own: &DotEnv) -> Docker {
    let person = hermes.wishes().user_home.as_deref();
    let known = |name: &str| own.or(name, &|name| hermes.wishes().variable(name));
    let settings = &config.docker;
    let mut docker = Docker::new(hermes.home().clone(), &settings.image)
        .with_variables(Variables::of_process().with(own.iter()))
        .with_limits(limits(config))
        .with_network(settings.network)
        .as_host_user(settings.run_as_host_user)
        .kept(settings.persist_across_processes)
        .reaping_orphans(settings.orphan_reaper)
        .with_lifetime(config.lifetime)
        .with_bashrc(reads_bashrc(config))
        .with_init_files(init_files(config));
    let program = known(PROGRAM).filter(|program| !program.trim().is_empty());
    let podman = config.backend.trim().eq_ignore_ascii_case("podman");
    if let Some(program) = program.or_else(|| podman.then(|| "podman".to_owned())) {
        docker = docker.with_program(in_user_home(program.as_ref(), person));
    }
    for volume in &settings.volumes {
        docker = docker.with_volume(volume);
    }
    for argument in &settings.extra_args {
        docker = docker.with_argument(argument);
    }
    let forwarded = config.env_passthrough.iter().chain(&settings.forward_env);
    for name in forwarded {
        if let Some(value) = known(name) {
            docker = docker.with_variable(name, value);
        }
    }
    for (name, value) in &settings.env {
        docker = docker.with_variable(name, value);
    }
    if let Some(folders) = folders(hermes, config) {
        docker = docker.with_folders_in(folders);
    }
    if settings.mount_cwd_to_workspace {
        let here = || std::env::current_dir().unwrap_or_default();
        let named = config.cwd.as_ref().map(|cwd| in_user_home(cwd, person));
        let folder = named.map_or_else(here, |named| here().join(named));
        return docker.with_workspace(folder).in_directory(WORKSPACE);
    }
    let has_home = !settings.run_as_host_user || config.container.persistent;
    docker.in_directory(directory(config, person, has_home))
}

pub(super) fn singularity(hermes: &Hermes, config: &TerminalConfig, own: &DotEnv) -> Singularity {
    let person = hermes.wishes().user_home.as_deref();
    let known = |name: &str| own.or(name, &|name| hermes.wishes().variable(name));
    let image = in_user_home(config.singularity_image.as_ref(), person);
    let mut singularity = Singularity::new(image.to_string_lossy())
        .with_variables(Variables::of_process().with(own.iter()))
        .with_limits(limits(config))
        .with_lifetime(config.lifetime)
        .with_bashrc(reads_bashrc(config))
        .with_init_files(init_files(config))
        .in_directory(directory(config, person, config.container.persistent));
    for name in &config.env_passthrough {
        if let Some(value) = known(name) {
            singularity = singularity.with_variable(name, value);
        }
    }
    if let Some(folders) = folders(hermes, config) {
        singularity = singularity.with_folders_in(folders);
    }
    singularity
}

fn limits(config: &TerminalConfig) -> ContainerLimits {
    let mut limits = ContainerLimits::default();
    limits.cpus = config.container.cpu;
    limits.memory_mib = config.container.memory_mib;
    limits.disk_mib = config.container.disk_mib;
    limits
}

fn init_files(config: &TerminalConfig) -> Vec<String> {
    let files = config.shell_init_files.iter();
    files
        .map(|file| file.to_string_lossy().into_owned())
        .collect()
}

/// Where what is to outlive containers lies; nothing if nothing is to.
fn folders(hermes: &Hermes, config: &TerminalConfig) -> Option<PathBuf> {
    let person = hermes.wishes().user_home.as_deref();
    config
        .container
        .persistent
        .then(|| match &config.sandbox_dir {
            Some(folder) => in_user_home(folder, person),
            None => hermes.home().path().join("sandboxes"),
        })
}

fn directory(config: &TerminalConfig, person: Option<&Path>, has_home: bool) -> String {
    let named = config.cwd.as_deref().filter(|cwd| !is_of_host(cwd, person));
    match named.and_then(Path::to_str) {
        Some(named) => named.to_owned(),
        None if has_home => HOME.to_owned(),
        None => WORKSPACE.to_owned(),
    }
}

/// Whether a directory to start in is one of this machine, as it was named when commands ran here.
pub(crate) fn is_of_host(directory: &Path, person: Option<&Path>) -> bool {
    let in_home = |home: &Path| {
        // A person without a home of their own has that of root, or the root.
        !matches!(home.to_str(), Some("" | "/" | HOME)) && directory.starts_with(home)
    };
    !directory.is_absolute()
        || ["/home", "/Users"]
            .iter()
            .any(|homes| directory.starts_with(homes))
        || person.is_some_and(in_home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_this_machine_are_told_from_those_of_a_container() {
        let person = Some(Path::new("/srv/ann"));
        for here in [
            "~",
            "~/x",
            "x",
            "./x",
            "C:\\x",
            "/home/ann",
            "/Users/ann/x",
            "/srv/ann/x",
        ] {
            assert!(is_of_host(here.as_ref(), person), "{here}");
        }
        for there in ["/", "/workspace", "/root", "/srv", "/homes", "/srv/anna"] {
            assert!(!is_of_host(there.as_ref(), person), "{there}");
        }
        for person in ["/", "/root", ""] {
            assert!(!is_of_host("/root/x".as_ref(), Some(person.as_ref())));
        }
    }
}
