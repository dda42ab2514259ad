//! Background processes for tests.

use std::time::{Duration, Instant};

use hermes_terminal::{
    Background, Launched, ProcessId, ProcessInfo, Processes, Request, Status, TerminalSize,
};

use crate::setup::Place;

/// Long enough for a busy machine; nothing waits for it when all is well.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) fn processes(place: &Place) -> Processes {
    Processes::builder(place.terminal())
        .home(&place.home())
        .build()
}

#[track_caller]
pub(crate) fn start_with(processes: &Processes, request: &Request, how: &Background) -> ProcessId {
    match processes.start("t", request, how).unwrap() {
        Launched::Running(info) => info.id,
        Launched::Refused(outcome) => panic!("{outcome:?}"),
    }
}

#[track_caller]
pub(crate) fn start(processes: &Processes, command: &str) -> ProcessId {
    start_with(processes, &Request::new(command), &Background::default())
}

#[track_caller]
pub(crate) fn start_on_terminal(processes: &Processes, command: &str) -> ProcessId {
    let request = Request::new(command).on_terminal(TerminalSize::default());
    start_with(processes, &request, &Background::default())
}

/// Reads until the output holds this text; gives what came.
#[track_caller]
pub(crate) fn read_until(processes: &Processes, id: &ProcessId, text: &str) -> String {
    let deadline = Instant::now() + LONG;
    let mut output = String::new();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let poll = processes.poll_within(id, left).unwrap();
        output.push_str(&poll.new_output.text);
        if output.contains(text) {
            return output;
        }
        let ended = poll.info.status != Status::Running;
        assert!(
            !ended && !left.is_zero(),
            "no {text:?} in {output:?}: {poll:?}"
        );
    }
}

#[track_caller]
pub(crate) fn ended(processes: &Processes, id: &ProcessId) -> ProcessInfo {
    let info = processes.wait(id, LONG, None).unwrap().info;
    assert_ne!(info.status, Status::Running, "{info:?}");
    info
}

#[track_caller]
pub(crate) fn exit_code(info: &ProcessInfo) -> Option<i32> {
    match info.status {
        Status::Ended { exit_code, .. } => exit_code,
        Status::Running => panic!("{info:?}"),
    }
}
