//! Time-outs, interruption, and what is left of a command afterwards.

use std::time::{Duration, Instant};

use hermes_terminal::{INTERRUPTED, Interrupt, Limits, Request, TIMED_OUT, Terminal};

use crate::processes::{appears, assert_gone, own_number, with_argument};
use crate::setup::{Place, output, run};

const SOON: Duration = Duration::from_millis(200);

/// A terminal that does not wait long for what does not want to end.
fn impatient(place: &Place) -> Terminal {
    let mut limits = Limits::default();
    limits.grace = SOON;
    place
        .builder()
        .without_gate()
        .limits(limits)
        .build()
        .unwrap()
}

fn in_time(command: &str) -> Request {
    Request::new(command).with_timeout(SOON)
}

#[test]
fn a_time_out_ends_the_command_and_keeps_its_output_and_the_session() {
    let place = Place::new();
    let terminal = place.terminal();
    output(&terminal, "export A=1; cd /");
    let number = own_number();
    let command = format!("echo before; sleep {number}; echo after");
    let outcome = terminal.run("t", &in_time(&command)).unwrap();
    assert_eq!(outcome.exit_code, TIMED_OUT);
    assert!(outcome.timed_out);
    assert_eq!(outcome.output, "before\n");
    assert!(outcome.error.unwrap().starts_with("timed out after 0.2 s"));
    assert_gone(&number);
    assert_eq!(output(&terminal, "echo $A; pwd"), "1\n/\n");
}

#[test]
fn a_command_that_ends_well_when_asked_is_not_killed() {
    let place = Place::new();
    let terminal = place.terminal();
    let command = "trap 'echo cleaned; exit 3' TERM; sleep 100 & wait";
    let outcome = terminal.run("t", &in_time(command)).unwrap();
    assert_eq!(
        (outcome.exit_code, &*outcome.output),
        (TIMED_OUT, "cleaned\n")
    );
}

#[test]
fn a_command_that_ignores_being_asked_is_killed() {
    let place = Place::new();
    let terminal = impatient(&place);
    let number = own_number();
    for command in [
        format!("trap '' TERM; sleep {number} & while :; do wait; done"),
        format!(
            "exec python3 -c 'import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep({number})' {number}"
        ),
        format!("kill -STOP $$; sleep {number}"),
    ] {
        let outcome = terminal.run("t", &in_time(&command)).unwrap();
        assert_eq!(outcome.exit_code, TIMED_OUT, "{command}");
        assert_gone(&number);
    }
}

#[test]
fn a_tree_four_levels_deep_ends() {
    let place = Place::new();
    let number = own_number();
    let terminal = impatient(&place);
    let command =
        format!("bash -c \"bash -c \\\"bash -c 'trap : TERM; sleep {number}; :'; :\\\"; :\"; :");
    let outcome = terminal.run("t", &in_time(&command)).unwrap();
    assert_eq!(outcome.exit_code, TIMED_OUT);
    assert_gone(&number);
}

#[test]
#[cfg(target_os = "linux")]
fn what_has_left_session_and_parent_ends_too() {
    let place = Place::new();
    let terminal = impatient(&place);
    let number = own_number();
    let ready = place.path().join("ready");
    // Twice forked, in a session of its own, with nothing open: a daemon as books describe it.
    let daemon = format!(
        "python3 - <<'E'\n\
         import os\n\
         if os.fork() == 0:\n\
         \x20   os.setsid()\n\
         \x20   if os.fork() == 0:\n\
         \x20       os.closerange(0, 100)\n\
         \x20       os.execvp('sleep', ['sleep', '{number}'])\n\
         \x20   os._exit(0)\n\
         os.wait()\n\
         E\n\
         touch {}; sleep {number}",
        ready.display()
    );
    let interrupt = Interrupt::new().unwrap();
    let request = Request::new(daemon).with_interrupt(&interrupt);
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| terminal.run("t", &request).unwrap());
        assert!(appears(&ready));
        assert!(crate::processes::until(|| with_argument(&number).len() == 2));
        interrupt.interrupt();
        running.join().unwrap()
    });
    assert_eq!(outcome.exit_code, INTERRUPTED);
    assert_gone(&number);
}

#[test]
fn a_daemon_of_an_earlier_command_is_left_alone() {
    let place = Place::new();
    let terminal = impatient(&place);
    let number = own_number();
    output(&terminal, &format!("sleep {number} >/dev/null 2>&1 &"));
    let outcome = terminal.run("t", &in_time("sleep 100")).unwrap();
    assert_eq!(outcome.exit_code, TIMED_OUT);
    let left = with_argument(&number);
    assert_eq!(left.len(), 1);
    output(&terminal, &format!("kill {}", left[0]));
    assert_gone(&number);
}

