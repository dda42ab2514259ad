//! The login environment.

use std::fs;
use std::time::Duration;

use crate::processes::{assert_gone, own_number};
use crate::setup::{Place, on, output, run};

#[test]
fn it_is_read_once() {
    let place = Place::new();
    fs::write(
        place.path().join(".bash_profile"),
        "echo noise; echo x >> ~/times; export FROM_LOGIN=\"two\nlines\"; hello() { echo hello; }; alias hi='echo hi'\n",
    )
    .unwrap();
    let terminal = place.terminal();
    for _ in 0..3 {
        assert_eq!(
            output(&terminal, "echo \"$FROM_LOGIN\"; hello; hi"),
            "two\nlines\nhello\nhi\n"
        );
    }
    assert_eq!(
        fs::read_to_string(place.path().join("times")).unwrap(),
        "x\n"
    );
}

#[test]
fn a_login_file_that_changes_the_directory_moves_nothing() {
    let place = Place::new();
    fs::write(place.path().join(".bash_profile"), "cd /").unwrap();
    assert_eq!(
        run(&place.terminal(), "pwd").output,
        format!("{}\n", place.work().display())
    );
}

#[test]
fn a_login_file_that_hangs_or_fails_is_gone_without() {
    let number = own_number();
    for (file, note) in [
        (
            format!("export A=1; sleep {number}"),
            "was not ready after 0.3 s",
        ),
        ("exec true".to_owned(), "the login shell failed"),
        ("kill -9 $$".to_owned(), "the login shell failed"),
    ] {
        let place = Place::new();
        fs::write(place.path().join(".bash_profile"), file).unwrap();
        let local = place.local().with_login_timeout(Duration::from_millis(300));
        let terminal = on(local);
        let first = run(&terminal, "echo ${A-none}");
        assert_eq!(first.output, "none\n");
        assert!(first.notes[0].contains(note), "{first:?}");
        assert!(run(&terminal, "true").notes.is_empty());
        assert_gone(&number);
    }
}

#[test]
fn a_login_file_that_says_anew_what_path_is_hides_nothing() {
    let place = Place::new();
    fs::write(place.path().join(".bash_profile"), "PATH=/usr/bin:/bin").unwrap();
    let variables = place
        .variables()
        .with([("PATH", "/usr/bin:/my tools:/bin:/*")]);
    let local = place.local().with_variables(variables);
    let terminal = on(local);
    assert_eq!(
        output(&terminal, "echo \"$PATH\""),
        "/usr/bin:/bin:/my tools:/*\n"
    );
}
