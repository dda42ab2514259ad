//! Commands through approval and terminal of a home.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hermes_kit::home::{Environment, Platform};
use hermes_kit::terminal::TerminalSize;
use hermes_kit::terminal::{Background, Launched, Local, Processes, Request, Terminal, Variables};

use crate::program::{Run, hermesctl};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn config(&self, text: &str) {
        fs::create_dir_all(self.path().join(".hermes")).unwrap();
        fs::write(self.path().join(".hermes/config.yaml"), text).unwrap();
    }

    /// Where no terminal can be opened, whatever the tests were started from.
    fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let program = hermesctl(self.path());
        let mut command = Command::new("setsid");
        command
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .current_dir(self.path())
            .arg("--wait")
            .arg(program.get_program())
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        self.command(arguments).output().unwrap().into()
    }
}

#[test]
fn a_command_runs_here_with_its_output_and_its_exit_code() {
    let place = Place::new();
    let told = place.run(["run", "--", "pwd; echo err >&2; exit 3"]);
    let here = place.path().canonicalize().unwrap();
    assert_eq!(told.stdout, format!("{}\nerr\n", here.display()));
    assert_eq!((told.code, told.stderr.as_str()), (3, ""));
    let words = place
        .run(["run", "--", "printf", "%s|", "a b", "$HOME", "it's"])
        .ok();
    assert_eq!(words.stdout, "a b|$HOME|it's|");
    assert_eq!(place.run(["run", "--", "kill -9 $$"]).code, 137);
    let missing = place.run(["run", "--", "no-such-program-here"]);
    assert_eq!(missing.code, 127);
    assert!(
        missing.stderr.contains("note: exit code 127"),
        "{}",
        missing.stderr
    );
}

#[test]
fn what_is_dangerous_is_denied_without_anybody_to_ask_and_allowed_by_yes() {
    let place = Place::new();
    let file = place.path().join("d/x");
    fs::create_dir(place.path().join("d")).unwrap();
    fs::write(&file, "x").unwrap();
    let denied = place.run(["run", "--", "rm -rf d"]);
    assert_eq!((denied.code, denied.stdout.as_str()), (126, ""));
    assert!(
        denied.stderr.contains("BLOCKED") && denied.stderr.contains("--yes"),
        "{}",
        denied.stderr
    );
    assert!(file.exists());
    let told = place.run(["--json", "run", "--", "rm -rf d"]);
    assert_eq!((told.code, &told.json()["status"]), (126, &"denied".into()));
    // What is never allowed stays so.
    let never = place.run(["run", "--yes", "--", "rm -rf ~"]);
    assert_eq!(never.code, 126);
    place.config("approvals:\n  deny: ['rm -rf *']\n");
    assert_eq!(place.run(["run", "--yes", "--", "rm -rf d"]).code, 126);
    assert!(file.exists());
    // What is refused for another reason has not been found to be dangerous.
    let behind = place.run(["run", "--", "nohup sleep 9 &"]);
    assert_eq!(behind.code, 126);
    assert!(
        behind.stderr.contains("was not run") && !behind.stderr.contains("approve explain"),
        "{}",
        behind.stderr
    );
    place.config("");
    place.run(["run", "--yes", "--", "rm -rf d"]).ok();
    assert!(!file.exists());
}

