//! What holds wherever commands run: for the backends that run them elsewhere.

use std::time::Duration;

use hermes_terminal::{
    Background, Error, INTERRUPTED, Interrupt, ProcessId, Processes, Request, TIMED_OUT, Terminal,
    TerminalSize,
};

use crate::background::setup::{LONG, ended, exit_code, read_until, start_with};
use crate::processes::{assert_gone, own_number, until, with_argument};
use crate::setup::{output, run};

pub(crate) fn a_session_lasts(terminal: &Terminal, directory: &str) {
    let outcome = run(
        terminal,
        "export A=$'x\\ny'; f() { echo \"f $1\"; }; alias k='echo kay'; set -o pipefail; mkdir d; cd d; echo out; echo err >&2; echo again",
    );
    assert_eq!(
        (outcome.exit_code, &*outcome.output),
        (0, "out\nerr\nagain\n"),
        "{outcome:?}"
    );
    assert_eq!(outcome.cwd.to_str(), Some(&*format!("{directory}/d")));
    assert_eq!(
        output(terminal, "echo \"$A\"; f 1; k; pwd"),
        format!("x\ny\nf 1\nkay\n{directory}/d\n")
    );
    assert_eq!(run(terminal, "false | true").exit_code, 1);
    assert_eq!(
        run(terminal, "nosuch").output,
        "bash: line 1: nosuch: command not found\n"
    );
    for code in [0, 1, 7, 125, 126, 127, 255] {
        assert_eq!(run(terminal, &format!("exit {code}")).exit_code, code);
    }
    let other = terminal
        .run("other", &Request::new("echo ${A-none}; pwd"))
        .unwrap();
    assert_eq!(other.output, format!("none\n{directory}\n"));
    let missing = terminal.run("t", &Request::new("true").in_directory("/none"));
    assert!(matches!(missing, Err(Error::WorkdirMissing { .. })));
    run(terminal, "mkdir -p a/b; cd a/b; rm -r ../b");
    let outcome = run(terminal, "pwd");
    assert_eq!(outcome.output, format!("{directory}/d/a\n"));
    assert!(outcome.notes[0].contains("has vanished"), "{outcome:?}");
}

pub(crate) fn input_and_long_commands_go_over_whole(terminal: &Terminal) {
    assert_eq!(output(terminal, "cat; echo end"), "end\n");
    let bytes: Vec<u8> = (0..=255u8).cycle().take(500_000).collect();
    let request = Request::new("wc -c; echo done").with_stdin(bytes);
    assert_eq!(
        terminal.run("t", &request).unwrap().output,
        "500000\ndone\n"
    );
    let text = "x'\\ü\n".repeat(200_000);
    let command = format!("wc -c <<'END'\n{text}END");
    assert_eq!(output(terminal, &command), format!("{}\n", text.len()));
    assert_eq!(
        output(
            terminal,
            "printf 'a\\377\\0b\\303'; sleep 0.2; printf '\\274\\n'"
        ),
        "a\u{fffd}\u{fffd}bü\n".replace(
            "\u{fffd}\u{fffd}",
            &run(terminal, "printf '\\377\\0'").output
        )
    );
}

pub(crate) fn what_runs_is_ended_with_all_that_it_has_started(terminal: &Terminal) {
    for command in [
        "sleep N; :",
        "trap '' TERM; sleep N & wait; sleep N",
        "setsid --wait sleep N & sleep N; :",
        "(bash -c '(sleep N; :) & sleep N; :'; :) & wait",
    ] {
        let number = own_number();
        let request =
            Request::new(command.replace('N', &number)).with_timeout(Duration::from_secs(1));
        let outcome = terminal.run("t", &request).unwrap();
        assert_eq!(outcome.exit_code, TIMED_OUT, "{command}: {outcome:?}");
        assert_gone(&number);
    }
    let number = own_number();
    let interrupt = Interrupt::new().unwrap();
    let request =
        Request::new(format!("echo before; sleep {number}; :")).with_interrupt(&interrupt);
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| terminal.run("t", &request).unwrap());
        assert!(until(|| with_argument(&number).len() == 1));
        interrupt.interrupt();
        running.join().unwrap()
    });
    assert_eq!(outcome.exit_code, INTERRUPTED);
    // The shell may say what became of its `sleep`.
    let said = outcome.output.replace("Terminated\n", "");
    assert_eq!(said, "before\n");
    assert_gone(&number);
}

/// A daemon that holds the output holds up nobody.
pub(crate) fn what_is_left_behind_holds_up_nobody(terminal: &Terminal) {
    let number = own_number();
    let request = Request::new(format!("(sleep {number}; :) & echo started")).with_timeout(LONG);
    let outcome = terminal.run("t", &request).unwrap();
    assert_eq!((outcome.exit_code, &*outcome.output), (0, "started\n"));
    run(
        terminal,
        &format!(
            "pkill -f {number} || kill $(grep -lzs -- {number} /proc/[0-9]*/cmdline | cut -d/ -f3)"
        ),
    );
    assert_gone(&number);
}

