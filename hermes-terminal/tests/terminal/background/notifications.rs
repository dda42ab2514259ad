//! What is told without being asked.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use hermes_terminal::{
    Background, Channel, EndReason, Notification, ProcessId, Processes, Request,
};

use super::setup::{LONG, ended, read_until, start, start_with};
use crate::setup::Place;

fn told(place: &Place) -> (Processes, Receiver<Notification>) {
    let (sender, receiver) = channel();
    let processes = Processes::builder(place.terminal())
        .notify(Arc::new(Channel(sender)))
        .build();
    (processes, receiver)
}

#[test]
fn an_end_is_told_once_to_those_who_asked() {
    let place = Place::new();
    let (processes, receiver) = told(&place);
    let quiet = start(&processes, "echo quiet");
    ended(&processes, &quiet);
    let how = Background::default().notify_on_complete();
    let id = start_with(&processes, &Request::new("echo out; exit 7"), &how);
    let Notification::Ended {
        id: of,
        exit_code,
        reason,
        output,
        task,
        ..
    } = receiver.recv_timeout(LONG).unwrap()
    else {
        panic!("another notification")
    };
    assert_eq!(
        (of, exit_code, reason),
        (id.clone(), Some(7), EndReason::Exited)
    );
    assert_eq!((output.as_str(), task.as_str()), ("out\n", "t"));
    // Whoever is told finds it ended.
    ended(&processes, &id);
    processes.kill(&id).unwrap();
    assert!(receiver.try_recv().is_err());
}

#[test]
fn a_text_in_the_output_is_told_while_it_runs() {
    let place = Place::new();
    let (processes, receiver) = told(&place);
    let how = Background::default().watch(["ready", "fatal"]);
    let request = Request::new("echo starting; printf 'server re'; printf 'ady on 80'; read x");
    let id = start_with(&processes, &request, &how);
    let Notification::Matched {
        id: of,
        pattern,
        line,
        dropped,
        ..
    } = receiver.recv_timeout(LONG).unwrap()
    else {
        panic!("another notification")
    };
    assert_eq!((of, pattern.as_str(), dropped), (id.clone(), "ready", 0));
    assert!(line.starts_with("server ready"));
    processes.submit(&id, "").unwrap();
    ended(&processes, &id);
    assert!(receiver.try_recv().is_err());
}

#[test]
fn a_flood_of_matches_is_one_notification() {
    let place = Place::new();
    let (processes, receiver) = told(&place);
    let how = Background::default().watch(["E"]);
    let id = start_with(&processes, &Request::new("yes E | head -n 100000"), &how);
    ended(&processes, &id);
    assert!(matches!(
        receiver.recv_timeout(LONG).unwrap(),
        Notification::Matched { .. }
    ));
    assert!(receiver.try_recv().is_err());
}

#[test]
fn both_at_once_are_the_end_and_a_note() {
    let place = Place::new();
    let (processes, receiver) = told(&place);
    let how = Background::default().watch(["E"]).notify_on_complete();
    let id = start_with(&processes, &Request::new("echo E"), &how);
    assert!(matches!(
        receiver.recv_timeout(LONG).unwrap(),
        Notification::Ended { .. }
    ));
    let info = processes.poll(&id).unwrap().info;
    assert!(info.notes[0].contains("watch_patterns"), "{info:?}");
}

#[test]
fn a_panic_of_whoever_is_told_changes_nothing() {
    let place = Place::new();
    let processes = Processes::builder(place.terminal())
        .notify(Arc::new(|notification: Notification| {
            if let Notification::Matched { line, .. } = notification {
                panic!("{line}");
            }
        }))
        .build();
    let how = Background::default().watch(["E"]);
    let id = start_with(&processes, &Request::new("echo E; read x; echo $x"), &how);
    read_until(&processes, &id, "E");
    processes.submit(&id, "on").unwrap();
    assert_eq!(ended(&processes, &id).output_preview, "E\non\n");
}

#[test]
fn whoever_is_told_may_ask_for_the_process_at_once() {
    let place = Place::new();
    let (sender, receiver) = channel();
    let slot: Arc<std::sync::OnceLock<Processes>> = Arc::default();
    let inner = Arc::clone(&slot);
    let sender = std::sync::Mutex::new(sender);
    let processes = Processes::builder(place.terminal())
        .notify(Arc::new(move |notification: Notification| {
            let Notification::Matched { id, .. } = notification else {
                return;
            };
            let processes = inner.wait();
            let poll = processes.poll(&id).unwrap();
            processes.submit(&id, "go on").unwrap();
            sender.lock().unwrap().send(poll.new_output.text).unwrap();
        }))
        .build();
    let how = Background::default().watch(["name?"]);
    let request = Request::new("echo name?; read x; echo hello $x; read y");
    let id: ProcessId = start_with(&processes, &request, &how);
    slot.set(processes.clone()).unwrap();
    assert_eq!(receiver.recv_timeout(LONG).unwrap(), "name?\n");
    read_until(&processes, &id, "hello go on");
    processes.kill(&id).unwrap();
}
