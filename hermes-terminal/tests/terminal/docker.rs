//! The backend `docker`, against a real podman.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use hermes_terminal::{ContainerLimits, Docker, Environment, Error, Request, Terminal, Variables};

use crate::containers::{IMAGE, Podman, on};
use crate::processes::until;
use crate::remote;
use crate::setup::{Place, output, run};

#[test]
fn a_session_in_a_container_lasts_like_one_here() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let terminal = podman.terminal();
    remote::a_session_lasts(&terminal, "/workspace");
    assert_eq!(
        output(&terminal, "echo ${PODMAN_SECRET_TOKEN-none}; echo $HOME"),
        "none\n/root\n"
    );
    // A container for each task.
    assert_eq!(podman.containers().len(), 2);
    drop(terminal);
    assert_eq!(podman.containers(), Vec::<String>::new());
}

#[test]
fn input_and_long_commands_go_into_a_container_whole() {
    let Some(podman) = Podman::start() else {
        return;
    };
    remote::input_and_long_commands_go_over_whole(&podman.terminal());
}

#[test]
fn what_runs_in_a_container_is_ended_with_all_that_it_has_started() {
    let Some(podman) = Podman::start() else {
        return;
    };
    remote::what_runs_is_ended_with_all_that_it_has_started(&podman.terminal());
}

#[test]
fn what_is_left_behind_in_a_container_holds_up_nobody() {
    let Some(podman) = Podman::start() else {
        return;
    };
    remote::what_is_left_behind_holds_up_nobody(&podman.terminal());
}

#[test]
fn what_runs_in_the_background_in_a_container_is_looked_after() {
    let Some(podman) = Podman::start() else {
        return;
    };
    remote::what_runs_in_the_background_is_looked_after(&podman.terminal());
}

#[test]
fn a_program_in_a_container_is_talked_to_on_a_terminal() {
    let Some(podman) = Podman::start() else {
        return;
    };
    remote::a_program_is_talked_to_on_a_terminal(&podman.terminal());
}

#[test]
fn bad_requests_are_answered_in_a_container_as_here() {
    let Some(podman) = Podman::start() else {
        return;
    };
    remote::bad_requests_are_answered(&podman.terminal());
}

#[test]
fn a_container_has_what_it_is_given_and_no_more() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let folder = podman.place.path().join("data");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), "data\n").unwrap();
    let mut limits = ContainerLimits::default();
    limits.disk_mib = 0;
    if podman.limits {
        (limits.memory_mib, limits.cpus, limits.processes) = (200, 0.5, 50);
    } else {
        eprintln!("SKIPPED: limits, which podman cannot set here");
        (limits.memory_mib, limits.cpus, limits.processes) = (0, 0.0, 0);
    }
    let docker = podman
        .docker()
        .with_limits(limits)
        .with_volume("~/data:/data:ro")
        .with_variable("GIVEN", "it's $HOME\nand more")
        .in_directory("/made/for it");
    assert!(docker.host_access());
    let terminal = on(docker);
    assert_eq!(
        output(&terminal, "cat /data/file; echo \"$GIVEN\"; pwd"),
        "data\nit's $HOME\nand more\n/made/for it\n"
    );
    assert_ne!(run(&terminal, "touch /data/other").exit_code, 0);
    let name = podman.containers().remove(0);
    let (_, inspected) = podman.run(&["inspect", &name]);
    assert!(!inspected.contains("and more"), "{inspected}");
    let (_, status) = podman.run(&[
        "exec",
        &name,
        "grep",
        "-E",
        "^(CapEff|NoNewPrivs)",
        "/proc/1/status",
    ]);
    // CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID.
    assert!(status.contains("00000000000000eb"), "{status}");
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    let inspected: serde_json::Value = serde_json::from_str(&inspected).unwrap();
    let host = &inspected[0]["HostConfig"];
    assert_eq!(host["NetworkMode"], "none");
    if podman.limits {
        assert_eq!(host["Memory"], 200 * 1024 * 1024);
        assert_eq!(host["NanoCpus"], 500_000_000);
        assert_eq!(host["PidsLimit"], 50);
    }
}

/// The defaults have limits that not every podman can set.
#[test]
fn a_container_with_the_default_limits_starts_and_what_is_not_limited_is_said_once() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let mut limits = ContainerLimits::default();
    limits.memory_mib = 200;
    let terminal = on(podman.docker().with_limits(limits));
    let outcome = run(&terminal, "echo fine");
    assert_eq!(outcome.output, "fine\n");
    // Its images and containers are plain folders.
    let disk = |notes: &[String]| notes.iter().any(|note| note.contains("limit the disk"));
    assert!(disk(&outcome.notes), "{outcome:?}");
    assert_eq!(outcome.notes.len(), if podman.limits { 1 } else { 2 });
    let other = terminal.run("other", &Request::new("true")).unwrap();
    assert!(other.notes.is_empty(), "{other:?}");
}

