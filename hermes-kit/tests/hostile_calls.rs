//! Calls of the tool `terminal` that cannot be, and tasks beside each other.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use hermes_kit::Hermes;
use hermes_kit::toolkit::{BatchOptions, CallContext, ToolCall};
use serde_json::{Value, json};

struct Place {
    folder: tempfile::TempDir,
    work: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        fs::create_dir(&work).unwrap();
        Place { folder, work }
    }

    fn hermes(&self, config: &str) -> Hermes {
        let text = format!("terminal:\n  cwd: {}\n{config}", self.work.display());
        fs::write(self.folder.path().join("config.yaml"), text).unwrap();
        Hermes::builder()
            .home(self.folder.path())
            .variables(|_| None)
            .open()
            .unwrap()
    }
}

/// The answer, which is JSON whatever came of it.
fn call(hermes: &Hermes, arguments: Value, task: &str) -> Value {
    let context = CallContext::new().with_session_id("s").with_task_id(task);
    let result = hermes.handle_function_call("terminal", arguments, &context);
    serde_json::from_str(&result.into_text()).unwrap()
}

#[test]
fn what_cannot_be_run_says_why_and_what_to_do() {
    let place = Place::new();
    let hermes = place.hermes("");
    for (arguments, part) in [
        (json!({}), "command"),
        (json!({"command": ""}), "the command is empty; give one"),
        (json!({"command": "echo a\u{0}b"}), "NUL at byte 6"),
        (
            json!({"command": "true", "timeout": 0}),
            "give a number above 0",
        ),
        (
            json!({"command": "true", "timeout": -5}),
            "give a number above 0",
        ),
        (
            json!({"command": "true", "timeout": 1e300}),
            "in the background",
        ),
        (
            json!({"command": "true", "timeout": 601}),
            "in the background",
        ),
        (json!({"command": "true", "timeout": "soon"}), "timeout"),
        (
            json!({"command": "true", "workdir": "none"}),
            "make it or name another",
        ),
        (
            json!({"command": "true", "workdir": "/etc/passwd"}),
            "not a directory",
        ),
        (
            json!({"command": "true", "workdir": "a\u{0}b"}),
            "does not exist",
        ),
        (json!({"command": ["true"]}), "command"),
    ] {
        let told = call(&hermes, arguments.clone(), "t");
        let error = told["error"].as_str().unwrap_or_default();
        assert!(error.contains(part), "{arguments}: {told}");
    }
    // The session is as it was.
    assert_eq!(
        call(&hermes, json!({"command": "echo on"}), "t")["output"],
        "on\n"
    );
    let missing = call(&hermes, json!({"command": "no-such-program-here"}), "t");
    assert_eq!(missing["exit_code"], 127);
}

#[test]
fn a_backend_that_cannot_be_had_says_why_and_what_to_do() {
    let place = Place::new();
    for (config, part) in [
        ("  backend: dcoker\n", "use one of"),
        ("  backend: ssh\n", "ssh_host"),
        (
            "  backend: ssh\n  ssh_host: 127.0.0.1\n  ssh_port: 1\n",
            "cannot be reached",
        ),
        ("  backend: modal\n", "not built into this program"),
    ] {
        let told = call(&place.hermes(config), json!({"command": "true"}), "t");
        let error = told["error"].as_str().unwrap();
        assert!(error.contains(part), "{config}: {error}");
    }
}

#[test]
fn a_command_of_a_megabyte_is_answered_and_runs_where_nobody_has_to_be_asked() {
    let place = Place::new();
    let long = format!("echo {} | wc -c", "x".repeat(1 << 20));
    // Nobody has looked at all of it, so that it would be asked about; and nobody is there.
    let told = call(&place.hermes(""), json!({"command": long}), "t");
    let code = told["exit_code"].as_i64().unwrap();
    assert!(code == 0 || code == -1, "{code}");
    let free = place.hermes("approvals:\n  mode: off\n");
    let told = call(&free, json!({"command": long}), "t");
    assert_eq!(told["output"].as_str().unwrap().trim(), "1048577");
}

#[test]
fn a_directory_that_is_not_utf8_is_entered_and_shown_as_text() {
    let place = Place::new();
    let hermes = place.hermes("");
    fs::create_dir(place.work.join(OsStr::from_bytes(b"caf\xe9"))).unwrap();
    let told = call(&hermes, json!({"command": "cd caf*; pwd | od -An -c"}), "t");
    assert!(told["output"].as_str().unwrap().contains("351"), "{told}");
    assert!(
        told["cwd"].as_str().unwrap().ends_with("caf\u{fffd}"),
        "{told}"
    );
    let stays = call(&hermes, json!({"command": "cd ..; pwd"}), "t");
    assert_eq!(stays["output"], format!("{}\n", place.work.display()));
}

#[test]
fn tasks_beside_each_other_keep_their_own_directory_and_environment() {
    let place = Place::new();
    let hermes = place.hermes("");
    for task in ["red", "blue"] {
        fs::create_dir(place.work.join(task)).unwrap();
        let command = format!("cd {task}; export WHO={task} COUNT=0");
        call(&hermes, json!({"command": command}), task);
    }
    // A thousand, now of the one, now of the other, from two threads.
    std::thread::scope(|scope| {
        for task in ["red", "blue"] {
            let (hermes, work) = (&hermes, &place.work);
            scope.spawn(move || {
                for n in 1..=500 {
                    let command = "COUNT=$((COUNT + 1)); echo $WHO $COUNT ${PWD##*/}";
                    let told = call(hermes, json!({"command": command}), task);
                    assert_eq!(told["output"], format!("{task} {n} {task}\n"));
                    assert_eq!(told["cwd"], work.join(task).to_str().unwrap());
                }
            });
        }
    });
}

#[test]
fn secrets_of_the_home_reach_no_child_however_it_is_called() {
    let place = Place::new();
    let secrets = [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "OPENROUTER_API_KEY",
        "TELEGRAM_BOT_TOKEN",
        "SUDO_PASSWORD",
    ];
    let lines: Vec<String> = secrets
        .iter()
        .map(|name| format!("{name}=planted-{name}"))
        .collect();
    let text = format!("{}\nPLAIN=visible\n", lines.join("\n"));
    fs::write(place.folder.path().join(".env"), text).unwrap();
    let hermes = place.hermes("approvals:\n  mode: off\n");
    let show =
        json!({"command": "env; export -p; cat /proc/self/environ /proc/$$/environ 2>/dev/null"});
    let single = call(&hermes, show.clone(), "t").to_string();
    let context = CallContext::new().with_task_id("t");
    let calls = vec![ToolCall::new("terminal", show); 3];
    let batch = hermes.handle_batch(calls, &BatchOptions::default(), &context);
    let all: Vec<String> = batch
        .iter()
        .map(ToString::to_string)
        .chain([single])
        .collect();
    for told in &all {
        assert!(told.contains("visible"), "{told}");
        assert!(!told.contains("planted-"), "{told}");
    }
}