fn start(processes: &Processes, request: &Request) -> ProcessId {
    start_with(processes, request, &Background::default())
}

fn ended_with(processes: &Processes, id: &ProcessId) -> Option<i32> {
    exit_code(&ended(processes, id))
}

pub(crate) fn what_runs_in_the_background_is_looked_after(terminal: &Terminal) {
    let processes = Processes::builder(terminal.clone()).build();
    let id = start(
        &processes,
        &Request::new("while read -r line; do echo \"got $line\"; done; echo over; exit 3"),
    );
    processes.submit(&id, "one").unwrap();
    read_until(&processes, &id, "got one");
    processes.close(&id).unwrap();
    assert_eq!(ended_with(&processes, &id), Some(3));
    read_until(&processes, &id, "over");
    // A tree four levels deep.
    let number = own_number();
    let deep = format!("bash -c \"bash -c 'bash -c \\\"sleep {number}; :\\\"; :'; :\"; :");
    let id = start(&processes, &Request::new(deep));
    assert!(until(|| !with_argument(&number).is_empty()));
    processes.kill(&id).unwrap();
    assert_gone(&number);
    // The task does not move.
    let before = output(terminal, "pwd");
    let id = start(&processes, &Request::new("cd /; export B=1"));
    assert_eq!(ended_with(&processes, &id), Some(0));
    assert_eq!(output(terminal, "pwd; echo ${B-none}"), before + "none\n");
}

pub(crate) fn a_program_is_talked_to_on_a_terminal(terminal: &Terminal) {
    let size = TerminalSize {
        rows: 30,
        columns: 99,
    };
    let request = Request::new("test -t 0 && test -t 1 && stty size; cat; echo \"$TERM\"");
    let outcome = terminal
        .run("t", &request.with_timeout(LONG).on_terminal(size))
        .unwrap();
    assert_eq!(outcome.exit_code, 0, "{outcome:?}");
    assert!(outcome.output.contains("30 99"), "{outcome:?}");
    assert!(outcome.output.contains("xterm"), "{outcome:?}");

    let processes = Processes::builder(terminal.clone()).build();
    let shell = Request::new("PS1='ready> ' bash --norc -i").on_terminal(size);
    let id = start(&processes, &shell);
    read_until(&processes, &id, "ready> ");
    processes.submit(&id, "echo $((6 * 7)); tty").unwrap();
    assert!(read_until(&processes, &id, "/dev/pts/").contains("42\n"));
    let larger = TerminalSize {
        rows: 50,
        columns: 132,
    };
    processes.resize(&id, larger).unwrap();
    processes
        .submit(&id, "until stty size | grep -q '50 132'; do sleep 0.05; done; echo \"size is $(stty size)\"")
        .unwrap();
    read_until(&processes, &id, "size is 50 132");
    processes.submit(&id, "exit 5").unwrap();
    assert_eq!(ended_with(&processes, &id), Some(5));

    let number = own_number();
    let sleeper = Request::new(format!("echo begun; sleep {number}; :")).on_terminal(size);
    let id = start(&processes, &sleeper);
    read_until(&processes, &id, "begun");
    assert!(until(|| !with_argument(&number).is_empty()));
    processes.kill(&id).unwrap();
    assert_gone(&number);
    let id = start(
        &processes,
        &Request::new("echo begun; cat").on_terminal(size),
    );
    read_until(&processes, &id, "begun");
    processes.write(&id, b"\x03").unwrap();
    assert_ne!(ended_with(&processes, &id), Some(0));
}

/// What cannot be run is refused with an error of its own kind, and the task goes on.
pub(crate) fn bad_requests_are_answered(terminal: &Terminal) {
    let error = |request: Request| terminal.run("t", &request).unwrap_err();
    assert!(matches!(
        error(Request::new("echo a\0b")),
        Error::CommandHasNul { at: 6 }
    ));
    assert!(matches!(error(Request::new(" ")), Error::EmptyCommand));
    assert!(matches!(
        Request::from_bytes(*b"echo \xff"),
        Err(Error::CommandNotUtf8 { at: 5 })
    ));
    assert!(matches!(
        error(Request::new("true").with_timeout(Duration::ZERO)),
        Error::BadTimeout { .. }
    ));
    assert!(matches!(
        error(Request::new("true").with_timeout(Duration::MAX)),
        Error::TimeoutTooLong { .. }
    ));
    assert!(Request::new("true").with_timeout_seconds(-1.0).is_err());
    for directory in ["/none", "/etc/passwd", "/nul\0"] {
        let error = error(Request::new("true").in_directory(directory));
        assert!(
            matches!(
                error,
                Error::WorkdirMissing { .. } | Error::WorkdirUnusable { .. }
            ),
            "{directory:?}: {error}"
        );
    }
    use std::os::unix::ffi::OsStrExt;
    let no_text = std::ffi::OsStr::from_bytes(b"/tmp/\xff");
    assert!(matches!(
        error(Request::new("true").in_directory(no_text)),
        Error::WorkdirUnusable { .. }
    ));
    assert_eq!(output(terminal, "echo fine"), "fine\n");
}
