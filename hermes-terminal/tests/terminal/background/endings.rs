//! Starting, ending, and what is left of it: nothing.

use std::time::Duration;

use hermes_terminal::{
    Background, BackgroundLimits, EndReason, Error, Launched, ProcessId, Processes, Request, Status,
};

use super::setup::{LONG, ended, exit_code, processes, read_until, start};
use crate::memory::peak;
use crate::processes::{assert_gone, own_number, with_argument};
use crate::setup::Place;

#[test]
fn a_process_is_followed_from_its_start_to_its_end() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(
        &processes,
        "echo one; echo two >&2; read x; echo got $x; exit 3",
    );
    assert!(id.as_str().starts_with("proc_"));
    read_until(&processes, &id, "two");
    let [info] = processes.list(None).try_into().unwrap();
    assert_eq!((info.status, &info.id), (Status::Running, &id));
    assert_eq!(info.directory, place.work());
    processes.submit(&id, "it").unwrap();
    let info = ended(&processes, &id);
    assert_eq!(exit_code(&info), Some(3));
    assert_eq!(info.output_preview, "one\ntwo\ngot it\n");
    let log = processes.log(&id, Some(1), 1).unwrap();
    assert_eq!((log.text.as_str(), log.total), ("two", 3));
    assert!(processes.list(Some("other")).is_empty());
}

#[test]
fn sixty_four_run_at_once_and_the_next_is_refused() {
    let place = Place::new();
    let processes = processes(&place);
    let ids: Vec<ProcessId> = (0..64)
        .map(|n| start(&processes, &format!("read x; echo {n} $x")))
        .collect();
    let refused = processes.start("t", &Request::new("true"), &Background::default());
    assert!(matches!(
        refused,
        Err(Error::TooManyProcesses { limit: 64 })
    ));
    for id in &ids {
        processes.submit(id, "go").unwrap();
    }
    for (n, id) in ids.iter().enumerate() {
        assert_eq!(ended(&processes, id).output_preview, format!("{n} go\n"));
    }
    // The one that ended first makes room for another.
    let next = start(&processes, "true");
    let known = processes.list(None);
    assert_eq!(known.len(), 64);
    assert!(known.iter().any(|info| info.id == next));
}

#[test]
fn no_thread_and_no_descriptor_stays_when_processes_have_ended() {
    let place = Place::new();
    let limits = {
        let mut limits = BackgroundLimits::default();
        limits.processes = 4;
        limits
    };
    let processes = Processes::builder(place.terminal()).limits(limits).build();
    let names_of_threads = || {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        tasks
            .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
            .filter(|name| name.starts_with("proc_"))
            .count()
    };
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut counts = Vec::new();
    for _ in 0..40 {
        let id = start(&processes, "echo x");
        ended(&processes, &id);
        counts.push(descriptors());
    }
    // Each that is remembered has a few; a leak would have forty times as many.
    let most = counts.iter().max().unwrap();
    assert!(most - counts[4] < 20, "{counts:?}");
    let deadline = std::time::Instant::now() + LONG;
    while names_of_threads() > 0 {
        assert!(std::time::Instant::now() < deadline, "threads are left");
        std::thread::yield_now();
    }
}

#[test]
fn killing_ends_a_tree_of_four_levels_and_what_has_left_its_session() {
    let place = Place::new();
    let processes = processes(&place);
    let text = own_number();
    let id = start(
        &processes,
        &format!(
            "bash -c 'bash -c \"bash -c \\\"sleep {text} & echo deep; wait\\\" & wait\" & wait' &
             setsid sleep {text} & trap '' TERM; sleep {text}"
        ),
    );
    read_until(&processes, &id, "deep");
    let info = processes.kill(&id).unwrap();
    assert!(matches!(
        info.status,
        Status::Ended {
            reason: EndReason::Killed,
            ..
        }
    ));
    assert_gone(&text);
    // Again is no error, and changes nothing.
    assert_eq!(processes.kill(&id).unwrap().status, info.status);
}

