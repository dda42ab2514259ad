//! The backend `singularity`, against a program that stands for Apptainer: it writes down how it is
//! called, keeps instances as files, and runs commands on this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_terminal::{
    ContainerLimits, Environment, Error, Limits, Request, Singularity, Terminal, Variables,
};

use crate::processes::until;
use crate::remote;
use crate::setup::{Place, output, run};

/// `--cleanenv` is what it is there: nothing but what the image has.
const STAND_IN: &str = r#"#!/bin/bash
{ printf '%q ' "$@"; echo; } >>"$STAND_IN/calls"
[ "$1" = -q ] && shift
case "$1 $2" in
"instance start")
    [ ! -e "$STAND_IN/unlimited" ] || case " $* " in *" --memory "*)
        echo "FATAL: while applying cgroups config: no cgroups here" >&2; exit 255;; esac
    [ ! -e "$STAND_IN/broken" ] || { echo "FATAL: image format not recognized" >&2; exit 255; }
    name=${*: -1}; touch "$STAND_IN/instance-$name"; echo "INFO: instance started successfully";;
"instance list")
    echo "INSTANCE NAME    PID    IP    IMAGE"
    [ ! -e "$STAND_IN/instance-$3" ] || echo "$3    1    /image";;
"instance stop")
    name=${*: -1}; rm "$STAND_IN/instance-$name" || exit 255;;
exec*)
    while [ "${1#instance://}" = "$1" ]; do shift; done
    [ -e "$STAND_IN/instance-${1#instance://}" ] || { echo "FATAL: no instance found" >&2; exit 255; }
    shift; exec env -i PATH="$PATH" HOME="$STAND_IN" LC_ALL=C.UTF-8 TERM=xterm "$@";;
*) echo "FATAL: unknown command" >&2; exit 1;;
esac
"#;

struct StandIn {
    place: Place,
}

impl StandIn {
    fn new() -> Self {
        let place = Place::new();
        let program = place.path().join("apptainer");
        fs::write(&program, STAND_IN).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { place }
    }

    fn singularity(&self) -> Singularity {
        let variables = Variables::none().with([
            ("PATH", std::env::var("PATH").unwrap()),
            ("STAND_IN", self.place.path().to_str().unwrap().to_owned()),
            ("A_SECRET", "secret".to_owned()),
        ]);
        Singularity::new("docker://image")
            .with_program(self.place.path().join("apptainer"))
            .with_variables(variables)
            .in_directory(self.place.work().to_str().unwrap())
    }

    fn terminal(&self) -> Terminal {
        on(self.singularity())
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.place.path().join("calls")).unwrap()
    }

    fn instances(&self) -> Vec<PathBuf> {
        let all = fs::read_dir(self.place.path()).unwrap();
        let all = all.map(|entry| entry.unwrap().path());
        let is_one = |path: &PathBuf| path.to_str().unwrap().contains("/instance-");
        all.filter(is_one).collect()
    }
}

fn on(singularity: Singularity) -> Terminal {
    let mut limits = Limits::default();
    limits.grace = Duration::from_millis(300);
    Terminal::builder()
        .environment(Arc::new(singularity))
        .without_gate()
        .limits(limits)
        .build()
        .unwrap()
}

#[test]
fn a_session_in_an_instance_lasts_like_one_here() {
    let stand_in = StandIn::new();
    let terminal = stand_in.terminal();
    remote::a_session_lasts(&terminal, stand_in.place.work().to_str().unwrap());
    assert_eq!(output(&terminal, "echo ${A_SECRET-none}"), "none\n");
    assert_eq!(stand_in.instances().len(), 2);
    drop(terminal);
    assert!(stand_in.instances().is_empty());
}

#[test]
fn commands_in_an_instance_are_fed_ended_and_looked_after() {
    let stand_in = StandIn::new();
    let terminal = stand_in.terminal();
    remote::input_and_long_commands_go_over_whole(&terminal);
    remote::what_runs_is_ended_with_all_that_it_has_started(&terminal);
    remote::what_is_left_behind_holds_up_nobody(&terminal);
    remote::what_runs_in_the_background_is_looked_after(&terminal);
    remote::a_program_is_talked_to_on_a_terminal(&terminal);
    remote::bad_requests_are_answered(&terminal);
}

