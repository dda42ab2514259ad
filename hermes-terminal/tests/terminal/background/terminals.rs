//! Programs on a terminal: they are talked to.

use hermes_terminal::{Request, TerminalSize};

use super::setup::{LONG, ended, exit_code, processes, read_until, start, start_on_terminal};
use crate::setup::{Place, output};

#[test]
fn a_shell_is_talked_to() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start_on_terminal(&processes, "PS1='ready> ' bash --norc -i");
    read_until(&processes, &id, "ready> ");
    processes.submit(&id, "echo $((6 * 7)); tty").unwrap();
    let shown = read_until(&processes, &id, "/dev/pts/");
    assert!(shown.contains("42\n"), "{shown:?}");
    processes.submit(&id, "exit 5").unwrap();
    assert_eq!(exit_code(&ended(&processes, &id)), Some(5));
}

#[test]
fn python_is_talked_to() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start_on_terminal(&processes, "PYTHON_BASIC_REPL=1 python3 -i -q");
    read_until(&processes, &id, ">>> ");
    processes
        .submit(&id, "import os; x = 6 * 7; print('x is', x, os.isatty(0))")
        .unwrap();
    read_until(&processes, &id, "x is 42 True");
    processes.submit(&id, "def f():").unwrap();
    processes.submit(&id, "    return x + 1").unwrap();
    processes.submit(&id, "").unwrap();
    processes.submit(&id, "print('f is', f())").unwrap();
    read_until(&processes, &id, "f is 43\n>>> ");
    processes.close(&id).unwrap();
    assert_eq!(exit_code(&ended(&processes, &id)), Some(0));
}

#[test]
fn a_terminal_has_the_size_that_it_is_given() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start_on_terminal(
        &processes,
        "trap 'stty size' WINCH; stty size; while :; do read -t 0.05 x; done",
    );
    read_until(&processes, &id, "24 80");
    let size = TerminalSize {
        rows: 50,
        columns: 132,
    };
    processes.resize(&id, size).unwrap();
    read_until(&processes, &id, "50 132");
    processes.kill(&id).unwrap();
    let piped = start(&processes, "true");
    assert!(processes.resize(&piped, size).is_err());
}

#[test]
fn the_keys_of_a_terminal_work() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start_on_terminal(&processes, "echo begun; cat; echo after: $?");
    read_until(&processes, &id, "begun");
    processes.write(&id, b"\x03").unwrap();
    let info = ended(&processes, &id);
    assert_ne!(exit_code(&info), Some(0), "{info:?}");
    let id = start_on_terminal(&processes, "cat; echo after: $?");
    processes.write(&id, b"half").unwrap();
    processes.close(&id).unwrap();
    read_until(&processes, &id, "after: 0");
}

#[test]
fn a_foreground_command_on_a_terminal_has_one_and_gets_the_end_of_input() {
    let place = Place::new();
    let terminal = place.terminal();
    let on_terminal = |command: &str| {
        let request = Request::new(command).on_terminal(TerminalSize {
            rows: 30,
            columns: 99,
        });
        terminal.run("t", &request.with_timeout(LONG)).unwrap()
    };
    let outcome = on_terminal("test -t 0 && test -t 1 && stty size; cat; echo $TERM");
    assert_eq!(outcome.exit_code, 0, "{outcome:?}");
    assert!(outcome.output.contains("30 99"), "{outcome:?}");
    assert!(outcome.output.contains("xterm"), "{outcome:?}");
    assert_eq!(output(&terminal, "test -t 0 || echo none"), "none\n");
}