#[test]
fn a_folder_of_this_machine_is_the_workspace_and_files_for_shells_are_those_of_the_container() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let (project, sandboxes) = (
        podman.place.path().join("pro:ject"),
        podman.place.path().join("s"),
    );
    fs::create_dir(&project).unwrap();
    fs::write(project.join("file"), "mine\n").unwrap();
    fs::create_dir_all(sandboxes.join("docker/t/home")).unwrap();
    fs::write(sandboxes.join("docker/t/home/.bashrc"), "export RC=read\n").unwrap();
    fs::write(project.join("more"), "export MORE=\"$RC and more\"\n").unwrap();
    let docker = podman
        .docker()
        .with_folders_in(&sandboxes)
        .with_workspace(&project)
        .with_bashrc(true)
        .with_init_files(["/workspace/more", "/none"]);
    assert!(docker.host_access());
    let terminal = on(docker);
    assert_eq!(
        output(
            &terminal,
            "pwd; cat file; echo new >made; echo $MORE; echo kept >~/kept"
        ),
        "/workspace\nmine\nread and more\n"
    );
    assert_eq!(fs::read_to_string(project.join("made")).unwrap(), "new\n");
    drop(terminal);
    assert_eq!(
        fs::read_to_string(sandboxes.join("docker/t/home/kept")).unwrap(),
        "kept\n"
    );
    assert!(!sandboxes.join("docker/t/workspace").exists());
}

#[test]
fn files_that_are_to_outlive_the_container_do() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let sandboxes = podman.place.path().join("sand:boxes");
    let docker = || podman.docker().with_folders_in(&sandboxes);
    assert!(!docker().host_access());
    let terminal = on(docker());
    output(&terminal, "echo 1 >file; echo 2 >~/file; echo 3 >/file");
    drop(terminal);
    assert!(podman.containers().is_empty());
    let folder = sandboxes.join("docker/t");
    assert_eq!(
        fs::read_to_string(folder.join("workspace/file")).unwrap(),
        "1\n"
    );
    assert_eq!(fs::read_to_string(folder.join("home/file")).unwrap(), "2\n");
    let terminal = on(docker());
    assert_eq!(
        output(
            &terminal,
            "cat file ~/file; cat /file 2>/dev/null || echo none"
        ),
        "1\n2\nnone\n"
    );
}

#[test]
fn a_kept_container_is_stopped_and_used_again_and_those_of_other_settings_stay() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let kept = || podman.docker().kept(true);
    let terminal = on(kept());
    output(&terminal, "echo kept >/file; export A=1");
    let names = podman.containers();
    assert_eq!(names.len(), 1);
    // Another program with the same task has the same container, which the last one stops.
    let other = on(kept());
    assert_eq!(output(&other, "cat /file; echo ${A-none}"), "kept\nnone\n");
    assert_eq!(podman.containers(), names);
    drop(terminal);
    assert_eq!(output(&other, "cat /file"), "kept\n");
    drop(other);
    let running = || podman.run(&["ps", "--format", "{{.Names}}"]).1;
    assert_eq!(
        (running(), podman.containers()),
        (String::new(), names.clone())
    );
    let again = on(kept());
    assert_eq!(output(&again, "cat /file"), "kept\n");
    let different = on(kept().with_argument("--shm-size=10m"));
    assert_ne!(run(&different, "cat /file").exit_code, 0);
    assert_eq!(podman.containers().len(), 2);
}

#[test]
fn a_container_that_nobody_uses_is_ended_and_the_next_command_has_a_new_one() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let lifetime = Duration::from_secs(2);
    let terminal = on(podman.docker().with_lifetime(lifetime));
    output(&terminal, "export A=1; cd /usr 2>/dev/null || cd /tmp");
    // Not while something runs.
    output(&terminal, "sleep 3");
    let first: BTreeSet<String> = podman.containers().into_iter().collect();
    assert_eq!(first.len(), 1);
    assert_eq!(output(&terminal, "echo $A"), "1\n");
    assert!(until(|| podman.containers().is_empty()));
    let outcome = run(&terminal, "echo ${A-none}");
    assert_eq!(outcome.output, "none\n", "{outcome:?}");
    assert!(
        outcome.notes.iter().any(|note| note.contains("anew")),
        "{outcome:?}"
    );
}

#[test]
fn a_container_that_is_gone_is_told_and_made_again() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let terminal = podman.terminal();
    output(&terminal, "true");
    let name = podman.containers().remove(0);
    assert!(podman.run(&["rm", "-f", "-t", "0", &name]).0);
    let outcome = run(&terminal, "echo here");
    assert_eq!(outcome.output, "here\n");
    assert!(outcome.notes[0].contains("anew"), "{outcome:?}");
    // In the middle of a command.
    let name = podman.containers().remove(0);
    let request = Request::new("echo begun; sleep 100; :");
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| terminal.run("t", &request).unwrap());
        let sleeps = || {
            podman
                .run(&[
                    "exec",
                    &name,
                    "grep",
                    "-als",
                    "^sleep.100",
                    "-r",
                    "/proc",
                    "--include=cmdline",
                ])
                .0
        };
        assert!(until(sleeps));
        assert!(podman.run(&["rm", "-f", "-t", "0", &name]).0);
        running.join().unwrap()
    });
    assert_ne!(outcome.exit_code, 0, "{outcome:?}");
    assert!(
        outcome.notes.iter().any(|note| note.contains("has ended")),
        "{outcome:?}"
    );
    assert_eq!(output(&terminal, "echo again"), "again\n");
}