#[test]
fn an_instance_is_started_with_what_it_is_given_and_no_more() {
    let stand_in = StandIn::new();
    let mut limits = ContainerLimits::default();
    (limits.cpus, limits.memory_mib, limits.processes) = (1.5, 100, 50);
    let terminal = on(stand_in
        .singularity()
        .with_limits(limits)
        .with_network(false)
        .with_bind("/srv:/data:ro")
        .with_variable("GIVEN", "a secret"));
    assert_eq!(output(&terminal, "echo $GIVEN"), "a secret\n");
    let calls = stand_in.calls();
    let start = calls.lines().next().unwrap();
    let name = stand_in.instances().remove(0);
    let name = name.to_str().unwrap().split_once("instance-").unwrap().1;
    assert_eq!(
        start.trim_end(),
        format!(
            "instance start --containall --cleanenv --writable-tmpfs --scratch /workspace \
             --bind /srv:/data:ro --net --network none --cpus 1.5 --memory 100M --pids-limit 50 \
             docker://image {name}"
        )
    );
    assert!(calls.contains(&format!(
        "-q exec --cleanenv --pwd / instance://{name} sh -c "
    )));
    assert!(!calls.contains("a secret"), "{calls}");
    drop(terminal);
    let stopped = format!("instance stop --timeout 2 {name} \n");
    assert!(stand_in.calls().ends_with(&stopped), "{}", stand_in.calls());
}

#[test]
fn folders_that_are_to_stay_are_made_and_mounted() {
    let stand_in = StandIn::new();
    let folders = stand_in.place.path().join("sandboxes");
    let singularity = stand_in.singularity().with_folders_in(&folders);
    assert!(!singularity.host_access());
    output(&on(singularity), "true");
    let task = folders.join("singularity/t");
    let at = task.display();
    let wanted =
        format!("--overlay {at}/overlay --home {at}/home:/root --bind {at}/workspace:/workspace ");
    assert!(stand_in.calls().contains(&wanted), "{}", stand_in.calls());
    assert!(task.join("overlay").is_dir() && task.join("workspace").is_dir());
}

#[test]
fn limits_that_cannot_be_set_are_left_out_and_that_is_said_once() {
    let stand_in = StandIn::new();
    fs::write(stand_in.place.path().join("unlimited"), "").unwrap();
    let terminal = stand_in.terminal();
    let outcome = run(&terminal, "echo fine");
    assert_eq!(outcome.output, "fine\n");
    assert!(outcome.notes[0].contains("cannot limit"), "{outcome:?}");
    let other = terminal.run("other", &Request::new("true")).unwrap();
    assert!(other.notes.is_empty(), "{other:?}");
}

#[test]
fn an_instance_that_is_idle_or_gone_is_started_again() {
    let stand_in = StandIn::new();
    let terminal = on(stand_in.singularity().with_lifetime(Duration::from_secs(1)));
    output(&terminal, "export A=1");
    assert!(until(|| stand_in.instances().is_empty()));
    assert_eq!(output(&terminal, "echo here"), "here\n");
    let terminal = stand_in.terminal();
    output(&terminal, "true");
    for instance in stand_in.instances() {
        fs::remove_file(instance).unwrap();
    }
    assert_eq!(output(&terminal, "echo again"), "again\n");
}

#[test]
fn what_keeps_an_instance_from_starting_is_said() {
    let stand_in = StandIn::new();
    fs::write(stand_in.place.path().join("broken"), "").unwrap();
    let error =
        |singularity: Singularity| on(singularity).run("t", &Request::new("true")).unwrap_err();
    let fetched = error(stand_in.singularity());
    assert!(matches!(fetched, Error::ImageMissing { .. }), "{fetched}");
    assert!(
        fetched.to_string().contains("format not recognized"),
        "{fetched}"
    );
    let file = stand_in.place.path().join("image.sif");
    let missing = error(stand_in.singularity().with_image(file.to_str().unwrap()));
    assert!(
        matches!(missing, Error::BackendUnusable { .. }),
        "{missing}"
    );
    fs::write(&file, "no image").unwrap();
    let broken = error(stand_in.singularity().with_image(file.to_str().unwrap()));
    assert!(matches!(broken, Error::Container { .. }), "{broken}");
    assert!(broken.to_string().contains("apptainer exec"), "{broken}");
}
