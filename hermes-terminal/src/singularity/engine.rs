//! The command lines of Apptainer and Singularity.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Settings;
use crate::command_line::CommandLine;
use crate::container::client::{failed, make_folder};
use crate::container::{Engine, WORKSPACE, names};
use crate::environment::TerminalSize;
use crate::remote::{Answer, OWN};
use crate::{Error, Result};

/// How long an instance may take to start; an image that is not here is fetched and converted.
const START: Duration = Duration::from_secs(600);
/// How long it may take to end.
const END: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct SingularityEngine {
    settings: Settings,
    is_unlimited: Arc<AtomicBool>,
    task: String,
}

impl SingularityEngine {
    pub(super) fn new(settings: Settings, is_unlimited: Arc<AtomicBool>, task: &str) -> Self {
        Self {
            settings,
            is_unlimited,
            task: task.to_owned(),
        }
    }

    /// The arguments of `instance start`.
    fn start_arguments(&self, name: &str, limited: bool) -> Result<Vec<String>> {
        let settings = &self.settings;
        let mut all: Vec<String> = Vec::new();
        let mut add = |words: &[&str]| all.extend(words.iter().map(|word| (*word).to_owned()));
        // Neither the home nor the folders of this machine, and no variables.
        add(&["instance", "start", "--containall", "--cleanenv"]);
        match &settings.folders {
            Some(root) => {
                let task = root.join("singularity").join(names::folder(&self.task));
                let at = |name: &str| -> Result<String> {
                    let folder = task.join(name);
                    make_folder(&folder)?;
                    match folder.to_str() {
                        Some(text) if !text.contains([':', ',']) => Ok(text.to_owned()),
                        _ => Err(Error::Container {
                            doing: format!("mounting {}", folder.display()),
                            reason: "its name has colons or commas, or is no text".to_owned(),
                            remedy: "set terminal.sandbox_dir to another folder".to_owned(),
                        }),
                    }
                };
                add(&["--overlay", &at("overlay")?]);
                add(&["--home", &format!("{}:/root", at("home")?)]);
                add(&["--bind", &format!("{}:{WORKSPACE}", at("workspace")?)]);
            }
            None => add(&["--writable-tmpfs", "--scratch", WORKSPACE]),
        }
        for bind in &settings.binds {
            add(&["--bind", bind]);
        }
        if !settings.network {
            add(&["--net", "--network", "none"]);
        }
        if limited {
            let limits = &settings.limits;
            if limits.cpus > 0.0 {
                add(&["--cpus", &limits.cpus.to_string()]);
            }
            if limits.memory_mib > 0 {
                add(&["--memory", &format!("{}M", limits.memory_mib)]);
            }
            if limits.processes > 0 {
                add(&["--pids-limit", &limits.processes.to_string()]);
            }
        }
        add(&[&settings.image, name]);
        Ok(all)
    }

    fn start(&self, name: &str, limited: bool) -> Result<Answer> {
        let arguments = self.start_arguments(name, limited)?;
        self.settings.client.run(arguments, START)
    }
}

/// Whether it is a limit that is refused.
fn names_limits(answer: &Answer) -> bool {
    let said = String::from_utf8_lossy(&answer.output).to_ascii_lowercase();
    ["cgroup", "unknown flag", "resource limit"]
        .iter()
        .any(|word| said.contains(word))
}

impl Engine for SingularityEngine {
    fn bring_up(&self, notes: &mut Vec<String>) -> Result<String> {
        let number = rand::random::<u64>();
        let name = format!("hermes-{}-{number:016x}", names::slug(&self.task));
        let limited = !self.is_unlimited.load(Ordering::Relaxed);
        let called = self.settings.client.called();
        let mut answer = self.start(&name, limited)?;
        if answer.code != Some(0) && limited && names_limits(&answer) {
            answer = self.start(&name, false)?;
            if answer.code == Some(0) {
                self.is_unlimited.store(true, Ordering::Relaxed);
                notes.push(format!(
                    "{called} cannot limit processors, memory and processes here; set \
                     terminal.container_cpu and container_memory to 0"
                ));
            }
        }
        if answer.code == Some(0) {
            return Ok(name);
        }
        let image = &self.settings.image;
        if self.settings.image_file().is_none() {
            return Err(Error::ImageMissing {
                image: image.clone(),
                program: called,
                reason: answer.last_line(),
            });
        }
        Err(failed(
            &answer,
            &format!("starting an instance of the image {image}"),
            &format!("see whether `{called} exec {image} true` works"),
        ))
    }

    fn is_running(&self, name: &str) -> Result<bool> {
        let listed = self.settings.client.must(
            ["instance", "list", name],
            OWN,
            "looking for an instance",
            "try to list them by hand",
        )?;
        let listed = String::from_utf8_lossy(&listed);
        Ok(listed
            .lines()
            .any(|line| line.split_whitespace().next() == Some(name)))
    }

    /// What runs in an instance has the ends of the program itself: a terminal too.
    fn exec(
        &self,
        name: &str,
        script: &str,
        _stdin: bool,
        terminal: Option<TerminalSize>,
    ) -> Result<CommandLine> {
        let instance = format!("instance://{name}");
        let mut arguments = vec!["-q", "exec", "--cleanenv", "--pwd", "/"];
        if terminal.is_some() {
            arguments.extend(["--env", "TERM=xterm-256color"]);
        }
        arguments.extend([&*instance, "sh", "-c", script]);
        self.settings.client.line(arguments)
    }

    fn passes_on(&self) -> bool {
        false
    }

    fn keeps(&self) -> bool {
        false
    }

    fn end(&self, name: &str) -> Result<()> {
        let client = &self.settings.client;
        let arguments = ["instance", "stop", "--timeout", "2", name];
        let answer = client.run(arguments, END)?;
        if answer.code == Some(0) || !self.is_running(name)? {
            return Ok(());
        }
        let remedy = format!("try `{} {}`", client.called(), arguments.join(" "));
        Err(failed(
            &answer,
            &format!("stopping the instance {name}"),
            &remedy,
        ))
    }

    fn directory(&self) -> &str {
        &self.settings.directory
    }

    fn variables(&self) -> &[(String, String)] {
        &self.settings.variables
    }
}
