//! The command lines of docker and podman.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::inspect::Inspected;
use super::{Settings, Shared, isolation, orphans};
use crate::command_line::CommandLine;
use crate::container::client::{failed, make_folder};
use crate::container::{Engine, WORKSPACE, names, owner};
use crate::environment::TerminalSize;
use crate::remote::OWN;
use crate::{Error, Result};

pub(super) const HOME: &str = "hermes-terminal.home";
pub(super) const TASK: &str = "hermes-terminal.task";
pub(super) const OWNER: &str = "hermes-terminal.owner";
pub(super) const KEPT: &str = "hermes-terminal.kept";

/// What package managers need, and what ends processes of other users in the container.
const CAPABILITIES: &[&str] = &[
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "KILL",
    "SETGID",
    "SETUID",
];
/// How long it may take to get an image.
const PULL: Duration = Duration::from_secs(600);
/// How long a container may take to start or to end.
const START: Duration = Duration::from_secs(60);
/// What detaches from a terminal: what nobody types. The usual keys are those of a shell's history.
const DETACH: &str = "ctrl-^,ctrl-_,ctrl-^,ctrl-_";
/// What a container does while nothing is asked of it.
const NOTHING: &str = "while :; do sleep 86400; done";

/// What is asked to be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limited {
    disk: bool,
    /// Processors, memory and processes.
    usage: bool,
}

impl Limited {
    const ALL: Self = Self {
        disk: true,
        usage: true,
    };
}

#[derive(Debug)]
pub(super) struct DockerEngine {
    settings: Settings,
    shared: Arc<Shared>,
    task: String,
}

impl DockerEngine {
    pub(super) fn new(settings: Settings, shared: Arc<Shared>, task: &str) -> Self {
        Self {
            settings,
            shared,
            task: task.to_owned(),
        }
    }

    fn home(&self) -> String {
        self.settings.home.path().to_string_lossy().into_owned()
    }

    /// The name of the container that is kept for these settings and this task.
    fn kept_name(&self) -> Result<String> {
        let run = self.run_arguments("", Limited::ALL)?.join("\n");
        let fingerprint = names::fingerprint(&[&self.home(), &self.task, &run]);
        Ok(format!("hermes-{}-{fingerprint}", names::slug(&self.task)))
    }

    fn bring_up_kept(&self, notes: &mut Vec<String>) -> Result<String> {
        let name = self.kept_name()?;
        let called = self.settings.client.called();
        let remedy = format!("remove it with `{called} rm -f {name}` if you need nothing in it");
        let mut tries = 0;
        loop {
            let Some(found) = self.settings.inspect(&name)? else {
                tries += 1;
                match self.create(&name, notes) {
                    // Another program was faster.
                    Err(Error::Container { reason, .. })
                        if reason.contains("in use") && tries < 3 => {}
                    created => return created.map(|()| name),
                }
                continue;
            };
            self.must_be_ours(&found, &name)?;
            let verb = match (found.state.running, found.state.paused) {
                (_, true) => "unpause",
                (true, false) => return Ok(name),
                (false, false) => "start",
            };
            let doing = format!("starting the container {name} again");
            let arguments = [verb, &name];
            self.settings
                .client
                .must(arguments, START, &doing, &remedy)?;
            return Ok(name);
        }
    }

    fn must_be_ours(&self, found: &Inspected, name: &str) -> Result<()> {
        if found.label(TASK) == Some(&*self.task) && found.label(HOME) == Some(&*self.home()) {
            return Ok(());
        }
        Err(Error::Container {
            doing: format!("looking for the container {name}"),
            reason: "there is one of this name that is not of this task".to_owned(),
            remedy: "rename it".to_owned(),
        })
    }

