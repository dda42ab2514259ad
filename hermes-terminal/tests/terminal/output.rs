//! What a command writes, and what is given of it.

use hermes_terminal::{Limits, Request};

use crate::setup::{Place, output, run};

#[test]
fn stdout_and_stderr_come_as_they_were_written() {
    let place = Place::new();
    let terminal = place.terminal();
    let command = "for i in 1 2 3; do echo out$i; echo err$i >&2; done";
    assert_eq!(
        output(&terminal, command),
        "out1\nerr1\nout2\nerr2\nout3\nerr3\n"
    );
}

#[test]
fn half_characters_and_nuls_do_no_harm() {
    let place = Place::new();
    let terminal = place.terminal();
    let command = r"printf 'a\0b\xffc\xe2\x82'; sleep 0.05; printf '\xacd\xe2\x82'";
    assert_eq!(output(&terminal, command), "ab\u{fffd}c\u{20ac}d\u{fffd}");
}

#[test]
fn terminal_codes_are_left_out() {
    let place = Place::new();
    let terminal = place.terminal();
    let command = r"printf '\e[1;31mred\e[0m \e]0;title\a\e[3'; sleep 0.05; printf '2mgreen\e[m\n'";
    assert_eq!(output(&terminal, command), "red green\n");
}

#[test]
fn long_output_loses_its_middle() {
    let place = Place::new();
    let mut limits = Limits::default();
    limits.output_chars = 100;
    let terminal = place
        .builder()
        .without_gate()
        .limits(limits)
        .build()
        .unwrap();
    let outcome = run(&terminal, "seq 1 1000");
    assert!(outcome.truncated);
    assert!(outcome.output.starts_with("1\n2\n3\n"));
    assert!(outcome.output.ends_with("\n999\n1000\n"));
    assert!(
        outcome
            .output
            .contains("[… 3793 of 3893 characters left out …]"),
        "{}",
        outcome.output
    );
    assert!(!run(&terminal, "seq 1 10").truncated);
}

#[test]
fn output_that_looks_like_our_own_files_moves_nothing() {
    let place = Place::new();
    let terminal = place.terminal();
    output(&terminal, "export A=1");
    // All that our own scripts write and read, on stdout, on stderr and as file names.
    let command = "for f in $(find .. -path '*hermes-terminal-*' -type f); do cat $f; cat $f >&2; done\n\
                   printf '%s\\n' /etc 'directory /etc' _hermes_folder=/etc '__CWD__/etc__CWD__' \\\n\
                   \"cd /etc\" 'declare -x A=\"2\"'\n\
                   echo /etc > directory; echo 'declare -x A=\"2\"' > definitions";
    let outcome = run(&terminal, command);
    assert!(outcome.output.contains("_hermes_folder"), "{outcome:?}");
    assert_eq!(outcome.cwd, place.work());
    let after = format!("1\n{}\n", place.work().display());
    assert_eq!(output(&terminal, "echo $A; pwd"), after);
}

#[test]
fn errors_name_the_line_of_the_command_and_no_file_of_ours() {
    let place = Place::new();
    let terminal = place.terminal();
    assert_eq!(
        run(&terminal, "nosuch").output,
        "bash: line 1: nosuch: command not found\n"
    );
    assert_eq!(
        run(&terminal, "\n\nnosuch").output,
        "bash: line 3: nosuch: command not found\n"
    );
    assert_eq!(output(&terminal, "echo $0 $# $LINENO"), "bash 0 1\n");
    let traced = run(&terminal, "set -x; true");
    assert!(traced.output == "++ true\n", "{traced:?}");
    assert_eq!(output(&terminal, "echo quiet"), "quiet\n");
}

#[test]
fn a_command_of_a_megabyte_runs() {
    let place = Place::new();
    let terminal = place.terminal();
    let text = "x'\\ü\n".repeat(200_000);
    let command = format!("cat > file <<'END'\n{text}END\nwc -c < file");
    assert!(command.len() > 1_000_000);
    let outcome = terminal.run("t", &Request::new(command)).unwrap();
    assert_eq!(outcome.output.trim(), text.len().to_string());
    assert_eq!(
        std::fs::read_to_string(place.work().join("file")).unwrap(),
        text
    );
}