#[test]
fn all_of_one_task_are_ended_and_the_others_go_on() {
    let place = Place::new();
    let processes = processes(&place);
    let of = |task: &str| match processes
        .start(task, &Request::new("sleep 1000"), &Background::default())
        .unwrap()
    {
        Launched::Running(info) => info.id,
        Launched::Refused(outcome) => panic!("{outcome:?}"),
    };
    let (a, b, c) = (of("a"), of("a"), of("b"));
    let mut killed = processes.kill_all(Some("a")).unwrap();
    killed.sort();
    let mut expected = [a, b];
    expected.sort();
    assert_eq!(killed, expected);
    assert_eq!(processes.poll(&c).unwrap().info.status, Status::Running);
    assert_eq!(processes.kill_all(None).unwrap(), [c]);
}

/// Passes this much through a process of its own; memory grows by no more than this.
fn passes(bytes: u64, growth: u64) {
    let place = Place::new();
    let processes = processes(&place);
    let before = peak();
    let text = "0123456789abcdef0123456789abcdef";
    let id = start(
        &processes,
        &format!("yes {text} | head -c {bytes}; echo; echo end"),
    );
    let info = processes.wait(&id, 10 * LONG, None).unwrap().info;
    assert_eq!(exit_code(&info), Some(0));
    assert!(info.output_preview.ends_with("end\n"));
    let log = processes.log(&id, Some(0), 1).unwrap();
    assert_eq!(log.total, bytes / 33 + 2);
    assert!(log.first == log.dropped && log.dropped > log.total - 10_000);
    eprintln!("{bytes} bytes of output, {} KiB of memory", peak() / 1024);
    assert!(peak() < before + growth, "{before} {}", peak());
    let new = processes.poll(&id).unwrap().new_output;
    assert_eq!(new.text.chars().count(), 20_000);
}

#[test]
fn a_long_output_passes_through_in_bounded_memory() {
    passes(33_000_000, 8 << 20);
}

#[test]
#[ignore = "takes minutes; cargo nextest run --release -p hermes-terminal --run-ignored only"]
fn five_gigabytes_pass_through_in_bounded_memory() {
    passes(4_999_999_983, 8 << 20);
}

#[test]
fn a_grandchild_that_keeps_the_output_does_not_keep_the_process() {
    let place = Place::new();
    let processes = processes(&place);
    let text = own_number();
    let id = start(&processes, &format!("sleep {text} & echo started"));
    let info = ended(&processes, &id);
    assert_eq!(exit_code(&info), Some(0));
    assert!(
        info.notes.iter().any(|note| note.contains("still runs")),
        "{info:?}"
    );
    for pid in with_argument(&text) {
        let pid = i32::try_from(pid)
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(pid.unwrap(), rustix::process::Signal::KILL).unwrap();
    }
}

#[test]
fn what_is_refused_takes_no_place_and_what_is_unknown_is_said_to_be() {
    let place = Place::new();
    let mut limits = BackgroundLimits::default();
    limits.processes = 1;
    let processes = Processes::builder(place.terminal()).limits(limits).build();
    for _ in 0..3 {
        let missing = Request::new("true").in_directory("/no/such/directory");
        let error = processes.start("t", &missing, &Background::default());
        assert!(matches!(error, Err(Error::WorkdirMissing { .. })));
        let empty = processes.start("t", &Request::new(" "), &Background::default());
        assert!(matches!(empty, Err(Error::EmptyCommand)));
    }
    let id = start(&processes, "true");
    ended(&processes, &id);
    let unknown = ProcessId::new("proc_0");
    assert!(matches!(
        processes.poll(&unknown),
        Err(Error::UnknownProcess { .. })
    ));
    assert!(processes.wait(&unknown, Duration::ZERO, None).is_err());
    assert!(processes.kill(&unknown).is_err());
}