    fn create(&self, name: &str, notes: &mut Vec<String>) -> Result<()> {
        let settings = &self.settings;
        let called = settings.client.called();
        self.have_image()?;
        for (folder, _) in self.own_folders() {
            make_folder(folder.as_ref())?;
        }
        let known = Limited {
            disk: !self.shared.disk_is_unlimited.load(Ordering::Relaxed),
            usage: !self.shared.usage_is_unlimited.load(Ordering::Relaxed),
        };
        let mut limited = known;
        let answer = loop {
            let answer = settings
                .client
                .run(self.run_arguments(name, limited)?, START)?;
            if answer.code == Some(0) {
                break answer;
            }
            let said = String::from_utf8_lossy(&answer.output).to_ascii_lowercase();
            if !said.contains("in use") {
                // What is half made has the name.
                let _ = settings.client.run(["rm", "-f", name], START)?;
            }
            let limits = &settings.limits;
            if limited.disk && limits.disk_mib > 0 && names_any(&said, DISK_WORDS) {
                limited.disk = false;
            } else if limited.usage && limits.bound_usage() && names_any(&said, USE_WORDS) {
                limited.usage = false;
            } else {
                break answer;
            }
        };
        if answer.code != Some(0) {
            let image = &settings.image;
            return Err(failed(
                &answer,
                &format!("starting a container of the image {image}"),
                &format!(
                    "see whether `{called} run --rm {image} true` works, and which limit it does \
                     not take"
                ),
            ));
        }
        if limited.disk != known.disk {
            self.shared.disk_is_unlimited.store(true, Ordering::Relaxed);
            notes.push(format!(
                "{called} cannot limit the disk here; set terminal.container_disk to 0 to be told \
                 no more"
            ));
        }
        if limited.usage != known.usage {
            self.shared
                .usage_is_unlimited
                .store(true, Ordering::Relaxed);
            notes.push(format!(
                "{called} cannot limit processors, memory and processes here: a command can use \
                 all that this machine has"
            ));
        }
        Ok(())
    }

    fn have_image(&self) -> Result<()> {
        let Settings { client, image, .. } = &self.settings;
        let known = client.run(["image", "inspect", "--format", "{{.Id}}", image], OWN)?;
        if known.code == Some(0) {
            return Ok(());
        }
        tracing::info!(image, "pulling an image");
        let pulled = client.run(["pull", "-q", image], PULL)?;
        if pulled.code == Some(0) {
            return Ok(());
        }
        Err(Error::ImageMissing {
            image: image.clone(),
            program: client.called(),
            reason: pulled.last_line(),
        })
    }

    /// Folders of this machine that hold what is to outlive the container, and where they are in it:
    /// nothing where something else is already.
    fn own_folders(&self) -> Vec<(String, &'static str)> {
        let settings = &self.settings;
        let Some(root) = &settings.folders else {
            return Vec::new();
        };
        let task = root.join("docker").join(names::folder(&self.task));
        [("workspace", WORKSPACE), ("home", "/root")]
            .into_iter()
            .filter(|(_, target)| !self.is_taken(target))
            .map(|(name, target)| (task.join(name).to_string_lossy().into_owned(), target))
            .collect()
    }

    /// Whether somebody has said what is there.
    fn is_taken(&self, target: &str) -> bool {
        let mut volumes = self.settings.volumes.iter();
        (target == WORKSPACE && self.settings.workspace.is_some())
            || volumes.any(|volume| isolation::target(volume) == Some(target))
    }

    /// Whether something is mounted there.
    fn mounts(&self, target: &str) -> bool {
        self.settings.folders.is_some() || self.is_taken(target)
    }

    /// All folders that are mounted by their names.
    fn folders(&self) -> Vec<(String, &'static str)> {
        let workspace = self.settings.workspace.iter();
        let workspace = workspace.map(|folder| (folder.to_string_lossy().into_owned(), WORKSPACE));
        self.own_folders().into_iter().chain(workspace).collect()
    }

    /// The arguments of `run`.
    fn run_arguments(&self, name: &str, limited: Limited) -> Result<Vec<String>> {
        let settings = &self.settings;
        let mut all: Vec<String> = Vec::new();
        let mut add = |words: &[&str]| all.extend(words.iter().map(|word| (*word).to_owned()));
        add(&["run", "-d", "--init", "--entrypoint", "sh"]);
        if !name.is_empty() {
            add(&["--name", name]);
            for (label, value) in [
                (HOME, self.home()),
                (TASK, self.task.clone()),
                (OWNER, owner::this()),
                (KEPT, settings.kept.to_string()),
            ] {
                add(&["--label", &format!("{label}={value}")]);
            }
        }
        add(&["--cap-drop", "ALL"]);
        for capability in CAPABILITIES {
            add(&["--cap-add", capability]);
        }
        add(&["--security-opt", "no-new-privileges"]);
        let limits = &settings.limits;
        if limits.processes > 0 && limited.usage {
            add(&["--pids-limit", &limits.processes.to_string()]);
        }
        if limits.cpus > 0.0 && limited.usage {
            add(&["--cpus", &limits.cpus.to_string()]);
        }
        if limits.memory_mib > 0 && limited.usage {
            add(&["--memory", &format!("{}m", limits.memory_mib)]);
        }
        if limits.disk_mib > 0 && limited.disk {
            add(&["--storage-opt", &format!("size={}m", limits.disk_mib)]);
        }
        if !settings.network {
            add(&["--network", "none"]);
        }
        if settings.host_user {
            let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
            add(&["--user", &format!("{}:{}", user.as_raw(), group.as_raw())]);
            if self.mounts("/root") {
                add(&["--env", "HOME=/root"]);
            } else {
                if !self.mounts(WORKSPACE) {
                    add(&["--tmpfs", &format!("{WORKSPACE}:rw,exec,mode=1777")]);
                }
                add(&["--env", &format!("HOME={WORKSPACE}")]);
            }
        }
        for (from, to) in self.folders() {
            if from.contains([',', '"']) && from.contains(':') {
                return Err(Error::Container {
                    doing: format!("mounting {from}"),
                    reason: "its name has both colons and commas or quotes".to_owned(),
                    remedy: "set terminal.sandbox_dir to another folder".to_owned(),
                });
            }
            if from.contains(':') {
                let mount = format!("type=bind,source={from},target={to}");
                add(&["--mount", &mount]);
            } else {
                add(&["--volume", &format!("{from}:{to}")]);
            }
        }
        for volume in &settings.volumes {
            add(&["--volume", &self.in_user_home(volume)]);
        }
        for argument in &settings.arguments {
            add(&[argument]);
        }
        add(&[&settings.image, "-c", NOTHING]);
        Ok(all)
    }

