//! Where commands run.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hermes_terminal::{Error, Request};

use crate::setup::{Place, output, run};

#[test]
fn a_directory_for_one_command_is_for_that_one() {
    let place = Place::new();
    let terminal = place.terminal();
    std::fs::create_dir_all(place.work().join("a b/c")).unwrap();
    let shown = |directory: &str| {
        let request = Request::new("echo $PWD; pwd -P").in_directory(directory);
        terminal.run("t", &request).unwrap().output
    };
    let inside = place.work().join("a b/c");
    let inside = format!("{0}\n{0}\n", inside.display());
    assert_eq!(shown("a b/c"), inside);
    assert_eq!(shown(inside.lines().next().unwrap()), inside);
    assert_eq!(shown("~/work/a b/c"), inside);
    assert_eq!(shown("/"), "/\n/\n");
}

#[test]
fn a_change_of_directory_in_a_command_holds_even_with_one_of_its_own() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = terminal
        .run("t", &Request::new("true").in_directory("/"))
        .unwrap();
    assert_eq!(outcome.cwd, place.work());
    let outcome = terminal
        .run("t", &Request::new("cd usr").in_directory("/"))
        .unwrap();
    assert_eq!(outcome.cwd, Path::new("/usr"));
}

#[test]
fn a_directory_that_is_not_there_is_an_error_and_nothing_runs() {
    let place = Place::new();
    let terminal = place.terminal();
    std::fs::write(place.work().join("file"), "").unwrap();
    let started = place.path().join("started");
    let run = |directory: &Path| {
        let command = format!("touch {}", started.display());
        terminal
            .run("t", &Request::new(command).in_directory(directory))
            .unwrap_err()
    };
    let missing = run(Path::new("none"));
    assert!(
        matches!(&missing, Error::WorkdirMissing { path } if *path == place.work().join("none"))
    );
    assert!(missing.to_string().contains("does not exist"));
    assert!(matches!(
        run(Path::new("file")),
        Error::WorkdirUnusable { .. }
    ));
    assert!(!started.exists());
}

#[test]
fn names_that_are_no_text_or_full_of_signs_are_directories_like_others() {
    let place = Place::new();
    let terminal = place.terminal();
    for name in [
        &b"caf\xe9"[..],
        b"a\nb\n",
        b"q'\"$(x)`y`",
        b" -n",
        b"\\e[31m",
    ] {
        let directory = place.work().join(OsStr::from_bytes(name));
        std::fs::create_dir(&directory).unwrap();
        let outcome = terminal
            .run(
                "t",
                &Request::new("cd .; touch here").in_directory(&directory),
            )
            .unwrap();
        assert_eq!(outcome.exit_code, 0, "{outcome:?}");
        assert!(directory.join("here").exists());
        assert_eq!(
            outcome.cwd,
            place.work(),
            "only `cd` elsewhere moves the task"
        );
        terminal.set_directory("t", &directory).unwrap();
        output(&terminal, "touch again");
        assert!(directory.join("again").exists());
        let outcome = run(&terminal, "cd ..; cd \"$OLDPWD\"");
        assert_eq!(outcome.cwd, directory);
        terminal.set_directory("t", place.work()).unwrap();
    }
}

#[test]
fn a_directory_that_has_vanished_falls_back_to_its_nearest_parent() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = run(
        &terminal,
        "mkdir -p a/b/c; cd a/b/c; rmdir $PWD; cd ..; cd ../..; rm -r a; mkdir -p a/b/c; cd a/b/c; rm -r ../../b",
    );
    assert_eq!(outcome.cwd, place.work().join("a/b/c"));
    let outcome = run(&terminal, "pwd");
    assert_eq!(
        outcome.output,
        format!("{}\n", place.work().join("a").display())
    );
    let vanished = place.work().join("a/b/c");
    assert!(
        outcome.notes[0].contains(&format!("{} has vanished", vanished.display())),
        "{outcome:?}"
    );
    assert!(run(&terminal, "pwd").notes.is_empty());
}

#[test]
fn changing_into_what_has_been_deleted_fails_as_in_a_shell() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = run(&terminal, "mkdir gone; rmdir gone; cd gone");
    assert_eq!(outcome.exit_code, 1);
    assert_eq!(outcome.cwd, place.work());
}

#[test]
fn links_stay_as_they_were_entered() {
    let place = Place::new();
    let terminal = place.terminal();
    output(&terminal, "mkdir real; ln -s real link; cd link");
    assert_eq!(
        output(&terminal, "pwd; pwd -P"),
        format!("{0}/link\n{0}/real\n", place.work().display())
    );
    assert_eq!(
        output(&terminal, "cd ..; pwd; cd - >/dev/null; pwd"),
        format!("{0}\n{0}/link\n", place.work().display())
    );
}

#[test]
fn the_last_directory_is_remembered_from_one_command_to_the_next() {
    let place = Place::new();
    let terminal = place.terminal();
    output(&terminal, "cd /usr");
    output(&terminal, "cd /tmp");
    assert_eq!(output(&terminal, "cd -"), "/usr\n");
}
