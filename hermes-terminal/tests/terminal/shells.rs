//! Other shells than bash.

use hermes_terminal::Terminal;

use crate::setup::{Place, on, output, run};

fn with_sh(place: &Place) -> Terminal {
    let folder = place.path().join("bin");
    std::fs::create_dir(&folder).unwrap();
    let real = if std::path::Path::new("/bin/dash").exists() {
        "/bin/dash"
    } else {
        "/bin/sh"
    };
    std::os::unix::fs::symlink(real, folder.join("sh")).unwrap();
    for tool in ["ls", "cat", "env", "mkdir", "grep", "sleep"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join(tool))
            .find(|file| file.exists())
            .unwrap();
        std::os::unix::fs::symlink(found, folder.join(tool)).unwrap();
    }
    let variables = place.variables().with([("PATH", folder)]);
    let local = place.local().with_variables(variables);
    on(local)
}

#[test]
fn without_bash_sh_keeps_variables_options_and_the_directory() {
    let place = Place::new();
    std::fs::write(
        place.path().join(".profile"),
        "export FROM_LOGIN=yes OPENAI_API_KEY=secret",
    )
    .unwrap();
    let terminal = with_sh(&place);
    assert_eq!(
        output(&terminal, "echo $FROM_LOGIN ${OPENAI_API_KEY-none} $0"),
        "yes none sh\n"
    );
    output(
        &terminal,
        "export A='x\n\"$q'; mkdir d; cd d; set -f; umask 027",
    );
    assert_eq!(
        output(&terminal, "echo \"$A\"; pwd; echo *; umask"),
        format!("x\n\"$q\n{}\n*\n0027\n", place.work().join("d").display())
    );
    assert_eq!(run(&terminal, "exit 9").exit_code, 9);
    assert_eq!(run(&terminal, "readonly R=1; R=2").exit_code, 2);
    assert_eq!(output(&terminal, "cat"), "");
    assert_eq!(run(&terminal, "cd ..; exit 3").cwd, place.work());
}

#[test]
fn options_that_stop_a_shell_do_not_lose_the_session() {
    let place = Place::new();
    let terminal = place.terminal();
    output(&terminal, "set -eu -o pipefail; set -C -f; export A=1");
    let failed = run(&terminal, "cd /; export B=2; false; echo not reached");
    assert_eq!((failed.exit_code, &*failed.output), (1, ""));
    assert_eq!(failed.cwd, std::path::Path::new("/"));
    assert_eq!(output(&terminal, "echo $A $B *"), "1 2 *\n");
    assert_eq!(run(&terminal, "echo $UNSET_VARIABLE; echo no").exit_code, 1);
    output(&terminal, "set +eu; shopt -s extdebug; set -o posix");
    assert_eq!(output(&terminal, "false; echo $A"), "1\n");
}

#[test]
fn functions_named_as_what_we_use_do_not_lose_the_session() {
    let place = Place::new();
    let terminal = place.terminal();
    output(
        &terminal,
        "cd() { echo mine; builtin cd \"$@\"; }; export() { echo exported; }; pwd() { echo /nowhere; }; trap() { :; }; eval() { echo evil; }; printf() { :; }; alias set='echo no' unset='echo no' return='echo no'; cd /",
    );
    let outcome = run(&terminal, "type -t cd pwd; cd /usr");
    assert_eq!(outcome.output, "function\nfunction\nmine\n");
    assert_eq!(outcome.cwd, std::path::Path::new("/usr"));
}

#[test]
fn exits_and_traps_of_the_command_are_its_own() {
    let place = Place::new();
    let terminal = place.terminal();
    let outcome = run(&terminal, "trap 'echo bye' EXIT; cd /; export A=1");
    assert_eq!(outcome.output, "bye\n");
    assert_eq!(outcome.cwd, std::path::Path::new("/"));
    let outcome = run(&terminal, "cd /usr; exit 4");
    assert_eq!(
        (outcome.exit_code, outcome.cwd.as_path()),
        (4, std::path::Path::new("/usr"))
    );
    assert_eq!(output(&terminal, "echo $A"), "1\n");
}