    /// A shell would have put the user's home there.
    fn in_user_home(&self, volume: &str) -> String {
        let home = self.settings.client.variables.get("HOME");
        match (
            volume.strip_prefix('~'),
            home.and_then(|home| home.to_str()),
        ) {
            (Some(rest), Some(home)) if rest.starts_with(['/', ':']) => format!("{home}{rest}"),
            _ => volume.to_owned(),
        }
    }
}

/// What is said where the disk cannot be limited.
const DISK_WORDS: &[&str] = &[
    "storage-opt",
    "storage option",
    "storage opt",
    "quota",
    "size=",
    "size option",
];
/// What is said where processors, memory and processes cannot be.
const USE_WORDS: &[&str] = &[
    "cgroup",
    "resource limit",
    "pids limit",
    "memory limit",
    "cpu cfs",
];

fn names_any(said: &str, words: &[&str]) -> bool {
    words.iter().any(|word| said.contains(word))
}

impl Engine for DockerEngine {
    fn bring_up(&self, notes: &mut Vec<String>) -> Result<String> {
        if self.settings.reaps {
            let shared = Arc::clone(&self.shared);
            shared.orphans.get_or_init(|| {
                if let Err(error) = orphans::reap(&self.settings, &self.home()) {
                    tracing::warn!(%error, "containers of programs that have died may stay");
                }
            });
        }
        if self.settings.kept {
            return self.bring_up_kept(notes);
        }
        let number = rand::random::<u64>();
        let name = format!("hermes-{}-{number:016x}", names::slug(&self.task));
        self.create(&name, notes).map(|()| name)
    }

    fn is_running(&self, name: &str) -> Result<bool> {
        let found = self.settings.inspect(name)?;
        Ok(found.is_some_and(|found| found.state.running))
    }

    fn exec(
        &self,
        name: &str,
        script: &str,
        stdin: bool,
        terminal: Option<TerminalSize>,
    ) -> Result<CommandLine> {
        let mut arguments = vec!["exec"];
        if terminal.is_some() {
            arguments.extend(["-i", "-t", "--detach-keys", DETACH]);
        } else if stdin {
            arguments.push("-i");
        }
        arguments.extend([name, "sh", "-c", script]);
        let mut line = self.settings.client.line(arguments)?;
        if terminal.is_some() && !line.variables.iter().any(|(name, _)| name == "TERM") {
            let term = ("TERM".into(), OsString::from("xterm-256color"));
            line.variables.push(term);
        }
        Ok(line)
    }

    fn passes_on(&self) -> bool {
        true
    }

    fn keeps(&self) -> bool {
        self.settings.kept
    }

    fn end(&self, name: &str) -> Result<()> {
        let client = &self.settings.client;
        let called = client.called();
        let (arguments, doing) = if self.settings.kept {
            (vec!["stop", "-t", "2", name], "stopping")
        } else {
            (vec!["rm", "-f", "-v", name], "removing")
        };
        let remedy = format!("try `{called} {}`", arguments.join(" "));
        let answer = client.run(arguments, START)?;
        if answer.code == Some(0) || self.settings.inspect(name)?.is_none() {
            return Ok(());
        }
        let doing = format!("{doing} the container {name}");
        Err(failed(&answer, &doing, &remedy))
    }

    fn directory(&self) -> &str {
        &self.settings.directory
    }

    fn variables(&self) -> &[(String, String)] {
        &self.settings.variables
    }
}
