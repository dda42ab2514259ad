//! The gate is asked before anything starts.

use std::sync::{Arc, Mutex, OnceLock};

use hermes_terminal::{Approval, Gate, GateRequest, NOT_STARTED, Request, Start, Terminal};

use crate::setup::Place;

#[derive(Debug, Default)]
struct Recording {
    asked: Mutex<Vec<String>>,
}

impl Gate for Recording {
    fn approve(&self, asked: &GateRequest<'_>) -> Approval {
        let what = format!(
            "{} {} {} {} {} {} {:?}",
            asked.task,
            asked.backend,
            asked.host_access,
            asked.background,
            asked.command,
            asked.directory.display(),
            asked.stdin.map(String::from_utf8_lossy)
        );
        self.asked.lock().unwrap().push(what);
        if asked.command.contains("touch") {
            Approval::Denied {
                message: "no".to_owned(),
            }
        } else {
            Approval::Allowed {
                note: Some("looked at".to_owned()),
            }
        }
    }
}

#[test]
fn what_is_denied_does_not_start() {
    let place = Place::new();
    let gate = Arc::new(Recording::default());
    let terminal = place.builder().gate(gate.clone()).build().unwrap();
    let outcome = terminal
        .run("t", &Request::new("touch file").with_stdin("in"))
        .unwrap();
    assert_eq!(outcome.exit_code, NOT_STARTED);
    assert_eq!(outcome.error.as_deref(), Some("no"));
    assert_eq!(outcome.cwd, place.work());
    let start = terminal
        .start("t", &Request::new("touch file").in_background())
        .unwrap();
    assert!(matches!(start, Start::Refused(outcome) if outcome.exit_code == NOT_STARTED));
    let outcome = terminal
        .run("t", &Request::new("ls").in_directory("/"))
        .unwrap();
    assert_eq!(outcome.exit_code, 0);
    assert_eq!(outcome.notes, ["looked at"]);
    assert!(!place.work().join("file").exists());
    let work = place.work().display().to_string();
    assert_eq!(
        *gate.asked.lock().unwrap(),
        [
            format!("t local true false touch file {work} Some(\"in\")"),
            format!("t local true true touch file {work} None"),
            "t local true false ls / None".to_owned(),
        ]
    );
}

/// The task goes elsewhere while its command is judged.
#[derive(Debug, Default)]
struct Moving {
    terminal: OnceLock<Terminal>,
}

impl Gate for Moving {
    fn approve(&self, asked: &GateRequest<'_>) -> Approval {
        let terminal = self.terminal.get().unwrap();
        terminal.set_directory(asked.task, "elsewhere").unwrap();
        Approval::Allowed {
            note: Some(asked.directory.display().to_string()),
        }
    }
}

#[test]
fn a_command_runs_in_the_directory_that_was_approved() {
    let place = Place::new();
    let gate = Arc::new(Moving::default());
    let terminal = place.builder().gate(gate.clone()).build().unwrap();
    gate.terminal.set(terminal.clone()).unwrap();
    for folder in ["sub", "elsewhere/sub"] {
        std::fs::create_dir_all(place.work().join(folder)).unwrap();
    }
    let request = Request::new("pwd").in_directory("sub");
    let outcome = terminal.run("t", &request).unwrap();
    let approved = place.work().join("sub").display().to_string();
    assert_eq!(outcome.output.trim_end(), approved);
    assert_eq!(outcome.notes, [approved]);
}

#[test]
fn what_is_left_behind_by_the_shell_is_answered_with_advice() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = terminal
        .run("t", &Request::new("touch started; nohup sleep 100 &"))
        .unwrap();
    assert_eq!(outcome.exit_code, NOT_STARTED);
    assert!(outcome.error.unwrap().contains("background: true"));
    assert!(!place.work().join("started").exists());
}
