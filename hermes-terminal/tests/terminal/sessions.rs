//! What lasts from one command of a task to the next.

use hermes_terminal::Request;

use crate::setup::{Place, output, run};

#[test]
fn variables_functions_aliases_options_and_the_directory_last() {
    let place = Place::new();
    let terminal = place.terminal();
    let quiet = run(
        &terminal,
        "export A=$'x\\ny' B='q'\\''\"$'; greet() { echo \"hi $1\"; }; export -f greet\n\
         alias k='echo kay'; set -o pipefail; shopt -s nullglob; umask 027; mkdir d; cd d",
    );
    assert_eq!(quiet.output, "");
    assert_eq!(quiet.cwd, place.work().join("d"));
    assert_eq!(
        output(&terminal, "printf '%s|' \"$A\" \"$B\""),
        "x\ny|q'\"$|"
    );
    assert_eq!(
        output(&terminal, "greet you; bash -c 'greet them'"),
        "hi you\nhi them\n"
    );
    assert_eq!(output(&terminal, "k"), "kay\n");
    assert_eq!(
        output(&terminal, "umask; echo *.none; pwd"),
        format!("0027\n\n{}\n", place.work().join("d").display())
    );
    assert_eq!(run(&terminal, "false | true").exit_code, 1);
    assert_eq!(output(&terminal, "unset A; unset -f greet; unalias k"), "");
    assert_eq!(
        output(
            &terminal,
            "echo \"${A-none}\"; type greet k 2>/dev/null || echo gone"
        ),
        "none\ngone\n"
    );
}

#[test]
fn tasks_know_nothing_of_each_other() {
    let place = Place::new();
    let terminal = place.terminal();
    terminal
        .run("a", &Request::new("export X=a; cd /"))
        .unwrap();
    let b = terminal
        .run("b", &Request::new("echo \"${X-none}\"; pwd"))
        .unwrap();
    assert_eq!(b.output, format!("none\n{}\n", place.work().display()));
}