#[test]
fn interruption_from_another_thread_ends_it() {
    let place = Place::new();
    let terminal = place.terminal();
    let number = own_number();
    let ready = place.path().join("ready");
    let interrupt = Interrupt::new().unwrap();
    let command = format!("echo before; touch {}; sleep {number}", ready.display());
    let request = Request::new(command).with_interrupt(&interrupt);
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| terminal.run("t", &request).unwrap());
        assert!(appears(&ready));
        interrupt.interrupt();
        running.join().unwrap()
    });
    assert_eq!(outcome.exit_code, INTERRUPTED);
    assert_eq!(outcome.output, "before\n");
    assert_eq!(outcome.error.as_deref(), Some("interrupted"));
    assert!(!outcome.timed_out);
    assert_gone(&number);
    // It holds for what is started later as well.
    let outcome = terminal.run("t", &request).unwrap();
    assert_eq!(outcome.exit_code, INTERRUPTED);
    assert_gone(&number);
}

#[test]
fn grandchildren_that_hold_the_output_hold_up_nobody() {
    let place = Place::new();
    let terminal = place.terminal();
    let number = own_number();
    let outcome = run(&terminal, &format!("sleep {number} & echo started $!"));
    assert_eq!(outcome.exit_code, 0);
    assert!(outcome.output.starts_with("started "));
    assert!(outcome.duration_ms < 10_000, "{outcome:?}");
    assert!(outcome.notes[0].contains("still runs"), "{outcome:?}");
    // Nor does one that never stops writing.
    let outcome = run(
        &terminal,
        &format!("(while :; do echo x; sleep 0.01; done) {number} & :"),
    );
    assert_eq!(outcome.exit_code, 2, "{outcome:?}");
    let loud = format!("bash -c 'while :; do echo x; sleep 0.01; done' {number} & :");
    let outcome = run(&terminal, &loud);
    assert_eq!(outcome.exit_code, 0);
    assert!(outcome.notes[0].contains("still runs"), "{outcome:?}");
    for pid in with_argument(&number) {
        run(&terminal, &format!("kill {pid}"));
    }
    assert_gone(&number);
}

#[test]
fn output_that_comes_just_after_the_end_of_the_shell_is_read() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = run(&terminal, "echo late > >(sleep 0.05; cat)");
    assert_eq!(outcome.output, "late\n");
    assert!(outcome.notes.is_empty(), "{outcome:?}");
}

#[test]
fn a_command_may_close_its_output_and_go_on() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = run(&terminal, "echo a; exec >&- 2>&-; sleep 0.2; exit 5");
    assert_eq!((outcome.exit_code, &*outcome.output), (5, "a\n"));
    assert!(outcome.duration_ms >= 200);
    let started = Instant::now();
    let outcome = terminal
        .run("t", &in_time("exec >&- 2>&-; sleep 100"))
        .unwrap();
    assert_eq!(outcome.exit_code, TIMED_OUT);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn signals_and_exit_codes_are_reported_as_a_shell_does() {
    let place = Place::new();
    let terminal = place.terminal();
    for (command, code) in [
        ("true", 0),
        ("exit 7", 7),
        ("(exit 255)", 255),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
        ("sh -c 'kill -9 $$'", 137),
        ("nosuchcommand", 127),
        ("trap 'exit 4' EXIT; false", 4),
        ("set -e; false; echo not reached", 1),
        ("exec sh -c 'exit 6'", 6),
        ("echo 'never closed", 2),
        ("return 3", 3),
    ] {
        let outcome = run(&terminal, command);
        if command == "return 3" {
            // As in `bash -c`: it can only return from a function.
            assert_ne!(outcome.exit_code, 0, "{outcome:?}");
            continue;
        }
        assert_eq!(outcome.exit_code, code, "{command}: {outcome:?}");
        terminal.end_task("t");
    }
}

#[test]
fn exit_codes_that_look_like_failures_have_a_note() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = run(&terminal, "grep nothing /dev/null");
    assert_eq!(outcome.exit_code, 1);
    assert_eq!(
        outcome.notes,
        ["exit code 1 of grep: nothing matched; that is no failure"]
    );
    assert!(run(&terminal, "false").notes.is_empty());
}