#[test]
fn what_a_program_that_died_has_left_behind_is_removed() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let terminal = podman.terminal();
    output(&terminal, "true");
    let home = podman.place.home();
    let label = |name: &str, value: &str| format!("--label=hermes-terminal.{name}={value}");
    let left = |name: &str, home: &str, owner: &str| {
        let made = podman.run(&[
            "create",
            "--name",
            name,
            &label("home", home),
            &label("owner", owner),
            IMAGE,
            "true",
        ]);
        assert!(made.0, "{made:?}");
    };
    let own = home.path().to_str().unwrap();
    left("orphan", own, "another-machine 1 1");
    left("of-another-home", "/elsewhere", "another-machine 1 1");
    left("of-nobody", own, "");
    let own_one = podman
        .containers()
        .into_iter()
        .find(|name| name.starts_with("hermes-"))
        .unwrap();
    output(&podman.terminal(), "true");
    let names = podman.containers();
    assert!(names.contains(&own_one), "{names:?}");
    assert!(names.contains(&"of-another-home".to_owned()), "{names:?}");
    assert!(!names.contains(&"orphan".to_owned()), "{names:?}");
}

#[test]
fn what_keeps_a_container_from_being_made_is_said() {
    let place = Place::new();
    let error = |docker: Docker| on(docker).run("t", &Request::new("true")).unwrap_err();
    let docker = |program: &str| {
        let variables = Variables::none().with([("PATH", std::env::var("PATH").unwrap())]);
        Docker::new(place.home(), "image")
            .with_variables(variables)
            .with_program(program)
    };
    let missing = error(docker("no-such-docker"));
    assert!(
        matches!(missing, Error::BackendUnusable { .. }),
        "{missing}"
    );
    assert!(
        missing.to_string().contains("install Docker or podman"),
        "{missing}"
    );
    let dead = place.path().join("dead");
    fs::write(
        &dead,
        "#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2\nexit 1\n",
    )
    .unwrap();
    let made = std::process::Command::new("chmod")
        .arg("+x")
        .arg(&dead)
        .status();
    assert!(made.unwrap().success());
    let dead = error(docker(dead.to_str().unwrap()));
    assert!(matches!(dead, Error::BackendUnusable { .. }), "{dead}");
    let said = dead.to_string();
    assert!(
        said.contains("Cannot connect") && said.contains("start its service"),
        "{said}"
    );

    let Some(podman) = Podman::start() else {
        return;
    };
    let image = "localhost:1/no/such:image";
    let variables = podman.docker();
    let none = Docker::clone(&variables);
    let missing = error(none.with_image(image));
    assert!(
        matches!(&missing, Error::ImageMissing { image: named, .. } if named == image),
        "{missing}"
    );
    assert!(missing.to_string().contains("podman pull"), "{missing}");
    let refused = error(variables.with_argument("--no-such-argument"));
    assert!(matches!(&refused, Error::Container { .. }), "{refused}");
    assert!(
        refused.to_string().contains("no-such-argument"),
        "{refused}"
    );
    assert!(podman.containers().is_empty());
}

#[test]
fn an_image_that_lacks_what_commands_need_is_named_so() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let root = podman.place.path().join("root");
    fs::remove_file(root.join("bin/head")).unwrap();
    let archive = podman.place.path().join("less.tar");
    let packed = std::process::Command::new("tar")
        .arg("-C")
        .args([&root, std::path::Path::new("-cf"), &archive])
        .arg(".")
        .status();
    assert!(packed.unwrap().success());
    let less = "localhost/hermes-test:less";
    let imported = podman.run(&["import", archive.to_str().unwrap(), less]);
    assert!(imported.0, "{imported:?}");
    let error = on(podman.docker().with_image(less))
        .run("t", &Request::new("true"))
        .unwrap_err();
    assert!(matches!(error, Error::ProgramMissing { .. }), "{error}");
    let said = error.to_string();
    assert!(
        said.contains("head: not found") && said.contains("use an image that has them"),
        "{said}"
    );
}

/// Tasks of one terminal, each in a container of its own.
#[test]
fn tasks_in_containers_do_not_get_in_each_others_way() {
    let Some(podman) = Podman::start() else {
        return;
    };
    let terminal: &Terminal = &podman.terminal();
    std::thread::scope(|scope| {
        for task in ["a", "b/../c"] {
            scope.spawn(move || {
                for turn in 0..3 {
                    let command = format!("export T{turn}='{task}'; echo \"$T0\" >>f; wc -l <f");
                    let outcome = terminal.run(task, &Request::new(command)).unwrap();
                    assert_eq!(outcome.output.trim(), (turn + 1).to_string(), "{outcome:?}");
                }
            });
        }
    });
}
