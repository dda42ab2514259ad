//! A program that is started again finds its processes.

use std::fs;
use std::process::Command;

use hermes_terminal::{EndReason, Error, ProcessId, Status};
use serde_json::{Value, json};

use super::setup::{ended, processes, start};
use crate::processes::{assert_gone, own_number, until, with_argument};
use crate::setup::Place;

/// Where the other process is told to work. Not set in an ordinary run.
const WHERE: &str = "HERMES_TERMINAL_TEST_RESTART";

fn records(place: &Place) -> Vec<Value> {
    let text = fs::read(place.home().path().join("processes.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Not a test by itself: the first run of the program, in a process of its own.
#[test]
fn first_run() {
    let Ok(where_to) = std::env::var(WHERE) else {
        return;
    };
    let place = Place::of(where_to.into());
    let processes = processes(&place);
    let text = fs::read_to_string(place.path().join("text")).unwrap();
    // Nothing is written: whose reader is gone would end by that.
    let child = format!("sleep {text} & sleep {text} & wait; true");
    let long = start(&processes, &child);
    let short = start(&processes, "read x");
    let ids = [long.as_str(), short.as_str()].join(" ");
    fs::write(place.path().join("ids"), ids).unwrap();
    // Ends as a program that is killed: nothing is cleaned up.
    std::process::abort();
}

#[test]
fn processes_are_found_again_and_ended_with_all_they_started() {
    let place = Place::new();
    let text = own_number();
    fs::write(place.path().join("text"), &text).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "background::restart::first_run", "--nocapture"])
        .env(WHERE, place.path())
        .status()
        .unwrap();
    assert!(!status.success());
    let ids = fs::read_to_string(place.path().join("ids")).unwrap();
    let [long, short] = ids
        .split(' ')
        .map(ProcessId::new)
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();

    let processes = processes(&place);
    // The one that waited for input has ended when nobody could write any more.
    let recovered = until_one_is_left(&processes);
    assert_eq!(recovered.0, std::slice::from_ref(&long));
    assert!(recovered.1.iter().all(|id| *id == short), "{recovered:?}");
    let info = processes.poll(&long).unwrap().info;
    assert!(info.detached && info.status == Status::Running, "{info:?}");
    assert_eq!(info.task, "t");
    assert!(matches!(
        processes.submit(&long, "x"),
        Err(Error::NoInput {
            why: "it was started by an earlier run",
            ..
        })
    ));
    // Again finds nothing new.
    assert!(processes.recover().unwrap().running.is_empty());
    assert!(until(|| with_argument(&text).len() == 2));
    let info = processes.kill(&long).unwrap();
    assert!(matches!(
        info.status,
        Status::Ended {
            exit_code: None,
            reason: EndReason::Killed
        }
    ));
    assert_gone(&text);
    assert!(records(&place).is_empty());
}

/// Recovers until the short one is known to be gone or is waited for.
fn until_one_is_left(processes: &hermes_terminal::Processes) -> (Vec<ProcessId>, Vec<ProcessId>) {
    let recovered = processes.recover().unwrap();
    let mut running = Vec::new();
    let mut gone = recovered.ended;
    for info in recovered.running {
        match info.command.as_str() {
            "read x" => {
                ended(processes, &info.id);
                gone.push(info.id);
            }
            _ => running.push(info.id),
        }
    }
    (running, gone)
}

#[test]
fn a_number_that_is_another_process_by_now_is_never_signalled() {
    let place = Place::new();
    let processes = processes(&place);
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    let file = place.home().path().join("processes.json");
    fs::create_dir_all(place.home().path()).unwrap();
    let record = |id: &str, start: Value| {
        json!({"session_id": id, "command": "sleep", "pid": other.id(), "pid_scope": "host",
               "host_start_time": start, "cwd": "/tmp", "started_at": 1.0, "task_id": "t"})
    };
    let list = json!([
        record("proc_recycled", json!(1)),
        record("proc_unknown", Value::Null),
        {"session_id": "proc_sandbox", "pid": other.id(), "pid_scope": "sandbox"},
    ]);
    fs::write(&file, list.to_string()).unwrap();
    let recovered = processes.recover().unwrap();
    assert!(recovered.running.is_empty());
    assert_eq!(recovered.ended, [ProcessId::new("proc_recycled")]);
    let unknown = ["proc_unknown", "proc_sandbox"].map(ProcessId::new);
    assert_eq!(recovered.unknown, unknown);
    for id in ["proc_recycled", "proc_unknown", "proc_sandbox"] {
        assert!(processes.kill(&ProcessId::new(id)).is_err());
    }
    assert_eq!(other.try_wait().unwrap(), None);
    // What nothing is known of stays in the list, for whoever has written it.
    assert_eq!(records(&place).len(), 2);
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn what_a_running_program_attends_to_is_left_to_it() {
    let place = Place::new();
    let first = processes(&place);
    let id = start(&first, "sleep 1000");
    let [mut record] = records(&place).try_into().unwrap();
    assert_eq!(record["session_id"], id.as_str());
    // As if the one that attends were another program that runs: process 1, and nobody knows since
    // when.
    record["attended_by"] = json!({"pid": 1, "start_time": null});
    let file = place.home().path().join("processes.json");
    fs::write(&file, json!([record]).to_string()).unwrap();
    let second = processes(&place);
    let recovered = second.recover().unwrap();
    assert!(recovered.running.is_empty());
    assert_eq!(recovered.of_others, std::slice::from_ref(&id));
    assert_eq!(records(&place).len(), 1);
    first.kill(&id).unwrap();
}

#[test]
fn what_has_ended_leaves_the_list_and_a_broken_list_is_told() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(&processes, "read x");
    let [record] = records(&place).try_into().unwrap();
    assert_eq!(
        (&record["command"], &record["task_id"]),
        (&json!("read x"), &json!("t"))
    );
    assert_eq!(record["pid_scope"], "host");
    assert!(record["host_start_time"].as_u64().unwrap() > 0);
    processes.submit(&id, "").unwrap();
    ended(&processes, &id);
    assert!(records(&place).is_empty());
    let file = place.home().path().join("processes.json");
    fs::write(&file, "{\"no\": \"list\"}").unwrap();
    let error = processes.recover().unwrap_err();
    assert!(matches!(error, Error::BadCheckpoint { .. }));
    assert!(error.to_string().contains("processes.json"), "{error}");
}
