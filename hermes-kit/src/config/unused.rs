//! Settings that say something, and change nothing here.

use std::fmt;
use std::path::Path;

use super::section::{Key, Lookup, Section, key, or_variable};
use super::terminal::{HomeMode, TerminalConfig};
use super::yaml::{Node, Place};
use super::{sessions, terminal};

/// A setting that says something, and changes nothing here. One that has its default, or is of
/// another backend and says so in its name, is none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedSetting {
    /// Its name, as in `terminal.timeout`.
    pub setting: String,
    /// Where it stands.
    pub place: Place,
    /// Why it changes nothing.
    pub why: String,
    /// What to do instead.
    pub remedy: String,
}

impl fmt::Display for UnusedSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} changes nothing: {}",
            self.place, self.setting, self.why
        )
    }
}

/// In the order of the file. `is_of_host` says whether a directory to start in is one of this
/// machine, which a container does not have.
pub(super) fn find(
    root: &Node,
    backend: Option<&str>,
    variables: Lookup<'_>,
    is_of_host: &dyn Fn(&Path) -> bool,
) -> Vec<UnusedSetting> {
    let mut found = Vec::new();
    let mut at = Section::new(root, "terminal", variables);
    let settings = terminal::read_from(&mut at);
    let backend = backend.unwrap_or(&settings.backend);
    for rule in of_terminal(&settings, backend, is_of_host) {
        found.extend(rule.of(&at));
    }
    found.extend(unknown(&at));
    let mut at = Section::new(root, "sessions", variables);
    if sessions::read_from(&mut at).write_json_snapshots {
        let rule = Rule {
            key: key("write_json_snapshots"),
            why: "the store alone holds conversations",
            remedy: "take it out; `hermesctl sessions export` gives conversations as JSON",
        };
        found.extend(rule.of(&at));
    }
    found.extend(unknown(&at));
    found.sort_by_key(|unused| match unused.place {
        Place::File { line, column } => (line, column),
        Place::Variable(_) => (usize::MAX, 0),
    });
    found
}

/// A setting that is not used, where it stands.
struct Rule {
    key: Key,
    why: &'static str,
    remedy: &'static str,
}

impl Rule {
    fn of(self, at: &Section<'_>) -> Option<UnusedSetting> {
        Some(UnusedSetting {
            setting: at.full_name(self.key.name),
            place: at.place(self.key)?,
            why: self.why.to_owned(),
            remedy: self.remedy.to_owned(),
        })
    }
}

fn of_terminal(
    settings: &TerminalConfig,
    backend: &str,
    is_of_host: &dyn Fn(&Path) -> bool,
) -> Vec<Rule> {
    let backend = backend.trim().to_ascii_lowercase();
    let of_singularity = matches!(&*backend, "singularity" | "apptainer");
    let of_docker = matches!(&*backend, "docker" | "podman");
    let (of_local, of_ssh) = (backend == "local", backend == "ssh");
    let cwd = settings.cwd.as_deref();
    let mounted = of_docker && settings.docker.mount_cwd_to_workspace;
    let mut rules = Vec::new();
    let mut unused = |is_so: bool, key: Key, why: &'static str, remedy: &'static str| {
        if is_so {
            rules.push(Rule { key, why, remedy });
        }
    };
    unused(
        !settings.persistent_shell,
        or_variable("persistent_shell", "TERMINAL_PERSISTENT_SHELL"),
        "no shell is kept running, and what one leaves always lasts",
        "take it out",
    );
    unused(
        of_ssh && !settings.env_passthrough.is_empty(),
        key("env_passthrough"),
        "no variables of this machine go over ssh",
        "set them there, in a file that terminal.shell_init_files names",
    );
    unused(
        !of_local && settings.home_mode != HomeMode::Auto,
        or_variable("home_mode", "TERMINAL_HOME_MODE"),
        "it is for commands on this machine",
        "take it out, or set terminal.backend to local",
    );
    unused(
        (of_local || of_ssh) && settings.lifetime != terminal::LIFETIME,
        or_variable("lifetime_seconds", "TERMINAL_LIFETIME_SECONDS"),
        "it is for containers, and nothing else here is ended for being idle",
        "take it out",
    );
    unused(
        of_singularity && settings.container.disk_mib != terminal::DISK,
        or_variable("container_disk", "TERMINAL_CONTAINER_DISK"),
        "Apptainer does not limit what is written",
        "take it out, or limit the folder that terminal.sandbox_dir names",
    );
    unused(
        (of_singularity || of_docker) && !mounted && cwd.is_some_and(is_of_host),
        or_variable("cwd", "TERMINAL_CWD"),
        "a folder of this machine is not in a container",
        if of_docker {
            "set terminal.docker_mount_cwd_to_workspace to true, or name a directory of the container"
        } else {
            "name a directory of the container, or take it out"
        },
    );
    rules
}

fn unknown(at: &Section<'_>) -> Vec<UnusedSetting> {
    let unasked = at.unasked();
    unasked
        .into_iter()
        .map(|(setting, place)| UnusedSetting {
            setting,
            place,
            why: "no setting has this name here".to_owned(),
            remedy: "look for a slip in the name, or take it out".to_owned(),
        })
        .collect()
}
