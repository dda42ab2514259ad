//! Children are told which home is theirs.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::path::PathBuf;
use std::process::Command;

use hermes_home::{HomeSource, resolve};
use support::Sandbox;

fn told(command: &mut Command) -> String {
    let output = command.output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_child_is_always_told_even_the_default_and_with_a_cleared_environment() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    for home in [sandbox.default(), sandbox.profile("coder")] {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "printf %s \"$HERMES_HOME\""])
            .env_clear();
        sandbox.home_at(&home).prepare_child(&mut command);
        assert_eq!(told(&mut command), home.to_str().unwrap());
    }
}

#[test]
fn a_child_is_told_the_home_of_the_task_that_starts_it() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let _scope = sandbox.home_at(sandbox.profile("coder")).enter();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "printf %s \"$HERMES_HOME\""]);
    let found = resolve(&sandbox.env()).unwrap();
    assert_eq!(found.source, HomeSource::Override);
    found.home.prepare_child(&mut command);
    assert_eq!(
        told(&mut command),
        sandbox.profile("coder").to_str().unwrap()
    );
}

#[test]
fn a_home_whose_name_ends_in_white_space_is_read_back_as_itself() {
    let sandbox = Sandbox::new();
    for name in ["plain", "with space ", "tab\t", "no-break\u{a0}", "line\n"] {
        let path = format!("{}/", sandbox.path(name).display());
        let home = sandbox.home_at(PathBuf::from(path));
        assert_eq!(home.path(), sandbox.path(name));
        let again = resolve(&sandbox.env().with_hermes_home(home.env_value())).unwrap();
        assert_eq!(again.home, home, "{name:?}");
    }
    assert_eq!(sandbox.home_at("/opt/data").env_value(), "/opt/data");
    assert_eq!(sandbox.home_at("/opt/data").env_pair().0, "HERMES_HOME");
}

#[cfg(feature = "tokio")]
#[test]
fn a_child_of_tokio_is_told_too() {
    let sandbox = Sandbox::new();
    let mut command = tokio::process::Command::new("true");
    command.env_clear();
    sandbox.home_at("/opt/data").prepare_child(&mut command);
    let set: Vec<_> = command.as_std().get_envs().collect();
    assert_eq!(set, [("HERMES_HOME".as_ref(), Some("/opt/data".as_ref()))]);
}
