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

/// Files by name and text, in the home.
fn files(place: &Place, files: &[(&str, &str)]) {
    for (name, text) in files {
        fs::write(place.path().join(name), text).unwrap();
    }
}

#[test]
fn more_files_are_read_after_those_of_a_login_and_those_that_are_not_there_passed_over() {
    let place = Place::new();
    files(
        &place,
        &[
            (".bash_profile", "export ORDER=login"),
            (
                ".bashrc",
                "ORDER=$ORDER,bashrc; PATH=/only; f() { echo f; }; shopt -s extglob",
            ),
            (
                "it's one",
                "echo noise; ORDER=$ORDER,one; export OPENAI_API_KEY=sk-x A=1",
            ),
            ("two", "ORDER=$ORDER,two; cd /; false"),
        ],
    );
    let listed = ["none", "it's one", "two"].map(|name| place.path().join(name));
    let local = place
        .local()
        .with_bashrc(place.path().join(".bashrc"))
        .with_init_files(listed);
    let terminal = on(local);
    let first = run(
        &terminal,
        "echo $ORDER; f; echo ${PATH%%:*} $A; shopt -q extglob; pwd",
    );
    let work = place.work();
    let expected = format!("login,bashrc,one,two\nf\n/only 1\n{}\n", work.display());
    assert_eq!(
        (first.output, first.notes),
        (expected, Vec::<String>::new())
    );
    assert_eq!(output(&terminal, "env | grep -c sk-x || true"), "0\n");
}

#[test]
fn a_shell_that_is_not_bash_reads_the_listed_files_and_no_bashrc() {
    let place = Place::new();
    files(
        &place,
        &[(".bashrc", "export A=bashrc"), ("init", "export B=init")],
    );
    let local = place
        .local()
        .with_shell("sh")
        .with_bashrc(place.path().join(".bashrc"))
        .with_init_files([place.path().join("init")]);
    assert_eq!(output(&on(local), "echo ${A-none} $B"), "none init\n");
}

#[test]
fn a_file_that_ends_its_shell_costs_only_what_such_files_say() {
    let number = own_number();
    for (text, note) in [
        (
            format!("export A=1; sleep {number}"),
            "was not ready after 2 s",
        ),
        ("export A=1; exec true".to_owned(), "failed"),
        ("export A=1; kill -9 $$".to_owned(), "failed"),
        ("export A=1; exit".to_owned(), "failed"),
        ("export A=1; set -e; false".to_owned(), "failed"),
    ] {
        let place = Place::new();
        files(
            &place,
            &[(".bash_profile", "export L=login"), ("init", &text)],
        );
        let local = place
            .local()
            .with_init_files([place.path().join("init")])
            .with_login_timeout(Duration::from_secs(2));
        let terminal = on(local);
        let first = run(&terminal, "echo $L ${A-none}");
        assert_eq!(first.output, "login none\n");
        let path = place.path().join("init").display().to_string();
        let told = &first.notes[0];
        assert!(told.contains(note) && told.contains(&path), "{told}");
        assert!(run(&terminal, "true").notes.is_empty());
        assert_gone(&number);
    }
}
