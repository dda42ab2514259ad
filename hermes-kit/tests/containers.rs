//! What the config of a home says reaches the backends docker, singularity and ssh.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use hermes_kit::home::{Environment, Platform};
use hermes_kit::terminal::{NOT_STARTED, Request};
use hermes_kit::toolkit::CallContext;
use hermes_kit::{Builder, Hermes};
use serde_json::{Value, json};

/// Stands for docker and for Apptainer: writes down how it is called, keeps containers as files,
/// and runs commands on this machine.
const STAND_IN: &str = r#"#!/bin/bash
here=${0%/*}
{ printf '%q ' "$@"; echo; } >>"$here/calls"
[ "$1" = -q ] && shift
last=${*: -1}
case "$1 $2" in
"ps -q") [ ! -e "$here/dead" ] || { echo "Cannot connect to the daemon" >&2; exit 1; };;
"ps "* | "image inspect") :;;
"run "*)
    [ ! -e "$here/unlimited" ] || case " $* " in
    *" --storage-opt "*) echo "Error: vfs driver does not support size options" >&2; exit 125;;
    *" --pids-limit "*) echo "Error: the controller pids is not in cgroup.controllers" >&2; exit 126;;
    esac
    while [ "$1" != --name ]; do shift; done
    touch "$here/container-$2"; echo started;;
"inspect "*)
    [ -e "$here/container-$last" ] || { echo "Error: no such container" >&2; exit 1; }
    echo '[{"Id": "'$last'", "State": {"Running": true}, "Config": {"Labels": null}}]';;
"instance start") touch "$here/container-$last";;
"instance list") [ ! -e "$here/container-$last" ] || echo "$last    1    /image";;
"rm "* | "stop "* | "instance stop") rm -f "$here/container-$last";;
exec*)
    while [ "$1" != sh ]; do shift; done
    exec env -i PATH="$PATH" HOME="$here" LC_ALL=C.UTF-8 "$@";;
*) echo "unknown command $*" >&2; exit 1;;
esac
"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { folder };
        for name in ["engine", "apptainer"] {
            let program = place.path("bin").join(name);
            fs::create_dir_all(place.path("bin")).unwrap();
            fs::write(&program, STAND_IN).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::create_dir_all(place.path("home")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// With a config, and variables as `NAME=VALUE`.
    fn builder(&self, config: &str, variables: &[(&str, &str)]) -> Builder {
        self.forget_containers();
        fs::write(self.path("home/config.yaml"), config).unwrap();
        let path = format!("{}:{}", self.text("bin"), std::env::var("PATH").unwrap());
        fs::write(self.path("home/.env"), format!("PATH='{path}'\n")).unwrap();
        let mut all: HashMap<String, String> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        all.insert("HERMES_DOCKER_BINARY".to_owned(), self.text("bin/engine"));
        let person = Environment::new(Platform::host()).with_user_home(self.path("person"));
        Hermes::builder()
            .environment(person)
            .home(self.path("home"))
            .variables(move |name| all.get(name).cloned())
    }

    /// None of the containers of before is there: a kept one stays while commands of other tests
    /// run, which all have the same `/dev/shm`.
    fn forget_containers(&self) {
        for entry in fs::read_dir(self.path("bin")).unwrap() {
            let path = entry.unwrap().path();
            if path.to_str().unwrap().contains("/container-") {
                fs::remove_file(path).unwrap();
            }
        }
    }

    fn hermes(&self, config: &str, variables: &[(&str, &str)]) -> Hermes {
        self.builder(config, variables).open().unwrap()
    }

    /// How the program was called, a line for each call.
    fn calls(&self) -> String {
        fs::read_to_string(self.path("bin/calls")).unwrap_or_default()
    }

    /// The arguments of the one call that began so, after a command was run.
    fn started(&self, config: &str, variables: &[(&str, &str)], begin: &str) -> String {
        let _ = fs::remove_file(self.path("bin/calls"));
        let hermes = self.hermes(config, variables);
        let outcome = hermes
            .terminal()
            .unwrap()
            .run("t", &Request::new("echo \"<$SET>\""))
            .unwrap();
        assert!(outcome.output.starts_with('<'), "{outcome:?}");
        drop(hermes);
        let calls = self.calls();
        let mut begun = calls.lines().filter(|call| call.starts_with(begin));
        let found = begun.next().unwrap_or_else(|| missing(&calls)).to_owned();
        assert_eq!(begun.next(), None, "{calls}");
        found
    }
}

#[allow(clippy::panic, reason = "a test that meets the unexpected must fail")]
fn missing(text: &str) -> &str {
    panic!("{text}")
}

fn has(call: &str, parts: &[&str]) {
    for part in parts {
        assert!(call.contains(part), "{part}: {call}");
    }
}

fn has_not(call: &str, parts: &[&str]) {
    for part in parts {
        assert!(!call.contains(part), "{part}: {call}");
    }
}

#[test]
fn docker_has_the_defaults_that_are_documented() {
    let place = Place::new();
    let run = place.started("terminal:\n  backend: docker\n", &[], "run -d ");
    let sandbox = place.text("home/sandboxes/docker/t");
    has(
        &run,
        &[
            "--cpus 1 --memory 5120m --storage-opt size=51200m",
            &format!("--volume {sandbox}/workspace:/workspace"),
            &format!("--volume {sandbox}/home:/root"),
            "--label hermes-terminal.kept=true",
            "nikolaik/python-nodejs:python3.11-nodejs20",
        ],
    );
    has_not(&run, &["--network", "--user", "--env", "--tmpfs"]);
    assert!(place.calls().contains("ps -a -q"), "{}", place.calls());
    assert!(place.path("home/sandboxes/docker/t/home").is_dir());
}

#[test]
fn each_setting_of_docker_reaches_its_command_line() {
    let place = Place::new();
    fs::create_dir_all(place.path("person/project")).unwrap();
    let started = |settings: &str| {
        let config = format!("terminal:\n  backend: docker\n{settings}");
        place.started(&config, &[], "run -d ")
    };
    let run = started(
        "  docker_image: debian:12\n  docker_network: false\n  docker_extra_args: [--shm-size=1g]\n  \
         docker_volumes: ['data:/data', '/srv:/srv:ro']\n  container_cpu: 1.5\n  \
         container_memory: 100\n  container_disk: 0\n  container_persistent: false\n  \
         docker_persist_across_processes: false\n  docker_orphan_reaper: false\n",
    );
    has(
        &run,
        &[
            "--cpus 1.5 --memory 100m --network none",
            "--volume data:/data --volume /srv:/srv:ro --shm-size=1g debian:12 ",
            "--label hermes-terminal.kept=false",
        ],
    );
    has_not(&run, &["--storage-opt", "sandboxes", "/root", "/workspace"]);
    assert!(
        place.calls().contains("\nrm -f -v hermes-t-"),
        "{}",
        place.calls()
    );
    assert!(!place.calls().contains("ps -a -q"), "{}", place.calls());

    let run = started("  container_cpu: 0\n  container_memory: 0\n");
    has_not(&run, &["--cpus", "--memory"]);
    let run = started(&format!("  sandbox_dir: {}\n", place.text("else where")));
    has(&run, &["else\\ where/docker/t/home:/root"]);

    let mounted = "  docker_mount_cwd_to_workspace: true\n  cwd: ~/project\n";
    let run = started(mounted);
    let project = place.text("person/project");
    has(
        &run,
        &[
            &format!("--volume {project}:/workspace"),
            "/docker/t/home:/root",
        ],
    );
    has_not(&run, &["/docker/t/workspace"]);
    let run = started("  docker_volumes: ['/srv:/workspace/']\n");
    has(&run, &["--volume /srv:/workspace/"]);
    has_not(&run, &["/docker/t/workspace"]);

    let run = started("  docker_run_as_host_user: true\n");
    has(&run, &["--user ", "--env HOME=/root"]);
    let run = started("  docker_run_as_host_user: true\n  container_persistent: false\n");
    has(&run, &["--tmpfs /workspace:", "--env HOME=/workspace"]);
    let both = format!("{mounted}  docker_run_as_host_user: true\n  container_persistent: false\n");
    let run = started(&both);
    has(&run, &["--env HOME=/workspace"]);
    has_not(&run, &["--tmpfs"]);
}

#[test]
fn limits_that_cannot_be_set_are_left_out_and_that_is_said_once() {
    let place = Place::new();
    fs::write(place.path("bin/unlimited"), "").unwrap();
    let hermes = place.hermes("terminal:\n  backend: docker\n", &[]);
    let terminal = hermes.terminal().unwrap();
    let outcome = terminal.run("t", &Request::new("echo fine")).unwrap();
    assert_eq!(
        (&*outcome.output, outcome.notes.len()),
        ("fine\n", 2),
        "{outcome:?}"
    );
    assert!(outcome.notes[0].contains("container_disk"), "{outcome:?}");
    assert!(outcome.notes[1].contains("memory"), "{outcome:?}");
    let calls = place.calls();
    let runs: Vec<&str> = calls
        .lines()
        .filter(|call| call.starts_with("run "))
        .collect();
    has_not(
        runs[2],
        &["--storage-opt", "--cpus", "--memory", "--pids-limit"],
    );
    has(runs[2], &["--cap-drop ALL", "no-new-privileges"]);
    let other = terminal.run("other", &Request::new("true")).unwrap();
    assert!(other.notes.is_empty(), "{other:?}");
}

#[test]
fn commands_in_a_container_start_where_the_config_says() {
    let place = Place::new();
    let in_ = |settings: &str| {
        let _ = fs::remove_file(place.path("bin/calls"));
        let hermes = place.hermes(&format!("terminal:\n  backend: docker\n{settings}"), &[]);
        hermes
            .terminal()
            .unwrap()
            .run("t", &Request::new("true"))
            .unwrap();
        let calls = place.calls();
        let made = calls
            .split("mkdir -p ")
            .nth(1)
            .unwrap_or_else(|| missing(&calls));
        let made = made.trim_start_matches(['\'', '\\']);
        made.split(['\'', '\\', ' ']).next().unwrap().to_owned()
    };
    assert_eq!(in_(""), "/root");
    assert_eq!(in_("  cwd: /tmp\n"), "/tmp");
    for here in ["~/x", "/home/ann", "x", "."] {
        assert_eq!(in_(&format!("  cwd: {here}\n")), "/root", "{here}");
    }
    assert_eq!(
        in_(&format!("  cwd: {}\n", place.text("person/x"))),
        "/root"
    );
    assert_eq!(in_("  docker_mount_cwd_to_workspace: true\n"), "/workspace");
    assert_eq!(
        in_("  docker_run_as_host_user: true\n  container_persistent: false\n"),
        "/workspace"
    );
}

#[test]
fn a_container_gets_the_variables_that_are_forwarded_and_no_others() {
    let place = Place::new();
    let config = "terminal:\n  backend: docker\n  env_passthrough: [PASSED, NOT_SET]\n  \
                  docker_forward_env: [FORWARDED, BOTH]\n  docker_env: {BOTH: own, SET: 'a b'}\n";
    let variables = [
        ("PASSED", "passed"),
        ("FORWARDED", "hunter2"),
        ("BOTH", "forwarded"),
        ("OTHER", "other"),
    ];
    let hermes = place.hermes(config, &variables);
    let show = "echo \"$PASSED|$FORWARDED|$BOTH|$SET|${OTHER-none}|${NOT_SET-none}\"";
    let outcome = hermes
        .terminal()
        .unwrap()
        .run("t", &Request::new(show))
        .unwrap();
    assert_eq!(outcome.output, "passed|hunter2|own|a b|none|none\n");
    // No other program of this machine can see them on a command line.
    assert!(!place.calls().contains("hunter2"));
}

#[test]
fn a_container_without_folders_of_this_machine_is_judged_by_other_rules() {
    let place = Place::new();
    let denied = |settings: &str| {
        let config = format!("terminal:\n  backend: docker\n{settings}");
        let hermes = place.hermes(&config, &[]);
        // Nobody is there to be asked, and nothing like it is there.
        let request = Request::new("rm -rf /no/such/directory");
        let outcome = hermes.terminal().unwrap().run("t", &request).unwrap();
        outcome.exit_code == NOT_STARTED
    };
    assert!(!denied(""));
    assert!(denied("  docker_volumes: ['/srv:/srv']\n"));
    assert!(denied("  docker_extra_args: [--privileged]\n"));
    assert!(denied(&format!(
        "  docker_mount_cwd_to_workspace: true\n  cwd: {}\n",
        place.text("home")
    )));
}

#[test]
fn a_model_reaches_the_container_through_the_tool() {
    let place = Place::new();
    let hermes = place.hermes(
        "terminal:\n  backend: docker\n  docker_env: {SET: there}\n",
        &[],
    );
    let context = CallContext::new().with_session_id("s");
    let arguments = json!({"command": "export A=$SET; echo $A"});
    let answer = hermes.handle_function_call("terminal", arguments, &context);
    let answer: Value = serde_json::from_str(&answer.into_text()).unwrap();
    assert_eq!(answer["output"], "there\n", "{answer}");
    // What is not here is said, once, and no more than that.
    fs::write(place.path("bin/dead"), "").unwrap();
    let hermes = place.hermes("terminal:\n  backend: docker\n", &[]);
    let answer = hermes.handle_function_call("terminal", json!({"command": "true"}), &context);
    let answer: Value = serde_json::from_str(&answer.into_text()).unwrap();
    let error = answer["error"].as_str().unwrap();
    assert!(
        error.contains("Cannot connect to the daemon") && error.contains("start its service"),
        "{error}"
    );
}

#[test]
fn singularity_has_what_the_config_says() {
    let place = Place::new();
    let started = |settings: &str| {
        let config = format!("terminal:\n  backend: singularity\n{settings}");
        place.started(&config, &[("PASSED", "passed")], "instance start ")
    };
    let start = started("");
    let sandbox = place.text("home/sandboxes/singularity/t");
    has(
        &start,
        &[
            &format!("--overlay {sandbox}/overlay --home {sandbox}/home:/root"),
            "--cpus 1 --memory 5120M",
            "docker://nikolaik/python-nodejs:python3.11-nodejs20 hermes-t-",
        ],
    );
    fs::create_dir_all(place.path("person")).unwrap();
    fs::write(place.path("person/image.sif"), "").unwrap();
    let start = started(
        "  singularity_image: ~/image.sif\n  container_persistent: false\n  container_cpu: 0\n  \
         container_memory: 100\n",
    );
    has(
        &start,
        &[
            "--writable-tmpfs",
            "--memory 100M",
            "/person/image.sif hermes-t-",
        ],
    );
    has_not(&start, &["--cpus", "--overlay"]);
    let other = place.started("terminal:\n  env_type: Apptainer\n", &[], "instance start ");
    has(&other, &["--containall"]);

    let config = "terminal:\n  backend: singularity\n  env_passthrough: [PASSED]\n";
    let hermes = place.hermes(config, &[("PASSED", "passed")]);
    let outcome = hermes
        .terminal()
        .unwrap()
        .run("t", &Request::new("echo $PASSED"))
        .unwrap();
    assert_eq!(outcome.output, "passed\n");
}

#[test]
fn files_for_shells_are_those_of_the_container() {
    let place = Place::new();
    fs::write(place.path("bin/.bashrc"), "export BASHRC=read\n").unwrap();
    fs::write(place.path("bin/more"), "export MORE=more\n").unwrap();
    for backend in ["docker", "singularity"] {
        let said = |settings: &str| {
            let hermes = place.hermes(&format!("terminal:\n  backend: {backend}\n{settings}"), &[]);
            let request = Request::new("echo ${BASHRC-none} ${MORE-none}");
            hermes
                .terminal()
                .unwrap()
                .run("t", &request)
                .unwrap()
                .output
        };
        assert_eq!(said(""), "read none\n");
        assert_eq!(
            said("  shell_init_files: [~/more, ~/gone]\n"),
            "none more\n"
        );
        assert_eq!(said("  auto_source_bashrc: false\n"), "none none\n");
    }
}

#[test]
fn backends_that_could_be_chosen_are_told_with_what_they_lack() {
    let place = Place::new();
    let told = |config: &str| {
        let backends = place.hermes(config, &[]).backends().unwrap();
        let all: Vec<(String, bool, bool)> = backends
            .into_iter()
            .map(|backend| (backend.name, backend.chosen, backend.unusable.is_none()))
            .collect();
        all
    };
    let names = |all: &[(String, bool, bool)]| -> Vec<String> {
        all.iter().map(|(name, ..)| name.clone()).collect()
    };
    let all = told("terminal:\n  backend: podman\n");
    assert_eq!(
        names(&all),
        [
            "local",
            "docker",
            "singularity",
            "ssh",
            "modal",
            "daytona",
            "vercel_sandbox"
        ]
    );
    assert_eq!(all[1], ("docker".to_owned(), true, true));
    assert_eq!(all[2], ("singularity".to_owned(), false, true));
    fs::write(place.path("bin/dead"), "").unwrap();
    let all = told("terminal:\n  singularity_image: /no/image.sif\n");
    assert_eq!(all[0], ("local".to_owned(), true, true));
    assert_eq!(all[1], ("docker".to_owned(), false, false));
    assert_eq!(all[2], ("singularity".to_owned(), false, false));
    // What a program brings is not made a second time.
    let own = hermes_kit::terminal::Docker::new(place.hermes("", &[]).home().clone(), "own");
    let builder = place.builder("terminal:\n  backend: docker\n", &[]);
    let hermes = builder.backend(std::sync::Arc::new(own)).open().unwrap();
    let backends = hermes.backends().unwrap();
    let dockers = backends.iter().filter(|backend| backend.name == "docker");
    assert_eq!(dockers.count(), 1);
}

#[test]
fn settings_that_change_nothing_are_named_with_their_place() {
    let place = Place::new();
    let unused = |config: &str, variables: &[(&str, &str)]| -> Vec<String> {
        let hermes = place.hermes(config, variables);
        let variables: HashMap<String, String> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let unused = hermes.unused_settings(&|name| variables.get(name).cloned());
        unused.unwrap().iter().map(ToString::to_string).collect()
    };
    let nothing: [String; 0] = [];
    // All that a Python Hermes writes down of its defaults.
    let defaults = "terminal:\n  backend: local\n  cwd: .\n  timeout: 180\n  persistent_shell: true\n  \
                    env_passthrough: []\n  docker_image: x\n  docker_env: {}\n  modal_mode: auto\n  \
                    container_disk: 51200\n  lifetime_seconds: 300\n  home_mode: auto\n  \
                    vercel_runtime: node24\n  daytona_image: x\nsessions:\n  auto_prune: false\n  \
                    write_json_snapshots: false\nmodel: {provider: x}\n";
    assert_eq!(unused(defaults, &[]), nothing);
    for (settings, told) in [
        (
            "  docker_volume: ['a:b']\n",
            "line 2, column 18: terminal.docker_volume changes nothing: no",
        ),
        (
            "  persistent_shell: no\n",
            "line 2, column 21: terminal.persistent_shell",
        ),
        ("  lifetime_seconds: 10\n", "terminal.lifetime_seconds"),
        (
            "  backend: ssh\n  env_passthrough: [A]\n",
            "line 3, column 20: terminal.env_passthrough",
        ),
        (
            "  backend: docker\n  home_mode: profile\n",
            "terminal.home_mode",
        ),
        (
            "  backend: singularity\n  container_disk: 100\n",
            "terminal.container_disk",
        ),
        (
            "  backend: docker\n  cwd: /home/ann/x\n",
            "terminal.cwd changes nothing: a folder of this",
        ),
        (
            "sessions:\n  write_json_snapshots: yes\n",
            "sessions.write_json_snapshots",
        ),
        (
            "sessions:\n  retension_days: 3\n",
            "sessions.retension_days",
        ),
    ] {
        let config = match settings.starts_with(' ') {
            true => format!("terminal:\n{settings}"),
            false => settings.to_owned(),
        };
        let found = unused(&config, &[]);
        assert_eq!(found.len(), 1, "{settings}: {found:?}");
        assert!(found[0].contains(told), "{found:?}");
    }
    for used in [
        "  backend: docker\n  lifetime_seconds: 10\n  env_passthrough: [A]\n  cwd: /srv\n",
        "  backend: docker\n  docker_mount_cwd_to_workspace: true\n  cwd: /home/ann/x\n",
        "  env_type: docker\n  container_disk: 0\n",
        "  home_mode: profile\n  cwd: ~/x\n",
    ] {
        assert_eq!(
            unused(&format!("terminal:\n{used}"), &[]),
            nothing,
            "{used}"
        );
    }
    let variables = [("TERMINAL_ENV", "docker"), ("TERMINAL_CWD", "/home/ann")];
    let found = unused("", &variables);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("the variable TERMINAL_CWD: terminal.cwd"),
        "{found:?}"
    );
}
