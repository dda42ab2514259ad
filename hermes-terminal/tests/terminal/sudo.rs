//! Passwords for `sudo`, with a stand-in for it that records what it is given.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use hermes_terminal::{Local, NOT_STARTED, Request, Terminal};

use crate::setup::{Place, on};

/// Wants a password unless it has given a ticket; with `tickets` off it never gives one.
fn with_sudo(place: &Place, tickets: bool) -> Local {
    let folder = place.path().join("bin");
    fs::create_dir(&folder).unwrap();
    let log = place.path().join("sudo.log");
    let ticket = place.path().join("ticket");
    let script = format!(
        "#!/bin/bash\n\
         echo \"argv: $*\" >> {log}; env >> {log}\n\
         non_interactive=; stdin=; validate=\n\
         while [[ $1 == -* ]]; do case $1 in -n) non_interactive=1;; -S) stdin=1;; -v) validate=1;; -p) shift;; esac; shift; done\n\
         if [[ ! -e {ticket} ]]; then\n\
         \x20 [[ $non_interactive ]] && {{ echo 'sudo: a password is required' >&2; exit 1; }}\n\
         \x20 [[ $stdin ]] || {{ echo 'sudo: no terminal' >&2; exit 1; }}\n\
         \x20 IFS= read -r password\n\
         \x20 [[ $password == 'pass word' ]] || {{ echo 'Sorry' >&2; exit 1; }}\n\
         \x20 {}\n\
         fi\n\
         [[ $validate ]] && exit 0\n\
         exec \"$@\"\n",
        if tickets {
            format!("touch {}", ticket.display())
        } else {
            ":".to_owned()
        },
        log = log.display(),
        ticket = ticket.display(),
    );
    fs::write(folder.join("sudo"), script).unwrap();
    fs::set_permissions(folder.join("sudo"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    place
        .local()
        .with_login(false)
        .with_variables(place.variables().with([("PATH", path)]))
}

#[test]
fn a_password_goes_over_input_and_nowhere_else() {
    for tickets in [true, false] {
        let place = Place::new();
        let local = with_sudo(&place, tickets);
        let terminal = Terminal::builder()
            .environment(Arc::new(local))
            .sudo_password("pass word")
            .without_gate()
            .build()
            .unwrap();
        let run = |request: &Request| terminal.run("t", request).unwrap();
        assert_eq!(run(&Request::new("sudo echo done")).output, "done\n");
        assert_eq!(
            run(&Request::new("echo through | sudo cat; sudo echo again")).output,
            "through\nagain\n"
        );
        assert_eq!(
            run(&Request::new("sudo cat; cat").with_stdin("own input")).output,
            "own input"
        );
        assert_eq!(run(&Request::new("sudo sh -c 'exit 7'")).exit_code, 7);
        // Nothing of it is in the session.
        let seen = run(&Request::new(
            "env; export -p; declare -f; find .. -type f ! -path '*/bin/*' | xargs cat",
        ))
        .output;
        assert!(!seen.contains("pass word"), "{seen}");
        assert_eq!(
            run(&Request::new("type -t su\"\"do")).output,
            "file\n".to_owned(),
            "tickets: {tickets}"
        );
        let log = fs::read_to_string(place.path().join("sudo.log")).unwrap();
        assert!(log.contains("argv: "), "{log}");
        assert!(!log.contains("pass word"), "{log}");
    }
}

#[test]
fn a_wrong_password_fails_and_does_not_wait() {
    let place = Place::new();
    let local = with_sudo(&place, true);
    let terminal = Terminal::builder()
        .environment(Arc::new(local))
        .sudo_password("wrong")
        .without_gate()
        .build()
        .unwrap();
    let outcome = terminal.run("t", &Request::new("sudo echo done")).unwrap();
    assert_eq!(outcome.exit_code, 1);
    assert!(!outcome.output.contains("done"));
}

#[test]
fn without_a_password_sudo_that_reads_one_is_refused() {
    let place = Place::new();
    let local = with_sudo(&place, true);
    let terminal = on(local);
    let outcome = terminal
        .run("t", &Request::new("echo guess | sudo -S ls"))
        .unwrap();
    assert_eq!(outcome.exit_code, NOT_STARTED);
    assert!(outcome.error.unwrap().contains("SUDO_PASSWORD"));
    assert!(!place.path().join("sudo.log").exists());
}
