//! Writing to processes.

use std::time::Duration;

use hermes_terminal::{Error, Interrupt, Status};

use super::setup::{LONG, ended, exit_code, processes, read_until, start};
use crate::setup::Place;

#[track_caller]
fn why(result: hermes_terminal::Result<()>) -> &'static str {
    match result {
        Err(Error::NoInput { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_written_comes_in_order_and_closing_is_the_end() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(&processes, "cat; echo over");
    processes.write(&id, b"a").unwrap();
    processes.write(&id, b"b\n").unwrap();
    processes.submit(&id, "c").unwrap();
    assert_eq!(read_until(&processes, &id, "c\n"), "ab\nc\n");
    processes.write(&id, b"d").unwrap();
    processes.close(&id).unwrap();
    assert_eq!(why(processes.write(&id, b"x")), "its input has been closed");
    let info = ended(&processes, &id);
    assert_eq!(info.output_preview, "ab\nc\ndover\n");
    assert_eq!(why(processes.write(&id, b"x")), "it has ended");
    assert_eq!(why(processes.close(&id)), "it has ended");
}

#[test]
fn a_process_that_does_not_read_holds_up_nobody() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(&processes, "sleep 1000");
    let block = vec![b'x'; 400_000];
    let mut taken = 0;
    let refused = loop {
        match processes.write(&id, &block) {
            Ok(()) => taken += 1,
            refused => break refused,
        }
        assert!(taken < 10);
    };
    assert!(why(refused).contains("does not read"));
    processes.kill(&id).unwrap();
}

#[test]
fn a_process_that_has_closed_its_input_says_so() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(&processes, "exec 0<&-; echo closed; sleep 1000");
    read_until(&processes, &id, "closed");
    // The first is taken before anybody can know.
    let mut result = Ok(());
    while result.is_ok() {
        result = processes.write(&id, b"x");
        std::thread::yield_now();
    }
    assert_eq!(why(result), "it has closed its input");
    processes.kill(&id).unwrap();
}

#[test]
fn a_wait_ends_in_time_or_when_it_is_interrupted() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(&processes, "read x");
    let waited = processes
        .wait(&id, Duration::from_millis(20), None)
        .unwrap();
    assert_eq!(
        (waited.info.status, waited.interrupted),
        (Status::Running, false)
    );
    let interrupt = Interrupt::new().unwrap();
    let waited = std::thread::scope(|scope| {
        let waiter = scope.spawn(|| processes.wait(&id, LONG, Some(&interrupt)).unwrap());
        interrupt.interrupt();
        waiter.join().unwrap()
    });
    assert!(waited.interrupted);
    processes.submit(&id, "").unwrap();
    assert_eq!(exit_code(&ended(&processes, &id)), Some(0));
}