#[test]
fn input_is_passed_on_and_output_comes_while_it_runs() {
    let place = Place::new();
    let mut child = place
        .command(["run", "--", "echo ready; read x; echo got $x; wc -c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut line = || lines.next().unwrap().unwrap();
    assert_eq!(line(), "ready");
    input.write_all(b"it\n").unwrap();
    assert_eq!(line(), "got it");
    input.write_all(&vec![b'x'; 1_000_000]).unwrap();
    drop(input);
    assert_eq!(line().trim(), "1000000");
    assert!(child.wait().unwrap().success());
}

#[test]
fn time_over_ctrl_c_and_a_closed_output_end_it() {
    let place = Place::new();
    let late = place.run(["run", "--timeout", "0.3", "--", "echo a; sleep 1000"]);
    assert_eq!((late.code, late.stdout.as_str()), (124, "a\n"));
    assert!(
        late.stderr.contains("timed out after 0.3 s"),
        "{}",
        late.stderr
    );
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let mut child = hermesctl(place.path())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .args(["run", "--", "echo $$; sleep 1000"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let shell = lines.next().unwrap().unwrap();
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert!(!Path::new("/proc").join(&shell).exists(), "{shell} is left");
    }
    let mut child = place
        .command(["run", "--", "while echo line; do :; done"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "line");
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

#[test]
fn the_outcome_is_told_as_json_and_recorded() {
    let place = Place::new();
    let told = place.run([
        "--json",
        "run",
        "--record",
        "s",
        "--workdir",
        "/",
        "--",
        "echo quokka; exit 2",
    ]);
    assert_eq!(told.code, 2);
    let outcome = told.json();
    assert_eq!(outcome["output"], "quokka\n");
    assert_eq!(
        (&outcome["status"], &outcome["exit_code"]),
        (&"ended".into(), &2.into())
    );
    let found = place.run(["--json", "search", "quokka"]).ok().json();
    assert_eq!(found["matches"].as_array().unwrap().len(), 2, "{found}");
    let shown = place.run(["--json", "sessions", "show", "s"]).ok().json();
    let messages = shown["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1]["tool_name"], "terminal");
    // What cannot be recorded is not run.
    fs::write(place.path().join("none.db"), "no store").unwrap();
    let lost = place.run(["--db", "none.db", "run", "--record", "s", "--", "touch ran"]);
    assert_eq!(lost.code, 125, "{}", lost.stderr);
    assert!(!place.path().join("ran").exists());
}

#[test]
fn what_cannot_be_run_says_why_and_what_to_do() {
    let place = Place::new();
    let failed = |arguments: &[&str], code: i32, part: &str| {
        let told = place.run(arguments);
        assert_eq!(
            (told.code, told.stdout.as_str()),
            (code, ""),
            "{arguments:?}"
        );
        assert!(told.stderr.contains(part), "{arguments:?}: {}", told.stderr);
    };
    for seconds in ["0", "-1", "nan", "1e9", "soon", "inf"] {
        failed(
            &["run", "--timeout", seconds, "--", "true"],
            64,
            "--timeout",
        );
    }
    failed(&["run"], 64, "CMD");
    failed(&["run", "--", " "], 125, "the command is empty");
    failed(
        &["run", "--backend", "dcoker", "--", "true"],
        125,
        "unknown terminal backend",
    );
    failed(&["run", "--backend", "ssh", "--", "true"], 125, "ssh_host");
    failed(
        &["run", "--workdir", "none", "--", "true"],
        125,
        "does not exist",
    );
    failed(&["run", "--file", "none"], 125, "cannot be read from none");
    fs::write(place.path().join("nul"), "echo a\0b").unwrap();
    failed(&["run", "--file", "nul"], 125, "NUL at byte 6");
    fs::write(place.path().join("latin"), b"echo caf\xe9").unwrap();
    failed(&["run", "--file", "latin"], 125, "not UTF-8 at byte 8");
    let word = OsStr::from_bytes(b"caf\xe9");
    let told = place.run([OsStr::new("run"), OsStr::new("--"), word]);
    assert_eq!(told.code, 64, "{}", told.stderr);
    place.config("terminal:\n  backend: ssh\n  ssh_host: 127.0.0.1\n  ssh_port: 1\n");
    failed(&["run", "--", "true"], 125, "cannot be reached");
    place.config("terminal:\n  timeout: soon\n");
    failed(&["run", "--", "true"], 125, "line 2, column 12");
}

#[test]
fn a_long_command_and_a_directory_of_any_name_are_no_trouble() {
    let place = Place::new();
    let long = format!("echo {} | wc -c\n", "x".repeat(1 << 20));
    fs::write(place.path().join("long"), long).unwrap();
    let told = place.run(["run", "--yes", "--file", "long"]).ok();
    assert_eq!(told.stdout.trim(), "1048577");
    let name = OsStr::from_bytes(b"caf\xe9");
    fs::create_dir(place.path().join(name)).unwrap();
    let arguments = ["run", "--workdir"].map(OsString::from).into_iter();
    let rest = [name.to_owned(), "--".into(), "pwd | od -An -c".into()];
    let told = place.run(arguments.chain(rest)).ok();
    assert!(told.stdout.contains("351"), "{}", told.stdout);
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    for (typed, expected, exit) in [
        ("o", "removed", 0),
        ("d", "you have denied it", 126),
        ("\u{3}", "", 130),
    ] {
        let place = Place::new();
        fs::create_dir(place.path().join("d")).unwrap();
        let variables = Variables::none().with([
            ("HOME", place.path().as_os_str().to_owned()),
            ("PATH", std::env::var_os("PATH").unwrap()),
        ]);
        let environment = Environment::new(Platform::Unix).with_user_home(place.path());
        let home = hermes_kit::home::resolve(&environment).unwrap().home;
        let local = Local::new(home)
            .unwrap()
            .with_variables(variables)
            .in_directory(place.path());
        let terminal = Terminal::builder()
            .environment(Arc::new(local))
            .without_gate()
            .build()
            .unwrap();
        let processes = Processes::builder(terminal).build();
        let program = hermesctl(place.path()).get_program().to_owned();
        let line = format!(
            "exec {} run -- 'rm -rf d && echo removed'",
            program.to_str().unwrap()
        );
        let request = Request::new(line).on_terminal(TerminalSize::default());
        let Launched::Running(info) = processes
            .start("t", &request, &Background::default())
            .unwrap()
        else {
            panic!("refused")
        };
        let mut seen = String::new();
        while !seen.contains("Choice [") {
            seen.push_str(&processes.poll(&info.id).unwrap().new_output.text);
            std::thread::yield_now();
        }
        let typed = if typed == "\u{3}" {
            typed.to_owned()
        } else {
            format!("{typed}\r")
        };
        processes.write(&info.id, typed.as_bytes()).unwrap();
        let ended = processes
            .wait(&info.id, Duration::from_secs(60), None)
            .unwrap();
        seen.push_str(&processes.poll(&info.id).unwrap().new_output.text);
        assert!(seen.contains(expected), "{seen}");
        let text = format!("{ended:?}");
        assert!(text.contains(&format!("exit_code: Some({exit})")), "{text}");
        assert_eq!(place.path().join("d").exists(), exit != 0);
    }
}

/// A real podman, with what a person would set.
#[test]
fn a_command_runs_in_a_container_of_podman() {
    let place = Place::new();
    let Some(podman) = testdata::Podman::start_in(place.path()) else {
        return;
    };
    let config = format!(
        "terminal:\n  backend: podman\n  docker_image: {}\n  docker_network: false\n  \
         docker_env: {{GIVEN: 'it is'}}\n  container_memory: 200\n",
        testdata::PODMAN_IMAGE
    );
    place.config(&config);
    let command = |arguments: &[&str]| {
        let mut command = place.command(["--color", "never"].iter().chain(arguments));
        command.envs(podman.variables().iter().cloned());
        command
    };
    let run = |arguments: &[&str]| -> Run { command(arguments).output().unwrap().into() };
    let told = run(&[
        "run",
        "--",
        "pwd; echo $GIVEN ${PODMAN_SECRET_TOKEN-none}; echo kept >~/file; exit 3",
    ]);
    assert_eq!(
        (told.code, &*told.stdout),
        (3, "/root\nit is none\n"),
        "{}",
        told.stderr
    );
    assert!(
        told.stderr.contains("cannot limit the disk"),
        "{}",
        told.stderr
    );
    let kept = place
        .path()
        .join(".hermes/sandboxes/docker/default/home/file");
    assert_eq!(fs::read_to_string(kept).unwrap(), "kept\n");
    // The container is stopped, and the next command has it again.
    let containers = podman.containers();
    assert_eq!(containers.len(), 1);
    // What harms only the container is not asked about.
    let next = run(&[
        "run",
        "--workdir",
        "/tmp",
        "--",
        "pwd; cat ~/file; rm -rf /none",
    ]);
    assert_eq!(
        (next.code, &*next.stdout),
        (0, "/tmp\nkept\n"),
        "{}",
        next.stderr
    );
    assert_eq!(podman.containers(), containers);
    let late = run(&["run", "--timeout", "1", "--", "echo a; sleep 1000"]);
    assert_eq!((late.code, &*late.stdout), (124, "a\n"), "{}", late.stderr);
    let mut child = hermesctl(place.path())
        .envs(podman.variables().iter().cloned())
        .args(["run", "--", "echo ready; sleep 1000"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", "INT", &id]).status();
    assert!(sent.unwrap().success());
    let ended: Run = child.wait_with_output().unwrap().into();
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    let backends = run(&["--json", "doctor"]).json()["backends"].clone();
    let docker = (&backends[1]["name"], &backends[1]["chosen"]);
    assert_eq!(docker, (&"docker".into(), &true.into()));
    assert_eq!(backends[1]["usable"], true, "{backends}");
}
