//! What a command reads.

use hermes_terminal::Request;

use crate::setup::{Place, output, run};

#[test]
fn without_input_a_command_gets_end_of_file() {
    let place = Place::new();
    let terminal = place.terminal();
    assert_eq!(
        output(
            &terminal,
            "cat; read x || echo eof; python3 -c 'import sys; print(len(sys.stdin.read()))'"
        ),
        "eof\n0\n"
    );
}

#[test]
fn there_is_no_terminal_to_wait_for() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = run(
        &terminal,
        "(read x < /dev/tty) 2>/dev/null || echo none; tty; test -t 0 || echo no",
    );
    assert_eq!(outcome.output, "none\nnot a tty\nno\n");
}

#[test]
fn input_is_handed_over_whole_whatever_its_size() {
    let place = Place::new();
    let terminal = place.terminal();
    let bytes: Vec<u8> = (0..=255u8).cycle().take(3_000_000).collect();
    let request = Request::new("cat > copy; cat copy | wc -c").with_stdin(bytes.clone());
    assert_eq!(
        terminal.run("t", &request).unwrap().output.trim(),
        "3000000"
    );
    assert_eq!(std::fs::read(place.work().join("copy")).unwrap(), bytes);
}

#[test]
fn input_that_nobody_reads_holds_up_nobody() {
    let place = Place::new();
    let terminal = place.terminal();
    for command in [
        "true",
        "head -c 1 >/dev/null",
        "exec 0<&-; sleep 0.1",
        "sleep 0.1",
    ] {
        let request = Request::new(command).with_stdin(vec![b'x'; 1_000_000]);
        let outcome = terminal.run("t", &request).unwrap();
        assert_eq!(outcome.exit_code, 0, "{command}: {outcome:?}");
    }
}

#[test]
fn a_command_that_writes_while_it_reads_does_not_lock_up() {
    let place = Place::new();
    let terminal = place.terminal();
    let request = Request::new("tee /dev/stderr | wc -c").with_stdin(vec![b'x'; 2_000_000]);
    let outcome = terminal.run("t", &request).unwrap();
    assert!(
        outcome.output.trim_end().ends_with("2000000"),
        "{}",
        outcome.exit_code
    );
}

#[test]
fn empty_input_ends_at_once() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = terminal
        .run("t", &Request::new("cat").with_stdin(""))
        .unwrap();
    assert_eq!((outcome.exit_code, &*outcome.output), (0, ""));
}

#[test]
fn input_of_somebody_else_is_passed_on_as_it_comes_and_whole() {
    use std::io::Write;

    let place = Place::new();
    let terminal = place.terminal();
    let (reader, mut writer) = std::io::pipe().unwrap();
    let request = Request::new("read x; echo got $x; wc -c").with_stdin_from(reader);
    let mut seen = Vec::new();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            writer.write_all(b"first\n").unwrap();
            // The rest only when the first has been answered.
            told.recv().unwrap();
            writer.write_all(&vec![b'x'; 3_000_000]).unwrap();
        });
        let outcome = terminal.run_with_output("t", &request, |bytes| {
            seen.extend_from_slice(bytes);
            if seen == b"got first\n" {
                tell.send(()).unwrap();
            }
        });
        assert_eq!(outcome.unwrap().exit_code, 0);
    });
    assert_eq!(String::from_utf8(seen).unwrap(), "got first\n3000000\n");
    // A command that reads nothing leaves nobody waiting.
    let (reader, _writer) = std::io::pipe().unwrap();
    let request = Request::new("echo done").with_stdin_from(reader);
    assert_eq!(terminal.run("t", &request).unwrap().output, "done\n");
}
